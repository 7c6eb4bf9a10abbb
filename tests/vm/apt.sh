# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Packages to look into, never to install. Source it, after lib.sh.

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

# download FOLDER PACKAGE=VERSION...: the .deb files, into a new FOLDER.
download() (
	rm -rf "$1" && mkdir -p "$1" && cd "$1" && shift || exit
	# The sandbox user of a root's apt cannot write here, and need not.
	apt-get download -q -o APT::Sandbox::User=root "$@" >&2
)

# fresh COMMAND...: if it fails, once more with fresh lists of packages.
fresh() {
	"$@" && return
	as_root apt-get update -q >&2 && "$@"
}

# newest FOLDER WHAT: the newest that the cache holds, for apt does not answer.
newest() {
	local found

	mkdir -p "$1"
	found=$(find "$1" -mindepth 1 -maxdepth 1 | sort -V | tail -n 1)
	[ -n "$found" ] || die "apt does not bring $2, and none is cached"
	say "kernel: apt does not bring $2; taking ${found##*/} from the cache"
	printf '%s\n' "$found"
}
