# query.bats - the filter's language beyond fields of samples: side-band, what tasks belong to,
# tracepoints.  tests/tools/filter/ has the rest of the language.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

# all FILE: every record of the kernel in it, as TYPE:TIME in a line
all() { records "$1" | awk '$2 !~ /HEADER|ROUND|TIME_CONV/ { print $2 ":" $5 }' | xargs; }

# of TYPE FILE: the times of the records of a type
of() { records "$2" | awk -v type="$1" '$2 == type { print $5 }' | xargs; }

# rows TYPE: lines `EXPRESSION => TIMES` hold for in.pipe; the times are of records of this type, or
# as all() tells them
rows() {
	local line
	while IFS= read -r line; do
		echo "$line"
		pp-filter "${line% =>*}" -i in.pipe -o out.pipe
		if [ "$1" = all ]; then all out.pipe; else of "$1" out.pipe; fi >got
		[ "$(cat got)" = "$(xargs <<<"${line##*=>}")" ] || { cat got; return 1; }
	done
}

refused() { # EXPRESSION MESSAGE COLUMN
	echo "$1"
	run -2 --separate-stderr pp-filter -i in.pipe "$1"
	# shellcheck disable=SC2154
	printf '%s\n' "$stderr"
	[ -z "$output" ]
	[ "$stderr" = "pp-filter: $2
  $1
  $(printf '%*s' "$3" '')^" ]
}

# ---- records that are no samples

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

# ---- what a task belongs to

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

# ---- tracepoints

# formats: a line of build.pl with two tracepoints: test:one (5) and test:two (6)
formats() {
	perl -e '
		sub format_of {
			my ($name, $id, @fields) = @_;
			my $text = "name: $name\nID: $id\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n";
			$text .= "\tfield:$_->[0];\toffset:$_->[1];\tsize:$_->[2];\tsigned:$_->[3];\n" for @fields;
			$text . "\nprint fmt: \"x\"\n";
		}
		my @formats = (
			format_of("one", 5, ["char who[8]", 4, 8, 0], ["int state", 12, 4, 1],
				["unsigned long addr_of", 16, 8, 0], ["unsigned short v[2]", 24, 4, 0],
				["__data_loc char[] path_of", 28, 4, 0]),
			format_of("two", 6, ["long state", 8, 8, 1], ["int who", 16, 4, 1]));
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CCV", 0, 8, 4096) . "header_page\0" . pack("Q<", 0)
			. "header_event\0" . pack("Q<", 0) . pack("VV", 0, 1) . "test\0" . pack("V", scalar @formats)
			. join("", map { pack("Q<", length) . $_ } @formats) . pack("VVQ<", 0, 0, 0);
		print "tracing hex=", unpack("H*", $data), "\n"'
}

# one STATE ADDR V0 V1 WHO PATH, two STATE WHO: the raw data of these
one() { perl -e 'print unpack "H*", pack "v x2 a8 l< Q< v v V a*", 5, @ARGV[4, 0, 1, 2, 3], (1 + length $ARGV[5]) << 16 | 32, "$ARGV[5]\0"' -- "$@"; }
two() { perl -e 'print unpack "H*", pack "v x6 q< l<", 6, @ARGV' -- "$@"; }

# traced SAMPLE_TYPES: the stream of the tests below
traced() {
	{
		echo 'header'
		echo "attr id=1 type=2 config=5 sample_type=$1 flags=sample_id_all,comm"
		echo "attr id=2 type=2 config=6 sample_type=$1 flags=sample_id_all"
		echo "attr id=3 type=1 config=0 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all"
		formats
		echo 'comm pid=7 comm=perl time=1'
		local more='callchain=1,2'
		[[ $1 == *CALLCHAIN* ]] || more=
		echo "sample id=1 pid=7 time=1000 $more raw=$(one -5 18446744071578845184 1 65535 nginx /etc/x)"
		echo "sample id=1 pid=7 time=2000 $more raw=$(one 3 16 7 8 longname '')"
		echo "sample id=2 pid=7 time=3000 $more raw=$(two -5000000000 9)"
		echo "sample id=2 pid=7 time=4000 $more raw=$(two 3 -1)"
		echo "sample id=2 pid=7 time=5000 $more raw=0600"
		echo 'sample id=3 pid=7 time=6000'
		echo 'round'
	} | build
}

@test "fields of tracepoints are asked for by name, alone or with the event's" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	rows SAMPLE <<-'END'
		test:one.who == "nginx" => 1000
		who == "nginx" => 1000
		who ~ "*n*" => 1000 2000
		who =~ "^long" => 2000
		who != "nginx" => 2000
		who in {"longname", "x"} => 2000
		test:two.who == 9 => 3000
		who < 0 => 4000
		who == -1 || who == "nginx" => 1000 4000
		state < 0 => 1000 3000
		state == -5 => 1000
		state == -5000000000 => 3000
		state >= 3 => 2000 4000
		state != 3 => 1000 3000
		state in {-10..-1, 9} => 1000
		state in -6000000000..-6 => 3000
		test:two.state == 3 => 4000
		!(test:two.state == 3) => 1000 2000 3000 5000 6000
		addr_of == 0xffffffff81000000 => 1000
		addr_of > 16 => 1000
		addr_of - 8 < 9 => 2000
		v[1] == 65535 => 1000
		any(v) == 7 => 2000
		any(v) in 1..7 => 1000 2000
		v[2] >= 0 =>
		path_of == "/etc/x" => 1000
		path_of == "" => 2000
		state * 2 == test:one.v[0] - 1 => 2000
		common_type == 6 => 3000 4000 5000
		defined(state) => 1000 2000 3000 4000
		defined(test:one.state) => 1000 2000
		defined(v[1]) => 1000 2000
		defined(v[2]) =>
		!defined(common_type) => 6000
		state == 3 && comm == "perl" => 2000 4000
		pid == 7 && state == 3 => 2000 4000
	END
	# wherever the raw data lie
	for types in IP,TID,TIME,IDENTIFIER,CALLCHAIN,RAW IP,TID,TIME,IDENTIFIER,READ,CALLCHAIN,RAW; do
		traced $types >in.pipe
		rows SAMPLE <<-'END'
			who == "nginx" => 1000
			state == -5000000000 || path_of == "" => 2000 3000
		END
	done
}

@test "--prune asks for fields of tracepoints as well, and says what is not one" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	pp-filter --prune 'who == "nginx" || test:two.state == 3' -i in.pipe -o out.pipe
	[ "$(of SAMPLE out.pipe)" = "1000 4000" ]
	pp-filter 'who == "longname"' -i out.pipe -o none.pipe
	[ -z "$(of SAMPLE none.pipe)" ]
	run -2 --separate-stderr pp-filter --prune -i in.pipe -o out.pipe 'test:one.whom == 1'
	grep -q "no field is called 'test:one.whom'" <<<"$stderr"
}

@test "side-band passes where only tracepoints' fields are asked for" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	pp-filter 'who == "nobody"' -i in.pipe -o out.pipe
	[ "$(all out.pipe)" = COMM:1 ]
}

