# errors.bats - what an error says: of this failure, and of no earlier one.

setup() { load ../../helper; }

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

# bats test_tags=nightly
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

# bats test_tags=nightly
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
