# undump.bats - pp-undump: streams survive the way to JSON and back byte for byte, lines written by
# hand become what build.pl makes of the same words, jq is a filter, and wrong lines are told.

setup() { load ../helper; }

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

# two events, names, samples, a round
short() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=2 type=1 config=2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all
		feature HOSTNAME string "web7"
		comm pid=7 comm=nginx exec time=1000
		repeat 6 {
		sample id=$(i%2+1) pid=$(i%3+7) tid=8 cpu=$(i%2) time=$(i*10+2000000000) ip=$(i+4096) period=250000
		}
		round
	END
}

# records of a stream by type, without their place
types() { pp-dump --json "$@" | jq -r 'select(.type).type'; }

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

# ---- jq between the two

@test "jq passes every line unchanged" {
	need jq
	grep -v '^feature COMPRESSED' "$TESTS/streams/every.txt" | build >in.pipe
	json in.pipe | jq -c . | pp-undump -o out
	same_bytes in.pipe out
}

@test "keys may stand in any order" {
	need jq
	grep -v '^feature COMPRESSED' "$TESTS/streams/every.txt" | build >in.pipe
	json in.pipe | jq -c 'walk(if type == "object" then to_entries | reverse | from_entries else . end)' |
		pp-undump -o out
	same_bytes in.pipe out
}

@test "jq is a filter whose stream perf reads" {
	need jq
	need_perf
	short >in.pipe
	json in.pipe | jq -c 'select(.type != "SAMPLE" or .fields.pid == 7)' | pp-undump -o out
	perf_quiet script -i out --ns -F pid,time >script
	[ "$(wc -l <script)" -eq 2 ]
	[ "$(awk '{ print $1 }' script | sort -u)" = 7 ]
}

@test "fields that jq made longer fit where the size is gone" {
	need jq
	short >in.pipe
	json in.pipe | jq -c 'if .type == "COMM" then del(.size) | .fields.comm = "a-longer-name" else . end' |
		pp-undump -o out
	[ "$(pp-dump --json --type comm -i out | jq -r 'select(.type).fields.comm')" = a-longer-name ]
	[ "$(types -i out)" = "$(types -i in.pipe)" ]
}

@test "numbers as jq writes large ones are taken" {
	build <<-'END' >expected
		header
		attr id=1 sample_type=IP,TID,TIME
		sample pid=1 time=4000000000000000000 ip=16
	END
	json expected | sed 's/"4000000000000000000"/4e+18/; s/"time":4000000000000000000/"time":4E18/' >lines.json
	grep -qi '4e+\{0,1\}18' lines.json
	pp-undump -i lines.json -o out
	same_bytes expected out
}

# ---- by hand

