#!/bin/sh
# SPDX-License-Identifier: MIT
# cli.sh WHEELCTL: what it says, and its exit status, when asked for nonsense
# and where there is no device. Prints KTAP.
# shellcheck disable=SC2317 # result_of() calls functions by their names
set -u

wheelctl=$1
tool=$(cd "$(dirname "$wheelctl")" && pwd)
manual=$(dirname "$0")/../../man/wheelctl.8
none=/nonexistent/wheel
number=0
failed=0

result() {
	number=$((number + 1))
	echo "$1 $number $2"
	[ "$1" = ok ] || failed=1
}

# refused STATUS TEXT ARGUMENT...: that exit status, nothing on stdout, and one
# line on stderr with the text.
refused() {
	status=$1 text=$2
	shift 2
	said=$("$wheelctl" "$@" 2>&1 >/dev/null)
	got=$?
	shown=$("$wheelctl" "$@" 2>/dev/null)
	lines=$(printf '%s\n' "$said" | wc -l)
	case $got-$lines-$shown-$said in
	"$status-1--wheelctl: "*"$text"*) result ok "wheelctl $*" ;;
	*)
		echo "# exit status $got: $said"
		result "not ok" "wheelctl $*"
		;;
	esac
}

explained() {
	shown=$("$wheelctl" "$@" 2>/dev/null)
	got=$?
	wide=$(printf '%s\n' "$shown" | awk 'length > 80' | wc -l)
	case $got-$wide-$shown in
	0-0-Usage:*) result ok "wheelctl $*" ;;
	*) result "not ok" "wheelctl $*" ;;
	esac
}

# printed TEXT ARGUMENT...: that on stdout, exit status 0.
printed() {
	text=$1
	shift
	shown=$("$wheelctl" "$@" 2>&1)
	case $?-$shown in
	"0-$text") result ok "wheelctl $*" ;;
	*)
		echo "# $shown"
		result "not ok" "wheelctl $*"
		;;
	esac
}

# marked NAME COMMENTS: the manual's example gives a trace that begins with these
# its checksum, and no record is lost.
marked() {
	printf '%s0,A,0,1\n5,A,1,2\n' "$2" >"$folder/old.csv"
	(cd "$folder" && PATH=$tool:$PATH sh ./example)
	crc=$("$wheelctl" replay --print-crc "$folder/new.csv")
	case $(cat "$folder/new.csv") in
	"# t_ns,op,timer,delay_ns $crc
"*"0,A,0,1
5,A,1,2") result ok "a checksum for a trace with $1" ;;
	*)
		sed 's/^/# /' "$folder/new.csv"
		result "not ok" "a checksum for a trace with $1"
		;;
	esac
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '# crc32=00000000\n0,A,0,1\n' >"$folder/trace"
printf '0,A,0,1\n' | gzip >"$folder/trace.gz"
printf '0,A,4096,1\n' >"$folder/wide"
printf '# two\nevery 5 echo\n' >"$folder/jobs"
printf '@daily\n' >"$folder/nojob"
: >"$folder/nothing"
# One hour, three hours, and nonsense that nobody gets to; and without that.
printf '0,A,0,3600000000000\n1,A,0,10800000000000\nnonsense\n' >"$folder/far.csv"
head -n 2 "$folder/far.csv" >"$folder/good.csv"
cat >"$folder/saved" <<'LINES'
# pending timers of a wheel, as wheelctl save writes them
wheel,monotonic,hashed,1000000,1024
moment,1000000000,1700000000000000000,00000000-0000-0000-0000-000000000000
LINES
crc=$(gzip -c "$folder/saved" | tail -c8 | head -c4 | od -An -tx4 | tr -d ' ')
echo "end,0,$crc" >>"$folder/saved"
mkdir "$folder/folder.gz"
gzip <"$folder/trace" | head -c 25 >"$folder/short.gz"

# The lines that the manual shows in bold under "Give a trace its checksum".
sed -n '/^Give a trace its checksum/,/^\.fi/s/^\$ \\fB\(.*\)\\fP$/\1/p' "$manual" |
	sed "s/\\\\-/-/g; s/\\\\(aq/'/g" >"$folder/example"

