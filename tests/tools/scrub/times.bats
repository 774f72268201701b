#!/usr/bin/env bats
# times.bats - pp-scrub --times: all times are moved by one distance, those of the wall clock by another.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	for key in one two; do
		head -c 32 /dev/zero | tr '\0' "${key:0:1}" >$key
		chmod 600 $key
	done
}

# All times of a stream that are not 0, one a line, but those of STAT_ROUND: of what, and the time.
times() {
	pp-dump --json "$1" | perl -ne '
		my ($type) = /"type":"(\w+)"/;
		next if $type eq "STAT_ROUND" || $type eq "TIME_CONV";
		print "$type $1 $2\n" while /"(time|clockid_time_ns|timestamp|first|last)":"?([1-9]\d*)"?/g'
}

# moved A B: the distances between the times of two streams, each once; their records must be the same
moved() {
	times "$1" >times.a
	times "$2" >times.b
	diff <(cut -d' ' -f1,2 times.a) <(cut -d' ' -f1,2 times.b) >&2
	paste -d' ' times.a times.b | perl -ane 'printf "%d\n", $F[5] - $F[2]' | sort -u
}

wall() { pp-dump --json "$1" | grep -oP '"(wall_clock_ns|clockid_time_ns)":"?\K\d+'; }

@test "every time of every record is moved by one distance, which is the key's" {
	for stream in every newer; do
		perl "$TESTS/build.pl" <"$TESTS/streams/$stream.txt" >in
		pp-scrub -q --key one --drop aux in -o plain
		for key in one two; do
			pp-scrub -q --key $key --times --drop aux in -o "$stream.$key"
			pp-dump --json "$stream.$key" | grep -q '"type":"TIME_CONV"' && false
			pp-check "$stream.$key" | grep -q '^sound'
			moved plain "$stream.$key" >"$stream.$key.moved"
			[ "$(wc -l <"$stream.$key.moved")" = 1 ]
			[ "$(cat "$stream.$key.moved")" -gt 1000000000 ]
		done
		[ "$(wc -l <times.a)" -ge 4 ]
	done
	cmp every.one.moved newer.one.moved
	cmp every.two.moved newer.two.moved
	! cmp -s every.one.moved every.two.moved
	# of counts the time since the recorder began stays
	pp-dump every.one | sed -n 's/.*\(STAT_ROUND.*\)/\1/p' >is
	perl "$TESTS/build.pl" <"$TESTS/streams/every.txt" | pp-dump | sed -n 's/.*\(STAT_ROUND.*\)/\1/p' >was
	[ "$(wc -l <was)" = 2 ]
	diff was is
}

@test "by the wall clock, too, streams of one key are as far apart as they were; nothing tells the start" {
	recording() {
		build <<-END
			header
			attr id=1 clockid=1 flags=sample_id_all,use_clockid
			feature CLOCK_DATA u32 1 u32 1 u64 $1 u64 $2
			sample pid=7 time=$3 ip=0x10
			round
		END
	}
	recording 1700000000000000000 5000000000 6000000000 >first
	recording 1700000007000000000 9000000000 8000000000 >second
	for file in first second; do
		pp-scrub -q --key one --times $file -o $file.out
		# the time of the sample, by the wall clock
		for of in $file $file.out; do
			echo $(wall $of) $(times $of | awk '/SAMPLE time/ { print $3; exit }') |
				perl -ane 'printf "%d\n", $F[0] - $F[1] + $F[2]' >$of.when
		done
	done
	[ $(($(cat second.when) - $(cat first.when))) = $(($(cat second.out.when) - $(cat first.out.when))) ]
	[ "$(cat first.when)" != "$(cat first.out.when)" ]
	started() { wall "$1" | paste -sd- | xargs -I{} perl -e 'print {}'; }
	[ "$(started first)" = 1699999995000000000 ]
	[ "$(started first.out)" != 1699999995000000000 ]
}

@test "the records keep their order, their rounds and their numbers, and 0 is no time" {
	cp "$TESTS/streams/demo.pipe" in
	pp-scrub -q --key one in -o plain
	pp-scrub -q --key one --times in -o out
	sound out
	diff <(pp-dump plain | awk '{ print $2 }') <(pp-dump out | awk '{ print $2 }')
	diff <(pp-report -q plain) <(pp-report -q out)
	diff <(pp-dump --json plain | grep -c '"time":0[,}]') <(pp-dump --json out | grep -c '"time":0[,}]')
	pp-sort in | pp-scrub -q --key one --times | cmp - <(pp-scrub -q --key one --times in | pp-sort)
}

@test "perf reads moved times" {
	need_perf
	pp-scrub -q --key one --times "$TESTS/streams/demo.pipe" -o out
	pp-scrub -q --key one "$TESTS/streams/demo.pipe" -o plain
	for file in out plain; do
		perf_quiet script -F comm,pid,ip -i "$file" >"$file.script"
		[ -s "$file.script" ]
	done
	diff plain.script out.script
}
