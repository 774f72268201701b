#!/usr/bin/env bats
# order.bats - mechanisms of libpipe/order beside plain models of them.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "rounds release what a list of all that is held would, in its order" {
	unit rounds
}

@test "what is held keeps its bytes and its tail until it is taken out, in bounded memory" {
	unit hold
}
