#!/usr/bin/env bats
# machines.bats - pp-unwind by the rules of a file, for each processor and byte order, from made
# programs and made stacks: what no machine at hand can record.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load stacks
}

# elf MACHINE SECTION SP FP RA WORD BEGIN...: a program of three functions; the first is a leaf, with
# rules BEGIN, the second moves the stack pointer, the third uses a frame pointer and is the outermost
elf() {
	local machine=$1 section=$2 sp=$3 fp=$4 ra=$5 word=$6
	shift 6
	perl "$TESTS/elf.pl" <<-END
		machine $machine
		section $section
		cie ra=$ra data=-$word def_cfa:$sp:0
		fde at=0x1000 size=0x40 $*
		fde at=0x1040 size=0x40 advance_loc:2 def_cfa_offset:$((4 * word)) offset_extended:$ra:1 offset:$fp:2 advance_loc:20 remember_state def_cfa_offset:0 restore:$fp advance_loc:2 restore_state
		fde at=0x1080 size=0x40 def_cfa:$fp:$((2 * word)) undefined:$ra
	END
}

# recording ARCH ORDER ABI MASK REGS WORD...: one sample of that program, whose path is $PWD/prog
recording() {
	one_stack "$1" "$2" "start=0x401000 len=0x4000 pgoff=0x1000 file=\"$PWD/prog\" prot=5" "$4" 0x401010 \
		"$3:$5" "${@:6}"
}

chain() { json "$1" | jq -c 'select(.type == "SAMPLE") | .fields.callchain // []'; }

# three FILE: its sample is in the first function, called by the second, called by the third
three() {
	run -0 --separate-stderr pp-unwind --root / -i "$1" -o out
	[ "$stderr" = "pp-unwind: $1: 1 stack: 1 complete" ]
	[ "$(chain out)" = '["0xfffffffffffffe00","0x401010","0x40104f","0x40108f"]' ]
}

# with a link register: rules of sections SP FP RA WORD, and a recording of which the stack is the rest
linked() {
	local machine=$1 numbers=$2 leaf=$3 arch=$4 order=$5
	shift 5
	for section in .eh_frame .debug_frame '.debug_frame packed'; do
		# shellcheck disable=SC2086
		elf "$machine" "$section" $numbers $leaf >prog
		recording "$arch" "$order" "$@" 1 2 8040 401090 0 0 0 0 >in
		three in
	done
}

@test "x86_64 and i386: the return address is on the stack" {
	for section in .eh_frame .debug_frame '.debug_frame packed'; do
		elf x86_64 "$section" 7 6 16 8 def_cfa_offset:8 offset:16:1 >prog
		recording x86_64 'Q<' 2 0x1c0 0x1234,0x8000,0x401010 401050 1 2 8040 401090 0 0 0 >in
		three in
		elf i386 "$section" 4 5 8 4 def_cfa_offset:4 offset:8:1 >prog
		for arch in x86_64 i686; do
			recording $arch 'L<' 1 0x1c0 0x1234,0x8000,0x401010 401050 1 2 8040 401090 0 0 0 >in
			three in
		done
	done
}

@test "aarch64, in either byte order: return addresses are signed, in the register and on the stack" {
	local order
	for big in '' ' big'; do
		order=${big:+Q>}
		for section in .eh_frame .debug_frame; do
			elf "aarch64$big" $section 31 29 30 8 negate_ra_state >prog
			recording aarch64 "${order:-Q<}" 2 0x1e0000000 0x1234,0x2a000000401050,0x8000,0x401010 \
				1 2 8040 37000000401090 0 0 0 0 >in
			three in
		done
	done
}

@test "arm, in either byte order, and under aarch64" {
	linked arm '13 11 14 4' nop armv7l 'L<' 1 0xe800 0x1234,0x8000,0x401050,0x401010
	linked 'arm big' '13 11 14 4' nop armv7b 'L>' 1 0xe800 0x1234,0x8000,0x401050,0x401010
	linked arm '13 11 14 4' nop aarch64 'L<' 1 0x1c0000800 0x1234,0x401050,0x8000,0x401010
}

@test "riscv64" {
	linked riscv64 '2 8 1 8' nop riscv64 'Q<' 2 0x107 0x401010,0x401050,0x8000,0x1234
}

@test "ppc64, in either byte order" {
	linked ppc64 '1 31 65 8' nop ppc64le 'Q<' 2 0x1180000002 0x8000,0x1234,0x401010,0x401050
	linked 'ppc64 big' '1 31 65 8' nop ppc64 'Q>' 2 0x1180000002 0x8000,0x1234,0x401010,0x401050
}

@test "s390x: a leaf keeps r11 in a floating-point register" {
	linked 's390x big' '15 11 14 8' register:11:16 s390x 'Q>' 2 0x20001c800 \
		0x1234,0x401050,0x8000,0x77,0x401010
}

