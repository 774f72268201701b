# properties.bats - pp-filter --prune on streams of every shape, in any pieces, with other options,
# and beyond the memory it may use.

setup() {
	load ../../helper
	load prune
}

model() { perl "$TESTS/filter/prune.pl" "$@"; }

# as_modelled APART ARGUMENTS...: with them, of in.pipe
as_modelled() {
	local apart=$1
	shift
	prunes "$@" || return
	pp-sort -i plain.pipe | json >plain.json
	json pruned.pipe >pruned.json
	model known plain.json >expected
	[ -s expected ] || return
	model known pruned.json | diff expected - &&
		model among pruned.json plain.json || return
	[ -z "$apart" ] || model minimal pruned.json
}

@test "a model of readers knows the same of each sample, and misses each record that is left out" {
	for stream in '1 apart' '2 apart' 3; do
		echo "seed $stream"
		# shellcheck disable=SC2086
		model make $stream | build >in.pipe
		apart=${stream:2}
		as_modelled "$apart" 'pid in {11..12}'
		as_modelled "$apart" 'time > 1200'
		as_modelled "$apart" 'event == "two"'
		as_modelled "$apart" --context 6ns 'event == "two" && tid < 15'
	done
}

@test "every sample that stays without --prune stays with it, whatever the order and the rounds" {
	for shape in '--disorder 3ms' '--rounds 0' '--events 3 --tracepoints 2 --raw 40' '--callchain 5 --branches 3' '--big-endian' '-z'; do
		echo "$shape"
		# shellcheck disable=SC2086
		pp-gen --samples 1500 --pids 9 --threads 3 --mmaps 7 --forks 4 --exits 4 --comms 9 $shape -o in.pipe
		prunes 'cpu == 0 && period > 0'
		records -s plain.pipe | cut -d' ' -f2- | sort >expected
		[ -s expected ]
		records -s pruned.pipe | cut -d' ' -f2- | sort | diff expected -
	done
}

@test "chunks of any size give the same output" {
	two_programs >in.pipe
	pp-filter --prune 'pid == 8' -i in.pipe -o whole.pipe
	for size in 1 7 100; do
		trickle in.pipe $size | pp-filter --prune 'pid == 8' >got.pipe
		same_bytes whole.pipe got.pipe
	done
}

@test "every cut of a stream ends in 0 or 3, with what came before" {
	two_programs >in.pipe
	size=$(stat -c %s in.pipe)
	for ((at = 16; at < size; at += 61)); do
		status=0
		head -c $at in.pipe | pp-filter --prune 'pid == 8' >got.pipe 2>/dev/null || status=$?
		echo "$at: $status"
		[ $status -eq 0 ] || [ $status -eq 3 ]
	done
}

@test "a sealed stream stays sealed" {
	pp-gen --samples 500 --pids 5 -o in.pipe
	pp-filter --prune 'pid > 0' -i in.pipe -o pruned.pipe
	sound pruned.pipe
	pp-info -i pruned.pipe | grep -qi seal
}

@test "what is near a match by --context keeps what it needs, and nothing else stays" {
	two_programs >in.pipe
	prunes --context 100ns 'time == 1200'
	[ "$(records -s pruned.pipe | awk '{ print $5 }' | xargs)" = "1200 1300" ]
	[ "$(side_band pruned.pipe)" = "MMAP -1 0 [kernel.kallsyms]_text
FORK 8 8
COMM 8 8 nginx
MMAP2 8 8 /libz
MMAP2 8 8 /libc
COMM 8 8 worker/2
EXIT 8 8" ]
	# what matches nothing is told of like what does
	prunes --context 10ns 'pid == 8 && time == 1300'
	[ "$(side_band pruned.pipe | grep ' 9 ')" = "COMM 9 9 cat
EXIT 9 9" ]
	[ "$(side_band pruned.pipe | grep -c ext4)" -eq 1 ]
}

@test "--invert, --limit and --prune go together" {
	two_programs >in.pipe
	prunes --invert 'pid == 8'
	[ "$(records -s pruned.pipe | awk '{ print $5 }' | xargs)" = "1000 1010 1310" ]
	prunes -n 2
	[ "$(records -s pruned.pipe | awk '{ print $5 }' | xargs)" = "1000 1010" ]
}

# ---- memory

@test "what does not fit in memory is in a file that nobody sees, and the output is the same" {
	pp-gen --samples 2000 --rounds 200 --pids 30 --threads 2 --mmaps 40 --forks 9 --exits 9 --comms 20 -o in.pipe
	pp-filter --prune 'cpu == 1' -i in.pipe -o expected.pipe
	mkdir folder
	run -0 --separate-stderr env TMPDIR=$PWD/folder pp-filter --prune -v -S 32k 'cpu == 1' -i in.pipe -o got.pipe
	grep -q 'a temporary file held some' <<<"$stderr"
	same_bytes expected.pipe got.pipe
	[ -z "$(ls -A folder)" ]
}

@test "a temporary file that cannot be made or written ends in 4, with the reason" {
	pp-gen --samples 2000 --rounds 200 --pids 30 --mmaps 40 -o in.pipe
	run -4 --separate-stderr env TMPDIR=$PWD/nowhere pp-filter --prune -S 32k 'cpu == 1' -i in.pipe -o got.pipe
	grep -q "cannot make a file in $PWD/nowhere that holds side-band: No such file" <<<"$stderr"
	[ ! -e got.pipe ]
	# a file of 1024 bytes at most; the output is a pipe, which has no such limit
	run -4 bash -c 'set -o pipefail; (trap "" XFSZ; ulimit -f 1; exec pp-filter --prune -S 32k "cpu == 1" -i in.pipe) 2>err | cat >got.pipe'
	grep -q 'cannot write to a file in .* that holds side-band: File too large' err
}
