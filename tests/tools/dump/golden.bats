# golden.bats - pp-dump on records of every type: golden files of every record and feature, either
# byte order, and the table of records when it grows.

setup() { load ../../helper; }

# golden NAME TEXT OPTION...: pp-dump's output is tests/golden/NAME; with UPDATE=1 it becomes so
golden() {
	local file=$TESTS/golden/$1 status=0
	build <"$2" >in.pipe
	shift 2
	pp-dump "$@" -i in.pipe >out 2>err || status=$?
	[ "$status" -eq 0 ] || return "$status"
	[ -z "${UPDATE:-}" ] || cp out "$file"
	diff "$file" out
}

# forms NAME TEXT: all ways to show it; raw where $RAW says so
forms() {
	local name=$1 text=$2
	golden "$name.json" "$text" --json $RAW
	golden "$name.text" "$text" $RAW
	golden "$name.long" "$text" -v $RAW
	golden "$name.headers" "$text" --headers $RAW
	golden "$name.headers.json" "$text" --headers --json $RAW
}

@test "records of perf 6.1 are shown as the golden files have them" {
	RAW='' forms every "$TESTS/streams/every.txt"
}

@test "records that came after perf 6.1 are shown as the golden files have them" {
	RAW='' forms newer "$TESTS/streams/newer.txt"
}

@test "old, odd and unknown records are shown as the golden files have them" {
	RAW=--raw forms rest "$TESTS/golden/rest.txt"
}

@test "bytes are shown as the golden file has them" {
	golden every.hex "$TESTS/streams/every.txt" -x
}

@test "the golden files have every type of record and every feature" {
	sed -n 's/^RECORD(\([A-Z0-9_]*\),.*/\1/p' "$ROOT/libpipe/format/records.def" | sort >types
	sed -n 's/^FEATURE(\([A-Z0-9_]*\),.*/\1/p' "$ROOT/libpipe/format/features.def" | sort >features
	[ -s types ]
	[ -s features ]
	jq -r 'select(.type).type' "$TESTS"/golden/{every,newer,rest}.json | sort -u >got
	[ "$(comm -23 types got)" = "" ]
	jq -r 'select(.feature).feature' "$TESTS"/golden/{every,newer,rest}.json | sort -u >got
	[ "$(comm -23 features got)" = "" ]
}

@test "a stream of the other byte order is shown like its twin" {
	for text in "$TESTS"/streams/{every,newer}.txt; do
		echo "$text"
		build <"$text" >little
		sed 's/^header$/header big/' "$text" | build >big
		json little >expected
		json big >got
		diff expected got
		pp-dump --raw --json -i little | sed 's/"little"/"big"/' >expected
		pp-dump --raw --json -i big | sed '1!s/"little"/"big"/' >got
		diff expected got
	done
}

# ---- a format that grows

# grown PERL: the numbers and names of all records, found by their numbers, after perl changed
# records.def
grown() {
	rm -rf grown
	cp -r "$ROOT/libpipe" grown
	perl -pi -e "$1" grown/format/records.def
	awk -f grown/include/types.awk grown/format/{records,features,attr}.def >grown/include/perfpipe/types.h
	"${CC:-cc}" -std=c11 -D_GNU_SOURCE -Igrown -Igrown/include -o table table.c grown/format/def_tables.c 2>cc.err && ./table
}

@test "a record that is added at the end of the kernel's, or of perf's, moves no other" {
	need "${CC:-cc}"
	cat >table.c <<-'END'
		#include "format/format.h"
		#include <stdio.h>
		int main(void)
		{
			const struct pp_type *t;
			unsigned n = 0;
			for (size_t i = 0; (t = pp_type_at(i)); i++) {
				if (pp_type(t->number) != t)
					return 1;
				printf("%u %s\n", t->number, t->name);
			}
			for (unsigned i = 0; i < 1 << 20; i++)
				n += (t = pp_type(i)) && t->number == i;
			for (size_t i = 0; pp_type_at(i); i++)
				n--;
			return n != 0;
		}
	END
	local kernel perf
	grown '' >before
	kernel=$(awk '$1 < 64 { n = $1 } END { print n + 1 }' before)
	perf=$(awk 'END { print $1 + 1 }' before)
	grown "s/(?=^RECORD\(HEADER_ATTR,)/RECORD(ADDED, $kernel, KERNEL, \"added\", U64(value, \"one\"))\n/" >grown.kernel
	(cat before && echo "$kernel ADDED") | sort -n >want
	sort -n grown.kernel | same_bytes want -
	grown "\$_ .= qq(\nRECORD(ADDED, $perf, USER, \"added\", U64(value, \"one\"))\n) if eof" >grown.perf
	(cat before && echo "$perf ADDED") | sort -n >want
	sort -n grown.perf | same_bytes want -
	# one in a place that is not its number's is refused by the compiler
	run ! grown "s/(?=^RECORD\(HEADER_ATTR,)/RECORD(ADDED, $((kernel + 1)), KERNEL, \"added\", U64(value, \"one\"))\n/"
	grep -q 'record ADDED is not in the order of the numbers' cc.err
}
