# report.bats - pp-report: what perf report --stdio prints.

setup_file() {
	load ../helper
	cd "$BATS_FILE_TMPDIR" || return
	command -v perf >/dev/null && command -v "${CC:-cc}" >/dev/null || return 0
	# Nothing but its own functions, so that no version of perf knows more names than another.
	cat >prog.c <<-'END'
		#include <unistd.h>
		static volatile unsigned x;
		static volatile char pages[64][4096]; // perf 6.1 shows a column of zeros where there was no page fault
		__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 20000; i++) x += i; }
		__attribute__((noinline)) void inner(void) { for (int i = 0; i < 30000; i++) x += i; leaf(); x++; }
		__attribute__((noinline)) void outer(int n)
		{
			for (int i = 0; i < 40; i++) { inner(); leaf(); }
			pages[x % 64][0]++;
			if (n) outer(n - 1);
			x++;
		}
		__attribute__((noinline)) void rare(void) { for (int i = 0; i < 900000; i++) x += i; }
		void _start(void) { for (int i = 0; i < 12; i++) outer(3); rare(); leaf(); x++; _exit(0); }
	END
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector -static \
		-nostartfiles -fcf-protection=none -o prog prog.c 2>/dev/null || rm -f prog
	[ ! -x prog ] || perf record -q -e cpu-clock:u,task-clock:u -F 3000 -g -o - -- ./prog >in 2>/dev/null || rm -f in
	[ ! -s in ] || pp-save -o in.data in || rm -f in
	[ ! -s in ] || perf record -q -e '{cpu-clock:u,task-clock:u},page-faults' -F 3000 -g -o grouped.data -- ./prog \
		>/dev/null 2>&1 || rm -f grouped.data
	[ ! -s in ] || perf record -q -e '{cpu-clock:u,page-faults,task-clock:u}:S' -F 3000 -g -o led.data -- ./prog \
		>/dev/null 2>&1 || rm -f led.data
	[ ! -s in ] || pp-dump --json in | jq -r 'select(.type == "SAMPLE").fields.tid' | sort -u | head -n 1 >tid
}

setup() {
	load ../helper
	load names
}

head_of() {
	head_with CPU
	echo 'comm pid=8 comm="eight up" time=6'
}

two_events() {
	head_of
	cat <<-END
		sample id=1 misc=1 pid=7 tid=7 time=10 period=30 ip=0xffffffff81000110 callchain=-128,0xffffffff81000110,0xffffffff81000010
		sample id=1 misc=1 pid=8 tid=9 time=12 period=10 ip=0xffffffff81000020 callchain=-128,0xffffffff81000020
		sample id=2 misc=1 pid=8 tid=8 time=13 cpu=3 period=7 ip=0xffffffff81000020
		round
	END
}

# as_it_is: without the tip at the end, which is another each time, and with one level for all functions:
# for callers in the kernel perf 7.3 has that of programs; and "[...]" is a function in perf whose memory nobody clears,
# so that it is inlined or not by chance
as_it_is() { sed -E '/^# \((Tip|For|Cannot)/,$d; s/ \[[.k]\] / [.] /; s/\[\.\.\.\] \(inlined\)$/[...]/' | perl -0777 -pe 's/#\n\z//'; }

# compared PERF: each line of options is compared with what this perf prints
compared() {
	local perf=$1 options wrong=0 rows=0
	[ -s "$BATS_FILE_TMPDIR/in" ] || skip "nothing could be recorded: no perf, no compiler, or not permitted"
	while IFS= read -r options; do
		(cd "$BATS_FILE_TMPDIR" && eval "printf '%s\\n' $options") >words
		mapfile -t words <words
		set -- "${words[@]}"
		"$perf" report --stdio -i "$BATS_FILE_TMPDIR/in.data" "$@" 2>perf.err </dev/null | as_it_is >expected
		pp-report "$@" "$BATS_FILE_TMPDIR/in" | as_it_is >got
		[ -s got ]
		diff expected got || { echo "differs: $options"; wrong=$((wrong + 1)); }
		rows=$((rows + 1))
	done
	[ "$rows" -ge 40 ]
	[ "$wrong" -eq 0 ]
}

