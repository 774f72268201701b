#!/bin/bash
# try.sh FOLDER - installs the Debian packages that build.sh made, on a system without anything else, and runs
# their tests: by autopkgtest, or as it would where it cannot be installed.  Needs root, and changes the
# system: for a chroot.
set -u
from=$(realpath "${1:?usage: try.sh FOLDER}") || exit 2
cd "$(dirname "$0")/../.." || exit 4
. tests/packaging/packaging.bash

mkdir "$work/debs" && cp "$from"/*.deb "$work/debs" || ends "no packages in $from"
rm -f "$work"/debs/*-dbgsym_*.deb
chmod -R a+rX "$work"
apt update

# the programs alone bring the libraries that they load
apt install "$work"/debs/perfpipe_*.deb "$work"/debs/libperfpipe0_*.deb ||
	ends "the programs cannot be installed"
pp-gen --samples 100 | pp-symbol | pp-report >/dev/null || ends "the programs do not run"
passed=$((passed + 1))

if apt install autopkgtest; then
	mapfile -t sources < <(ls "$from"/*.dsc)
	autopkgtest --no-built-binaries --ignore-restrictions=isolation-machine \
		"$work"/debs/*.deb "${sources[@]}" -- null
	status=$?
	# 2: tests were skipped; 8: all were
	[ $status -eq 0 ] || [ $status -eq 2 ] || ends "autopkgtest: exit $status"
	passed=$((passed + 1))
else
	apt install "$work"/debs/*.deb || ends "the packages cannot be installed"
	for name in $(sed -n 's/^Tests: //p' debian/tests/control); do
		mapfile -t needs < <(sed -n "/^Tests: $name\$/,/^\$/s/^Depends: //p" debian/tests/control |
			tr -d ' ' | tr , '\n')
		apt install "${needs[@]}" || ends "the Depends of the test $name cannot be installed"
		"debian/tests/$name"
		status=$?
		[ $status -eq 0 ] || [ $status -eq 77 ] || ends "the test $name: exit $status"
		passed=$((passed + 1))
	done
fi

apt purge perfpipe libperfpipe0 libperfpipe-dev || ends "the packages cannot be removed"
left=$(find /usr /etc /var/lib/dpkg -name '*perfpipe*' -o -path '/usr/bin/pp-*')
[ -z "$left" ] || ends "purged packages leave $left"
passed=$((passed + 1))
ends
