#!/bin/bash
# changed.sh COMMIT - the command lines of lines.txt that what changed since COMMIT concerns, each as it stands
# there: those of tools whose code is not what COMMIT builds, and those that are new.  All lines if the
# programs or inputs of the matrix changed, or COMMIT is not there or cannot be built.
# The tools as they are now lie in $PLAIN.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 4
commit=$1

lines() { grep -vE '^(#|$)' "$here/lines.txt"; }

# all REASON: every line
all() {
	echo "changed.sh: every command line is tried: $*" >&2
	lines
	exit 0
}

git cat-file -e "$commit^{commit}" 2>/dev/null || all "there is no commit $commit here"
git diff --quiet "$commit" -- tests/faults ':!tests/faults/lines.txt' ':!tests/faults/*.bats' tests/memcheck \
	tests/build.pl tests/streams || all "what the matrix is made of has changed since $commit"

old=$(mktemp -d "${TMPDIR:-/tmp}/pp-changed.XXXXXX") || exit 4
trap 'rm -rf "$old"' EXIT

# code FILE NAME: the program, as $old/NAME, without what debuggers read, which changes with every line and path
code() { objcopy --strip-debug -R .note.gnu.build-id -R .comment "$1" "$old/$2" 2>/dev/null; }

# changed_tools: the names of the tools whose code differs, by a build of the commit as $PLAIN was built
changed_tools() {
	local tool flag flags=()
	git diff --quiet "$commit" -- libpipe tools Makefile && return
	for flag in CC CFLAGS CPPFLAGS LDFLAGS LDLIBS; do
		flags+=("$flag=$(sed -n "s/^ *built\.$flag := //p" "$PLAIN/flags")")
	done
	mkdir "$old/source" && git archive "$commit" | tar -x -C "$old/source" &&
		make -s -C "$old/source" -j"$(nproc)" B=build "${flags[@]}" all >"$old/log" 2>&1 || return
	for tool in tools/pp-*.c; do
		tool=${tool##*/} tool=${tool%.c}
		code "$PLAIN/$tool" now && code "$old/source/build/$tool" was && cmp -s "$old/now" "$old/was" ||
			echo "$tool"
	done
}

changed_tools >"$old/tools" || all "$commit cannot be built: $(tail -n 1 "$old/log")"
echo "changed since $commit: $(paste -sd ' ' "$old/tools" | grep . || echo no tool)" >&2
{
	lines | grep -E "^[~=]?&?([0-9]:)? *($(paste -sd '|' "$old/tools" | grep . || echo none))( |\$)"
	git diff "$commit" -- tests/faults/lines.txt | sed -n 's/^+\([^+#]\)/\1/p'
} | sort -u
