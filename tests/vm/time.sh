# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # used by the scripts that source this file
# A limit on the time that a test may take must not depend on the load of the machine. Its own
# time advances like the clock while the machine has an idle processor. If more tasks are
# runnable than there are processors, it advances by the test's share of a processor. Source it.

proc=${WHEEL_PROC:-/proc}
processors=$(nproc)

# Start to count: set $own to 0.
begin_time() {
	own=0
	[ -p "$scratch/never" ] || mkfifo "$scratch/never"
	read_clock
	before=$now
}

# Set $now to the uptime in hundredths of a second.
read_clock() {
	read -r now _ <"$proc/uptime"
	now=$((10#${now/./}))
}

# Wait for a second. Add the own time since the last call, in hundredths, to $own. Set $step to it.
count_time() {
	local tasks runnable

	# A process for sleep would outlive a script that is killed.
	read -rt "${WHEEL_PAUSE-1}" <>"$scratch/never" || :
	read_clock
	read -r _ _ _ tasks _ <"$proc/loadavg"
	runnable=${tasks%/*}
	((runnable > processors)) || runnable=$processors
	step=$(((now - before) * processors / runnable))
	own=$((own + step))
	before=$now
}