rows() {
	cat <<-'END'
		-s comm,dso,sym
		-s comm,sym
		-s sym
		-s sym,dso
		-s dso
		-s dso,sym
		-s comm
		-s pid
		-s comm,pid,sym
		-s cpu,sym
		-s parent,sym
		-s parent,sym -p inner
		-s parent -p "^out" --no-children
		-s local_weight,sym
		-s sym,sample
		-s sym --no-children
		-s comm,dso,sym --no-children
		-s sym --no-children -G
		-s sym --children
		-s sym -g graph
		-s sym -g graph,0.5,callee
		-s sym -g graph,10
		-s sym -g graph,0.5,2
		-s comm -g caller,period
		-s comm -g callee,count
		-s sym -g fractal
		-s sym -g fractal,5,callee
		-s sym -g fractal,0.5,caller,period
		-s sym -g fractal,0.5,caller,count
		-s sym --no-children -g fractal
		-s sym -g flat
		-s sym -g flat,count
		-s sym -g folded
		-s sym -g folded,count
		-s sym --no-children -g folded,callee
		-s sym -g none
		-s sym --no-children -g none
		-s sym -n
		-s sym --show-total-period
		-s sym -n --show-total-period --no-children
		-s sym --showcpuutilization
		-s sym --percent-limit 5
		-s sym --percent-limit 5 --no-children
		-s sym --max-stack 2
		-s sym --max-stack 2 --no-children
		-s sym --max-stack 1 -g callee
		-s time --no-children
		-s time,sym --no-children -g none --time-quantum 10ms
		-s srcline --no-children -g none
		-s srcline,sym --no-children -g none
		-s cgroup -g none
		-F overhead,sym
		-F sym,overhead,sample
		-F comm,overhead
		-F overhead_children,overhead,comm,sym
		-F overhead,overhead_us,overhead_sys,period,dso
		-F overhead,dso -s dso,sym -g none
		-F sample,sym -s sym --no-children
		-s sym -t ,
		-s comm,sym -t ";" -g none
		-s dso,sym -t _ --no-children -g none
		--no-call-graph -s sym
		-s sym --no-children -S leaf,inner
		-s sym --no-children --symbols=leaf,inner --percentage relative
		-s sym --no-children --symbols=leaf --percentage=absolute -g none
		-s comm,sym --no-children -c prog
		-s comm,sym --no-children -c other --percentage relative
		-s dso,sym --no-children -d prog
		-s dso,sym --no-children --dsos "$PWD/prog" --percentage relative
		-s dso,sym --no-children --dsos "[kernel.kallsyms]" -n
		-s pid,sym --no-children --pid 1,2
		-s pid,sym --no-children --tid $(cat tid) --percentage relative
		-F overhead_children,sym --no-children -g none
		-s addr --no-children -g none
		-s sym,addr --no-children
		-c nothing -s comm,sym -g none
		-c nothing -n --show-total-period -s pid,comm
		-c prog,nothing -s comm,sym -g none
	END
}

@test "report: a table of options gives what perf 6.1 prints" {
	need_perf_events
	[[ $(perf --version) == *' 6.1.'* ]] || skip "this perf is not 6.1"
	rows | compared perf
}

@test "report: a table of options gives what perf 7.3 prints" {
	need_perf_events
	need_newer_perf 7.3
	{
		rows
		echo '-s tgid,sym'
		echo '-s srcfile --no-children -g none'
		echo '-s socket,sym --no-children -g none'
		echo '-s cgroup_id --no-children'
		echo '-s dso_size,dso --no-children -g none'
		echo '-s sym,srcf --no-children -g none'
		echo '-F srcfile,overhead,srcline --no-children -g none'
	} | compared "$(newer_perf 7.3)"
}

