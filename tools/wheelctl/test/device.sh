#!/bin/sh
# SPDX-License-Identifier: MIT
# device.sh: wheelctl on a real device, in a guest, as root. Prints KTAP.
# shellcheck source=tests/vm/guest/ktap.sh
. ./ktap.sh

wheelctl=./wheelctl

# matches WHAT: are $got and $said the $status and the pattern $text?
matches() {
	# shellcheck disable=SC2254 # it is a pattern
	case $got-$said in
	$status-$text) return 0 ;;
	esac
	echo "wheelctl $*: exit status $got"
	echo "$said"
	return 1
}

# says STATUS TEXT ARGUMENT...: that exit status, and output like this pattern.
says() {
	status=$1 text=$2
	shift 2
	said=$("$wheelctl" "$@" 2>&1)
	got=$?
	matches "$@"
}

# pending PID: waits until its wheel has a pending timer.
pending() {
	until "$wheelctl" list --pid "$1" 2>/dev/null | grep -q '^1 timer '; do
		kill -0 "$1" || return
	done
}

# opening COMMAND...: with a file at hand, $opened's descriptor 3, on which nothing was
# called. The shell that is to become sleep has opened it when it is called sleep.
opening() {
	sleep 1000 3<>/dev/wheel &
	opened=$!
	until [ "$(cat /proc/$opened/comm)" = sleep ]; do
		kill -0 $opened || return
	done
	"$@"
	answered=$?
	kill $opened
	wait $opened 2>/dev/null
	return $answered
}

# interrupted SIGNAL STATUS TEXT ARGUMENT...: by a signal, as soon as its timer is
# pending.
interrupted() {
	signal=$1 status=$2 text=$3
	shift 3
	"$wheelctl" "$@" >said 2>&1 &
	pending $! && kill -s "$signal" $!
	wait $!
	got=$? said=$(cat said)
	matches "$@"
}

# Each scheme, with ticks from the least to one that outlasts the timers.
self_tests() {
	for tick in 1ns 50us 1ms 300ms; do
		for scheme in hashed hierarchical overflow; do
			says 0 "*all promises kept" stats --self-test 400 \
				--scheme $scheme --tick $tick || return
		done
	done
	for clock in boottime realtime tai virtual; do
		says 0 "clock *$clock*all promises kept" \
			stats --self-test 400 --clock $clock || return
	done
}

# A clock that only its owner moves takes no time: an hour is over at once.
virtual_clock() {
	says 0 "*+3600000.000000 ms*never early" arm 1h --clock virtual &&
		says 0 "*never early" arm 1ms --period 1d --count 9 --clock virtual &&
		says 0 "*all promises kept" replay trace.csv --clock virtual
}

# A timer is due in a time that counts from where its program has moved the clock to.
virtual_clock_from_outside() {
	"$wheelctl" arm 1ms --period 1ms --clock virtual >/dev/null &
	owner=$! seen='' tries=0
	while [ -z "$seen" ] && kill -0 $owner && [ $((tries += 1)) -lt 3000 ]; do
		seen=$("$wheelctl" list --pid $owner --json 2>/dev/null | grep '"now": [1-9]')
	done
	kill $owner
	wait $owner
	[ -n "$seen" ]
}

missing_device() {
	says 1 "*the module is loaded: does this container lack*" \
		info --device /dev/nothing
}

bounded_self_tests() {
	says 2 "*delay of 172 ms *--buckets 262144 or --tick 680us" \
		stats --self-test 5 --scheme bounded --tick 1us &&
		says 0 "*all promises kept" stats --self-test 5 \
			--scheme bounded --tick 1us --buckets 262144 &&
		says 0 "*all promises kept" stats --self-test 5 \
			--scheme bounded --tick 680us
}

bounded_arms() {
	says 0 "*never early" arm 255ms --scheme bounded --count 5 &&
		says 2 "*DELAY 256ms *--buckets 512 or --tick 1100us" \
			arm 256ms --scheme bounded &&
		says 2 "*--period 2s *--buckets 2048 or --tick 7900us" \
			arm 1ms --period 2s --scheme bounded &&
		says 0 "*never early" arm 1ms --period 20ms --scheme bounded \
			--buckets 32 --count 3 --slack 1s
}

