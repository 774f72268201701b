# heads.bats - what pp-report prints above its tables, and what else those know who come from perf.

setup() { load ../../helper; }

# bats test_tags=T3-C5
@test "report: --header, --header-only, -I, --stdio, and the last of --group and --no-group are as in perf 7.3" {
	need_newer_perf 7.3
	local perf row file
	perf=$(newer_perf 7.3)
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm,mmap name=faults config=2
		feature HOSTNAME string "here"
		feature NRCPUS u32 2 u32 2
		feature EVENT_DESC
		comm pid=7 comm=seven time=5
		sample id=1 pid=7 ip=0x400010 time=10
		sample id=2 pid=7 ip=0x400010 time=11
		round
	END
	pp-save in -o in.data
	for file in in in.data; do
		while read -r row; do
			# of a stream perf knows too late which events there are
			[[ $file != in || $row != *group* ]] || continue
			echo "row: $file $row"
			# shellcheck disable=SC2086 # options
			"$perf" report --stdio $row -i $file 2>err </dev/null | grep -v '^# (' >expected
			# shellcheck disable=SC2086 # options
			pp-report $row $file 2>err >got
			# a tip is above its closing line, and is another each time
			diff <(sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}' expected) <(sed -e :a -e '/^[#\n]*$/{$d;N;ba' -e '}' got)
		done <<-'END'

			--stdio
			--header
			--header -I -s comm
			--header-only
			--header-only -I
			--group --no-group
			--no-group --group
		END
	done
	pp-report --header in | grep -q '^# hostname : here'
	run ! grep -q 'Overhead' <(pp-report --header-only in)
	run -2 --separate-stderr pp-report --header --json in
	[[ "$stderr" == *'--header has text only'* ]]
}

# bats test_tags=T3-C5
@test "report: the first name of a thread is that of its earlier samples, too, as in perf" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock
		sample id=1 pid=7 ip=0x400010 time=10
		sample id=1 pid=8 ip=0x400010 time=11
		comm pid=7 comm=seven time=15
		comm pid=8 comm=eight time=16
		comm pid=8 comm=nine time=17
		sample id=1 pid=7 ip=0x400010 time=20
		sample id=1 pid=8 ip=0x400010 time=21
		fork pid=9 ppid=7 tid=9 ptid=7 time=22
		sample id=1 pid=9 ip=0x400010 time=23
		comm pid=9 comm=child time=24
		sample id=1 pid=9 ip=0x400010 time=25
		sample id=1 pid=11 ip=0x400010 time=26
		round
	END
	pp-report -s comm in | awk '/%/ { print $1, $2 }' >got
	printf '%s\n' '42.86% seven' '14.29% :11' '14.29% child' '14.29% eight' '14.29% nine' | diff - got
	need_perf
	while read -r perf; do
		echo "$perf"
		"$perf" report --stdio -s comm -i in 2>err </dev/null | grep '^ .*%' >expected
		pp-report -s comm in | grep % | diff expected -
	done < <(perfs)
}

# bats test_tags=T3-C5
@test "report: types of data have no callers, as in perf 7.3" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock
		sample id=1 pid=7 ip=0x400010 time=10 callchain=-512,0x400010,0x400020
		round
	END
	for key in type type,comm typeoff; do
		pp-report -g none -s $key in >got
		grep -q '^# Overhead ' got
		run ! grep -q Children got
		! perf=$(newer_perf 7.3) || "$perf" report --stdio -g none -s $key -i in 2>err </dev/null | sed -n 1,12p | diff - <(sed -n 1,12p got)
	done
}

# bats test_tags=T3-C5
@test "report, script: code of line 0 has its file and that line, as in perf 7.3" {
	need_perf_events
	need clang
	cat >prog.c <<-'END'
		static volatile unsigned x;
		__attribute__((noinline)) void known(void) { for (int i = 0; i < 3000000; i++) x += i; }
		int main(void) { known(); return 0; }
	END
	clang -g -O1 -S prog.c -o prog.s
	perl -pi -e '$in ||= /^known:/; $in &&= !/^\.Lfunc_end0/; s/\.loc\t(\d+) 2 \d+.*/.loc\t$1 0 1/ if $in && $n++ > 3' prog.s
	clang prog.s -o prog
	perf record -q -B -e cpu-clock:u -o in ./prog
	pp-report -s srcline in | grep -q ' prog.c:0$'
	pp-report -s srcfile in | grep -q ' prog.c *$'
	pp-script -F ip,sym,srcline in | grep -qx '  prog.c:0'
	perf=$(newer_perf 7.3) || return 0
	"$perf" script -F ip,sym,srcline -i in 2>err </dev/null | grep -qx '  prog.c:0'
}
