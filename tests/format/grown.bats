# A format that grows: tools built with a kernel's record, one of perf's, and a feature more than
# the tables have, added as CONTRIBUTING.md says.

bats_require_minimum_version 1.5.0

setup_file() {
	load ../helper
	need "${CC:-cc}" make
	[ -f "$BIN/flags" ] || skip "the tools are not from a build folder"
	cd "$BATS_FILE_TMPDIR"
	cp -a "$ROOT"/{libpipe,tools,Makefile} .
	# each new one follows the last of its kind
	kernel=$(sed -n 's/^RECORD(\w*, \([0-9]*\), KERNEL.*/\1/p' libpipe/format/records.def | tail -1)
	user=$(sed -n 's/^RECORD(\w*, \([0-9]*\),.*/\1/p' libpipe/format/records.def | tail -1)
	feature=$(sed -n 's/^FEATURE(\w*, \([0-9]*\),.*/\1/p' libpipe/format/features.def | tail -1)
	export KERNEL=$((kernel + 1)) USER_TYPE=$((user + 1)) FEATURE=$((feature + 1))
	cat >added <<-END
		RECORD(GROWN, $KERNEL, KERNEL, "new",
			S32(pid, "process", IS(PID)),
			S32(tid, "thread", IS(TID)),
			U64(count, "of something"),
			STR(name, "of it"))
	END
	sed -i -e '/^RECORD(HEADER_ATTR,/{' -e 'e cat added' -e '}' libpipe/format/records.def
	echo "RECORD(GROWN_USER, $USER_TYPE, USER, \"new\", U32(one, \"number\"), U32(two, \"number\"))" \
		>>libpipe/format/records.def
	echo "FEATURE(GROWN_FEATURE, $FEATURE, \"new\", U64(amount, \"of something\"))" \
		>>libpipe/format/features.def
	# Only the tables are compiled anew.  The numbers of what is new, in types.h, are enumerators that nothing else
	# names: all other objects are those that were built.
	mkdir grown
	cp -a "$BIN"/{libpipe,tools,include} grown
	rm grown/libpipe/format/def_tables.o
	! sanitized || export SAN=${SAN:-address,undefined}
	mapfile -t old < <(find "$PWD/grown" -name '*.o' -printf '-o\n%p\n')
	compiled "$PWD/grown" "${old[@]}" >build.log 2>&1 || { cat build.log; return 1; }
	export GROWN=$BATS_FILE_TMPDIR/grown
}

# compiled FOLDER ARGUMENT...: there, the tools that the tests use
compiled() {
	local names=(cat check dump filter mend undump)
	make -j2 -s B="$1" CFLAGS=-O0 "${names[@]/#/$1/pp-}" "${@:2}"
}

setup() {
	load ../helper
	PATH=$GROWN:$PATH
}

# grown ORDER: a stream with what is new.  A record's body and trailer stand here as bytes.
grown() {
	local u32=V u64=Q
	[ "$1" = little ] || u32=N u64='Q>'
	body() { perl -e 'my $t = shift; print unpack "H*", pack $t, @ARGV' "$@"; }
	build <<-END
		header $([ "$1" = little ] || echo big)
		attr id=1
		feature $FEATURE u64 77
		comm pid=7 tid=8 comm=seven time=1000
		record $KERNEL 2 $(body "$u32$u32$u64 a8 $u32$u32$u64 $u32$u32$u64" 7 8 4386 added 7 8 5000 1 0 1)
		record $USER_TYPE 0 $(body "$u32$u32" 11 12)
		sample pid=7 tid=8 time=6000
		round
	END
}

# shown TYPE FIELDS: the fields that the JSON on standard input has for the record of that type
shown() { [ "$(jq -Sc "select(.type == \"$1\").fields | del(.sample_id)")" = "$2" ]; }

@test "what is new is shown as text and as JSON, and read back" {
	grown little >in
	pp-dump in >text
	grep -q 'GROWN .*pid=7.*tid=8.*count=4386.*name="added"' text
	json in >lines
	shown GROWN '{"count":4386,"name":"added","pid":7,"tid":8}' <lines
	shown GROWN_USER '{"one":11,"two":12}' <lines
	shown HEADER_FEATURE "{\"data\":{\"amount\":77},\"feat_id\":$FEATURE}" <lines
	[ "$(jq 'select(.type == "GROWN").fields.sample_id.time' lines)" -eq 5000 ]
	pp-undump <lines | same_bytes in -
}

@test "what is new is turned out of the other byte order" {
	grown little >little
	grown big >big
	pp-cat big >turned
	same_bytes little turned
	pp-dump --json --raw big | shown GROWN '{"count":4386,"name":"added","pid":7,"tid":8}'
}

@test "what is new is checked: sound, and damaged" {
	grown little >in
	pp-check in >said
	run -1 grep unknown said
	"$BIN/pp-check" in >said
	grep -q "UNKNOWN_$KERNEL" said
	perl -pe 's/added\0\0\0/addedxxx/' in >out
	run -3 --separate-stderr pp-check out
	[[ "$output$stderr" == *GROWN*name* ]]
}

@test "what is new is found again after damage, and judged by what its fields mean" {
	grown little >in
	at=$(records in | awk -v type="UNKNOWN_$KERNEL" '$2 == type { print $1 }')
	{ head -c "$at" in && printf 'x%.0s' {1..40} && tail -c "+$((at + 1))" in; } >damaged
	run -3 --separate-stderr pp-mend -o mended damaged
	json mended | shown GROWN '{"count":4386,"name":"added","pid":7,"tid":8}'
	pp-filter 'count == 4386 && name == "added" && pid == 7' in | json >kept
	shown GROWN '{"count":4386,"name":"added","pid":7,"tid":8}' <kept
	pp-filter 'count == 4387' in | json >kept
	shown GROWN '' <kept
}

# bats test_tags=nightly
@test "what is new shows the same where every source was compiled with it" {
	cd "$BATS_FILE_TMPDIR"
	compiled "$PWD/whole"
	cmp -s "$PWD/whole/pp-dump" "$BIN/pp-dump" && return 1
	for order in little big; do
		grown "$order" >in
		for tool in cat dump mend; do
			"whole/pp-$tool" in | cmp - <("grown/pp-$tool" in)
		done
		whole/pp-filter 'count == 4386' in | cmp - <(grown/pp-filter 'count == 4386' in)
	done
}