# The commands that there are, by the help alone.
commands=$("$wheelctl" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\).*/\1/p')
options_of() {
	"$wheelctl" help "$1" | sed -n 's/^  --\([a-z-]*\).*/\1/p'
}

# completes SHELL: the script knows every command and option, and that shell, where
# there is one, can read it.
completes() {
	"$wheelctl" completion "$1" >"$folder/completion" || return
	for command in $commands; do
		for option in $(options_of "$command"); do
			case $1 in
			bash) pattern="$command:-\*.* --${option}[ ']" ;;
			fish) pattern="from $command' -l $option " ;;
			zsh) pattern="^			'--${option}[=[]" ;;
			esac
			script=$folder/completion
			if [ "$1" = zsh ]; then
				script=$folder/part
				sed -n "/^	$command)/,/;;/p" "$folder/completion" >"$script"
			fi
			grep -q -e "$pattern" "$script" ||
				{ echo "# no --$option of $command"; return 1; }
		done
	done
	for option in device json help version; do
		case $1 in
		bash) pattern="	:-\*.* --${option}[ ']" ;;
		fish) pattern="needs_command -l $option " ;;
		zsh) pattern="^			'--${option}[=[]" ;;
		esac
		sed "/^	case .words/q" "$folder/completion" >"$folder/part"
		[ "$1" = zsh ] || cp "$folder/completion" "$folder/part"
		grep -q -e "$pattern" "$folder/part" ||
			{ echo "# no --$option before a command"; return 1; }
	done
	! command -v "$1" >/dev/null || "$1" -n "$folder/completion"
}

# Of bash we see what it offers, too.
offers() {
	command -v bash >/dev/null || return 0
	# shellcheck disable=SC2016 # for that bash
	bash -c 'source <("$0" completion bash); shift 0
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); compopt() { :; }
		_wheelctl; echo "${COMPREPLY[*]}"' "$wheelctl" "$@"
}

offered() {
	[ "$(offers wheelctl re)" = "replay" ] || [ "$(offers wheelctl re)" = "restore replay" ] || return
	[ "$(offers wheelctl arm --cl)" = "--clock" ] &&
		[ "$(offers wheelctl arm --clock b)" = boottime ] &&
		[ "$(offers wheelctl arm --scheme h)" = "hashed hierarchical" ] &&
		[ "$(offers wheelctl --device /dev/null st)" = stats ]
}

# The same before the command.
offered_by_fish() {
	command -v fish >/dev/null || return 0
	"$wheelctl" completion fish >"$folder/completion" || return
	for words in ' st' ' --json st' ' --device /dev/null st' ' --device=/dev/null st'; do
		# shellcheck disable=SC2016 # for that fish
		HOME=$folder fish -c 'source $argv[1]; complete -C "wheelctl$argv[2]"' \
			"$folder/completion" "$words" | grep -q '^stats' ||
			{ echo "# wheelctl$words"; return 1; }
	done
}

# No command is offered an option that it refuses.
offered_is_taken() {
	command -v bash >/dev/null || return 0
	for command in $commands; do
		said=$("$wheelctl" "$command" --json --device "$none" 2>&1)
		case $(offers wheelctl "$command" --js)-$said in
		--json-*"--json means nothing here"*) echo "# $command"; return 1 ;;
		esac
	done
}

full_disk() {
	for words in help info\ --help --version completion\ fish; do
		# shellcheck disable=SC2086 # several words
		said=$("$wheelctl" $words 2>&1 >/dev/full)
		[ $? = 1 ] || return
		[ "$said" = "wheelctl: cannot write the answer to stdout" ] || return
	done
}

# As some daemons begin others: nothing to read, and nobody told of those that ended.
begun_barely() {
	for how in "" "env --ignore-signal=CHLD"; do
		# shellcheck disable=SC2086 # words
		said=$($how "$wheelctl" replay --print-crc "$folder/trace.gz" 2>&1 <&-)
		[ "$said" = crc32=cf336db9 ] || { echo "# $said"; return 1; }
	done
	said=$("$wheelctl" help 2>&1 >&-)
	[ $? = 1 ] && [ "$said" = "wheelctl: cannot write the answer to stdout" ]
}