@test "type and fields are enough, and mean what build.pl means by the same words" {
	build <<-'END' >expected
		header
		attr id=1 type=1 config=0 size=144 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		attr id=2 type=0 config=0 size=144 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all period=5
		feature HOSTNAME string "web7"
		feature CMDLINE list "perf" "record"
		feature NRCPUS u32 2 u32 2
		event_update id=2 name=my-cycles
		comm pid=7 comm=nginx time=10 exec
		mmap2 pid=7 start=0x1000 len=0x2000 maj=8 ino=77 prot=0 flags=0 file=/bin/x time=11 misc=2
		mmap2 pid=7 start=0x1000 len=0x2000 build_id=0102030405060708090a0b0c0d0e0f1011121314 prot=0 flags=0 file=/bin/x misc=0x4000 event=1 time=0
		fork pid=8 ppid=7 tid=8 ptid=7 time=20 s_pid=8 s_tid=8
		sample id=1 pid=7 time=30 ip=0x1010 period=1 misc=2
		sample id=2 pid=7 time=31 ip=0x1010 cpu=3 misc=2
		cpu_map cpus=0,1,65535
		thread_map entries=7:nginx
		id_index entries=1:0:0:-1,2:1:-1:7
		auxtrace bytes=0 idx=1 tid=7 cpu=-1
		round
	END
	cat >lines.json <<-'END'
		{"type":"HEADER_ATTR","event":"cpu-clock","fields":{"attr":{"sample_period":1,"wakeup_events":0,"sample_type":"0x10187","flags":{"sample_id_all":1,"comm":true}}}}
		{"type":"HEADER_ATTR","event":"cycles","fields":{"attr":{"sample_period":5,"sample_type":65927,"flags":{"sample_id_all":true}}}}

		{"type":"HEADER_FEATURE","feature":"HOSTNAME","fields":{"data":{"hostname":"web7"}}}
		{"type":"HEADER_FEATURE","feature":"CMDLINE","fields":{"data":{"cmdline":["perf","record"]}}}
		{"type":"HEADER_FEATURE","feature":"NRCPUS","fields":{"data":{"nr_cpus_avail":2,"nr_cpus_online":2}}}
		{"type":"EVENT_UPDATE","event":"cycles","fields":{"type":2,"name":"my-cycles"}}
		{"type":"COMM","misc":8192,"fields":{"pid":7,"tid":7,"comm":"nginx","sample_id":{"time":10}}}
		{"type":"MMAP2","misc":2,"fields":{"pid":7,"tid":7,"start":"0x1000","len":8192,"maj":8,"ino":77,"filename":"/bin/x","sample_id":{"time":11}}}
		{"fields":{"filename":"/bin/x","build_id":"0102030405060708090a0b0c0d0e0f1011121314","build_id_size":20,"pid":7,"tid":7,"len":"0x2000","start":4096},"type":"MMAP2"}
		{"type":"FORK","fields":{"pid":8,"ppid":7,"tid":8,"ptid":7,"time":20}}
		{"type":"sample","event":"cpu-clock","misc":2,"fields":{"ip":"0x1010","pid":7,"tid":7,"time":30,"period":1}}
		{"type":"SAMPLE","event":"my-cycles","misc":2,"fields":{"ip":"0x1010","pid":7,"tid":7,"time":31,"cpu":3,"period":1}}
		{"type":"CPU_MAP","fields":{"map":{"cpu":[0,1,65535]}}}
		{"type":"THREAD_MAP","fields":{"entries":[{"pid":7,"comm":"nginx"}]}}
		{"type":"ID_INDEX","fields":{"entries":[{"id":"0x1","idx":0,"cpu":0,"tid":-1},{"id":2,"idx":1,"cpu":-1,"tid":"7"}]}}
		{"type":"AUXTRACE","fields":{"size":0,"idx":1,"tid":7,"cpu":-1}}
		{"type":"FINISHED_ROUND"}
	END
	pp-undump -i lines.json -o out
	pp-dump --json -i expected | jq -c 'del(.offset)' >want
	pp-dump --json -i out | jq -c 'del(.offset)' >got
	diff want got
	same_bytes expected out
}

@test "lines by hand make a stream that perf reads" {
	need_perf
	pp-undump -o out <<-'END'
		{"type":"HEADER_ATTR","event":"cpu-clock","fields":{"attr":{"sample_period":1,"sample_type":"0x10187","flags":{"sample_id_all":1}}}}
		{"type":"COMM","fields":{"pid":7,"tid":7,"comm":"nginx"}}
		{"type":"SAMPLE","misc":2,"fields":{"ip":"0x401000","pid":7,"tid":7,"time":1000,"period":1}}
		{"type":"FINISHED_ROUND"}
	END
	perf_quiet script -i out --ns -F comm,pid,time,event,ip >script
	read -r comm pid time event ip _ <script
	[ "$comm $pid $time $ip" = 'nginx 7 0.000001000: 401000' ]
	[[ $event = cpu-clock* ]]
}

@test "a tail whose length the record does not say is as long as its lines" {
	build <<-'END' >expected
		header
		attr id=1
		tracing hex=00010203040506070809
		auxtrace hex=0001020304050607
		auxtrace bytes=0
	END
	json expected | jq -c 'if .type == "AUXTRACE" or .type == "HEADER_TRACING_DATA" then del(.fields.size) else . end' >lines.json
	run -1 grep -E '"(AUXTRACE|HEADER_TRACING_DATA)".*"size":.*"size":' lines.json
	pp-undump -i lines.json -o out
	same_bytes expected out
	# in several lines, and with blanks
	sed 's/^{"tail":"0001020304050607"}$/ { "tail" : "00010203" }\n\n\t{ "tail" : "04050607" }/' lines.json |
		pp-undump -o out
	same_bytes expected out
}

@test "a header line says the byte order and the version" {
	printf '%s\n' '{"magic":"PERFFILE","schema":"perfpipe.records/1"}' '{"type":113,"misc":258,"raw":"01"}' |
		pp-undump >out
	[ "$(od -An -tx1 out | tr -d ' \n')" = 5045524646494c451000000000000000710000000201090001 ]
	printf '%s\n' '{"schema":"perfpipe.records/1","byte_order":"big"}' '{"type":"UNKNOWN_113","misc":258,"raw":"01"}' \
		'{"type":"LOST","fields":{"id":1,"lost":"0x203"}}' | pp-undump >out
	[ "$(od -An -tx1 out | tr -d ' \n')" = 32454c49465245500000000000000010000000710102000901000000020000001800000000000000010000000000000203 ]
}

