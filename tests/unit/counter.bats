#!/usr/bin/env bats
# counter.bats - reading counters as only a machine with counters on its CPU could show it: pages and
# reads that are made up.  No kernel is asked.

bats_require_minimum_version 1.5.0

setup() {
	load ../helper
	load unit
}

@test "a thread reads its own counters from a page that changes meanwhile; errors are told from zeros" {
	unit counter
}
