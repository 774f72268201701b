# tasks.bats - filter expressions about what a task belongs to: its control group, ancestors and
# namespaces, and its name where its number is used again.

setup() {
	load ../../helper
	load query
}

@test "cgroup_path is the path that the group of the sample has then" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CGROUP,IDENTIFIER flags=sample_id_all,comm
		attr id=2 config=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		cgroup id=77 path=/web/a time=10
		sample id=1 pid=7 time=1000 cgroup=77
		sample id=1 pid=7 time=2000 cgroup=78
		sample id=1 pid=7 time=4000 cgroup=77
		sample id=1 pid=7 time=5000 cgroup=78
		cgroup id=77 path=/web/b time=3000
		cgroup id=78 path=/ time=3000
		round
	END
	rows SAMPLE <<-'END'
		cgroup_path == "/web/a" => 1000
		cgroup_path ~ "/web/*" => 1000 4000
		cgroup_path != "/" => 1000 4000
		cgroup_path =~ "^/$" => 5000
		defined(cgroup_path) => 1000 4000 5000
		!defined(cgroup_path) => 2000
	END
}

@test "children_of follows forks, whoever ended, and whatever perf told first" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,comm
		fork pid=500 tid=500 ppid=900 ptid=900 synthesized misc=0x2000
		fork pid=900 tid=900 ppid=100 ptid=100 synthesized misc=0x2000
		fork pid=100 tid=100 ppid=500 ptid=500 synthesized misc=0x2000
		sample pid=500 time=1000
		fork pid=500 tid=501 ppid=500 ptid=500 time=1100
		sample pid=500 tid=501 time=1200
		fork pid=600 tid=600 ppid=500 ptid=501 time=1300
		exit pid=500 tid=500 ppid=900 ptid=900 time=1400
		sample pid=600 time=2000
		sample pid=900 time=2100
		sample pid=4 time=2200
		fork pid=500 tid=500 ppid=4 ptid=4 time=3000
		sample pid=500 time=3100
		sample pid=600 time=3200
		round
	END
	rows SAMPLE <<-'END'
		children_of(500) => 1000 1200 2000 3100 3200
		children_of(900) => 1000 1200 2000 2100 3200
		children_of(100) => 1000 1200 2000 2100 3200
		children_of(4) => 2200 3100
		children_of(600) => 2000 3200
		children_of(500) && pid != 500 => 2000 3200
		!children_of(900) => 2200 3100
		children_of(12345) =>
	END
	refused 'children_of("x")' "the number of a process is expected here, not '\"x\"'" 12
	refused 'children_of(-1)' "the number of a process is expected here, not '-1'" 12
	refused 'children_of(7' "')' is missing" 13
}

# bats test_tags=nightly
@test "children_of forgets nobody who has a child that lives" {
	{
		echo 'header'
		echo 'attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,comm'
		echo 'fork pid=50 tid=50 ppid=2 ptid=2 time=10'
		echo 'fork pid=60 tid=60 ppid=50 ptid=50 time=11'
		echo 'exit pid=50 tid=50 ppid=2 ptid=2 time=12'
		echo 'repeat 20000 {'
		echo 'fork pid=$(i+100) tid=$(i+100) ppid=3 ptid=3 time=$(i*2+20)'
		echo 'exit pid=$(i+100) tid=$(i+100) ppid=3 ptid=3 time=$(i*2+21)'
		echo '}'
		echo 'sample pid=60 time=100000'
		echo 'sample pid=20050 time=100001'
	} | build >in.pipe
	rows SAMPLE <<-'END'
		children_of(2) => 100000
		children_of(3) => 100001
	END
}