@test "texts may have escapes, and bytes that are no text" {
	cat >lines.json <<-'END'
		{"type":"CGROUP","fields":{"id":1,"path":"\u00e9\ud83d\ude00\t\"\\\/"}}
		{"type":"CGROUP","fields":{"id":1,"path":"é😀\u0009\u0022\u005c/"}}
		{"type":"CGROUP","fields":{"id":1,"path_hex":"c3a9f09f988009225c2f00ff"}}
		{"type":"HEADER_FEATURE","feature":"HOSTNAME","fields":{"data":{"hostname":"web7","hostname_size":5}}}
		{"type":"HEADER_FEATURE","feature":"CMDLINE","fields":{"data":{"cmdline":["a",{"text":"b","size":3},{"hex":"ff00"}]}}}
	END
	pp-undump -i lines.json -o out
	pp-dump --json -i out | jq -c 'select(.type).fields' >got
	cat >want <<-'END'
		{"id":1,"path":"é😀\t\"\\/"}
		{"id":1,"path":"é😀\t\"\\/"}
		{"id":1,"path_hex":"c3a9f09f988009225c2f00ff00000000"}
		{"feat_id":3,"data":{"hostname":"web7","hostname_size":5}}
		{"feat_id":11,"data":{"cmdline":["a",{"text":"b","size":3},{"hex":"ff00"}]}}
	END
	diff want got
}

# ---- wrong lines

# wrong LINE MESSAGE: behind an event, it is refused with this message, and the lines around it pass
wrong() {
	cat >lines.json <<-END
		{"type":"HEADER_ATTR","event":"cpu-clock","fields":{"attr":{"sample_type":"0x10187","flags":{"sample_id_all":1}},"id":[1]}}
		$1
		{"type":"FINISHED_ROUND"}
	END
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" "pp-undump: lines.json: line 2$2"
	assert_equal "$(types -i out 2>/dev/null | tr '\n' ' ')" 'HEADER_ATTR FINISHED_ROUND FINISHED_ROUND '
	run -3 pp-dump -i out
}