# Three timers, of which one is due in a minute; there are re-arms and cancels.
trace() {
	awk 'BEGIN {
		for (i = 0; i < 400; i++) {
			printf "%d,A,%d,%d\n", i * 1e6, i % 3, (i % 7) * 1e6
			if (i % 5 == 0)
				printf "%d,C,%d\n", i * 1e6, i % 3
		}
		printf "%d,A,2,60000000000\n", i * 1e6
	}' >trace.csv
}

replays() {
	for scheme in hashed hierarchical overflow; do
		says 0 "*all promises kept" \
			replay trace.csv --scheme $scheme || return
	done
	# On a busy host, too far behind the trace, no spoilt arm lives until it fires.
	says 3 "*PROMISE BROKEN: *wrong 1*" replay trace.csv --tamper 3 ||
		says 3 "*PROMISE BROKEN: *wrong 1*" replay trace.csv --tamper 3 --speed 0.1
}

# Timers are moved, cancelled and revived without a call, and events come without one.
replays_without_calls() {
	for scheme in hashed hierarchical; do
		says 0 "*touched * [1-9]*revived * [1-9]*all promises kept" \
			replay trace.csv --touch --scheme $scheme &&
			says 0 "*all promises kept" \
				replay trace.csv --ring --scheme $scheme || return
	done
	says 0 "*all promises kept" replay trace.csv --touch --ring &&
		says 0 "*all promises kept" replay trace.csv --touch --clock virtual &&
		says 0 "*all promises kept" \
			replay trace.csv --touch --ring --speed 1000 &&
		says 3 "*PROMISE BROKEN: *wrong *" replay trace.csv --touch --tamper 3
}

# Two timers are moved to one tick by their words, the second one first. The kernel sees
# the words when the old time comes, in the order armed: not before they are written.
replays_words_that_meet() {
	printf '%s\n' 0,A,1,1000000000 0,A,2,1000000000 \
		10000000,A,2,1190000000 10000100,A,1,1189999900 >meet.csv
	says 0 "*touched * 2*all promises kept" replay meet.csv --touch &&
		says 0 "*all promises kept" replay meet.csv
}

bounded_replays() {
	says 2 "*trace.csv's longest delay of 1.00 min *--buckets 65536 or --tick 240ms" \
		replay trace.csv --scheme bounded &&
		says 0 "*all promises kept" replay trace.csv \
			--scheme bounded --buckets 65536 &&
		says 0 "*all promises kept" replay trace.csv \
			--scheme bounded --tick 240ms &&
		says 3 "*PROMISE BROKEN: *wrong 1*" replay trace.csv \
			--scheme bounded --tick 240ms --tamper 400
}

# Nothing is due within 2 s of the trace, which nobody can be blamed for.
replays_with_a_long_tick() {
	says 0 "*fired 0 *all promises kept" replay trace.csv --tick 1h
}

interrupts() {
	interrupted INT 130 "interrupted: the timer, due in *, was cancelled" \
		arm 1h &&
		interrupted TERM 143 "interrupted: the timer, *, was cancelled" \
			arm 1h --period 1s --slack 1s &&
		interrupted INT 130 '*"interrupted": true,*"cancelled": 1,*' \
			arm 1h --json &&
		interrupted INT 130 '*promises kept, as far as it came' \
			replay trace.csv --speed 0.001
}

# holding COMMAND: with a wheel of a process that calls itself we"i\rd at hand, as $!.
holding() {
	ln -sf "$wheelctl" 'we"i\rd'
	./'we"i\rd' arm 1h >held 2>&1 &
	holder=$!
	pending $holder && "$@" $holder
	held=$?
	kill $holder || cat held
	wait $holder
	return $held
}

wheels_of_the_machine() {
	says 0 "process *fd command *capacity *pending
*$1 * we\"i\\\\rd *hierarchical *monotonic *1ms * 1 * 1" list &&
		says 0 '*"pid": '"$1"',*"command": "we\\"i\\\\rd",*' list --json &&
		says 0 '*process '"$1"' (we"i\\rd), descriptor *armed * 1 *' stats &&
		says 0 '*"pid": '"$1"',*"late_edges_ns": [[]0, 2, 4,*"p99.9": *' \
			stats --json
}

