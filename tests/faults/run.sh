#!/bin/bash
# run.sh matrix|memcheck [OPTIONS] - runs that program in a folder of its own, on all processors, with
# the tools in $PLAIN.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/pp-faults.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 4
export PATH=$PLAIN:$PATH LC_ALL=C
[ $# -gt 1 ] || set -- "$1" --line '^[^~]'
perl "$here/$1.pl" --jobs "$(nproc)" "${@:2}"
