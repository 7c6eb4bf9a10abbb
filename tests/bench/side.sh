# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# One side of a comparison: the wheels of a commit or of the working tree, in a separate
# directory. Both sides use the benchmark harness of the working tree, so only the wheels
# differ. The exception is wheels.c, which calls the wheels and is taken from each side.
# To be sourced.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../vm/lib.sh"

git=(git -c safe.directory='*' -C "$top")

# side_is_commit WORD: exit if WORD is not a commit.
side_is_commit() {
	"${git[@]}" rev-parse -q --verify "$1^{commit}" >/dev/null || die "'$1' is not a commit"
}

# side_of_commit COMMIT DIRECTORY
side_of_commit() {
	mkdir "$2"
	"${git[@]}" archive "$1" | tar -x -C "$2"
	[ -e "$2/tests/bench/core/wheels.c" ] ||
		die "$1: this commit has no tests/bench/core/wheels.c"
	tar -C "$top/tests/bench" -c --exclude=build --exclude=wheels.c core counted |
		tar -x -C "$2/tests/bench"
	echo "$1" >"$2/side"
}

# side_of_tree DIRECTORY: copy the working tree, including uncommitted changes.
side_of_tree() {
	copy_project "$1"
	echo 'the working tree' >"$1/side"
}

# side_make DIRECTORY PROGRAM VARIABLE...: build PROGRAM in the side's tests/bench/core.
side_make() {
	make -s -C "$1/tests/bench/core" "${@:3}" "$2" >"$1/log" 2>&1 || {
		cat "$1/log" >&2
		die "cannot build the current benchmark with the wheels of $(cat "$1/side")"
	}
}

# side_count DIRECTORY: print one sample per cell: the instructions that valgrind counts.
side_count() {
	local files

	side_make "$1" build/counted/bench-count B=build/counted \
		CFLAGS='-std=gnu11 -O2 -g -DNDEBUG'
	(cd "$1" && valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out \
		tests/bench/core/build/counted/bench-count >&2)
	mapfile -t files < <(printf '%s\n' "$1"/callgrind.out.* | sort -V)
	awk '/^desc: Trigger: Client Request: / { sub(/^.*Request: /, ""); cell = $0 }
	     /^totals: / && cell {
		split(cell, of, ",")
		printf "core,%s,%d,%s,instructions,%.1f\n", of[1], of[2], of[3], $2 / of[2]
		cell = ""
	     }' "${files[@]}"
}

# side_time DIRECTORY: print one sample per cell, in nanoseconds. It is the minimum of the run,
# because disturbances can only increase the time.
side_time() {
	side_make "$1" build/bench-wheels
	rm -f "$1/samples.csv"
	BENCH_CSV=$1/samples.csv "$1/tests/bench/core/build/bench-wheels" 1000 100000 >"$1/log"
	awk -F , -v OFS=, '
		{ cell = $1 OFS $2 OFS $3 OFS $4 OFS $5 }
		!(cell in least) { order[++cells] = cell; least[cell] = $6 }
		$6 < least[cell] { least[cell] = $6 }
		END { for (i = 1; i <= cells; i++) print order[i], least[order[i]] }' "$1/samples.csv"
}