@test "report: of threads that run beside each other latency is what perf 7.3 prints" {
	need_perf_events
	need_newer_perf 7.3
	need "${CC:-cc}"
	local options wrong=0
	cat >threads.c <<-'END'
		#include <pthread.h>
		#include <unistd.h>
		static volatile unsigned x[4];
		static void *work(void *arg)
		{
			const long n = (long)arg;

			for (int k = 0; k < 4; k++) {
				for (long i = 0; i < 3000000 * (n + 1); i++)
					x[n] += i;
				usleep(2000);
			}
			return NULL;
		}
		int main(void)
		{
			pthread_t t[3];

			for (long i = 0; i < 3; i++)
				if (pthread_create(&t[i], NULL, work, (void *)i))
					return 1;
			for (int i = 0; i < 3; i++)
				pthread_join(t[i], NULL);
			work((void *)3);
			return 0;
		}
	END
	"${CC:-cc}" -O1 -pthread -o threads threads.c
	"$(newer_perf 7.3)" record -q --latency -e cpu-clock:u -F 1999 -o threads.data -- ./threads 2>/dev/null ||
		skip "perf 7.3 can record no context switches here"
	pp-cat threads.data >in
	while read -ra options; do
		"$(newer_perf 7.3)" report --stdio -i threads.data "${options[@]}" 2>perf.err </dev/null | as_it_is >expected
		pp-report "${options[@]}" in | as_it_is >got
		grep -q '^# Samples: ' got
		diff expected got || { echo "differs: ${options[*]}"; wrong=$((wrong + 1)); }
	done <<-'END'
		-s comm,dso
		-s parallelism
		-s pid,parallelism
		-s pid,sym --latency
		-F latency,parallelism,cpu
		-s pid --parallelism 2
	END
	[ "$wrong" -eq 0 ]
}

# Call trees are those of the first event.
grouped_rows() {
	cat <<-'END'
		--no-children -g none
		-s sym --group
		-s sym -g none
		-s sym -g caller
		-s sym --no-group
		-s sym,dso --no-children -n
		-s sym --no-children --show-total-period -n
		-s comm --no-children --showcpuutilization -g none
		-s sym --no-children -g none --group-sort-idx 1
		-s sym --no-children -g none --group-sort-idx 0
		-s sym --no-children -g none --group-sort-idx 9
		-s sym --no-children -g none -t ;
		-s sym --no-children --percent-limit 5
		-F overhead,sym,sample
		-F overhead_children,overhead,sym --no-children -g none
		-F sym,overhead_children --no-children -g none
		-F sym,overhead_children,dso --no-children -g none -t ;
		-c nothing -s sym -g none
		-c nothing --percentage relative -g none
		alone --group -F overhead,overhead_children,sym --no-children
		alone --group -s sym -g none --group-sort-idx 1
		alone --no-group -s sym -g none --group-sort-idx 1
		led -F overhead,overhead_children,sym --no-children
		-F sym,overhead,period -d prog --percentage relative
		-s sym --no-children -S leaf -g none
		-s time --no-children -g none -S nothing --percentage relative
		alone --group -s sym -g none
		alone --group -s comm,sym --no-children -n
		alone --no-group -s sym -g none
		led -s sym --no-children -n
		led -s sym --no-group --show-total-period
		led -s comm,sym,dso --no-children -g none -d prog
		led -s sym,comm -g none -c prog
	END
}

# compared_groups PERF
compared_groups() {
	local options file wrong=0
	[ -s "$BATS_FILE_TMPDIR/grouped.data" ] || skip "nothing could be recorded: no perf, no compiler, or not permitted"
	while read -ra options; do
		file=grouped
		[ "${options[0]}" != alone ] || { file=in && options=("${options[@]:1}"); }
		[ "${options[0]}" != led ] || { file=led && options=("${options[@]:1}"); }
		"$1" report --stdio -i "$BATS_FILE_TMPDIR/$file.data" "${options[@]}" 2>perf.err </dev/null | as_it_is >expected
		pp-report "${options[@]}" "$BATS_FILE_TMPDIR/$file.data" | as_it_is >got
		grep -q '^# Samples: ' got
		diff expected got || { echo "differs: ${options[*]}"; wrong=$((wrong + 1)); }
	done < <(grouped_rows)
	[ "$wrong" -eq 0 ]
}

@test "report: events of a group are shown as perf 6.1 shows them" {
	need_perf_events
	[[ $(perf --version) == *' 6.1.'* ]] || skip "this perf is not 6.1"
	compared_groups perf
}