result_of() {
	name=$1
	shift
	if "$@"; then result ok "$name"; else result "not ok" "$name"; fi
}

echo "KTAP version 1"
# Two for each command, and these.
# shellcheck disable=SC2086 # words
set -- $commands
echo "1..$((98 + 2 * $#))"

explained --help
for command in $commands; do
	explained "$command" --help
	explained help "$command"
done
for shell in bash zsh fish; do
	result_of "completion $shell knows every command and option" completes $shell
done
result_of "bash completes what fits" offered
result_of "fish completes what stands behind an option" offered_by_fish
result_of "bash completes nothing that is refused" offered_is_taken
result_of "what is printed arrives" full_disk
result_of "is begun with hardly anything" begun_barely
printed "wheelctl $(cat "$(dirname "$0")/../../../VERSION")" --version

refused 2 "needs a command"
refused 2 "'frobnicate' is not a command; see" frobnicate
refused 2 "did you mean 'list'?" lits
refused 2 "did you mean 'list'?" help lits
refused 2 "did you mean '--period'? See wheelctl arm --help" arm --perod=1s 1ms
refused 2 "the option '--frob'; see wheelctl --help" --frob info
refused 2 "the option '--frob'" info --frob
refused 2 "the option '-x'" info -x
refused 2 "wants no argument in '--json=yes'" info --json=yes
refused 2 "needs an argument behind '--device'" info --device
refused 2 "does not expect 'more'" info more
refused 2 "arm needs a DELAY" arm
refused 2 "does not expect '2ms'" arm 1ms 2ms
refused 2 "DELAY '5' is not a duration" arm 5
refused 2 "--period '1 ms' is not a duration" arm 1ms --period '1 ms'
refused 2 "--period '0ms' is not a duration of 1ns or more" arm 1ms --period 0ms
refused 2 "--tick '0ns' is not a duration of 1ns or more" arm 1ms --tick 0ns
refused 2 "--buckets '0' is not a whole number from 1" arm 1ms --buckets 0
refused 2 "--buckets '1048577' is not a whole number" arm 1ms --buckets 1048577
refused 2 "--buckets means nothing to a hierarchical wheel" arm 1ms --buckets 64
refused 2 "--buckets means nothing to a hierarchical wheel" \
	stats --self-test 3 --scheme hierarchical --buckets 64
refused 2 "--count '0' is not a whole number" arm 1ms --count 0
refused 2 "--clock 'sun' is not monotonic, boottime" arm 1ms --clock sun
refused 2 "--scheme overflow does not bear the clock realtime" \
	arm 1ms --clock realtime --scheme overflow
refused 2 "SHELL 'csh' is not bash, zsh or fish" completion csh
refused 2 "--scheme 'heap' is not hashed" arm 1ms --scheme=heap
refused 2 "--prometheus means nothing with --json" stats --prometheus --json
refused 2 "--html means nothing with --self-test" stats --html --self-test 3
refused 2 "--html means nothing with --prometheus" stats --html --prometheus
refused 2 "--fd means nothing without --pid" stats --self-test 3 --fd 3
refused 2 "--tick means nothing without --self-test" stats --pid 1 --tick 1ms
refused 2 "means nothing with --pid" stats --pid 1 --self-test 3
refused 2 "16,777,217 timers are more than 2^24" stats --self-test 16777217
refused 2 "more than the 4,096 of an overflow wheel" \
	stats --self-test 4097 --scheme overflow
