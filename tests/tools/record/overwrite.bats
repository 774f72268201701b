# pp-record --overwrite: buffers that are written round and round, and snapshots of them.

setup() {
	load ../../helper
	load recorder
	recorder=
	page=$(getconf PAGESIZE)
}

teardown() {
	[ -z "$recorder" ] || kill "$recorder" 2>/dev/null || :
}

# faked ARGUMENTS...: records on the fake kernel
faked() { FAKE_LOG=$PWD/log FAKE_RING=records LD_PRELOAD=$fake pp-record -q "$@"; }

# names FILE: how often samples are of tasks with each name
names() { perf_quiet script -i "$1" -F comm | awk '{ n[$1]++ } END { for (name in n) print name, n[name] }'; }

# ---- what is in such a buffer, by a kernel that is told what to write

@test "a buffer that was never full gives all samples, oldest first" {
	need_fake_ring
	samples 1001 1020 1 0 >records.0
	faked -e cycles -g --overwrite -m 1 -o out -- true
	run -0 times out
	assert_output "$(seq 1001 1020)"
	run -0 pp-check out
}

@test "a buffer that was overwritten gives the last samples that are whole, oldest first" {
	need_fake_ring
	local extra size whole
	# 72 bytes do not divide a page, 128 do: the oldest is cut, or is not
	for extra in 1 8; do
		size=$((64 + 8 * extra))
		whole=$((page / size))
		rm -f log
		samples 1 2000 1 "$extra" >records.0
		faked -e cycles -g --overwrite -m 1 -o out -- true
		run -0 times out
		assert_output "$(seq $((2000 - whole + 1)) 2000)"
		run -0 pp-check out
	done
}

@test "what lies at both ends of a buffer is given in one piece" {
	need_fake_ring
	samples 1 2000 1 1 >records.0
	faked -e cycles -g --overwrite -m 1 -o out -- true
	run -0 jq -c 'select(.type == "SAMPLE").fields.callchain' < <(json out)
	[ "$(sort -u <<<"$output" | wc -l)" -eq 1 ]
}

@test "samples are overwritten, and what reports tasks has a buffer of its own that is not" {
	need_fake_ring
	: >records.0
	perl -e '
		for my $i (1 .. 3) {
			my $body = pack("LL a16 LL Q LL Q", $$, $$, "name$i", $$, $$, $i, 0, 0, 2);
			print pack("L S S", 3, 0, 8 + length $body), $body;
		}' >records.1
	faked -e cycles -g --overwrite -m 1 -o out -- true
	run -0 jq -r 'select(.type == "COMM" and (.fields.comm | startswith("name"))).fields.comm' < <(json out)
	assert_output $'name1\nname2\nname3'
	run -0 sh -c "pp-info --json out | jq -c '.events[] | [.name, .attr.flags.write_backward]'"
	grep -c '^mmap ' log
	# the first counter's own buffer is stopped for the snapshot, and goes on
	run grep PAUSE_OUTPUT log
	assert_line 'ioctl 1 PAUSE_OUTPUT 1'
	assert_line 'ioctl 1 PAUSE_OUTPUT 0'
}

@test "terms of one event say whether it is overwritten" {
	need_fake_ring
	faked -e 'cycles/no-overwrite/,instructions' --overwrite -o out -- true
	run -0 jq -c 'select(.type == "HEADER_FEATURE").fields.data.events[]? | [.name, .attr.flags.write_backward]' < <(json out)
	assert_output '["cycles",null]
["instructions",1]
["dummy",null]'
}

# ---- live

@test "without a snapshot in between the stream holds the last samples, with their names" {
	need_events
	need_perf
	# a thread on any CPU has one buffer
	pp-record --overwrite --per-thread -m 1 -e cpu-clock -c 250000 -o out -- perl -e '
		$0 = "first"; $i++ while $i < 1e7;
		my $end = 1e7 + 1e7 * shift;
		$0 = "last"; $i++ while $i < $end;' $((page / 4096))
	run -0 pp-check out
	run -0 names out
	assert_line --regexp '^last [0-9]+$'
	refute_line --regexp '^first '
	run perf_quiet script -i out -F dso,ip
	assert_line --partial /perl
}

