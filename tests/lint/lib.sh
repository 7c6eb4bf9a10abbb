# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for those who source this
# The checkers share this. A checker prints what is wrong and fails; it is
# silent where nothing is.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../vm/lib.sh"
cd "$top" || exit

# files PATTERN...: those of the project, but for what .gitignore names. Patterns are git's.
# Git looks with the eyes of a repository that is empty, so that a checkout, a worktree
# and a tarball are the same to it.
files() {
	GIT_DIR=$(empty_repository) git --work-tree="$top" ls-files -o --exclude-standard -- "$@"
}

empty_repository() {
	local folder=$top/build/lint.git

	[ -d "$folder" ] || alone lint make_repository "$folder"
	printf '%s\n' "$folder"
}

# The name comes last: a checker beside this one sees a whole repository or none.
make_repository() {
	[ ! -d "$1" ] || return 0
	rm -rf "$1.part"
	git init -q --bare "$1.part" && mv "$1.part" "$1"
}

# find_files PATTERN...: sets $found to these files. A checker that looked at nothing
# is not content.
find_files() {
	mapfile -t found < <(files "$@")
	[ ${#found[@]} -gt 0 ] || die "there is nothing to look at: $*"
}

# none WHAT PATTERN FILE...: no line of these files matches.
none() {
	local what=$1 pattern=$2
	shift 2

	! grep -nHE "$pattern" "$@" || { echo "^ $what"; return 1; }
}
