#!/usr/bin/env bats
# scrub.bats - pp-scrub: which texts are replaced, which stay, and what is left out.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	head -c 32 /dev/zero | tr '\0' K >key
	head -c 32 /dev/zero | tr '\0' L >other
	chmod 600 key other
}

streams() { perl "$ROOT/tests/build.pl" <"$ROOT/tests/streams/$1.txt"; }

# Puts a text into every field of a name that a stream has.
plant() {
	pp-dump --json | jq -c '
		def put: if type == "string" then "secret" elif type == "array" then map(if type == "string" then "secret" else . end) else . end;
		if .fields then .fields |= walk(if type == "object" then with_entries(
			if .key | test("^(comm|filename|hostname|osrelease|version|cmdline|name|unit|msg|path|prog_name|key|value|cpudesc|cpuid|cores|threads|dies|cpus|pmu_name|cpumask|cpulist)$")
			then .value |= put else . end) else . end) else . end' | pp-undump
}

@test "no text of any record or feature is left" {
	for stream in every newer; do
		streams "$stream" | plant >"$stream"
		[ "$(grep -oa secret "$stream" | wc -l)" -ge 5 ]
		pp-scrub -q --key key --machine --drop aux "$stream" -o out
		! grep -qa secret out
		pp-check out | grep -q '^sound'
	done
	[ "$(grep -oa secret every | wc -l)" -ge 25 ]
}

@test "every row that has text says what becomes of it" {
	cd "$ROOT/libpipe/format"
	run -0 grep -cE '^	(STR|STR8|CHARS|LSTR|STRS|BYTES)\(' records.def features.def
	run -1 grep -nE '^	(STR|STR8|CHARS|LSTR|STRS|BYTES)\(([^H]|H[^I])*$' records.def features.def attr.def
}

@test "hosts, files, symbols, notes and words of the command are replaced, in names records too" {
	pp-inject --note label=secretlabel --note secretkey=1 "$ROOT/tests/streams/demo.pipe" -o in
	pp-scrub -q --key key in -o out
	grep -qa perl in
	run -1 grep -aoiE 'perl|secret|zzz[a-z]*' out
	strings -n 4 out | grep -qx '/usr/lib/x86_64-linux-gnu/libc.so.6'
	pp-info out | grep -qE '^# note : label = x[a-z2-9]{10}$'
	pp-info in | grep '^# hostname' >was
	pp-info out | grep '^# hostname' >is
	! cmp was is
	pp-report -q in | grep -c . >was
	pp-report -q out | grep -c . >is
	[ -s is ]
}

@test "the reports have the same numbers, and the records their order" {
	cp "$ROOT/tests/streams/demo.pipe" in
	pp-scrub -q --key key in -o out
	pp-dump in | awk '{print $2, $3}' | grep -vE '^FINISHED_ROUND' >was
	pp-dump out | awk '{print $2, $3}' | grep -vE '^FINISHED_ROUND' >is
	diff was is
	for file in in out; do
		pp-report -g none -q "$file" 2>/dev/null | awk '/%/ {print $1, $2}' >"$file.numbers"
	done
	[ -s in.numbers ]
	diff in.numbers out.numbers
	perf report -i - --stdio -g none <out >perf.out 2>/dev/null || skip "perf does not read it here"
	grep -q '%' perf.out
}

@test "streams of one key join, those of two do not, and a run without a key has its own" {
	cp "$ROOT/tests/streams/demo.pipe" in
	names() { pp-script -F comm -i "$1" | tr -d ' ' | grep '^x' | sort -u; }
	pp-scrub -q --key key in -o one
	pp-scrub -q --key key in -o two
	cmp one two
	pp-scrub -q --key other in -o three
	pp-scrub -q in -o four
	pp-scrub -q in -o five
	names one >names
	for file in three four five; do
		[ -z "$(comm -12 names <(names "$file"))" ]
	done
	! cmp -s four five
}

