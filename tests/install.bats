# install.bats - what `make install` puts where, and that it works from there.

setup() {
	load helper
	need make pkg-config
	DEST=$BATS_TEST_TMPDIR/root
}

# In a build folder of its own, so that the flags of the run under test do not matter; the objects
# are shared between the tests of this file.
make_quietly() {
	local b=$BATS_FILE_TMPDIR/build
	make -C "$ROOT" --no-print-directory B="$b" prefix=/usr DESTDIR="$DEST" SAN= CFLAGS=-O0 -j2 "$@" >log 2>&1 </dev/null ||
		{ cat log; return 1; }
}

@test "every tool, its man page and its completions are installed under prefix" {
	make_quietly install
	for tool in $(tools); do
		[ -x "$DEST/usr/bin/$tool" ]
		[ -f "$DEST/usr/share/man/man1/$tool.1" ]
		[ -f "$DEST/usr/share/bash-completion/completions/$tool" ]
		[ -f "$DEST/usr/share/fish/vendor_completions.d/$tool.fish" ]
	done
	[ -f "$DEST/usr/share/zsh/site-functions/_pp" ]
}

@test "nothing is installed outside DESTDIR and prefix" {
	make_quietly install
	[ "$(ls "$DEST")" = usr ]
	[ "$(ls "$DEST/usr" | tr '\n' ' ')" = "bin include lib share " ]
}

@test "an installed tool runs" {
	make_quietly install
	run -0 "$DEST/usr/bin/pp-dump" --version
	[[ "$output" == pp-dump* ]]
}

@test "a program builds and runs against the installed library by pkg-config alone" {
	make_quietly install
	cat >prog.c <<-'END'
		#include <libpipe.h>
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
	${CC:-cc} -o prog prog.c $(pkg-config --cflags --libs libpipe)
	build >in.pipe <<-'END'
		header
		attr
		repeat 5 {
		sample time=$(i+1)
		}
	END
	run -0 ./prog in.pipe
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

@test "flags of the builder are respected, and a change of them rebuilds" {
	make_quietly all
	make_quietly -n all
	run ! grep -q 'CC ' log
	make_quietly -n V=1 all CPPFLAGS=-DPP_MARK CFLAGS=-O1 LDFLAGS=-Wl,--as-needed
	grep -q -- '-DPP_MARK' log
	grep -q -- '-O1' log
	run ! grep -q -- '-O2' log
	grep -q -- '--as-needed' log
}

@test "make help names every target that the README names" {
	run -0 make -C "$ROOT" --no-print-directory help
	for target in all demo test check sanitize fuzz bench install uninstall man clean help; do
		[[ "$output" == *" $target "* ]]
	done
}
