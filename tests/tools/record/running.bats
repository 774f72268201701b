# pp-record: when it starts, stops and ends: delays, durations, limits, commands from outside.

setup() {
	load ../../helper
	load recorder
	recorder=
}

teardown() {
	[ -z "$recorder" ] || kill "$recorder" 2>/dev/null || :
}

# a command that works until it is killed
BUSY=(perl -e '$i++ while 1')

# controlled RECORDER...: starts it with -o out and a channel for commands, which is open for us
controlled() {
	mkfifo commands acks
	exec 7<>commands 8<>acks
	"$1" --control fd:7,8 "${@:2}" 2>err 3>&- &
	recorder=$!
}

# command WORD...: gives a command, and waits until it is acknowledged
command_it() {
	local answer
	echo "$*" >&7
	IFS= read -r -t 60 -u 8 answer
	[ "${answer#"${answer%ack}"}" = ack ]
}

ended() {
	local status=0
	wait "$recorder" || status=$?
	recorder=
	return "$status"
}

# ---- an end that was asked for

@test "--duration ends a recording, whose stream is whole, with 0" {
	need_events
	until_sampled out pp-record -e cpu-clock --duration 0.2 -o out -- "${BUSY[@]}"
	pp-check out
}

@test "--duration counts from when the events start, after the delay" {
	need_events
	# if it counted from the beginning, none would ever hold a sample
	until_sampled out pp-record -e cpu-clock -D 300 --duration 50ms -o out -- "${BUSY[@]}"
	pp-check out
}

@test "--max-samples writes exactly as many, and all maps" {
	need_events
	for n in 1 7 100; do
		pp-record -e cpu-clock --max-samples "$n" -- "${BUSY[@]}" >out
		pp-check out
		[ "$(count SAMPLE out)" -eq "$n" ]
		grep -q "pp-record: $n sample" <(pp-record -e cpu-clock --max-samples "$n" -- "${BUSY[@]}" 2>&1 >/dev/null)
	done
}

@test "--max-samples counts those of all CPUs and events together" {
	need_all_cpus
	pp-record -a -e cpu-clock,task-clock --max-samples 50 >out -- "${BUSY[@]}"
	pp-check out
	[ "$(count SAMPLE out)" -eq 50 ]
}

# beginning OPTION...: how many bytes what every stream begins with takes: more on larger machines
beginning() {
	pp-record "$@" -e cpu-clock --max-bytes 1 -- "${BUSY[@]}" | wc -c
}

@test "--max-bytes keeps the stream below a size, whole" {
	need_events
	local more size least
	least=$(beginning)
	for more in 40000 180000; do
		size=$((least + more))
		pp-record -e cpu-clock -F max --max-bytes $size -- "${BUSY[@]}" >out
		pp-check out
		[ "$(count SAMPLE out)" -gt 0 ]
		[ "$(stat -c %s out)" -le $size ]
		[ "$(stat -c %s out)" -gt $((size - 8192)) ]
	done
}

@test "--max-bytes below what every stream begins with leaves a whole stream without samples" {
	need_events
	pp-record -e cpu-clock --max-bytes 1 -- "${BUSY[@]}" >out
	pp-check out
	[ "$(count SAMPLE out)" -eq 0 ]
}

@test "--max-bytes holds for compressed streams too" {
	need_events
	local size
	size=$(($(beginning -z) + 20000))
	pp-record -z -e cpu-clock -F max --max-bytes $size -- "${BUSY[@]}" >out
	pp-check out
	[ "$(stat -c %s out)" -le $((size + 8192)) ]
	[ "$(pp-decompress out | pp-dump --json | grep -c '"type":"SAMPLE"')" -gt 0 ]
}

@test "a limit ends the command, and its end still ends the recording before the limit" {
	need_events
	pp-record -e cpu-clock --max-samples 5 -- sh -c 'while :; do :; done' >out
	local pid
	pid=$(fields out 'select(.type == "COMM").fields.pid' | head -n 1)
	[ "$pid" -gt 1 ]
	until_true is_gone "$pid"
	pp-record -e cpu-clock --max-samples 1000000 --max-bytes 1G --duration 3600 -- true >out
	pp-check out
}

