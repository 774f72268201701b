# program.bash - the program that asks the library for metrics, metric.c.

# build_metric: in setup_file(): makes it, as $METRIC
build_metric() {
	need "${CC:-cc}"
	[ -f "$BIN/flags" ] || skip "the tools are not from a build folder"
	export METRIC=$BATS_FILE_TMPDIR/metric
	built() { sed -n "s/^ *built\.$1 := //p" "$BIN/flags"; }
	local folder=${BIN##*/} # plain, or the names of sanitizers
	[ "$folder" = plain ] && folder= || folder=-fsanitize=${folder//-/,}
	# shellcheck disable=SC2046,SC2086
	$(built CC) $(built CFLAGS) $(built PKG_CFLAGS) $folder -std=gnu11 -D_GNU_SOURCE -DPP_UNSTABLE -I"$ROOT/libpipe/include" \
		-I"$BIN/include" -o "$METRIC" "$TESTS/metric/metric.c" "$BIN/libperfpipe.a" $(built LDFLAGS) $(built PKG_LIBS) -lm
}
