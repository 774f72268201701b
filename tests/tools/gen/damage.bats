# damage.bats - pp-gen damages a stream where, and as much as, it is asked to.

setup() {
	load ../../helper
	load gen
}

# changed A B: in how many bytes they differ
changed() { cmp -l "$1" "$2" | wc -l; }

@test "making a stream and damaging one exclude each other" {
	pp-gen -o in
	run -2 --separate-stderr pp-gen --samples 3 -i in
	[[ $stderr == "pp-gen: a stream is either generated or damaged"* ]]
	run -2 --separate-stderr pp-gen --flip 0.1 --big-endian
	[[ $stderr == "pp-gen: a stream is either generated or damaged"* ]]
}

@test "a cut is where it is asked for: from the start, the end, a fraction" {
	pp-gen -o in
	while read -r place left; do
		echo "$place"
		pp-gen --cut="$place" -i in -o out
		[ "$(size out)" -eq "$left" ]
		same_bytes out <(head -c "$left" in)
	done <<-END
		0 0
		1000 1000
		4k 4096
		-1 $(($(size in) - 1))
		0.5 $(($(size in) / 2))
		1.0 $(size in)
	END
	pp-gen --cut=any -i in -o out
	[ "$(size out)" -ge 16 ]
	[ "$(size out)" -le "$(size in)" ]
}

@test "bytes are dropped, zeroed, inserted and spliced where it is asked for, and no others touched" {
	pp-gen -o in
	pp-gen --drop 100@5000 -i in -o out
	same_bytes out <(head -c 5000 in; tail -c +5101 in)
	pp-gen --zero 100@5000 -i in -o out
	same_bytes out <(head -c 5000 in; head -c 100 /dev/zero; tail -c +5101 in)
	pp-gen --insert 100@5000 -i in -o out
	[ "$(size out)" -eq $(($(size in) + 100)) ]
	same_bytes in <(head -c 5000 out; tail -c +5101 out)
	pp-gen --splice 100@5000 -i in -o out
	[ "$(size out)" -eq $(($(size in) + 100)) ]
	same_bytes in <(head -c 5000 out; tail -c +5101 out)
	perl -0777 -e 'open I, "<", "in"; open O, "<", "out"; $i = <I>; $o = <O>;
		exit(index($i, substr $o, 5000, 100) < 0)'
}

@test "without a place the seed chooses one behind the header, the same every time" {
	pp-gen -o in
	for what in drop zero insert splice; do
		echo "$what"
		pp-gen --$what 500 --seed 3 -i in -o one
		pp-gen --$what 500 --seed 3 -i in -o two
		pp-gen --$what 500 --seed 4 -i in -o other
		same_bytes one two
		! cmp -s one other
		! cmp -s one in
		same_bytes <(head -c 16 one) <(head -c 16 in)
	done
}

@test "places count in the input, whatever else is done to it, in any order of the options" {
	pp-gen -o in
	pp-gen --drop 100@1000 --zero 10@3000 --insert 64@2000 --cut=4000 -i in -o one
	pp-gen --cut=4000 --insert 64@2000 --zero 10@3000 --drop 100@1000 -i in -o two
	same_bytes one two
	[ "$(size one)" -eq 3964 ]
	same_bytes <(head -c 1000 in; tail -c +1101 in | head -c 900) <(head -c 1900 one)
	same_bytes <(tail -c +2001 in | head -c 1000; head -c 10 /dev/zero; tail -c +3011 in | head -c 990) \
		<(tail -c +1965 one)
}

@test "as many bytes are changed as -v says, and none of the first ones" {
	pp-gen -o in
	run -0 --separate-stderr pp-gen --flip 0.01 -i in -o out -v
	[ "$stderr" = "pp-gen: changed $(changed in out) bytes" ]
	[ "$(changed in out)" -gt 0 ]
	[ "$(size out)" -eq "$(size in)" ]
	pp-gen --flip 1 -i in -o out
	[ "$(changed in out)" -eq $(($(size in) - 16)) ]
	pp-gen --flip 1 --keep 1000 -i in -o out
	[ "$(changed in out)" -eq $(($(size in) - 1000)) ]
	pp-gen --flip 0 --cut=1.0 -i in -o out
	same_bytes in out
}

@test "what is damaged may come from a pipe, from a file that was begun, and be as large as it is" {
	pp-gen --samples 20000 -o in
	pp-gen --flip 0.001 --insert 300000 --splice 300000 --drop 300000@20000 -i in -o expected
	cat in | pp-gen --flip 0.001 --insert 300000 --splice 300000 --drop 300000@20000 >out
	same_bytes expected out
	{ head -c 100 >/dev/null; pp-gen --cut=1.0; } <in >out || true
	[ "$(size out)" -le "$(size in)" ]
	tail -c +101 in >rest
	perl -e 'open STDIN, "<", "in"; sysread STDIN, $b, 100; exec @ARGV' pp-gen --cut=1.0 >out
	same_bytes rest out
}

@test "a place that the input does not have is misuse" {
	pp-gen -o in
	for damage in --cut=999999 --cut=-999999 --drop=10@-5 --zero=999999 --insert=1@999999 --splice=999999; do
		echo "$damage"
		run -2 --separate-stderr pp-gen $damage -i in -o none
		[[ $stderr == "pp-gen: the input has only $(size in) bytes"* ]]
		[ ! -e none ]
	done
	run -2 --separate-stderr pp-gen --flip 2 -i in
	[[ $stderr == *"is not a probability from 0 to 1"* ]]
	run -2 --separate-stderr pp-gen --cut=1.5 -i in
	[[ $stderr == *"is not a fraction from 0.0 to 1.0"* ]]
}

@test "anything can be damaged, also what is no stream, and nothing" {
	printf hello >in
	pp-gen --keep 0 --flip 1 -i in -o out
	[ "$(changed in out)" -eq 5 ]
	: >empty
	pp-gen --insert 10 -i empty -o out
	[ "$(size out)" -eq 10 ]
	pp-gen --damage -i empty -o out
}

@test "--damage and -i alone damage in one way that the seed chooses, and say it with -v" {
	pp-gen -o in
	for seed in $(seq 30); do
		pp-gen --damage --seed "$seed" -i in -o out -v 2>>said
		pp-gen --seed "$seed" -i in -o again
		same_bytes out again
	done
	[ "$(wc -l <said)" -eq 30 ]
	for what in cut dropped zeroed inserted spliced changed; do
		echo "$what"
		grep -q "^pp-gen: $what " said
	done
}
