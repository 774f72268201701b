# index.bats - the index at the end of a stream: made by pp-cat --index, shown, and left out of all that is
# made of the stream.

setup() { load ../helper; }

# long: a stream of several blocks and states, with tasks that come and go
long() {
	pp-gen --samples 60000 --callchain 12 --pids 40 --forks 20 --exits 10 --comms 50 --disorder 1ms \
		--duration 60 --seed "${1:-1}"
}

@test "an index stands before the END, and all before it is as without one" {
	pp-cat --seal <(long) >plain
	pp-cat --index plain >indexed
	head -c -48 plain >most
	head -c "$(stat -c %s most)" indexed | cmp - most
	sound indexed
	run -0 pp-dump indexed
	assert_line --index -3 --regexp 'FINISHED_ROUND .* index=part:0,bytes:[0-9]+$'
	assert_line --index -2 --regexp 'index=section:[0-9]+,seal:[0-9]+,head:.*,samples:60000,lost:0,version:1,'
	assert_line --index -1 --regexp 'FINISHED_ROUND .* size=48 '
}

@test "an index is at most 1.7 % of a stream, and pp-info says how large it is" {
	long | pp-cat --index >indexed
	run -0 pp-info indexed
	assert_line --regexp '^index +[0-9]+ blocks, [1-9] states?, (0\.[0-9]|1\.[0-7]) %$'
	run -0 pp-info --json indexed
	assert_output --regexp '"index":"[0-9]+ blocks, '
}

@test "the index of a stream is not passed on to what is made of it" {
	long | pp-cat --seal >plain
	pp-cat --index plain >indexed
	for tool in pp-cat pp-sort pp-mend pp-compress 'pp-filter time>0' pp-merge 'pp-inject --note a=b'; do
		$tool plain >a
		$tool indexed >b
		echo "$tool"
		same_bytes a b
	done
	pp-dump --json indexed | pp-undump >b
	same_bytes plain b
	pp-split --samples 25000 -o a%u plain
	pp-split --samples 25000 -o b%u indexed
	for i in 0 1 2; do
		same_bytes a$i b$i
	done
	pp-script indexed | cmp - <(pp-script plain)
}

@test "the index of an index is the same, and of any chunks" {
	long >plain
	pp-cat --index plain >indexed
	pp-cat --index indexed >again
	same_bytes indexed again
	trickle plain 20011 | pp-cat --index >again
	same_bytes indexed again
}

@test "a stream that cannot have an index is passed, and the reason said" {
	build >in <<-END
		header
		attr id=1 sample_type=IP,TID,PERIOD,IDENTIFIER
		sample pid=7 ip=0x10 id=1
		round
	END
	run -0 --separate-stderr pp-cat --index -o out in
	[[ $stderr == *': no index is made of it: it has samples without a time' ]]
	same_bytes out <(pp-cat --seal in)
	pp-gen --samples 9000 --break-rounds >in
	run -0 --separate-stderr pp-cat --index -o out in
	[[ $stderr == *': records come later than its rounds promise' ]]
	same_bytes out <(pp-cat --seal in)
	pp-gen --samples 9000 | head -c 100000 >in
	run -3 --separate-stderr pp-cat --index -o out in
	[[ $stderr == *': no index is made of it: it is damaged'* ]]
	run -3 pp-dump out
	refute_output --partial index=
	run -2 pp-cat --index --no-seal in
	run -2 pp-cat --index --for 6.1 in
	run -2 pp-cat --index --big-endian in
}

@test "a changed byte of an index is found, as any is" {
	long | pp-cat --index >indexed
	size=$(stat -c %s indexed)
	printf 'X' | dd of=indexed bs=1 seek=$((size - 300)) conv=notrunc status=none
	run -3 pp-check indexed
	assert_output --partial 'does not match the bytes before it'
}

@test "an index is nothing to the perf that is installed" {
	need_perf
	pp-gen --samples 5000 >plain
	pp-cat --index plain >indexed
	perf script -i indexed >a 2>/dev/null
	perf script -i plain >b 2>/dev/null
	test -s a
	cmp a b
}
