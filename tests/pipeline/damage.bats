#!/usr/bin/env bats
# damage.bats - bad input: a clear line with byte and record, the right status, and every good
# record before it delivered.

bats_require_minimum_version 1.5.0

setup() { load ../helper; }

small() {
	build <<-'END'
		header
		attr id=1
		comm pid=7 comm=nginx
		sample pid=7 time=1000
		round
		auxtrace bytes=24
		sample pid=7 time=2000
		feature HOSTNAME string "a-host"
		mmap2 pid=7 start=0x1000 len=0x1000 file=/bin/true time=2500
		round
	END
}

# refused STATUS TEXT: pp-decompress of ./in ends so, and says this
refused() {
	run "-$1" --separate-stderr pp-decompress -i in -o out
	[[ "$stderr" =~ ^"pp-decompress: " ]]
	[[ "$stderr" =~ "$2" ]]
}

# The sanitizers' own shadow memory is no measure.
limit_memory() { grep -q __asan_init "$BIN/pp-dump" || ulimit -v "$1"; }

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

@test "what is no stream is named" {
	: >in
	refused 3 "not a perf stream: the input is empty"
	printf 'hello, world, this is text\n' >in
	refused 3 "not a perf stream: it is text"
	printf 'hello' >in
	refused 3 "not a perf stream: it is text"
	gzip -c "$TESTS/build.pl" >in
	refused 3 "not a perf stream: it is gzip data"
	cp "$(command -v pp-decompress)" in
	refused 3 "not a perf stream: it is an ELF file"
	head -c 100 /dev/zero >in
	refused 3 "not a perf stream: it does not begin with PERFILE2"
	printf 'PERFILE2\x68\0\0\0\0\0\0\0 and so on' >in
	refused 3 "the file ends before its header is whole: need 72 bytes"
	printf '2ELIFREP\0\0\0\0\0\0\0\x68 and so on' >in
	refused 3 "the file ends before its header is whole: need 72 bytes"
	printf 'PERFILE2\x11\0\0\0\0\0\0\0 and so on' >in
	refused 3 "header of 17 bytes"
	printf 'PERFILE2\x10' >in
	refused 3 "need 16 bytes, have 9"
	small | tail -c +17 >in
	refused 3 "its first 16 bytes, the header, are missing"
	[ ! -e out ]
}

@test "a directory and a file that is not there are the system's to refuse" {
	mkdir in
	refused 4 "cannot read: Is a directory"
	rmdir in
	refused 4 "cannot open: No such file or directory"
}

@test "an input that is no stream leaves an older output as it was" {
	echo kept >out
	echo no stream >in
	run -3 pp-decompress -i in -o out
	[ "$(cat out)" = kept ]
}

@test "an output that is full ends the run" {
	[ -c /dev/full ] || skip "no /dev/full here"
	small >in
	run -4 --separate-stderr bash -c 'pp-decompress -i in >/dev/full'
	[[ "$stderr" =~ "cannot write standard output: No space left on device" ]]
	pp-decompress --seal -i in -o sealed
	run -4 --separate-stderr bash -c 'pp-compress -i sealed >/dev/full'
	[[ "$stderr" =~ "cannot write standard output: No space left on device" ]]
}

