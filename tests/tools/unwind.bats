#!/usr/bin/env bats
# unwind.bats - pp-unwind: what becomes of attributes and samples, whatever the stacks hold.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unwind/stacks
}

# stacks: a stream of samples with registers and stacks in which nothing is mapped: frame pointers lead
# from 0x1000 to 0x2000 and 0x3000, where they end
stacks() {
	build <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER,IDENTIFIER flags=sample_id_all,exclude_callchain_user sample_regs_user=0x1c0 sample_stack_user=${3:-64} config=0
		feature ARCH string "x86_64"
		comm pid=7 comm=nginx time=500
		mmap2 pid=7 start=0x1000 len=0x4000 pgoff=0 file=//anon prot=7 time=600
		sample pid=7 time=1000 ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000000 regs_user=2:0x8010,0x8000,0x1000 stack_user=0000000000000000000000000000000020800000000000000020000000000000000000000000000000300000000000000000000000000000000000000000000000:64
		sample pid=7 time=1100 ip=0x1000 callchain= regs_user=0:
		round
		sample pid=7 time=1200 ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000000,0xfffffffffffffe00,0x1234 regs_user=2:0x8010,0x8000,0x1000 stack_user=0000000000000000000000000000000020800000000000000020000000000000000000000000000000300000000000000000000000000000000000000000000000:64
		round
	END
}

plain() { build <<-'END'
	header
	attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER
	comm pid=7 comm=nginx time=500
	sample pid=7 time=1000 ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000000
	round
	END
}

# deferred: samples of two threads whose user chains come later, one within the round, one never
deferred() { build <<-'END'
	header
	attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,IDENTIFIER flags=sample_id_all,defer_callchain,defer_output
	comm pid=7 comm=nginx time=500
	sample pid=7 time=1000 ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000000,0xfffffffffffffd80,99
	sample pid=7 time=1010 ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000010,0xfffffffffffffd80,99
	sample pid=8 time=1020 ip=0x1000 callchain=0xffffffffffffff80,0xffffffff81000020,0xfffffffffffffd80,99
	callchain_deferred cookie=99 ips=0xfffffffffffffe00,0x4000,0x5000 time=1030 s_pid=7 s_tid=7
	round
	END
}

chains() { json "$1" | jq -c 'select(.type == "SAMPLE") | .fields.callchain // []'; }

@test "stacks become chains: the kernel's part, a mark, and callers less 1" {
	stacks >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "$stderr" = "pp-unwind: in: 2 stacks: 2 complete" ]
	chains out >found
	cat >wanted <<-'END'
		["0xffffffffffffff80","0xffffffff81000000","0xfffffffffffffe00","0x1000","0x1fff","0x2fff"]
		[]
		["0xffffffffffffff80","0xffffffff81000000","0xfffffffffffffe00","0x1000","0x1fff","0x2fff"]
	END
	diff wanted found
	sound out
}

@test "attributes say that registers and stacks are gone, and a note whose chains are made" {
	stacks >in
	pp-unwind -q -i in -o out
	json out | jq -c 'select(.type == "HEADER_ATTR") | .fields.attr |
		[.sample_type, .sample_regs_user, .sample_stack_user, .flags.exclude_callchain_user // 0]' >found
	[ "$(cat found)" = '["0x10027","0x0",0,0]' ] || { cat found; false; }
	pp-dump --headers out | grep -qx '# note : unwound.0 = 1'
}

@test "a stream without stacks passes unchanged, and that is said" {
	plain >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "$stderr" = "pp-unwind: in: no sample has user registers and a stack: passed unchanged" ]
	same_bytes in out
}

@test "what is unwound stays as it is when it is unwound again" {
	stacks >in
	pp-unwind -q in >once
	pp-unwind -q once >twice
	same_bytes once twice
}

@test "--keep leaves registers and stacks in, and from these come the same chains" {
	stacks >in
	pp-unwind -q --keep in >kept
	pp-unwind -q in >out
	pp-unwind -q kept >again
	same_bytes out again
	pp-unwind -q --keep kept >twice
	same_bytes kept twice
	[ "$(json kept | grep -c '"stack_user"')" -eq 3 ]
	sound kept
}

@test "--max-stack ends chains" {
	stacks >in
	run -0 --separate-stderr pp-unwind --max-stack 2 -i in -o out
	[ "$stderr" = "pp-unwind: in: 2 stacks: 2 ended by --max-stack" ]
	chains out | head -n 1 | grep -q '"0x1fff"\]$'
	run -2 pp-unwind --max-stack 0 in
}

# short SP [VALID [SIZE]]: a stack of which the kernel copied VALID (16) of 64 bytes, or of SIZE as the event says, and a frame pointer that is beyond them
short() { build <<-END
	header
	attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,REGS_USER,STACK_USER flags=sample_id_all sample_regs_user=0x1c0 sample_stack_user=${3:-64} config=0
	feature ARCH string "x86_64"
	mmap2 pid=7 start=0x1000 len=0x4000 pgoff=0 file=//anon prot=7 time=600
	sample pid=7 time=1000 ip=0x1000 callchain= regs_user=2:0x9010,$1,0x1000 stack_user=$(printf '%0128d' 0):${2:-16}
	round
	END
}

