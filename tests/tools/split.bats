# split.bats - pp-split: what is in which piece, that a piece stands alone, names and commands of
# pieces, what is said.

setup() { load ../helper; }

# whole: a stream where names, maps and processes come and go, out of order by less than a round
whole() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock
		feature HOSTNAME string "web7"
		event_update id=1 name=ticks
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		comm pid=1 comm=init synthesized
		mmap2 pid=1 start=0x1000 len=0x1000 file=/init synthesized
		init
		fork pid=7 ppid=1 tid=7 ptid=1 time=1000
		sample pid=7 cpu=0 time=1100 ip=0x1010
		sample pid=1 cpu=1 time=1050 ip=0x1020
		round
		comm pid=7 comm=nginx exec time=1200
		mmap2 pid=7 start=0x2000 len=0x1000 file=/nginx time=1210
		sample pid=7 cpu=0 time=1300 ip=0x2010
		sample pid=1 cpu=1 time=1150 ip=0x1020
		round
		fork pid=7 ppid=7 tid=8 ptid=7 time=1400
		comm pid=7 tid=8 comm=worker/0 time=1410
		sample pid=7 tid=8 cpu=0 time=1500 ip=0x2020
		fork pid=9 ppid=7 tid=9 ptid=7 time=1510
		sample pid=9 cpu=1 time=1600 ip=0x2030
		round
		sample pid=7 tid=8 cpu=1 time=2500 ip=0x2040
		sample pid=9 cpu=0 time=2600 ip=0x2050
		exit pid=9 ppid=7 tid=9 ptid=7 time=2700
		sample pid=7 cpu=0 time=2800 ip=0x2060
		round
	END
}

# told FILE...: samples as perf sees them, a line each
told() {
	local file
	for file; do
		perf_quiet script -i "$file" -F comm,tid,time,ip,dso </dev/null || return
	done | awk '/^[^\t]/ { printf "\n" } { $1 = $1; printf "%s ", $0 }' | sort | sed '/^ *$/d'
}

# as_the_whole WHOLE PIECE...: every sample, with name and file, is in one piece
as_the_whole() {
	local expected=expected-$1
	[ -s "$expected" ] || told "$1" >"$expected"
	shift
	told "$@" >got
	[ -s "$expected" ] || return
	diff "$expected" got
}

# times FILE: of its samples, in their order
times() { records -s "$1" | awk '{ printf "%s%s", blank, $5; blank = " " }'; }

# sound PIECE...: pp-check has nothing to say
sound() {
	local file
	for file; do
		pp-check -q -i "$file" >check.out || { cat check.out; return 1; }
	done
}

# recording FILE: a small one, with forks, programs, names
recording() {
	need_perf_events
	perf_quiet record -g -e cpu-clock -F 1000 -o - perl -e '
		for (1 .. 6) { unless (fork) {
			exec "perl", "-e", q($i++ while $i < 3e5; $0 = "other"; $i++ while $i < 6e5) if $_ % 2;
			$i++ while $i < 5e5; exit } }
		$i++ while $i < 1e6; 1 while wait > 0' >"$1"
}

# ---- cuts

@test "--samples cuts after so many samples, in the order of their times" {
	whole >in
	run -0 pp-split --samples 3 -o p-%u -i in
	[ -z "$output" ]
	[ "$(times p-0)" = "1050 1100 1150" ]
	[ "$(times p-1)" = "1300 1500 1600" ]
	[ "$(times p-2)" = "2500 2600 2800" ]
	[ ! -e p-3 ]
}

@test "--seconds cuts every so many seconds from the first time on, and makes no empty pieces" {
	whole >in
	pp-split --seconds 0.0000005 -o p-%u -i in
	[ "$(times p-0)" = "1050 1100 1150 1300" ]
	[ "$(times p-1)" = "1500 1600" ]
	[ "$(times p-2)" = "2500 2600 2800" ]
	[ ! -e p-3 ]
}

@test "--bytes makes pieces that are no larger, with all that is in them" {
	pp-gen --samples 3000 --forks 3 --exits 2 --disorder 3ms >in
	for how in --seal --no-seal; do
		rm -f p-*
		pp-split $how --bytes 40k -o p-%03u -i in
		[ "$(ls p-* | wc -l)" -gt 2 ]
		for file in p-*; do
			[ "$(stat -c %s "$file")" -le 40960 ]
		done
		sound p-*
		[ "$(for file in p-*; do records -s "$file"; done | wc -l)" -eq 3000 ]
	done
}

@test "a head that is larger than --bytes still gets a record each" {
	whole >in
	run -0 --separate-stderr pp-split --bytes 1 -o p-%02u -i in
	assert_regex "${stderr_lines[0]}" '^pp-split: p-00: its head alone takes [0-9]+ bytes: a piece for each record$'
	[ "${#stderr_lines[@]}" -eq 1 ]
	[ "$(for file in p-*; do records -s "$file"; done | wc -l)" -eq 9 ]
	sound p-*
}

