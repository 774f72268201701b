# advice.bats - pp-info --advice: each rule speaks when it has reason to, and is silent otherwise.

setup() { load ../../helper; }

# good [LINE...]: a stream of 2,000 samples, all of which have names, and these lines; SAMPLE: more of each sample
good() {
	cat <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER${TYPE:-} ${ATTR:-} flags=sample_id_all,comm,mmap
		ksymbol addr=0xffffffff81000000 len=4096 ksym_type=1 name=work time=1
		comm pid=7 comm=seven time=5
		comm pid=8 comm=${RECORDER:-pp-record} exec time=5
		mmap2 pid=7 start=0x1000 len=0x1000 file=${FILE:-/bin/sh} maj=1 ino=2 time=6
		round
		repeat ${SAMPLES:-2000} {
		sample id=1 misc=1 pid=7 time=\$(i*1000+1000) ip=0xffffffff81000010 callchain=-128,0xffffffff81000010 ${SAMPLE:-}
		}
	END
	printf '%s\n' "$@" round
}

# samples COUNT WORDS: so many more, with these words, later than those of good()
samples() { printf 'repeat %s {\nsample id=1 time=$(i*1000+9000000) %s\n}\n' "$1" "$2"; }
known='misc=1 ip=0xffffffff81000010 callchain=-128,0xffffffff81000010'

# advice LINE...: the names of the rules that have something to say of good() with these lines
advice() {
	local status=0
	good "$@" | build >in
	pp-info --advice in >text 2>err || status=$?
	pp-info --advice --json in >json 2>err || true
	jq -r '.advice[].rule' json | tr '\n' ' '
	# one line a rule, which says what the JSON says; or one that says that there is none
	if jq -e '.advice == []' json >/dev/null; then
		[ "$status" -eq 0 ] && [[ $(cat text) == "nothing to advise: "* ]] || echo "status $status"
	else
		[ "$status" -eq 1 ] || echo "status $status"
		jq -r '.advice[] | .text + ": " + .cure' json | diff text - || echo differs
	fi
}

# counts: count and of, of the only advice
counts() { jq -c '.advice[] | [.count, .of]' json; }

@test "a good recording needs no advice" {
	[ "$(advice)" = '' ]
	[ "$(jq -r '.schema, .samples' json)" = $'perfpipe.advice/1\n2000' ]
	[ ! -s err ]
}

@test "lost: what was lost is a share of all that there was, counted once" {
	[ "$(advice 'lost id=1 lost=500 time=8000000')" = 'lost ' ]
	[ "$(counts)" = '[500,2500]' ]
	grep -q '^20\.0 % of the events were lost (500 of 2500): use larger buffers (pp-record -m 4M)' text
	# a recorder's own count at the end has those that the kernel reported before
	[ "$(advice 'lost id=1 lost=100 time=8000000' 'lost id=1 lost=400 time=8000001' 'lost_samples lost=500 time=8000002')" = 'lost ' ]
	[ "$(counts)" = '[500,2500]' ]
	[ "$(advice 'lost id=1 lost=0 time=8000000')" = '' ]
	# what a filter left out on purpose is not lost
	[ "$(advice 'lost_samples misc=0x8000 lost=500 time=8000002')" = '' ]
}

@test "throttled: events that were too fast" {
	[ "$(advice 'throttle time=8000000 id=1' 'unthrottle time=8000001 id=1')" = 'throttled ' ]
	[ "$(counts)" = '[1,2000]' ]
	grep -q ': use a lower rate (pp-record --freq)' text
	[ "$(advice 'unthrottle time=8000001 id=1')" = '' ]
}

@test "nameless: more than three of ten stacks" {
	local nameless='misc=1 pid=7 ip=0xffffffff82000000 callchain=-128,0xffffffff82000000,0xffffffff82000100,0xffffffff81000010'
	[ "$(advice "$(samples 900 "$nameless")")" = 'nameless ' ]
	[ "$(counts)" = '[900,2900]' ]
	grep -q 'pp-record --call-graph dwarf' text
	[ "$(advice "$(samples 800 "$nameless")")" = '' ]
	# half of the functions have names
	[ "$(advice "$(samples 900 'misc=1 pid=7 callchain=-128,0xffffffff82000000,0xffffffff81000010')")" = '' ]
	# without a call chain it is the function itself
	[ "$(advice "$(samples 900 'misc=1 pid=7 ip=0xffffffff82000000')")" = 'nameless ' ]
}

