# unit.bash - a program that tries parts of the library alone, with its private headers.

# as_built PROGRAM SOURCE ARGUMENT...: compiles a program as the library was compiled
as_built() {
	built() { sed -n "s/^ *built\.$1 := //p" "$BIN/flags"; }
	local folder=${BIN##*/} # plain, or the names of sanitizers
	[ "$folder" = plain ] && folder= || folder=-fsanitize=${folder//-/,}
	# shellcheck disable=SC2046,SC2086
	$(built CC) $(built CFLAGS) $(built PKG_CFLAGS) $folder -std=gnu11 -D_GNU_SOURCE -DPP_UNSTABLE \
		-I"$ROOT/libpipe" -I"$ROOT/libpipe/include" -I"$BIN/include" -o "$@" \
		"$BIN/libperfpipe.a" $(built LDFLAGS) $(built PKG_LIBS) -liberty -lm
}

# unit NAME [ARG...]: compiles tests/unit/NAME.c, and runs it: it prints what fails
unit() {
	as_built "$1" "$ROOT/tests/unit/$1.c"
	export MALLOC_PERTURB_=165 # what is not cleared shows
	run -0 "./$@"
	[ -z "$output" ]
}
