# pieces.bats - pp-split: a piece stands alone, with names, maps, notes and AUX traces of its own.

setup() {
	load ../../helper
	load split
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

# recording FILE: a small one, with forks, programs, names
recording() {
	need_perf_events
	perf_quiet record -g -e cpu-clock -F 1000 -o - perl -e '
		for (1 .. 6) { unless (fork) {
			exec "perl", "-e", q($i++ while $i < 3e5; $0 = "other"; $i++ while $i < 6e5) if $_ % 2;
			$i++ while $i < 5e5; exit } }
		$i++ while $i < 1e6; 1 while wait > 0' >"$1"
}

# bats test_tags=nightly
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
