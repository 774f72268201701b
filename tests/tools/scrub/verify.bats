#!/usr/bin/env bats
# verify.bats - pp-scrub --verify: what was replaced in one place and went out in another is found.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	head -c 32 /dev/zero | tr '\0' K >key
	chmod 600 key
}

# A stream of what standard input has, with an unknown record of some bytes after it or, with "first", before.
stream() {
	local record="record 113 0 $1"
	{
		printf '%s\n' header 'attr id=1' 'feature NRCPUS u32 1 u32 1'
		[ "${2:-}" != first ] || echo "$record"
		cat
		[ "${2:-}" = first ] || echo "$record"
		printf '%s\n' 'sample pid=7 time=9000 ip=0x10' round
	} | build
}

hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }

# finds BYTES TEXT [first]: whether --verify finds the text among the bytes, and only that
finds() {
	stream "00$(hex "$1")00" "${3:-}" >in <<-'END'
		comm pid=7 comm=nginx time=1000
		comm pid=7 comm="Web Content" time=1000
		comm pid=7 comm=été-Ünïcode time=1000
		comm pid=7 comm=kworker/0:1-ev time=1000
		comm pid=7 comm=(sd-pam) time=1000
		mmap pid=7 start=0x1000 len=0x1000 file=/srv/shop-front/lib-basket.so.2 time=1001
	END
	run -1 --separate-stderr pp-scrub -q --verify --keep-unknown --key key in -o out
	echo "$stderr"
	[[ "$stderr" == *"(UNKNOWN_113): byte "*" has '$2', which was replaced elsewhere" ]]
	[ "${#stderr_lines[@]}" = 1 ]
}

# clean BYTES: whether it finds nothing among them
clean() {
	stream "00$(hex "$1")00" >in <<-'END'
		feature CMDLINE list "/usr/bin/perf" "record"
		comm pid=7 comm=test time=1000
		comm pid=7 comm=perf time=1000
		comm pid=7 comm=123456 time=1000
		comm pid=7 comm=abc time=1000
		mmap pid=7 start=0x1000 len=0x1000 file=/usr/lib/libc.so.6 time=1001
	END
	run -0 --separate-stderr pp-scrub -q --verify --keep-unknown --key key in -o out
	[ "$stderr" = "" ]
}

@test "a text that went out is found, before it is replaced and after, and with its place" {
	finds nginx nginx
	finds nginx nginx first
	finds 'nginx: master' nginx
	finds '/usr/sbin/nginx.conf' nginx
	finds 'a Web Content b' 'Web Content'
	finds 'été-Ünïcode' 'été-Ünïcode'
	finds '[kworker/0:1-ev]' 'kworker/0:1-ev'
	finds sd-pam '(sd-pam)'
	finds 'see shop-front/ there' shop-front
	[[ "$stderr" == *': record 8 at byte '*'(UNKNOWN_113): byte 13 of what is written'* ]]
}

@test "parts of other words, words that stay, short ones and numbers are not" {
	clean latest
	clean test_it
	clean perf
	clean libc.so.6
	clean 123456
	clean abc
}

@test "a build-id is found as bytes and in hex, and that of a library that stays is not" {
	maps() {
		cat <<-'END'
			mmap2 build_id=0102030405060708090a0b0c0d0e0f1011121314 file=/srv/a time=1
			mmap2 build_id=a1a2030405060708090a0b0c0d0e0f1011121314 file=/lib/libc.so.6 time=1
		END
	}
	id=0102030405060708090a0b0c0d0e0f1011121314
	for bytes in $id "$(hex $id)"; do
		maps | stream "000000${bytes}00" >in
		run -1 --separate-stderr pp-scrub -q --verify --keep-unknown --key key in -o out
		[[ "$stderr" == *"has '$id', which"* ]]
	done
	maps | stream 000000a1a2030405060708090a0b0c0d0e0f101112131400 >in
	pp-scrub -q --verify --keep-unknown --key key in -o out
}

@test "what the machine's description says of the host is found, and what is written is the same as without" {
	build >in <<-'END'
		header
		attr id=1
		feature HOSTNAME string "web7.example"
		feature CPUDESC string "a virtual processor of web7"
		feature NRCPUS u32 1 u32 1
		sample pid=7 time=9000 ip=0x10
		round
	END
	run -1 --separate-stderr pp-scrub --verify --key key in -o out
	[[ "$stderr" == *"(HEADER_FEATURE): byte "*"has 'web7', which"* ]]
	pp-scrub -q --key key in -o plain
	cmp out plain
	pp-scrub -q --verify --machine --key key in -o out
}

@test "what pp-scrub writes of recordings has nothing that it replaced" {
	perl "$TESTS/tools/scrub/plant.pl" <"$TESTS/tools/scrub/planted.txt" >text
	perl "$TESTS/build.pl" <text >planted.pipe
	perl "$TESTS/build.pl" <"$TESTS/streams/every.txt" >every.pipe
	for file in planted.pipe every.pipe "$TESTS"/streams/*.pipe; do
		echo "$file"
		pp-scrub -q --verify --key key --drop aux "$file" -o out
	done
}
