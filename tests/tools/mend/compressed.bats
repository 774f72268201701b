# compressed.bats - pp-mend of compressed streams: damage is lost up to the next frame, and wrong
# sizes are put right.

setup() {
	load ../../helper
	load mend
}

@test "damage in compressed data is lost up to the next frame, and what follows arrives plain" {
	for first in 1 2; do
		{
			echo header
			echo 'attr id=1'
			echo 'feature COMPRESSED'
			for i in 1 2 3; do
				echo 'compressed {'
				echo 'repeat 100 {'
				echo "sample pid=7 time=\$(i*10+${i}0000) ip=0x1000"
				echo '}'
				echo '}'
				echo round
			done
		} | build >in
		# the beginning of that frame
		at=$(records in | awk -v n="$first" '$2 == "COMPRESSED" && ++k == n { print $1 + 8 }')
		perl -e 'local $/; $_ = <STDIN>; substr($_, $ARGV[0], 20) = "\xff" x 20; print' "$at" <in >damaged
		mv damaged in
		mends 3
		[[ "$stderr" =~ "(COMPRESSED): cannot be expanded" ]]
		[ "$(json out | grep -c '"type":"SAMPLE"')" -ge 200 ]
		[ "$(json out | grep -c '"type":"FINISHED_ROUND"')" -ge 3 ]
		# the feature stands there if anything is compressed
		[ "$(records out | grep -c COMPRESSED)" -eq "$(promise out | wc -l)" ]
	done
}

@test "where the feature COMPRESSED is lost, what is compressed leaves plain" {
	for order in '' --big-endian; do
		# shellcheck disable=SC2086
		pp-gen -z --samples 2000 $order -o whole
		read -r at size <<<"$(promise whole)"
		damaged zero "$size" "$at"
		mends 3
		pp-check -q --strict out
		[ "$(records -s out | wc -l)" -eq 2000 ]
	done
	# a file has its features at the end
	pp-gen -z --samples 2000 | pp-save -o whole
	head -c -40 whole >in
	mends 3
	[ "$(records -s out | wc -l)" -eq 2000 ]
}

@test "a compressed record that ends inside a record does not keep those before it from arriving" {
	build >in <<-'END'
		header
		attr id=1
		feature COMPRESSED
		compressed split=40 {
		repeat 50 {
		sample pid=7 time=$(i*10+1000) ip=0x1000
		}
		bytes 0900000002004000aabb
		}
		round
	END
	run -3 pp-check -q in
	mends 3
	[ "$(json out | grep -c '"type":"SAMPLE"')" -eq 50 ]
}

@test "chains of COMPRESSED2 with the sizes that perf 6.16 gave them are put right, and nothing is lost" {
	build >plain <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER
	END
	size=$(stat -c %s plain)
	perl -e 'srand 1; for my $i (0 .. 59) { printf "sample pid=7 time=%d ip=0x1000 raw=%s\n", 1000 + $i,
		join "", map { sprintf "%02x", rand 256 } 1 .. 4004 }' >samples
	{ echo header; echo 'attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,RAW,IDENTIFIER'; cat samples; } | build >whole
	need zstd
	tail -c +$((size + 1)) whole | zstd -q -c --no-check >frame
	bad_chain <frame >chain
	printf 'round\n' | build >round
	cat plain chain round >in
	mends 0
	[[ "$stderr" =~ "COMPRESSED2 records of perf 6.16 to 7.1 put right" ]]
	# each of them by itself is as it should be now
	records out | awk '$2 == "COMPRESSED2" { n++; bad += $4 % 8 } END { exit !(n > 3 && !bad) }'
	pp-decompress -i out -o expanded
	cmp -n "$(stat -c %s whole)" whole expanded
}
