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

# What it prints goes nowhere: it must not go on for ever.
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

plan 18
leaf module_loads insmod wheel_timer.ko
"$wheelctl" arm 1ms --tick 30s >long 2>&1 &
long=$!
trace
leaf info says 0 "A wheel by default:*schemes *bounded*" info
leaf self_tests self_tests
leaf virtual_clock virtual_clock
leaf missing_device missing_device
leaf bounded_self_tests bounded_self_tests
leaf bounded_arms bounded_arms
leaf overflow_timers says 2 "*5,000 timers *4,096 *--scheme" \
	stats --self-test 5000 --scheme overflow
leaf replays replays
leaf bounded_replays bounded_replays
leaf replays_with_a_long_tick replays_with_a_long_tick
leaf interrupts interrupts
leaf full_disk full_disk
leaf no_privilege no_privilege
leaf ends_of_time ends_of_time
leaf time_namespace time_namespace
wait "$long"
long_status=$?
leaf long_tick long_tick
leaf module_unloads rmmod wheel_timer
