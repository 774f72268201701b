# tasks.bats - pp-record: tasks that it reports, tasks that it records, and more of them than a
# record has room for.

setup() {
	load ../../helper
	load recorder
}

teardown() { touch stop; } # for what may still run

# ---- tasks

@test "the command's start and what it starts are told" {
	need_events
	pp-record -e cpu-clock -- sh -c 'perl -e "\$0 = q(renamed); \$i++ while \$i < 1e6"; true' >out
	fields out 'select(.type == "COMM") | [.fields.comm, .misc]' >comms
	run cat comms
	assert_line '["sh",8192]'
	assert_line '["perl",8192]'
	assert_line '["renamed",0]'
	run count FORK out
	refute_output 0
	run count EXIT out
	assert_output 2
}

@test "tasks that were there before are told, with the build-ids of their files" {
	need_perf
	need_all_cpus
	local shell
	shell=$(readlink /proc/$$/exe)
	pp-record -e cpu-clock -a -- true >out
	fields out 'select((.type == "COMM" or .type == "FORK") and .fields.pid == '$$') | .type' >told
	run sort -u told
	assert_output $'"COMM"\n"FORK"'
	fields out "select(.type == \"MMAP2\" and .fields.pid == $$ and .fields.filename == \"$shell\").fields.build_id" |
		head -n 1 | tr -d '"' >id
	perf buildid-list -i "$shell" >want
	same_bytes want id
}

@test "the kernel's own map is told, with its build-id" {
	need_perf
	need_root
	need_events
	local start
	start=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
	[ -n "${start//0/}" ] || skip "addresses of the kernel are hidden"
	pp-record -e cpu-clock -- true >out
	fields out 'select(.fields.filename == "[kernel.kallsyms]_text") | [.fields.pid, .misc % 8, .fields.pgoff]' >map
	run cat map
	assert_output "[-1,1,\"0x$start\"]"
	fields out 'select(.fields.filename == "[kernel.kallsyms]_text").fields.build_id' | tr -d '"' >id
	perf buildid-list -k >want
	same_bytes want id
}

@test "-p records the threads of a process, and ends when it ends" {
	need_events
	need timeout
	perl -e "$busy" stop 3>&- &
	local pid=$! recorder status=0
	timeout 120 pp-record -e cpu-clock -p $pid >out 2>err 3>&- &
	recorder=$!
	until_true sampled out
	touch stop
	wait $recorder || status=$?
	[ "$status" -eq 0 ]
	fields out 'select(.type == "SAMPLE").fields.pid' >pids
	run sort -u pids
	assert_output $pid
	run fields out 'select(.type == "EXIT").fields.pid'
	assert_output $pid
}

@test "-t records one thread and leaves the others out" {
	need_events
	need timeout
	perl -Mthreads -e 1 2>/dev/null || skip "this perl has no threads"
	perl -Mthreads -e 'threads->create(sub { $i++ until !($i % 1000) && -e "stop" }) for 1 .. 2; $_->join for threads->list' 3>&- &
	local pid=$! recorder status=0
	threads() { [ "$(ls /proc/$pid/task | wc -l)" -eq 3 ]; }
	until_true threads
	local tid
	tid=$(ls /proc/$pid/task | sort -n | sed -n 2p)
	timeout 120 pp-record -e cpu-clock -t "$tid" >out 2>err 3>&- &
	recorder=$!
	until_true sampled out
	touch stop
	wait $recorder || status=$?
	[ "$status" -eq 0 ]
	fields out 'select(.type == "SAMPLE").fields.tid' >tids
	run sort -u tids
	assert_output "$tid"
}

@test "-C records one CPU only, and tasks of all" {
	need_all_cpus
	need taskset
	taskset -c 0 true || skip "CPU 0 is not for us"
	pp-record -e cpu-clock -C 0 -- taskset -c 0 "${WORK[@]}" >out
	fields out 'select(.type == "SAMPLE").fields.cpu' >cpus
	run sort -u cpus
	assert_output 0
	fields out 'select(.type == "COMM" and .misc == 8192).fields.comm' >comms
	run grep -x '"perl"' comms
	assert_success
}

