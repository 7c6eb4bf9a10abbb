# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # for those who source this
# What the checkers share. A checker prints what is wrong and fails; it is
# silent where nothing is.

# shellcheck source=tests/vm/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../vm/lib.sh"
cd "$top" || exit

# files PATTERN...: those of the project, tracked or about to be.
files() {
	local file

	# The checkout may be another user's.
	git -c safe.directory='*' ls-files -co --exclude-standard -- "$@" |
		while read -r file; do
			[ ! -e "$file" ] || printf '%s\n' "$file"
		done
}

# none WHAT PATTERN FILE...: no line of these files matches.
none() {
	local what=$1 pattern=$2
	shift 2

	[ $# -gt 0 ] || return 0
	! grep -nHE "$pattern" "$@" || { echo "^ $what"; return 1; }
}
