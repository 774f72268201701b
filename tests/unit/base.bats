#!/usr/bin/env bats
# base.bats - mechanisms of libpipe/base that no tool can bring to their limits: a program that tries
# them alone.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

@test "arrays, buffers, maps, sets, budgets and heaps hold what their headers say" {
	built() { sed -n "s/^ *built\.$1 := //p" "$BIN/flags"; }
	local folder=${BIN##*/} # plain, or the names of sanitizers
	[ "$folder" = plain ] && folder= || folder=-fsanitize=${folder//-/,}
	# shellcheck disable=SC2046,SC2086
	$(built CC) $(built CFLAGS) $(built PKG_CFLAGS) $folder -std=gnu11 -D_GNU_SOURCE -I"$ROOT/libpipe" \
		-I"$ROOT/libpipe/include" -I"$BIN/include" -o base "$ROOT/tests/unit/base.c" \
		"$BIN/libperfpipe.a" $(built LDFLAGS) $(built PKG_LIBS)
	export MALLOC_PERTURB_=165 # what is not cleared shows
	run -0 ./base
	[ -z "$output" ]
}
