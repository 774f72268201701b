# keeper.bats - what becomes of a recording whose helper process, which reads tasks and opens files, is killed,
# or waits for a server that is gone.

setup() {
	load ../../helper
	load recorder
}

# bats test_tags=T3-A14
@test "tasks that could not be looked up, since pp-keeper was killed, have not ended: it is said, and marked" {
	local busy status
	need jq
	need pgrep
	need_system_wide
	# it is sampled only once the process is gone that would look it up
	perl -e 'kill STOP => $$; $i++ for 1 .. 10_000_000; open F, ">", "done"' 3>&- &
	busy=$!
	until grep -q '^State:.T' "/proc/$busy/status"; do :; done
	# shellcheck disable=SC2016 # for the other shell
	run -4 --separate-stderr pp-record -e cpu-clock -a --sideband=late -o out -- sh -c '
		until pgrep -P $PPID pp-keeper >keeper; do :; done
		kill -KILL $(cat keeper)
		kill -CONT '$busy'
		until [ -e done ]; do :; done'
	[[ ${stderr_lines[-1]} == 'pp-record: I/O error: pp-keeper, the process that reads what tasks there are, was ended by signal 9: '*' of those that were sampled lack names and maps; out is incomplete' ]]
	[[ $stderr != *' had ended '* ]]
	# the next stage sees it, and the samples are there
	run -3 pp-check out
	[ "$(pp-dump --json out | jq -s "map(select(.type == \"SAMPLE\" and .fields.pid == $busy)) | length > 0")" = true ]
	run -3 bash -c 'pp-sort <out >sorted'
	pp-dump --headers --json out | jq -r '.notes // empty | .[] | select(.key == "sideband.late").value' >note || true
	grep -aq 'sideband.late.*"unread":[1-9]' out
}

# bats test_tags=T3-A1,nightly
@test "a pp-keeper that does not answer is waited for ten seconds, once: then maps have no build-ids, and it is said" {
	need pgrep
	need_system_wide
	cp "$(type -P true)" program
	# shellcheck disable=SC2016 # for the other shell
	run -0 --separate-stderr timeout 60 pp-record -e cpu-clock -a -o out -- sh -c '
		until pgrep -P $PPID pp-keeper >keeper; do :; done
		kill -STOP $(cat keeper)
		for i in 1 2 3 4 5; do cp program $i; ./$i; done'
	kill -KILL "$(<keeper)"
	[[ $stderr == *'pp-keeper, the process that opens mapped files, did not answer for 10 s: maps that were made since have no build-ids'* ]]
	pp-check out
	[ "$(pp-dump --json --type mmap2 out | grep -c "$PWD/[1-5]\"")" -ge 5 ]
}

@test "while pp-keeper does not answer, nothing is lost: what the kernel's buffers have no room for is set aside" {
	need pgrep
	need_root
	need_points
	cp "$(type -P true)" program
	# while its map waits for a build-id, 16,000 system calls, several times what the buffer holds, at a pace
	# that the recorder can follow
	# shellcheck disable=SC2016 # for the other shell
	run -0 --separate-stderr pp-record -e raw_syscalls:sys_enter -m 256k -o out -- sh -c '
		until pgrep -P $PPID pp-keeper >keeper; do :; done
		kill -STOP $(cat keeper)
		./program
		perl -e "for (1 .. 80) { syswrite STDERR, q() for 1 .. 200; select undef, undef, undef, 0.01 }"
		kill -CONT $(cat keeper)'
	pp-check out
	[ "$(count SAMPLE out)" -ge 16000 ]
	[ "$(count LOST out)" -eq 0 ]
	# and the answer came into the record that waited for it
	json out | jq -e -s --arg path "$PWD/program" 'map(select(.type == "MMAP2" and .fields.filename == $path)) |
		length > 0 and all(.fields.build_id)'
}
