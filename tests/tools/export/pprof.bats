# pprof.bats - pp-export --to pprof: a program with inlined functions, read by our own reader, by protoc and
# by pprof itself.

setup_file() {
	load ../../helper
	need_perf_events
	need "${CC:-cc}"
	cat >prog.c <<-'END'
		static volatile unsigned x;
		#define INLINE static inline __attribute__((always_inline))
		INLINE void inner(void) { for (int i = 0; i < 100000; i++) x += i; }
		INLINE void middle(void) { for (int i = 0; i < 10; i++) inner(); }
		__attribute__((noinline)) void work(void) { for (int i = 0; i < 40; i++) middle(); x++; }
		int main(void) { work(); work(); return 0; }
	END
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o prog prog.c
	pp-record -q -g -e cpu-clock:u -o in -- ./prog
	pp-export -q in -o out.pb.gz
	pp-fold -q in >folded
}

setup() {
	load ../../helper
	cd "$BATS_FILE_TMPDIR" || return
}

held() { perl "$TESTS/tools/export/pprof.pl" "$@"; }
folded() { held "$@" | perl "$TESTS/tools/export/folded.pl"; }

@test "export: pprof has inlined functions and lines, each stack to the nanosecond" {
	folded out.pb.gz | diff folded -
	grep -q ';work;middle;inner ' folded
	held out.pb.gz >got
	samples=$(pp-fold -q --weight=count in | awk '{ n += $NF } END { print n }')
	grep -qx "comment samples: $samples cpu-clock:u" got
	awk -v due="$samples" '/^sample/ { split($2, v, ","); n += v[1] } END { exit n != due }' got
	grep -qE '^location [0-9]+ .*/prog 0x[0-9a-f]+ inner:[^ ]*prog.c:3 middle:[^ ]*prog.c:4 work:[^ ]*prog.c:5$' got
	grep -qE '^mapping 1 .*/prog [0-9a-f]{40} functions files lines inlined$' got
	pp-export -q --no-inline --to pprof in | held >plain
	refute grep -q middle plain
	awk '/^sample/ { split($2, v, ","); n += v[2] } END { print n }' plain >total
	awk '{ n += $NF } END { print n }' folded | diff total -
}

@test "export: names of the stream are enough, before the samples or after them" {
	pp-symbol in -o first
	pp-export -q --root /proc/self/fdinfo --to pprof first >got
	folded got | diff folded -
	cat in | pp-symbol -o late
	pp-export -q --root /proc/self/fdinfo --to pprof <late >got
	folded got | diff folded -
	cat late | pp-export -q --root /proc/self/fdinfo --to pprof >got
	folded got | diff folded -
}

@test "export: protoc finds no field that it does not know" {
	need protoc
	gzip -dc out.pb.gz | protoc --decode=Profile -I "$TESTS/tools/export" pprof.proto >got
	refute grep -qE '^ *[0-9]+[: ]' got
	[ "$(grep -c '^location {' got)" = "$(held out.pb.gz | grep -c ^location)" ]
}

@test "export: pprof shows the functions and what they take, to the nanosecond" {
	need go
	go tool pprof -top -unit=ns -nodecount=1000 -nodefraction=0 out.pb.gz >top 2>err
	grep -qx 'Type: cpu-clock:u' top
	grep -qx 'File: prog' top
	diff <(awk '/ flat / { on = 1; next } on && int($1) { print $6, int($1) }' top | sort) \
		<(awk '{ n = split($1, f, ";"); if (f[n] !~ /^\[/) t[f[n]] += $NF }
			END { for (i in t) print i, t[i] }' folded | sort)
	pid=$(held out.pb.gz | grep -m1 -o 'pid=[0-9]*')
	go tool pprof -top -sample_index=samples -tagfocus="$pid" out.pb.gz >top 2>err
	grep -q ' inner (inline)$' top
	go tool pprof -comments out.pb.gz 2>err | grep -qx 'command: ./prog'
}
