#!/bin/sh
# SPDX-License-Identifier: MIT
# cli.sh REPLAY: messages and exit statuses without a device. Prints KTAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/vm/guest/ktap.sh
. "$here/../../../tests/vm/guest/ktap.sh"
# shellcheck source=tools/wheelctl/test/cli_lib.sh
. "$here/../../wheelctl/test/cli_lib.sh"

tool=$1
none=/nonexistent/wheel
manual=$here/../../man/replay.8
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

printf '# crc32=00000000\n0,A,0,1\n' >"$directory/trace"
printf '0,A,0,1\n' | gzip >"$directory/trace.gz"
printf '0,A,2048,1\n' >"$directory/wide"
# One hour, three hours, and an invalid line, which is not read.
printf '0,A,0,3600000000000\n1,A,0,10800000000000\ninvalid\n' >"$directory/far.csv"
head -n 2 "$directory/far.csv" >"$directory/good.csv"
mkdir "$directory/directory.gz"
gzip <"$directory/trace" | head -c 25 >"$directory/short.gz"
printf '0,A,0,1\0garbage\n' >"$directory/zero"
{ printf '0,A,0,'; head -c 5000 /dev/zero | tr '\0' 1; } >"$directory/long"

rejects_invalid_options() {
	explains --help &&
		rejects "requires either FILE or --self-test" &&
		rejects "requires either FILE or --self-test" --self-test 3 "$directory/trace" &&
		rejects "--speed '0' is not a factor" --speed 0 x &&
		rejects "unknown option '--wrods'; did you mean '--words'? See replay --help" --wrods &&
		rejects "16,777,217 timers exceed the limit of 2^24" --self-test 16777217 &&
		rejects "exceed the limit of 256 of an overflow wheel" \
			--self-test 257 --scheme overflow &&
		rejects "2,049 timers exceed the limit of 256 of an overflow wheel" \
			"$directory/wide" --scheme overflow &&
		rejects "--tamper 2: $directory/trace.gz contains 1 arms" \
			--tamper 2 "$directory/trace.gz"
}

rejects_invalid_files() {
	rejects "/nonexistent/trace: No such file" /nonexistent/trace &&
		rejects "trace:1: states crc32=00000000, but it is cf336db9" "$directory/trace" &&
		rejects "$directory: Is a directory" "$directory" &&
		rejects "directory.gz: Is a directory" "$directory/directory.gz" &&
		rejects "short.gz: the compressed file is damaged" "$directory/short.gz" &&
		rejects "zero:1: contains a zero byte" "$directory/zero" &&
		rejects "long:1: is too long" "$directory/long"
}

# The recommended options are sufficient: then only the device is missing.
recommends_a_bounded_wheel() {
	rejects "far.csv:1: a delay of 3.00 h exceeds the limit of a bounded wheel with a tick of 1ms, 1048575ms: use --tick 170ms --buckets 65536" \
		"$directory/far.csv" --scheme bounded &&
		fails "/nonexistent/wheel" "$directory/good.csv" --scheme bounded \
			--tick 170ms --buckets 65536 --device $none
}

reports_a_missing_device() {
	fails "the module" "$directory/trace.gz" --device $none
}

prints_checksums() {
	prints crc32=cf336db9 --print-crc "$directory/trace" &&
		prints crc32=cf336db9 --print-crc "$directory/trace.gz"
}

# The example of the man page adds a checksum and preserves the records of any trace.
adds_a_checksum() {
	sed -n '/^Add a checksum/,/^\.fi/s/^\$ \\fB\(.*\)\\fP$/\1/p' "$manual" |
		sed "s/\\\\-/-/g; s/\\\\(aq/'/g" >"$directory/example"
	for comments in '' '# a comment\n' '# crc32=00000000\n# a comment\n'; do
		# shellcheck disable=SC2059 # the comments contain escape sequences
		printf "${comments}0,A,0,1\n5,A,1,2\n" >"$directory/old.csv"
		(cd "$directory" && PATH=$here/..:$PATH sh ./example) || return
		crc=$("$tool" --print-crc "$directory/new.csv")
		case $(cat "$directory/new.csv") in
		"# t_ns,op,timer,delay_ns $crc
"*"0,A,0,1
5,A,1,2") ;;
		*) cat "$directory/new.csv"; return 1 ;;
		esac
	done
}

plan 7
leaf rejects_invalid_options rejects_invalid_options
leaf rejects_invalid_files rejects_invalid_files
leaf recommends_a_bounded_wheel recommends_a_bounded_wheel
leaf reports_a_missing_device reports_a_missing_device
leaf prints_checksums prints_checksums
leaf adds_a_checksum adds_a_checksum
leaf reports_failed_output reports_failed_output --help --version