@test "report: events of a group are shown as perf 7.3 shows them" {
	need_perf_events
	need_newer_perf 7.3
	compared_groups "$(newer_perf 7.3)"
}

@test "report: an event of a group to sort by needs a group, as in perf" {
	two_events | build >in
	for options in '' --no-children '--group -c nothing' '--no-group -s comm'; do
		# shellcheck disable=SC2086 # words
		run -0 pp-report --group-sort-idx 0 $options in
	done
	run -2 --separate-stderr pp-report --group-sort-idx 1 in
	assert_output ''
	[ "$stderr" = 'pp-report: in: --group-sort-idx is for events of a group, and there is none: --group makes one' ]
	run -2 pp-report --group-sort-idx 1 -o kept in
	[ ! -e kept ]
	pp-report --group-sort-idx 1 --group in | grep -q 'cpu-clock, task-clock'
	pp-report --group-sort-idx 1 --csv in | grep -q '^task-clock,'
}

@test "report: a key says the same whether its name is whole or only begun" {
	need_tracepoints
	local name
	two_events | build >in
	for name in srcline symbol trace; do
		pp-report --no-children -s "$name" in | sed '/^#/d' >whole
		pp-report --no-children -s "${name%?}" in | sed '/^#/d' | diff whole -
	done
	[ -s whole ]
	perf record -q -e sched:sched_process_exec -o - -- sh -c 'ls; ls' >in 2>/dev/null
	pp-report -s trace in | grep -q filename=
	diff <(pp-report -s trace in) <(pp-report -s trac in)
}

@test "report: events of a group are side by side, and what only one of them has is there" {
	{
		two_events
		echo 'feature GROUP_DESC u32 1 string pair u32 0 u32 2'
	} | build >in
	pp-report -s comm,sym --no-children -g none in >got
	cat >expected <<-'END'
		# To display the perf.data header info, please use --header/--header-only options.
		#
		#
		# Total Lost Samples: 0
		#
		# Samples: 3  of events 'pair { cpu-clock, task-clock }'
		# Event count (approx.): 47
		#
		#         Overhead  Command   Symbol   
		# ................  ........  .........
		#
		    75.00%   0.00%  seven     [k] inner
		    25.00%   0.00%  :9        [k] outer
		     0.00% 100.00%  eight up  [k] outer


	END
	diff expected got
	pp-report -s comm,sym --no-children -g none --group-sort-idx 1 in | grep '%' >got
	[[ $(head -n 1 got) == *'100.00%  eight up'* ]]
	pp-report -s comm --no-group in | grep -c "of event" | grep -qx 2
	pp-report --csv -s comm --no-children in | diff - <(printf '%s\r\n' event,overhead,comm cpu-clock,75.0000,seven \
		cpu-clock,25.0000,:9 'task-clock,100.0000,eight up')
	run -2 pp-report --group --no-group in
}

@test "report: what tracepoints say is a key, and perf's own where all events are tracepoints" {
	need_tracepoints
	need_newer_perf 7.3
	local options wrong=0
	perf record -q -e sched:sched_process_fork,sched:sched_process_exec,sched:sched_process_exit -o all -- \
		sh -c 'ls / >/dev/null; ls / >/dev/null' >/dev/null 2>&1
	perf record -q -e sched:sched_process_fork,page-faults:u -c 1 -o some -- \
		sh -c 'ls / >/dev/null; ls / >/dev/null' >/dev/null 2>&1
	while read -ra options; do
		"$(newer_perf 7.3)" report --stdio -i "${options[0]}" "${options[@]:1}" 2>perf.err </dev/null | as_it_is >expected
		pp-report -q "${options[@]:1}" "${options[0]}" | as_it_is >got
		grep -q '^# Samples: ' got
		diff expected got || { echo "differs: ${options[*]}"; wrong=$((wrong + 1)); }
	done <<-'END'
		all
		all -n
		all -s trace,comm
		all -F overhead,trace
		all -s trace -t ;
		some -s trace
		some -s trace,comm -n
	END
	[ "$wrong" -eq 0 ]
	pp-report -q --csv all | grep -q '^sched:sched_process_exec,.*filename=[^ ]*/ls '
	pp-report -q --json -s trace,comm some | jq -s 'any(.[]; .event == "page-faults:u" and (has("trace") | not))' | grep -qx true
	# a filter and the key both need the formats
	pp-report -q --csv --filter 'prio > 0' -s trace all | grep -q 'comm='
}

