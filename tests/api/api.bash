# api.bash - the library as it is installed, and programs that have nothing else of it.

# installed: installs the library below $DEST, once for each file of tests
installed() {
	need make pkg-config g++ nm
	[ -f "$BIN/flags" ] || skip "the tools are not from a build folder"
	! sanitized || skip "there is no shared library of a sanitizer's build"
	DEST=$BATS_FILE_TMPDIR/root
	[ -d "$DEST" ] || make -C "$ROOT" --no-print-directory V=0 B="$BIN" prefix=/usr DESTDIR="$DEST" install >log 2>&1 ||
		{ cat log; return 1; }
	INCLUDE=$DEST/usr/include/perfpipe
	export PKG_CONFIG_PATH=$DEST/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$DEST LD_LIBRARY_PATH=$DEST/usr/lib
	# the short way to options, { sizeof(options) }, leaves members out on purpose
	WARN=(-Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Werror)
}

C=("${CC:-cc}" -std=c11)
CXX=(g++ -std=c++17)

# links SOURCE PROGRAM [static]: as a user would, by pkg-config alone
links() {
	local compiler=("${C[@]}") libs
	[[ $1 == *.c ]] || compiler=("${CXX[@]}")
	libs=$(pkg-config --libs perfpipe)
	[ "${3:-}" != static ] || libs=$(pkg-config --static --libs perfpipe | sed 's/-lperfpipe/-l:libperfpipe.a/')
	# shellcheck disable=SC2046,SC2086
	"${compiler[@]}" "${WARN[@]}" $(pkg-config --cflags perfpipe) -o "$2" "$1" $libs
}

# everyway SOURCE COMMAND...: the program, linked shared and static, as ./program in the command
everyway() {
	local source=$1
	shift
	links "$source" program
	"$@" >shared.out
	links "$source" program static
	"$@" >static.out
	same_bytes shared.out static.out
}

