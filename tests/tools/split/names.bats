# names.bats - pp-split --name: pieces that are named by the time of day of the recording.

setup() {
	load ../../helper
	export TZ=UTC
}

# clocked: four samples, from 22:13:20.6 on 2023-11-14 by the wall clock
clocked() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all,comm clockid=1 name=cpu-clock
		feature CLOCK_DATA u32 1 u32 1 u64 1700000000500000000 u64 1000000000
		comm pid=7 comm=seven
		comm pid=8 comm="100%n"
		init
		sample pid=7 cpu=0 time=1100000000
		sample pid=7 cpu=1 time=1200000000
		sample pid=8 cpu=0 time=2600000000
		sample pid=8 cpu=1 time=7203700000000
		round
	END
}

# list FOLDER: what is in it
list() { (cd "$1" && echo *); }

@test "pieces are named by the time of day of their first record, in either byte order" {
	clocked >little
	pp-cat --big-endian -i little -o big
	for in in little big; do
		mkdir "of-$in"
		run -0 --separate-stderr pp-split --samples 1 --name '%Y%m%d-%H%M%S-%n.pipe' -o "of-$in" -i "$in"
		[ -z "$stderr" ]
		assert_equal "$(list "of-$in")" "20231114-221320-0.pipe 20231114-221320-1.pipe 20231114-221322-2.pipe 20231115-001323-3.pipe"
		for piece in "of-$in"/*; do
			pp-check -q -i "$piece"
			[ "$(records -s "$piece" | wc -l)" -eq 1 ]
		done
	done
}

@test "the time of day is that of TZ, also from a pipe and at the end of a span" {
	clocked >in
	mkdir east spans
	TZ=XYZ-05:30 pp-split --samples 3 --name '%F_%H.%M.%S %Z%%' -o east <in
	assert_equal "$(list east)" '2023-11-15_03.43.20 XYZ% 2023-11-15_05.43.23 XYZ%'
	pp-split --seconds 2 --name 'spans/%s-%03n' <in
	assert_equal "$(list spans)" '1700000000-000 1700007203-001'
}

@test "names that are equal overwrite nothing, not in one run, nor what is there" {
	clocked >in
	mkdir p
	echo mine >p/20.pipe
	ln -s nothing p/20-1.pipe
	pp-split --samples 1 --name '%S.pipe' -o p -i in
	assert_equal "$(list p)" '20-1.pipe 20-2.pipe 20.pipe 22.pipe 23.pipe nothing'
	[ "$(cat p/20.pipe)" = mine ]
	cp -r p before
	run -0 --separate-stderr pp-split --samples 4 --name 22.pipe -o p -v -i in
	assert_regex "$stderr" '^pp-split: p/22-1.pipe: 4 samples, [0-9]+ bytes$'
	rm p/22-1.pipe
	diff -r before p
}

@test "a name that is the input's is another file's" {
	clocked >in.pipe
	cp in.pipe before
	pp-split --samples 4 --name in.pipe -i in.pipe
	same_bytes before in.pipe
	pp-check -q -i in-1.pipe
}

@test "--keep removes the oldest pieces of the run, whatever they were called, and no others" {
	clocked >in
	mkdir p
	echo mine >p/20.pipe
	pp-split --samples 1 --keep 2 --name '%S.pipe' -o p -i in
	assert_equal "$(list p)" '20.pipe 22.pipe 23.pipe'
	[ "$(cat p/20.pipe)" = mine ]
	pp-split --samples 1 --keep 1 --name x -o p -i in
	assert_equal "$(list p)" '20.pipe 22.pipe 23.pipe x'
	[ "$(records -s p/x | wc -l)" -eq 1 ]
}

@test "--by has its value in names, in which a % is no conversion" {
	clocked >in
	mkdir p
	pp-split --by comm --name '%S-{}-%n' -o p -i in
	assert_equal "$(list p)" '20-seven-0 22-100%n-1'
	pp-split --by comm --name '{}@%S' --exec 'cat >p/{}' -i in
	same_bytes 'p/22-100%n-1' 'p/100%n@22'
}

@test "a stream that does not relate its clock to the time of day is refused, and makes no file" {
	clocked >in
	pp-dump --json in | grep -v CLOCK_DATA | pp-undump >plain
	mkdir p
	for how in '--samples 1' '--seconds 1' '--bytes 1M' '--by cpu'; do
		run -2 --separate-stderr pp-split $how --name '%S{}' -o p -i plain
		assert_equal "$stderr" "pp-split: plain: --name: the stream has no CLOCK_DATA, which gives the time of the wall clock: record with perf record -k mono, or pp-record"
	done
	[ "$(list p)" = '*' ]
}

@test "patterns that give no safe names are refused" {
	clocked >in
	for pattern in '%D' '%c' '%x' '%Q' '%' 'a%t' '%Ey'; do
		run -2 --separate-stderr pp-split --samples 1 --name "$pattern" -i in
		assert_equal "${stderr_lines[0]}" "pp-split: --name: '$pattern' has a % that is neither %n nor one of strftime(3) for names"
	done
	run -2 --separate-stderr pp-split --by cpu --name '%S' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: --name: '%S' lacks a {} for the value of --by"
	run -2 --separate-stderr pp-split --samples 1 --name '%S' --exec cat -i in
	assert_equal "${stderr_lines[0]}" "pp-split: --name: '%S' lacks a %n, by which commands of --exec tell pieces apart"
	run -2 --separate-stderr pp-split --samples 1 --name '' -i in
	run -4 --separate-stderr pp-split --samples 1 --name '%S' -o missing -i in
	assert_equal "$stderr" "pp-split: cannot write missing/%S: No such file or directory"
	run -4 --separate-stderr pp-split --samples 1 --name "$(printf 'x%.0s' {1..5000})" -i in
	assert_regex "$stderr" ': File name too long$'
}

# bats test_tags=T3-B1
@test "pieces with a time in their names go through no other user's link" {
	need_root
	clocked >in
	mkdir -m 1777 open
	ln -s "$PWD/victim" open/20
	chown -h 65534 open/20
	run -4 --separate-stderr pp-split --samples 4 --name '%S' -o open -i in
	assert_equal "$stderr" "pp-split: cannot write open/%S: the symbolic link open/20 is another user's"
	[ ! -e victim ]
}

@test "pieces that a command prunes have the samples, and heads as small as these need" {
	pp-gen --seed 3 --samples 300 --pids 50 --mmaps 20 --duration 3s >in
	pp-split --samples 20 -o whole-%02u -i in
	pp-split --samples 20 -o small-%02u -i in --exec 'pp-filter --prune -o {}'
	for ((n = 0; n < 15; n++)); do
		whole=whole-$(printf %02d "$n") small=small-$(printf %02d "$n")
		pp-check -q -i "$small"
		pp-script -F comm,tid,time,ip,sym,dso "$whole" >wanted
		pp-script -F comm,tid,time,ip,sym,dso "$small" | diff wanted -
		[ "$(stat -c %s "$small")" -lt $(($(stat -c %s "$whole") / 4)) ]
	done
}
