# compressed.bats - pp-save -z: a file as perf record -z writes it.

setup() {
	load ../../helper
	load save
}

# bats test_tags=T3-C6
@test "records of the kernel are compressed, and the others stay where they are" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		feature HOSTNAME string "here"
		comm pid=7 comm=work time=1000
		init
		repeat 100 {
		sample pid=7 time=$(i*1000+2000) ip=0x1000
		}
		build_id pid=-1 id=0123456789abcdef0123456789abcdef01234567 file=/lib/a
		sample pid=7 time=200000 ip=0x1000
		round
		auxtrace_info type=1 priv=1,2
		sample pid=7 time=300000 ip=0x1000
		auxtrace hex=1111111111111111 idx=0 tid=7 cpu=-1
		sample pid=7 time=400000 ip=0x1000
		auxtrace bytes=300000 idx=1 tid=7 cpu=-1
		lost id=1 lost=3 time=500000
	END
	pp-save -i in -o plain
	pp-save -z -i in -o out
	[ "$(data out)" = "81 82 81 68 70 81 71 81 71 81 " ]
	# the index has the places that AUX traces have in this file
	for ((n = 0; n < 2; n++)); do
		at=$((16#$(section out 18 | cut -c$((17 + 32 * n))-$((32 + 32 * n)) | fold -w2 | tac | tr -d '\n')))
		[ "$(tail -c +$((at + 1)) out | head -c 4 | od -An -tx1)" = " 47 00 00 00" ]
	done
	# version 0, zstd, level 1, a ratio of more than 1, the most that a carrier holds
	[[ $(section out 27) =~ ^00000000010000000100000000?[1-9a-f]000000[0-9a-f]{8}$ ]]
	run -0 --separate-stderr pp-check --strict out
	# what is read of both is one stream, and one file again
	pp-cat plain >expected
	pp-cat out >got
	same_bytes expected got
	pp-save -i out -o again
	same_bytes plain again
	pp-save -z -i out -o again
	same_bytes out again
}

# bats test_tags=T3-C6
@test "perf of every version reads the file, as it reads the one that is not compressed" {
	need_perf
	sampled >few
	pp-gen --seed=46 --samples=300 --cpus=3 --tracepoints=1 --events=0 --callchain=16 --stack=632 --rounds=0 -o noise
	pp-gen --samples=20000 --callchain=10 -o many
	local perf in level
	for in in few noise many; do
		pp-save -i $in -o plain
		for level in 1 9; do
			pp-save -z$level -i $in -o out
			while read -r perf; do
				echo "$perf: $in, level $level"
				"$perf" script -i plain </dev/null >expected 2>/dev/null
				"$perf" script -i out </dev/null >got 2>/dev/null
				[ -s expected ]
				diff expected got >differs || { head differs; return 1; }
			done < <(perfs)
		done
	done
	[ "$(stat -c %s out)" -lt $(($(stat -c %s plain) / 2)) ]
	# its own words, of a ratio that it would have written itself
	run -0 perf report --header-only -i out
	[[ $output =~ "# compressed : Zstd, level = 9, ratio = "([0-9]+) ]]
	[ "${BASH_REMATCH[1]}" -ge 2 ]
	pp-info out | grep -q "^compressed .* ratio ${BASH_REMATCH[1]}\.[0-4]$\|^compressed .* ratio $((BASH_REMATCH[1] - 1))\.[5-9]$"
}

# bats test_tags=T3-C6
@test "perf inject, and perf of a part of the time, read it too" {
	need_perf
	sampled >in
	pp-save -z -i in -o out
	perf_quiet inject -b -i out -o injected
	perf_quiet script -F time -i injected >got
	[ "$(wc -l <got)" -eq 101 ]
	run -0 perf_quiet report --stdio --time 10%-20% -i out
	[[ $output == *"Samples: 1"[01]* ]]
}

# bats test_tags=T3-C6
@test "notes, what was cut, and a stream without records are saved compressed as well" {
	sampled | pp-inject --note host=web7 -o whole
	pp-save -z -i whole -o out
	[ "$(pp-info --note host out)" = web7 ]
	head -c -60 whole >cut
	run -3 pp-save -z -i cut -o out
	run -3 pp-check -q out
	[ "$(pp-dump --json -i out | grep -c '"type":"SAMPLE"')" -eq 100 ]
	# an AUX trace that is cut is taken back; what came before it is there
	build >aux <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=7 time=2000 ip=0x1000
		auxtrace bytes=3000000 idx=1 tid=7 cpu=-1
	END
	head -c -8 aux >cut
	run -3 pp-save -z -i cut -o out
	[ "$(data out)" = "81 68 " ]
	printf 'header\nattr id=1\nround\n' | build >empty
	pp-save -i empty -o plain
	pp-save -z -i empty -o out
	same_bytes plain out
}

# bats test_tags=T3-C6
@test "a level that zstd does not have is misuse, and higher levels make no larger files" {
	pp-gen --samples=20000 --callchain=10 -o in
	pp-save -z -i in -o one
	pp-save -z1 -i in -o again
	same_bytes one again
	pp-save --compression-level=19 -i in -o best
	[ "$(stat -c %s best)" -le "$(stat -c %s one)" ]
	for level in 0 23 x ''; do
		[ -z "$level" ] || run -2 --separate-stderr pp-save -z$level -i in -o none
		run -2 --separate-stderr pp-save --compression-level=$level -i in -o none
		[[ $stderr == *"is not a level from 1 to 22"* ]]
		[ ! -e none ]
	done
}
