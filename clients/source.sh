# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154 # for what tests/vm/lib.sh sets
# Fetches the tests of other projects from Debian's source packages, in the installed version, and
# keeps them outside of the tree. Source this file after tests/vm/lib.sh.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The machine's package sources as deb-src lines. The archive comes before its security updates,
# because a point release includes them.
sources() {
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
		--format '$(REPO_URI) $(RELEASE) $(COMPONENT)' | sort -u | LC_ALL=C sort -k 2 |
		sed "s|^|deb-src [signed-by=$keyring] |"
}

# apt-get with separate lists; those of the machine are not changed.
our_apt() {
	apt-get -q -o Dir::Etc::SourceList="$scratch/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$scratch/lists" \
		-o APT::Sandbox::User= "$@"
}

fetch_source() {
	make_scratch
	mkdir -p "$scratch/lists/partial" "$scratch/source" "${folder%/*}" &&
		sources >"$scratch/sources.list" &&
		our_apt update &&
		(cd "$scratch" && our_apt source --download-only "$1=$version") &&
		tar -C "$scratch/source" --strip-components 1 \
			-xf "$(echo "$scratch/$1"_*.orig.tar.*)" &&
		mv "$scratch/source" "$folder"
}

# debian_source SOURCE PACKAGE: sets $folder, where the sources of the installed PACKAGE are.
# Without them a report of one test that is skipped is all, and the script ends.
debian_source() {
	version=$(dpkg-query -W -f '${source:Version}' "$2")
	folder=$cache/$1/${version#*:}
	[ -d "$folder" ] || (fetch_source "$1") >&2 || {
		printf 'KTAP version 1\n1..1\nok 1 own_tests # SKIP no source package %s %s\n' \
			"$1" "$version"
		exit 0
	}
}

fetch_backport() {
	make_scratch
	mkdir -p "$scratch/lists/partial" "$folder.new" &&
		apt-get indextargets 'Created-By: Packages' 'Origin: Debian' \
			--format "deb [signed-by=$keyring] \$(REPO_URI) $suite \$(COMPONENT)" |
		grep -v security | sort -u >"$scratch/sources.list" &&
		our_apt update &&
		(cd "$scratch" && our_apt download "${@/%//$suite}") &&
		for package in "$scratch"/*.deb; do
			dpkg-deb -x "$package" "$folder.new" || return
		done &&
		mv -T "$folder.new" "$folder"
}

# debian_backport PACKAGE...: sets $folder, the directory with the files of packages of Debian's
# backports, which are not installed. Without them the script ends with a skipped test.
debian_backport() {
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")-backports
	folder=$cache/$1-$suite
	[ -d "$folder" ] || (fetch_backport "$@") >&2 || {
		printf 'KTAP version 1\n1..1\nok 1 tests # SKIP no package %s in %s\n' "$1" "$suite"
		exit 0
	}
}
