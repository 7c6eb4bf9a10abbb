#!/bin/sh
# SPDX-License-Identifier: MIT
# device.sh: test wheelctl and replay on a device, as root in a guest. Prints KTAP.
# shellcheck source=tests/vm/guest/ktap.sh
. ./ktap.sh
# shellcheck source=tools/replay/test/device.sh
. ./replay.sh

# matches COMMAND...: checks the exit status $got and the output $printed of a command
# against $status and the pattern $text.
matches() {
	# shellcheck disable=SC2254 # $text is a pattern
	case $got-$printed in
	$status-$text) return 0 ;;
	esac
	echo "$*: exit status $got"
	echo "$printed"
	return 1
}

# expects STATUS TEXT COMMAND...: the command exits with STATUS and prints this pattern.
expects() {
	status=$1 text=$2
	shift 2
	printed=$("$@" 2>&1)
	got=$?
	matches "$@"
}

# pending PID: waits until a wheel of the process has a pending timer.
pending() {
	until ./wheelctl list --pid "$1" 2>/dev/null | grep -q '^1 timer '; do
		kill -0 "$1" || return
	done
}

# in_background SIGNAL STATUS TEXT COMMAND...: sends a signal to the command when its timer is
# pending, and checks its status and output.
in_background() {
	signal=$1 status=$2 text=$3
	shift 3
	"$@" >printed 2>&1 &
	pending $! && kill -s "$signal" $!
	wait $!
	got=$? printed=$(cat printed)
	matches "$@"
}

# with_unused_file COMMAND...: runs the command while process $opened holds a file on which no
# call was made, as descriptor 3. The shell opens the file before it executes sleep.
with_unused_file() {
	sleep 1000 3<>/dev/wheel &
	opened=$!
	until [ "$(cat /proc/$opened/comm)" = sleep ]; do
		kill -0 $opened || return
	done
	"$@"
	returned=$?
	kill $opened
	wait $opened 2>/dev/null
	return $returned
}

# with_wheel COMMAND: runs the command, with the pid as its argument, while a process named
# we"i\rd holds a wheel with one timer.
with_wheel() {
	ln -sf ./wheelctl 'we"i\rd'
	./'we"i\rd' arm 1h >held 2>&1 &
	holder=$!
	pending $holder && "$@" $holder
	returned=$?
	kill $holder || cat held
	wait $holder
	return $returned
}

# A virtual clock takes no time: a timer expires at once after an hour.
virtual_clock_is_advanced() {
	expects 0 "*+3600000.000000 ms*never early" ./wheelctl arm 1h --clock virtual &&
		expects 0 "*never early" \
			./wheelctl arm 1ms --period 1d --count 9 --clock virtual
}

# The current time of a virtual clock is the time to which its program has moved it.
virtual_clock_of_another_process_is_read() {
	./wheelctl arm 1ms --period 1ms --clock virtual >/dev/null &
	owner=$! seen='' tries=0
	while [ -z "$seen" ] && kill -0 $owner && [ $((tries += 1)) -lt 3000 ]; do
		seen=$(./wheelctl list --pid $owner --json 2>/dev/null | grep '"now": [1-9]')
	done
	kill $owner
	wait $owner
	[ -n "$seen" ]
}

bounded_wheel_limits_delays() {
	expects 0 "*never early" ./wheelctl arm 255ms --scheme bounded --count 5 &&
		expects 2 "*DELAY 256ms *--buckets 512 or --tick 1100us" \
			./wheelctl arm 256ms --scheme bounded &&
		expects 2 "*--period 2s *--buckets 2048 or --tick 7900us" \
			./wheelctl arm 1ms --period 2s --scheme bounded &&
		expects 0 "*never early" ./wheelctl arm 1ms --period 20ms --scheme bounded \
			--buckets 32 --count 3 --slack 1s
}

arm_can_be_interrupted() {
	in_background INT 130 "interrupted: the timer, due in *, was cancelled" \
		./wheelctl arm 1h &&
		in_background TERM 143 "interrupted: the timer, *, was cancelled" \
			./wheelctl arm 1h --period 1s --slack 1s &&
		in_background INT 130 '*"interrupted": true,*"cancelled": 1,*' \
			./wheelctl arm 1h --json
}

