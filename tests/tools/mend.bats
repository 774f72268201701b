# mend.bats - pp-mend: what is sound passes as it is, and of what is damaged all that stands
# outside the damage arrives, in a stream that pp-check finds sound.

setup() {
	load ../helper
	load mend/mend
}

# places: ten of them in ./whole, behind what stands at its beginning
places() { perl -e '$n = -s "whole"; print int(16000 + ($n - 26000) * ($_ * 0.0911 + 0.007)), "\n" for 0 .. 9'; }

shapes() {
	printf '%s\n' '' '--no-seal' '--events=3 --callchain=12 --cpus=8 --disorder=2ms' \
		'--tracepoints=2 --stack=200 --no-seal' '--big-endian --forks=2 --exits=2 --lost=3' \
		'-z' '--rounds=0 --samples=500' '--samples=0'
}

@test "sound streams of any shape pass unchanged" {
	shapes >list
	while read -r shape; do
		# shellcheck disable=SC2086
		pp-gen --samples 2000 $shape -o whole
		passes whole
	done <list
}

@test "the recorded streams, and one of every record in either order, pass unchanged" {
	for file in "$TESTS"/streams/*.pipe; do
		passes "$file"
	done
	for text in every newer; do
		build <"$TESTS/streams/$text.txt" >whole
		passes whole
		sed 's/^header$/header big/' "$TESTS/streams/$text.txt" | build >whole
		passes whole
	done
}

@test "records of unknown types, tails and odd sizes pass unchanged" {
	build >whole <<-'END'
		header
		attr id=1
		record 113 5 00112233445566778899
		record 40000 0 0011
		feature 200 hex 010203
		tracing bytes=13 exact
		auxtrace bytes=200000
		sample pid=7 time=1000
		sample pid=7 time=99999999999999
		round
		sample pid=7 time=999999999999999
		record 113 5 00112233445566778899
	END
	passes whole
	pp-compress -i whole -o z
	passes z
	pp-decompress --seal -i z -o sealed
	passes sealed
	pp-compress --format=2 -i whole -o z
	passes z
}

@test "a stream that comes in pieces, through a pipe, passes unchanged" {
	pp-gen --samples 3000 -o whole
	trickle whole 777 | pp-mend >out
	same_bytes whole out
}

@test "what is made of a damaged stream does not depend on the pieces in which it comes" {
	for shape in '--cpus=8 --events=3' '--cpus=8 --no-seal' '-z --cpus=8'; do
		# shellcheck disable=SC2086
		pp-gen --samples 6000 $shape -o whole
		pp-gen -i whole --zero=3000@20000 -o once
		pp-gen -i once --insert=64@40000 -o in
		mends 3
		for size in 777 30100; do
			run -3 bash -c "perl '$TESTS/trickle.pl' in $size | pp-mend -q >other"
			same_bytes out other
		done
	done
}

@test "streams and files of the corpus that are sound pass unchanged" {
	corpus perf-6.1
	local file
	for file in "$CORPUS"/{perf-*,big-endian,quipper,linux-*,v1,simpleperf}/*; do
		[ -f "$file" ] && pp-check -q "$file" 2>/dev/null || continue
		[[ $file == */killed.data ]] || passes "$file"
	done
}

@test "where 64 bytes were inserted all samples beside them arrive" {
	pp-gen --samples 2000 -o whole
	for at in $(places); do
		damaged insert 64 "$at"
		mends 3
		arrives "$at" 0
	done
}

@test "where 4 KiB are zero all samples outside arrive" {
	pp-gen --samples 2000 --events 2 --callchain 6 -o whole
	for at in $(places); do
		damaged zero 4k "$at"
		mends 3
		arrives "$at" 4096
	done
}

@test "where bytes are missing all samples outside arrive, sealed or not, in either order" {
	for shape in --seed=1 --no-seal --big-endian; do
		pp-gen --samples 2000 "$shape" -o whole
		for at in $(places); do
			damaged drop 10001 "$at"
			mends 3
			arrives "$at" 10001
		done
	done
}

@test "of a hole of 1 MB in a large stream all outside arrives, in little memory" {
	pp-gen --samples 100000 -o whole
	damaged drop 1m 2000001
	(
		[[ $BIN == *address* ]] || ulimit -v 120000
		pp-mend -i in -o out || [ "$?" -eq 3 ]
	)
	pp-check -q out
	arrives 2000001 1048576
	damaged zero 1m 3000001
	mends 3
	arrives 3000001 1048576
}