@test "expressions, in either byte order: where the caller's frame is, where a register is, what it is" {
	# what is made of the frame pointer by the first is all that the second has
	local order='Q<' sixteen=1000
	for big in '' ' big'; do
		[ -z "$big" ] || { order='Q>' sixteen=0010; }
		perl "$TESTS/elf.pl" <<-END >prog
			machine aarch64$big
			section .eh_frame
			cie ra=30 def_cfa:31:0
			fde at=0x1000 size=0x40 val_expression:29:8f18
			fde at=0x1040 size=0x40 def_cfa_expression:8d08 expression:30:381c expression:29:0a${sixteen}1c
			fde at=0x1080 size=0x40 def_cfa:29:16 undefined:30
		END
		recording aarch64 $order 2 0x1e0000000 0x1234,0x401050,0x8000,0x401010 1 2 8040 401090 0 0 0 0 >in
		three in
	done
}

@test "a rule for a register that the processor does not have is passed over" {
	elf x86_64 .eh_frame 7 6 16 8 def_cfa_offset:8 offset:16:1 offset_extended:1000000:3 offset:40:2 >prog
	recording x86_64 'Q<' 2 0x1c0 0x1234,0x8000,0x401010 401050 1 2 8040 401090 0 0 0 >in
	three in
}

@test "a file of another processor has no rules, and that is said" {
	elf aarch64 .eh_frame 31 29 30 8 nop >prog
	recording x86_64 'Q<' 2 0x1c0 0x1234,0x8000,0x401010 401050 1 2 8040 401090 0 0 0 >in
	run -0 --separate-stderr pp-unwind --root / -i in -o out
	[ "$stderr" = "pp-unwind: in: 1 stack: 1 without unwind information" ]
}

# hostile NAME: a program whose rules are the lines of standard input, and a stack in it: pp-unwind ends, and so
# does the stack
hostile() {
	perl "$TESTS/elf.pl" >prog
	recording x86_64 'Q<' 2 0x1c0 0x1234,0x8000,0x401010 401050 1 2 8040 401090 0 0 0 >in
	run -0 --separate-stderr "${limits[@]}" pp-unwind --root / -i in -o out
	[[ $stderr == "pp-unwind: in: 1 stack: 1 "* ]] || { echo "$1: $stderr"; false; }
}

# bats test_tags=nightly
@test "hostile: rules that never end, lead to themselves, or are as long as they please" {
	need prlimit
	local limits=(timeout 60 prlimit --as=1000000000)
	# sanitizers have memory of their own
	! sanitized || limits=(timeout 60)
	local begin='cie ra=16 data=-8 def_cfa:7:8 offset:16:1' fde='fde at=0x1000 size=0x40'
	for section in .eh_frame .debug_frame; do
		head="machine x86_64
section $section"
		hostile 'a length without end' <<-END
			$head
			raw ffffffff
		END
		hostile 'a length of 64 bits without end' <<-END
			$head
			raw ffffffffffffffffffffff7f
		END
		hostile 'an entry that is its own rules' <<-END
			$head
			raw 140000000400000000000000000000000000000000000000
		END
		hostile 'entries of nothing' <<-END
			$head
			raw $(perl -e 'print "00000000" x 20000')
		END
		hostile 'an expression that jumps back to itself' <<-END
			$head
			$begin
			$fde def_cfa_expression:2ffdff
		END
		hostile 'a place that jumps back to itself' <<-END
			$head
			$begin
			$fde expression:6:2ffdff val_expression:16:2ffdff
		END
		hostile 'an expression that pushes without end' <<-END
			$head
			$begin
			$fde def_cfa_expression:122ffcff
		END
		hostile 'states that are remembered without end' <<-END
			$head
			$begin
			$fde $(perl -e 'print "remember_state " x 60000')
		END
		hostile 'states that are restored and never were remembered' <<-END
			$head
			$begin
			$fde $(perl -e 'print "restore_state " x 60000')
		END
		hostile 'steps that go on without end' <<-END
			$head
			$begin
			$fde $(perl -e 'print "advance_loc4:0xffffffff def_cfa_offset:16 " x 30000')
		END
		hostile 'many functions at one place' <<-END
			$head
			$begin
			$(for i in $(seq 3000); do echo "$fde def_cfa_offset:$i"; done)
		END
		hostile 'a block that is longer than its entry' <<-END
			$head
			$begin
			$fde def_cfa_expression:$(perl -e 'print "96" x 50')
			raw 0fffffffff7f
		END
	done
}

@test "hostile: a frame that is its own caller ends" {
	# the return address and the stack pointer stay what they are
	perl "$TESTS/elf.pl" <<-END >prog
		machine x86_64
		section .eh_frame
		cie ra=16 data=-8 def_cfa:7:0 same_value:16
		fde at=0x1000 size=0x40 def_cfa:7:0
	END
	recording x86_64 'Q<' 2 0x1c0 0x1234,0x8000,0x401010 401010 401010 401010 401010 0 0 0 0 >in
	run -0 --separate-stderr timeout 100 pp-unwind --root / -i in -o out
	[[ $stderr == "pp-unwind: in: 1 stack: "* ]]
	[ "$(chain out | jq length)" -lt 130 ]
}