@test "a wrong line is told: number, type, field, what was expected; the others pass" {
	wrong '{"type":"COMM","fields":{"pid":7,"com":"nginx"}}' \
		' (COMM): com: is not a field of COMM here, or is given twice'
	wrong '{"type":"COMM","fields":{"pid":7,"pid":7}}' \
		' (COMM): pid: is not a field of COMM here, or is given twice'
	wrong '{"type":"COMM","fields":{"pid":"x"}}' \
		' (COMM): pid: need a signed number of 32 bits, have x'
	wrong '{"type":"COMM","fields":{"pid":2147483648}}' \
		' (COMM): pid: need a signed number of 32 bits, have 2147483648'
	wrong '{"type":"COMM","fields":{"comm":["a"]}}' \
		' (COMM): comm: need a text, have a list'
	wrong '{"type":"COMM","fields":{"comm":"a\u0000b"}}' \
		' (COMM): comm: need a text without a zero byte; comm_hex may have one'
	wrong '{"type":"COMM","fields":{"comm_hex":"6z"}}' \
		' (COMM): comm: need hex digits'
	wrong '{"type":"COMM","fields":{"comm_hex":"616"}}' \
		' (COMM): comm: need two hex digits for each byte, have 3'
	wrong '{"type":"COMM","size":56,"fields":{"comm":"a name too long"}}' \
		' (COMM): comm: need room for 16 bytes, have 8 by the size that is given'
	wrong '{"type":"COMM","fields":[]}' \
		': fields: need an object, have a list'
	wrong '{"type":"COMM","misc":65536,"fields":{}}' \
		': misc: need a whole number of 16 bits, have 65536'
	wrong '{"type":"COMM","size":7,"fields":{}}' \
		': size: need at least 8, have 7'
	wrong '{"type":"COMM","feilds":{}}' \
		': feilds: is not a field of a line here, or is given twice'
	wrong '{"type":"COMM","fields":{"sample_id":{"time":"zwei"}}}' \
		' (COMM): sample_id.time: need a whole number of 64 bits, have zwei'
	wrong '{"type":"SAMPLE","fields":{"callchain":[1]}}' \
		' (SAMPLE): callchain: is not a field of SAMPLE here, or is given twice'
	wrong '{"type":"SAMPLE","fields":{"ip":1.5}}' \
		' (SAMPLE): ip: need a whole number of 64 bits, have 1.5'
	wrong '{"type":"SAMPLE","fields":{"ip":"0x10000000000000000"}}' \
		' (SAMPLE): ip: need a whole number of 64 bits, have 0x10000000000000000'
	wrong '{"type":"NAMESPACES","fields":{"namespaces":[{"dev":1},{"dev":1,"ino":-2}]}}' \
		' (NAMESPACES): namespaces[1].ino: need a whole number of 64 bits, have -2'
	wrong '{"type":"NAMESPACES","fields":{"nr":3,"namespaces":[{"dev":1}]}}' \
		' (NAMESPACES): nr: need 1, as many as there are, have 3'
	wrong '{"type":"CPU_MAP","fields":{"map":{"cpu":[0,-1]}}}' \
		' (CPU_MAP): map.cpu[1]: need a whole number of 16 bits, have -1'
	wrong '{"type":"HEADER_ATTR","fields":{"attr":{"flags":{"precise_ip":4}}}}' \
		' (HEADER_ATTR): attr.flags.precise_ip: need a number of 2 bits'
	wrong '{"type":"HEADER_ATTR","event":"cycle","fields":{}}' \
		' (HEADER_ATTR): event: need the name of a generic event, such as cycles'
	wrong '{"type":"STAT","event":"cycles","fields":{}}' \
		' (STAT): event: need the name of an earlier event'
	wrong '{"type":"HEADER_FEATURE","feature":"HOST"}' \
		' (HEADER_FEATURE): feature: need the name of a feature'
	wrong '{"type":"HEADER_FEATURE","feature":"NRCPUS","fields":{"data":{"nr":1}}}' \
		' (HEADER_FEATURE): data.nr: is not a field of NRCPUS here, or is given twice'
	wrong '{"type":"SAMPEL","fields":{}}' \
		': type: need the name of a type, have SAMPEL'
	wrong '{"type":113,"fields":{}}' \
		': raw: need the bytes of a record whose type has no name'
	wrong '{"type":113,"size":9,"raw":"0000"}' \
		': size: need 10, as raw has it, have 9'
	wrong '{"schema":"perfpipe.records/1"}' \
		': schema: need it in the first line only'
	wrong '{"end":"well"}' \
		': end: need damaged'
	wrong '{"fields":{}}' \
		': type: need the type of a record'
	wrong '[1]' \
		': need an object, have a list'
}

@test "a line that is no JSON is told, with the byte" {
	wrong '{"type":"COMM","fields":{}' \
		': not JSON: need a comma or a closing brace at byte 26 of the line'
	wrong 'hello' \
		': not JSON: need a value at byte 0 of the line'
	wrong '{"type":"COMM"}{}' \
		': not JSON: need the end of the line at byte 15 of the line'
	wrong '{"type":"COMM","misc":01}' \
		': not JSON: need a number without leading zeros at byte 22 of the line'
	wrong '{"type":"COMM","fields":{"comm":"\ud800"}}' \
		': not JSON: need the second half of a surrogate pair after the first at byte 33 of the line'
	wrong "{\"type\":\"COMM\",\"fields\":{\"comm\":\"$(printf '\351')\"}}" \
		': not JSON: need UTF-8 at byte 33 of the line'
	wrong "{\"type\":\"COMM\",\"fields\":{\"comm\":\"$(printf '\t')\"}}" \
		': not JSON: need an escape for a control character at byte 33 of the line'
	wrong "$(printf '[%.0s' {1..100})" \
		': not JSON: need less deeply nested values at byte 24 of the line'
	wrong "{\"type\":\"COMM\",\"x\":[$(printf '1,%.0s' {1..140000})1]}" \
		": not JSON: need fewer values in one line at byte 262158 of the line"
}

@test "a record whose event did not come is told so" {
	run -3 --separate-stderr pp-undump -o out <<<'{"type":"SAMPLE","fields":{"ip":1}}'
	assert_equal "$stderr" 'pp-undump: standard input: line 1 (SAMPLE): ip: no earlier event describes this record'
	cat >lines.json <<-'END'
		{"type":"HEADER_ATTR","fields":{"attr":{"sample_type":"0x10001"},"id":[1]}}
		{"type":"HEADER_ATTR","fields":{"attr":{"sample_type":"0x10001"},"id":[2]}}
		{"type":"SAMPLE","fields":{"identifier":3}}
		{"type":"SAMPLE","event":"instructions","fields":{}}
	END
	run -3 --separate-stderr pp-undump -i lines.json -o out
	[ "${stderr_lines[0]}" = 'pp-undump: lines.json: line 3 (SAMPLE): identifier: need the id of an earlier event' ]
	[ "${stderr_lines[1]}" = 'pp-undump: lines.json: line 4 (SAMPLE): event: need the name of an earlier event' ]
}

