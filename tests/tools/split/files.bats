# files.bats - pp-split: names and modes of pieces, commands that take them instead of files, and
# what the system refuses.

setup() {
	load ../../helper
	load split
}

# ---- names

@test "a pattern without a number is refused, and one that is no pattern" {
	whole >in
	for pattern in piece piece.pipe 'p-{}' 'p-%%' 'p-%%u'; do
		run -2 --separate-stderr pp-split --samples 1 -o "$pattern" -i in
		assert_equal "${stderr_lines[0]}" "pp-split: --output: '$pattern' lacks a %u for the number of the piece"
	done
	for pattern in 'p-%d' '%' 'p-%s%u' '%1234u'; do
		run -2 --separate-stderr pp-split --samples 1 -o "$pattern" -i in
		assert_regex "${stderr_lines[0]}" "has a % that is neither"
	done
	run -2 --separate-stderr pp-split --by cpu -o p-%u -i in
	assert_regex "${stderr_lines[0]}" "lacks a \\{\\} for the value of --by"
	[ "$(ls | grep -v '^separate-stderr')" = in ] # those are of bats
}

@test "numbers in names are as wide as they should be" {
	whole >in
	pp-split --samples 5 -o 'a%%-%03u.pipe' -i in
	pp-split --by cpu -o 'b-{}-%2u' -i in
	[ -f a%-000.pipe ]
	[ -f a%-001.pipe ]
	[ -f 'b-0- 1' ]
	[ -f 'b-1- 0' ]
}

@test "names of threads in names of files reach no other folder" {
	build >in <<-'END'
		header
		attr id=1
		comm pid=7 comm="../../x y" time=1000
		comm pid=8 comm=".." time=1000
		comm pid=9 comm="a\x1b[1m" time=1000
		sample pid=7 time=1010
		sample pid=8 time=1020
		sample pid=9 time=1030
		round
	END
	mkdir folder
	pp-split --by comm -o 'folder/{}' -i in
	[ "$(ls folder | tr '\n' ' ')" = "_. _./.._x_y a_[1m " ] || [ "$(ls folder | tr '\n' ' ')" = "_. _._.._x_y a_[1m " ]
}

@test "--keep keeps the last pieces, and touches no other file" {
	whole >in
	echo mine >p-mine
	run -0 pp-split --samples 1 --keep 2 -o p-%u -i in
	[ "$(echo p-*)" = "p-7 p-8 p-mine" ]
	[ "$(times p-8)" = 2800 ]
	pp-split --samples 1 --keep 100 -o q-%u -i in
	[ "$(ls q-* | wc -l)" -eq 9 ]
}

@test "a piece never overwrites the input" {
	whole >p-0
	cp p-0 before
	run -4 --separate-stderr pp-split --samples 1 -o p-%u -i p-0
	[ "$stderr" = "pp-split: cannot write p-0: it is the input" ]
	same_bytes before p-0
	run -4 pp-split --samples 1 -o p-%u <p-0
	same_bytes before p-0
}

@test "-v names each piece that is done" {
	whole >in
	run -0 --separate-stderr pp-split -v --samples 5 -o p-%u -i in
	assert_regex "${stderr_lines[0]}" '^pp-split: p-0: 5 samples, [0-9]+ bytes$'
	assert_regex "${stderr_lines[1]}" '^pp-split: p-1: 4 samples, [0-9]+ bytes$'
}

# ---- what others own