@test "report: --filter takes the samples that pp-filter would, and a mistake is shown where it is" {
	two_events | build >in
	for expression in 'pid == 8' 'comm == "eight up" && cpu == 3' 'depth == 2' 'time >= +2ns' 'pid > 0'; do
		pp-filter "$expression" in >kept
		pp-report --csv kept >expected
		[ "$(wc -l <expected)" -gt 1 ]
		pp-report --csv --filter "$expression" in | diff expected -
	done
	for expression in 'time >= 50%' 'time > -2ns' '!(time < 50%)'; do
		pp-filter -i in "$expression" >kept
		pp-report --csv kept >expected
		[ "$(wc -l <expected)" -gt 1 ]
		pp-report --csv --filter "$expression" in | diff expected -
		pp-report --csv --filter "$expression" <in | diff expected -
	done
	run -2 --separate-stderr pp-report --filter 'time > -2ns' < <(cat in)
	[ "$stderr" = 'pp-report: standard input: time > -2ns: times from the end need a file, whose end is known' ]
	run -0 --separate-stderr pp-report --filter 'pid == 9' in
	[ "$output" = "" ]
	[ "$stderr" = "pp-report: in: no sample matched" ]
	run -2 --separate-stderr pp-report --filter 'comm == ' in
	[ "$output" = "" ]
	[[ "$stderr" == *$'\n  comm == \n          ^' ]]
	run -2 --separate-stderr pp-report --filter 'no_such_field == 1' in
	[ "$output" = "" ]
}

@test "report: of a stream as of the file that pp-save makes of it" {
	two_events | build >in
	pp-save -o in.data in
	pp-report in >of_stream
	pp-report in.data >of_file
	diff of_stream of_file
	trickle in 1 | pp-report >in_pieces
	diff of_stream in_pieces
	pp-cat --big-endian in | pp-report >other_order
	diff of_stream other_order
}

@test "report: a table for each event, in their order" {
	two_events | build >in
	pp-report -s comm,sym -g none in >got
	cat >expected <<-'END'
		# To display the perf.data header info, please use --header/--header-only options.
		#
		#
		# Total Lost Samples: 0
		#
		# Samples: 2  of event 'cpu-clock'
		# Event count (approx.): 40
		#
		# Children      Self  Command  Symbol   
		# ........  ........  .......  .........
		#
		    75.00%    75.00%  seven    [k] inner
		    75.00%     0.00%  seven    [k] outer
		    25.00%    25.00%  :9       [k] outer


		# Samples: 1  of event 'task-clock'
		# Event count (approx.): 7
		#
		# Children      Self  Command   Symbol   
		# ........  ........  ........  .........
		#
		   100.00%   100.00%  eight up  [k] outer


	END
	diff expected got
}

@test "report: --csv and --json have the columns of the table" {
	two_events | build >in
	pp-report --csv -s comm,sym --no-children -n in >got
	printf '%s\r\n' event,overhead,sample,comm,symbol cpu-clock,75.0000,1,seven,inner \
		cpu-clock,25.0000,1,:9,outer 'task-clock,100.0000,1,eight up,outer' >expected
	diff expected got
	pp-report --json -s comm,sym,cpu in >got
	[ "$(head -n 1 got)" = '{"schema":"perfpipe.report/1"}' ]
	[ "$(jq -rs 'map(select(.samples) | "\(.event) \(.samples) \(.total)") | join(", ")' got)" = "cpu-clock 2 40, task-clock 1 7" ]
	[ "$(jq -c 'select(.symbol == "inner") | .overhead |= floor | .overhead_children |= floor' got)" = '{"event":"cpu-clock","overhead_children":75,"overhead":75,"comm":"seven","symbol":"inner","level":"k"}' ]
	[ "$(jq -r 'select(.cpu).cpu' got)" = 3 ]
}