@test "names that the stream does not tell are refused at the first sample, with the nearest" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	refused 'pid == 1 && stat == 3' "no field is called 'stat'; did you mean state?" 12
	refused 'test:one.whom == "x"' "no field is called 'test:one.whom'; did you mean who?" 0
	refused 'test:three.who == "x"' "the stream has no format of the tracepoint 'test:three'" 0
	refused 'path_of == 3' "'path_of' is text, not a number" 0
	refused 'state =~ "x"' "'state' is not text, which it is compared with" 0
	refused 'v == 3' "'v' has several values: use any(), or select one with [0]" 0
	refused 'test:one == 3' "no field is called 'test:one'; --fields lists all" 0
	refused 'who.x == 3' "no field is called 'who.x'; --fields lists all" 0
	run -2 --separate-stderr pp-filter --invert -p 7 'xyzzy == 1' -i in.pipe
	[ "${stderr_lines[1]}" = '  xyzzy == 1' ]
	[ "${stderr_lines[2]}" = '  ^' ]
	# and where no sample comes at all
	printf 'header\nattr id=1\nround\n' | build >in.pipe
	run -2 --separate-stderr pp-filter 'xyzzy == 1' -i in.pipe -o out.pipe
	[ "${stderr_lines[0]}" = "pp-filter: no field is called 'xyzzy'; --fields lists all" ]
	[ ! -e out.pipe ]
}

@test "--fields lists tracepoints and the records that the stream has" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	run -0 --separate-stderr pp-filter --fields -i in.pipe
	[ -z "$stderr" ]
	[[ "$output" == *$'\nfields of tracepoints:\n'*$'\ntest:one.who '*'text    char[8]'* ]]
	[[ "$output" == *$'\ntest:one.v[N] '*'number  '* ]]
	[[ "$output" == *$'\nfields of COMM records:\npid '* ]]
	[[ "$output" != *'fields of MMAP2'* ]]
}

@test "--first-per takes a tracepoint's field" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	pp-filter --first-per test:two.state -i in.pipe -o out.pipe
	[ "$(of SAMPLE out.pipe)" = '1000 3000 4000' ]
	run -2 --separate-stderr pp-filter --first-per pid,stat -i in.pipe
	[ "${stderr_lines[0]}" = "pp-filter: no field is called 'stat'; did you mean state?" ]
	[ "${stderr_lines[2]}" = '      ^' ]
}

@test "--explain tells of side-band, tasks and tracepoints" {
	run -0 --separate-stderr bash -c "pp-filter --explain 'type == MMAP2 && filename ~ \"x\" || children_of(7) &&
		ns.pid == 1 && cgroup_path == \"/\" && sched:sched_switch.prev_pid == 5' </dev/null"
	[ "$output" = 'samples are tested in time order, with names, ancestors, namespaces and control groups of tasks; so is side-band
1: type == MMAP2  [a load]  yes: 2, no: 3
2: filename ~ "x"  [a walk through side-band]  yes: keep, no: 3
3: children_of(7)  [ancestors of tasks]  yes: 4, no: drop
4: ns.pid == 1  [namespaces of tasks]  yes: 5, no: drop
5: cgroup_path == "/"  [paths of control groups]  yes: 6, no: drop
6: sched:sched_switch.prev_pid == 5  [the tracepoint'"'"'s data]  yes: keep, no: drop' ]
}

@test "fields of tracepoints that perf records are what perf says" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e sched:sched_process_fork -- "${CALLS[@]}" >in.pipe
	pp-filter 'prev_comm == "perl" && prev_pid == pid' -i in.pipe -o some.pipe
	[ "$(records -s some.pipe | wc -l)" -gt 0 ]
	perf script -i in.pipe -F event,time,trace --ns 2>/dev/null | grep -c 'prev_comm=perl ' >expected
	pp-filter 'sched:sched_switch.prev_comm == "perl"' -i in.pipe -o some.pipe
	[ "$(cat expected)" -eq "$(records -s some.pipe | wc -l)" ]
}

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
