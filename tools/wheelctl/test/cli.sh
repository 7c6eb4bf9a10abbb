#!/bin/sh
# SPDX-License-Identifier: MIT
# cli.sh WHEELCTL: what it says, and its exit status, when asked for nonsense
# and where there is no device. Prints KTAP.
set -u

wheelctl=$1
tool=$(cd "$(dirname "$wheelctl")" && pwd)
manual=$(dirname "$0")/../../man/wheelctl.8
none=/nonexistent/wheel
number=0
failed=0

result() {
	number=$((number + 1))
	echo "$1 $number $2"
	[ "$1" = ok ] || failed=1
}

# refused STATUS TEXT ARGUMENT...: that exit status, nothing on stdout, and one
# line on stderr with the text.
refused() {
	status=$1 text=$2
	shift 2
	said=$("$wheelctl" "$@" 2>&1 >/dev/null)
	got=$?
	shown=$("$wheelctl" "$@" 2>/dev/null)
	lines=$(printf '%s\n' "$said" | wc -l)
	case $got-$lines-$shown-$said in
	"$status-1--wheelctl: "*"$text"*) result ok "wheelctl $*" ;;
	*)
		echo "# exit status $got: $said"
		result "not ok" "wheelctl $*"
		;;
	esac
}

explained() {
	shown=$("$wheelctl" "$@" 2>/dev/null)
	got=$?
	wide=$(printf '%s\n' "$shown" | awk 'length > 80' | wc -l)
	case $got-$wide-$shown in
	0-0-Usage:*) result ok "wheelctl $*" ;;
	*) result "not ok" "wheelctl $*" ;;
	esac
}

# printed TEXT ARGUMENT...: that on stdout, exit status 0.
printed() {
	text=$1
	shift
	shown=$("$wheelctl" "$@" 2>&1)
	case $?-$shown in
	"0-$text") result ok "wheelctl $*" ;;
	*)
		echo "# $shown"
		result "not ok" "wheelctl $*"
		;;
	esac
}

# marked NAME COMMENTS: the manual's example gives a trace that begins with these
# its checksum, and no record is lost.
marked() {
	printf '%s0,A,0,1\n5,A,1,2\n' "$2" >"$folder/old.csv"
	(cd "$folder" && PATH=$tool:$PATH sh ./example)
	crc=$("$wheelctl" replay --print-crc "$folder/new.csv")
	case $(cat "$folder/new.csv") in
	"# t_ns,op,timer,delay_ns $crc
"*"0,A,0,1
5,A,1,2") result ok "a checksum for a trace with $1" ;;
	*)
		sed 's/^/# /' "$folder/new.csv"
		result "not ok" "a checksum for a trace with $1"
		;;
	esac
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '# crc32=00000000\n0,A,0,1\n' >"$folder/trace"
printf '0,A,0,1\n' | gzip >"$folder/trace.gz"
printf '0,A,4096,1\n' >"$folder/wide"
mkdir "$folder/folder.gz"
gzip <"$folder/trace" | head -c 25 >"$folder/short.gz"

# What the manual shows in bold under "Give a trace its checksum".
sed -n '/^Give a trace its checksum/,/^\.fi/s/^\$ \\fB\(.*\)\\fP$/\1/p' "$manual" |
	sed "s/\\\\-/-/g; s/\\\\(aq/'/g" >"$folder/example"

echo "KTAP version 1"
echo "1..55"

explained --help
for command in info arm stats list replay; do
	explained $command --help
done

refused 2 "needs a command"
refused 2 "'frobnicate' is not a command" frobnicate
refused 2 "the option '--frob'" --frob info
refused 2 "the option '--frob'" info --frob
refused 2 "the option '-x'" info -x
refused 2 "wants no argument in '--json=yes'" info --json=yes
refused 2 "needs an argument behind '--device'" info --device
refused 2 "does not expect 'more'" info more
refused 2 "arm needs a DELAY" arm
refused 2 "does not expect '2ms'" arm 1ms 2ms
refused 2 "DELAY '5' is not a duration" arm 5
refused 2 "--period '1 ms' is not a duration" arm 1ms --period '1 ms'
refused 2 "--period '0ms' is not a duration of 1ns or more" arm 1ms --period 0ms
refused 2 "--tick '0ns' is not a duration of 1ns or more" arm 1ms --tick 0ns
refused 2 "--slots '0' is not a whole number from 1" arm 1ms --slots 0
refused 2 "--slots '1048577' is not a whole number" arm 1ms --slots 1048577
refused 2 "--count '0' is not a whole number" arm 1ms --count 0
refused 2 "--clock 'tai' is not monotonic or boottime" arm 1ms --clock tai
refused 2 "--scheme 'heap' is not hashed" arm 1ms --scheme=heap
refused 2 "needs either --pid PID or --self-test N" stats
refused 2 "--fd means nothing without --pid" stats --self-test 3 --fd 3
refused 2 "--tick means nothing without --self-test" stats --pid 1 --tick 1ms
refused 2 "needs either --pid PID or --self-test N" stats --pid 1 --self-test 3
refused 2 "16,777,217 timers are more than 2^24" stats --self-test 16777217
refused 2 "more than the 4,096 of an overflow wheel" \
	stats --self-test 4097 --scheme overflow
refused 2 "no longer than a minute" stats --self-test 3 --tick 61s
refused 2 "needs --pid" list
refused 2 "--speed '0' is not a factor" replay --speed 0 x
refused 2 "replay needs a FILE" replay
refused 2 "--speed means nothing with --print-crc" replay --print-crc --speed 2 x
refused 2 "--tick means nothing with --print-crc" replay --tick 1s --print-crc x
refused 2 "/nonexistent/trace: No such file" replay /nonexistent/trace

printed crc32=cf336db9 replay --print-crc "$folder/trace"
printed crc32=cf336db9 replay --print-crc "$folder/trace.gz"
refused 2 "trace:1: states crc32=00000000, but it is cf336db9" \
	replay "$folder/trace"
refused 2 "--tamper 2: $folder/trace.gz arms 1 times" \
	replay --tamper 2 "$folder/trace.gz"
refused 2 "$folder: Is a directory" replay "$folder"
refused 2 "$folder/folder.gz: Is a directory" replay "$folder/folder.gz"
refused 2 "gzip -dc failed" replay "$folder/short.gz"
refused 2 "4,097 timers are more than the 4,096 of an overflow wheel" \
	replay "$folder/wide" --scheme overflow

marked "no comment" ""
marked "a comment" "# a comment
"
marked "an old checksum and a comment" "# crc32=00000000
# a comment
"

refused 1 "insmod wheel_timer.ko" --device $none info
refused 1 "insmod wheel_timer.ko" replay "$folder/trace.gz" --device $none
refused 1 "insmod wheel_timer.ko" arm 1ms --device $none
refused 1 "insmod wheel_timer.ko" list --pid 1 --device $none
refused 1 "not a wheel" --device /dev/null info
refused 1 "not a device" --device / stats --pid 1

exit $failed
