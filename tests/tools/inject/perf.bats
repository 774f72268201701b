# perf.bats - pp-inject -b beside perf inject -b: the same build-ids of the same recordings, which
# perf reads as before.

setup() {
	load ../../helper
	load inject
}

# recording [OPTION...]: real samples of a workload, in `in`
recording() { perf_quiet record -o - "$@" -- "${WORK[@]}" >in; }

# of_files FILE: ids and names of the build-ids that perf reads from files too
of_files() { build_ids "$1" | cut -d' ' -f4- | awk '$2 ~ /^\// && $2 !~ /perf-vdso/' | sort; }

@test "the files and ids are those of perf inject -b" {
	need_perf_events
	recording --no-buildid-mmap -e cpu-clock # perf 7 puts build-ids into maps, and adds none to them
	perf inject -b <in >theirs
	pp-inject -b -i in -o ours
	of_files theirs >expected
	of_files ours >got
	[ -s got ]
	diff expected got
}

# shown FILE: its samples; functions of the vdso without their names, since perf finds those of a
# vdso that has a build-id in its cache only
shown() { perf_quiet script -i "$1" | sed -E 's/^(\s+[0-9a-f]+) .* \(\[vdso\]\)$/\1 [vdso]/'; }

@test "perf reads what we add, and shows the same samples" {
	need_perf_events
	perf_quiet record -e cpu-clock -g -o - -- perl -e '$i += time & 1 while $n++ < 2e6' >in
	pp-inject -b --note a=b -i in -o out
	[ -n "$(names out)" ]
	shown in >expected
	shown out >got
	[ -s got ]
	cmp expected got
	perf_quiet report --stdio -i out >report
	grep -q perl report
	# perf lists what samples hit by their own address, and that is among ours
	perf_quiet buildid-list -i out | grep -E '^[0-9a-f]+ /' | sort -u >list
	grep perl list
	build_ids out | cut -d' ' -f4- | sort >ours
	[ "$(comm -23 list ours)" = "" ]
}

@test "nothing of a real recording is changed, and a second -b adds nothing" {
	need_perf_events
	recording -e cpu-clock -g
	pp-inject -b -i in -o out
	without_build_ids out >rest
	same_bytes in rest
	pp-inject -b -i out -o again
	same_bytes out again
}

@test "files that perf inject -b gave a build-id get no other one" {
	need_perf_events
	recording --no-buildid-mmap -e cpu-clock # perf 7 puts build-ids into maps, and adds none to them
	perf inject -b <in >theirs
	pp-inject -b -i theirs -o both
	[ -n "$(of_files theirs)" ]
	[ "$(of_files both)" = "$(of_files theirs)" ]
}

@test "every record that we add is a multiple of 8 long, which perf 7 asks for" {
	need_perf_events
	recording -e cpu-clock
	pp-inject -b --seal --note a=bc -i in -o out
	records out | awk '($2 == "HEADER_BUILD_ID" || $2 == "FINISHED_ROUND") && $4 % 8' >wrong
	cat wrong
	[ ! -s wrong ]
}

# bats test_tags=nightly
@test "build-ids go into streams with tracepoints, where those of perf inject do not" {
	need_tracepoints
	perf_quiet record -o - -e syscalls:sys_enter_openat -e cpu-clock -- "${WORK[@]}" >in
	run -0 --separate-stderr pp-inject -b -i in -o out
	[ -n "$(names out)" ]
	without_build_ids out >rest
	same_bytes in rest
	shown in >expected
	shown out >got
	[ -s got ]
	cmp expected got
}

@test "compressed streams get their build-ids too" {
	need_perf_events
	recording -e cpu-clock -z
	pp-inject -b -i in -o out
	[ -n "$(names out)" ]
	shown in >expected
	shown out >got
	[ -s got ]
	cmp expected got
}

@test "recorded streams of other versions of perf are kept as they are" {
	for version in 6.1 6.12 7.3; do
		for name in rec group dwarf stat tp; do
			file=perf-$version/$name.pipe.data
			corpus $file
			echo "$file"
			pp-inject -b -q -i "$CORPUS/$file" -o out
			without_build_ids out >rest
			same_bytes "$CORPUS/$file" rest
		done
	done
}

@test "build-ids that perf 7 put into maps become records" {
	corpus perf-7.3/buildid-mmap.pipe.data
	file=$CORPUS/perf-7.3/buildid-mmap.pipe.data
	pp-inject -b -q -i "$file" -o out
	build_ids out | cut -d' ' -f4- | grep ' /' | sort >got
	[ -s got ]
	records -v "$file" | perl -ne 'print "$1 $2\n" if / MMAP2 .*build_id=(\w+) .*filename=(\S+)/' |
		sort -u >maps
	[ "$(comm -23 got maps)" = "" ]
}
