# sideband.bats - filter expressions about records that are no samples, and about the build-ids
# that these have.

setup() {
	load ../../helper
	load query
}

side() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		build_id id=00112233445566778899aabbccddeeff00112233 file=/usr/lib/libc.so.6
		comm pid=7 comm=nginx time=10 cpu=1
		mmap2 pid=7 start=0x1000 len=0x1000 file=/data/huge build_id=aabbccddeeff00112233aabbccddeeff00112233 prot=1 time=20 cpu=1
		mmap2 pid=7 start=0x3000 len=0x2000 pgoff=0x1000 file=/usr/lib/libc.so.6 maj=8 ino=55 prot=5 time=30
		mmap pid=-1 start=0x5000 len=0x1000 file=[kernel.kallsyms]_text time=31 misc=1
		fork pid=9 tid=9 ppid=7 ptid=7 time=40
		ksymbol addr=0xffff1000 len=64 ksym_type=1 name=bpf_prog_x time=41
		namespaces pid=9 links=3:100,3:101,3:102,3:103,3:104,3:105,3:106 time=42
		cgroup id=77 path=/web time=43
		switch_cpu_wide next_prev_pid=-1 next_prev_tid=-1 pid=7 time=44 out
		lost id=1 lost=5 time=45
		sample pid=7 cpu=0 time=1000 ip=0x1100
		sample pid=9 cpu=1 time=2000 ip=0x3100
		exit pid=7 ppid=1 tid=7 ptid=1 time=3000
		time_conv time_shift=1 time_mult=2 time_zero=3
		round
	END
}

@test "an expression that names type, or a field that no sample has, judges all that the kernel writes" {
	side >in.pipe
	rows all <<-'END'
		type == COMM => COMM:10
		type == "comm" => COMM:10
		type != SAMPLE && time >= 44 => SWITCH_CPU_WIDE:44 LOST:45 EXIT:3000
		type in {FORK, EXIT} => FORK:40 EXIT:3000
		type =~ "^MMAP" => MMAP2:20 MMAP2:30 MMAP:31
		type ~ "MMAP" => MMAP:31
		type == SAMPLE => SAMPLE:1000 SAMPLE:2000
		type == LOST || ip == 0x1100 => LOST:45 SAMPLE:1000
		type == UNKNOWN_40 =>
		filename =~ "huge" => MMAP2:20
		filename ~ "[[]kernel*" => MMAP:31
		filename != "/data/huge" => MMAP2:30 MMAP:31
		filename in {"/data/huge", "x"} => MMAP2:20
		defined(filename) => MMAP2:20 MMAP2:30 MMAP:31
		ino == 55 => MMAP2:30
		ino != 55 =>
		prot & 4 == 4 => MMAP2:30
		pgoff + len == 0x3000 => MMAP2:30
		len in 1..4K && type != SAMPLE => MMAP2:20 MMAP:31 KSYMBOL:41
		lost == 5 => LOST:45
		name == "bpf_prog_x" => KSYMBOL:41
		path ~ "/w?b" => CGROUP:43
		namespaces[3].ino == 103 => NAMESPACES:42
		any(namespaces.ino) in 105..999 => NAMESPACES:42
		any(namespaces.ino) == 5 =>
		ppid == 7 => FORK:40
		ppid < 7 => EXIT:3000
		next_prev_pid < 0 => SWITCH_CPU_WIDE:44
		next_prev_pid in {-1, 5} => SWITCH_CPU_WIDE:44
		next_prev_pid + 8 == 7 => SWITCH_CPU_WIDE:44
		type == MMAP && pid == -1 => MMAP:31
	END
}

@test "everything but the maps of huge files is kept, with all that a stream needs" {
	side >in.pipe
	pp-filter 'type != MMAP2 || filename ~ "*/huge"' -i in.pipe -o out.pipe
	records in.pipe | awk '!($2 == "MMAP2" && $5 == 30) { print $2, $3, $4, $5 }' >expected
	records out.pipe | awk '{ print $2, $3, $4, $5 }' >got
	diff expected got
	pp-filter 'type == COMM && pid == 1' -i in.pipe -o none.pipe
	[ "$(records none.pipe | awk '{ print $2 }' | xargs)" = \
		'HEADER_ATTR HEADER_BUILD_ID TIME_CONV FINISHED_ROUND' ]
}

@test "a name means the record's own field before its trailer's" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,ID,CPU,STREAM_ID,PERIOD flags=sample_id_all,comm
		comm pid=7 comm=nginx s_pid=3 s_tid=4 time=10 cpu=2 stream_id=6
		fork pid=9 tid=9 ppid=7 ptid=7 time=50 s_time=20
		throttle time=60 id=12 stream_id=13
		cgroup id=77 path=/web time=30 s_pid=5 s_tid=5
		sample pid=7 time=1000
	END
	rows all <<-'END'
		type != SAMPLE && pid == 7 => COMM:10
		type != SAMPLE && pid == 3 =>
		type == CGROUP && pid == 5 => CGROUP:30
		type != SAMPLE && cpu == 2 => COMM:10
		type == COMM && comm == "nginx" => COMM:10
		type == COMM && stream_id == 6 => COMM:10
		type == CGROUP && id == 77 => CGROUP:30
	END
	[ "$(pp-filter 'type == FORK && time == 50' -i in.pipe | json - | jq -r 'select(.type == "FORK").fields.time')" = 50 ]
	[ "$(pp-filter 'id == 12 && type == THROTTLE' -i in.pipe | json - | jq -r 'select(.type == "THROTTLE").fields.stream_id')" = 0xd ]
}

