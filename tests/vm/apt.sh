# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # lib.sh sets $cache
# Functions that call apt. Source this file after lib.sh.
#
# apt's output is not printed. If it fails, one line states the cause.

# The trusted keys for separate package lists, and the directory of these lists.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
own_lists=''

# candidate PACKAGE: print the version that apt would install.
candidate() {
	apt-cache policy "$1" |
		awk '$1 == "Candidate:" && $2 != "(none)" { print $2; found = 1 }
		     END { exit !found }'
}

# dependency PACKAGE PREFIX: print the dependency of PACKAGE with that prefix.
dependency() {
	apt-cache depends "$1" 2>/dev/null |
		awk -v prefix="$2" '
			$1 == "Depends:" && index($2, prefix) == 1 && !found {
				print $2; found = 1
			}
			END { exit !found }'
}

# stock_releases: print the releases of Debian's metapackages, oldest first.
stock_releases() {
	local metapackage

	for metapackage in $(apt-cache pkgnames linux-image- |
		grep -Ex 'linux-image-([0-9.]+-)?amd64'); do
		dependency "$metapackage" linux-image- || :
	done | sed 's/^linux-image-//' | sort -V | grep .
}

# complaint LOG: print the cause that apt named, in one line.
complaint() {
	local cause

	for cause in 'No space left on device' 'Failed to fetch .*' 'E: .*'; do
		! grep -m 1 -oE "$cause" "$1" || return 0
	done
}

# with_apt COMMAND...: run a command that calls apt, with a line every ten seconds.
with_apt() (
	make_scratch
	with_progress "$scratch/log" "$@" && exit
	complaint "$scratch/log" | sed "s/^/${0##*/}: /" >&2
	exit 1
)

# download DIRECTORY PACKAGE[=VERSION]...: download .deb files to a new DIRECTORY.
download() (
	rm -rf "$1" && mkdir -p "$1" && cd "$1" && shift || exit
	# The sandbox user of apt cannot write in this directory.
	with_apt apt-get download -q -o APT::Sandbox::User=root "$@"
)

# Update the lists of packages.
update() {
	if [ -n "$own_lists" ]; then
		with_apt apt-get update -q -o APT::Update::Error-Mode=any && touch "$own_lists/updated"
	else
		with_apt alone apt as_root apt-get update -q -o APT::Update::Error-Mode=any
	fi
}

# fresh COMMAND...: if the command fails, repeat it with new lists of packages. A source of a third
# party may fail.
fresh() {
	"$@" && return
	update || :
	"$@"
}

# Check whether one of apt's sources can be reached.
online() (
	make_scratch
	# shellcheck disable=SC2016 # apt expands this
	for base in $(apt-get indextargets --format '$(BASE_URI)' 'Created-By: Packages' | sort -u); do
		! /usr/lib/apt/apt-helper -q -o APT::Sandbox::User=root -o Acquire::Retries=0 \
			download-file "${base}InRelease" "$scratch/InRelease" >/dev/null 2>&1 || exit 0
	done
	exit 1
)

# unavailable WHAT: skip if this machine is offline. Otherwise, the kernels that README lists can be
# downloaded, and it is a failure that they are not tested.
unavailable() {
	! online || die "apt cannot download $1, although its sources answer: they must include Debian's security suite"
	skip "apt cannot download $1, and none is cached: this machine is offline"
}

# ask_own NAME OPTION...: make apt use the sources of the standard input, with separate lists in
# the cache. The lists are at most one day old, unless the mirror is unreachable.
ask_own() {
	own_lists=$cache/apt-$1
	mkdir -p "$own_lists/lists/partial"
	cat >"$own_lists/sources.list"
	cat >"$own_lists/apt.conf" <<-CONF
		Dir::Etc::SourceList "$own_lists/sources.list";
		Dir::Etc::SourceParts "-";
		Dir::State::Lists "$own_lists/lists";
		Dir::Cache "$own_lists";
		APT::Sandbox::User "root";
		${*:2}
	CONF
	export APT_CONFIG=$own_lists/apt.conf
	[ -n "$(find "$own_lists/updated" -mtime -1 2>/dev/null)" ] || update ||
		say "kernel: apt cannot update the lists of $1"
}

# of_suite SUITE: use another suite of this machine's mirror.
of_suite() {
	local mirror

	# shellcheck disable=SC2016 # apt expands this
	mirror=$(apt-get indextargets --format '$(REPO_URI)' \
		'Label: Debian' 'Component: main' | head -n 1)
	[ -n "$mirror" ] || die "apt has no mirror of Debian"
	ask_own "$1" <<<"deb [signed-by=$keyring] $mirror $1 main"
}

# of_machine ARCHITECTURE: use this machine's sources for another processor, and for amd64.
of_machine() {
	local sources

	# apt expands the expressions in parentheses.
	sources=$(apt-get indextargets 'Origin: Debian' 'Component: main' 'Created-By: Packages' \
		--format "deb [signed-by=$keyring] \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" | sort -u)
	[ -n "$sources" ] || die "apt has no mirror of Debian"
	ask_own "$1" "APT::Architecture \"$1\"; APT::Architectures { \"$1\"; \"amd64\"; };" \
		<<<"$sources"
}

# recent PATH: print the directory that record() has stored for PATH, unless a day has passed or
# the lists of packages have been updated since. Needs neither apt nor the lock of PATH.
recent() {
	local directory

	[ -n "$(find "$1.recent" -newer /var/lib/apt/lists -mtime -1 2>/dev/null)" ] &&
		directory=$(cat "$1.recent") && [ -d "$directory" ] && printf '%s\n' "$directory"
}

# record PATH DIRECTORY: print the directory, and store it as the current version of PATH.
record() {
	printf '%s\n' "$2" | tee "$1.recent.part" && mv "$1.recent.part" "$1.recent"
}

# newest DIRECTORY WHAT: print the newest cached version, because apt cannot download WHAT.
newest() {
	local found

	found=$(find "$1" -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1) || :
	[ -n "$found" ] || unavailable "$2"
	say "kernel: apt cannot download $2; using ${found##*/} from the cache"
	printf '%s\n' "$found"
}
