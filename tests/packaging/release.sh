#!/bin/bash
# release.sh SUITE - builds the Debian packages of HEAD in a chroot of that release, and tries them in a fresh
# one; they are in build/debian/SUITE then.  Needs root.
set -u
suite=${1:?usage: release.sh SUITE}
cd "$(dirname "$0")/../.." || exit 4
out=$PWD/build/debian/$suite
rm -rf "$out" && mkdir -p "$out" || exit 4
log=$(mktemp) || exit 4
trap 'rm -f "$log"' EXIT
export SHARE=$out

# logged COMMAND...: runs it, shows its output and keeps it in the log; returns its status
logged() { "$@" 2>&1 | tee -a "$log"; return "${PIPESTATUS[0]}"; }

logged tests/debian.sh "$suite" tests/packaging/build.sh /mnt &&
	logged tests/debian.sh "$suite" tests/packaging/try.sh /mnt
status=$?
# each ends in the closing line of a test run: prints their sum as one
awk '/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
	END { printf "%d passed, %d failed\n", p, f }' "$log"
exit $status
