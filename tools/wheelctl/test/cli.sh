#!/bin/sh
# SPDX-License-Identifier: MIT
# cli.sh WHEELCTL: help texts, completions, messages and exit statuses without a device.
# Prints KTAP.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/vm/guest/ktap.sh
. "$here/../../../tests/vm/guest/ktap.sh"
# shellcheck source=tools/wheelctl/test/cli_lib.sh
. "$here/cli_lib.sh"

tool=$1
none=/nonexistent/wheel
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# The commands in the help text, and the options of a command.
commands=$("$tool" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\).*/\1/p')
options_of() {
	"$tool" help "$1" | sed -n 's/^  --\([a-z-]*\).*/\1/p'
}

# The help text of each command fits into 80 columns.
explains_each_command() {
	explains --help || return
	for command in $commands; do
		explains "$command" --help && explains help "$command" || return
	done
}

# offers WORD...: the words that bash offers for the last word.
offers() {
	# shellcheck disable=SC2016 # expanded by the child
	bash -c 'source "$0/completion/wheelctl.bash"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); compopt() { :; }
		_wheelctl; echo "${COMPREPLY[*]}"' "$here/.." "$@"
}

# bash offers each command and option of the help text, and no option that a command rejects.
bash_completes() {
	command -v bash >/dev/null || return 4
	for command in $commands; do
		[ "$(offers wheelctl "$command" | tr ' ' '\n' | grep -cx "$command")" = 1 ] ||
			{ echo "no $command"; return 1; }
		offered=" $(offers wheelctl "$command" --) "
		for option in $(options_of "$command"); do
			case $offered in
			*" --$option "*) ;;
			*) echo "no --$option of $command in:$offered"; return 1 ;;
			esac
		done
	done
	[ "$(offers wheelctl arm --clock b)" = boottime ] &&
		[ "$(offers wheelctl arm --scheme h)" = "hashed hierarchical" ] &&
		[ "$(offers wheelctl --device /dev/null st)" = stats ] &&
		[ -z "$(offers wheelctl watch --js)" ]
}

# zsh and fish complete each command and option, and can read the files if they are installed.
zsh_and_fish_complete() {
	for command in $commands; do
		for option in $(options_of "$command"); do
			grep -q -e "--${option}[=[]" "$here/../completion/_wheelctl" ||
				{ echo "zsh: no --$option"; return 1; }
			grep -q -e " -l $option " "$here/../completion/wheelctl.fish" ||
				{ echo "fish: no --$option"; return 1; }
		done
		grep -q "'$command:" "$here/../completion/_wheelctl" &&
			grep -q " -a $command " "$here/../completion/wheelctl.fish" || return
	done
	! command -v zsh >/dev/null || zsh -n "$here/../completion/_wheelctl" || return
	! command -v fish >/dev/null || fish -n "$here/../completion/wheelctl.fish"
}

prints_its_version() {
	prints "wheelctl $(cat "$here/../../../VERSION")" --version
}

rejects_unknown_words() {
	rejects "missing command" &&
		rejects "'frobnicate' is not a command; see" frobnicate &&
		rejects "did you mean 'list'?" lits &&
		rejects "did you mean 'list'?" help lits &&
		rejects "did you mean '--period'? See wheelctl arm --help" arm --perod=1s 1ms &&
		rejects "unknown option '--frob'; see wheelctl --help" --frob info &&
		rejects "info: unknown option '--frob'" info --frob &&
		rejects "info: unknown option '-x'" info -x &&
		rejects "unexpected argument in '--json=yes'" info --json=yes &&
		rejects "missing argument of option '--device'" info --device &&
		rejects "unexpected argument 'more'" info more &&
		rejects "arm: missing DELAY" arm &&
		rejects "unexpected argument '2ms'" arm 1ms 2ms
}

rejects_invalid_values() {
	rejects "DELAY '5' is not a duration" arm 5 &&
		rejects "--period '1 ms' is not a duration" arm 1ms --period '1 ms' &&
		rejects "--period '0ms' is not a duration of 1ns or more" arm 1ms --period 0ms &&
		rejects "--tick '0ns' is not a duration of 1ns or more" arm 1ms --tick 0ns &&
		rejects "--buckets '0' is not a whole number from 1" arm 1ms --buckets 0 &&
		rejects "--buckets '1048577' is not a whole number" arm 1ms --buckets 1048577 &&
		rejects "--count '0' is not a whole number" arm 1ms --count 0 &&
		rejects "--clock 'sun' is not monotonic, boottime" arm 1ms --clock sun &&
		rejects "--scheme 'heap' is not hashed" arm 1ms --scheme=heap &&
		rejects "--device '' is not a name" info --device ''
}

rejects_options_without_effect() {
	rejects "--buckets has no effect on a hierarchical wheel" arm 1ms --buckets 64 &&
		rejects "--scheme overflow does not support the clock realtime" \
			arm 1ms --clock realtime --scheme overflow &&
		rejects "mutually exclusive" stats --prometheus --json &&
		rejects "mutually exclusive" stats --html --prometheus &&
		rejects "stats: --fd requires --pid" stats --fd 3 &&
		rejects "watch: --fd requires --pid" watch --fd 3 &&
		rejects "list: --limit requires --pid" list --limit 3 &&
		rejects "list: --sort rate requires --interval" list --sort rate &&
		rejects "list: --sort size: not pid, user" list --sort size &&
		rejects "list: --user is ignored with --pid" list --pid 1 --user root &&
		rejects "stats: --details requires --prometheus" stats --details &&
		rejects "save requires --pid PID" save x &&
		rejects "watch: --json is not supported; use wheelctl stats --json" watch --json &&
		rejects "help: --json is not supported" --json help
}

rejects_invalid_files() {
	echo 0,A,4096,1 >"$directory/trace"
	cat >"$directory/saved" <<-'LINES'
		# pending timers of a wheel, as wheelctl save writes them
		wheel,monotonic,hashed,1000000,1024
		moment,1000000000,1700000000000000000,00000000-0000-0000-0000-000000000000
	LINES
	crc=$(gzip -c "$directory/saved" | tail -c8 | head -c4 | od -An -tx4 | tr -d ' ')
	rejects "saved: the end is missing" restore "$directory/saved" --pid 1 || return
	echo "end,0,$crc" >>"$directory/saved"
	rejects "restore requires --pid PID" restore "$directory/saved" --device /dev/null &&
		rejects "trace:1: not in the format of wheelctl save" \
			restore "$directory/trace" --pid 1
}

# A failed open reports the remedy, and each other failure its cause.
reports_a_missing_device() {
	fails "the module" --device $none info &&
		fails "the module" arm 1ms --device $none &&
		fails "the module" list --pid 1 --device $none &&
		fails "not a wheel" --device /dev/null info &&
		fails "not a device" --device / stats --pid 1 &&
		fails "not a wheel" --device /dev/null stats --pid $$ --fd 9 &&
		fails "not a wheel" --device /dev/null list
}

exec 9</dev/null
plan 10
leaf explains_each_command explains_each_command
leaf bash_completes bash_completes
leaf zsh_and_fish_complete zsh_and_fish_complete
leaf prints_its_version prints_its_version
leaf rejects_unknown_words rejects_unknown_words
leaf rejects_invalid_values rejects_invalid_values
leaf rejects_options_without_effect rejects_options_without_effect
leaf rejects_invalid_files rejects_invalid_files
leaf reports_a_missing_device reports_a_missing_device
leaf reports_failed_output reports_failed_output help 'info --help' --version