@test "a new key is the owner's alone, and the next run takes it" {
	cp "$ROOT/tests/streams/plain.pipe" in
	umask 0
	pp-scrub -q --new-key new in -o one
	[ "$(stat -c %a new)" = 600 ]
	pp-scrub -q --key new in -o two
	cmp one two
	run -4 pp-scrub -q --new-key new in -o three
	chmod 640 new
	run -2 pp-scrub -q --key new in -o three
	[ ! -e three ]
	echo short >short
	chmod 600 short
	run -2 pp-scrub -q --key short in -o three
}

@test "stacks, registers and raw data are taken out, and their bits of the attributes" {
	for stream in every:33 dwarf:5 tracepoint:33; do
		case $stream in
		every:*) streams every >in ;;
		*) cp "$ROOT/tests/streams/${stream%:*}.pipe" in ;;
		esac
		pp-scrub -q --key key --drop aux in -o out
		pp-dump out >text
		run -1 grep -E 'raw=|stack_user=\{|regs_(user|intr)=\{|TRACING_DATA' text
		pp-check out | grep -q '^sound'
		pp-dump in | grep -c ' SAMPLE ' >was
		pp-dump out | grep -c ' SAMPLE ' >is
		diff was is
	done
}

@test "AUX traces are refused, unless they are to be left out" {
	streams every >in
	run -2 --separate-stderr pp-scrub --key key in -o out
	[[ $stderr == *'AUX traces cannot be scrubbed'* ]]
	[ ! -e out ]
	pp-scrub -q --key key --drop aux in -o out
}

@test "unknown records and features are left out, unless they are to stay" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER
		comm pid=7 comm=nginx
		record 113 0 736563726574736563726574
		sample pid=7 time=1000 ip=0x10
		round
	END
	run -0 --separate-stderr pp-scrub --key key in -o out
	[[ $stderr == *'not known here, left out (--keep-unknown): 1'* ]]
	! grep -qa secret out
	pp-scrub -q --keep-unknown --key key in -o out
	grep -qa secret out
}

@test "records of events that no attribute describes are left out, since where their text ends is not known" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,CPU,PERIOD,ADDR,IDENTIFIER flags=sample_id_all
		feature NRCPUS u32 1 u32 1
		comm pid=7 comm=secret event=77 time=900
		itrace_start pid=7 event=77 time=901
		comm pid=7 comm=nginx time=1000
		sample id=77 pid=7 time=1001 ip=0x10
		sample id=1 pid=7 time=1002 ip=0x10
		round
	END
	run -0 --separate-stderr pp-scrub --key key in -o out
	[[ $stderr == *'records of unknown events, left out: 3'* ]]
	pp-check out | grep -q '^sound'
	[ "$(json out | grep -c '"type":"\(COMM\|SAMPLE\|ITRACE_START\)"')" = 2 ]
}

@test "process ids are others, one for one" {
	cp "$ROOT/tests/streams/demo.pipe" in
	pp-scrub -q --key key --pids in -o out
	for file in in out; do
		pp-dump "$file" | grep -oE ' p?pid=[0-9]+' | sed 's/.*=//' | grep -vx 0 | sort -u >"$file.pids"
	done
	[ "$(wc -l <in.pids)" = "$(wc -l <out.pids)" ]
	[ "$(wc -l <in.pids)" -ge 5 ]
	[ -z "$(comm -12 in.pids out.pids)" ]
	pp-report -g none -q -s comm in | awk '/%/ {print $1}' >was
	pp-report -g none -q -s comm out | awk '/%/ {print $1}' >is
	diff was is
}

@test "the other byte order is scrubbed alike" {
	cp "$ROOT/tests/streams/demo.pipe" in
	pp-cat --big-endian in -o big
	pp-scrub -q --key key in -o one
	pp-scrub -q --key key big -o two
	pp-dump one >one.text
	pp-dump two >two.text
	diff one.text two.text
}

@test "of a stream that is cut all whole records are scrubbed" {
	cp "$ROOT/tests/streams/demo.pipe" in
	for size in 9000 15001 20003; do
		head -c "$size" in >cut
		run -3 pp-scrub -q --key key cut -o out
		run -1 grep -ao perl out
		pp-dump out 2>/dev/null | grep -q . || false
	done
}