@test "a copy that ends with a page is told from a pointer that leads nowhere" {
	short 0x8ff0 >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "$stderr" = "pp-unwind: in: 1 stack: 1 truncated at a page that was not in memory" ]
	short 0x8fe8 >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "$stderr" = "pp-unwind: in: 1 stack: 1 in code without a file" ]
}

# bats test_tags=T3-E6
@test "stacks that are larger than their copies are counted, and a size that may do is named" {
	short 0x8f80 64 8192 >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "${stderr_lines[0]}" = "pp-unwind: in: 1 stack: 1 truncated" ]
	[ "${stderr_lines[1]}" = "pp-unwind: in: 8 KiB of stack is not enough: record with --call-graph dwarf,32768" ]
	short 0x8f80 64 32768 >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[[ ${stderr_lines[1]} == *": 32 KiB of stack is not enough: record with --call-graph dwarf,65528" ]]
	short 0x8f80 64 65528 >in # more cannot be had
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "${#stderr_lines[@]}" -eq 1 ]
}

@test "--json counts stacks by their end, and files" {
	stacks >in
	run -0 --separate-stderr pp-unwind --json -i in -o out
	[ "$(jq -s -c 'map(.stacks // .schema)' <<<"$stderr")" = '["perfpipe.unwind/1",2]' ]
	jq -s -e '.[1].properly == 2 and .[1].frames == 6' <<<"$stderr"
}

@test "deferred chains are joined by cookie and thread, and stay while a sample still waits" {
	deferred >in
	run -0 --separate-stderr pp-unwind -i in -o out
	[ "$stderr" = "pp-unwind: in: 2 deferred call chains joined, 1 came too late" ]
	chains out >found
	cat >wanted <<-'END'
		["0xffffffffffffff80","0xffffffff81000000","0xfffffffffffffe00","0x4000","0x5000"]
		["0xffffffffffffff80","0xffffffff81000010","0xfffffffffffffe00","0x4000","0x5000"]
		["0xffffffffffffff80","0xffffffff81000020","0xfffffffffffffd80","0x63"]
	END
	diff wanted found
	json out >lines
	run -1 grep CALLCHAIN_DEFERRED lines
	sound out
}

# bats test_tags=T3-E4
@test "of a compressed stream come the same chains, also those that came later, and with --keep" {
	stacks >stacks
	deferred >deferred
	for which in stacks deferred; do
		pp-compress -q $which -o $which.z
		for options in '' --keep; do
			pp-unwind -q $options $which >due
			pp-unwind -q $options $which.z | cmp - due
		done
	done
}

@test "the other byte order, any chunking and a file give the same chains" {
	stacks >in
	pp-unwind -q in >out
	trickle in 1 | pp-unwind -q >trickled
	same_bytes out trickled
	pp-save -i in -o in.data
	chains out >wanted
	pp-unwind -q in.data | chains - >found
	diff wanted found
}

# machine ARCH MASK REGS ORDER WORDS...: a stream of that machine, in that order (Q> is big-endian)
machine() { one_stack "$1" "$4" 'start=0x1000 len=0x4000 pgoff=0 file=//anon prot=7' "$2" 0x1000 "2:$3" "${@:5}"; }

@test "other processors, in either byte order: leaves by their register, signed addresses" {
	# of aarch64 x29, lr with a signature, sp, pc; of riscv64 pc, ra, sp, s0; of ppc64 r1, nip, lr
	machine aarch64 0x1e0000000 0x8010,0x2a000000002000,0x8000,0x1000 'Q<' 0 0 0 3000 0 0 0 0 >arm
	machine aarch64 0x1e0000000 0x8010,0x2a000000002000,0x8000,0x1000 'Q>' 0 0 0 3000 0 0 0 0 >arm-big
	machine riscv64 0x107 0x1000,0x2000,0x8000,0x8020 'Q<' 0 0 0 3000 0 0 0 0 >riscv
	machine ppc64 0x1100000002 0x8000,0x1000,0x2000 'Q>' 8010 0 0 0 3000 0 0 0 >ppc
	machine ppc64le 0x1100000002 0x8000,0x1000,0x2000 'Q<' 8010 0 0 0 3000 0 0 0 >ppc-little
	for stream in arm arm-big riscv ppc ppc-little; do
		run -0 --separate-stderr pp-unwind -i "$stream" -o out
		[ "$stderr" = "pp-unwind: $stream: 1 stack: 1 complete" ]
		[ "$(chains out)" = '["0xfffffffffffffe00","0x1000","0x1fff","0x2fff"]' ]
	done
}

@test "every cut ends in 0 or 3" {
	stacks >in
	local size status
	size=$(stat -c %s in)
	for ((at = 17; at < size; at += 13)); do
		head -c $at in >cut
		status=0
		pp-unwind -q <cut >out 2>/dev/null || status=$?
		[ $status -eq 0 ] || [ $status -eq 3 ]
	done
}
