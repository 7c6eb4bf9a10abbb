# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# KTAP output for scripts of the host and of the guest. Source this file.

ktap_number=0

# plan COUNT: print the head of a report with COUNT results.
plan() {
	echo "KTAP version 1"
	echo "1..$1"
}

# result STATUS NAME [REASON]: print one result. Status 0 is a pass, 4 is a skip with a reason.
result() {
	ktap_number=$((ktap_number + 1))
	case $1 in
	0) echo "ok $ktap_number $2" ;;
	4) echo "ok $ktap_number $2 # SKIP${3:+ $3}" ;;
	*) echo "not ok $ktap_number $2 # exit status $1" ;;
	esac
}

# leaf NAME COMMAND...: run a command as one result. Its output is printed as diagnostics. The
# last line of the output is the reason of a skip.
leaf() {
	ktap_name=$1
	shift
	ktap_status=0
	ktap_output=$("$@" 2>&1 </dev/null) || ktap_status=$?
	[ -z "$ktap_output" ] || printf '%s\n' "$ktap_output" | sed 's/^/# /'
	result "$ktap_status" "$ktap_name" "$(printf '%s\n' "$ktap_output" | tail -n 1)"
}

# Indent a report. Write the reason of an empty plan to descriptor 3.
ktap_indent() {
	while IFS= read -r line || [ -n "$line" ]; do
		printf '    %s\n' "$line"
		case $line in
		"1..0 # SKIP "*) echo "reason ${line#*SKIP }" >&3 ;;
		esac
	done
}

# subtest NAME COMMAND...: run a command that prints KTAP, as one result. The reason of an empty
# plan is the reason of the skip. The report leaves the command substitution by descriptor 4.
subtest() {
	ktap_name=$1
	shift
	echo "    # Subtest: $ktap_name"
	{
		ktap_end=$({
			{
				ktap_status=0
				"$@" </dev/null 2>&1 3>&- 4>&- || ktap_status=$?
				echo "status $ktap_status" >&3
			} | ktap_indent >&4
		} 3>&1)
	} 4>&1
	result "$(printf '%s\n' "$ktap_end" | sed -n 's/^status //p')" "$ktap_name" \
		"$(printf '%s\n' "$ktap_end" | sed -n 's/^reason //p')"
}
