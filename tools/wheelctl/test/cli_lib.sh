# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# Checks of the messages of the program $tool, shared by wheelctl and replay. Source it.
# shellcheck disable=SC2154 # set by the caller

# reports STATUS TEXT ARGUMENT...: exits with STATUS, and prints only one line, which contains
# TEXT, to stderr.
reports() {
	reports_status=$1 reports_text=$2
	shift 2
	reports_error=$("$tool" "$@" 2>&1 >/dev/null)
	reports_got=$?
	reports_output=$("$tool" "$@" 2>/dev/null)
	case $reports_got-$(printf '%s\n' "$reports_error" | wc -l)-$reports_output-$reports_error in
	"$reports_status-1--${tool##*/}: "*"$reports_text"*) return 0 ;;
	esac
	echo "${tool##*/} $*: exit status $reports_got: $reports_error"
	return 1
}

rejects() {
	reports 2 "$@"
}

fails() {
	reports 1 "$@"
}

# explains ARGUMENT...: prints a help text of at most 80 columns.
explains() {
	explains_text=$("$tool" "$@" 2>&1)
	case $?-$(printf '%s\n' "$explains_text" | awk 'length > 80' | wc -l)-$explains_text in
	0-0-Usage:*) return 0 ;;
	esac
	echo "${tool##*/} $*:"
	printf '%s\n' "$explains_text"
	return 1
}

# prints TEXT ARGUMENT...: prints only TEXT.
prints() {
	prints_text=$1
	shift
	prints_got=$("$tool" "$@" 2>&1) && [ "$prints_got" = "$prints_text" ] && return
	echo "${tool##*/} $*: $prints_got"
	return 1
}

# reports_failed_output ARGUMENTS...: a full disk and a closed stdout are errors.
reports_failed_output() {
	for reports_words; do
		# shellcheck disable=SC2086 # several words
		reports_error=$("$tool" $reports_words 2>&1 >/dev/full)
		[ $? = 1 ] && [ "$reports_error" = "${tool##*/}: cannot write to stdout" ] || return
		# shellcheck disable=SC2086 # several words
		reports_error=$("$tool" $reports_words 2>&1 >&-)
		[ $? = 1 ] && [ "$reports_error" = "${tool##*/}: cannot write to stdout" ] || return
	done
}
