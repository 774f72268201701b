# install.bats - what `make install` puts where, and that it works from there.

setup() {
	load ../helper
	need make pkg-config
	DEST=$BATS_TEST_TMPDIR/root
}

# What was built for the tests is installed: `make install` alone takes its flags from there.
make_quietly() {
	make -C "$ROOT" --no-print-directory V=0 B="$BIN" prefix=/usr DESTDIR="$DEST" "$@" >log 2>&1 </dev/null ||
		{ cat log; return 1; }
	run ! grep -E '^  (CC|AR|LD) ' log
}

@test "every tool, its man page, its completions and the SQL are installed under prefix" {
	make_quietly install
	for tool in $(tools); do
		[ -x "$DEST/usr/bin/$tool" ]
		[ -f "$DEST/usr/share/man/man1/$tool.1" ]
		[ -f "$DEST/usr/share/bash-completion/completions/$tool" ]
		[ -f "$DEST/usr/share/fish/vendor_completions.d/$tool.fish" ]
	done
	[ -f "$DEST/usr/share/zsh/site-functions/_pp" ]
	[ -f "$DEST/usr/share/perfpipe/fleet.sql" ]
	[ -f "$DEST/usr/share/perfpipe/fleet-clickhouse.sql" ]
}

@test "nothing is installed outside DESTDIR and prefix" {
	make_quietly install
	[ "$(ls "$DEST")" = usr ]
	[ "$(ls "$DEST/usr" | tr '\n' ' ')" = "bin include lib share " ]
}

@test "an installed tool runs" {
	make_quietly install
	LD_LIBRARY_PATH=$DEST/usr/lib run -0 "$DEST/usr/bin/pp-dump" --version
	[[ "$output" == pp-dump* ]]
}

# needs FILE: the libraries that it names
needs() { readelf -Wd "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }

# need_library: the tools were built with a shared library
need_library() {
	need readelf ldd
	[ -f "$BIN/libperfpipe.so.0" ] || skip "there is no shared library of this build"
}

@test "installed tools load the installed library, and no file says where to look for libraries" {
	need_library
	make_quietly install
	for tool in $(tools); do
		echo "$tool"
		needs "$DEST/usr/bin/$tool" >libraries
		grep -qx 'libperfpipe.so.0' libraries
		run ! grep -qvxE 'libperfpipe\.so\.0|lib(c|m|ncursesw|tinfo)\.so\.[0-9]|ld-linux.*' libraries
	done
	# one with privileges would be told by it, and so by whoever can write there
	for file in "$DEST"/usr/bin/* "$DEST/usr/lib/libperfpipe.so.0" "$BIN/pp-record"; do
		echo "$file"
		run -0 readelf -Wd "$file"
		[[ $output != *RUNPATH* && $output != *RPATH* ]]
	done
}

@test "where the loader does not look, installed tools need no library of ours" {
	need_library
	make_quietly install prefix=/opt/own
	for tool in $(tools); do
		needs "$DEST/opt/own/bin/$tool" >libraries
		run ! grep perfpipe libraries
	done
	"$DEST/opt/own/bin/pp-check" "$TESTS/streams/plain.pipe"
	[ -f "$DEST/opt/own/lib/libperfpipe.so.0" ]
}

@test "installed tools load what reads ELF files only when they read one, and name as before" {
	need_library
	need strace
	make_quietly install
	export LD_LIBRARY_PATH=$DEST/usr/lib
	for tool in $(tools); do
		echo "$tool"
		ldd "$DEST/usr/bin/$tool" >libraries
		grep -q "libperfpipe.so.0 => $DEST/usr/lib" libraries
		run ! grep -E 'lib(dw|elf|lzma|bz2)\.' libraries
	done
	# loads COMMAND...: which of them it has loaded
	loads() {
		strace -f -o trace -e trace=openat "$DEST/usr/bin/$@" >out 2>err || return
		grep -oE 'lib(dw|elf|lzma)\.so\.[0-9]' trace | sort -u | paste -sd' '
	}
	assert_equal "$(loads pp-check "$TESTS/streams/plain.pipe")" ''
	load ../tools/symbol/symbols
	source_of_prog
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work 4)" >in
	assert_equal "$(loads pp-symbol in)" 'libdw.so.1 libelf.so.1 liblzma.so.5'
	mv out named
	assert_equal "$(frames named)" work
	pp-symbol in >expected
	same_bytes expected named
	# what was kept from then is not asked for again
	XDG_CACHE_HOME=$PWD/none
	export XDG_CACHE_HOME
	mkdir empty
	: >empty/libdw.so.1
	LD_LIBRARY_PATH=$PWD/empty:$LD_LIBRARY_PATH run -4 "$DEST/usr/bin/pp-symbol" -o out in
	assert_output --partial 'libdw.so.1 cannot be loaded'
}

# Which of them the linker asks for depends on what the compiler has put in line.
@test "the library can load every function of libelf, libdw and liblzma that its sources name" {
	local library
	for library in elf dw lzma; do
		nm -D --defined-only "$("${CC:-cc}" -print-file-name=lib$library.so)"
	done | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >theirs
	[ "$(wc -l <theirs)" -gt 300 ]
	grep -oE '^CALL(_VOID)?\(.*' "$ROOT/libpipe/elf/elfutils.def" | perl -ne 'print "$1\n" if /(\w+)(?:, \(.*|,)$/' | sort -u >loaded
	[ "$(wc -l <loaded)" -gt 60 ]
	perl -0777 -ne 's{/\*.*?\*/}{}gs; print "$_\n" for /\b(\w+)\b/g' "$ROOT"/libpipe/*/*.c | sort -u |
		comm -12 - theirs | comm -23 - loaded >forgotten
	cat forgotten
	[ ! -s forgotten ]
}

