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
	pp-inject --list-options | cut -f2 >ours
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
