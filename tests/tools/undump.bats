# undump.bats - pp-undump: streams survive the way to JSON and back byte for byte, with their
# seals and what was damaged.

setup() {
	load ../helper
	load undump/undump
}

# back STREAM [OPTION]: the stream, to JSON and back, is the same bytes; nothing is said
back() {
	pp-dump --json ${2:+"$2"} -i "$1" >lines.json
	pp-undump -i lines.json -o back.pipe 2>err
	cat err
	[ ! -s err ]
	same_bytes "$1" back.pipe
}

# twins TEXT: to little.pipe and big.pipe
twins() {
	build <"$1" >little.pipe
	sed 's/^header$/header big/' "$1" | build >big.pipe
}

# ---- there and back

@test "every record and every field comes back as it was" {
	for text in every newer; do
		# a plain stream carries no COMPRESSED feature
		grep -v '^feature COMPRESSED' "$TESTS/streams/$text.txt" | build >in.pipe
		back in.pipe
	done
}

@test "a raw dump comes back as it was, in both byte orders" {
	for text in every newer; do
		twins "$TESTS/streams/$text.txt"
		back little.pipe --raw
		back big.pipe --raw
		[[ $(head -n 1 lines.json) = *'"byte_order":"big"'* ]]
	done
}

@test "what no field covers, odd texts, numbers and sizes come back as they were" {
	build <"$TESTS/golden/rest.txt" >in.pipe
	back in.pipe --raw
}

