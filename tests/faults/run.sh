#!/bin/bash
# run.sh [OPTIONS] - runs matrix.pl in a folder of its own, on all processors.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/pp-faults.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 4
export PATH=$BIN:$PATH LC_ALL=C
perl "$here/matrix.pl" --jobs "$(nproc)" "$@"
