# merge.bats - pp-merge: records in the order of their times, pieces that become the whole,
# features, and laws that hold for streams of every shape.

setup() {
	load ../helper
	load merge/merge
}

# ---- the order

@test "records of all inputs come in the order of their times" {
	times a 10 40 R 30 60 R
	times b 20 50 R 55 70 R
	pp-merge a b -o out
	run -0 bash -c "pp-sort --check -i out"
	run -0 order out
	[ "$(tr ' ' '\n' <<<"$output" | grep -v R | tr '\n' ' ')" = "10 20 30 40 50 55 60 70 " ]
}

@test "equal times keep the order of the command line" {
	times a 10 20 R
	times b 10 20 R
	pp-merge --offset b=0 a b -o out
	run -0 order out
	[ "$output" = "10 10 20 20 R" ]
}

@test "one input that is in order leaves as it came" {
	times a 10 20 R 30 R
	pp-merge a -o out
	same_bytes a out
	pp-merge <a >out
	same_bytes a out
	pp-merge - <a >out
	same_bytes a out
}

@test "a round is written when every input has passed one" {
	times a 10 R 20 R 30 R
	times b 11 R 31 R
	pp-merge a b -o out
	run -0 order out
	[ "$output" = "10 11 R 20 30 31 R" ]
}

@test "a FINISHED_INIT stands after what is said without a time, and is written once" {
	for n in 1 2; do
		printf '%s\n' header 'attr id=1' "comm pid=$n comm=x synthesized" init \
			"sample time=${n}0" round | build >$n
	done
	pp-merge 1 2 -o out
	run -0 order out
	[ "$output" = "COMM FINISHED_INIT 10 20 20 R" ]
	printf '%s\n' header 'attr id=1' "comm pid=3 comm=x synthesized" init | build >3
	pp-merge 1 3 -o out
	run -0 order out
	[ "$output" = "COMM COMM FINISHED_INIT 10 R" ]
	pp-merge 3 3 -o out
	run -0 order out
	[ "$output" = "COMM FINISHED_INIT" ]
}

# ---- pieces

@test "what pp-filter took apart becomes the whole again" {
	need_perf_events
	perf_quiet record --sample-cpu -g -e cpu-clock -o - "${WORK[@]}" >whole
	pp-filter -i whole -C 0 -o a
	pp-filter -i whole 'cpu != 0' -o b
	pp-merge a b -o out
	pp-sort -i whole -o sorted
	perf script -i - <sorted >want 2>/dev/null
	[ -s want ]
	perf script -i - <out >got 2>/dev/null
	diff want got
	sound out
	pp-sort --check -i out
}

@test "a record that two pieces share is written once, and samples always" {
	printf '%s\n' header attr 'comm pid=1 comm=x synthesized' 'comm pid=1 comm=y time=10' 'sample time=20' | build >a
	pp-merge a a -o out
	run -0 order out
	[ "$output" = "COMM 10 20 20" ]
}

@test "a file and a stream become one" {
	need_perf_events
	perf_quiet record -e cpu-clock -o f.data "${WORK[@]}" >/dev/null
	pp-cat f.data -o f.pipe
	times a 10 20 R
	pp-merge --no-seal a f.data -o one
	pp-merge --no-seal a f.pipe -o two
	same_bytes one two
	sound one
}

@test "AUXTRACE keeps its tail" {
	printf '%s\n' header attr 'sample time=10' 'auxtrace bytes=100000 idx=1' 'sample time=30' round | build >a
	times b 20 40 R
	pp-merge a b -o out
	run -0 order out
	[ "$output" = "10 AUXTRACE 20 30 40 R" ]
	pp-dump --json -i a | grep '"tail"' >want
	pp-dump --json -i out | grep '"tail"' >got
	[ -s want ]
	same_bytes want got
}

# ---- features

@test "features that are untrue of the whole are made of all, or left out" {
	for name in a:4:10 b:8:30; do
		IFS=: read -r file cpus time <<<"$name"
		printf '%s\n' header attr 'feature HOSTNAME string "one"' "feature NRCPUS u32 $cpus u32 $cpus" \
			"feature CACHE u32 1 u32 0" 'feature CPUDESC string "same"' \
			"feature SAMPLE_TIME u64 $time u64 $((time + 5))" "sample time=$time" round | build >$file
	done
	pp-merge -q a b -o out
	run -0 bash -c "pp-dump --json -i out | jq -c 'select(.type == \"HEADER_FEATURE\") | [.fields.feat_id, .fields.data]'"
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[0]}" == '[3,'* ]]
	[ "${lines[1]}" = '[7,{"nr_cpus_avail":8,"nr_cpus_online":8}]' ]
	[[ "${lines[2]}" == '[8,'* ]]
	[ "${lines[3]}" = '[21,{"first":10,"last":35}]' ]
}

# ---- properties

# multiset FILE...: what their samples say but for ids, which may be others in the output
multiset() { for file; do said "$file"; done | cut -d' ' -f1,3- | sort; }

@test "samples of generated streams are all there, in order, whatever the order of the inputs" {
	pp-gen --seed 1 --samples 2000 --disorder 5ms --callchain 3 -o a
	pp-gen --seed 2 --samples 1500 --disorder 50ms --forks 2 --exits 2 -o b
	pp-gen --seed 3 --samples 1000 --rounds 0 --events 2 --no-seal -o c
	pp-gen --seed 4 --samples 1000 --big-endian --comms 3 -o d
	pp-gen --seed 5 --samples 1000 -z -o e
	pp-merge -q a b c d e -o out
	sound out
	pp-sort --check -i out
	diff <(multiset a b c d e) <(multiset out)
	pp-merge -q e c a d b -o other
	diff <(multiset out) <(multiset other)
}

@test "merging in two steps gives what one step gives" {
	for seed in 1 2 3; do pp-gen --seed $seed --samples 1000 -o $seed; done
	pp-merge 1 2 -o a
	pp-merge a 3 -o two
	pp-merge 1 2 3 -o one
	diff <(said one) <(said two)
}

@test "unlike recordings report as the sum of their reports" {
	need_perf
	pp-gen --seed 1 --samples 800 --events 2 -o a
	pp-gen --seed 2 --samples 500 --callchain 3 --sample-type=-cpu -o b
	report() { perf report -i - --stdio -g none --no-children --sort comm,dso -F sample,comm,dso <"$1" 2>/dev/null | grep -v '^#' | grep .; }
	sum() { awk '{ n[$2 " " $3] += $1 } END { for (i in n) print i, n[i] }' | sort; }
	pp-merge -q a b -o out
	for name in a b; do report $name; done | sum >want
	[ -s want ]
	report out | sum >got
	diff want got
}

@test "pieces that pp-split made report as the whole" {
	need_perf
	pp-gen --seed 1 --samples 2000 --cpus 3 --forks 2 --exits 2 --comms 2 --callchain 3 -o whole
	pp-split --by cpu -o 'piece-{}' -i whole
	pp-merge piece-* -o out
	report() { perf report -i - --stdio --no-children --sort comm,dso,sym -n <"$1" 2>/dev/null | grep -v '^#'; }
	report whole >want
	[ -s want ]
	report out >got
	diff want got
}
