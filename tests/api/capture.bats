#!/usr/bin/env bats
# capture.bats - recording as a program asks for it: its own code, a command, into its own functions or
# into a stream.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load api
	installed
	need_perf_events
}

# bats test_tags=nightly
@test "records of the kernel come to a callback, in pieces and one by one, without a stream" {
	# shellcheck disable=SC2016
	everyway "$ROOT/tests/api/capture.c" ./program perl -e '@a = (0) x 5e6; $i++ while $i < 3e6'
	assert_equal "$(cat shared.out)" 'head samples rounds whole each'
}

@test "a program of less than 40 lines counts samples of its own code by address" {
	[ "$(wc -l <"$ROOT/tests/api/ips.c")" -lt 40 ]
	links "$ROOT/tests/api/ips.c" program
	./program >ips
	cat ips
	# each page is read first and written then, by two instructions near each other
	[ "$(awk '$2 >= 1000' ips | wc -l)" -ge 1 ]
	awk '$2 >= 1000 { print $1 }' ips | perl -ne 'push @at, hex; END { exit(abs($at[0] - $at[-1]) > 256) }'
}

@test "a capture's counters are read, paused, given a period and stopped while it runs" {
	cp "$ROOT/tests/api/own.c" own.cc
	everyway own.cc ./program
	everyway "$ROOT/tests/api/own.c" ./program
	assert_equal "$(cat shared.out)" \
		'page-faults:u, open; counted 1; all 1; paused 0; every tenth 1; disabled 0; refreshed 1; in order 1'
}

@test "what a program writes is a stream that every stage and perf take" {
	"$ROOT/tests/api/program.sh" "$INCLUDE/capture.h" >capture.c
	[ "$(wc -l <capture.c)" -le 40 ]
	links capture.c program
	./program "${WORK[@]}" >out.pipe
	pp-check -q out.pipe
	pp-sort out.pipe | pp-filter 'pid > 0' | pp-inject -b -q | pp-compress | pp-decompress | pp-check -q
	pp-dump --json out.pipe | pp-undump | same_bytes out.pipe -
	pp-merge out.pipe out.pipe | pp-check -q
	pp-split --samples 100 -o part-%03u.pipe out.pipe
	pp-check -q part-000.pipe
	pp-save -o out.data out.pipe
	pp-cat out.data | pp-check -q
	pp-info out.pipe >info
	n=$(pp-dump --json out.pipe | jq 'select(.type == "SAMPLE").type' | wc -l)
	[ "$n" -gt 0 ]
	perf script -F time,ip -i - <out.pipe 2>/dev/null >by-perf
	assert_equal "$(grep -c : by-perf)" "$n"
	perf report -i out.data --stdio 2>/dev/null >report
	grep -q '%' report
}
