# command.bats - pp-record: the command that it runs, the file that it writes, and how both end.

setup() {
	load ../../helper
	load recorder
}

teardown() { touch stop; } # for what may still run

@test "the command's standard output goes to standard error" {
	need_events
	pp-record -e cpu-clock -- echo from the command >out 2>err
	run cat err
	assert_line 'from the command'
	run -0 pp-dump -i out
	refute_line --partial 'from the command'
	# by other names, too
	local name
	for name in - /dev/stdout /proc/self/fd/1; do
		pp-record -e cpu-clock -o $name -- echo from the command >out 2>err
		run cat err
		assert_line 'from the command'
		pp-check -q out
	done
}

@test "the command's standard output is its own where the stream goes to a file" {
	need_events
	pp-record -e cpu-clock -o out -- echo from the command >text 2>err
	run cat text
	assert_output 'from the command'
	run grep -c 'from the command' err
	assert_output 0
	pp-check -q out
	pp-record -e cpu-clock -o /dev/null -- echo from the command >text 2>err
	run cat text
	assert_output 'from the command'
}

@test "a recording is its owner's alone, and a umask may take more away" {
	need_events
	umask 0
	pp-record -e cpu-clock -o open -- true
	umask 0277
	pp-record -e cpu-clock -o closed -- true
	run stat -c %a open closed
	assert_output $'600\n400'
}

@test "a recording that is there is kept as FILE.old" {
	need_kernel
	need_events
	echo first >out
	chmod 644 out
	ln -s out link
	pp-record -e cpu-clock -o link -- true
	run cat out.old
	assert_output first
	pp-check -q out
	run stat -c %a out out.old
	assert_output $'600\n644'
	cp out second
	pp-record -e cpu-clock -o out -- true
	same_bytes second out.old
	# one that cannot even begin changes nothing, and an empty one is nothing to keep
	cp out third
	run -4 pp-record -e cpu-clock -o out -- ./not-there
	same_bytes third out
	same_bytes second out.old
	: >empty
	pp-record -e cpu-clock -o empty -- true
	[ ! -e empty.old ]
	# what is in the way is not removed
	mkdir third.old
	run -4 --separate-stderr pp-record -e cpu-clock -o third -- true
	assert_equal "$stderr" 'pp-record: cannot rename third to third.old: Is a directory'
	same_bytes third out
}

@test "--exit-status exits as the command did" {
	need_events
	run -0 bash -c 'pp-record -e cpu-clock -- sh -c "exit 7" >out'
	run -7 bash -c 'pp-record --exit-status -e cpu-clock -- sh -c "exit 7" >out'
	run -0 bash -c 'pp-record --exit-status -e cpu-clock -- true >out'
	run -137 bash -c 'pp-record --exit-status -e cpu-clock -- sh -c "kill -9 \$\$" >out'
}

@test "a signal ends a recording well" {
	need_events
	local signal pid status
	for signal in INT TERM HUP; do
		rm -f out stop
		pp-record -e cpu-clock -o out -- perl -e "$busy" stop 2>err 3>&- &
		pid=$!
		until_true begun out
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		touch stop
		echo "$signal: $status"
		[ "$status" -eq 0 ]
		# whole, and so sealed to its end
		run -0 --separate-stderr pp-dump -i out
		[ "$stderr" = '' ]
	done
}

@test "a reader that goes away ends the recorder, and the command lives on" {
	need_events
	# the command holds what it inherits, so nothing of it may be what bats waits for
	bash -c 'pp-record -e cpu-clock -- perl -e "$1" go | head -c 100 >/dev/null; echo "${PIPESTATUS[0]}"' - \
		"$busy; open F, '>', 'lived'" >status 2>err 3>&-
	run cat status
	assert_output 141
	[ ! -e lived ]
	touch go
	until_true test -e lived
}

# bats test_tags=T3-C6
@test "a reader that goes away ends the recorder also if nothing is sampled" {
	need_events
	sleep 90 3>&- &
	local sleeper=$! pid
	mkfifo pipe
	pp-record -q -e cpu-clock -p $sleeper >pipe 3>&- &
	pid=$!
	exec 4<pipe
	timeout 60 head -c 16 <&4 >/dev/null
	exec 4<&-
	until_true is_gone $pid
	status=0
	wait $pid || status=$?
	kill $sleeper
	[ "$status" -eq 141 ]
}

@test "a command that cannot be run leaves nothing on standard output" {
	need_events
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- ./not-there >out'
	assert_regex "$stderr" '^pp-record: cannot run \./not-there: No such file or directory$'
	[ ! -s out ]
	echo text >text
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- ./text >out'
	assert_regex "$stderr" 'cannot run \./text: Permission denied'
	[ ! -s out ]
}

# bats test_tags=T3-A22
@test "a folder is no command, also where PATH leads to it" {
	need_events
	mkdir -p bin/folder
	for command in /etc ./bin/folder folder; do
		echo "$command"
		PATH=$PWD/bin:$PATH run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- "$0" >out' "$command"
		assert_equal "$stderr" "pp-record: cannot run $command: Permission denied"
		[ ! -s out ]
	done
	mkdir -p more
	printf '#!/bin/sh\n: >ran\n' >more/folder
	chmod +x more/folder
	PATH=$PWD/bin:$PWD/more:$PATH pp-record -q -e cpu-clock -o out -- folder
	[ -e ran ]
}

# bats test_tags=T3-A22
@test "a command that fails only when it is executed leaves a stream that says so" {
	need_kernel
	need_events
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run -4 --separate-stderr bash -c 'pp-record -e cpu-clock -- ./script >out'
	assert_regex "$stderr" 'cannot run \./script: No such file or directory'
	run -3 --separate-stderr pp-dump -i out
	assert_equal "$stderr" 'pp-dump: out: damaged before it came here'
	run -4 --separate-stderr pp-record -e cpu-clock -o out -- ./script
	assert_equal "$stderr" 'pp-record: cannot run ./script: No such file or directory; out is incomplete'
	run -3 pp-check -q out
}

@test "a full disk is reported" {
	need_events
	run -4 --separate-stderr bash -c 'pp-record -q -e cpu-clock -- true >/dev/full'
	[ "$stderr" = 'pp-record: cannot write standard output: No space left on device' ]
}

@test "a file that could not be written to its end is said to be incomplete" {
	need_events
	run -4 --separate-stderr bash -c 'ulimit -f 1; trap "" XFSZ; pp-record -q -e cpu-clock -o out -- true'
	assert_equal "$stderr" 'pp-record: cannot write out: File too large; out is incomplete'
	run -3 pp-check -q out
}

@test "without memory no file is left that looks whole, and none that is empty" {
	need_events
	need_limits
	local kb status incomplete=0
	for ((kb = 3600; kb < 16000; kb += 400)); do
		rm -f out
		status=0
		prlimit --as=$((kb * 1024)) pp-record -z -e cpu-clock -o out -- true 2>err || status=$?
		case $status in
		0) pp-check -q out ;;
		4)
			[ -e out ] || continue
			run grep -c '; out is incomplete$' err
			assert_output 1
			run -3 pp-check -q out
			incomplete=$((incomplete + 1))
			;;
		*) [ "$status" -eq 127 ] ;; # not even loaded
		esac
	done
	[ "$incomplete" -gt 0 ] || skip "no limit of memory ends a recording in the middle"
}