@test "children_of keeps what a command and all its children did" {
	need_perf_events
	perf_quiet record -a -o - -e cpu-clock -F 200 -- perl -e 'if (!fork) { if (!fork) { $i++ while $i < 3e6; exit } wait; exit } wait' >in.pipe ||
		skip "system-wide recording is refused here"
	json in.pipe | jq -r 'select(.type == "FORK" and .misc < 8192 and .fields.pid != .fields.ppid) | "\(.fields.ppid) \(.fields.pid)"' |
		awk '{ parent[$2] = $1 } END { for (p in parent) if (parent[p] in parent) { print parent[parent[p]], p; exit } }' >pair
	[ -s pair ]
	read -r top bottom <pair
	pp-filter "children_of($top) && pid == $bottom" -i in.pipe -o some.pipe
	pp-filter "pid == $bottom" -i in.pipe -o all.pipe
	[ "$(records -s some.pipe)" = "$(records -s all.pipe)" ]
}

@test "namespaces are those of the thread at that time" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,comm
		namespaces pid=7 links=3:100,3:101,3:102,3:103,3:104,3:105,3:106 time=10
		fork pid=7 tid=8 ppid=7 ptid=7 time=20
		fork pid=9 tid=9 ppid=7 ptid=7 time=21
		sample pid=7 time=1000
		sample pid=7 tid=8 time=1100
		sample pid=9 time=1200
		namespaces pid=9 links=3:100,3:101,3:102,3:203,3:104,3:105,3:106,3:107 time=1300
		sample pid=9 time=1400
		sample pid=7 tid=6 time=1500
		sample pid=5 time=1600
		round
	END
	rows SAMPLE <<-'END'
		ns.pid == 103 => 1000 1100 1200 1500
		ns.pid == 203 => 1400
		ns.pid != 103 => 1400
		ns.net == 100 && ns.uts == 101 && ns.ipc == 102 && ns.user == 104 && ns.mnt == 105 && ns.cgroup == 106 => 1000 1100 1200 1400 1500
		ns.time == 107 => 1400
		defined(ns.time) => 1400
		!defined(ns.pid) => 1600
		ns.pid in {1, 200..300} => 1400
		ns.pid - ns.user > 50 => 1400
	END
	refused 'ns.pdi == 1' "no field is called 'ns.pdi'; did you mean ns.pid?" 0
}

@test "a command in namespaces of its own is found by them" {
	need_root
	need unshare
	need_perf_events
	unshare -u true 2>/dev/null || skip "unshare is refused here"
	# perf sends what its command prints to standard error.
	perf_quiet record --namespaces -c 16 -o - -e page-faults -- unshare -u perl -e 'print readlink "/proc/self/ns/uts"' >in.pipe ||
		skip "namespaces cannot be recorded here"
	inode=$(grep -oE 'uts:\[[0-9]+\]' perf.err | grep -oE '[0-9]+' | head -n 1)
	[ -n "$inode" ]
	pp-filter "ns.uts == $inode" -i in.pipe -o out.pipe
	[ "$(records -s out.pipe | wc -l)" -gt 0 ]
	pp-filter "ns.uts == $inode && comm != 'perl' && comm != 'unshare'" -i in.pipe -o out.pipe
	[ "$(records -s out.pipe | wc -l)" -eq 0 ]
}

# bats test_tags=nightly
@test "a thread whose number is used again is remembered from its last end on" {
	{
		echo 'header'
		echo 'attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm,task'
		for first in 10 20000; do
			echo "fork pid=5 ppid=1 tid=5 ptid=1 time=$first"
			echo "comm pid=5 comm=again time=$((first + 1))"
			echo "exit pid=5 ppid=1 tid=5 ptid=1 time=$((first + 2))"
			for ((i = 1; i <= 10000; i++)); do
				echo "fork pid=$((first + i)) ppid=1 tid=$((first + i)) ptid=1 time=$((first + 2 + i))"
				echo "exit pid=$((first + i)) ppid=1 tid=$((first + i)) ptid=1 time=$((first + 2 + i))"
			done
		done
		echo 'sample pid=5 time=50000 ip=0x10'
	} | build >in.pipe
	pp-filter 'comm == "again"' -i in.pipe -o out.pipe
	[ "$(records -s out.pipe | wc -l)" -eq 1 ]
}