wheels_are_listed() {
	expects 0 "process *fd user *command *capacity *pending * next in * kB
*$1 * root *we\"i\\\\rd *hierarchical *monotonic *1ms * 1 * 1 *h *[1-9]*" ./wheelctl list &&
		expects 0 '*"pid": '"$1"',*"command": "we\\"i\\\\rd",*' ./wheelctl list --json &&
		expects 0 '*process '"$1"' (we"i\\rd), descriptor *armed * 1 *' \
			./wheelctl stats &&
		expects 0 '*"pid": '"$1"',*"late_edges_ns": [[]0, 2, 4,*"p99.9": *' \
			./wheelctl stats --json
}

# The table is sorted and filtered, and shows rates. Each line of another program is left out.
wheels_are_selected_and_sorted() {
	expects 0 "*armed/s *
*$1 * we\"i\\\\rd * 1 * 0 *h *[1-9]*" ./wheelctl list --command 'we"i\rd' --interval 10ms &&
		[ "$(printf '%s\n' "$printed" | grep -c ms)" = 1 ] &&
		expects 0 "no wheels" ./wheelctl list --user nobody &&
		expects 0 "*$1 *" ./wheelctl list --user root --sort next &&
		expects 0 '*"user": "root",*"memory_bytes": [1-9]*"armed_per_second": 0,*"next_in_ns": [1-9]*' \
			./wheelctl list --json --interval 10ms --sort rate --command 'we"i\rd' &&
		for key in user command pending memory; do
			expects 0 "*$1 *" ./wheelctl list --sort $key || return
		done
}

# The wheels of a module have no process.
wheels_of_modules_are_listed() {
	insmod wheel_request.ko || return
	expects 0 "*- *- kernel *requests *hierarchical *" ./wheelctl list &&
		expects 0 "*kernel module's wheel [0-9]* (requests)*armed * 2 *" ./wheelctl stats &&
		expects 0 "*kernel module's wheel [0-9]* (requests): *" \
			./wheelctl watch --interval 1ms &&
		expects 0 '*wheel_armed_total{user="kernel",command="requests"} 2*' \
			./wheelctl stats --prometheus
	returned=$?
	rmmod wheel_request
	return $returned
}

# A user sees the memory and its limit: in fdinfo, in the table, and if an arm exceeds it.
memory_and_its_limit_are_shown() {
	chmod 666 /dev/wheel
	limit=/sys/module/wheel_timer/parameters/user_kb
	echo 4096 >$limit
	su -s /bin/sh nobody -c "ulimit -l 0; exec ./wheelctl arm 1h" >held 2>&1 &
	user=$!
	pending $user &&
		expects 0 "*memory * kB; all wheels of user nobody: * of 4,096 kB*" \
			./wheelctl stats --pid $user &&
		expects 0 "*$user *nobody *
memory of user nobody: [1-9]* of 4,096 kB" ./wheelctl list --user nobody &&
		expects 0 '*wheel_user_memory_limit_bytes{user="nobody"} 4194304*' \
			./wheelctl stats --prometheus
	returned=$?
	echo 4 >$limit
	[ $returned != 0 ] || expects 1 "*: [1-9]* of 4 kB are in use*" \
		su -s /bin/sh nobody -c "ulimit -l 0; ./wheelctl arm 1ms"
	returned=$?
	kill $user || cat held
	wait $user
	echo 0 >$limit
	chmod 600 /dev/wheel
	return $returned
}

# By default, the samples are totals per program, so that their number is limited. Wheels are
# details, which differ in their labels.
prometheus_totals_are_limited() {
	./wheelctl stats --prometheus >before || return
	(with_wheel prometheus_totals_of_two)
}

prometheus_totals_of_two() {
	./wheelctl stats --prometheus >metrics || return
	[ "$(grep -vc '^wheel_' before)" = "$(grep -vc '^wheel_' metrics)" ] &&
		[ "$(wc -l <before)" = "$(wc -l <metrics)" ] &&
		grep -q '^wheel_open{user="root",command="we\\"i\\\\rd"} 2$' metrics &&
		grep -q '^wheel_armed_total{user="root",command="we\\"i\\\\rd"} 2$' metrics &&
		grep -q '^wheel_capacity{user="root",command="we\\"i\\\\rd"} 2$' metrics &&
		grep -q '^wheel_memory_bytes{user="root",command="we\\"i\\\\rd"} [1-9]' metrics
}

