# SPDX-License-Identifier: MIT
# bash completion of wheelctl
# shellcheck shell=bash disable=SC2207
_wheelctl() {
	local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' options='--device --json --help --version' words='' i

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--device) i=$((i + 1)) ;;
		-*) ;;
		*) command=${COMP_WORDS[i]}; break ;;
		esac
	done
	case $command in
	arm) options+=' --period --slack --count --clock --scheme --tick --buckets' ;;
	list) options+=' --pid --fd --limit --sort --user --command --interval' ;;
	stats) options+=' --pid --fd --prometheus --details --html' ;;
	watch) options="--device --help --version --pid --fd --interval --count" ;;
	save | restore) options+=' --pid --fd' ;;
	help) options='--device --help --version' ;;
	esac
	case $command:$last in
	*:--device) ;;
	*:--pid) words=$(ps -eo pid=) ;;
	*:--clock) words='monotonic boottime realtime tai virtual' ;;
	*:--scheme) words='hashed hierarchical bounded overflow' ;;
	*:--sort) words='pid user command pending rate next memory' ;;
	*:--user) words=$(compgen -u) ;;
	*:--fd | *:--limit | *:--command | *:--interval | *:--period | *:--slack | *:--count | *:--tick | *:--buckets)
		return ;;
	*)
		case $command:$current in
		*:-*) words=$options ;;
		:* | help:*) words='info arm list stats watch save restore help' ;;
		save:* | restore:*) ;;
		*) return ;;
		esac
		;;
	esac
	if [ -n "$words" ]; then
		COMPREPLY=($(compgen -W "$words" -- "$current"))
	else
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$current"))
	fi
}
complete -F _wheelctl wheelctl
