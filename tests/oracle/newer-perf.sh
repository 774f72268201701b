#!/bin/bash
# newer-perf.sh - unpacks newer versions of perf out of Debian's own packages into a folder of the
# tests, as programs named for their versions (perf-6.12, perf-7.3); installs nothing.
#
#     tests/oracle/newer-perf.sh [DIR]       DIR: $PERF_NEWER, or perfpipe/newer-perf in the user's cache
#
# One of perf 6 comes from Debian 13, one of perf 7 from its backports, through the mirror that apt
# is configured for.  What is there already is not fetched again.  Exit 4 where it cannot be had.
set -u
dir=${1:-${PERF_NEWER:-${XDG_CACHE_HOME:-$HOME/.cache}/perfpipe/newer-perf}}

give_up() {
	echo "newer-perf.sh: $*" >&2
	exit 4
}

# have MAJOR: is a perf of this major version there, and does it run?
have() {
	local perf
	for perf in "$dir/perf-$1".*; do
		"$perf" version >/dev/null 2>&1 && return
	done
	return 1
}

have 6 && have 7 && exit 0
for program in apt-get dpkg-deb; do
	command -v "$program" >/dev/null || give_up "no $program here"
done
site=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(SITE)' 2>/dev/null |
	sed -n 's/^Debian|Debian|//p' | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
[ -n "$site" ] || give_up "apt has no mirror of Debian here"
for key in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp} ''; do
	[ -f "$key" ] && break
done
[ -n "$key" ] || give_up "no keys of Debian's archive here"

mkdir -p "$dir" && dir=$(cd "$dir" && pwd) || give_up "cannot make $dir"
work=$(mktemp -d "$dir/work.XXXXXX") || give_up "cannot write to $dir"
trap 'rm -rf "$work"' EXIT

# fetch SUITE: linux-perf of trixie or SUITE and all that it needs, down to the C library, into
# $work/root, by an apt that knows nothing of this machine's packages
fetch() {
	local etc=$work/etc/apt lists=$work/var/lib/apt/lists archives=$work/var/cache/apt/archives deb
	rm -rf "$work/root"
	mkdir -p "$etc/apt.conf.d" "$etc/preferences.d" "$lists/partial" "$archives/partial" \
		"$work/var/lib/dpkg" "$work/root"
	: >"$work/var/lib/dpkg/status"
	printf "deb [signed-by=$key] $site %s main\n" trixie "$1" | sort -u >"$etc/sources.list"
	local apt=(timeout 600 apt-get -qq -y -t "$1" -o Dir="$work" -o Dir::Etc="$etc"
		-o Dir::State="$work/var/lib/apt" -o Dir::State::status="$work/var/lib/dpkg/status"
		-o Dir::Cache="$work/var/cache/apt" -o APT::Install-Recommends=false
		-o APT::Sandbox::User="$(id -un)" -o Acquire::http::Timeout=20)
	"${apt[@]}" update </dev/null >"$work/log" 2>&1 &&
		"${apt[@]}" --download-only install linux-perf </dev/null >>"$work/log" 2>&1 ||
		{ tail -n 3 "$work/log" >&2; return 1; }
	for deb in "$archives"/*.deb; do
		dpkg-deb -x "$deb" "$work/root" && rm -f "$deb" || return
	done
	rm -rf "$work"/root/usr/share/{doc,man,locale}
}

# keep: moves what was fetched to its place, and writes the program that starts it with its own
# libraries; the program comes last, so that it is there only with what it needs
keep() {
	local ld perf version root
	ld=$(cd "$work/root" && find usr/lib* -name 'ld-linux*.so*' | sort | head -n 1)
	perf=$(cd "$work/root" && find usr/bin -name 'perf*' -type f -perm -u+x | sort | head -n 1)
	[ -n "$ld" ] && [ -n "$perf" ] || return
	starter "$work/root" "$ld" "$perf" >"$work/perf" && chmod +x "$work/perf" || return
	version=$("$work/perf" version | sed -nE 's/^perf version ([0-9]+\.[0-9]+).*/\1/p')
	[ -n "$version" ] || return
	root=$dir/root-$version
	rm -rf "$root" && mv "$work/root" "$root" &&
		starter "$root" "$ld" "$perf" >"$work/perf" && mv "$work/perf" "$dir/perf-$version" &&
		echo "perf $version: $dir/perf-$version"
}

# starter ROOT LOADER PERF: the text of the program
starter() {
	local lib
	lib=$(find "$1/usr/lib" -maxdepth 1 -name '*-linux-gnu*' | sort | head -n 1)
	printf '#!/bin/sh\nPERF_EXEC_PATH="%s" exec "%s" --library-path "%s" --argv0 perf "%s" "$@"\n' \
		"$1/usr/lib/perf-core" "$1/$2" "$lib:$lib/systemd" "$1/$3"
}

for suite in 6:trixie 7:trixie-backports; do
	have "${suite%%:*}" && continue
	fetch "${suite#*:}" || give_up "cannot fetch linux-perf of Debian's ${suite#*:}"
	keep || give_up "linux-perf of Debian's ${suite#*:} does not run here"
	chmod +x "$dir"/perf-*
done