# Each line is valid, and the type of a metric precedes all of its samples.
prometheus_format_is_valid() {
	./wheelctl stats --prometheus --details >metrics || return
	grep -q '^wheel_armed_total{user="root",command="we\\"i\\\\rd",pid="'"$1"'",fd="[0-9]*",clock="monotonic",scheme="hierarchical"} 1$' metrics || return
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

html_page_is_complete() {
	./wheelctl stats --html >page || return
	[ "$(head -n 1 page)" = '<!doctype html>' ] &&
		[ "$(tail -n 1 page)" = '</body></html>' ] &&
		grep -q "^<section><h2>process $1 (we\"i\\\\rd), descriptor " page &&
		grep -q '<p>hierarchical, tick 1ms, monotonic clock, 704 buckets</p>' page &&
		grep -q '<p>1 of 1 timers</p>' page &&
		grep -q '<p>1 of 704; each column shows [0-9]* buckets.</p>' page &&
		grep -q '<td>armed</td><td class="count">1</td>' page &&
		expects 0 "*<h2>process $1 *" ./wheelctl stats --html --pid "$1"
}

# A file on which no call was made has no wheel, and no command sets one up.
commands_set_up_no_wheel() {
	wheels=$(grep -c '/dev/wheel' /sys/kernel/debug/wheel_timer/wheels)
	expects 0 "*descriptor 3*armed * 0 *" ./wheelctl stats --pid "$opened" --fd 3 &&
		expects 0 "* $opened *3 root *sleep *hashed *" ./wheelctl list &&
		expects 0 "*(sleep), descriptor 3*" \
			./wheelctl watch --pid "$opened" --interval 1ms &&
		expects 0 "*0 timers on the monotonic clock" ./wheelctl list --pid "$opened" &&
		expects 0 "empty.csv: 0 timers saved" ./wheelctl save empty.csv --pid "$opened" &&
		[ "$wheels" = "$(grep -c '/dev/wheel' /sys/kernel/debug/wheel_timer/wheels)" ]
}

# Without a terminal, watch prints the requested number of pictures.
watch_prints_pictures() {
	expects 0 "*process $1 (*pending *1 of 1 *armed/s 0 *no timer expired
buckets *1 of 704 hold timers*" ./wheelctl watch --pid "$1" --interval 10ms &&
		./wheelctl watch --interval 1ms --count 3 >pictures &&
		[ "$(grep -c ^pending pictures)" -ge 3 ] &&
		COLUMNS=30 ./wheelctl watch --interval 1ms >pictures &&
		! grep -q '^.\{31\}' pictures
}

# A timer is copied to a wheel that was not set up. It cannot be copied twice.
timers_are_saved_and_restored() {
	expects 0 "saved.csv: 1 timer saved" ./wheelctl save saved.csv --pid "$1" &&
		expects 0 "saved.csv: 1 timer restored" \
			./wheelctl restore saved.csv --pid "$opened" &&
		./wheelctl list --pid "$1" | sed -n 4p | cut -c 1-40 >one &&
		./wheelctl list --pid "$opened" | sed -n 4p | cut -c 1-40 >other &&
		cmp one other && [ -s one ] &&
		expects 1 "*1 of 1 timers were rejected, *slot 0 and generation 1: its slot is in use*" \
			./wheelctl restore saved.csv --pid "$opened"
}

# A directory is not replaced, and no temporary file remains.
failed_save_leaves_no_file() {
	mkdir -p taken && expects 1 "*taken: *irectory" ./wheelctl save taken --pid "$1" &&
		[ "$(echo taken*)" = taken ]
}

# Existing files and links with the name of a temporary file are preserved.
save_preserves_other_files() {
	echo precious >victim && ln -s victim next.new && echo mine >next.csv.new &&
		expects 0 "next: 1 timer saved" ./wheelctl save next --pid "$1" &&
		expects 0 "next.csv: 1 timer saved" ./wheelctl save next.csv --pid "$1" &&
		[ "$(cat victim next.csv.new)" = "precious
mine" ]
}

# A pipe is not replaced; a link is followed.
save_replaces_only_regular_files() {
	mkfifo pipe &&
		expects 2 "*pipe: not a regular file*" ./wheelctl save pipe --pid "$1" &&
		[ -p pipe ] && echo old >linked && ln -s linked link &&
		expects 0 "link: 1 timer saved" ./wheelctl save link --pid "$1" && [ -L link ] &&
		grep -q '^end,1,' linked
}

# If stdout fails, a command with unlimited output must exit.
failed_output_ends_arm() {
	for form in "" --json; do
		# shellcheck disable=SC2086 # an empty string is no word
		printed=$(./wheelctl arm 1ms --period 1ms $form 2>&1 >/dev/full)
		[ $? = 1 ] && [ "$printed" = "wheelctl: cannot write to stdout" ] || return
	done
}

short_tick_requires_privilege() {
	chmod 666 /dev/wheel
	printed=$(su -s /bin/sh nobody -c "./wheelctl arm 1ms --tick 49us" 2>&1)
	got=$?
	chmod 600 /dev/wheel
	status=1 text="*not permitted (*CAP_SYS_RESOURCE*use 50us)"
	matches su nobody
}

end_of_the_clock_is_reported() {
	expects 2 "*DELAY 9223372036854775807ns: the clock ends in 292 y" \
		./wheelctl arm 9223372036854775807ns &&
		in_background INT 130 "*expires at the end of the tick, in 292 y*due in 292 y, was cancelled" \
			./wheelctl arm 1ms --tick 106751d
}

# In a time namespace, the clock of a wheel is that of the program.
time_namespace_is_supported() {
	for command in "./wheelctl arm 1ms" "./replay --self-test 5"; do
		# shellcheck disable=SC2086 # several words
		expects 0 "*" ./shifted $command || return
	done
}

# This timer was armed before all tests, and expires at the end of its tick.
long_tick_is_awaited() {
	cat long
	[ "$long_status" = 0 ] && grep -q "never early" long
}

plan 36
leaf module_loads insmod wheel_timer.ko
./wheelctl arm 1ms --tick 30s >long 2>&1 &
long=$!
make_trace
leaf info_shows_features expects 0 \
	"Default configuration*schemes *bounded*words * yes*" ./wheelctl info
leaf missing_device_is_explained expects 1 \
	"*the module is loaded: does this container lack*" ./wheelctl info --device /dev/nothing
leaf virtual_clock_is_advanced virtual_clock_is_advanced
leaf virtual_clock_of_another_process_is_read virtual_clock_of_another_process_is_read
leaf bounded_wheel_limits_delays bounded_wheel_limits_delays
leaf arm_can_be_interrupted arm_can_be_interrupted
leaf wheels_are_listed with_wheel wheels_are_listed
leaf wheels_are_selected_and_sorted with_wheel wheels_are_selected_and_sorted
leaf wheels_of_modules_are_listed wheels_of_modules_are_listed
leaf memory_and_its_limit_are_shown memory_and_its_limit_are_shown
leaf prometheus_totals_are_limited with_wheel prometheus_totals_are_limited
leaf prometheus_format_is_valid with_wheel prometheus_format_is_valid
leaf html_page_is_complete with_wheel html_page_is_complete
leaf watch_prints_pictures with_wheel watch_prints_pictures
leaf timers_are_saved_and_restored with_wheel with_unused_file timers_are_saved_and_restored
leaf failed_save_leaves_no_file with_wheel failed_save_leaves_no_file
leaf save_replaces_only_regular_files with_wheel save_replaces_only_regular_files
leaf save_preserves_other_files with_wheel save_preserves_other_files
leaf failed_output_ends_arm failed_output_ends_arm
leaf short_tick_requires_privilege short_tick_requires_privilege
leaf end_of_the_clock_is_reported end_of_the_clock_is_reported
leaf time_namespace_is_supported time_namespace_is_supported
leaf self_tests_pass self_tests_pass
leaf bounded_self_tests_pass bounded_self_tests_pass
leaf overflow_wheel_limits_timers expects 2 "*5,000 timers *256 *--scheme" \
	./replay --self-test 5000 --scheme overflow
leaf traces_pass_and_tampering_is_detected traces_pass_and_tampering_is_detected
leaf traces_pass_without_system_calls traces_pass_without_system_calls
leaf timers_can_be_moved_to_one_tick timers_can_be_moved_to_one_tick
leaf bounded_traces_pass bounded_traces_pass
leaf long_ticks_are_not_awaited long_ticks_are_not_awaited
leaf replays_can_be_interrupted replays_can_be_interrupted
wait "$long"
long_status=$?
leaf long_tick_is_awaited long_tick_is_awaited
# The next two tests count all wheels, so no other test may run.
leaf commands_set_up_no_wheel with_unused_file commands_set_up_no_wheel
leaf no_wheel_is_left expects 0 "no wheels" ./wheelctl list
leaf module_unloads rmmod wheel_timer
