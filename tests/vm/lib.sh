# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for those who source this
# Every script of the harness shares this. Source it; it runs nothing.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

# Kernels are dear to fetch and to build: they outlive the checkout.
cache=${WHEEL_CACHE:-${XDG_CACHE_HOME:-~/.cache}/wheel_timer}

# The make that called us has its options and variables; ours are other makes.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL

say() { printf '%s\n' "$*" >&2; }

die() {
	say "${0##*/}: $*"
	exit 1
}

# skip REASON: ends the script, and by its status all that called it, for what it needs
# cannot be had here. The reason stands in the file $WHEEL_REASON, for the table.
skip() {
	say "${0##*/}: $*"
	[ -z "${WHEEL_REASON-}" ] || printf '%s\n' "$*" >"$WHEEL_REASON"
	exit 4
}

# compile_for KERNEL: from here on for its processor, kernel's makes, too.
compile_for() {
	local compiler

	[[ $1 == *arm64* ]] || return 0
	compiler=$("$here/cross")/usr
	export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- PATH=$compiler/bin:$PATH \
		LD_LIBRARY_PATH=$compiler/lib/x86_64-linux-gnu
}

# make_in FOLDER ARGUMENT...: makes something in a folder of the project; one such make at
# a time, for rungs that run side by side want the same.
make_in() {
	flock "$top" make -s -C "$top/$1" "${@:2}"
}

# copy_project FOLDER: the sources as they are now, into a new folder.
copy_project() {
	mkdir "$1"
	flock "$top" tar -C "$top" -c --exclude=build --exclude=./.git . | tar -x -C "$1"
}

# built: all that a rung needs is built, and its tests would begin. With
# WHEEL_BUILD_ONLY set it ends here.
built() {
	[ -z "${WHEEL_BUILD_ONLY-}" ] || exit 0
}

# Sets $scratch: a folder of our own that is gone when the script ends.
make_scratch() {
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/wheel.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
}

# lock PATH: until the script ends, nobody else makes what will be there.
lock() {
	mkdir -p "${1%/*}"
	exec 9>"$1.lock"
	flock -n 9 || { say "waiting for another run that makes $1"; flock 9; }
}

# room_for MEGABYTES WHAT: before it is begun, there is room for it in the cache.
room_for() {
	local free

	free=$(df -m --output=avail "$cache" | tail -n 1)
	((free >= $1)) ||
		skip "$2 needs $1 MB, $cache has $((free)): make room, or name another place by WHEEL_CACHE="
}

# alone NAME COMMAND...: runs it while no other run of ours does what has this name.
alone() (
	mkdir -p "$cache"
	exec 8>"$cache/$1.lock"
	flock 8
	"${@:2}" 8>&-
)

# Runs a command as root, if we may: as root, or by a sudo that does not ask.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif sudo -n true 2>/dev/null; then
		sudo -n "$@"
	else
		return 126
	fi
}