refused 2 "no longer than a minute" stats --self-test 3 --tick 61s
refused 2 "save needs --pid PID" save x
refused 2 "restore needs --pid PID" restore "$folder/saved" --device /dev/null
refused 2 "wide:1: not as wheelctl save writes it" restore "$folder/wide" --pid 1
refused 2 "every needs -- and a COMMAND" every 10s
refused 2 "every needs -- and a COMMAND" every 10s --
refused 2 "every needs -- before 'echo'" every 10s echo
refused 2 "TIME '10' is not a duration" every 10 -- true
refused 2 "nobody would move that clock" every 1s --clock virtual -- true
refused 2 "TIME '25:00' is not a time: 12:30" at 25:00 -- true
refused 2 "TIME '2030-02-30T12:00' is not a time" at 2030-02-30T12:00 -- true
refused 2 "TIME '@1' is not a time to come" at @1 -- true
refused 2 "its hour is a list of 0-23" at '0 24 * * *' -- true
refused 2 "is not a time that ever comes" at '0 0 30 2 *' -- true
refused 2 "jobs:2: the time is not a duration" run "$folder/jobs"
echo "evry 10s true" >"$folder/jobs"
refused 2 "jobs:1: the time is not 'every TIME', 'at TIME' or a crontab's" run "$folder/jobs"
refused 2 "nojob:1: no command behind the time" run "$folder/nojob"
refused 2 "nothing: no job in it" run "$folder/nothing"
printf 'every 1s true\r\n' >"$folder/jobs"
refused 2 "jobs:1: ends in a carriage return" run "$folder/jobs"
printf 'every 1s rm -r /tmp/mine\0-too\n' >"$folder/jobs"
refused 2 "jobs:1: has a zero byte" run "$folder/jobs"
printf 'every\t1s\n' >"$folder/jobs"
refused 2 "jobs:1: no command behind the time" run "$folder/jobs"
refused 2 "TIME '@hourlly' is not @hourly, @daily" at @hourlly -- true
refused 2 "--device '' is not a name" info --device ''
refused 2 "for programs: wheelctl stats --json" watch --json
refused 2 "every: --json means nothing here" every 1s --json -- true
refused 2 "help: --json means nothing here" --json help
refused 2 "watch: --fd means nothing without --pid" watch --fd 3
refused 2 "--limit means nothing without --pid" list --limit 3
refused 2 "--speed '0' is not a factor" replay --speed 0 x
refused 2 "replay needs a FILE" replay
refused 2 "--speed means nothing with --print-crc" replay --print-crc --speed 2 x
refused 2 "--tick means nothing with --print-crc" replay --tick 1s --print-crc x
refused 2 "/nonexistent/trace: No such file" replay /nonexistent/trace

printed crc32=cf336db9 replay --print-crc "$folder/trace"
printed crc32=cf336db9 replay --print-crc "$folder/trace.gz"
refused 2 "trace:1: states crc32=00000000, but it is cf336db9" \
	replay "$folder/trace"
refused 2 "--tamper 2: $folder/trace.gz arms 1 times" \
	replay --tamper 2 "$folder/trace.gz"
refused 2 "$folder: Is a directory" replay "$folder"
refused 2 "$folder/folder.gz: Is a directory" replay "$folder/folder.gz"
refused 2 "gzip -dc failed" replay "$folder/short.gz"
refused 2 "far.csv:1: a delay of 3.00 h is more than a bounded wheel holds with a tick of 1ms, 1048575ms at most: ask for --tick 170ms --buckets 65536" \
	replay "$folder/far.csv" --scheme bounded
refused 1 "/nonexistent/wheel" replay "$folder/good.csv" --scheme bounded \
	--tick 170ms --buckets 65536 --device $none
refused 2 "4,097 timers are more than the 4,096 of an overflow wheel" \
	replay "$folder/wide" --scheme overflow

marked "no comment" ""
marked "a comment" "# a comment
"
marked "an old checksum and a comment" "# crc32=00000000
# a comment
"

refused 1 "the module" --device $none info
refused 1 "the module" replay "$folder/trace.gz" --device $none
refused 1 "the module" arm 1ms --device $none
refused 1 "the module" list --pid 1 --device $none
refused 1 "not a wheel" --device /dev/null info
refused 1 "not a device" --device / stats --pid 1
exec 9</dev/null
refused 1 "not a wheel" --device /dev/null stats --pid $$ --fd 9
refused 1 "not a wheel" --device /dev/null list

exit $failed
