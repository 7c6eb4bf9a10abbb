# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Functions for a guest with Secure Boot, with mokutil and its libraries. Source this file.

# shellcheck source=tests/vm/guest/ktap.sh
. ./ktap.sh

mokutil() {
	./lib/ld-linux-x86-64.so.2 --library-path lib ./mokutil "$@"
}

# variables: where the firmware keeps its own.
variables() {
	insmod efivarfs.ko && mount -t efivarfs efivarfs /sys/firmware/efi/efivars
}

secure_boot_is_on() {
	mokutil --sb-state | grep -x 'SecureBoot enabled'
}

# is_refused MODULE REASON: the message of insmod is general; the kernel's log contains the reason.
is_refused() {
	! insmod "$1" 2>/tmp/said || return
	cat /tmp/said
	grep 'Key was rejected by service' /tmp/said && dmesg | grep "Loading of $2 is rejected"
}