# Each line is a sample or tells of one; types stand once, before their samples.
in_prometheus_format() {
	"$wheelctl" stats --prometheus >metrics || return
	grep -q '^wheel_armed_total{pid="'"$1"'",fd="[0-9]*",command="we\\"i\\\\rd",clock="monotonic",scheme="hierarchical"} 1$' metrics || return
	grep -q '^wheel_tick_seconds{.*} 0.001000000$' metrics || return
	grep -q '^wheel_late_seconds_bucket{.*,le="0.000001023"} 0$' metrics || return
	grep -q '^# TYPE wheel_pending gauge$' metrics || return
	awk '/^# HELP / { next }
		/^# TYPE / { if ($3 in type) exit 1; type[$3] = $4; now = $3; next }
		!/^wheel_[a-z_]+([{]([a-z]+="([^"\\]|\\.)*",?)+[}])? [0-9.]+$/ { print; exit 1 }
		{ name = $1; sub(/[{].*/, "", name); sub(/_(bucket|count)$/, "", name)
			if (name != now) { print name, now; exit 1 } seen++ }
		END { if (seen < 15) exit 1 }' metrics
}

# A page that is whole, from its first word to its last, and hides no name's letters.
as_a_page() {
	"$wheelctl" stats --html >page || return
	[ "$(head -n 1 page)" = '<!doctype html>' ] &&
		[ "$(tail -n 1 page)" = '</body></html>' ] &&
		grep -q "^<section><h2>process $1 (we\"i\\\\rd), descriptor " page &&
		grep -q '<p>hierarchical, tick 1ms, monotonic clock, 704 buckets</p>' page &&
		grep -q '<p>1 of 1 timers</p>' page &&
		grep -q '<p>1 of 704; a column is [0-9]* buckets.</p>' page &&
		grep -q '<td>armed</td><td class="count">1</td>' page &&
		says 0 "*<h2>process $1 *" stats --html --pid "$1"
}

# A file on which nothing was called has no wheel yet, and gets none by our looking.
looks_configure_nothing() {
	wheels=$(grep -c '/dev/wheel' /sys/kernel/debug/wheel_timer/wheels)
	says 0 "*descriptor 3*armed * 0 *" stats --pid "$opened" --fd 3 &&
		says 0 "* $opened *3 sleep *hashed *" list &&
		says 0 "*(sleep), descriptor 3*" watch --pid "$opened" --interval 1ms &&
		says 0 "*0 timers on the monotonic clock" list --pid "$opened" &&
		says 0 "empty.csv: 0 timers saved" save empty.csv --pid "$opened" &&
		[ "$wheels" = "$(grep -c '/dev/wheel' /sys/kernel/debug/wheel_timer/wheels)" ]
}

# One picture where there is no terminal, and as many as are asked for.
watches() {
	says 0 "*process $1 (*pending *1 of 1 *armed/s 0 *nothing fired
buckets *1 of 704 hold timers*" watch --pid "$1" --interval 10ms &&
		"$wheelctl" watch --interval 1ms --count 3 >pictures &&
		[ "$(grep -c ^pending pictures)" -ge 3 ] &&
		COLUMNS=30 "$wheelctl" watch --interval 1ms >pictures &&
		! grep -q '^.\{31\}' pictures
}

# From one process to another, with what has not been set up yet; and not twice.
saves_and_restores() {
	says 0 "saved.csv: 1 timer saved" save saved.csv --pid "$1" &&
		says 0 "saved.csv: 1 timer restored" restore saved.csv --pid "$opened" &&
		"$wheelctl" list --pid "$1" | sed -n 4p | cut -c 1-40 >one &&
		"$wheelctl" list --pid "$opened" | sed -n 4p | cut -c 1-40 >other &&
		cmp one other && [ -s one ] &&
		says 1 "*1 of 1 timers were refused, *slot 0 and generation 1: its slot is in use*" \
			restore saved.csv --pid "$opened"
}

# at_date TEXT FORM COMMAND...: at a time to come that date writes so. On a busy machine it
# may have passed when it is read, which is refused: then a later one is asked for.
at_date() {
	text=$1 form=$2 status=0
	shift 2
	for ahead in 2 20 200; do
		date=$(date -d "@$(($(date +%s) + ahead))" "$form")
		said=$("$wheelctl" at "$date" -- "$@" 2>&1)
		got=$?
		[ $got = 2 ] || break
	done
	matches at "$date"
}

# A file that cannot be replaced is left as it is, and nothing beside it.
saves_all_or_nothing() {
	mkdir -p taken && says 1 "*taken: *irectory" save taken --pid "$1" &&
		[ "$(echo taken*)" = taken ]
}

# Files beside it are others', whatever they are called, and so is what a link leads to.
saves_beside_others() {
	echo precious >victim && ln -s victim beside.new && echo mine >beside.csv.new &&
		says 0 "beside: 1 timer saved" save beside --pid "$1" &&
		says 0 "beside.csv: 1 timer saved" save beside.csv --pid "$1" &&
		[ "$(cat victim beside.csv.new)" = "precious
mine" ]
}

# Neither a device, a pipe nor a link is replaced by a file; what the link leads to is.
saves_to_files_alone() {
	mkfifo pipe && says 2 "*pipe: not a regular file*" save pipe --pid "$1" && [ -p pipe ] &&
		echo old >linked && ln -s linked link &&
		says 0 "link: 1 timer saved" save link --pid "$1" && [ -L link ] &&
		grep -q '^end,1,' linked
}

# On a busy machine starts may be left out, which is said on stderr.
runs_commands() {
	[ "$("$wheelctl" every 10ms --count 3 -- echo once 2>/dev/null)" = "once
once
once" ] &&
		says 0 "soon and late" at +20ms -- echo soon "and late" &&
		at_date "now" '+@%s' echo now &&
		at_date "*$(date +%Y)*" '+%F %T' date &&
		says 3 "wheelctl: sh: ended with status 3" at +1ms -- sh -c 'exit 3' &&
		says 137 "wheelctl: sh: ended by signal 9" at +1ms -- sh -c 'kill -9 $$' &&
		says 127 "wheelctl: /none: No such file*" at +1ms -- /none
}

# Two that are due often beside one that is not.
runs_a_file_of_jobs() {
	cat >jobs.txt <<-'END'
		# one wheel for all
		every 10ms echo a
		every 20ms  echo "b $((1 + 1))"
		at +1ms     sleep 0.1; echo c
	END
	"$wheelctl" run jobs.txt --count 4 >said || return
	[ "$(grep -cx a said)" = 4 ] && [ "$(grep -cx 'b 2' said)" = 4 ] &&
		[ "$(grep -cx c said)" = 1 ]
}

# A slow one is not started twice: it runs until that was said.
leaves_out_what_runs() {
	status=0 text="*sh: it still runs, so it is not started*"
	"$wheelctl" every 20ms --count 2 -- \
		sh -c 'until grep -q "still runs" late; do :; done' 2>late
	got=$? said=$(cat late)
	matches every 20ms
}

# After a signal what runs is waited for, and nothing else is begun. It runs until the
# signal was sent.
stops_running() {
	"$wheelctl" every 10ms -- \
		sh -c 'echo begun >>begun; until [ -e told ]; do :; done; echo ended >>begun' &
	until [ -s begun ]; do kill -0 $! || return; done
	kill $! && touch told
	wait $!
	[ $? = 143 ] && [ "$(cat begun)" = "begun
ended" ]
}

# clock_set TIME PATTERN ARGUMENT...: once it is armed the clock is set, and its output is
# like the pattern.
clock_set() {
	to=$1 pattern=$2
	shift 2
	"$wheelctl" "$@" >said 2>&1 &
	pending $! || return
	date -s "$to" >/dev/null
	wait $!
	grep -qx "$pattern" said || { cat said; return 1; }
}

# A clock that is set back is followed by all that comes again and again: by a crontab's
# fields, and by a period beside these.
follows_the_clock() {
	begun=$(date '+%F %T')
	date -s '2030-05-05 12:01:10' >/dev/null
	clock_set '2030-05-05 11:30:58' '11:.*' at '* * * * *' --count 1 -- date +%H:%M
	followed=$?
	printf '%s\n' 'every 1s date +%H' '0 0 1 1 * true' >jobs.txt
	"$wheelctl" run jobs.txt >said 2>&1 &
	until grep -qx 11 said; do kill -0 $! || return; done
	date -s '2030-05-05 09:00:00' >/dev/null
	until grep -qx 09 said; do kill -0 $! || return; done
	kill $!
	wait $!
	date -s "$begun" >/dev/null
	return $followed
}

# Its output goes nowhere: it must not go on for ever.
full_disk() {
	for form in "" --json; do
		# shellcheck disable=SC2086 # no word when there is none
		said=$("$wheelctl" arm 1ms --period 1ms $form 2>&1 >/dev/full)
		[ $? = 1 ] || return
		[ "$said" = "wheelctl: cannot write the answer to stdout" ] ||
			return
	done
}

no_privilege() {
	chmod 666 /dev/wheel
	said=$(su -s /bin/sh nobody -c "$wheelctl arm 1ms --tick 49us" 2>&1)
	got=$?
	chmod 600 /dev/wheel
	status=1 text="*not permitted (*CAP_SYS_RESOURCE*ask for 50us)"
	matches as nobody
}

ends_of_time() {
	says 2 "*DELAY 9223372036854775807ns: the clock ends in 292 y" \
		arm 9223372036854775807ns &&
		interrupted INT 130 "*nothing fires for 292 y*due in 292 y, was cancelled" \
			arm 1ms --tick 106751d
}

# A wheel takes no times of a clock that is not its own; it says so, and breaks no
# promise.
time_namespace() {
	echo "0,A,0,1000" >one.csv
	for what in "arm 1ms" "stats --self-test 5" "replay one.csv"; do
		# shellcheck disable=SC2086 # words
		said=$(./shifted "$wheelctl" $what 2>&1)
		got=$? status=1 text="*not supported (*time namespace*)"
		matches "$what" || return
	done
}

# It was begun before all others, and is due when a tick ends.
long_tick() {
	cat long
	[ "$long_status" = 0 ] && grep -q "never early" long
}

plan 36
leaf module_loads insmod wheel_timer.ko
"$wheelctl" arm 1ms --tick 30s >long 2>&1 &
long=$!
trace
leaf info says 0 "A wheel by default:*schemes *bounded*kept timers yes*" info
leaf self_tests self_tests
leaf virtual_clock virtual_clock
leaf virtual_clock_from_outside virtual_clock_from_outside
leaf missing_device missing_device
leaf bounded_self_tests bounded_self_tests
leaf bounded_arms bounded_arms
leaf overflow_timers says 2 "*5,000 timers *4,096 *--scheme" \
	stats --self-test 5000 --scheme overflow
leaf replays replays
leaf replays_without_calls replays_without_calls
leaf replays_words_that_meet replays_words_that_meet
leaf bounded_replays bounded_replays
leaf replays_with_a_long_tick replays_with_a_long_tick
leaf interrupts interrupts
leaf wheels_of_the_machine holding wheels_of_the_machine
leaf in_prometheus_format holding in_prometheus_format
leaf as_a_page holding as_a_page
leaf watches holding watches
leaf saves_and_restores holding opening saves_and_restores
leaf saves_all_or_nothing holding saves_all_or_nothing
leaf saves_to_files_alone holding saves_to_files_alone
leaf saves_beside_others holding saves_beside_others
leaf runs_commands runs_commands
leaf runs_a_file_of_jobs runs_a_file_of_jobs
leaf leaves_out_what_runs leaves_out_what_runs
leaf stops_running stops_running
leaf follows_the_clock follows_the_clock
leaf full_disk full_disk
leaf no_privilege no_privilege
leaf ends_of_time ends_of_time
leaf time_namespace time_namespace
wait "$long"
long_status=$?
leaf long_tick long_tick
# It counts the wheels there are: nobody else's may come or go meanwhile.
leaf looks_configure_nothing opening looks_configure_nothing
leaf nobody_holds_a_wheel says 0 "no wheels" list
leaf module_unloads rmmod wheel_timer
