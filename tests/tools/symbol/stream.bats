# stream.bats - names in the stream: where they are, what passes them on, what a second pp-symbol
# adds, and what is cut or lies.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

@test "symbol: names pass merge, split, sort, filter, prune, save, and the other byte order" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" | pp-symbol >a
	program prog2 -O0
	hit "$PWD/prog2" "$(id_of prog2)" "$(at prog2 other)" | pp-symbol >b
	expected=$(frames a)
	pp-merge a b >merged
	pp-check merged
	[ "$(frames merged | sort)" = "$( (frames a; frames b) | sort)" ]
	pp-split --samples 1 -i a -o 'piece-%u'
	[ "$( (frames piece-0; frames piece-1) | sort)" = "$(sort <<<"$expected")" ]
	pp-sort --all a >sorted
	[ "$(frames sorted)" = "$expected" ]
	pp-filter --prune 'pid == 7' a >pruned
	[ "$(frames pruned)" = "$expected" ]
	pp-save a -o saved.data
	[ "$(frames saved.data)" = "$expected" ]
	pp-cat --big-endian a | pp-cat | cmp - a
	pp-dump --json a | pp-undump | cmp - a
}

# bats test_tags=T3-A16
@test "pp-merge of one stream keeps its names, where they are" {
	rounds
	pp-symbol in -o out
	pp-script -F ip,sym,dso --root /proc/self/fdinfo out >whole
	run -1 grep unknown whole
	pp-merge out >merged
	pp-check merged
	[ "$(frames merged)" = "$(frames out)" ]
	pp-script -F ip,sym,dso --root /proc/self/fdinfo merged | cmp whole -
	pp-merge <out | cmp merged -
	found named.pipe
	[ "$(pp-merge "$FOUND/named.pipe" | frames - | sort)" = "$(frames "$FOUND/named.pipe" | sort)" ]
}

@test "symbol: names are before the samples that need them, those of several files in one round" {
	rounds
	pp-symbol in -o out
	pp-check out
	pp-script -F ip,sym,dso --root / out >here
	pp-script -F ip,sym,dso --root /proc/self/fdinfo out >there
	[ "$(wc -l <here)" -eq 120 ]
	cmp here there
	run -1 grep unknown there
	pp-cat --big-endian out >big
	cmp here <(pp-script -F ip,sym,dso --root /proc/self/fdinfo big)
	cmp out <(pp-cat big)
	run -0 pp-dump -v out
	[[ $output == *one*two*three* ]]
}

@test "symbol: what a second one adds is before the samples as well, and sinks learn first what a file says last" {
	local sink
	rounds
	mkdir hidden
	mv two three hidden
	pp-symbol -q in -o first
	mv hidden/* .
	pp-symbol first -o second
	pp-script -F ip,sym,dso second >here
	run -1 grep unknown here
	cat second | pp-script -F ip,sym,dso --root /proc/self/fdinfo | diff here -
	# a pipe cannot be read twice
	cat first | pp-symbol -o late
	{ echo before && cat late; } >after
	for sink in 'pp-script -F ip,sym,dso' 'pp-report -s dso,sym' 'pp-top --once' 'pp-fold'; do
		$sink second >here
		$sink --root /proc/self/fdinfo late | diff here -
		$sink --root /proc/self/fdinfo <late | diff here -
		# from where it stands
		{ read -r && $sink --root /proc/self/fdinfo; } <after | diff here -
	done
	# what is damaged is reported once, by whoever reads it then
	head -c -40 late >cut
	run -3 --separate-stderr pp-script --root /proc/self/fdinfo cut
	[ "${#stderr_lines[@]}" = 1 ]
}

@test "symbol: a stream on standard input that its reader could not open is shown" {
	local sink
	need setpriv
	need_root
	rounds
	pp-symbol in -o named
	chmod 600 named
	for sink in pp-script pp-report pp-symbol; do
		setpriv --reuid=65534 --clear-groups -- "$(command -v $sink)" --version ||
			skip "the folders above are closed to others"
		run -0 --separate-stderr setpriv --reuid=65534 --clear-groups -- "$(command -v $sink)" <named
		[ -n "$output" ]
	done
}

@test "symbol: sizes of parts of names that lie are found" {
	local size
	rounds
	pp-symbol --no-seal in -o out
	for size in 1 4 8 88 96 65528 4294967288; do
		# the first part that is followed by another
		perl -0777 -pe '
			while (/PPNAMES\0.{68}(?!\0{4})/gs) {
				substr($_, pos(), 4) = pack "L", '$size';
				last;
			}' out >lies
		! cmp -s out lies
		run pp-check lies
		assert_failure
		run pp-script --root /proc/self/fdinfo lies
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done
}

@test "symbol: every cut of a stream with names ends in 0 or 3" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" | pp-symbol --lines >in
	size=$(stat -c %s in)
	for ((n = 16; n < size; n += 7)); do
		head -c "$n" in >cut
		status=0
		pp-symbol -q cut >out 2>/dev/null || status=$?
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done
}

@test "symbol: a second one adds nothing, and its output is the same" {
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" >in
	pp-symbol in -o out
	run -0 --separate-stderr pp-symbol -v out -o again
	[[ $stderr == *"0 of 0 addresses named, 2 named before, 0 files read"* ]]
	cmp out again
}

@test "symbol: a second one adds nothing either where names come later than the samples" {
	for n in 1 2 3; do program "prog$n" -Wl,--build-id="0x$n$(printf '%039d' 0)"; done
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for n in 1 2 3; do
			echo "mmap2 pid=7 start=0x${n}00000000 len=0x1000000 file=\"$PWD/prog$n\" build_id=$(id_of prog$n) time=$n"
		done
		for round in 1 2 3 4; do
			for n in 1 2 3; do
				echo "sample pid=7 ip=$((n * 0x100000000 + $(at prog$n work $round))) misc=2 time=$((10 * round + n))"
			done
			echo round
		done
	} | build >in
	# as where rounds have no room for all
	pp-symbol --no-seal in | perl -0777 -ne '
		print substr $_, 0, 16, "";
		while (length) {
			my $record = substr $_, 0, unpack("x6 v", $_), "";
			$record =~ /^.{8}PPNAMES\0/s ? $names .= $record : print $record;
		}
		print $names' >once
	[ "$(frames once | wc -l)" = 12 ]
	run -0 --separate-stderr pp-symbol -v once
	[[ "$stderr" == *" 0 of 0 addresses named, 12 named before"* ]]
	pp-symbol once | same_bytes once -
}

@test "symbol: a second one fills what the first did not have: debug information" {
	program full
	objcopy --only-keep-debug full full.debug
	cp full prog
	strip prog
	hit "$PWD/prog" "$(id_of full)" "$(at full work 12)" "$(at full main)" >in
	run -0 --separate-stderr pp-symbol -v in -o first
	refute [ -n "$(frames first | grep work)" ]
	objcopy --add-gnu-debuglink=full.debug prog
	pp-symbol first -o second
	run -0 frames second
	assert_output --partial work
	assert_output --partial main
}
