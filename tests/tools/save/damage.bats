# damage.bats - pp-save of streams that are cut or damaged: what is good of them is saved.

setup() {
	load ../../helper
	load save
}

@test "of a stream that is cut what came before is saved" {
	sampled >whole
	head -c -60 whole >in
	run -3 --separate-stderr pp-save -i in -o out
	[[ $stderr == "pp-save: in: record "*" at byte "* ]]
	sections out
	need_perf
	run -0 perf_quiet script -F time -i out
	[ "${#lines[@]}" -eq 100 ]
}

@test "an AUX trace that is cut is left out of data and index" {
	build >whole <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		auxtrace bytes=64 idx=0 tid=7 cpu=-1
		sample pid=7 time=2000 ip=0x1000
		auxtrace bytes=3000000 idx=1 tid=7 cpu=-1
	END
	for cut in 8 2000000 2999999; do
		echo "$cut"
		head -c -$cut whole >in
		run -3 --separate-stderr pp-save -i in -o out
		sections out >list
		[ "$(data out)" = "71 9 68 " ]  # the last is the mark of the damage
		[ "$(section out 18 | cut -c1-16)" = 0100000000000000 ]
		[ "$(stat -c %s out)" -lt 2000 ]
	done
}

@test "tracing data that are cut are left out" {
	for place in '' 'sample time=1000'; do
		echo "$place"
		printf 'header\nattr id=1\n%s\ntracing bytes=300000\n' "$place" | build | head -c -100 >in
		run -3 pp-save -i in -o out
		sections out >list
		run -1 grep '^1 ' list
		[ "$(stat -c %s out)" -lt 2000 ]
	done
}

@test "a feature that is damaged is left out, those behind it stay" {
	printf 'header\nattr id=1\nfeature HOSTNAME u32 4000\nfeature ARCH string "x86_64"\nsample time=1000\n' |
		build >in
	run -3 --separate-stderr pp-save -i in -o out
	[[ $stderr == *"(HEADER_FEATURE): "* ]]
	run -0 sections out
	[ "$(cut -d' ' -f1 <<<"$output" | tr '\n' ' ')" = "header attrs data table 6 21 " ]
}

@test "a stream that an earlier stage found damaged is saved, with exit 3" {
	sampled | head -c -60 >part
	pp-decompress -i part -o in || true
	run -3 pp-save -i in -o out
	sections out
}

# bats test_tags=T3-A3
@test "a file that was made of a damaged stream says so, and perf reads it as any other" {
	sampled >whole
	head -c -60 whole >in
	run -3 pp-save -i in -o out
	run -3 --separate-stderr pp-check out
	[[ $output == *"an earlier stage met damage"* ]]
	run -3 pp-cat -o again out
	[[ $output == *"out: damaged before it came here"* ]]
	run -3 pp-save -i again -o twice
	same_bytes out twice
	# a record that is left out is damage, too
	printf 'header\nattr id=1\nfeature HOSTNAME u32 4000\nsample time=1000\n' | build >in
	run -3 pp-save -i in -o left
	run -3 pp-check -q left
	pp-save -i whole -o sound
	pp-check -q sound
	need_perf
	run -0 perf_quiet script -F time -i out
	[ "${#lines[@]}" -eq 100 ]
}

@test "damaged files of the corpus end in 0 or 3, and leave a file only where a stream was" {
	corpus fuzz quipper perf-6.1
	for file in "$CORPUS"/fuzz/* "$CORPUS"/quipper/*piped*-[34].* "$CORPUS"/perf-6.1/{bad,trunc}*; do
		[ -f "$file" ] || continue
		rm -f out
		run pp-save -q -i "$file" -o out
		echo "$file: $status"
		[[ $status =~ ^[03]$ ]]
		[ ! -e out ] || sections out
	done
}