# bats test_tags=T3-E4
@test "nameless: raw stacks are unwound before they are judged, and need no other recording" {
	local command stack=0000000000000000000000000000000020800000000000000020000000000000000000000000000000300000000000000000000000000000000000000000000000
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER,IDENTIFIER flags=sample_id_all,exclude_callchain_user sample_regs_user=0x1c0 sample_stack_user=64 config=0
		feature ARCH string "x86_64"
		comm pid=7 comm=seven time=5 event=1
		mmap2 pid=7 start=0x1000 len=0x4000 pgoff=0 file=//anon prot=7 time=6 event=1
		ksymbol addr=0xffffffff81000000 len=4096 ksym_type=1 name=work time=1
		repeat 2000 {
		sample id=1 pid=7 time=\$(i*1000+1000) misc=1 ip=0xffffffff81000010 callchain=-128,0xffffffff81000010 regs_user=2:0x8010,0x8000,0x1000 stack_user=$stack:64
		}
		round
	END
	run -1 --separate-stderr pp-info --advice in
	[ "$output" = "100.0 % of the stacks have mostly functions without a name: use pp-symbol --debuginfod, which fetches symbols" ]
	pp-unwind -q in | pp-info --advice >out || [ $? -eq 1 ]
	[ "$(cat out)" = "$output" ]
	for command in pp-report pp-fold 'pp-flame -o page.html' pp-top; do
		# shellcheck disable=SC2086
		$command in 2>&1 >/dev/null | grep -Fqx "${command%% *}: in: $output"
	done
}

@test "files: those that are missing, or of another build" {
	local in_file='misc=2 pid=7 ip=0x1010 callchain=-512,0x1010'
	[ "$(FILE=/nowhere/none advice "$(samples 9 "$in_file")")" = 'files ' ]
	[ "$(counts)" = '[1,1]' ]
	grep -q 'such as /nowhere/none: use pp-inject -b and pp-symbol on the machine that was recorded' text
	# nothing is known of a file in which nothing was sampled, nor is memory one
	[ "$(FILE=/nowhere/none advice)" = '' ]
	[ "$(FILE=/memfd:code advice "$(samples 9 "$in_file")")" = '' ]
	[ "$(FILE=//anon advice "$(samples 9 "$in_file")")" = '' ]
	# the inode in this stream is not that of the file
	cp "$(command -v pp-info)" program
	[ "$(FILE=$PWD/program advice "$(samples 9 "$in_file")")" = 'files ' ]
}

@test "multiplexed: counts of samples, of reads and of perf stat that are estimates" {
	local read=TOTAL_TIME_ENABLED,TOTAL_TIME_RUNNING
	[ "$(TYPE=,READ ATTR="read_format=$read" SAMPLE='value=1 enabled=1000 running=500' advice)" = 'multiplexed ' ]
	[ "$(counts)" = '[2000,2000]' ]
	grep -q ': use fewer events at once (--event)' text
	[ "$(TYPE=,READ ATTR="read_format=$read" SAMPLE='value=1 enabled=1000 running=1000' advice)" = '' ]
	printf 'header\nattr id=1 sample_type=0 read_format=3\nstat_config entries=0:1\nstat id=1 val=5 ena=1000 run=%s\nstat_round type=1 time=9\n' 100 |
		build >in
	run -1 pp-info --advice in
	[[ $output == "100.0 % of the counts are estimates"* ]]
	[ "${#lines[@]}" -eq 1 ]
	# counts need no samples; an event that was not counted did not wait
	for times in '1000 run=1000' '0 run=0'; do
		printf 'header\nattr id=1 sample_type=0 read_format=3\nstat_config entries=0:1\nstat id=1 val=5 ena=%s\nstat_round type=1 time=9\n' "$times" |
			build >in
		run -0 pp-info --advice in
		[[ $output == "nothing to advise"* ]]
	done
}

@test "few: less than a thousand samples" {
	[ "$(SAMPLES=999 advice)" = 'few ' ]
	[ "$(counts)" = '[999,1000]' ]
	grep -q '^999 samples are few: .*: record longer (pp-record --duration)' text
	[ "$(SAMPLES=1000 advice)" = '' ]
}

@test "recorder: more than one in twenty samples, of any recorder" {
	for RECORDER in pp-record perf pp-count; do
		export RECORDER
		[ "$(advice "$(samples 150 "pid=8 $known")")" = 'recorder ' ]
		[ "$(counts)" = '[150,2150]' ]
		[ "$(advice "$(samples 100 "pid=8 $known")")" = '' ]
	done
	[ "$(RECORDER=other advice "$(samples 150 "pid=8 $known")")" = '' ]
}

@test "late: records that come after rounds that promised to have them" {
	local old="sample id=1 pid=7 time=900 $known"
	[ "$(advice round "sample id=1 pid=7 time=9000000 $known" round "$old")" = 'late ' ]
	grep -q ': use pp-sort --all to put all in order' text
	# in the same round as what is newer it is in time
	[ "$(advice "$old")" = '' ]
}

@test "idle: more than half of the samples" {
	[ "$(advice "$(samples 2100 "pid=0 $known")")" = 'idle ' ]
	[ "$(counts)" = '[2100,4100]' ]
	grep -q ": use pp-filter 'pid != 0' to leave it out" text
	[ "$(advice "$(samples 1900 "pid=0 $known")")" = '' ]
}