@test "a reader that goes away ends the stage quietly" {
	build >in <<-'END'
		header
		attr id=1
		auxtrace bytes=8000000
		sample time=1000
	END
	run -0 --separate-stderr bash -c 'pp-decompress -i in | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}"'
	assert_output 141
	[ -z "$stderr" ]
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

@test "what cannot be expanded is told, and the rest is delivered" {
	build >in <<-'END'
		header
		attr id=1
		feature COMPRESSED
		record 81 0 0011223344556677
		record 81 0 8899aabbccddeeff
		round
		compressed {
		sample time=1000
		}
		round
	END
	refused 3 "(COMPRESSED): cannot expand: "
	[ "$(grep -c 'cannot expand' <<<"$stderr")" -eq 1 ]
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
	[ "$(records out | grep -c 'FINISHED_ROUND 0 8 ')" -eq 2 ]
}

@test "a COMPRESSED2 that claims more than it has is told, and the rest is delivered" {
	build >in <<-'END'
		header
		attr id=1
		record 83 0 110000000000000028b52ffd00000000
		sample time=1000
	END
	refused 3 "(COMPRESSED2): field has a value that cannot be: more compressed bytes than the record has"
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
}

@test "a record that lies in compressed ones and is not whole is cut" {
	build >in <<-'END'
		header
		attr id=1
		compressed {
		sample time=1000
		bytes 0900000002004000aabb
		}
		round
	END
	refused 3 "(COMPRESSED): the stream ends inside a record: its contents end too early: need 64 bytes, have 10"
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
}

@test "a record of size zero among compressed ones ends the stream" {
	build >in <<-'END'
		header
		attr id=1
		compressed {
		sample time=1000
		zeros 64
		}
		sample time=2000
	END
	refused 3 "(COMPRESSED): record is smaller than its own header: need 8 bytes, have 0"
	[ "$(records out | grep -c SAMPLE)" -eq 1 ]
}

@test "a bomb of zeros is expanded in little memory" {
	build >in <<-'END'
		header
		attr id=1
		compressed {
		repeat 40 {
		bytes 7100000000000880
		zeros 32768
		zeros 32768
		}
		}
	END
	# 113 of size 32776, then zeros: a record that is too small
	(
		limit_memory 100000
		refused 3 "record is smaller than its own header"
	)
}

@test "what perf says at its end into the same pipe is damage behind the records" {
	small >in
	printf '[ perf record: Woken up 1 times to write data ]\n' >>in
	run -3 --separate-stderr pp-decompress -i in -o out
	small >expected
	cmp -n "$(stat -c %s expected)" expected out
}

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

# ---- what an error says

@test "an error says nothing of what was in its place before" {
	need "${CC:-cc}"
	[ -f "$BIN/flags" ] || skip "the tools are not from a build folder"
	cat >errors.c <<-'END'
		#include <errno.h>
		#include <stdio.h>
		#include <perfpipe/perfpipe.h>

		static struct pp_error error;

		static void say(int failed)
		{
			char text[512];

			pp_error_text(&error, text, sizeof(text));
			printf("%d %d %d %s\n", failed, error.fatal, error.output, text);
			memset(&error, 0xff, sizeof(error));
		}

		int main(void)
		{
			uint8_t half[] = { 9, 0, 0, 0, 0, 0, 32, 0, 1, 2, 3, 4 };
			struct pp_record record;

			memset(&error, 0xff, sizeof(error));
			say(pp_fail(&error, PP_E_NOMEM, NULL));
			say(pp_fail(&error, PP_E_VALUE, "a %d", 7));
			errno = ENOSPC;
			say(pp_fail_os(&error, "cannot put records aside"));
			errno = EIO;
			say(pp_fail_output(&error));
			say(pp_record_at(&record, half, 4, &error));
			say(pp_record_at(&record, half, sizeof(half), &error));
			say(pp_reader_open("/no/such", NULL, &error) ? 0 : -1);
			pp_fail(&error, PP_E_FIELD, NULL);
			pp_error_at(&error, 4948, 44, PP_REC_MMAP2);
			say(pp_error_room(&error, "filename", 120, 52));
			return 0;
		}
	END
	built() { sed -n "s/^ *built\.$1 := //p" "$BIN/flags"; }
	local folder=${BIN##*/} # plain, or the names of sanitizers
	[ "$folder" = plain ] && folder= || folder=-fsanitize=${folder//-/,}
	# shellcheck disable=SC2046,SC2086
	$(built CC) $(built CFLAGS) $(built PKG_CFLAGS) $folder -D_GNU_SOURCE -I"$ROOT/libpipe/include" -I"$BIN/include" -o errors errors.c \
		"$BIN/libperfpipe.a" $(built LDFLAGS) $(built PKG_LIBS)
	run -0 ./errors
	diff - <(echo "$output") <<-'END'
		-1 0 0 out of memory
		-1 0 0 field has a value that cannot be: a 7
		-1 0 0 cannot put records aside: No space left on device
		-1 0 1 cannot write: Input/output error
		-1 0 0 the stream ends inside a record: need 8 bytes, have 4
		-1 0 0 the stream ends inside a record: need 32 bytes, have 12
		-1 1 0 cannot open: No such file or directory
		-1 0 0 record 44 at byte 4948 (MMAP2): filename: field runs past the record: need 120 bytes, have 52
	END
}

@test "why nothing can be put aside is said, also after many damaged places" {
	local n
	for n in 0 1 12; do
		{
			echo header
			echo "attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all"
			printf 'repeat %d {\nrecord 64 0 00000000ffff0000\n}\n' "$n"
			echo "repeat 20000 {"
			echo 'sample pid=7 time=$(i*10+2000)'
			echo "}"
		} | build >in
		run -4 bash -c "trap '' XFSZ; ulimit -f 100
			pp-sort --all -S 64k -i in 2>err | cat >/dev/null; exit \${PIPESTATUS[0]}"
		cat err
		stderr=$(<err)
		[ "$(grep -c ' (HEADER_ATTR): ' <<<"$stderr")" -eq $((n > 10 ? 10 : n)) ]
		[ "$(grep -c '^pp-sort: in: cannot put records aside in [^:]*: File too large$' <<<"$stderr")" -eq 1 ]
		[ "$n" -lt 11 ] || grep -x "pp-sort: in: $n damaged places in all" <<<"$stderr"
	done
}

@test "out of memory is exit 4 with that reason, whoever met it" {
	need_shim
	perl -e 'print "\x17\x08\x44tracing0.6\0", pack("CCV", 0, 8, 4096), "header_page\0", pack("Q<", 0),
		"header_event\0", pack("Q<", 0), pack("V", 0), pack("V", 1), "sched\0", pack("V", 1);
		$_ = "name: tick\nID: 7\nformat:\n\tfield:int common_pid;\toffset:0;\tsize:4;\tsigned:1;\n\tfield:int n;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->n\n";
		print pack("Q<", length), $_, pack("V", 0), pack("V", 0)' >formats
	{
		echo header
		echo "attr id=1 type=2 config=7 sample_type=IP,TID,TIME,RAW,IDENTIFIER flags=sample_id_all"
		echo "tracing hex=$(od -An -v -tx1 formats | tr -d ' \n')"
		echo "sample pid=7 time=1000 raw=0700000005000000"
		echo round
	} | build >points
	pp-dump -i points | grep -q 'trace={.*n=5'
	{
		printf 'header\nattr\nfeature COMPRESSED\ncompressed {\n'
		printf 'sample pid=7 time=%d000\n' 1 2 3
		printf '}\n'
	} | build >packed
	zstd -q -o points.zst points
	# each allocation of each of these fails, and then also all that follow it
	while read -r line; do
		run -0 $line
		local good=$output end=0 n last=0
		for ((n = 1; n < 400; n++)); do
			for every in 0 1; do
				local status=0
				env LD_PRELOAD="$SHIM" FAULT="0 12 $n $every" $line >got 2>err || status=$?
				case $status in
				0) diff <(echo "$good") <(cat got err) ;;
				4) [[ $(cat err) == "${line%% *}: "*[Oo]'ut of memory' ||
					$(cat err) == "${line%% *}: "*': Cannot allocate memory' ]] ;;
				*) false ;;
				esac || { echo "$line: allocation $n, $every: exit $status" && cat err && false; }
				[ "$every" = 0 ] || last=$status
			done
			# no allocation has this number
			[ "$last" -ne 0 ] || break
		done
		[ "$n" -gt 3 ]
		echo "$line: $n allocations"
	done <<-'END'
		pp-dump -i points
		pp-dump --headers -i points
		pp-check -i points
		pp-info -i points
		pp-check -i packed
		pp-check -i points.zst
		pp-filter --explain comm=~"^a(b|c)*"||sched:tick.n>3
		pp-filter --explain --time=0.1,0.5 --comm a -p 1
		pp-filter --fields -i points
	END
}
