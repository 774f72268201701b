# strace.bats - pp-span syscalls beside strace, in one run: the same calls, results and order in each thread.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
}

# traced: what strace saw of each thread, "TID NAME RESULT ERROR" a call that came back, the threads by number
traced() {
	local file
	for file in $(printf '%s\n' trace.* | sort -t . -k 2n); do
		perl -ne 'BEGIN { $tid = shift }
			next unless /^(\w+)\(.* = (-?\w+)(?: (E\w+))?/;
			my ($name, $result, $error) = ($1, $2, $3 // "");
			$result = $result =~ /^0x/ ? hex $result : $result;
			print join(" ", $tid, $name, $error ? "-" : $result, $error), "\n";' "${file#trace.}" "$file"
	done
}

# seen: the same of pp-span, from the execve of the program on
seen() {
	pp-report -q --csv -g none --no-children -s tid,time,syscall,error --time-quantum 1ns \
		-F tid,time,syscall,error calls |
		tail -n +2 | tr -d '\r' | awk -F, '$1 == "syscalls" { print $2, $3, $4, $5 }' |
		sed -E "s/^'?([0-9]+):[^ ]*|^'?:?([0-9]+)/\1\2/" | sort -k1,1n -k2,2n >names
	json calls | jq -r 'select(.type == "SAMPLE" and .event == "syscalls").fields | "\(.tid) \(.time) \(.weight)"' |
		sort -s -k1,1n -k2,2n >results
	paste -d ' ' names results | awk '{ error = NF == 7 ? $4 : ""; print $1, $3, error ? "-" : $NF, error }' >all
	# other threads are of the program that was executed; the lowest number is strace's own
	awk 'NR == FNR { if ($2 == "execve" && $3 == 0) { main = $1; line = FNR } next }
		$1 > main || ($1 == main && FNR >= line)' all all
}

@test "syscalls: the calls of each thread, their results and their order are those that strace saw" {
	need gcc
	need strace
	need_tracepoints
	printf '%s\n' header attr 'sample pid=1 time=5' round | build | pp-report -q -s syscall >/dev/null 2>&1 ||
		skip "libseccomp is not here"
	strace -o /dev/null true 2>err || skip "strace may not trace here: $(head -n 1 err)"
	gcc -O1 -pthread -o prog "$TESTS/tools/span/strace.c"
	pp-record -q -m 8M --spans=syscalls -o in -- strace -ff -o trace ./prog 2>err
	pp-span syscalls -o calls in 2>>err
	# what was lost, on whatever machine, cannot be compared
	! json in | grep -qE '"type":"LOST(_SAMPLES)?"' || skip "records were lost here"
	traced >want
	[ "$(wc -l <want)" -gt 150 ]
	grep -q 'ENOENT' want
	grep -q 'EBADF' want
	seen >got
	diff want got
}