@test "recorded streams come back as they were" {
	for file in "$TESTS"/streams/*.pipe; do
		echo "$file"
		back "$file" --raw
		[[ $file == *zstd* ]] || back "$file"
	done
}

@test "a compressed stream comes back as what it holds" {
	json "$TESTS/streams/zstd.pipe" | pp-undump -o out
	pp-decompress -i "$TESTS/streams/zstd.pipe" -o expected
	same_bytes expected out
}

@test "compressed records of both kinds and both byte orders come back as they were" {
	for kind in compressed compressed2; do
		cat >text <<-END
			header
			attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
			feature COMPRESSED
			$kind split=100 {
			repeat 50 {
			sample pid=\$(i) time=\$(i*7+5) ip=\$(i*4096)
			}
			}
			round
		END
		twins text
		back little.pipe --raw
		back big.pipe --raw
	done
}

@test "sizes that only the header tells come back: trailing zeros, texts padded wide, short records" {
	cat >text <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all size=200
		attr id=2 sample_type=IP,TID,TIME flags=sample_id_all size=64
		sample id=1 pid=1 time=2 ip=3 extra=00000000000000000000000000000000
		sample id=1 pid=1 time=2 ip=3 extra=000000000000000000000000000001
		record 3 0 0700000007000000610000000000000000000000000000000700000007000000e803000000000000
		record 3 0 070000000700000061626300ff0000000700000007000000e803000000000000
		record 64 0 01000000400000000000000000000000000000000000000007000000000000000000000000000000000004000000000000000000000000000000000000000000000000000000
		feature HOSTNAME u32 5 text "a"
		feature HOSTNAME u32 6 hex 616263000000
		feature HOSTNAME u32 0
		feature CMDLINE u32 3 u32 1 hex 61 u32 0 string "c"
		feature ARCH u32 2 hex e900
		feature 200 hex 0000
		feature 201
		record 82 7 000000
		record 67 0 ffffffff0102030405060708090a0b0c0d0e0f101112131400000000610062000000
		record 113 5 00ff00
		round hex=0000000000000000
		tracing bytes=17 exact
		auxtrace bytes=70001 exact
		auxtrace bytes=0
		round
	END
	sed -i 's/u32 5 text "a"/u32 5 hex 6100000000/' text
	build <text >in.pipe
	back in.pipe --raw
	back in.pipe
}

@test "a stream of version 1 comes back as it was" {
	build <"$TESTS/streams/every.txt" | sed '1s/^PERFILE2/PERFFILE/' >in.pipe
	back in.pipe --raw
}

@test "tails of any length come back as they were" {
	for bytes in 0 1 8 65535 65536 65537 200000; do
		build <<-END >in.pipe
			header
			attr id=1
			auxtrace bytes=$bytes exact
			comm pid=1 comm=x time=5
		END
		back in.pipe
	done
}

@test "records of events that nobody knows come back as they were" {
	build <<-'END' >in.pipe
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=9 unknown sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		record 9 2 0900000000000000100000000000000001000000010000000500000000000000
		record 3 0 0700000007000000610000000000000007000000070000000500000000000000b400000000000000
		record 2 0 01000000000000000200000000000000070000000700000005000000000000006300000000000000
	END
	back in.pipe --raw
}

@test "a stream with several events of one name comes back as it was" {
	build <<-'END' >in.pipe
		header
		attr id=1,3 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 sample_type=IP,TID,TIME,IDENTIFIER,CPU,CALLCHAIN flags=sample_id_all
		event_update id=1 name=cycles
		event_update id=2 name=cycles
		sample id=3 pid=1 time=5 ip=1
		sample id=2 pid=1 time=5 ip=1 cpu=3 callchain=1,2
		comm pid=1 comm=a event=2 cpu=3 time=7
		comm pid=1 comm=a synthesized
	END
	back in.pipe
}

@test "the streams of the corpus come back as they were" {
	corpus perf-6.1 perf-6.12 perf-7.3 quipper linux-perf-data big-endian
	seen=0
	while read -r file; do
		case $(od -An -tx1 -N16 "$CORPUS/$file" | tr -d ' \n') in
		504552464*1000000000000000 | 324c4946524550*10) ;;
		*) continue ;;
		esac
		echo "$file"
		# cut or damaged ones cannot, and say so
		pp-dump --json --raw -i "$CORPUS/$file" >lines.json 2>err || { [ -s err ] && continue; }
		pp-undump -i lines.json -o out
		same_bytes "$CORPUS/$file" out
		seen=$((seen + 1))
		# without --raw compressed ones come back expanded
		! grep -qE '^[^{]*{[^{]*"type":"COMPRESSED2?"' lines.json || continue
		pp-dump --json -i "$CORPUS/$file" | pp-undump -o out
		same_bytes "$CORPUS/$file" out
	done < <(cd "$CORPUS" && find . -type f | sort)
	[ "$seen" -gt 30 ]
}

@test "the lines may come in any pieces" {
	short >in.pipe
	json in.pipe >lines.json
	trickle lines.json 1 | pp-undump >out
	same_bytes in.pipe out
	trickle lines.json 97 | pp-undump >out
	same_bytes in.pipe out
}

# ---- seals

@test "seals are the same when nothing was changed" {
	short | pp-decompress --seal >in.pipe
	back in.pipe
	back in.pipe --raw
}

@test "seals are made anew where lines were dropped" {
	short | pp-decompress --seal >in.pipe
	json in.pipe | jq -c 'select(.type != "SAMPLE" or .fields.pid == 7)' | pp-undump -o out
	run -0 --separate-stderr pp-dump --json -i out
	[ -z "$stderr" ]
	[ "$(grep -c '"SAMPLE"' <<<"$output")" -eq 2 ]
	[ "$(grep -c PPSEAL1 out)" -ge 1 ]
}

@test "seals of the other byte order are made anew, too" {
	short | pp-dump --json | sed '1s/little/big/' | pp-undump --seal -o big.pipe
	[ "$(head -c 8 big.pipe)" = 2ELIFREP ]
	run -0 --separate-stderr pp-dump --json -i big.pipe
	[ -z "$stderr" ]
	pp-dump --json --raw -i big.pipe | pp-undump -o back.pipe
	same_bytes big.pipe back.pipe
	run -3 --separate-stderr pp-dump -i <(head -c -48 big.pipe)
	assert_regex "$stderr" 'its last seal is missing'
}

@test "a sealed stream whose last seal was dropped counts as cut" {
	short | pp-decompress --seal | pp-dump --json | sed '$d' >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: the stream was sealed, but its last seal is missing: cut'
	run -3 --separate-stderr pp-dump -i out
	assert_equal "$stderr" 'pp-dump: out: damaged before it came here'
}

@test "--seal seals, --no-seal leaves plain rounds" {
	short >plain.pipe
	json plain.pipe | pp-undump --seal >sealed.pipe
	pp-decompress --seal -i plain.pipe -o expected
	same_bytes expected sealed.pipe
	json sealed.pipe | pp-undump --no-seal >out
	same_bytes plain.pipe out
}

# ---- damage

@test "where pp-dump met damage the stream ends in a seal that says so" {
	short >whole.pipe
	head -c -20 whole.pipe >cut.pipe
	pp-dump --json -i cut.pipe >lines.json 2>/dev/null || [ $? -eq 3 ]
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: damaged before it came here'
	run -3 --separate-stderr pp-dump --type finished_round -i out
	assert_equal "$stderr" 'pp-dump: out: damaged before it came here'
}

@test "a damaged record comes back as it was, with a seal behind it that says so" {
	short >in.pipe
	build <<-'END' | tail -c +17 >bad
		header
		record 10 2 0102030405060708
	END
	cat bad >>in.pipe
	pp-dump --json -i in.pipe >lines.json 2>/dev/null || [ $? -eq 3 ]
	grep -q '"damaged":true' lines.json
	run -3 pp-undump -q -i lines.json -o out
	cmp in.pipe <(head -c "$(stat -c %s in.pipe)" out)
	[ "$(stat -c %s out)" -eq $(($(stat -c %s in.pipe) + 48)) ]
}

@test "a damaged line may lie about its size" {
	echo '{"type":"COMM","size":3,"damaged":true,"raw":"0011223344556677"}' | pp-undump >out
	[ "$(tail -c +17 out | od -An -tx1 | tr -d ' \n')" = 03000000000003000011223344556677 ]
}

# ---- the command line

@test "-i and -o name files, and an output that cannot be is an error" {
	short >in.pipe
	json in.pipe >lines.json
	pp-undump -i lines.json -o out
	same_bytes in.pipe out
	run -4 --separate-stderr pp-undump -i nothing.json -o other
	assert_equal "$stderr" 'pp-undump: cannot open nothing.json: No such file or directory'
	[ ! -e other ]
	run -4 pp-undump -i lines.json -o no/such/folder
	pp-undump lines.json >out
	same_bytes in.pipe out
	run -2 pp-undump lines.json lines.json
}

@test "a live pipeline is not held back" {
	mkfifo lines out
	pp-undump -i lines -o out 3>&- &
	exec 8>lines 9<out
	printf '%s\n' '{"type":"LOST_SAMPLES","fields":{"lost":5}}' >&8
	[ "$(head -c 32 <&9 | od -An -tx1 | tr -d ' \n')" = 50455246494c453210000000000000000d000000000010000500000000000000 ]
	exec 8>&-
	wait
}
