#!/usr/bin/env bats
# export.bats - mechanisms of libpipe/export that no tool shows.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "what is deflated is inflated again, with ISA-L and without it" {
	unit deflaters
	mkdir hidden
	: >hidden/libisal.so.2
	LD_LIBRARY_PATH=$PWD/hidden unit deflaters
}
