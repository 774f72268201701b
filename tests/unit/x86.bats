#!/usr/bin/env bats
# x86.bats - instructions of x86-64: what the decoder says of them alone, and their lengths beside objdump's.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "instructions of x86-64 have the operands and effects that the manual gives them" {
	unit x86
}

@test "instructions of x86-64 are as long as objdump has them, in all of a C library" {
	local library
	need objdump
	library=$(ldd "$BIN/pp-dump" | sed -n 's/.*=> \(.*libc\.so\.6\) .*/\1/p')
	[ -n "$library" ] || skip "no C library is mapped"
	[ "$(uname -m)" = x86_64 ] || skip "its instructions are those of another machine"
	# data between functions is no instruction, and some of it begins as one
	objdump -d --insn-width=16 "$library" |
		perl -F'\t' -lane 'next if @F < 3 || $F[2] =~ /\(bad\)|^rex|^data16$|^\.byte/;
			$F[1] =~ tr/ //d; print $F[1], " ", length($F[1]) / 2' >lengths
	[ "$(wc -l <lengths)" -gt 1000 ]
	unit x86
}
