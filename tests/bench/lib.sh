# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Functions shared by the benchmarks. To be sourced. A sample is a line of CSV with the columns
# bench, operation, timers, implementation, unit and sample.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../vm/lib.sh"

bench=$top/tests/bench

# results median|least: read samples, print a table of their medians or minimums, and append them
# to the file named by BENCH_CSV.
results() {
	cat >"$scratch/samples.csv"
	[ -z "${BENCH_CSV-}" ] || cat "$scratch/samples.csv" >>"$BENCH_CSV"
	"$bench/report/table.py" "$scratch/samples.csv" "$1"
}

# static_program FILE SOURCE... [OPTION...]: build a program for guests with libwheel.
static_program() {
	make_in lib build/libwheel.a >&2
	gcc -std=gnu11 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror -static \
		-isystem "$top/include/uapi" -isystem "$top/lib" -o "$1" "${@:2}" \
		"$top/lib/build/libwheel.a"
}

# stage KERNEL FILE...: copy the module for KERNEL, and FILEs, to a new $scratch/stage.
stage() {
	mkdir "$scratch/stage"
	cp "$("$here/module" . "$1")/wheel_timer.ko" "${@:2}" "$scratch/stage"
}

# count_calls PROGRAM ARGUMENT...: run a program that dumps the counters of callgrind. The name of a
# dump is a sample, with the number of operations in the last column. Print the samples.
count_calls() {
	local files

	(cd "$scratch" && rm -f callgrind.out* &&
		valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out "$@" >&2)
	mapfile -t files < <(printf '%s\n' "$scratch"/callgrind.out.* | sort -V)
	awk '/^desc: Trigger: Client Request: / { sub(/^.*Request: /, ""); cell = $0 }
	     /^totals: / && cell {
		operations = cell
		sub(/.*,/, "", operations)
		sub(/[^,]*$/, "", cell)
		printf "%s%.1f\n", cell, $2 / operations
		cell = ""
	     }' "${files[@]}"
}

version() {
	git -c safe.directory='*' -C "$top" describe --always --dirty --abbrev=12 2>/dev/null ||
		echo unknown
}

# Print the date, the version and the machine of a run, as "key: value".
about() {
	cat <<-TEXT
		date: $(date -Is)
		commit: $(version)
		machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors
		memory: $(awk '/^MemTotal/ { printf "%.1f GiB", $2 / 2^20 }' /proc/meminfo)
		kernel: $(uname -r); guests: Debian's 6.12 in QEMU, 6.12 in User-Mode Linux
		compiler: $(gcc --version | head -n 1)
		load: $(cut -d ' ' -f 1-3 /proc/loadavg)
	TEXT
}