@test "of many wrong lines the first ten are told, and their number" {
	for _ in {1..25}; do echo nonsense; done >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	[ "${#stderr_lines[@]}" -eq 11 ]
	[ "${stderr_lines[10]}" = 'pp-undump: lines.json: 25 wrong lines in all' ]
}

@test "a line that is too long is told once, and what follows is read" {
	{
		printf '{"type":"COMM","fields":{"comm":"'
		head -c 3000000 /dev/zero | tr '\0' x
		printf '"}}\n{"type":"FINISHED_ROUND"}\n'
	} >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: line 1: is longer than any record needs'
	[ "$(types -i out 2>/dev/null | head -n 1)" = FINISHED_ROUND ]
}

@test "nothing at all is no stream" {
	run -3 --separate-stderr pp-undump -o out </dev/null
	assert_equal "$stderr" 'pp-undump: standard input: it has no records'
	run -3 pp-dump -i out
}

@test "a tail that is missing is told, and its record is not written" {
	build <<-'END' >in.pipe
		header
		attr id=1
		auxtrace hex=0001020304050607
		round
	END
	json in.pipe | grep -v '"tail"' >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: line 3 (AUXTRACE): tail: need 8 bytes in the lines after it, have 0'
	[ "$(types -i out 2>/dev/null | tr '\n' ' ')" = 'HEADER_ATTR FINISHED_ROUND FINISHED_ROUND ' ]
}

@test "a tail that is cut ends the stream there" {
	build <<-'END' >in.pipe
		header
		attr id=1
		auxtrace hex=0001020304050607
		round
	END
	json in.pipe | sed 's/"0001020304050607"/"00010203"/' >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: line 3 (AUXTRACE): tail: need 8 bytes in the lines after it, have 4'
	cmp out <(head -c -12 in.pipe)
	json in.pipe | sed 's/"0001020304050607"/"000102030405060708"/' >lines.json
	run -3 --separate-stderr pp-undump -i lines.json -o out
	[ "${stderr_lines[0]}" = 'pp-undump: lines.json: line 4: tail: need at most 8 bytes, have 9' ]
}

@test "a tail whose record was dropped goes with it" {
	build <<-'END' >in.pipe
		header
		attr id=1
		auxtrace hex=0001020304050607
		round
	END
	json in.pipe | grep -v '"AUXTRACE"' >lines.json
	run -0 --separate-stderr pp-undump -i lines.json -o out
	assert_equal "$stderr" 'pp-undump: lines.json: 8 bytes of tails dropped whose records are missing'
	[ "$(types -i out | tr '\n' ' ')" = 'HEADER_ATTR FINISHED_ROUND ' ]
}

@test "a text that is cut anywhere gives what was whole, and exit 3 inside a line" {
	build <<-'END' >in.pipe
		header
		attr id=1 sample_type=IP size=64
		sample ip=1
		lost_samples lost=1
	END
	json in.pipe | jq -c 'del(.fields.attr.config, .fields.attr.read_format)' >lines.json
	perl "$TESTS/variants.pl" lines.json 1 '$n && $n < $size ? substr $in, 0, $n : undef' \
		pp-undump -i changed >got
	perl -e '
		my ($lines, $in, $said) = map { open my $f, "<:raw", $_ or die; local $/; <$f> } qw(lines.json in.pipe said);
		while (<STDIN>) {
			my ($n, $status, $size) = split;
			my $out = substr $said, 0, $size, "";
			my $cut = substr $lines, 0, $n;
			my $whole = $cut =~ tr/\n//;
			# whole lines, or all but the newline; the header alone is no stream
			my $ends = $cut =~ /\n\z/ ? $whole > 1 : $whole && substr($lines, $n, 1) eq "\n";
			print "exit: $_" if $status != ($ends ? 0 : 3);
			my $bytes = (0, 0, 96, 112)[$whole];
			print "records: $_" if substr($out, 0, $bytes) ne substr $in, 0, $bytes;
		}' <got >wrong
	cat wrong
	[ ! -s wrong ]
	[ "$(wc -l <got)" -gt 100 ]
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
