# perf.bats - perf makes the same of pp-save's file as of the stream: script, report, sched,
# kwork, inject, stat and what else reads files.

setup() {
	load ../../helper
	load save
}

@test "perf script prints the same of the file as of the stream" {
	need_perf_events
	local -A ways=([plain]='-e cpu-clock' [chains]='-e cpu-clock -g'
		[dwarf]='-e cpu-clock --call-graph dwarf,1024' [several]='-e cpu-clock,task-clock,page-faults'
		[group]='-e {cpu-clock,task-clock}' [rest]='-e cpu-clock -d -T --sample-cpu')
	for way in "${!ways[@]}"; do
		echo "$way"
		# shellcheck disable=SC2086
		perf_quiet record -q -F 499 ${ways[$way]} -o - -- "${WORK[@]}" >in
		pp-save -i in -o out
		sections out >list
		same_script
	done
}

# bats test_tags=nightly
@test "perf script prints the same of the file as of a compressed stream" {
	need_perf_events
	once compressed perf record -z -o - -e cpu-clock true || skip "perf cannot compress"
	perf_quiet record -q -z -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o out
	# an old perf expands only what an old perf wrote
	pp-decompress -i in -o plain
	mv plain in
	same_script
}

# bats test_tags=nightly
@test "perf sched and script read a file with tracepoints" {
	need_tracepoints
	need_system_wide
	perf_quiet record -q -a -e sched:sched_switch,sched:sched_wakeup -o - -- "${CALLS[@]}" >in
	pp-save -i in -o out
	same_script
	run -0 perf_quiet sched timehist -i out
	[ "$(grep -cE '^ +[0-9]+\.[0-9]+ +\[[0-9]+\] +perl' <<<"$output")" -ge 1 ]
}

# bats test_tags=nightly
@test "perf kwork reads a file with tracepoints" {
	need_tracepoints
	need_system_wide
	perf kwork -h 2>&1 | grep -q report || skip "this perf has no kwork"
	once softirq perf record -a -o - -e irq:softirq_entry true || skip "softirq cannot be traced here"
	perf_quiet record -q -a -e irq:softirq_raise,irq:softirq_entry,irq:softirq_exit -o - -- "${CALLS[@]}" >in
	pp-save -i in -o out
	run -0 perf_quiet kwork -k softirq report -i out
	[[ $output == *"Kwork Name"* ]]
}

@test "perf finds a part of the time in the file" {
	need_perf
	sampled >in
	pp-save -i in -o out
	perf_quiet script --time 10%-20% -F time -i out | tr -d ' :' >got
	[ -s got ]
	awk '$1 < 1.0999 || $1 > 1.2001' got >elsewhere
	[ ! -s elsewhere ]
	run -0 perf_quiet report --stdio --time 10%-20% -i out
	[[ $output == *"Samples: "* ]]
}

# comparable [FILE]: the header in words without what versions of perf do differently: the sizes of
# attributes (zeros at their ends are not saved), ID, which perf adds in pipes, and the feature
# BUILD_ID, which perf 7 leaves out since all of its MMAP2 records have build-ids
comparable() { sed -E 's/,? size( =|:) [0-9]+//; s/\|ID\|/|/; /^# missing features/s/ BUILD_ID//' "$@"; }

@test "perf shows the header as it shows that of a recording" {
	need_perf_events
	perf_quiet record -q -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o out
	run -0 perf_quiet report --header-only -i out
	[[ $output == *"# hostname : $(uname -n)"* ]]
	[[ $output == *"# os release : $(uname -r)"* ]]
	[[ $output == *"# cmdline : "*perf* ]] # perf 7 has no more of it
	[[ $output == *"# event : name = cpu-clock"* ]]
	[[ $output == *"# sample duration : "* ]]
	perf_quiet evlist -v -i out >got
	perf_quiet record -q -e cpu-clock -o file -- true
	perf_quiet evlist -v -i file >expected
	diff <(comparable got) <(comparable expected)
}

@test "a file of perf record is saved with all that it had" {
	need_perf_events
	perf_quiet record -q -g -e cpu-clock,task-clock -o in -- "${WORK[@]}"
	pp-save -i in -o out
	same_script
	perf_quiet buildid-list -i in | sort >expected
	# perf 7 has all build-ids in its MMAP2 records, but lists only those of files that were hit
	perf_quiet buildid-list -i out | sort >got
	run -0 comm -23 expected got
	[ -z "$output" ]
	perf_quiet report --header-only -i in | grep -vE 'captured on|offset|data size' >expected
	perf_quiet report --header-only -i out | grep -vE 'captured on|offset|data size' >got
	diff <(comparable got) <(comparable expected)
}

