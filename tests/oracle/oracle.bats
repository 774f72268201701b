# oracle.bats - perf shows what a stage lets through as it shows the recording itself: recordings of
# all kinds that perf writes to a pipe here, made and shown by the installed perf and by newer ones.

setup() { load ../helper; }

# the installed perf's version, as 6.1
installed() { command perf version | sed -nE 's/^perf version ([0-9]+\.[0-9]+).*/\1/p'; }

# find_perf NAME: sets $perf and $version of `installed`, or of a version out of $PERF_NEWER
find_perf() {
	need_perf_events
	perf=perf
	version=$(installed)
	[ "$1" != installed ] || return 0
	need_newer_perf "$1"
	perf=$(newer_perf "$1")
	[ "$version" != "${perf##*perf-}" ] || skip "perf $version is the installed one"
	version=${perf##*perf-}
}

# all_stages GROUP [KIND...]: oracle.sh for every kind of the group that $perf can record, or those that are
# named; three at a time, since each waits for perf most of the time.  Where perf itself fails, with no
# tool of ours in the line, nothing is tried, and that is said.
all_stages() {
	local kind
	"$TESTS/oracle/oracle.sh" -l "$version" "$1" >kinds
	[ $# -eq 1 ] || printf '%s\n' "${@:2}" >kinds
	[ -s kinds ]
	: >own-failures
	while read -r kind; do
		mkdir "$kind"
	done <kinds
	perf=$perf xargs -P 3 -I KIND sh -c \
		'cd KIND || exit
		"$TESTS/oracle/oracle.sh" "$perf" KIND >log 2>&1
		case $? in 0) ;; 5) cat log >>../own-failures ;; *) cat log >&2 ;; esac' <kinds 2>failures
	cat failures
	[ ! -s failures ]
	[ ! -s own-failures ] || skip "perf itself fails, so not tried: $(paste -sd ';' own-failures)"
}

@test "what perf itself fails to record or to read is told from what a stage makes wrong" {
	find_perf installed
	printf '#!/bin/sh\n[ "$1" != version ] || exec perf version\necho "no way" >&2\nexit 9\n' >broken
	chmod +x broken
	mkdir one two
	cd one
	run -5 "$TESTS/oracle/oracle.sh" "$PWD/../broken" stat
	[ "$output" = "perf $version, stat: it exits with 9: no way" ]
	# a stage that loses the last record
	mkdir ../bin
	printf '#!/bin/sh\nhead -c -48\n' >../bin/pp-mend
	chmod +x ../bin/pp-mend
	cd ../two
	PATH=$PWD/../bin:$PATH run -1 "$TESTS/oracle/oracle.sh" perf stat
	[[ "$output" == *"after mend"* ]]
}

@test "recordings of the commonest kinds are shown by the installed perf after every stage as before" {
	find_perf installed
	all_stages record two-events call-graph stat
}

@test "each kind of recording stands in the list once, and there are more than forty" {
	for group in record system-wide tracepoints stat; do
		"$TESTS/oracle/oracle.sh" -l 7.3 "$group"
	done >kinds
	[ "$(wc -l <kinds)" -gt 40 ]
	[ -z "$(sort kinds | uniq -d)" ]
}

@test "newer versions of perf are found by their versions, and not where there are none" {
	mkdir newer
	for version in 6.9 6.12 7.3; do
		printf '#!/bin/sh\n' >newer/perf-$version
		chmod +x newer/perf-$version
	done
	PERF_NEWER=$PWD/newer
	[ "$(newer_perf 6.9)" = "$PWD/newer/perf-6.9" ] || [ "$(newer_perf 6.9)" = "$PWD/newer/perf-6.12" ]
	[ "$(newer_perf 6.10)" = "$PWD/newer/perf-6.12" ]
	[ "$(newer_perf 7.0)" = "$PWD/newer/perf-7.3" ]
	run -1 newer_perf 6.13
	run -1 newer_perf 8.0
}

@test "newer-perf.sh says so and exits with 4 where there are no packages" {
	mkdir bin
	run -4 --separate-stderr env PATH="$PWD/bin" /bin/bash "$TESTS/oracle/newer-perf.sh" "$PWD/newer"
	[ "$stderr" = "newer-perf.sh: no apt-get here" ]
	[ ! -e newer ]
}

@test "kinds that a version of perf cannot record" {
	need_perf
	for version in "$(installed)" 6.12 7.3; do
		"$TESTS/oracle/oracle.sh" -n "$version" >kinds
		[ ! -s kinds ] || echo "perf $version: $(paste -sd, kinds | sed 's/,/, /g')"
	done >cannot
	[ ! -s cannot ] || skip "not tried: $(paste -sd';' cannot | sed 's/;/; /g')"
}

# bats test_tags=nightly
@test "recordings of the installed perf are shown by it after every stage as before" {
	find_perf installed
	all_stages record
}

# bats test_tags=nightly
@test "system-wide recordings of the installed perf too" {
	find_perf installed
	need_system_wide
	all_stages system-wide
}

# bats test_tags=nightly
@test "those of tracepoints, and of perf sched, lock, kmem, kwork, timechart, trace and kvm too" {
	find_perf installed
	need_system_wide
	need_tracepoints
	all_stages tracepoints
}

# bats test_tags=nightly
@test "those of perf stat too" {
	find_perf installed
	need_system_wide
	all_stages stat
}

# bats test_tags=nightly
@test "recordings of perf 6.12 are shown by it after every stage as before" {
	find_perf 6.12
	all_stages record
}

# bats test_tags=nightly
@test "system-wide recordings of perf 6.12 too" {
	find_perf 6.12
	need_system_wide
	all_stages system-wide
}

# bats test_tags=nightly
@test "those of tracepoints, and of the commands that record them, of perf 6.12 too" {
	find_perf 6.12
	need_system_wide
	need_tracepoints
	all_stages tracepoints
}

# bats test_tags=nightly
@test "those of perf 6.12 stat too" {
	find_perf 6.12
	need_system_wide
	all_stages stat
}

# bats test_tags=nightly
@test "recordings of perf 7.3 are shown by it after every stage as before" {
	find_perf 7.3
	all_stages record
}

# bats test_tags=nightly
@test "system-wide recordings of perf 7.3 too" {
	find_perf 7.3
	need_system_wide
	all_stages system-wide
}

# bats test_tags=nightly
@test "those of tracepoints, and of the commands that record them, of perf 7.3 too" {
	find_perf 7.3
	need_system_wide
	need_tracepoints
	all_stages tracepoints
}

# bats test_tags=nightly
@test "those of perf 7.3 stat too" {
	find_perf 7.3
	need_system_wide
	all_stages stat
}
