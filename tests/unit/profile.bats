#!/usr/bin/env bats
# profile.bats - mechanisms of libpipe/profile that no tool shows.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

# bats test_tags=T3-B14
@test "a call is found in few steps, however many names there are, and again after what finds it was freed" {
	unit calls
}

# bats test_tags=T3-B8
@test "of addresses as many are kept as 32 MB hold, and the newest are always there" {
	unit addresses
}

@test "cells of a page are what its samples add up to, in whatever order these come" {
	unit timeline
}
