# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154 # lib.sh sets $cache
# Packages to look into, never to install. Source it, after lib.sh.

# Whose signatures are believed of lists of our own, and where these are.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
own_lists=''

# candidate PACKAGE: the version that apt would take.
candidate() {
	apt-cache policy "$1" |
		awk '$1 == "Candidate:" && $2 != "(none)" { print $2; found = 1 }
		     END { exit !found }'
}

# dependency PACKAGE PREFIX: the package of that prefix that PACKAGE names.
dependency() {
	apt-cache depends "$1" 2>/dev/null |
		awk -v prefix="$2" '
			$1 == "Depends:" && index($2, prefix) == 1 && !found {
				print $2; found = 1
			}
			END { exit !found }'
}

# stock_releases: the releases that Debian's metapackages stand for, oldest first.
stock_releases() {
	local metapackage

	for metapackage in $(apt-cache pkgnames linux-image- |
		grep -Ex 'linux-image-([0-9.]+-)?amd64'); do
		dependency "$metapackage" linux-image- || :
	done | sed 's/^linux-image-//' | sort -V | grep .
}

# download FOLDER PACKAGE=VERSION...: the .deb files, into a new FOLDER.
download() (
	rm -rf "$1" && mkdir -p "$1" && cd "$1" && shift || exit
	# The sandbox user of a root's apt cannot write here, and need not.
	apt-get download -q -o APT::Sandbox::User=root "$@" >&2
)

# Lists of packages as they are today.
update() {
	if [ -n "$own_lists" ]; then
		apt-get update -q -o APT::Update::Error-Mode=any >&2 &&
			touch "$own_lists/updated"
	else
		alone apt as_root apt-get update -q >&2
	fi
}

# fresh COMMAND...: if it fails, once more with fresh lists of packages.
fresh() {
	"$@" && return
	update && "$@"
}

# ask_own NAME OPTION...: what is asked from here on is asked about the sources that stdin
# names, in lists of the cache's own, no older than a day unless the mirror does not answer.
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
		say "kernel: apt has no news of $1"
}

# of_suite SUITE: of the mirror that this machine has its packages from.
of_suite() {
	local mirror

	# shellcheck disable=SC2016 # it is apt that expands this
	mirror=$(apt-get indextargets --format '$(REPO_URI)' \
		'Label: Debian' 'Component: main' | head -n 1)
	[ -n "$mirror" ] || die "apt knows no mirror of Debian"
	ask_own "$1" <<<"deb [signed-by=$keyring] $mirror $1 main"
}

# of_machine ARCHITECTURE: what this machine's sources have for another processor, and beside it
# for an amd64.
of_machine() {
	local sources

	# It is apt that expands what is between brackets.
	sources=$(apt-get indextargets 'Origin: Debian' 'Component: main' 'Created-By: Packages' \
		--format "deb [signed-by=$keyring] \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" | sort -u)
	[ -n "$sources" ] || die "apt knows no mirror of Debian"
	ask_own "$1" "APT::Architecture \"$1\"; APT::Architectures { \"$1\"; \"amd64\"; };" \
		<<<"$sources"
}

# newest FOLDER WHAT: the newest that the cache holds, for apt does not bring it.
newest() {
	local found

	found=$(find "$1" -mindepth 1 -maxdepth 1 2>/dev/null | sort -V | tail -n 1) || :
	[ -n "$found" ] || skip "apt does not bring $2, and none is cached: is there a network, and Debian's security suite among apt's sources?"
	say "kernel: apt does not bring $2; taking ${found##*/} from the cache"
	printf '%s\n' "$found"
}