@test "a snapshot by SIGUSR2 holds samples from before it" {
	need_events
	need_perf
	# one that waits until its parent, the recorder, has written what it asked for
	pp-record --overwrite --per-thread -m 1 -e cpu-clock -c 250000 -o out -- perl -e '
		$0 = "first";
		$i++ while $i < 1e7;
		my $was = -s "out";
		kill "USR2", getppid;
		for (1 .. 1200) { select undef, undef, undef, 0.05; last if -s "out" > $was + 2000 }
		$0 = "last";
		$i++ while $i < 2e7;'
	run -0 pp-check out
	run -0 names out
	assert_line --regexp '^first [0-9]+$'
	assert_line --regexp '^last [0-9]+$'
}

@test "a snapshot by command is in the stream when it is acknowledged, and is not written twice" {
	need_events
	mkfifo commands acks
	exec 7<>commands 8<>acks
	pp-record --overwrite --control fd:7,8 -e cpu-clock -F 2000 -o out -- perl -e '1 while 1' 3>&- &
	recorder=$!
	until_true begun out
	local answer
	while ! sampled out; do
		echo snapshot >&7
		IFS= read -r -t 60 -u 8 answer
	done
	echo stop >&7
	wait "$recorder"
	recorder=
	page=$(getconf PAGESIZE)
	run -0 pp-check out
	times out >times
	sort -n times | uniq -d >twice
	[ ! -s twice ]
}

@test "no sample of a snapshot is older than what a round before it released" {
	need_all_cpus
	pp-record --overwrite -a -e cpu-clock -o out -- sh -c 'for i in 1 2 3; do
		sh -c : && sleep 0.05 && kill -USR2 $PPID && sleep 0.2; done'
	# released by a round is what came before the round before
	json out | jq -r '[.type, (.fields.time // 0)] | @tsv' | awk '
		$1 == "FINISHED_ROUND" { rounds++; released = before; before = newest; next }
		$2 && $2 < released { late++ }
		$2 > newest { newest = $2 }
		END { print rounds + 0, late + 0; exit late > 0 }'
}

@test "threads that are followed on any CPU, groups and compression are overwritten as well" {
	need_events
	local busy='$i++ while $i < 3e6'
	pp-record --overwrite --per-thread -e cpu-clock -o out -- perl -e "$busy"
	run -0 pp-check out
	sampled out
	pp-record --overwrite -e '{cpu-clock,task-clock}:S' -o out -- perl -e "$busy"
	run -0 pp-check out
	sampled out
	pp-record --overwrite -z -e cpu-clock -o out -- perl -e "$busy"
	pp-decompress -o plain out
	run -0 pp-check plain
	sampled plain
}

# ---- what cannot be

@test "what cannot be overwritten is refused with 2, and nothing is written" {
	local refused
	for refused in --max-buffer=1M --snapshot --aux-sample; do
		run -2 --separate-stderr pp-record --overwrite "$refused" -e cpu-clock -- true
		[ -z "$output" ]
		[[ $stderr == *'--overwrite cannot be combined with'* ]]
	done
	run -2 --separate-stderr pp-record --overwrite --adapt -e cpu-clock -- true
	[ -z "$output" ]
	[[ $stderr == *'leave out --adapt or --overwrite'* ]]
	run -2 --separate-stderr pp-record --overwrite -e dummy -- true
	[ -z "$output" ]
	[[ $stderr == *'no event is sampled'* ]]
}

@test "an AUX area beside buffers that are overwritten is refused with 2" {
	need_fake_ring
	perl "$TESTS/machines/make.pl" skylake sys
	printf 0-1 >sys/devices/system/cpu/online
	SYSFS_PATH=$PWD/sys LD_PRELOAD=$fake run -2 --separate-stderr pp-record --overwrite -e intel_pt// -a -- true
	[ -z "$output" ]
	[[ $stderr == *--snapshot* ]]
}
