# damage.bats - pp-split: seals of its pieces, and inputs that are cut, altered, empty or foreign.

setup() {
	load ../../helper
	load split
}

@test "pieces are sealed as the whole is, and each ends with END" {
	pp-gen --samples 300 >sealed
	pp-cat --no-seal -i sealed -o plain
	pp-split --samples 100 -o s-%u -i sealed
	pp-split --samples 100 -o u-%u -i plain
	pp-split --samples 100 --seal -o t-%u -i plain
	pp-split --samples 100 --no-seal -o v-%u -i sealed
	for n in 0 1 2; do
		[ "$(tail -c 40 s-$n | head -c 7)" = PPSEAL1 ]
		[ "$(tail -c 40 t-$n | head -c 7)" = PPSEAL1 ]
		[ "$(tail -c 8 u-$n | od -An -tx1 | tr -d ' ')" = 4400000000000800 ]
		same_bytes u-$n v-$n
		pp-check -q -i s-$n
		pp-check -q -i t-$n
		pp-check -q -i u-$n
	done
}

@test "a piece that is read is as sound as a stream that was never cut" {
	pp-gen --samples 300 >in
	pp-split --samples 100 -o p-%u -i in
	run -0 --separate-stderr pp-cat -i p-1 -o again
	[ -z "$stderr" ]
	head -c -60 p-1 >cut
	run -3 pp-cat -i cut -o again
}

@test "of a cut stream all pieces are whole, the last one says so" {
	pp-gen --samples 300 --rounds 100 --no-seal >in
	head -c -20 in >cut
	run -3 --separate-stderr pp-split --samples 100 -o p-%u -i cut
	assert_regex "$stderr" '^pp-split: cut: record [0-9]+ at byte [0-9]+'
	[ -f p-2 ]
	pp-check -q -i p-0
	pp-check -q -i p-1
	run -3 --separate-stderr pp-cat -i p-2 -o again
	assert_regex "$stderr" 'damaged before it came here'
	[ "$(records p-2 | tail -n 1 | cut -d' ' -f2)" = FINISHED_ROUND ]
}

@test "an altered stream loses nothing, and is told" {
	pp-gen --samples 300 >in
	cp in altered
	printf 'x' | dd of=altered bs=1 seek=$(($(stat -c %s in) / 2)) conv=notrunc status=none
	run -3 --separate-stderr pp-split --samples 100 -o p-%u -i altered
	[ -n "$stderr" ]
	[ -s p-2 ]
	[ "$(for file in p-*; do records -s "$file"; done | wc -l)" -ge 298 ]
}

@test "a stream that is cut in a tail leaves whole pieces" {
	build >in <<-'END'
		header
		attr id=1
		sample time=1000
		round
		auxtrace bytes=4000
	END
	pp-split --samples 1 -o p-%u -i in
	[ "$(records p-0 | grep -c ' AUXTRACE ')" -eq 1 ]
	pp-check -q -i p-0
	head -c -100 in >cut
	run -3 pp-split --samples 1 -o q-%u -i cut
	[ "$(records q-0 | grep -c ' AUXTRACE ')" -eq 0 ]
	[ "$(times q-0)" = 1000 ]
}

@test "a missing, an empty and a foreign input leave no piece" {
	run -4 --separate-stderr pp-split --samples 1 -o p-%u -i missing
	[ "$stderr" = "pp-split: cannot open missing: No such file or directory" ] ||
		[[ $stderr == "pp-split: missing: "*"No such file or directory" ]]
	: >empty
	run -3 pp-split --samples 1 -o p-%u -i empty
	echo text and no records at all >text
	run -3 pp-split --samples 1 -o p-%u -i text
	[ ! -e p-0 ]
}