@test "limits and delays that make no sense are refused, and nothing is written" {
	local wrong
	for wrong in '--duration 0' '--duration x' '--max-samples 0' '--max-bytes 0' '--max-bytes 12q' \
		'-D -2' '-D x' '-D 5000000000' '--control 3' '--control fd:' '--control fd:x' '--control fd:3,' \
		'--control fd:3,x' '--control fifo:' '--control fifo:,x' '--control fd:97' '--control fd:1,98'; do
		run -2 --separate-stderr pp-record -e cpu-clock $wrong -- true
		assert_output ''
		[[ $stderr == *"${wrong%% *}"* || $stderr == *--delay* ]]
	done
	run -4 --separate-stderr pp-record -e cpu-clock --control fifo:nowhere -- true
	assert_output ''
	[[ $stderr == *'--control: cannot open nowhere: No such file'* ]]
}

# bats test_tags=T3-B1
@test "--control opens fifos, and none that another user put there or leads to" {
	need_root
	mkdir -m 1777 open
	echo precious >file
	mkfifo fifo open/fifo
	ln -s "$PWD/file" open/link
	chown -h 65534 open/*
	for row in 'file|it is no fifo' 'fifo,file|it is no fifo' \
		"open/link|the symbolic link open/link is another user's" \
		"fifo,open/fifo|the fifo open/fifo is another user's"; do
		IFS='|' read -r given why <<<"$row"
		run -4 --separate-stderr pp-record -e cpu-clock --control "fifo:$given" -- true
		assert_output ''
		[ "$stderr" = "pp-record: --control: cannot open ${given#fifo,}: $why" ]
	done
	[ "$(cat file)" = precious ]
}

# ---- commands

@test "--control acknowledges each command as perf does" {
	need_events
	need perf
	local recorder_of who
	for who in pp-record perf; do
		mkdir $who
		(
			cd $who
			case $who in
			perf) recorder_of=(perf record -o out -e cpu-clock -D -1) ;;
			*) recorder_of=(pp-record -o out -e cpu-clock -D -1) ;;
			esac
			mkfifo commands acks
			exec 7<>commands 8<>acks
			"${recorder_of[@]}" --control fd:7,8 -- "${BUSY[@]}" 2>err 3>&- &
			for word in ping enable 'enable cpu-clock' 'disable nothing' disable enablex evlist \
				'evlist -v' 'evlist -x' snapshot stop; do
				printf '%s\n' "$word" >&7
				# 5 bytes: the line, and a zero
				timeout 60 head -c 5 <&8 | od -An -c
			done >acks.txt
			wait $! || :
		)
	done
	same_bytes perf/acks.txt pp-record/acks.txt
	run sort -u pp-record/acks.txt
	assert_output --regexp '^ +a +c +k +\\n +\\0$'
	run wc -l <pp-record/acks.txt
	assert_output 11
}

@test "evlist prints what perf prints" {
	need_events
	need perf
	local who
	for who in pp-record perf; do
		mkdir $who
		(
			cd $who
			local how=(-o out -c 10000 -e '{cpu-clock,task-clock:u}' -e page-faults)
			mkfifo commands acks
			exec 7<>commands 8<>acks
			if [ $who = perf ]; then
				perf record "${how[@]}" -D -1 --control fd:7,8 -- "${BUSY[@]}" 2>err 3>&- &
			else
				pp-record "${how[@]}" -D -1 --control fd:7,8 -- "${BUSY[@]}" 2>err 3>&- &
			fi
			for word in evlist 'evlist -F' 'evlist -g' 'evlist -v' stop; do
				printf '%s\n' "$word" >&7
				timeout 60 head -c 5 <&8 >/dev/null
			done
			wait $! || :
			# what samples hold and their clock are each recorder's own choice; perf 6.12 has names for
			# numbers, and says those that are 0
			grep -E '^[{]?(cpu-clock|task-clock|page-faults)' err |
				sed -E 's/sample_type: [A-Z|]+/sample_type/; s/, (use_clockid|clockid|exclude_guest): 1//g;
					s/ \((software|PERF_[A-Z_]+)\)//g; s/ size: [0-9]+,//; s/ config: 0,//' >list
		)
	done
	same_bytes perf/list pp-record/list
	run wc -l <pp-record/list
	assert_output 11
}

@test "-D -1 records nothing before enable, and nothing after disable" {
	need_events
	controlled pp-record -e cpu-clock -D -1 -o out -- "${BUSY[@]}"
	command_it ping
	sleep 0.3
	command_it enable
	until_true sampled out
	command_it disable
	command_it stop
	ended
	pp-check out
	[ "$(count SAMPLE out)" -gt 0 ]
	rm commands acks
	controlled pp-record -e cpu-clock -D -1 -o none -- "${BUSY[@]}"
	command_it ping
	sleep 0.3
	command_it stop
	ended
	pp-check none
	[ "$(count SAMPLE none)" -eq 0 ]
}

@test "enable and disable of one event leave the others alone" {
	need_kernel
	need_events
	controlled pp-record -e cpu-clock,task-clock -D -1 -o out -- "${BUSY[@]}"
	command_it enable task-clock
	until_true sampled out
	command_it disable task-clock
	command_it stop
	ended
	pp-check out
	run jq -r 'select(.type == "SAMPLE") | .event' <(json out)
	assert_line task-clock
	refute_line cpu-clock
}

@test "tasks that start while events are disabled have names and maps" {
	need_all_cpus
	controlled pp-record -a -e cpu-clock -o out
	command_it disable
	"${WORK[@]}" &
	local late=$!
	wait $late
	command_it enable
	command_it stop
	ended
	pp-check out
	run jq -c --argjson pid $late 'select(.type == "COMM" and .fields.pid == $pid) | .fields.comm' <(json out)
	assert_line '"perl"'
}

@test "commands come through a fifo, whose other end may come and go, without line feeds too" {
	need_events
	mkfifo commands acks
	pp-record -e cpu-clock -D -1 -o out --control fifo:commands,acks -- "${BUSY[@]}" 2>err 3>&- &
	recorder=$!
	exec 8<>acks
	for word in ping enable stop; do
		printf '%s' $word >commands
		run timeout 60 head -c 5 <&8
		assert_output ack
	done
	ended
	pp-check out
	grep -q 'events enabled' err
}

@test "several commands in one write are all obeyed, and a cut one is waited for" {
	need_kernel
	need_events
	controlled pp-record -e cpu-clock -D -1 -o out -- "${BUSY[@]}"
	printf 'ping\nena' >&7
	timeout 60 head -c 5 <&8 >/dev/null
	printf 'ble\nping\0evlist\nstop\nping\n' >&7
	run timeout 60 head -c 20 <&8
	ended
	grep -q 'events enabled' err
	grep -q '^cpu-clock$' err
	pp-check out
}

@test "commands that are not known are said, and not acknowledged" {
	need_events
	controlled pp-record -e cpu-clock -o out -- "${BUSY[@]}"
	echo jump >&7
	command_it ping
	command_it disable nothing
	command_it stop
	ended
	grep -q "there is no command 'jump': use enable, disable" err
	grep -q "no event is called 'nothing'" err
	pp-check out
}

@test "a recording goes on when nobody commands it any more, or reads the acknowledgements" {
	need_kernel
	need_events
	mkfifo commands acks
	pp-record -e cpu-clock -o out --control fd:5,6 -- perl -e '1 until -e $ARGV[0]' stop \
		5< <(printf 'ping\nevlist') 6> >(:) 2>err 3>&- &
	recorder=$!
	for _ in {1..600}; do
		grep -q '^cpu-clock$' err && break
		sleep 0.1
	done
	grep -q '^cpu-clock$' err
	touch stop
	ended
	pp-check out
}
