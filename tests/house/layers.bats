# layers.bats - the rooms of the library stand in their order (ARCHITECTURE.md has it): asked of the
# objects that were built, by layers.pl.

setup() { load ../helper; }

layers() { perl "$TESTS/house/layers.pl" "$1" "${2:-$BIN}"; }

# house: the smallest that has rooms and a tool; base/low.c, format/high.c, format/table.c
house() {
	mkdir -p libpipe/base libpipe/format libpipe/include/perfpipe tools build
	printf '| `libpipe/base/` | x |\n| `libpipe/format/` | x |\n' >ARCHITECTURE.md
	echo 'int pp_public(void); /* pp_hidden */' >libpipe/include/perfpipe/all.h
	echo 'int pp_low(void) { return 1; }' >libpipe/base/low.c
	echo 'int pp_low(void); int pp_public(void) { return pp_low(); }' >libpipe/format/high.c
	echo 'int pp_public(void); int pp_hidden(void) { return pp_public(); }' >libpipe/format/table.c
	echo 'int pp_public(void); int main(void) { return pp_public(); }' >tools/pp-one.c
}

# built: its objects
built() {
	local source
	for source in libpipe/*/*.c tools/*.c; do
		mkdir -p "build/$(dirname "$source")"
		"${CC:-cc}" -w -c -o "build/${source%.c}.o" "$source" || return
	done
}

@test "layers: no room uses one above it, a circle of files is a known one, tools use what is public" {
	cd "$ROOT"
	for check in rooms circles tools unused; do
		echo "$check"
		run -0 layers $check
		refute_output
	done
}

@test "layers: a sound house passes" {
	house
	built
	for check in rooms circles tools unused; do
		run -0 layers $check build
		refute_output
	done
}

@test "layers: a use of a room above is found, by symbols and by includes" {
	house
	echo 'int pp_public(void); int pp_low(void) { return pp_public(); }' >libpipe/base/low.c
	echo '#include "format/high.h"' >libpipe/base/low.h
	built
	run -1 layers rooms build
	assert_line 'base/low uses pp_public of format/high, a room above'
	assert_line 'libpipe/base/low.h includes "format/high.h"'
}

@test "layers: a room without a place in the order is found, and one that is not there" {
	house
	mkdir libpipe/attic
	echo '| `libpipe/cellar/` | x |' >>ARCHITECTURE.md
	built
	run -1 layers rooms build
	assert_line 'ARCHITECTURE.md has no room attic'
	assert_line 'ARCHITECTURE.md has a room cellar, and libpipe has none'
}

@test "layers: a circle of files is found" {
	house
	echo 'int pp_hidden(void); int pp_public(void) { return pp_hidden(); }' >libpipe/format/high.c
	built
	run -1 layers circles build
	assert_output 'a circle of format/high format/table'
}

@test "layers: a tool that uses what is not public is found" {
	house
	echo 'int pp_hidden(void); int main(void) { return pp_hidden(); }' >tools/pp-one.c
	echo '#include "base/low.h"' >tools/one.h
	touch libpipe/base/low.h
	built
	run -1 layers tools build
	assert_line 'tools/pp-one uses pp_hidden, which no public header declares'
	assert_line 'tools/one.h includes "base/low.h"'
}

@test "layers: what only its own file uses is found" {
	house
	echo 'int low(void) { return 1; } int pp_low(void) { return low(); }' >libpipe/base/low.c
	built
	run -1 layers unused build
	assert_output 'only base/low uses low'
}
