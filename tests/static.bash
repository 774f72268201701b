# static.bash - all tools as one static program, which is linked once in a run.

# need_one: the program is $ONE
need_one() {
	! sanitized || skip "a sanitizer's program is not static"
	[ -f "$BIN/flags" ] || skip "the tools are not from a build folder"
	need make pkg-config objcopy
	ONE=$BIN/perfpipe
	local log=$SHARED/static.log
	(
		flock 9
		[ -f "$log" ] || make -C "$ROOT" --no-print-directory V=0 B="$BIN" static >"$log" 2>&1 ||
			rm -f "$ONE"
	) 9>"$SHARED/static.lock"
	[ ! -x "$ONE" ] || return 0
	cat "$log"
	! archives_are_whole || return
	skip "the static libraries are not installed, or not whole"
}

# archives_are_whole: a small static program of the same libraries can be linked; Debian 13's libelf.a lacks a
# part of itself
archives_are_whole() {
	echo '#include <libelf.h>
		int main(void) { return elf_end(elf_begin(0, ELF_C_READ, 0)); }' >empty.c
	# shellcheck disable=SC2046 # words
	"${CC:-cc}" -static -o empty empty.c \
		$(pkg-config --static --libs libzstd libxxhash libelf libdw ncursesw) 2>empty.err
}