@test "report: of the samples that are left out only the sum is known" {
	two_events | build >in
	pp-report --csv -s comm,sym --no-children -c seven in >got
	printf '%s\r\n' event,overhead,comm,symbol cpu-clock,75.0000,seven,inner >expected
	diff expected got
	pp-report --csv -s comm,sym --no-children -c seven --percentage relative in >got
	printf '%s\r\n' event,overhead,comm,symbol cpu-clock,100.0000,seven,inner >expected
	diff expected got
	# in the caller, too, samples that are left out do not count
	pp-report --csv -s sym --symbols inner in >got
	printf '%s\r\n' event,overhead_children,overhead,symbol cpu-clock,75.0000,75.0000,inner \
		cpu-clock,75.0000,0.0000,outer >expected
	diff expected got
	pp-report --csv -s tgid,sym --no-children --pid 8 --tid 8,9 in >got
	printf '%s\r\n' event,overhead,tgid,symbol cpu-clock,25.0000,8,outer task-clock,100.0000,8,outer >expected
	diff expected got
	pp-report --csv -s tid,sym --no-children --pid 8 in >got
	pp-report --csv -s pid,sym --no-children --pid 8 in | sed 's/,pid,/,tid,/' >expected
	[ "$(wc -l <got)" -gt 1 ]
	diff expected got
	[ "$(pp-report --csv --no-children --pid 8 --tid 7 in | wc -l)" = 1 ]
}

@test "report: calls of equal weight are in the order of their files' names, then of addresses" {
	{
		head_of
		cat <<-END
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 prot=5 file=/nowhere/a.so time=7
			mmap2 pid=7 tid=7 start=0x4000 len=0x1000 prot=5 file=/nowhere/b.so time=7
		END
		for address in 0x4010 0x9010 0x4020 0x9020; do
			echo "sample id=1 misc=1 pid=7 tid=7 time=10 period=1 ip=0xffffffff81000110 callchain=-128,0xffffffff81000110,-512,$address"
		done
		echo round
	} | build >in
	pp-report -q --no-children -s sym -g callee in | grep -o '0x[49]0[12]0' >got
	printf '0x%s\n' 4020 4010 9020 9010 | diff - got
}

@test "report: what is inlined in a function of its own name is that function, as in perf 7.3, and has its own line" {
	local options
	need_perf_events
	need "${CC:-cc}"
	need_newer_perf 7.3
	cat >self.c <<-'END'
		#include <unistd.h>
		static volatile unsigned x;
		__attribute__((noinline)) static void other(void) { for (unsigned i = 0; i < 30000; i++) x += i; x++; }
		unsigned walk(unsigned n)
		{
			inline __attribute__((always_inline)) unsigned walk(unsigned k) { while (k--) x += k; return x; }
			return walk(n) + x++;
		}
		void _start(void) { for (int i = 0; i < 1000; i++) { x = walk(30000); other(); } _exit(0); }
	END
	"${CC:-cc}" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-stack-protector -static \
		-nostartfiles -fcf-protection=none -o self self.c
	perf record -q -e cpu-clock:u -F 2000 -g -o self.data -- ./self
	for options in '-s sym' '-s sym --no-children' '-s sym -g folded' '-s sym,srcline --no-children -g none'; do
		# shellcheck disable=SC2086
		"$(newer_perf 7.3)" report --stdio -i self.data $options 2>/dev/null </dev/null | as_it_is >expected
		# shellcheck disable=SC2086
		pp-report -q $options self.data | as_it_is >got
		grep -q ' walk' got
		[ "$(grep -c inlined got)" -eq 0 ]
		diff expected got
	done
	# without how much: perf counts a function twice that is a caller at the line where it is, too
	"$(newer_perf 7.3)" report --stdio -i self.data -s sym,srcline -g none 2>/dev/null </dev/null | as_it_is |
		sed 's/.*%//' | sort >expected
	pp-report -q -s sym,srcline -g none self.data | as_it_is | sed 's/.*%//' | sort >got
	grep -q 'walk *self.c:7$' got
	diff expected got
}

