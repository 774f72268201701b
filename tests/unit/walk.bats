#!/usr/bin/env bats
# walk.bats - the walk over the fields of a record beside records that are laid out without the tables.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "a walk shows each field where it was put, and stays inside whatever bytes" {
	unit walk
}
