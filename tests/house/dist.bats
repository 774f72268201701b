# dist.bats - the release that `make dist` packs: the same bytes each time, built and tested without git.

setup() {
	load ../helper
	need make git xz tar
	[ -e "$ROOT/.git" ] && git -C "$ROOT" rev-parse -q --verify HEAD >/dev/null || skip "this is no clone"
	# a user's settings, which must not change the release
	export HOME=$PWD
	printf '[tar]\n\tumask = 0077\n' >.gitconfig
}

# packed FILE [UMASK ZONE]: the tarball, packed fast
packed() {
	(umask "${2:-022}" && TZ=${3:-UTC} make -C "$ROOT" --no-print-directory V=0 PACK='xz -0 -T1' \
		DIST="$PWD/$1" dist) >log 2>&1 || { cat log; return 1; }
}

# unpacked: unpacks a release as $TREE, and puts a git into PATH that writes down its calls and fails
unpacked() {
	packed dist.tar.xz
	tar -xf dist.tar.xz
	TREE=$(echo "$PWD"/perfpipe-*)
	[ ! -e "$TREE/.git" ]
	mkdir bin
	printf '#!/bin/sh\necho "git $*" >>"%s/called"\nexit 128\n' "$PWD" >bin/git
	chmod +x bin/git
}

# alone COMMAND...: in the tree, with an environment of its own, since bats does not run within itself
alone() {
	env -i -C "$TREE" PATH="$PWD/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" HOME="$PWD" \
		${TMPDIR:+TMPDIR="$TMPDIR"} "$@" >log 2>&1 3>&- || { tail -n 40 log; return 1; }
}

# own ARGUMENTS...: make, in the tree
own() { alone make --no-print-directory V=0 CC="${CC:-cc}" CFLAGS=-O1 "$@"; }

@test "one commit is packed to the same bytes, whatever the umask, the time zone and git's settings" {
	packed a.tar.xz
	rm .gitconfig
	packed b.tar.xz 077 Asia/Tokyo
	same_bytes a.tar.xz b.tar.xz
	version=$(sed -n 's/^VERSION := //p' "$ROOT/Makefile")
	tar -tf a.tar.xz >files
	run ! grep -v "^perfpipe-$version/" files
	grep -m 1 '^Version' "$ROOT/NEWS" | grep -q "^Version $version "
	for file in Makefile NEWS LICENSE abi/libperfpipe.so.0.abi .ci/run; do
		grep -qx "perfpipe-$version/$file" files
	done
}

@test "an unpacked release makes its targets, pages and lists of symbols without git" {
	unpacked
	own help
	own -n all
	own build/plain/man3/.made build/plain/symbols.map build/plain/stable/libperfpipe.so.0
	alone BIN="$BIN" TIER=short tests/run.sh tests/house/mapped.bats tests/house/columns.bats
	grep -qE '^[1-9][0-9]* passed, 0 failed' log
	[ ! -e called ]
}

# bats test_tags=nightly
@test "an unpacked release is built, installed and tested without git" {
	unpacked
	own -j"$(nproc)" all fuzz-objects
	usr=$PWD/root/usr
	own install prefix=/usr DESTDIR="$PWD/root"
	LD_LIBRARY_PATH=$usr/lib "$usr/bin/pp-check" "$TREE/tests/streams/plain.pipe"
	version=$("$TREE/build/plain/pp-check" --version | grep -o '[0-9.]*$')
	grep -qx "Version: $version" "$usr/lib/pkgconfig/perfpipe.pc"
	own check TIER=short T="tests/tools/check.bats tests/format tests/api/abi.bats \
		tests/house/install.bats"
	[ ! -e called ]
}
