#!/bin/bash
# run.sh matrix|memcheck [--since COMMIT] [OPTIONS] - runs that program in a folder of its own, on all
# processors, with the tools in $PLAIN.  With --since the command lines that what has changed since then
# concerns (changed.sh; kept in the file $CHANGED, if that is set) are tried whole, of the others a tenth,
# always the same.
set -u
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/pp-faults.XXXXXX") || exit 4
trap 'rm -rf "$work"' EXIT
export PATH=$PLAIN:$PATH LC_ALL=C
program=$1
shift
if [ "${1:-}" = --since ]; then
	whole=${CHANGED:-$work/whole}
	[ -f "$whole" ] || "$here/changed.sh" "$2" >"$whole" || exit
	shift 2
	set -- --whole "$whole" "$@"
	echo "$(wc -l <"$whole") command lines whole, a tenth of the others"
fi
[[ " $* " == *' --line '* ]] || set -- --line '^[^~]' "$@"
cd "$work" || exit 4
perl "$here/$program.pl" --jobs "$(nproc)" "$@"
