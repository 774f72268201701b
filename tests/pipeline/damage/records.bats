# records.bats - records that are cut, changed or not whole: a clear line with byte and record, the
# right status, and every good record before it delivered.

setup() {
	load ../../helper
	load damage
}

@test "every cut of a stream is told with its byte, and what was whole is delivered" {
	small >in
	records in | cut -d' ' -f1 >starts
	run -0 perl -e '
		local $/;
		open my $list, "<", "starts" or die;
		my @starts = split " ", <$list>;
		my $stream = <STDIN>;
		my $end = length $stream;
		for my $n (16 .. $end) {
			open my $cut, ">:raw", "cut" or die;
			print $cut substr $stream, 0, $n;
			close $cut;
			my $status = system("pp-decompress -i cut -o out 2>messages") >> 8;
			open my $messages, "<", "messages" or die;
			my $said = <$messages> // "";
			my ($from) = grep { $_ <= $n } reverse @starts;
			my $whole = $n == $end || (grep { $_ == $n } @starts[1 .. $#starts]);
			if ($whole) {
				print "cut at $n: status $status\n" if $status || $said ne "";
				$from = $n;
			} else {
				print "cut at $n: status $status\n" if $status != 3;
				print "cut at $n: $said" unless $said =~ /record \d+ at byte $from[ :]/;
			}
			open my $got, "<:raw", "out" or die;
			my $out = <$got>;
			my $good = substr $stream, 0, $from;
			print "cut at $n: good records are missing\n" if index $out, $good;
			print "done\n" if $n == $end;
		}' <in
	assert_output done
}

@test "every changed size of a record ends in status 0 or 3" {
	small >in
	records in | cut -d' ' -f1 >starts
	run -0 perl -e '
		local $/;
		open my $list, "<", "starts" or die;
		my @starts = split " ", <$list>;
		my $stream = <STDIN>;
		for my $at (@starts) {
			my $size = unpack "v", substr $stream, $at + 6, 2;
			for my $wrong (0, 1, 7, 8, 12, 16, 24, $size - 8, $size - 4, $size + 4, $size + 8, 32768, 65528, 65535) {
				my $changed = $stream;
				substr($changed, $at + 6, 2) = pack "v", $wrong;
				open my $out, ">:raw", "changed" or die;
				print $out $changed;
				close $out;
				my $status = system "pp-decompress -i changed -o out 2>messages";
				print "byte $at, size $wrong: status $status\n" if $status && $status != 3 << 8;
				print "byte $at, size $wrong: no message\n" if $status && !-s "messages";
			}
		}
		print "done\n";' <in
	assert_output done
}

@test "a record of size zero ends the stream, and those before it are delivered" {
	build >in <<-'END'
		header
		attr id=1
		sample time=1000
		record 9 0 "" record_size=0
		sample time=2000
	END
	records in >list || true
	at=$(tail -n 1 list | awk '{ print $1 + $4 }')
	refused 3 "record 2 at byte $at (SAMPLE): record is smaller than its own header: need 8 bytes, have 0"
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
}

@test "a stream with nothing behind its header is cut" {
	echo header | build >in
	refused 3 "record 0 at byte 16: the stream is cut: there is no record after its header"
	run -3 --separate-stderr pp-decompress -i out
	[[ "$stderr" =~ "damaged before it came here" ]]
}

@test "another stream behind the first is told, and not read" {
	small >one
	cat one one >in
	refused 3 "at byte $(stat -c %s one): field has a value that cannot be: another stream begins here"
	cmp -n "$(stat -c %s one)" one out
	# and of the other byte order
	sed 's/^header$/header big/' <<<$'header\nattr id=1' | build | cat one - >in
	refused 3 "at byte $(stat -c %s one): field has a value that cannot be: another stream begins here"
}

@test "a tail that claims more than there is, is cut, in little memory" {
	build >in <<-'END'
		header
		attr id=1
		sample time=1000
		record 71 0 0000000000000010000000000000000000000000000000000000000000000000ffffffff00000000
		zeros 3000000
	END
	(
		limit_memory 200000
		refused 3 "(AUXTRACE): the stream ends inside the bytes that follow a record: need 1152921504606846976 bytes, have 3000000"
	)
	# nothing can be said behind half a tail: the next stage sees the cut itself
	same_bytes in out
}

# bats test_tags=nightly
@test "a tail of several megabytes passes in little memory" {
	build >in <<-'END'
		header
		attr id=1
		auxtrace bytes=20000000
		sample time=1000
		tracing bytes=7000000
		sample time=2000
	END
	(
		limit_memory 100000
		pp-decompress -i in -o out
	)
	same_bytes in out
}

@test "a damaged attribute is told, and the rest is delivered" {
	build >in <<-'END'
		header
		attr id=1
		record 64 0 0100000099990000
		sample time=1000
	END
	refused 3 "record 1 at byte 160 (HEADER_ATTR): "
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
	[ "$(records out | grep -c HEADER_ATTR)" -eq 1 ]
}

@test "a record of unknown type passes unchanged" {
	build >in <<-'END'
		header
		attr id=1
		sample time=1000
		record 113 5 00112233445566778899
		record 40000 0 0011
		feature 200 hex 010203
		sample time=2000
	END
	run -0 --separate-stderr pp-decompress -i in -o out
	[ -z "$stderr" ]
	same_bytes in out
}

@test "what perf says at its end into the same pipe is damage behind the records" {
	small >in
	printf '[ perf record: Woken up 1 times to write data ]\n' >>in
	run -3 --separate-stderr pp-decompress -i in -o out
	small >expected
	cmp -n "$(stat -c %s expected)" expected out
}

# ---- recordings of the corpus

@test "the inputs that crashed other readers end in status 0 or 3" {
	corpus fuzz
	local file status
	for file in "$CORPUS"/fuzz/* "$CORPUS"/perf-6.1/{bad,trunc,killed}*; do
		status=0
		(
			limit_memory 400000
			timeout 120 pp-decompress -i "$file" -o out 2>messages
		) || status=$?
		echo "$file: $status"
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
		[ "$status" -eq 0 ] || [ -s messages ]
	done
}

@test "a recorded stream with one record of size zero is read up to it" {
	corpus quipper/perf.data.piped.corrupted.zero_size_sample-3.2
	run -3 --separate-stderr pp-decompress -i "$CORPUS/quipper/perf.data.piped.corrupted.zero_size_sample-3.2" -o out
	[[ "$stderr" =~ "at byte 49104 (SAMPLE): record is smaller than its own header" ]]
	cmp -n 49104 "$CORPUS/quipper/perf.data.piped.corrupted.zero_size_sample-3.2" out
}

@test "a byte too many at the end is told" {
	corpus quipper/perf.data.piped.extrabyte-3.4
	run -3 --separate-stderr pp-decompress -i "$CORPUS/quipper/perf.data.piped.extrabyte-3.4" -o out
	[[ "$stderr" =~ "the stream ends inside a record: need 8 bytes, have 1" ]]
}
