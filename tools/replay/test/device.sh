# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Tests of replay on a device, as root in a guest. Sourced by wheelctl's device.sh, which
# defines expects, in_background and matches.

# Make a trace with re-arms and cancels of three timers, one of which is due in a minute.
make_trace() {
	awk 'BEGIN {
		for (i = 0; i < 400; i++) {
			printf "%d,A,%d,%d\n", i * 1e6, i % 3, (i % 7) * 1e6
			if (i % 5 == 0)
				printf "%d,C,%d\n", i * 1e6, i % 3
		}
		printf "%d,A,2,60000000000\n", i * 1e6
	}' >trace.csv
}

# Test each scheme with ticks from the shortest to one longer than all delays, and each clock.
self_tests_pass() {
	for tick in 1ns 50us 1ms 300ms; do
		for scheme in hashed hierarchical overflow; do
			expects 0 "*all guarantees kept" ./replay --self-test 200 \
				--scheme $scheme --tick $tick || return
		done
	done
	for clock in boottime realtime tai virtual; do
		expects 0 "*clock $clock*all guarantees kept" \
			./replay --self-test 400 --clock $clock || return
	done
}

bounded_self_tests_pass() {
	expects 2 "*delay of * *--buckets 262144 or --tick *" \
		./replay --self-test 5 --scheme bounded --tick 1us &&
		expects 0 "*all guarantees kept" ./replay --self-test 5 \
			--scheme bounded --tick 1us --buckets 262144 &&
		expects 0 "*all guarantees kept" ./replay --self-test 5 \
			--scheme bounded --tick 800us
}

# If the machine is busy, each changed timer may be re-armed before it fires: replay slowly.
traces_pass_and_tampering_is_detected() {
	for scheme in hashed hierarchical overflow; do
		expects 0 "*all guarantees kept" ./replay trace.csv --scheme $scheme || return
	done
	expects 0 "*all guarantees kept" ./replay trace.csv --clock virtual || return
	expects 3 "*GUARANTEE BROKEN: *wrong 1*" ./replay trace.csv --tamper 3 ||
		expects 3 "*GUARANTEE BROKEN: *wrong 1*" ./replay trace.csv --tamper 3 --speed 0.1
}

traces_pass_without_system_calls() {
	for scheme in hashed hierarchical; do
		expects 0 "*exchanged * [1-9]*all guarantees kept" \
			./replay trace.csv --words --scheme $scheme &&
			expects 0 "*all guarantees kept" \
				./replay trace.csv --ring --scheme $scheme || return
	done
	expects 0 "*all guarantees kept" ./replay trace.csv --words --ring &&
		expects 0 "*all guarantees kept" ./replay trace.csv --words --clock virtual &&
		expects 0 "*all guarantees kept" ./replay trace.csv --words --ring --speed 1000 &&
		expects 3 "*GUARANTEE BROKEN: *wrong *" ./replay trace.csv --words --tamper 3
}

# Two words are moved to the same tick, the second timer first. The kernel detects this at
# the old deadline, in the order of arming.
timers_can_be_moved_to_one_tick() {
	printf '%s\n' 0,A,1,1000000000 0,A,2,1000000000 \
		10000000,A,2,1190000000 10000100,A,1,1189999900 >meet.csv
	expects 0 "*exchanged * 2*all guarantees kept" ./replay meet.csv --words &&
		expects 0 "*all guarantees kept" ./replay meet.csv
}

bounded_traces_pass() {
	expects 2 "*trace.csv's longest delay of 1.00 min *--buckets 65536 or --tick 240ms" \
		./replay trace.csv --scheme bounded &&
		expects 0 "*all guarantees kept" ./replay trace.csv \
			--scheme bounded --buckets 65536 &&
		expects 0 "*all guarantees kept" ./replay trace.csv \
			--scheme bounded --tick 240ms &&
		expects 3 "*GUARANTEE BROKEN: *wrong 1*" ./replay trace.csv \
			--scheme bounded --tick 240ms --tamper 400
}

# No timer is due within 2 s after the trace.
long_ticks_are_not_awaited() {
	expects 0 "*fired  * 0*all guarantees kept" ./replay trace.csv --tick 1h
}

replays_can_be_interrupted() {
	in_background INT 130 '*interrupted; no guarantee broken so far' \
		./replay trace.csv --speed 0.001
}
