# lines.bats - lines for pp-undump that jq changed, or that were written by hand: they become what
# build.pl makes of the same words.

setup() {
	load ../../helper
	load undump
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
