# rates.bats - how often pp-record takes a sample.

setup() {
	load ../../helper
	need_perf_events
}

# The kernel samples software events and tracepoints at each hit if samples are to carry periods.
@test "-c COUNT takes one page fault of COUNT, and the period is known, as of perf record" {
	# a fault for each of 20000 pages, or of 40 huge ones
	pp-record -c 100 -e page-faults:u -o few.pipe perl -e '$a = "x" x 4e7; $b = "y" x 4e7'
	few=$(pp-dump --json few.pipe | jq 'select(.type == "SAMPLE").type' | wc -l)
	echo "$few"
	[ "$few" -gt 0 ]
	[ "$few" -lt 1000 ]
	[ "$(perf script -F period -i - <few.pipe 2>/dev/null | sort -u | tr -d ' \n')" = 100 ]
}

@test "-c COUNT takes one hit of COUNT of a tracepoint" {
	need_tracepoints
	calls=(dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none)
	# 10000 of them, each would be a sample
	pp-record -c 50 -e raw_syscalls:sys_enter -o few.pipe "${calls[@]}"
	few=$(pp-dump --json few.pipe | jq 'select(.type == "SAMPLE").type' | wc -l)
	echo "$few"
	[ "$few" -gt 0 ]
	[ "$few" -lt 1000 ]
}
