# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A side of a comparison: the wheels of a commit, or as they stand here, in a folder of their
# own. The harness around them is this tree's on both sides, so that only the wheels differ;
# what is the side's own is wheels.c, which knows how its wheels are called. Source it.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../vm/lib.sh"

git=(git -c safe.directory='*' -C "$top")

# side_is_commit WORD: or it ends here.
side_is_commit() {
	"${git[@]}" rev-parse -q --verify "$1^{commit}" >/dev/null || die "'$1' is no commit"
}

# side_of_commit COMMIT FOLDER
side_of_commit() {
	mkdir "$2"
	"${git[@]}" archive "$1" | tar -x -C "$2"
	[ -e "$2/tests/bench/core/wheels.c" ] ||
		die "$1 is from before the wheels took part in a benchmark"
	tar -C "$top/tests/bench" -c --exclude=build --exclude=wheels.c core counted |
		tar -x -C "$2/tests/bench"
	echo "$1" >"$2/side"
}

# side_of_tree FOLDER: as all is here, committed or not.
side_of_tree() {
	copy_project "$1"
	echo 'the working tree' >"$1/side"
}

# side_make FOLDER PROGRAM VARIABLE...: in the folder's build of bench-core.
side_make() {
	make -s -C "$1/tests/bench/core" "${@:3}" "$2" >"$1/log" 2>&1 || {
		cat "$1/log" >&2
		die "today's benchmark does not build with the wheels of $(cat "$1/side")"
	}
}

# side_count FOLDER: a sample a cell, of instructions, which valgrind counts: no noise.
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

# side_time FOLDER: a sample a cell, of nanoseconds: the least of a run, for what disturbs
# a run only adds to it.
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
