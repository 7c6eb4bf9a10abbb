#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A wheel that somebody keeps has its timers still when its program comes back.
# shellcheck source=tests/vm/guest/ktap.sh
. ./ktap.sh

# Each fires once, of the first life, and is read in the second.
timers_survive_the_program() {
	./manager ./keep 50 1500 200 >said || return
	cat said
	read -r first second <said
	for slot in 0 2 1; do
		echo "timer $slot of process $first fired, read by process $second"
	done >expected
	sed 1d said | diff expected -
}

# Without a manager it is a program like any other.
program_ends_alone() {
	./keep 20 >said && grep "^timer 0 " said
}

plan 3
leaf module_loads insmod wheel_timer.ko
leaf timers_survive_the_program timers_survive_the_program
leaf program_ends_alone program_ends_alone