@test "-D starts the events later, and tells of tasks before that" {
	need_events
	need timeout
	local before exec first
	# the recorder's delay is over 300 ms from now at the earliest, whenever its command has begun
	before=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%d\n", clock_gettime(CLOCK_MONOTONIC) * 1e9')
	timeout 120 pp-record -e cpu-clock -k mono -D 300 -- perl -e "$busy" seen | tee out | pp-dump --type SAMPLE |
		{
			read -r line
			touch seen
			cat >/dev/null
		}
	exec=$(fields out 'select(.type == "COMM" and .misc == 8192).fields.sample_id.time' | head -n 1)
	first=$(fields out 'select(.type == "SAMPLE").fields.time' | sort -n | head -n 1)
	[ "$first" -ge $((before + 300000000)) ]
	[ "$exec" -gt "$before" ] && [ "$exec" -lt "$first" ]
}

@test "maps are not said to have build-ids because another recorder asked for them" {
	need_all_cpus
	need timeout readelf
	timeout 120 pp-record -q -B -e cpu-clock -a -o out -- perl -e 'select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
	local pid=$! learnt
	timeout 120 pp-record -q -e cpu-clock -a -o learning -- perl -e 'select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
	learnt=$!
	until_true begun out
	until_true begun learning
	pp-record -q -e cpu-clock -a --buildid-mmap -o other -- perl -e 1
	touch stop
	wait $pid
	wait $learnt
	pp-check -q out
	pp-check -q learning
	fields out 'select(.type == "MMAP2" and .fields.sample_id.time > 0) | .misc / 16384 % 2 >= 1' >marked
	run sort -u marked
	assert_output false
	# what is marked where build-ids are learnt has the file's, and not its device and inode
	fields learning 'select(.type == "MMAP2" and .misc >= 16384 and (.fields.filename | test("/perl$"))).fields.build_id' |
		sort -u >ids
	[ "$(cat ids)" = "\"$(readelf -n "$(readlink -f "$(type -P perl)")" | sed -n 's/.*Build ID: //p')\"" ]
	fields other 'select(.type == "MMAP2" and .fields.sample_id.time > 0 and .misc >= 16384).type' >marked
	[ -s marked ] || skip "this kernel does not put build-ids into MMAP2 records"
}

# ---- more ids than a record holds

# 8,200 counters or more: threads that sleep, times CPUs
many_threads() {
	need "${CC:-cc}"
	local cpus most
	cpus=$(getconf _NPROCESSORS_ONLN)
	threads=$((8200 / cpus + 1))
	most=$(ulimit -Hn)
	[ "$most" = unlimited ] || [ "$most" -ge 9000 ] || skip "not enough open files are allowed"
	cat >threads.c <<-'END'
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>
		static void *idle(void *arg) { pause(); return arg; }
		int main(int argc, char **argv)
		{
			pthread_attr_t attr;
			pthread_t thread;
			pthread_attr_init(&attr);
			pthread_attr_setstacksize(&attr, 65536);
			for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--)
				if (pthread_create(&thread, &attr, idle, NULL))
					return 1;
			fclose(fopen("ready", "w"));
			for (volatile unsigned long n = 0; ; n++)
				if (n % 1000000 == 0 && !access("stop", F_OK))
					_exit(0);
		}
	END
	"${CC:-cc}" -o threads threads.c -pthread
	./threads $threads 3>&- &
	many=$!
	until_true eval '[ -e ready ] || is_gone $many'
	[ -e ready ] || skip "so many threads cannot be made here"
}

# bats test_tags=nightly
@test "with one event more ids than a record holds are recorded" {
	need_perf
	need_events
	many_threads
	pp-record -e cpu-clock -F 999 -p "$many" -- perl -e '$i++ while $i < 3e7' >out 2>err
	touch stop
	run fields out 'select(.type == "HEADER_ATTR").fields.id | length'
	assert_output 8174
	fields out 'select(.type == "ID_INDEX").fields.entries | length' >index
	run awk '{ n += $1 } END { print n }' index
	assert_output 8174
	perf_quiet script -i out -F comm,event >script
	run sort -u script
	assert_line --regexp 'threads +cpu-clock:'
}

@test "with several events more ids than a record holds are refused, and nothing is written" {
	need_events
	many_threads
	run -2 --separate-stderr bash -c 'pp-record -e cpu-clock,task-clock -p $1 -- true >out' - "$many"
	touch stop
	assert_regex "$stderr" 'room for 8174'
	[ ! -s out ]
}
