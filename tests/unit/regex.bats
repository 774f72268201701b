#!/usr/bin/env bats
# regex.bats - regular expressions beside two other matchers.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "a pattern matches what a tree of it and the C library match" {
	unit regex
}