@test "perf lists the build-ids that pp-inject added" {
	need_perf_events
	perf_quiet record -q -g -e cpu-clock -o - -- "${WORK[@]}" | pp-inject -b -o in
	pp-save -i in -o out
	json in | jq -r 'select(.type == "HEADER_BUILD_ID").fields | "\(.build_id[:.size * 2]) \(.filename)"' |
		sort >expected
	[ -s expected ]
	perf_quiet buildid-list -i out | sort >got
	run -0 comm -23 expected got # perf 7 had put others into the maps
	[ -z "$output" ]
	run -0 perf_quiet buildid-list --with-hits -i out
	[[ $output == *"perl"* ]]
}

@test "perf inject reads the file and writes one that holds the same" {
	need_perf_events
	perf_quiet record -q -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o saved
	perf_quiet inject -b -i saved -o out
	same_script
	perf_quiet buildid-list -i out | grep perl
}

@test "perf data convert reads the file" {
	need_perf_events
	perf data convert -h 2>&1 | grep -q to-json || skip "perf cannot convert to JSON"
	perf_quiet record -q -e cpu-clock -o - -- "${WORK[@]}" >in
	pp-save -i in -o out
	perf_quiet data convert -i out --to-json got.json
	samples=$(json in | grep -c '"type":"SAMPLE"')
	[ "$(jq '.samples | length' got.json)" -eq "$samples" ]
}

@test "perf stat report prints the same of the file as of the stream" {
	need_perf_events
	perf_quiet stat record -o - -e cpu-clock,page-faults -- "${WORK[@]}" >in
	pp-save -i in -o out
	sections out | grep '^19 '
	# seconds are told to more places than what was recorded has
	perf stat report -i in 2>&1 </dev/null | grep -E 'cpu-clock|page-faults' >expected
	perf stat report -i out 2>&1 </dev/null | grep -E 'cpu-clock|page-faults' >got
	[ -s got ]
	diff expected got
}

# printed FILE: task, time and event of each sample that perf script printed
printed() {
	perl -ne 'm{(\d+)/(\d+)\s+(?:\[\d+\]\s+)?(\d+\.\d+):\s+(?:\d+\s+)?(\S+?): } and print "$1/$2 $3 $4\n"' "$1" | sort
}

# same_samples FILE: perf here prints all samples that the recorder's own perf printed
same_samples() {
	local ns=
	printed "$CORPUS/$1.script.txt" >expected
	! grep -qE '\.[0-9]{9} ' expected || ns=--ns
	perf_quiet script $ns -F comm,pid,tid,time,period,event -i out >text
	printed text >got
	[ -s expected ]
	# a new perf does not print members of a group that counted nothing
	comm -23 expected got >missing
	diff /dev/null missing
}

# bats test_tags=nightly
@test "streams of perf 6.1, 6.12 and 7.3 are saved whole" {
	corpus perf-6.1 perf-6.12 perf-7.3
	need_perf
	for file in perf-6.1/{dwarf,group,rec,rec.z,regs,stat,tp}.pipe.data \
		perf-6.1/rec.{pipe.inject-b,inject2pipe}.data perf-6.12/{rec,rec.z,dwarf,group,meta,tp}.pipe.data \
		perf-6.12/{buildid-mmap,stat,stat.interval}.pipe.data perf-7.3/{rec,rec.z,dwarf,group,meta,tp}.pipe.data \
		perf-7.3/{buildid-mmap,stat,stat.interval}.pipe.data; do
		echo "$file"
		run -0 --separate-stderr pp-save -i "$CORPUS/$file" -o out
		[ -z "$stderr" ]
		sections out >list
		perf_quiet report --header-only -i out >header
		pp-decompress -i "$CORPUS/$file" -o in
		too_strict "$CORPUS/$file" || same_script
		[ ! -f "$CORPUS/$file.script.txt" ] || same_samples "$file"
	done
}

@test "an AUX trace of the corpus is decoded by the index" {
	corpus quipper/perf.data.piped.intel_pt-4.14
	need_perf
	pp-save -i "$CORPUS/quipper/perf.data.piped.intel_pt-4.14" -o out
	[ "$(section out 18 | cut -c1-16)" = 0200000000000000 ]
	# perf reads an AUX trace of a pipe only from a real pipe; names are wider where all are known
	perf script -i - < <(cat "$CORPUS/quipper/perf.data.piped.intel_pt-4.14") 2>err | tr -s ' ' | as_of_files >expected
	grep -q 'psb offs' expected || skip "perf cannot decode it here"
	perf script -i out 2>err | tr -s ' ' | as_of_files >got
	diff expected got
}
