# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # variables are used by the checkers
# Functions for the checkers, to be sourced. A checker prints errors and fails. Without
# errors it prints nothing.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../vm/lib.sh"
cd "$top" || exit

# files PATTERN...: list files of the project that .gitignore does not exclude. The patterns are
# git pathspecs. Uses an empty repository, so the result is the same in a checkout, a worktree
# and an unpacked tarball.
files() {
	GIT_DIR=$(empty_repository) git --work-tree="$top" ls-files -o --exclude-standard -- "$@"
}

empty_repository() {
	local folder=$top/build/lint.git

	[ -d "$folder" ] || alone lint make_repository "$folder"
	printf '%s\n' "$folder"
}

# Rename it at the end, because other checkers may run concurrently.
make_repository() {
	[ ! -d "$1" ] || return 0
	rm -rf "$1.part"
	git init -q --bare "$1.part" && mv "$1.part" "$1"
}

# find_files PATTERN...: set $found to these files. It is an error if there are none.
find_files() {
	mapfile -t found < <(files "$@")
	[ ${#found[@]} -gt 0 ] || die "no files match: $*"
}

# none WHAT PATTERN FILE...: check that no line of these files matches PATTERN.
none() {
	local what=$1 pattern=$2
	shift 2

	! grep -nHE "$pattern" "$@" || { echo "^ $what"; return 1; }
}
