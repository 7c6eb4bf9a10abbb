# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # used by the scripts that source this file
# Functions shared by all scripts of the test harness. Source this file; it runs no command.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)

# Kernels are expensive to download and to build. The cache is kept when a checkout is removed.
cache=${WHEEL_CACHE:-${XDG_CACHE_HOME:-~/.cache}/wheel_timer}

# Do not pass the options and variables of the calling make to the makes started here.
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL

say() { printf '%s\n' "$*" >&2; }

die() {
	say "${0##*/}: $*"
	exit 1
}

# skip REASON: exit with status 4 because a requirement is not available on this machine. The
# callers exit with the same status. The table of results reads REASON from $WHEEL_REASON.
skip() {
	say "${0##*/}: $*"
	[ -z "${WHEEL_REASON-}" ] || printf '%s\n' "$*" >"$WHEEL_REASON"
	exit 4
}

# compile_for KERNEL: select the compiler for the processor of KERNEL, also for kernel makes.
compile_for() {
	local compiler

	[[ $1 == *arm64* ]] || return 0
	compiler=$("$here/cross")/usr
	export ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- PATH=$compiler/bin:$PATH \
		LD_LIBRARY_PATH=$compiler/lib/x86_64-linux-gnu
}

# release_of KDIR: print the release of the kernel that is built in, or whose headers are in, KDIR,
# as uname -r does. Fail if it is not prepared for modules. The file kernel.release and make
# kernelrelease lack Debian's own part in its headers of 6.1.
release_of() {
	sed -n 's/^#define UTS_RELEASE "\(.*\)"$/\1/p' "$1/include/generated/utsrelease.h" 2>/dev/null |
		grep .
}

# The packages of guests exist for this processor only.
require_x86_64() {
	[ "$(uname -m)" = x86_64 ] ||
		skip "this machine is $(uname -m); the guests need x86_64. libwheel and wheelctl also build on arm64"
}

# make_in DIRECTORY ARGUMENT...: run make in a directory of the project. Concurrent test suites
# need the same targets, so only one such make runs at a time.
make_in() {
	flock "$top" make -s -C "$top/$1" "${@:2}"
}

# copy_project DIRECTORY: copy the current sources to a new directory.
copy_project() {
	mkdir "$1"
	flock "$top" tar -C "$top" -c --exclude=build --exclude=./.git . | tar -x -C "$1"
}

# built: everything that a suite needs has been built. Exit here if WHEEL_BUILD_ONLY is set.
built() {
	[ -z "${WHEEL_BUILD_ONLY-}" ] || exit 0
}

# Create a temporary directory, store its name in $scratch, and remove it on exit. The trap is
# lost if the script replaces itself with exec, so a script with a scratch directory must not.
make_scratch() {
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/wheel.XXXXXX")
	trap 'rm -rf "$scratch"' EXIT
}

# make_stage: make_scratch with a directory for the files of a guest, stage.
make_stage() { make_scratch && mkdir "$scratch/stage"; }

# processes_of TOKEN: print the ids of the processes that leftovers has marked with TOKEN.
processes_of() {
	{ grep -lzsE "^WHEEL_RUN=.* $1( |\$)" /proc/[0-9]*/environ || :; } | cut -d/ -f3
}

# end_processes TOKEN: terminate these processes and wait until they have exited. A process that
# is still running after ten seconds is killed.
end_processes() {
	local pid pids
	local -A sent=()

	for _ in $(seq 100); do
		pids=$(processes_of "$1")
		[ -n "$pids" ] || return 0
		for pid in $pids; do
			[ -n "${sent[$pid]-}" ] || kill "$pid" 2>/dev/null || :
			sent[$pid]=yes
		done
		sleep 0.1
	done
	# shellcheck disable=SC2086 # several process ids
	kill -KILL $pids 2>/dev/null || :
}

# with_progress LOG COMMAND...: run a command with its output in LOG. Print the last line of LOG
# every ten seconds. Requires make_scratch: the progress ends when that directory is removed.
with_progress() {
	local log=$1 status=0 progress
	shift

	[ -p "$scratch/never" ] || mkfifo "$scratch/never"
	: >"$log"
	show_progress &
	progress=$!
	"$@" >"$log" 2>&1 || status=$?
	kill "$progress" 2>/dev/null || :
	return "$status"
}

# Print the last line of $log every ten seconds.
show_progress() {
	local start=$SECONDS next=10 line

	while [ -p "$scratch/never" ]; do
		# A process for sleep would outlive a script that is killed.
		read -rt 1 <>"$scratch/never" || :
		((SECONDS - start >= next)) || continue
		line=$(tail -n 1 "$log" | tr -d '\r' | cut -c 1-70)
		say "${0##*/}: $next s: $line"
		next=$((next + 10))
	done 2>/dev/null
}

# lock PATH: prevent other scripts from creating PATH until this script exits.
lock() {
	mkdir -p "${1%/*}"
	exec 9>"$1.lock"
	flock -n 9 || { say "waiting for another process that creates $1"; flock 9; }
}

# room_for MEGABYTES WHAT: skip unless the cache has this much free space for WHAT.
room_for() {
	local free

	free=$(df -m --output=avail "$cache" | tail -n 1)
	((free >= $1)) ||
		skip "$2 needs $1 MB and $cache has $((free)) MB: free space, or set WHEEL_CACHE= to another directory"
}

# alone NAME COMMAND...: run COMMAND while no other script runs a command of this NAME.
alone() (
	mkdir -p "$cache"
	exec 8>"$cache/$1.lock"
	flock 8
	"${@:2}" 8>&-
)

# Run a command as root, either directly or by a sudo that needs no password.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif sudo -n true 2>/dev/null; then
		sudo -n "$@"
	else
		return 126
	fi
}
