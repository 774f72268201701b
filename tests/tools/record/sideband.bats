# sideband.bats - names and maps of tasks: all of them, once, right, and when they are written.

setup() {
	load ../../helper
	load recorder
}

teardown() { touch stop; } # for what may still run

# ---- tasks that start while the recording starts

@test "a task that starts while /proc is read has its name and maps in the recording" {
	need_all_cpus
	hold_library
	local options pid
	for options in "-a" "-a -z" "-a -D 1" "-C 0"; do
		rm -f started stop
		# shellcheck disable=SC2086
		held_record /proc 1 $options -- true
		perl -e '$0 = "latecomer"; open F, ">", "started"; select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
		pid=$!
		until_true test -e started
		let_go
		touch stop
		wait $pid
		echo "options: $options"
		fields out "select(.type == \"COMM\" and .fields.pid == $pid).fields.comm" >comms
		run cat comms
		assert_line '"perl"'
		assert_line '"latecomer"'
		fields out "select(.type == \"MMAP2\" and .fields.pid == $pid).fields.filename" >maps
		run cat maps
		assert_line --partial perl
		run fields out "select(.type == \"FORK\" and .fields.pid == $pid).fields.ppid"
		assert_output $$
		pp-check -q out
	done
}

@test "-p and -t record a child that starts while /proc is read with its name and maps" {
	need_events
	hold_library
	local options pid child
	for options in "-p|2" "-t|1"; do
		rm -f scanned started stop
		perl -e 'sub idle { select undef, undef, undef, 0.05 until -e $_[0] }
			idle("scanned");
			if (!fork) { $0 = "latecomer"; open F, ">", "started"; print F $$; close F; idle("stop"); exit }
			wait' 3>&- &
		pid=$!
		# -p reads the folder to find the threads, and again to report them
		held_record /proc/$pid/task "${options#*|}" ${options%|*} $pid -- true
		until_true test -s started
		child=$(cat started)
		let_go
		touch stop
		wait $pid
		echo "options: $options"
		fields out "select(.type == \"COMM\" and .fields.pid == $child).fields.comm" >comms
		run cat comms
		assert_line '"latecomer"'
		run fields out "select(.type == \"FORK\" and .fields.pid == $child).fields.ppid"
		assert_output $pid
	done
}

@test "what tasks do while /proc is read is written before the buffers are full" {
	need_all_cpus
	hold_library
	need taskset
	taskset -c 0 true || skip "CPU 0 is not for us"
	# one page a CPU holds 20 starts and ends; 100 processes are found, with 5 of them at each
	local i
	for ((i = 0; i < 100; i++)); do
		perl -e 'open F, ">", "idle.$$"; close F; select undef, undef, undef, 0.5 until -e "stop"' 3>&- &
	done
	until_true eval '[ "$(ls -d idle.* | wc -l)" -eq 100 ]'
	FORKS=5 LD_PRELOAD=$PWD/hold.so taskset -c 0 pp-record -e cpu-clock -m 1 -a -o out -- true
	touch stop
	pp-check -q out
	records out | sed '/FINISHED_INIT/q' >start
	run awk '$2 == "FORK" && $5 > 0 { n++ } END { print (n > 100) }' start
	assert_output 1
	# and no round ends before all that was there is written
	run awk '$2 == "FINISHED_ROUND" && NR > 1' start
	assert_output ''
}

# ---- when they are written

# script FILE FIELDS: what perf makes of the samples
script() { perf_quiet script -i "$1" -F "$2" | sed -E 's/^ +//; s/ +/ /g'; }

# is_stopped PID
is_stopped() { grep -q '^State:.T' "/proc/$1/status"; }

