# batches.bats - pp-filter tests samples in batches where nothing but the expression decides, and one by one
# where there is a --limit: both give the same.

setup() { load ../helper; }

# both ARGUMENTS...: the two ways: output, messages and status
both() {
	local status=0 other=0
	pp-filter -v "$@" >many 2>many.said || status=$?
	pp-filter -v -n 18446744073709551614 "$@" >one 2>one.said || other=$?
	[ "$status" = "$other" ]
	same_bytes many one
	diff many.said one.said
}

# all FILE: every form of expression, and the options that decide beside it
all() {
	local expression
	for expression in 'pid > 1000' 'tid in {1000, 1002..1003}' 'cpu != 0 && pid != 1001' 'ip > 0x7fffffffffff' \
		'time < 1001s || cpu == 1' '!(pid in {1..1000} || cpu == 0)' 'event == "cpu-clock" || pid == 1001' \
		'mode == user' 'id > 3' 'period != 1000000' 'type != LOST || pid > 1'; do
		both "$expression" -i "$1"
	done
	both --time 1000.5,1001 -i "$1"
	both --time 1000.2,1000.3 --time 1000.9,1001 'pid > 1000' -i "$1"
	both --drop SAMPLE 'pid > 1000' -i "$1"
	both --only SAMPLE --invert -C 0 -i "$1"
	both --seal -C 1 -i "$1"
}

@test "samples in batches: the same output, messages and status as one by one" {
	pp-gen --no-seal --samples 2500 --events 2 --rounds 40 --lost 3 >in
	pp-filter -q --time 1000.5,1001 -i in >some
	[ "$(stat -c %s some)" -lt "$(stat -c %s in)" ]
	all in
}

@test "samples in batches: the same of streams that are sealed, compressed, turned around, cut or damaged" {
	pp-gen --no-seal --samples 1200 --events 3 --rounds 10 >plain
	pp-cat --seal plain >sealed
	pp-compress sealed >zstd
	pp-cat --big-endian sealed >big
	head -c 40001 sealed >cut
	pp-gen -i sealed --damage --seed 3 >bad
	head -c 40001 plain >short
	for file in plain short sealed zstd big cut bad; do all $file; done
}

@test "samples whose id no event has pass in a batch, and are counted" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		sample pid=1 tid=1 time=1 ip=1 id=1
		sample pid=1 tid=1 time=2 ip=2 id=1
		sample pid=1 tid=1 time=3 ip=3 id=9
		sample pid=5 tid=5 time=4 ip=4 id=2
		sample pid=5 tid=5 time=5 ip=5 id=9
	END
	both 'pid == 5' -i in
	[ "$(pp-dump -i many 2>/dev/null | grep -c SAMPLE)" = 3 ]
	grep -q '3 of 5 samples kept' many.said
}

@test "samples after the limit are not read, nor counted" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		comm pid=1 tid=1 comm=x time=1 id=1
		sample pid=1 tid=1 time=1 ip=1 id=1
		sample pid=1 tid=1 time=2 ip=2 id=9
		round
		sample pid=1 tid=1 time=3 ip=3 id=1
		round
		sample pid=1 tid=1 time=4 ip=4 id=9
		sample pid=1 tid=1 time=5 ip=5 id=9
		sample pid=1 tid=1 time=6 ip=6 id=9
	END
	run -0 --separate-stderr pp-filter -v -n 1 'pid > 0' in
	[[ "$stderr" == *"in: 1 of 4 samples kept"*"in: 2 samples whose id belongs to no event"* ]]
}
