# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154 # the sourcing script sets $release
# Functions for a bare Debian on which DKMS builds the module. Source this file.

# shellcheck source=tests/vm/guest/ktap.sh
. "$(dirname "$0")/ktap.sh"

export DEBIAN_FRONTEND=noninteractive INITRD=No

get() {
	apt-get -q install -y --no-install-recommends "$@"
}

machine_of_dkms() {
	apt-get -q update && get "linux-headers-$release" dkms gcc kmod xz-utils
}

# dkms_has VERSION: DKMS has this version and no other, for the installed headers.
dkms_has() {
	dkms status
	[ "$(modinfo -k "$release" -F version wheel_timer)" = "$1" ] &&
		modinfo -k "$release" sch_wheel &&
		[ "$(dkms status -m wheel_timer | wc -l)" = 1 ] &&
		dkms status "wheel_timer/$1" | grep "$release.*: installed"
}