@test "install-strip installs the same without symbols" {
	need_library
	make_quietly install-strip
	for file in "$DEST"/usr/bin/* "$DEST/usr/lib/libperfpipe.so.0"; do
		echo "$file"
		run -0 readelf -WS "$file"
		[[ $output != *.symtab* && $output != *.debug_info* ]]
	done
	run -0 readelf -WS "$DEST/usr/lib/libperfpipe.a"
	[[ $output == *.symtab* && $output != *.debug_info* ]]
	LD_LIBRARY_PATH=$DEST/usr/lib "$DEST/usr/bin/pp-check" "$TESTS/streams/plain.pipe"
	[ "$(du -s "$DEST/usr/bin" | cut -f1)" -lt 4000 ]
}

@test "a program builds and runs against the installed library by pkg-config alone" {
	make_quietly install
	cat >prog.c <<-'END'
		#include <perfpipe/perfpipe.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			struct pp_error error = { 0 };
			struct pp_reader *in = pp_reader_open(argc > 1 ? argv[1] : NULL, NULL, &error);
			struct pp_record rec;
			unsigned n = 0;

			if (!in)
				return 3;
			while (pp_reader_next(in, &rec, &error) > 0)
				n += rec.type == PP_REC_SAMPLE;
			printf("%u\n", n);
			pp_reader_close(in);
			return 0;
		}
	END
	export PKG_CONFIG_PATH=$DEST/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$DEST
	# shellcheck disable=SC2046
	${CC:-cc} -o prog prog.c $(pkg-config --cflags --libs perfpipe)
	build >in.pipe <<-'END'
		header
		attr
		repeat 5 {
		sample time=$(i+1)
		}
	END
	LD_LIBRARY_PATH=$DEST/usr/lib run -0 ./prog in.pipe
	[ "$output" = 5 ]
}

@test "uninstall leaves no file behind" {
	make_quietly install
	make_quietly uninstall
	[ -z "$(find "$DEST" -type f -o -type l)" ]
}

@test "DESTDIR and prefix with blanks in their names work" {
	DEST="$BATS_TEST_TMPDIR/a root"
	make_quietly install bindir='/opt/my tools'
	[ -x "$DEST/opt/my tools/pp-dump" ]
}

# bats test_tags=nightly
@test "flags of the builder are respected, and a change of them rebuilds" {
	make_own() { make -C "$ROOT" --no-print-directory V=0 B="$PWD/build" SAN= CFLAGS=-O0 "$@" >log 2>&1; }
	make_own -j"$(nproc)" all
	make_own all
	run ! grep -qE '^  (CC|AR|LD) ' log
	make_own -n V=1 all CPPFLAGS=-DPP_MARK CFLAGS=-O1 LDFLAGS=-Wl,--as-needed
	grep -q -- '-DPP_MARK' log
	grep -q -- '-O1' log
	run ! grep -q -- '-O2' log
	grep -q -- '--as-needed' log
}

# bats test_tags=nightly
@test "make install installs what was built, whatever its environment" {
	b=$BATS_TEST_TMPDIR/build
	make -C "$ROOT" V=0 B="$b" SAN= CC="${CC:-gcc}" CFLAGS='-O0 -DPP_MARK' CPPFLAGS='-DPP_TEXT=\"a\$$b\"' -j2 >log 2>&1
	env -i PATH="$PATH" PKG_CONFIG_PATH=/nowhere make -C "$ROOT" V=0 B="$b" prefix=/usr DESTDIR="$DEST" install >log 2>&1
	run ! grep -E '^  (CC|AR|LD) ' log
	for tool in $(tools); do
		cmp "$b/shared/$tool" "$DEST/usr/bin/$tool"
	done
	# What it is told anew counts.
	make -C "$ROOT" V=0 B="$b" SAN= CFLAGS=-O0 prefix=/usr DESTDIR="$DEST" -j2 install >log 2>&1
	grep -qE '^  CC ' log
	run ! grep -q PP_MARK "$b/flags"
}

@test "what is installed may be read by everybody, whatever the umask" {
	(umask 077 && make_quietly install)
	find "$DEST/usr" ! -perm -044 >closed
	find "$DEST/usr" -type d ! -perm -011 >>closed
	cat closed
	[ ! -s closed ]
}

# bats test_tags=nightly
@test "LDFLAGS=-static makes tools that need no library" {
	b=$BATS_TEST_TMPDIR/build
	# Debian 13's libelf.a lacks a part of itself
	echo '#include <libelf.h>
		int main(void) { return elf_end(elf_begin(0, ELF_C_READ, 0)); }' >empty.c
	"${CC:-cc}" -static -o empty empty.c $(pkg-config --static --libs libzstd libxxhash libelf libdw) ||
		skip "the static libraries are not installed, or not whole"
	make -C "$ROOT" V=0 B="$b" SAN= CFLAGS=-O0 LDFLAGS=-static -j2 all >log 2>&1 || { cat log; false; }
	for tool in $(tools); do
		echo "$tool"
		run ! ldd "$b/$tool"
	done
	# a seal is the same by whichever way it is computed
	"$b/pp-gen" --samples 5000 >static.pipe
	pp-gen --samples 5000 >shared.pipe
	same_bytes static.pipe shared.pipe
	"$b/pp-check" shared.pipe
}

@test "make help names every target that README and CONTRIBUTING name" {
	run -0 make -C "$ROOT" --no-print-directory help
	for target in all demo test check sanitize fuzz bench picture install uninstall man clean help; do
		[[ "$output" == *" $target "* ]]
	done
}
