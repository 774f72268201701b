# split.bats - pp-split: ways to cut, and which records are then in which piece.

setup() {
	load ../helper
	load split/split
}

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

# bats test_tags=T3-B7
@test "--bytes that is hardly more than what each piece begins with is refused, with what would do" {
	local enough head
	whole >in
	for head in 1 200; do
		run -2 --separate-stderr pp-split --bytes $head -o p-%02u -i in
		assert_regex "${stderr_lines[0]}" '^pp-split: --bytes: the names and maps that every piece needs take [0-9]+ KiB, more than a piece has room for: use at least [0-9]+k$'
		run -1 compgen -G 'p-*'
	done
	run -2 --separate-stderr pp-split --bytes 1 --exec 'cat >p-{}' -o x-%02u -i in
	run -1 compgen -G '[px]-*'
	run -2 --separate-stderr pp-split --bytes 1 -o p-%02u -i in
	enough=${stderr_lines[0]##* }
	run -0 --separate-stderr pp-split --bytes "$enough" -o p-%02u -i in
	[ -z "$stderr" ]
	[ "$(for file in p-*; do records -s "$file"; done | wc -l)" -eq 9 ]
	sound p-*
}

# bats test_tags=T3-B7
@test "--bytes that a growing head overtakes makes larger pieces, not thousands, and that is said" {
	{
		echo header
		echo 'attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,comm'
		echo 'sample pid=1 tid=1 ip=1 time=1'
		printf 'repeat 400 {\ncomm pid=$(i+10) comm=name time=$(i*10+10)\nsample pid=$(i+10) ip=1 time=$(i*10+11)\n}\nround\n'
	} | build >in
	run -0 --separate-stderr pp-split --bytes 4k -o p-%04u -i in
	assert_regex "$stderr" '^pp-split: p-[0-9]+: the names and maps that it needs take [0-9]+ bytes by now: this and later pieces are larger than --bytes$'
	[ "$(ls p-* | wc -l)" -lt 40 ]
	[ "$(for file in p-*; do records -s "$file"; done | wc -l)" -eq 401 ]
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
