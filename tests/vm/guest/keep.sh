#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A wheel that a service manager keeps still has its timers after its program has restarted.
# shellcheck source=tests/vm/guest/ktap.sh
. ./ktap.sh

# Each timer of the first process expires once, and the second process reads its event.
timers_survive_the_program() {
	./manager ./keep 50 1500 200 >said || return
	cat said
	read -r first second <said
	for slot in 0 2 1; do
		echo "timer $slot of process $first fired, read by process $second"
	done >expected
	sed 1d said | diff expected -
}

# Without a manager, the program ends normally.
program_ends_alone() {
	./keep 20 >said && grep "^timer 0 " said
}

plan 3
leaf module_loads insmod wheel_timer.ko
leaf timers_survive_the_program timers_survive_the_program
leaf program_ends_alone program_ends_alone
