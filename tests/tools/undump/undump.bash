# undump.bash - what tests of pp-undump load: a short stream, and the types of a stream's records.

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