@test "report: an address without a name is that in its file, or, in the kernel, as it is" {
	{
		head_of
		cat <<-END
			mmap misc=1 pid=-1 tid=0 start=$K len=0x100000 pgoff=$K file=[kernel.kallsyms]_text time=7
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 pgoff=0x3000 prot=5 file=/nowhere/a.so time=7
			sample id=1 misc=1 pid=7 tid=7 time=10 period=2 ip=0xffffffff81000400 callchain=-128,0xffffffff81000400
			sample id=1 misc=2 pid=7 tid=7 time=11 period=1 ip=0x9010 callchain=-512,0x9010
			sample id=1 misc=2 pid=7 tid=7 time=12 period=1 ip=0x8010 callchain=-512,0x8010
			round
		END
	} | build >in
	pp-report -q --root "$PWD" --no-children -g none -s sym,srcline in | grep '%' | sed 's/ *$//' >got
	diff - got <<-'END'
		    50.00%  [k] 0xffffffff81000400  [kernel.kallsyms][400]
		    25.00%  [.] 0x0000000000008010  ??:0
		    25.00%  [.] 0x0000000000003010  a.so[3010]
	END
}

@test "report: memory that cannot be run is no code made at run time" {
	{
		head_of
		cat <<-END
			mmap2 pid=7 tid=7 start=0x9000 len=0x1000 pgoff=0x9000 prot=3 file=//anon time=7
			mmap2 pid=7 tid=7 start=0xb000 len=0x1000 pgoff=0xb000 prot=7 file=//anon time=7
			sample id=1 misc=2 pid=7 tid=7 time=11 period=3 ip=0x9010 callchain=-512,0x9010
			sample id=1 misc=2 pid=7 tid=7 time=12 period=1 ip=0xb010 callchain=-512,0xb010
			round
		END
	} | build >in
	pp-report -q --root "$PWD" --no-children -g none -s dso in | grep '%' | sed 's/ *$//' >got
	diff - got <<-'END'
		    75.00%  anon
		    25.00%  [JIT] tid 7
	END
	! newer_perf 7.3 >/dev/null || {
		pp-save -o in.data in
		"$(newer_perf 7.3)" report --stdio -i in.data --no-children -g none -s dso 2>/dev/null </dev/null |
			grep '%' | sed 's/ *$//' | diff - got
	}
}

@test "report: hostile names stay text in every format" {
	local long
	long=$(head -c 60000 /dev/zero | tr '\0' A)
	{
		head_of
		cat <<-END
			ksymbol addr=0xffffffff81000200 len=16 ksym_type=1 name="<b>&\"x\",y" time=7
			ksymbol addr=0xffffffff81000210 len=16 ksym_type=1 name="a\\x1b[31mb" time=7
			ksymbol addr=0xffffffff81000220 len=16 ksym_type=1 name="\\xff\\xfe" time=7
			ksymbol addr=0xffffffff81000230 len=16 ksym_type=1 name=$long time=7
			sample id=1 misc=1 pid=7 tid=7 time=10 period=1 ip=0xffffffff81000200 callchain=-128,0xffffffff81000200
			sample id=1 misc=1 pid=7 tid=7 time=11 period=1 ip=0xffffffff81000210 callchain=-128,0xffffffff81000210
			sample id=1 misc=1 pid=7 tid=7 time=12 period=1 ip=0xffffffff81000220 callchain=-128,0xffffffff81000220
			sample id=1 misc=1 pid=7 tid=7 time=13 period=1 ip=0xffffffff81000230 callchain=-128,0xffffffff81000230
			round
		END
	} | build >in
	for format in -n --csv --json '-t ,' '-g folded' '-g flat'; do
		# shellcheck disable=SC2086
		pp-report $format -s sym in >got
		LC_ALL=C refute grep -q $'[\x01-\x08\x0e-\x1f\xff]' got
		grep -q 'AAAAAAAAAAAAAAAA' got
	done
	pp-report --json -s sym in | jq -r 'select(.symbol).symbol' | grep -Fqx '<b>&"x",y'
	pp-report --csv -s sym --no-children in | grep -Fq '"<b>&""x"",y"'
}