@test "without such a name samples alone are judged" {
	side >in.pipe
	pp-filter 'pid == 9' -i in.pipe -o out.pipe
	[ "$(of COMM out.pipe)" = 10 ]
	[ "$(of MMAP2 out.pipe)" = '20 30' ]
	[ "$(of SAMPLE out.pipe)" = 2000 ]
	pp-filter --invert 'pid == 9 || comm == "nginx"' -i in.pipe -o out.pipe
	[ "$(of EXIT out.pipe)" = 3000 ]
	[ "$(of SAMPLE out.pipe)" = '' ]
}

@test "side-band is judged by the names and maps of the time as well" {
	side >in.pipe
	rows all <<-'END'
		type == MMAP2 && comm == "nginx" => MMAP2:20 MMAP2:30
		type == FORK && comm == "nginx" => FORK:40
		type != SAMPLE && children_of(7) && time > 31 => FORK:40 NAMESPACES:42 SWITCH_CPU_WIDE:44 EXIT:3000
		type == NAMESPACES && ns.pid == 103 => NAMESPACES:42
		type == MMAP2 && build_id ~ "aabb*" => MMAP2:20
		type == MMAP2 && build_id != "00" => MMAP2:20
		type == CGROUP && defined(cgroup_path) =>
	END
}

@test "records that no attribute describes pass" {
	build >in.pipe <<-'END'
		header
		comm pid=7 comm=nginx untrailed
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		sample pid=7 time=1000
	END
	pp-filter 'type == MMAP' -i in.pipe -o out.pipe
	[ "$(records out.pipe | awk '{ print $2 }' | xargs)" = 'COMM HEADER_ATTR' ]
}

@test "what side-band keeps is the same in the other byte order, applied twice, and in any pieces" {
	local expression='type != MMAP2 || filename ~ "*/huge"'
	side >in.pipe
	pp-filter "$expression" -i in.pipe -o once.pipe
	pp-filter "$expression" -i once.pipe -o twice.pipe
	same_bytes once.pipe twice.pipe
	trickle in.pipe 13 | pp-filter "$expression" >pieces.pipe
	same_bytes once.pipe pieces.pipe
	build >big.pipe < <(echo 'header big'; declare -f side | sed -n '/attr id/,/round/p')
	pp-filter "$expression" -i big.pipe -o out.pipe
	[ "$(all out.pipe)" = "$(all once.pipe)" ]
}

@test "a record that is damaged has no field" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=TID,TIME flags=sample_id_all,comm
		record 1 2 0700000007000000
		record 3 0 07
		sample pid=7 time=1000
	END
	pp-filter 'filename ~ "*" || start >= 0 || type == SAMPLE || comm ~ "*"' -i in.pipe -o out.pipe
	[ "$(all out.pipe)" = SAMPLE:1000 ]
}

# ---- build-ids

@test "build_id is that of the mapping, its own or the one told of its file" {
	side >in.pipe
	rows SAMPLE <<-'END'
		build_id == "aabbccddeeff00112233aabbccddeeff00112233" => 1000
		build_id == "AABBCCDDEEFF00112233aabbccddeeff00112233" => 1000
		build_id ~ "00112233*" => 2000
		build_id =~ "^(00|aa)" => 1000 2000
		build_id != "00112233445566778899aabbccddeeff00112233" => 1000
		build_id in {"0000", "00112233445566778899aabbccddeeff00112233"} => 2000
		defined(build_id) => 1000 2000
		!defined(build_id) =>
	END
	refused 'build_id == "xyz"' 'a build-id has hexadecimal digits only' 12
}

@test "build-ids of a feature and of the kernel count, and only as many bytes as there are" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,comm
		build_id id=00112233445566778899aabbccddeeff file=[kernel.kallsyms] pid=-1
		mmap pid=-1 start=0xff000000 len=0x1000 file=[kernel.kallsyms]_text time=1 misc=1
		mmap2 pid=7 start=0x1000 len=0x1000 file=/bin/a maj=1 ino=2 time=2
		sample pid=7 time=1000 ip=0xff000010 misc=1
		sample pid=7 time=2000 ip=0x1010 misc=2
	END
	rows SAMPLE <<-'END'
		build_id ~ "0011*" => 1000
		defined(build_id) => 1000
	END
	size=$(json in.pipe | jq -r 'select(.type == "HEADER_BUILD_ID") | .fields.size // 20')
	pp-filter "build_id =~ '^.{$((size * 2))}\$'" -i in.pipe -o out.pipe
	[ "$(of SAMPLE out.pipe)" = 1000 ]
}
