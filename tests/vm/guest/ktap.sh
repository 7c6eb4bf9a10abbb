# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Results in KTAP, for scripts of the host and of the guest. Source it.

ktap_number=0

# plan COUNT: the head of a report of so many results.
plan() {
	echo "KTAP version 1"
	echo "1..$1"
}

# result STATUS NAME [REASON]: the line of one result; 0 passed, 4 skipped for a reason.
result() {
	ktap_number=$((ktap_number + 1))
	case $1 in
	0) echo "ok $ktap_number $2" ;;
	4) echo "ok $ktap_number $2 # SKIP${3:+ $3}" ;;
	*) echo "not ok $ktap_number $2 # exit status $1" ;;
	esac
}

# leaf NAME COMMAND...: a result of its own; what the command says explains it, and its last
# line is the reason of a skip.
leaf() {
	ktap_name=$1
	shift
	ktap_status=0
	ktap_output=$("$@" 2>&1 </dev/null) || ktap_status=$?
	[ -z "$ktap_output" ] || printf '%s\n' "$ktap_output" | sed 's/^/# /'
	result "$ktap_status" "$ktap_name" "$(printf '%s\n' "$ktap_output" | tail -n 1)"
}

# subtest NAME COMMAND...: a command that prints KTAP, as one result. A plan of nothing says
# why it is skipped.
subtest() {
	ktap_name=$1
	shift
	echo "    # Subtest: $ktap_name"
	ktap_file=$(mktemp)
	{
		ktap_status=0
		"$@" </dev/null 2>&1 || ktap_status=$?
		echo "$ktap_status" >"$ktap_file"
	} | while IFS= read -r line || [ -n "$line" ]; do
		printf '    %s\n' "$line"
		case $line in
		"1..0 # SKIP "*) echo "${line#*SKIP }" >"$ktap_file.why" ;;
		esac
	done
	result "$(cat "$ktap_file")" "$ktap_name" "$(cat "$ktap_file.why" 2>/dev/null)"
	rm -f "$ktap_file" "$ktap_file.why"
}
