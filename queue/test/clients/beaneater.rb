# SPDX-License-Identifier: MIT
# beaneater.rb PORT: test the states of a job with the Ruby client beaneater.
begin
  require 'beaneater'
rescue LoadError
  abort 'beaneater is not installed'
end

def expect(what)
  abort "failed expectation: #{what}" unless yield
end

queue = Beaneater.new("127.0.0.1:#{ARGV[0]}")
tube = queue.tubes['mail']
queue.tubes.watch!('mail')

put = tube.put('hello', pri: 7, delay: 300, ttr: 300)
expect('a put has an id') { put[:id].to_i == 1 }
expect('it is delayed') { tube.peek(:delayed).body == 'hello' }
tube.kick(1)
job = queue.tubes.reserve
expect('it is reserved') { job.body == 'hello' && job.id == '1' }
expect('its statistics') { job.stats.pri == 7 && job.stats.state == 'reserved' && job.stats.tube == 'mail' }
job.touch
job.release(delay: 1, pri: 3)
job = queue.tubes.reserve
expect('the release is counted') { job.stats.releases == 1 && job.pri == 3 }
job.bury
expect('it is buried') { tube.peek(:buried).id == '1' }
tube.kick(5)
expect('it is kicked') { tube.peek(:ready).id == '1' }
queue.jobs.find(1).delete
expect('it is deleted') { queue.jobs.find(1).nil? }
expect('nothing is left') do
  queue.tubes.reserve(0)
  false
rescue Beaneater::TimedOutError
  true
end
tube.pause(300)
expect('a tube is paused') { tube.stats.pause == 300 }
expect('stats returns values of the server') { queue.stats.version.include?('wheelq') && queue.stats.total_jobs == 1 }
expect('tubes are listed') { queue.tubes.all.map(&:name).sort == %w[default mail] }
queue.close
puts 'ok'
