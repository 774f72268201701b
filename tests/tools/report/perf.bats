# perf.bats - pp-report of recordings: option by option it prints what perf report --stdio prints.

setup_file() {
	load ../../helper
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

setup() { load ../../helper; }

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
		-p inner
		-p inner -s comm --no-children
		-p inner -F overhead,sym
		-p inner -F sym -s comm --no-children
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

# bats test_tags=nightly
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

# bats test_tags=nightly
@test "report: events of a group are shown as perf 6.1 shows them" {
	need_perf_events
	[[ $(perf --version) == *' 6.1.'* ]] || skip "this perf is not 6.1"
	compared_groups perf
}

# bats test_tags=nightly
@test "report: events of a group are shown as perf 7.3 shows them" {
	need_perf_events
	need_newer_perf 7.3
	compared_groups "$(newer_perf 7.3)"
}

# bats test_tags=nightly
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