@test "several rules speak in their order, a line each, and damage is said all the same" {
	good 'throttle time=8000000 id=1' 'lost id=1 lost=5 time=8000001' "$(samples 2100 "pid=0 $known")" | build >in
	run -1 --separate-stderr pp-info --advice in
	[ "${#lines[@]}" -eq 3 ]
	[ -z "$stderr" ]
	head -c -20 in >cut
	run -3 --separate-stderr pp-info --advice cut
	[[ $stderr == *"runs past the end"* || $stderr == *cut* ]]
	[ "${#lines[@]}" -eq 3 ]
	run -2 pp-info --advice --note key in
}

@test "pp-report, pp-fold, pp-flame and pp-top say what share was lost, and nothing else" {
	good 'lost id=1 lost=100 time=8000000' 'throttle time=8000000 id=1' 'lost_samples lost=500 time=8000002' | build >in
	good 'throttle time=8000000 id=1' | build >whole
	for command in 'pp-report' 'pp-fold' 'pp-flame -o page.html' 'pp-top'; do
		echo "$command"
		# shellcheck disable=SC2086
		run -0 --separate-stderr $command in
		[ "$stderr" = "${command%% *}: in: 20.0 % of the events were lost (500 of 2500): use larger buffers (pp-record -m 4M), a lower rate (--freq), or --adapt" ]
		# shellcheck disable=SC2086
		run -0 --separate-stderr $command whole
		[ -z "$stderr" ]
	done
	run -0 --separate-stderr pp-fold -q in
	[ -z "$stderr" ]
	pp-top in | grep -q '^# .*, 500 lost$'
	pp-info in | grep -q '^lost  *500$'
}

@test "pp-report, pp-fold, pp-flame and pp-top say what share of the stacks is nameless, by the same rule" {
	local nameless='misc=1 pid=7 ip=0xffffffff82000000 callchain=-128,0xffffffff82000000,0xffffffff82000100,0xffffffff81000010'
	local command said
	good "$(samples 900 "$nameless")" | build >in
	good "$(samples 800 "$nameless")" | build >less
	SAMPLES=68 good "$(samples 31 "$nameless")" | build >few
	said=$(pp-info --advice in || true)
	[[ $said == "31.0 % of the stacks have mostly functions without a name: "*"--call-graph dwarf"* ]]
	for command in 'pp-report' 'pp-report --no-children -g none -s comm' 'pp-fold' 'pp-fold --addrs --pid' \
		'pp-fold --weight=time' 'pp-flame -o page.html' 'pp-flame --svg --chart -o page.svg' \
		'pp-flame --reverse --svg -o page.svg' 'pp-top' 'pp-top -s comm'; do
		echo "$command"
		# shellcheck disable=SC2086
		run -0 --separate-stderr $command in
		[ "$stderr" = "${command%% *}: in: $said" ]
		# shellcheck disable=SC2086
		run -0 --separate-stderr $command -q in
		[ -z "$stderr" ]
		for stream in less few; do
			# shellcheck disable=SC2086
			run -0 --separate-stderr $command "$stream"
			[ -z "$stderr" ]
		done
	done
	# one line for each of two recordings
	run -0 --separate-stderr pp-flame --diff less -o page.html in
	[ "$stderr" = "pp-flame: in: $said" ]
	run -0 --separate-stderr pp-flame --diff in -o page.html less
	[ "$stderr" = "pp-flame: in: $said" ]
}

@test "of nameless stacks those count that are shown" {
	local command
	good "$(samples 900 'misc=1 pid=8 ip=0xffffffff82000000 callchain=-128,0xffffffff82000000')" | build >in
	for command in 'pp-report --pid=' 'pp-report --filter=pid==' 'pp-top --once --filter=pid=='; do
		echo "$command"
		# shellcheck disable=SC2086
		run -0 --separate-stderr ${command}7 in
		[ -z "$stderr" ]
		# shellcheck disable=SC2086
		run -0 --separate-stderr ${command}8 in
		[[ $stderr == "${command%% *}: in: 100.0 % of the stacks have mostly functions without a name: "* ]]
	done
}

@test "names that come after the samples are names" {
	local command
	load ../report/report
	named_program
	cat <<-END | build >in
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap
		comm pid=7 comm=seven time=5
		mmap2 pid=7 tid=7 start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=$PWD/prog time=7
		repeat 200 {
		sample id=1 misc=2 pid=7 tid=7 time=\$(i+10) period=1 ip=0x401024 callchain=-512,0x401024,0x401010
		}
		round
	END
	pp-symbol in | pp-dump --json >named
	jq -c 'select(.fields.payload == null)' named >rest
	mv prog elsewhere
	{ cat rest && tail -n 1 rest && tail -n 1 rest && jq -c 'select(.fields.payload != null)' named; } | pp-undump >late
	for command in pp-report pp-fold 'pp-flame -o page.html'; do
		echo "$command"
		# shellcheck disable=SC2086
		run -0 --separate-stderr $command late
		[ -z "$stderr" ]
		# shellcheck disable=SC2086
		$command in 2>&1 >/dev/null | grep -q '100.0 % of the stacks have mostly functions without a name'
	done
}