# bats test_tags=T3-B1,T3-B2
@test "pieces go through no other user's link or fifo, and into no other user's file" {
	need_root
	whole >in
	mkdir -m 1777 open
	echo precious >victim
	for what in link fifo; do
		rm -f open/*
		[ $what = fifo ] && mkfifo open/p-1 || ln -s "$PWD/victim" open/p-1
		chown -h 65534 open/p-1
		[ $what = fifo ] && exec 4<>open/p-1 || what='symbolic link'
		run -4 --separate-stderr pp-split --samples 3 -o open/p-%u -i in
		assert_equal "${stderr_lines[0]}" "pp-split: cannot write open/p-1: the $what open/p-1 is another user's"
		[ "$(cat victim)" = precious ]
		pp-check -q -i open/p-0
	done
	rm open/*
	cp victim open/p-1
	chown 65534 open/p-1
	chmod 666 open/p-1
	exec 4<open/p-1
	ln victim open/p-2
	pp-split --samples 3 -o open/p-%u -i in
	[ "$(stat -c '%u %a %h' open/p-1 open/p-2 | uniq)" = '0 600 1' ]
	[ "$(cat victim - <&4)" = "$(printf 'precious\nprecious')" ]
	pp-check -q -i open/p-1
}

# bats test_tags=T3-B2
@test "a piece that may not be written is refused, whoever owns its folder" {
	need_root
	need setpriv
	whole >in
	place=$(mktemp -d "${BATS_RUN_TMPDIR%/*}/split-XXXXXX")
	chown 65534 "$place"
	echo theirs >"$place/p-1"
	run -4 --separate-stderr setpriv --reuid=65534 --clear-groups -- \
		"$(command -v pp-split)" --samples 3 -o "$place/p-%u" <in
	[[ $stderr != *'failed to execute'* ]] || skip "another user may not enter the folder of the build"
	[ "${stderr_lines[0]}" = "pp-split: cannot write $place/p-1: Permission denied" ]
	[ "$(cat "$place/p-1")" = theirs ]
}

teardown() { [ -z "${place:-}" ] || rm -rf "$place"; }

# ---- commands

@test "--exec gives each piece to a command, with its name" {
	whole >in
	pp-split --samples 3 -o p-%u -i in
	run -0 pp-split --samples 3 -o x-%u --exec 'cat >{}.got' -i in
	same_bytes p-0 x-0.got
	same_bytes p-1 x-1.got
	same_bytes p-2 x-2.got
	[ ! -e x-0 ]
	run -0 pp-split --samples 3 --exec 'wc -c | sed s/^/{}:/' -i in
	assert_equal "${lines[1]}" "1:$(stat -c %s p-1)"
}

@test "names are one word for the command, whatever is in them" {
	build >in <<-'END'
		header
		attr id=1
		comm pid=7 comm="a;b'c$x" time=1000
		sample pid=7 time=1010
		round
	END
	mkdir out
	pp-split --by comm -o 'out/{}' --exec 'cat >{}' -i in
	[ "$(ls out)" = "a;b'c\$x" ]
}

# bats test_tags=T3-B11
@test "names are not run, by the command nor by a program in it, and {} in quotes is refused" {
	build >in <<-'END'
		header
		attr id=1
		comm pid=7 comm="$(>ran)" time=1000
		sample pid=7 time=1010
		comm pid=8 comm="`>ran2`" time=1020
		sample pid=8 time=1030
		comm pid=9 comm="';>ran3;'" time=1040
		sample pid=9 time=1050
		round
	END
	for command in 'echo "{}" >>got' "echo '{}' >>got" 'sh -c "echo {}" >>got' "sh -c 'echo {}'" \
		'echo "a\"{}" >>got' 'echo it\''s "{}"' "# it's
			echo '{}'"; do
		echo "$command"
		run -2 --separate-stderr pp-split --by comm --exec "$command" -i in
		assert_equal "${stderr_lines[0]}" 'pp-split: --exec: {} is one word of the shell, without quotes around it; in quotes "$PP_PIECE" is the name'
	done
	[ ! -e got ]
	for command in 'echo {} >>got' 'echo "$PP_PIECE" >>got' "sh -c 'echo \"\$PP_PIECE\"' >>got" \
		'set -- x; echo {} "" \" >>got' "echo 'it'\''s' \"'\" {} >>got" "echo {} >>got # it's"; do
		echo "$command"
		rm -f got
		pp-split --by comm --exec "$command" -i in
		[ "$(grep -cF -e '$(>ran)' -e '`>ran2`' -e "';>ran3;'" got)" -eq 3 ]
	done
	[ "$(ls | grep -c '^ran')" -eq 0 ]
}

@test "a command that fails is told and makes exit 4, the other pieces are done" {
	whole >in
	run -4 --separate-stderr pp-split --samples 3 -o p-%u --exec 'cat >{}; [ {} != p-1 ]' -i in
	[ "$stderr" = "pp-split: p-1: the command ended with status 1" ]
	[ "$(times p-2)" = "2500 2600 2800" ]
	run -4 --separate-stderr pp-split --samples 3 -o p-%u --exec 'kill -9 $$' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: p-0: the command was ended by signal 9"
}

@test "a command may stop reading early" {
	pp-gen --samples 20000 >in
	run -0 --separate-stderr pp-split --samples 5000 --exec 'head -c 16 >{}' -i in
	[ -z "$stderr" ]
	[ "$(cat 0 1 2 3 | wc -c)" -eq 64 ]
}

# ---- the system

@test "a full device is exit 4, and what it was" {
	whole >in
	ln -s /dev/full p-1
	run -4 --separate-stderr pp-split --samples 3 -o p-%u -i in
	[ "$stderr" = "pp-split: cannot write p-1: No space left on device" ]
	pp-check -q -i p-0
	run -4 --separate-stderr pp-split --samples 3 -o missing/%u -i in
	[ "$stderr" = "pp-split: cannot write missing/0: No such file or directory" ]
}

@test "pieces are never written to a terminal" {
	need script
	whole >in
	ln -s /dev/tty p-0
	run -2 script -qec "pp-split --samples 3 -o p-%u -i in" /dev/null </dev/null
	assert_regex "$output" "pp-split: a stream is not written to a terminal: "
}

@test "a split that is killed leaves the pieces that it wrote" {
	whole >in
	mkfifo fifo
	pp-split --samples 3 -o p-%u -i fifo 3>&- &
	pid=$!
	exec 4>fifo
	cat in >&4
	for ((tries = 0; tries < 600; tries++)); do
		[ ! -s p-1 ] || break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	exec 4>&-
	[ "$(times p-0)" = "1050 1100 1150" ]
	pp-check -q -i p-0
	[ -s p-1 ]
}

@test "a reader of a piece that is gone ends the split by SIGPIPE, a command's does not" {
	pp-gen --samples 100000 >in
	mkfifo p-0
	head -c 16 <p-0 >got 3>&- &
	run -141 pp-split --bytes 100M -o p-%u -i in
	wait $!
	run -4 --separate-stderr pp-split --samples 75000 -o q-%u --exec 'head -c 16 >{}; kill -KILL $$' -i in
	assert_equal "${stderr_lines[0]}" "pp-split: q-0: the command was ended by signal 9"
	assert_equal "${stderr_lines[1]}" "pp-split: q-1: the command was ended by signal 9"
	[ "$(stat -c %s q-1)" -eq 16 ]
}

@test "new pieces are their owner's alone, older ones keep their mode" {
	whole >in
	: >p-1
	chmod 640 p-1
	(umask 0 && pp-split --samples 3 -o p-%u -i in)
	[ "$(stat -c %a p-0)" = 600 ]
	[ "$(stat -c %a p-1)" = 640 ]
}

@test "the first interrupt of a pipeline lets what was captured arrive" {
	whole >in
	mkfifo fifo
	# a shell's background ignores interrupts, and so would what it starts
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' pp-split --samples 3 -o p-%u -i fifo 3>&- &
	pid=$!
	exec 4>fifo
	head -c 600 in >&4
	for ((tries = 0; tries < 600; tries++)); do
		! grep -q '^SigCgt:.*[2367abef]$' /proc/$pid/status || break
		sleep 0.1
	done
	kill -INT $pid
	tail -c +601 in >&4
	exec 4>&-
	status=0
	wait $pid || status=$?
	[ "$status" -eq 0 ]
	[ "$(times p-2)" = "2500 2600 2800" ]
}

@test "a live stream is written as it comes" {
	whole >in
	mkfifo fifo
	pp-split --samples 3 -o p-%u -i fifo 3>&- &
	pid=$!
	exec 4>fifo
	cat in >&4
	# the last rounds are held, all before is there though the stream goes on
	for ((tries = 0; tries < 600; tries++)); do
		[ ! -s p-0 ] || pp-check -q -i p-0 >/dev/null 2>&1 && break
		sleep 0.1
	done
	[ "$(times p-0)" = "1050 1100 1150" ]
	exec 4>&-
	wait $pid
	[ "$(times p-2)" = "2500 2600 2800" ]
}

@test "more pieces than there may be open files are exit 4, and those that are open are ended" {
	{
		echo header
		echo "attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all"
		echo "repeat 40 {"
		echo 'sample pid=$(i+1) time=$(i*100)'
		echo "}"
		echo round
	} | build >in
	for how in "" --seal; do
		echo "$how"
		rm -f p-*
		run -4 --separate-stderr bash -c "ulimit -n 20 && pp-split $how --by pid -o p-{} -i in"
		[[ $stderr =~ ^'pp-split: cannot write p-'[0-9]+': Too many open files: ulimit -n' ]]
		[ "$(ls p-* | wc -l)" -gt 5 ]
		for piece in p-*; do
			[ "$(records -s "$piece" | wc -l)" -eq 1 ]
			# whole, and of a source that was not
			run -3 --separate-stderr pp-cat "$piece"
			[ "$stderr" = "pp-cat: $piece: damaged before it came here" ]
		done
	done
}
