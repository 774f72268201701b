# options.bats - the options of perf inject (6.1 to 7.3): those that pp-inject has do the same, the others are
# refused, and the manual page says why.

setup() { load ../../helper; }

@test "each option of perf inject is one of pp-inject, or is refused and has its reason in the page" {
	need_perf
	{
		perf inject -h
		"$(newer_perf 7.0)" inject -h || true
	} 2>&1 | grep -oE '^ +(-., )?--[a-z][a-z0-9-]*' | grep -oE -e '--.*' | sort -u >theirs
	[ "$(wc -l <theirs)" -ge 15 ]
	{ pp-inject --list-hidden && pp-inject --list-options; } | cut -f2 >ours
	while read -r option; do
		echo "$option"
		! grep -qxF -e "$option" ours || continue
		run -2 pp-inject "$option" </dev/null
		grep -qE -e "(Fl|,) -${option#--}( |\$)" "$ROOT/tools/pp-inject.1"
	done <theirs
}

@test "--buildid-all adds the build-ids of files that no sample hit, before their first maps" {
	need_perf
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=7 start=0x10000 len=0x10000 prot=5 file=\"$(readlink -f "$(command -v perl)")\" time=10"
		echo "mmap2 pid=8 start=0x10000 len=0x10000 prot=5 file=\"$(readlink -f "$(command -v perl)")\" time=20"
		echo round
	} | build >in
	pp-inject --buildid-all -i in -o out
	[ "$(pp-dump --json -i out | jq -r 'select(.type).type' | tr '\n' ' ')" = 'HEADER_ATTR HEADER_BUILD_ID MMAP2 MMAP2 FINISHED_ROUND ' ]
	perf inject --buildid-all <in >theirs 2>perf.err
	for file in out theirs; do
		pp-dump --json -i "$file" | jq -r 'select(.type == "HEADER_BUILD_ID") | .fields | "\(.build_id[0:40]) \(.filename)"' >"$file.ids"
	done
	[ "$(wc -l <out.ids)" -eq 1 ]
	diff out.ids theirs.ids
}

@test "--mmap2-buildid-all puts them into the maps, which keep their sizes; known ones are taken as given" {
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo 'mmap2 pid=7 start=0x10000 len=0x10000 prot=5 file="/nowhere/a" maj=8 min=1 ino=77 time=10'
		echo 'mmap2 pid=7 start=0x30000 len=0x10000 prot=5 file="/nowhere/b" maj=8 min=1 ino=78 time=20'
		echo round
	} | build >in
	pp-inject -q --mmap2-buildid-all --known-build-ids '0123456789abcdef0123456789abcdef01234567 /nowhere/a' -i in -o out
	[ "$(stat -c %s in)" -eq "$(stat -c %s out)" ]
	pp-dump --json -i out | jq -c 'select(.type == "MMAP2") | [.fields.build_id, .fields.ino]' >got
	diff - got <<-'END'
		["0123456789abcdef0123456789abcdef01234567",null]
		[null,78]
	END
	echo '00ff00ff00ff00ff00ff /nowhere/b' >list
	pp-inject -q --mmap2-buildid-all --known-build-ids "file://$PWD/list" -i in -o out
	[ "$(pp-dump --json -i out | jq -r 'select(.fields.filename == "/nowhere/b") | .fields.build_id_size')" = 10 ]
	run -2 --separate-stderr pp-inject -b --known-build-ids 'xyz /nowhere/b' -i in
	[[ $stderr == *'is not a list of BUILDID PATH, or file://FILE'* ]]
}

@test "-B leaves maps out that no sample hits, and gives the others their build-ids, each process its own" {
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN flags=sample_id_all
		mmap2 pid=7 start=0x10000 len=0x1000 pgoff=0x2000 prot=5 file="/nowhere/a" maj=8 min=1 ino=77 time=10
		mmap2 pid=7 start=0x30000 len=0x1000 prot=5 file="/nowhere/b" maj=8 min=1 ino=78 time=20
		mmap2 pid=7 start=0x50000 len=0x1000 prot=5 file="/nowhere/c" maj=8 min=1 ino=79 time=20
		sample pid=7 ip=0x10010 time=30 callchain=0xfffffffffffffe00,0x10010,0x50010
		sample pid=7 ip=0x10010 time=35 callchain=0xfffffffffffffe00,0x10010,0x50010
		fork pid=8 ppid=7 tid=8 ptid=7 time=40
		sample pid=8 ip=0x10010 time=50
		round
	END
	pp-inject -q -B --known-build-ids '0123456789abcdef0123456789abcdef01234567 /nowhere/a' -i in -o out
	json out | jq -c 'select(.type == "MMAP2") | .fields |
		[.pid, .start, .len, .pgoff, .prot, .filename, .build_id, .ino, .sample_id.time]' >got
	diff - got <<-'END'
		[7,"0x10000","0x1000","0x2000","0x5","/nowhere/a","0123456789abcdef0123456789abcdef01234567",null,30]
		[7,"0x50000","0x1000","0x0","0x5","/nowhere/c",null,79,30]
		[8,"0x10000","0x1000","0x2000","0x5","/nowhere/a","0123456789abcdef0123456789abcdef01234567",null,50]
	END
	[ "$(json out | jq -r 'select(.type).type' | grep -c SAMPLE)" -eq 3 ]
	pp-check -q out
	run -2 pp-inject -B -j -i in
}

# bats test_tags=nightly
@test "-B changes nothing of what perf script shows" {
	need_perf_events
	perf record -q -g -e cpu-clock -F 999 -o - -- sh -c 'perl -e "for (1 .. 1000000) { \$x++ }"; ls' 2>perf.err >in
	pp-inject -q -B -i in -o out
	perf_quiet script -i in >wanted
	perf_quiet script -i out >found
	diff wanted found
	[ "$(json out | jq -r 'select(.type).type' | grep -c MMAP2)" -lt "$(json in | jq -r 'select(.type).type' | grep -c MMAP2)" ]
}

@test "what would need a decoder of instruction traces is refused, with the reason" {
	for option in --itrace --itrace=b --strip --vm-time-correlation --vm-time-correlation=dry-run; do
		run -2 --separate-stderr pp-inject -b $option </dev/null
		[[ ${stderr_lines[0]} == "pp-inject: instruction traces are not decoded: "* ]]
		[ -z "$output" ]
	done
	for option in --guest-data --guest-data=a,1 --guestmount=/; do
		run -2 --separate-stderr pp-inject -b $option </dev/null
		[[ ${stderr_lines[0]} == "pp-inject: streams of guests are not merged: "* ]]
	done
}

@test "instruction traces pass unchanged, each with its bytes" {
	corpus quipper/perf.data.intel_pt-4.14
	# shellcheck disable=SC2317
	traces() { pp-dump --json "$1" | jq -c 'select(.type | tostring | test("AUX|ITRACE")) | [.type, .size, .fields]'; }
	pp-cat -q "$CORPUS/quipper/perf.data.intel_pt-4.14" >in
	pp-inject -q -b --root "$PWD" -i in -o out
	traces in >wanted
	traces out >found
	[ "$(wc -l <wanted)" -eq 15 ]
	diff wanted found
}
