# abi.bats - the interface that linked programs rely on: each symbol is in the node of its header, and the
# stable interface is the one that abi/ records.

setup() {
	load ../helper
	load api
	installed
	need readelf
}

# declared NODE [-DPP_UNSTABLE]: prints the symbols that the compiler finds declared as public, with that node
declared() {
	local node=$1
	shift
	echo '#include <perfpipe/perfpipe.h>' | "${C[@]}" "$@" -I"$DEST/usr/include" -E -P -x c - >headers.i
	NODE=$node perl -0777 -ne '
		for (/^__attribute__\(\(visibility\("default"\)\)\)(.*?);/gms) {
			my @names = /^\s*extern\b/ ? /\b(pp_\w+)(?=\s*(?:,|$))/g : /\b(pp_\w+)\s*\(/;
			print "$_\@$ENV{NODE}\n" for @names ? @names : "nothing in $_";
		}' headers.i | sort -u
}

# needed FILE: prints the nodes of the library that it depends on
needed() {
	readelf -VW "$1" >needed.txt
	perl -ne '
		$ours = /File: libperfpipe\.so\.0/ if /File:/;
		print "$1\n" if $ours && /Name: (\S+)/' needed.txt | sort
}

@test "each public symbol is in the stable or the unstable node, and no other symbol is shown" {
	declared LIBPERFPIPE_0 >stable
	declared LIBPERFPIPE_0_UNSTABLE -DPP_UNSTABLE | while IFS=@ read -r name node; do
		grep -qx "$name@LIBPERFPIPE_0" stable || echo "$name@$node"
	done >unstable
	[ "$(wc -l <stable)" -gt 300 ]
	[ "$(wc -l <unstable)" -gt 100 ]
	nm -D --with-symbol-versions --defined-only "$DEST/usr/lib/libperfpipe.so.0" |
		perl -ane '$F[2] =~ s/@@/@/; print "$F[2]\n" unless $F[1] eq "A"' | sort >have
	sort stable unstable | diff - have
}

@test "a program that uses stable functions alone depends on the stable node alone" {
	for source in comm.cc filter.c write.cc; do
		links "$TESTS/api/$source" stable
		assert_equal "$(needed stable)" LIBPERFPIPE_0
	done
	"$TESTS/api/program.sh" "$INCLUDE/symbol.h" >unstable.c
	links unstable.c unstable
	assert_equal "$(needed unstable | paste -sd' ')" 'LIBPERFPIPE_0 LIBPERFPIPE_0_UNSTABLE'
}

@test "a declaration of any form is found, and nothing in a comment" {
	cat >odd.h <<-'HEADER'
		/* PP_API int pp_not(void); */
		PP_API extern const int pp_a,
			pp_b; /* both; pp_not */
		PP_API extern const char pp_c[4]; // pp_not
		/*
		PP_API int pp_not2(void);
		 */
		PP_API PP_MUST_CHECK struct pp_not *pp_d(int a, /* one */
			int (*pp_fn)(void *arg)) PP_PRINTF(1, 2);
		static inline int pp_not3(void) { return pp_e(); }
	HEADER
	printf '#ifndef PP_UNSTABLE\n#error "asks"\n#endif\nPP_API int pp_later(void);\n' >later.h
	cat >want <<-'MAP'
		LIBPERFPIPE_0 { global: pp_a; pp_b; pp_c; pp_d; local: *; };
		LIBPERFPIPE_0_UNSTABLE { global: pp_later; };
	MAP
	awk -f "$ROOT/libpipe/include/symbols.awk" later.h odd.h | paste -sd' ' | tr -s '\t ' ' ' |
		sed 's/}; /};\n/' | diff want -
}

# need_abi: skips the test where libraries cannot be compared with abi/
need_abi() {
	need abidiff
	[ "$(getconf LONG_BIT)" = 64 ] || skip "abi/ is that of 64 bits"
}

# as_recorded LIBRARY: fails, and says why, if its types and functions are not those in abi/
as_recorded() {
	abidiff --no-architecture "$ROOT/abi/libperfpipe.so.0.abi" "$1" >report && return
	cat report
	echo "Linked programs rely on these.  If the change only adds something, run make abi and commit abi/;"
	echo "if not, the library is no longer libperfpipe.so.0: CONTRIBUTING.md, How to add a public function."
	return 1
}

@test "the stable interface is the one that abi/ records" {
	need_abi
	as_recorded "$BIN/stable/libperfpipe.so.0"
}

@test "a change of a stable struct, function, number or node is found" {
	need_abi
	# changed HEADER PERL: compares a library whose header was changed by that
	changed() {
		rm -rf include && cp -r "$DEST/usr/include" include
		perl -0777 -i -pe "$2" "include/perfpipe/$1"
		cmp -s "include/perfpipe/$1" "$INCLUDE/$1" && return 9
		awk -f "$ROOT/libpipe/include/symbols.awk" -v stable=1 include/perfpipe/*.h >stable.c
		"${C[@]}" -w -g -fPIC -Iinclude -shared -Wl,-soname,libperfpipe.so.0 -o stable.so \
			stable.c || return 9
		as_recorded stable.so
	}
	changed api.h 's/$/\n/'
	while read -r header change; do
		echo "$header $change"
		run -1 changed "$header" "$change"
		assert_output --partial 'make abi'
	done <<-'END'
		record.h s/(struct pp_record \{\n)/$1int more;/
		error.h s/(struct pp_error \{.*?)\bint\b/$1long/s
		reader.h s/(PP_API void pp_reader_close\()/$1int more, /
		reader.h s/PP_API (?!PP_MUST)[^;]*pp_reader_close[^;]*;//
		types.h s/(PP_REC_SAMPLE = )9/${1}8/
		seal.h s/^#define.*?$/$&\n#ifndef PP_UNSTABLE\n#endif/m
	END
}