@test "--by cpu, pid and comm make a piece for each" {
	whole >in
	mkdir cpu pid comm
	for by in cpu pid comm; do
		pp-split --by $by -o "$by/{}.pipe" -i in
		sound $by/*
	done
	[ "$(cd cpu && echo *)" = "0.pipe 1.pipe" ]
	[ "$(times cpu/0.pipe)" = "1100 1300 1500 2600 2800" ]
	[ "$(times cpu/1.pipe)" = "1050 1150 1600 2500" ]
	[ "$(cd pid && echo *)" = "1.pipe 7.pipe 9.pipe" ]
	[ "$(times pid/9.pipe)" = "1600 2600" ]
	[ "$(cd comm && echo *)" = "init.pipe nginx.pipe worker_0.pipe" ]
	[ "$(times comm/worker_0.pipe)" = "1500 2500" ]
	[ "$(times comm/nginx.pipe)" = "1300 1600 2600 2800" ]
}

@test "--by event and cgroup make a piece for each name and path" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER,CGROUP flags=sample_id_all name=cpu-clock
		attr id=2 sample_type=IP,TID,TIME,CPU,IDENTIFIER,CGROUP flags=sample_id_all name=sched:sched_switch
		feature EVENT_DESC
		cgroup id=5 path=/web/a time=1000
		cgroup id=6 path=/ time=1001
		sample id=1 pid=7 time=1010 cgroup=5
		sample id=2 pid=7 time=1020 cgroup=6
		sample id=1 pid=7 time=1030 cgroup=9
		round
		cgroup id=5 path=/web/b time=1040
		sample id=2 pid=7 time=1050 cgroup=5
		round
	END
	mkdir event cgroup
	for by in event cgroup; do
		pp-split --by $by -o "$by/{}" -i in
		sound $by/*
	done
	[ "$(cd event && echo *)" = "cpu-clock sched:sched_switch" ]
	[ "$(times event/cpu-clock)" = "1010 1030" ]
	[ "$(times event/sched:sched_switch)" = "1020 1050" ]
	[ "$(cd cgroup && echo *)" = "9 _ _web_a _web_b" ]
	[ "$(times cgroup/_web_b)" = 1050 ]
	[ "$(times cgroup/9)" = 1030 ]
}

@test "a name that is too long for a file is cut, and told from one that begins like it" {
	long=$(printf 'x%.0s' {1..300})
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER,CGROUP flags=sample_id_all
		cgroup id=5 path=/${long}a time=1000
		cgroup id=6 path=/${long}b time=1001
		sample pid=7 time=1010 cgroup=5
		sample pid=7 time=1020 cgroup=6
		round
	END
	pp-split --by cgroup -o 'p-{}' -i in
	[ "$(ls p-_x* | wc -l)" -eq 2 ]
	sound p-_x*
}

@test "what --by cannot tell apart is in all pieces, or in one named unknown where there is none" {
	build >in <<-'END'
		header
		attr id=1
		stat id=1 cpu=0 val=10
		record 200 0 0102030405060708
		sample pid=7 time=10
		stat id=1 cpu=0 val=20
		round
	END
	pp-split --by pid -o 'p-{}' -i in
	[ "$(echo p-*)" = "p-7 p-unknown" ]
	[ "$(json p-unknown | jq -r 'select(.type == "STAT") | .fields.val' | tr '\n' ' ')" = "10 20 " ]
	[ "$(json p-7 | jq -r 'select(.type == "STAT") | .fields.val')" = 20 ]
	run -0 grep -c UNKNOWN_200 <(json p-unknown)
}

# shared: two hosts in one stream, their numbers kept apart
shared() {
	build <<-'END' | pp-inject --note 'host.0=web7 pid=0 cpu=0' --note 'host.1=web8 pid=4194304 cpu=64' --note commit=4f2a
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap name=cpu-clock
		feature HOSTNAME string "web7"
		event_update id=1 name=ticks
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x2000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 time=1 s_pid=-1 cpu=64
		comm pid=7 comm=nginx synthesized
		mmap2 pid=7 start=0x1000 len=0x1000 file=/nginx synthesized
		comm pid=4194311 comm=mysqld time=900 cpu=64
		mmap2 pid=4194311 start=0x1000 len=0x1000 file=/mysqld time=901 cpu=64
		fork pid=4194312 ppid=4194311 tid=4194312 ptid=4194311 time=1000 cpu=65
		sample pid=7 cpu=0 time=1100 ip=0x1010
		sample pid=4194312 cpu=65 time=1200 ip=0x1010
		sample pid=0 tid=0 cpu=64 time=1250 ip=0xffffffff81000010
		comm pid=4194312 comm=child time=1300 cpu=65
		sample pid=4194312 cpu=64 time=1400 ip=0x1020
		lost id=1 lost=3 time=1410 pid=4194312 s_pid=4194312 s_tid=4194312 cpu=64
		sample pid=8 cpu=1 time=1500 ip=0x1020
		round
	END
}

@test "--by host gives each host its own numbers and records back" {
	shared >in
	run -0 --separate-stderr pp-split --by host -o 'p-{}' -i in
	[ -z "$stderr" ]
	[ "$(echo p-*)" = "p-web7 p-web8" ]
	sound p-web7 p-web8
	[ "$(times p-web7)" = "1100 1500" ]
	[ "$(times p-web8)" = "1200 1250 1400" ]
	json p-web8 >lines
	[ "$(jq -r 'select(.type == "SAMPLE") | "\(.fields.pid)/\(.fields.tid)@\(.fields.cpu)"' lines | tr '\n' ' ')" = "8/8@1 0/0@0 8/8@0 " ]
	[ "$(jq -r 'select(.type == "FORK") | "\(.fields.pid) \(.fields.ppid) \(.fields.sample_id.cpu)"' lines)" = "8 7 1" ]
	[ "$(jq -r 'select(.type == "COMM") | "\(.fields.pid) \(.fields.comm)"' lines | tr '\n' ' ')" = "7 mysqld 8 mysqld 8 child " ]
	[ "$(jq -r 'select(.type == "LOST") | .fields.sample_id.cpu' lines)" = 0 ]
	[ "$(jq -r 'select(.type == "MMAP2") | .fields.filename' lines | sort -u)" = /mysqld ]
	[ "$(jq -r 'select(.type == "MMAP") | .fields.len' lines)" = 0x2000000 ]
	[ "$(json p-web7 | jq -r 'select(.type == "MMAP") | .fields.len')" = 0x1000000 ]
	run -1 grep -E '41943|nginx' lines
}

# of_host NAME PLACE: a recording of its kernel and of two processes, as another host has them too
of_host() {
	build <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,use_clockid clockid=1 name=cpu-clock
		feature HOSTNAME string "$1"
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		comm pid=7 comm=$1-one synthesized
		mmap2 pid=7 start=0x1000 len=0x1000 file=/$1 synthesized
		init
		fork pid=9 ppid=7 tid=9 ptid=7 time=$((1000 + $2))
		comm pid=9 comm=$1-two time=$((1100 + $2))
		sample pid=7 cpu=0 time=$((1200 + $2)) ip=0x1010
		sample pid=9 cpu=1 time=$((1300 + $2)) ip=0x1010
		sample pid=0 tid=0 cpu=1 time=$((1400 + $2)) ip=0xffffffff81000010
		round
		sample pid=9 cpu=0 time=$((2400 + $2)) ip=0x1020
		exit pid=9 ppid=7 tid=9 ptid=7 time=$((2500 + $2))
		round
	END
}

@test "what pp-merge --hosts made one stream is split into what it was" {
	need_perf
	of_host web7 0 >web7
	of_host web8 30 >web8
	of_host web9 -30 >web9
	pp-merge -q --hosts --offset web8=0 --offset web9=0 web7 web8 web9 -o in
	run -0 --separate-stderr pp-split --by host -o '{}.again' -i in
	[ -z "$stderr" ]
	[ "$(echo *.again)" = "web7.again web8.again web9.again" ]
	for host in web7 web8 web9; do
		sound $host.again
		perf_quiet script -i $host -F comm,pid,tid,cpu,time,event,ip,sym,dso >expected
		perf_quiet script -i $host.again -F comm,pid,tid,cpu,time,event,ip,sym,dso >got
		[ -s expected ]
		cmp expected got
	done
}

@test "a host's piece has its name, the notes of all, and no other host" {
	shared >in
	pp-split --by host -o 'p-{}' -i in
	pp-dump --headers -i p-web8 >headers
	run -0 grep -c '^# hostname : web8$' headers
	run -0 grep -c '^# note : commit = 4f2a$' headers
	run -0 grep -c '^# note : host.0 = web8$' headers
	run -1 grep web7 headers
}

@test "a stream without hosts that are apart is not split by host" {
	whole >in
	run -2 --separate-stderr pp-split --by host -o 'p-{}' -i in
	[ "$stderr" = "pp-split: in: --by host: it has no notes about hosts, as pp-merge --hosts writes them" ]
	pp-inject --note 'host.0=web7' -i in -o named
	run -2 pp-split --by host -o 'p-{}' -i named
	[ "$(ls p-* 2>/dev/null)" = "" ]
}

@test "a sample that does not say its CPU is in a piece named unknown" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		sample pid=7 time=10
		round
	END
	pp-split --by cpu -o '{}' -i in
	[ "$(times unknown)" = 10 ]
}

# ---- pieces stand alone

@test "perf finds the same names and files in the pieces as in the whole" {
	need_perf
	whole >in
	for how in "--samples 3" "--bytes 3k" "--seconds 0.0000005"; do
		rm -f p-*
		pp-split -q $how -o p-%02u -i in
		as_the_whole in p-*
		sound p-*
		pp-merge -o merged p-*
		as_the_whole in merged
	done
	for by in event cpu pid comm cgroup; do
		rm -f p-*
		pp-split --by $by -o 'p-{}' -i in
		as_the_whole in p-*
		pp-merge -o merged p-*
		as_the_whole in merged
	done
}

@test "the pieces of a recording report as the whole" {
	recording in
	for how in "--samples 40" "--bytes 64k"; do
		rm -f p-*
		pp-split $how -o p-%03u -i in
		as_the_whole in p-*
		sound p-*
		pp-merge -o merged p-*
		as_the_whole in merged
	done
	for by in event cpu pid comm cgroup; do
		rm -f p-*
		pp-split --by $by -o 'p-{}' -i in
		as_the_whole in p-*
	done
}

@test "a piece of a recording has the header of the whole" {
	recording in
	pp-split --samples 20 -o p-%03u -i in
	for file in p-*; do
		pp-info -i "$file" | grep -E '^# (hostname|arch|cmdline|nrcpus)' >got
		pp-info -i in | grep -E '^# (hostname|arch|cmdline|nrcpus)' >expected
		[ -s expected ]
		diff expected got
	done
}

@test "events without ids that are alike are in a piece as often as in the whole" {
	build >in <<-'END'
		header
		attr id=1 config=1 sample_type=IDENTIFIER flags=disabled
		repeat 3 {
		attr id= config=0 sample_type=IDENTIFIER flags=disabled
		}
		attr id=1 config=1 sample_type=IDENTIFIER flags=disabled
		stat id=1 cpu=-1 thread=0 val=7 ena=1 run=1
		stat_round type=1 time=100
	END
	pp-split --samples 5 -o p-%u -i in
	[ "$(records p-0 | grep -c HEADER_ATTR)" -eq 4 ]
}

@test "pieces of tracepoints have their formats" {
	need_tracepoints
	pp-record -q -e sched:sched_process_fork -o in "${CALLS[@]}"
	pp-split --samples 25 -o p-%02u -i in
	perf_quiet script -i in | sort >expected
	for file in p-*; do
		perf_quiet script -i "$file"
	done | sort >got
	[ -s expected ]
	diff expected got
	sound p-*
}

@test "the head has what lives, what ended long before is forgotten" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
		repeat 3000 {
		fork pid=$(i+10) ppid=1 tid=$(i+10) ptid=1 time=$(i*1000000000+1000)
		comm pid=$(i+10) comm=short exec time=$(i*1000000000+1010)
		mmap2 pid=$(i+10) start=0x1000 len=0x1000 file=/short time=$(i*1000000000+1020)
		sample pid=$(i+10) time=$(i*1000000000+1030) ip=0x1010
		exit pid=$(i+10) ppid=1 tid=$(i+10) ptid=1 time=$(i*1000000000+1040)
		round
		}
	END
	pp-split --samples 1000 -o p-%u -i in
	[ "$(records -s p-2 | wc -l)" -eq 1000 ]
	[ "$(records p-2 | grep -c ' MMAP2 ')" -lt 1010 ]
	[ "$(records p-2 | grep -c ' COMM ')" -lt 1010 ]
}

@test "what is held does not grow with what came and went" {
	local heads=()
	for count in 600 1200; do
		build <<-END >in
			header
			attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
			repeat $count {
			fork pid=\$(i+10) ppid=1 tid=\$(i+10) ptid=1 time=\$(i*10000000+1000)
			comm pid=\$(i+10) comm=short exec time=\$(i*10000000+1010)
			mmap2 pid=\$(i+10) start=0x1000 len=0x1000 file=/short time=\$(i*10000000+1020)
			sample pid=\$(i+10) time=\$(i*10000000+1030) ip=0x1010
			exit pid=\$(i+10) ppid=1 tid=\$(i+10) ptid=1 time=\$(i*10000000+1040)
			round
			}
		END
		pp-split --seconds 2 --keep 3 -o p-%u -i in
		[ "$(ls p-* | wc -l)" -le 3 ]
		# the head of the last piece: what was alive, or had just ended
		heads+=("$(records "$(ls -v p-* | tail -n 1)" | awk '$2 == "SAMPLE" { exit } { n++ } END { print n }')")
		rm p-*
	done
	[ "${heads[0]}" -gt 3 ]
	[ "${heads[1]}" -eq "${heads[0]}" ]
}

@test "kernel symbols and BPF programs that are gone are not in the head, others are" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		ksymbol addr=0x10 len=8 ksym_type=1 name=bpf_old time=1000
		ksymbol addr=0x20 len=8 ksym_type=1 name=bpf_new time=1001
		bpf_event type=1 id=3 time=1002
		cgroup id=5 path=/web time=1003
		cgroup id=5 path=/web2 time=1004
		namespaces pid=7 tid=7 links=4:5 time=1005
		sample pid=7 time=1010
		ksymbol addr=0x10 len=8 ksym_type=1 flags=1 name=bpf_old time=1011
		bpf_event type=2 id=3 time=1012
		round
		sample pid=7 time=1020
		round
	END
	pp-split --samples 1 -o p-%u -i in
	json p-1 >lines
	run -1 grep bpf_old lines
	run -0 grep -c bpf_new lines
	run -1 grep '"type":"BPF_EVENT"' lines
	run -1 grep '"/web"' lines
	run -0 grep -c '"/web2"' lines
	run -0 grep -c '"type":"NAMESPACES"' lines
}

@test "the head is in the order of its times, and they are as they were" {
	whole >in
	pp-split --samples 8 -o p-%u -i in
	run -0 --separate-stderr pp-sort --check -i p-1
	[ -z "$stderr" ]
	[ "$(records p-1 | awk '$2 == "FORK" { print $5 }' | tr '\n' ' ')" = "1000 1400 1510 " ]
	[ "$(records p-1 | awk '$2 == "FINISHED_ROUND"' | wc -l)" -eq 1 ]
}

@test "notes are in every piece" {
	build >in <<-'END'
		header
		round hex=50504e4f54453100010000000000000004000000030000006b657931776562000000000000000000
		attr id=1
		repeat 4 {
		sample pid=7 time=$(i*10+1000)
		}
		round
	END
	pp-split --samples 1 -o p-%u -i in
	for n in 0 1 2 3; do
		run -0 bash -c "records() { perl -I'$TESTS/oracle' '$TESTS/oracle/records.pl' -v \"\$@\"; }; records p-$n | grep -c FINISHED_ROUND"
		[ "$output" -eq 2 ]
	done
}

@test "a stream that only says what it is about is one piece" {
	printf 'header\nattr id=1\ncomm pid=7 comm=work synthesized\n' | build >in
	pp-split --samples 1 -o p-%u -i in
	[ "$(records p-0 | grep -c ' COMM ')" -eq 1 ]
	[ ! -e p-1 ]
}

@test "samples of pieces are the samples of the whole, whatever the disorder" {
	pp-gen --samples 5000 --disorder 4ms --events 2 --threads 3 >in
	pp-split --samples 700 -o p-%u -i in
	[ "$(ls p-* | wc -l)" -eq 8 ]
	pp-sort -i in | json - | jq -c 'select(.type == "SAMPLE") | .fields' >expected
	for file in p-*; do
		json "$file" | jq -c 'select(.type == "SAMPLE") | .fields'
	done >got
	cmp expected got
}

@test "records that come too late are kept, and counted" {
	build >in <<-'END'
		header
		attr id=1
		sample time=1000
		sample time=2000
		round
		sample time=3000
		round
		sample time=10
		round
	END
	run -0 --separate-stderr pp-split --samples 2 -o p-%u -i in
	assert_regex "$stderr" "in: 1 record came after later ones had been released, by up to 0.000001990 s"
	[ "$(for file in p-*; do records -s "$file"; done | wc -l)" -eq 4 ]
}

# ---- seals and damage

@test "pieces are sealed as the whole is, and each ends with END" {
	pp-gen --samples 300 >sealed
	pp-cat --no-seal -i sealed -o plain
	pp-split --samples 100 -o s-%u -i sealed
	pp-split --samples 100 -o u-%u -i plain
	pp-split --samples 100 --seal -o t-%u -i plain
	pp-split --samples 100 --no-seal -o v-%u -i sealed
	for n in 0 1 2; do
		[ "$(tail -c 40 s-$n | head -c 7)" = PPSEAL1 ]
		[ "$(tail -c 40 t-$n | head -c 7)" = PPSEAL1 ]
		[ "$(tail -c 8 u-$n | od -An -tx1 | tr -d ' ')" = 4400000000000800 ]
		same_bytes u-$n v-$n
		pp-check -q -i s-$n
		pp-check -q -i t-$n
		pp-check -q -i u-$n
	done
}

@test "a piece that is read is as sound as a stream that was never cut" {
	pp-gen --samples 300 >in
	pp-split --samples 100 -o p-%u -i in
	run -0 --separate-stderr pp-cat -i p-1 -o again
	[ -z "$stderr" ]
	head -c -60 p-1 >cut
	run -3 pp-cat -i cut -o again
}

@test "of a cut stream all pieces are whole, the last one says so" {
	pp-gen --samples 300 --rounds 100 --no-seal >in
	head -c -20 in >cut
	run -3 --separate-stderr pp-split --samples 100 -o p-%u -i cut
	assert_regex "$stderr" '^pp-split: cut: record [0-9]+ at byte [0-9]+'
	[ -f p-2 ]
	pp-check -q -i p-0
	pp-check -q -i p-1
	run -3 --separate-stderr pp-cat -i p-2 -o again
	assert_regex "$stderr" 'damaged before it came here'
	[ "$(records p-2 | tail -n 1 | cut -d' ' -f2)" = FINISHED_ROUND ]
}

@test "an altered stream loses nothing, and is told" {
	pp-gen --samples 300 >in
	cp in altered
	printf 'x' | dd of=altered bs=1 seek=$(($(stat -c %s in) / 2)) conv=notrunc status=none
	run -3 --separate-stderr pp-split --samples 100 -o p-%u -i altered
	[ -n "$stderr" ]
	[ -s p-2 ]
	[ "$(for file in p-*; do records -s "$file"; done | wc -l)" -ge 298 ]
}

@test "a stream that is cut in a tail leaves whole pieces" {
	build >in <<-'END'
		header
		attr id=1
		sample time=1000
		round
		auxtrace bytes=4000
	END
	pp-split --samples 1 -o p-%u -i in
	[ "$(records p-0 | grep -c ' AUXTRACE ')" -eq 1 ]
	pp-check -q -i p-0
	head -c -100 in >cut
	run -3 pp-split --samples 1 -o q-%u -i cut
	[ "$(records q-0 | grep -c ' AUXTRACE ')" -eq 0 ]
	[ "$(times q-0)" = 1000 ]
}

# traced: AUX traces of two CPUs, and of two threads, each behind the samples of its round
traced() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		auxtrace_info type=1 priv=1,2,3
		comm pid=7 comm=work time=1000
		fork pid=7 ppid=7 tid=8 ptid=7 time=1001
		comm pid=9 comm=rest time=1002
		sample pid=7 cpu=0 time=1010
		round
		sample pid=9 cpu=1 time=1100
		auxtrace cpu=0 tid=-1 idx=0 bytes=100000
		auxtrace cpu=1 tid=-1 idx=1 bytes=48
		round
		sample pid=7 cpu=0 time=1200
		auxtrace cpu=-1 tid=8 idx=2 bytes=24
		auxtrace cpu=-1 tid=9 idx=3 bytes=16
		auxtrace cpu=-1 tid=77 idx=4 bytes=8
		round
		sample pid=7 cpu=0 time=1300
		round
	END
}

# traces FILE: idx and bytes of the AUX traces there
traces() { json "$1" | jq -r 'select(.type == "AUXTRACE") | "\(.fields.idx):\(.fields.size)"' | tr '\n' ' '; }

@test "AUX traces stay in the piece that they stand in, whatever rounds hold back" {
	traced >in
	pp-split --samples 1 -o p-%u -i in
	sound p-0 p-1 p-2 p-3
	[ "$(times p-1)" = 1100 ]
	[ "$(traces p-0)$(traces p-1)$(traces p-2)$(traces p-3)" = "0:100000 1:48 2:24 3:16 4:8 " ]
	[ "$(traces p-0)" = "" ]
	[ "$(traces p-3)" = "" ] || [ "$(traces p-3)" = "2:24 3:16 4:8 " ]
	json in | jq -c 'select(.tail)' >expected
	for file in p-0 p-1 p-2 p-3; do
		json "$file" | jq -c 'select(.tail)'
	done >got
	cmp expected got
	for file in p-0 p-1 p-2 p-3; do
		[ "$(json "$file" | grep -c '"type":"AUXTRACE_INFO"')" -eq 1 ]
	done
}

@test "AUX traces go to the piece of their CPU or process, what neither has is counted" {
	traced >in
	run -0 --separate-stderr pp-split --by cpu -o 'c-{}' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: in: 3 pieces of AUX trace left out, which --by cpu cannot assign"
	[ "$(traces c-0)" = "0:100000 " ]
	[ "$(traces c-1)" = "1:48 " ]
	sound c-0 c-1
	run -0 --separate-stderr pp-split --by pid -o 'p-{}' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: in: 3 pieces of AUX trace left out, which --by pid cannot assign"
	[ "$(traces p-7)" = "2:24 " ]
	[ "$(traces p-9)" = "3:16 " ]
	sound p-7 p-9
	[ "$(json p-9 | grep -c '"type":"AUXTRACE_INFO"')" -eq 1 ]
	run -0 --separate-stderr pp-split --by comm -o 'n-{}' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: in: 5 pieces of AUX trace left out, which --by comm cannot assign"
}

@test "a folder for what is held that has no room is exit 4" {
	traced >in
	run -4 --separate-stderr env TMPDIR="$PWD/missing" pp-split --samples 1 -o p-%u -i in
	assert_regex "$stderr" "^pp-split: in: record [0-9]+ at byte [0-9]+ \(AUXTRACE\): cannot make a file in .*missing: No such file or directory"
}

@test "a missing, an empty and a foreign input leave no piece" {
	run -4 --separate-stderr pp-split --samples 1 -o p-%u -i missing
	[ "$stderr" = "pp-split: cannot open missing: No such file or directory" ] ||
		[[ $stderr == "pp-split: missing: "*"No such file or directory" ]]
	: >empty
	run -3 pp-split --samples 1 -o p-%u -i empty
	echo text and no records at all >text
	run -3 pp-split --samples 1 -o p-%u -i text
	[ ! -e p-0 ]
}

# ---- names

@test "a pattern without a number is refused, and one that is no pattern" {
	whole >in
	for pattern in piece piece.pipe 'p-{}' 'p-%%' 'p-%%u'; do
		run -2 --separate-stderr pp-split --samples 1 -o "$pattern" -i in
		assert_equal "${stderr_lines[0]}" "pp-split: --output: '$pattern' lacks a %u for the number of the piece"
	done
	for pattern in 'p-%d' '%' 'p-%s%u' '%1234u'; do
		run -2 --separate-stderr pp-split --samples 1 -o "$pattern" -i in
		assert_regex "${stderr_lines[0]}" "has a % that is neither"
	done
	run -2 --separate-stderr pp-split --by cpu -o p-%u -i in
	assert_regex "${stderr_lines[0]}" "lacks a \\{\\} for the value of --by"
	[ "$(ls | grep -v '^separate-stderr')" = in ] # those are of bats
}

@test "numbers in names are as wide as they should be" {
	whole >in
	pp-split --samples 5 -o 'a%%-%03u.pipe' -i in
	pp-split --by cpu -o 'b-{}-%2u' -i in
	[ -f a%-000.pipe ]
	[ -f a%-001.pipe ]
	[ -f 'b-0- 1' ]
	[ -f 'b-1- 0' ]
}

@test "names of threads in names of files reach no other folder" {
	build >in <<-'END'
		header
		attr id=1
		comm pid=7 comm="../../x y" time=1000
		comm pid=8 comm=".." time=1000
		comm pid=9 comm="a\x1b[1m" time=1000
		sample pid=7 time=1010
		sample pid=8 time=1020
		sample pid=9 time=1030
		round
	END
	mkdir folder
	pp-split --by comm -o 'folder/{}' -i in
	[ "$(ls folder | tr '\n' ' ')" = "_. _./.._x_y a_[1m " ] || [ "$(ls folder | tr '\n' ' ')" = "_. _._.._x_y a_[1m " ]
}

@test "one way to cut has to be said, and what it cannot do is misuse" {
	for arguments in "" "--samples 1 --bytes 1" "--by cpu --seconds 1"; do
		run -2 --separate-stderr pp-split $arguments -o p-%u </dev/null
		assert_equal "${stderr_lines[0]}" "pp-split: one of --seconds, --bytes, --samples and --by is required"
	done
	run -2 pp-split --samples 0 -o p-%u </dev/null
	run -2 pp-split --seconds 0 -o p-%u </dev/null
	run -2 pp-split --by name -o '{}' </dev/null
	run -2 pp-split --by cpu --keep 2 -o '{}' </dev/null
	run -2 pp-split --samples 1 --keep 2 --exec cat </dev/null
	run -2 pp-split --samples 1 </dev/null
}

@test "--keep keeps the last pieces, and touches no other file" {
	whole >in
	echo mine >p-mine
	run -0 pp-split --samples 1 --keep 2 -o p-%u -i in
	[ "$(echo p-*)" = "p-7 p-8 p-mine" ]
	[ "$(times p-8)" = 2800 ]
	pp-split --samples 1 --keep 100 -o q-%u -i in
	[ "$(ls q-* | wc -l)" -eq 9 ]
}

@test "a piece never overwrites the input" {
	whole >p-0
	cp p-0 before
	run -4 --separate-stderr pp-split --samples 1 -o p-%u -i p-0
	[ "$stderr" = "pp-split: cannot write p-0: it is the input" ]
	same_bytes before p-0
	run -4 pp-split --samples 1 -o p-%u <p-0
	same_bytes before p-0
}

@test "-v names each piece that is done" {
	whole >in
	run -0 --separate-stderr pp-split -v --samples 5 -o p-%u -i in
	assert_regex "${stderr_lines[0]}" '^pp-split: p-0: 5 samples, [0-9]+ bytes$'
	assert_regex "${stderr_lines[1]}" '^pp-split: p-1: 4 samples, [0-9]+ bytes$'
}

# ---- commands

@test "--exec gives each piece to a command, with its name" {
	whole >in
	pp-split --samples 3 -o p-%u -i in
	run -0 pp-split --samples 3 -o x-%u --exec 'cat >{}.got' -i in
	same_bytes p-0 x-0.got
	same_bytes p-1 x-1.got
	same_bytes p-2 x-2.got
	[ ! -e x-0 ]
	run -0 pp-split --samples 3 --exec 'wc -c | sed s/^/{}:/' -i in
	assert_equal "${lines[1]}" "1:$(stat -c %s p-1)"
}

@test "names are one word for the command, whatever is in them" {
	build >in <<-'END'
		header
		attr id=1
		comm pid=7 comm="a;b'c$x" time=1000
		sample pid=7 time=1010
		round
	END
	mkdir out
	pp-split --by comm -o 'out/{}' --exec 'cat >{}' -i in
	[ "$(ls out)" = "a;b'c\$x" ]
}

@test "a command that fails is told and makes exit 4, the other pieces are done" {
	whole >in
	run -4 --separate-stderr pp-split --samples 3 -o p-%u --exec 'cat >{}; [ {} != p-1 ]' -i in
	[ "$stderr" = "pp-split: p-1: the command ended with status 1" ]
	[ "$(times p-2)" = "2500 2600 2800" ]
	run -4 --separate-stderr pp-split --samples 3 -o p-%u --exec 'kill -9 $$' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: p-0: the command was ended by signal 9"
}

@test "a command may stop reading early" {
	pp-gen --samples 20000 >in
	run -0 --separate-stderr pp-split --samples 5000 --exec 'head -c 16 >{}' -i in
	[ -z "$stderr" ]
	[ "$(cat 0 1 2 3 | wc -c)" -eq 64 ]
}

# ---- the system

@test "a full device is exit 4, and what it was" {
	whole >in
	ln -s /dev/full p-1
	run -4 --separate-stderr pp-split --samples 3 -o p-%u -i in
	[ "$stderr" = "pp-split: cannot write p-1: No space left on device" ]
	pp-check -q -i p-0
	run -4 --separate-stderr pp-split --samples 3 -o missing/%u -i in
	[ "$stderr" = "pp-split: cannot write missing/0: No such file or directory" ]
}

@test "pieces are never written to a terminal" {
	need script
	whole >in
	ln -s /dev/tty p-0
	run -2 script -qec "pp-split --samples 3 -o p-%u -i in" /dev/null </dev/null
	assert_regex "$output" "pp-split: a stream is not written to a terminal: "
}

@test "a split that is killed leaves the pieces that it wrote" {
	whole >in
	mkfifo fifo
	pp-split --samples 3 -o p-%u -i fifo 3>&- &
	pid=$!
	exec 4>fifo
	cat in >&4
	for ((tries = 0; tries < 600; tries++)); do
		[ ! -s p-1 ] || break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	exec 4>&-
	[ "$(times p-0)" = "1050 1100 1150" ]
	pp-check -q -i p-0
	[ -s p-1 ]
}

@test "a reader of a piece that is gone ends the split by SIGPIPE, a command's does not" {
	pp-gen --samples 100000 >in
	mkfifo p-0
	head -c 16 <p-0 >got 3>&- &
	run -141 pp-split --bytes 100M -o p-%u -i in
	wait $!
	run -4 --separate-stderr pp-split --samples 75000 -o q-%u --exec 'head -c 16 >{}; kill -KILL $$' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: q-0: the command was ended by signal 9"
	assert_equal "${stderr_lines[1]}" "pp-split: q-1: the command was ended by signal 9"
	[ "$(stat -c %s q-1)" -eq 16 ]
}

@test "new pieces are their owner's alone, older ones keep their mode" {
	whole >in
	: >p-1
	chmod 640 p-1
	(umask 0 && pp-split --samples 3 -o p-%u -i in)
	[ "$(stat -c %a p-0)" = 600 ]
	[ "$(stat -c %a p-1)" = 640 ]
}

@test "the first interrupt of a pipeline lets what was captured arrive" {
	whole >in
	mkfifo fifo
	# a shell's background ignores interrupts, and so would what it starts
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' pp-split --samples 3 -o p-%u -i fifo 3>&- &
	pid=$!
	exec 4>fifo
	head -c 600 in >&4
	for ((tries = 0; tries < 600; tries++)); do
		! grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status || break
		sleep 0.1
	done
	kill -INT $pid
	tail -c +601 in >&4
	exec 4>&-
	status=0
	wait $pid || status=$?
	[ "$status" -eq 0 ]
	[ "$(times p-2)" = "2500 2600 2800" ]
}

@test "a live stream is written as it comes" {
	whole >in
	mkfifo fifo
	pp-split --samples 3 -o p-%u -i fifo 3>&- &
	pid=$!
	exec 4>fifo
	cat in >&4
	# the last rounds are held, all before is there though the stream goes on
	for ((tries = 0; tries < 600; tries++)); do
		[ ! -s p-0 ] || pp-check -q -i p-0 >/dev/null 2>&1 && break
		sleep 0.1
	done
	[ "$(times p-0)" = "1050 1100 1150" ]
	exec 4>&-
	wait $pid
	[ "$(times p-2)" = "2500 2600 2800" ]
}

@test "more pieces than there may be open files are exit 4, and those that are open are ended" {
	{
		echo header
		echo "attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all"
		echo "repeat 40 {"
		echo 'sample pid=$(i+1) time=$(i*100)'
		echo "}"
		echo round
	} | build >in
	for how in "" --seal; do
		echo "$how"
		rm -f p-*
		run -4 --separate-stderr bash -c "ulimit -n 20 && pp-split $how --by pid -o p-{} -i in"
		[[ $stderr =~ ^'pp-split: cannot write p-'[0-9]+': Too many open files: ulimit -n' ]]
		[ "$(ls p-* | wc -l)" -gt 5 ]
		for piece in p-*; do
			[ "$(records -s "$piece" | wc -l)" -eq 1 ]
			# whole, and of a source that was not
			run -3 --separate-stderr pp-cat "$piece"
			[ "$stderr" = "pp-cat: $piece: damaged before it came here" ]
		done
	done
}