@test "report: of a cut stream what is good is added up, and it exits 3" {
	two_events | build >in
	head -c $(($(stat -c %s in) - 20)) in >cut
	run -3 --separate-stderr pp-report -s comm --no-children -g none cut
	[[ $output == *'75.00%  seven'* ]]
	[[ $stderr == *'cut: '* ]]
}

@test "report: without samples there is no table" {
	head_of | build >in
	run -0 --separate-stderr pp-report in
	refute [ "$output" ]
	assert_equal "$stderr" 'pp-report: in: there are no samples in it'
}

@test "report, top: branches and accesses to memory that no sample has are reported" {
	printf 'header\nattr id=1\nsample pid=7 tid=7 ip=0x10 time=1\nround\n' | build >in
	run -0 --separate-stderr pp-report -b in
	[ "$stderr" = 'pp-report: in: no sample has branches: pp-record -b records them' ]
	run -0 --separate-stderr pp-report --mem-mode in
	[ "$stderr" = 'pp-report: in: no sample has an access to memory: pp-record -d records them' ]
	run -0 --separate-stderr pp-top --once -s comm -b in
	[ "$stderr" = 'pp-top: in: no sample has branches: pp-record -b records them' ]
	run -0 --separate-stderr pp-top --once -s comm --mem-mode in
	[ "$stderr" = 'pp-top: in: no sample has an access to memory: pp-record -d records them' ]
	for options in '' --no-branch-stack '-b -q' '--mem-mode -q'; do
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr pp-report $options in
		[ -z "$stderr" ]
	done
}

@test "report: no addresses of a chain, and slices of no time, are misuse" {
	printf 'header\nattr id=1\nsample pid=7 tid=7 ip=0x10 time=1\nround\n' | build >in
	run -2 pp-report --max-stack 0 in
	assert_line "pp-report: --max-stack: '0' is not between 1 and 65535"
	run -2 pp-report -s time --time-quantum 0 in
	assert_line 'pp-report: --time-quantum has to be more than 0'
	pp-report -s time --time-quantum 1ns --max-stack 1 in
}

@test "report: keys, call graphs and forms that are not are misuse" {
	run -2 pp-report -s comm,bogus /dev/null
	[[ $output == *"no key 'bogus'"* ]]
	run -2 pp-report -g graph,nonsense /dev/null
	run -2 pp-report --csv --json /dev/null
	run -2 pp-report --csv -t ';' /dev/null
	run -2 pp-report --json -t ';' /dev/null
	run -2 pp-report --children --no-children /dev/null
	run -2 pp-report -s parent -p '(' /dev/null
	run -2 pp-report --percent-limit 101 /dev/null
	run -2 pp-report --percentage some /dev/null
	run -2 pp-report --pid 12,x /dev/null
	[[ $output == *"'12,x' is not a list of numbers"* ]]
}

@test "report: memory is by distinct stacks, and not by samples" {
	need_limits
	{
		head_of
		echo round
	} | build >in
	pp-gen --samples 200000 --cpus 2 >many
	prlimit --as=400000000 pp-report -s comm,sym -g none many >got
	grep -q '^# Samples: 200K' got
}

@test "report: a fractal tree says how many samples it leaves out" {
	{
		head_of
		# of what calls two functions: 4 samples of 97 in one, 3 of 1 in the other
		for at in 110,4,97 210,3,1; do
			IFS=, read -r ip times period <<<"$at"
			for ((i = 0; i < times; i++)); do
				echo "sample id=1 misc=1 pid=7 tid=7 time=10 period=$period ip=0xffffffff81000$ip callchain=-128,0xffffffff81000$ip,0xffffffff81000010"
			done
		done
	} | build >in
	run -0 --separate-stderr pp-report --children -s sym -g fractal,5,caller,count in
	assert_line --regexp '--4--'
	assert_line --regexp '--3--\[\.\.\.\]$'
	run -0 --separate-stderr pp-report --children -s sym -g fractal,0,caller,count in
	refute_output --partial '[...]'
}
