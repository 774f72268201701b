# events.bats - pp-filter --prune: events that have samples stay, with their formats, and so do
# records that are about no task.

setup() {
	load ../../helper
	load prune
}

@test "records about what was lost pass, and types that nobody knows" {
	{
		two_programs
		build <<-'END' | tail -c +161
			header
			attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2
			lost id=1 lost=7 pid=5 time=1600
			throttle time=1700 id=1 stream_id=1
			record 200 0 0011223344556677
			lost_samples lost=3 time=1800
		END
	} >in.pipe
	prunes 'pid == 9'
	[ "$(json pruned.pipe | jq -r 'select(.type | test("LOST|THROTTLE|UNKNOWN")).type' | xargs)" = "LOST THROTTLE UNKNOWN_200 LOST_SAMPLES" ]
}

@test "an event whose samples do not stay goes, with its ids and what is said of it" {
	build >in.pipe <<-'END'
		header
		attr id=1,2 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all name=one
		attr id=3,4 config=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all name=two
		attr id=5,6 config=2 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all name=three
		feature HOSTNAME string "web7"
		feature EVENT_DESC
		feature 32
		id_index entries=1:0:0:-1,2:1:1:-1,3:0:0:-1,4:1:1:-1,5:0:0:-1,6:1:1:-1
		event_update id=1 name=one
		event_update id=3 name=two
		event_update id=5 name=three
		comm pid=7 comm=a synthesized
		sample id=5 pid=7 time=1000 ip=0x1000
		sample id=4 pid=7 time=1100 ip=0x1000
		round
		sample id=2 pid=7 time=1200 ip=0x1000
		round
	END
	prunes 'event == "two"'
	json pruned.pipe >got
	[ "$(jq -r 'select(.type == "HEADER_ATTR").fields.id | join(" ")' got)" = "0x3 0x4" ]
	[ "$(jq -r 'select(.type == "ID_INDEX").fields.entries | map(.id) | join(" ")' got)" = "0x3 0x4" ]
	[ "$(jq -r 'select(.type == "EVENT_UPDATE").fields.name' got)" = two ]
	[ "$(jq -r 'select(.fields.feat_id == 12).fields.data.events | map(.name) | join(" ")' got)" = two ]
	# those of the first round stand as they stood, a later one right before its sample
	prunes
	[ "$(json pruned.pipe | jq -r 'select(.type | test("ATTR|SAMPLE")).fields | (.id // [.identifier])[0]' | xargs)" = "0x3 0x5 0x5 0x4 0x1 0x2" ]
}

@test "an event of another layout than the first keeps the first, by which perf reads side-band" {
	build >in.pipe <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		attr id=2 config=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all
		comm pid=7 comm=a synthesized
		sample id=2 pid=7 time=1100 ip=0x1000
		round
	END
	prunes 'id == 2'
	[ "$(json pruned.pipe | jq -r 'select(.type == "HEADER_ATTR").fields.id[0]' | xargs)" = "0x1 0x2" ]
	[ "$(json pruned.pipe | jq -r 'select(.type == "COMM").fields.comm')" = a ]
}

@test "with a tracepoint all tracepoints stay, and their formats; without, none of it" {
	build >in.pipe <<-'END'
		header
		attr id=1 type=1 sample_type=IP,TID,TIME,CPU,IDENTIFIER flags=sample_id_all
		attr id=2 type=2 config=5 sample_type=IP,TID,TIME,CPU,IDENTIFIER,RAW flags=sample_id_all
		attr id=3 type=2 config=6 sample_type=IP,TID,TIME,CPU,IDENTIFIER,RAW flags=sample_id_all
		tracing bytes=5000
		sample id=1 pid=7 time=1000 ip=0x1000
		sample id=3 pid=7 time=1100 ip=0x1000 raw=00
		round
	END
	pp-filter --prune 'id == 1' -i in.pipe | json >got
	[ "$(jq -r 'select(.type | test("ATTR|TRACING")) | .type' got)" = HEADER_ATTR ]
	pp-filter --prune 'id == 3' -i in.pipe | json >got
	[ "$(jq -r 'select(.type | test("ATTR|TRACING")) | .type' got | xargs)" = "HEADER_ATTR HEADER_ATTR HEADER_TRACING_DATA" ]
}

@test "with AUX traces all side-band passes" {
	{
		build <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,comm
			auxtrace_info type=1 priv=1,2
			comm pid=7 comm=a time=900
			comm pid=8 comm=b time=910
			mmap2 pid=8 start=0x1000 len=0x1000 file=/b time=920
			sample pid=7 time=1000 ip=0x1010
			auxtrace bytes=64
			round
		END
	} >in.pipe
	pp-filter --prune 'pid == 7' -i in.pipe -o pruned.pipe
	[ "$(side_band pruned.pipe | wc -l)" -eq 3 ]
	same_bytes in.pipe pruned.pipe
}
