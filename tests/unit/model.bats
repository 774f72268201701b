#!/usr/bin/env bats
# model.bats - mechanisms of libpipe/model beside plain models of them.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "names, maps, kin and namespaces of threads are as an array of them has it" {
	unit tasks
}

@test "address spaces that share maps have at each address what an array has" {
	unit space
}
