#!/usr/bin/env bats
# base.bats - mechanisms of libpipe/base that no tool can bring to their limits: a program that tries
# them alone.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "arrays, buffers, maps, sets, budgets, heaps and texts hold what their headers say" {
	unit base
}

@test "what is found by hash is what a list has, and stays so where memory ends" {
	unit index
}
