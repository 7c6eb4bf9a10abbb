# SPDX-License-Identifier: MIT
# fish completion of wheelctl

# An argument of an option is not the command.
function __wheelctl_needs_command
	set -l words (commandline -opc)
	set -e words[1]
	argparse -s 'device=' json help version -- $words 2>/dev/null; and not set -q argv[1]
end

set -l all info arm list stats watch save restore help
set -l with_json info arm list stats save restore
complete -c wheelctl -f
complete -c wheelctl -l device -r -F -d 'use this device'
complete -c wheelctl -l help -d 'print this help and exit'
complete -c wheelctl -l version -d 'print the version and exit'
complete -c wheelctl -n __wheelctl_needs_command -l json -d 'print one JSON document'
complete -c wheelctl -n "__fish_seen_subcommand_from $with_json" -l json -d 'print one JSON document'

complete -c wheelctl -n __wheelctl_needs_command -a info -d 'show the default configuration'
complete -c wheelctl -n __wheelctl_needs_command -a arm -d 'arm one timer and check its events'
complete -c wheelctl -n __wheelctl_needs_command -a list -d 'list wheels, or the timers of a process'
complete -c wheelctl -n __wheelctl_needs_command -a stats -d 'show the counters of wheels'
complete -c wheelctl -n __wheelctl_needs_command -a watch -d 'show the activity of wheels'
complete -c wheelctl -n __wheelctl_needs_command -a save -d 'write pending timers to a file'
complete -c wheelctl -n __wheelctl_needs_command -a restore -d 'arm the timers of such a file'
complete -c wheelctl -n __wheelctl_needs_command -a help -d 'explain a command'

for command in list stats watch save restore
	complete -c wheelctl -n "__fish_seen_subcommand_from $command" -l pid -x -a '(__fish_complete_pids)' -d 'select this process'
	complete -c wheelctl -n "__fish_seen_subcommand_from $command" -l fd -x -d 'select this descriptor'
end
complete -c wheelctl -n '__fish_seen_subcommand_from list' -l limit -x -d 'list at most N timers per wheel'
complete -c wheelctl -n '__fish_seen_subcommand_from list' -l sort -x -a 'pid user command pending rate next memory' -d 'sort wheels'
complete -c wheelctl -n '__fish_seen_subcommand_from list' -l user -x -a '(__fish_complete_users)' -d 'list only the wheels of this user'
complete -c wheelctl -n '__fish_seen_subcommand_from list' -l command -x -d 'list only the wheels of this program'
complete -c wheelctl -n '__fish_seen_subcommand_from list' -l interval -x -d 'measure the rate'
complete -c wheelctl -n '__fish_seen_subcommand_from stats' -l details -d 'print each wheel instead of totals'
complete -c wheelctl -n '__fish_seen_subcommand_from stats' -l prometheus -d 'print the text format of Prometheus'
complete -c wheelctl -n '__fish_seen_subcommand_from stats' -l html -d 'print one HTML page'
complete -c wheelctl -n '__fish_seen_subcommand_from watch' -l interval -x -d 'time between two pictures'
complete -c wheelctl -n '__fish_seen_subcommand_from watch arm' -l count -x -d 'exit after N pictures or events'
complete -c wheelctl -n '__fish_seen_subcommand_from arm' -l period -x -d 'expire every TIME'
complete -c wheelctl -n '__fish_seen_subcommand_from arm' -l slack -x -d 'allow expiries to be TIME later'
complete -c wheelctl -n '__fish_seen_subcommand_from arm' -l clock -x -a 'monotonic boottime realtime tai virtual'
complete -c wheelctl -n '__fish_seen_subcommand_from arm' -l scheme -x -a 'hashed hierarchical bounded overflow'
complete -c wheelctl -n '__fish_seen_subcommand_from arm' -l tick -x -d 'round times up to multiples of TIME'
complete -c wheelctl -n '__fish_seen_subcommand_from arm' -l buckets -x -d 'buckets of the ring'
complete -c wheelctl -n '__fish_seen_subcommand_from save restore' -r -F
complete -c wheelctl -n '__fish_seen_subcommand_from help' -x -a "$all"
