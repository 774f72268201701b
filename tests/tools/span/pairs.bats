# pairs.bats - pp-span --from, --to and --by: spans from a sample of one event to one of another.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load sched
}

# told LINE...: what spans prints
told() { diff <(printf '%s\n' "$@") got; }

# requests: ends of spans 7 and 8, by the number of a thread in the data of sched_waking and sched_wakeup_new
requests() {
	at 1000 waking 5 7
	at 1500 waking 6 8
	at 1700 new 9 7
	at 1800 new 9 3
	at 2000 waking 5 7
	at 2100 waking 5 7
	at 2500 new 9 7
	at 3000 waking 6 9
	at 4000 new 9 8
}

# spans ARGUMENT...: what pp-span makes of in: event tid begin period callchain
spans() {
	pp-span -q --from sched:sched_waking --to sched:sched_wakeup_new "$@" in | json |
		jq -r 'select(.type == "SAMPLE" and (.event | startswith("sched") | not)) | .event as $event | .fields |
			"\($event) \(.tid) \(.time - .period) \(.period) \(.callchain | length)"'
}

@test "pairs: a span begins at one event, ends at the other with the same key, and may have the stack of either" {
	requests | switches new >in
	spans --by sched:sched_waking.pid=sched:sched_wakeup_new.pid >got
	told 'span 5 1000 700 2' 'span 5 2100 400 2' 'span 6 1500 2500 2' 'span-cut 6 3000 1000 2'
	spans --by sched:sched_waking.pid=sched:sched_wakeup_new.pid --name x --stack second --no-cut --min 500ns >got
	told 'x 9 1000 700 0' 'x 9 1500 2500 0'
	pp-span -q --from 'sched:sched_waking[sched:sched_waking.pid == 8]' --to sched:sched_wakeup_new \
		--by sched:sched_waking.pid=sched:sched_wakeup_new.pid in >out
	sound out
	[ "$(json out | jq -r 'select(.type == "SAMPLE" and .event == "span").fields.period' | xargs)" = 2500 ]
	# the others were not used, and stay
	[ "$(json out | grep -c '"event":"sched:sched_waking"')" -eq 4 ]
	[ "$(json out | grep -c '"event":"sched:sched_wakeup_new"')" -eq 0 ]
}

@test "pairs: one whose end comes rounds late, and is of a time before it began, has no length" {
	{
		at 5000 waking 5 7
		printf 'round\nround\n'
		at 6000 waking 6 8
		printf 'round\nround\nround\n'
		at 4000 new 9 7
	} | switches new >in
	spans --by sched:sched_waking.pid=sched:sched_wakeup_new.pid >got
	told 'span 5 4000 0 2' 'span-cut 6 6000 0 2'
}

@test "pairs: what is wrong in their description is refused, and a stream without their events passes" {
	requests | switches new >in
	run -2 pp-span --from a --to b in
	run -2 --separate-stderr pp-span --from 'a[x ==]' --to b --by tid in
	[[ $stderr == *"in 'a[x ==]': "* ]]
	run -2 --separate-stderr pp-span --from sched:sched_waking --to sched:sched_wakeup_new --by nofield in
	[[ $stderr == *"in 'nofield': no field is called 'nofield'" ]]
	run -2 pp-span --from a --to b --by tid --stack third in
	run -2 pp-span --from a --to b --by tid --wakers in
	run -0 --separate-stderr pp-span block in -o out
	[ "$stderr" = 'pp-span: the stream has not the events of these spans: all passes unchanged' ]
	same_bytes in out
}