@test "lazy and late write names and maps of tasks that have records, and every sample has them" {
	need_all_cpus
	local mode options idle worker child
	for mode in lazy late; do
		for options in "" "-z" "-e task-clock"; do
			echo "--sideband=$mode $options"
			rm -f go stop started out child
			perl -e '$0 = "sleeper"; select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
			idle=$!
			kill -STOP $idle # it has no more records of its own
			until_true is_stopped $idle
			perl -e 'sub work { my $i = 0; $i++ while $i < 2e6 }
				$0 = "worker"; open F, ">", "started"; close F;
				select undef, undef, undef, 0.05 until -e "go";
				if (!($p = fork)) { work; exit }
				work; waitpid $p, 0;
				open F, ">", "child"; print F $p; close F;
				select undef, undef, undef, 0.05 until -e "stop"' 3>&- &
			worker=$!
			until_true test -e started
			# shellcheck disable=SC2086
			pp-record -q --sideband=$mode -a -e cpu-clock $options -o out -- \
				perl -e 'open F, ">", "go"; close F; select undef, undef, undef, 0.05 until -s "child"'
			child=$(cat child)
			touch stop
			kill -CONT $idle
			wait $worker $idle
			pp-check -q out
			run fields out "select(.fields.pid == $idle and .type != \"SAMPLE\") | .type"
			assert_output ''
			# untimed, and before all else that is about the process
			run fields out "select(.fields.pid == $worker) | [.type, .fields.sample_id.time]"
			assert_line -n 0 '["FORK",0]'
			assert_line -n 1 '["COMM",0]'
			assert_line -n 2 '["MMAP2",0]'
			for pid in $worker $child; do
				pp-filter "pid == $pid" -i out -o of_pid
				pp-filter "comm == \"worker\"" -i of_pid -o of_name
				[ "$(count SAMPLE of_pid)" -gt 0 ]
				[ "$(count SAMPLE of_pid)" -eq "$(count SAMPLE of_name)" ]
			done
		done
	done
}

@test "--sideband=late counts whom it came too late for, and gives nobody a name of later" {
	need_events
	# no sample of theirs is taken, and nobody is looked up, before the recorder itself is stopped
	local wait_for='kill STOP => $$; my $i = 0; $i++ while $i < 3e6;' ends changes recorder
	perl -e "$wait_for" 3>&- &
	ends=$!
	perl -e "$wait_for"' exec "perl", "-e", q($0 = "changed"; open F, ">", "changed"; select undef, undef, undef, 0.05 until -e "stop")' 3>&- &
	changes=$!
	until_true is_stopped $ends
	until_true is_stopped $changes
	pp-record --sideband=late -e cpu-clock -p $ends,$changes -o out 2>err 3>&- &
	recorder=$!
	until_true begun out
	kill -STOP $recorder
	until_true is_stopped $recorder
	kill -CONT $ends $changes
	wait $ends
	until_true test -e changed
	kill -CONT $recorder
	touch stop
	wait $changes $recorder
	run cat err
	assert_line --partial '1 had ended and 1 had run another program before they were looked up'
	run pp-info --note sideband.late out
	assert_output '{"ended":1,"execed":1}'
	pp-check -q out
	run fields out "select(.type == \"MMAP2\" and .fields.sample_id.time == 0 and (.fields.pid == $ends or .fields.pid == $changes)) | .fields.pid"
	assert_output ''
	pp-filter "pid == $changes && comm == \"changed\"" -i out | pp-sort | json >later
	# the samples of before have no name, and above all not that of after
	run -0 jq -s 'map(select(.type == "SAMPLE")) | length' later
	pp-filter "pid == $changes" -i out -o of_pid
	[ "$(count SAMPLE of_pid)" -gt "$output" ]
}

# ---- where tasks are

@test "--namespaces and --all-cgroups tell what there is already, in every mode" {
	need_all_cpus
	local mode mount
	stat -L -c %i /proc/$$/ns/{net,uts,ipc,pid,user,mnt,cgroup} >want || skip "there are not all namespaces"
	mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/self/mounts)
	[ -n "$mount" ] || mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	for mode in all lazy late; do
		echo "--sideband=$mode"
		pp-record -q -a -e cpu-clock --sideband=$mode --namespaces --all-cgroups -o out -- "${WORK[@]}"
		pp-check -q out
		# $$ is an ancestor of the command
		fields out "select(.type == \"NAMESPACES\" and .fields.tid == $$ and .fields.sample_id.time == 0).fields.namespaces[].ino" >got
		diff want got
		[ -z "$mount" ] || {
			fields out 'select(.type == "CGROUP" and .fields.sample_id.time == 0).fields | [.path, .id]' >groups
			grep -Fx "[\"/\",$(stat -c %i "$mount")]" groups
		}
	done
}