@test "whatever is changed, what is mended is sound" {
	shapes | sed 's/^$/--seed=2/' >list
	while read -r shape; do
		# shellcheck disable=SC2086
		pp-gen --samples 1000 $shape -o whole
		for seed in 1 2 3 4 5 6 7 8; do
			for damage in --damage --flip=3e-4; do
				echo "$shape: $damage $seed"
				pp-gen -i whole "$damage" --seed "$seed" -o in
				pp-mend -q -i in -o out 2>/dev/null || [ "$?" -eq 3 ]
				pp-check -q out || [ ! -s whole ] || [ "$(records out | wc -l)" -eq 0 ]
			done
		done
	done <list
}

@test "perf reads what is mended" {
	need_perf
	pp-gen --samples 2000 -o whole
	damaged zero 4096 50000
	mends 3
	perf_quiet script -i out -F time >times
	[ "$(wc -l <times)" -eq "$(records -s out | wc -l)" ]
	damaged insert 64 70003
	mends 3
	perf_quiet script -i out -F time >times
	[ "$(wc -l <times)" -eq "$(records -s out | wc -l)" ]
	# the feature that perf expands by
	pp-gen -z --samples 2000 -o whole
	damaged zero 32 "$(promise whole | cut -d' ' -f1)"
	mends 3
	perf_quiet script -i out -F time >times
	[ "$(wc -l <times)" -eq 2000 ]
}

@test "what is no stream is refused, and leaves an older output as it was" {
	echo kept >out
	echo 'no stream at all, but text' >in
	run -3 --separate-stderr pp-mend -i in -o out
	[[ "$stderr" =~ "pp-mend: in: not a perf stream: it is text" ]]
	[ "$(cat out)" = kept ]
	run -3 --separate-stderr pp-mend </dev/null
	[[ "$stderr" =~ "the input is empty" ]]
	run -4 --separate-stderr pp-mend -i none
	[[ "$stderr" =~ "pp-mend: none: cannot open: No such file or directory" ]]
	mkdir folder
	run -4 --separate-stderr pp-mend folder
	[[ "$stderr" =~ "pp-mend: folder: cannot read: Is a directory; pp-cat turns a folder" ]]
	run -2 --separate-stderr pp-mend -i in in
}

@test "an output that is full ends it" {
	[ -c /dev/full ] || skip "no /dev/full here"
	pp-gen --samples 2000 -o whole
	run -4 --separate-stderr bash -c 'pp-mend -i whole >/dev/full'
	[[ "$stderr" =~ "cannot write standard output: No space left on device" ]]
}

# many FILE: a sound stream of which some megabytes have to be kept: events with thousands of ids
many() {
	perl -e '
		print "header\n";
		print "attr sample_type=IP,TID,TIME,IDENTIFIER name=event$_ id=",
			join(",", map { $_ + 1 } 7000 * $_ .. 7000 * $_ + 6999), "\n" for 0 .. 39;
		print "event_update id=", 7000 * $_ + 1, " name=", "n" x 60000, "\n" for 0 .. 39;
		print "repeat 2000 {\nsample pid=7 time=\$(i*10+1000) ip=0x1000 id=\$(i*100+1)\n}\nround\n"' | build >"$1"
}

# bats test_tags=nightly
@test "without memory a sound stream is never taken for a damaged one" {
	need prlimit
	[[ $BIN != *address* ]] || skip "a sanitizer needs more than any limit"
	many in
	pp-mend -i in -o whole
	same_bytes in whole
	local megabytes statuses=
	for ((megabytes = 3; megabytes < 48; megabytes++)); do
		rm -f out
		status=0
		prlimit --as=$((megabytes << 20)) pp-mend -i in -o out 2>err || status=$?
		# so little that not even the loader runs
		[ "$status" -ne 127 ] || continue
		statuses+="$status "
		echo "$megabytes MB: $status $(head -n 1 err)"
		case $status in
		0) same_bytes in out ;;
		4)
			[ ! -e out ]
			grep -q "memory" err
			;;
		*) false ;;
		esac
	done
	[[ $statuses == *"4 "*"0 " ]]
}

# bats test_tags=T3-A2
@test "what pp-symbol added is sound, in either byte order, and damage beside it costs only itself" {
	found mend-named.pipe
	cp "$FOUND/mend-named.pipe" named
	pp-cat --big-endian named -o big
	for in in named big; do
		run -0 --separate-stderr pp-mend -i $in -o out
		[ -z "$stderr" ]
		same_bytes $in out
	done
	# what a names record says may be altered: no sample is lost by that
	{ head -c 5564 named; printf '\377\377\377\377'; tail -c +5569 named; } >hurt
	run -3 --separate-stderr pp-mend -i hurt -o out
	[[ "$stderr" == *"altered somewhere"*" 59 samples saved"* ]]
}
