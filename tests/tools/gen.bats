# gen.bats - pp-gen: as much of everything as was asked for, in any order, and the same again.

setup() {
	load ../helper
	load gen/gen
}

# perf_samples FILE: how many perf script prints
perf_samples() { perf_quiet script -G -F tid,event -i "$1" | wc -l; }

# sample_times FILE: `round cpu time` of each sample, in stream order
sample_times() {
	json "$1" | jq -r 'if .type == "FINISHED_ROUND" then "round"
		elif .type == "SAMPLE" then "\(.fields.cpu) \(.fields.time)" else empty end' |
		awk '$1 == "round" { n++; next } { print n + 0, $1, $2 }'
}

# ---- the same again

@test "the same options make the same bytes" {
	pp-gen --samples 5000 --callchain 6 --forks 2 --exits 2 --disorder 3ms -o one
	pp-gen --samples 5000 --callchain 6 --forks 2 --exits 2 --disorder 3ms >two
	same_bytes one two
}

@test "another seed makes another stream of the same shape" {
	pp-gen --seed 1 -o one
	pp-gen --seed 2 -o two
	[ "$(size one)" -eq "$(size two)" ]
	! cmp -s one two
}

@test "the first bytes do not depend on how many samples follow" {
	pp-gen --samples 100 --duration 1 --cpus 1 --rounds 0 --no-seal -o short
	pp-gen --samples 200 --duration 2 --cpus 1 --rounds 0 --no-seal -o long
	head -c "$(size short)" long >start
	same_bytes short start
}

# ---- how much

# bats test_tags=nightly
@test "as many samples as asked for, in pp-dump and in perf script" {
	while read -r count shape; do
		echo "$count: $shape"
		pp-gen --samples "$count" $shape -o out
		run -0 samples out
		[ "$output" -eq "${count/1e3/1000}" ]
		! once perf perf version || [ "$(perf_samples out)" -eq "${count/1e3/1000}" ]
	done <<-'END'
		0
		1
		3 --rounds 10
		1e3 --events 2 --cpus 8 --pids 100 --callchain 12 --disorder 5ms
		1e3 --compress
		500 --events 0 --tracepoints 3 -z9
		500 --events 5 --tracepoints 2 --raw 100
		500 --events 60 --cpus 40
		500 --stack 1000 --sample-type +regs_user,regs_intr
		500 --branches 16 --callchain 3
		500 --sample-type +addr,weight,data_src,phys_addr,data_page_size,code_page_size,cgroup
		500 --sample-type +transaction,stream_id,id,weight_struct,aux
		500 --sample-type +read --events 3
		500 --sample-type ip,tid,time,id --events 3
		500 --sample-type ip,tid
		500 --sample-type -identifier,cpu
		500 --rounds 0 --disorder 5
		500 --rounds 100 --disorder 100us
		500 --rounds 10 --break-rounds
		500 --pids 50 --threads 3 --forks 20 --exits 20 --comms 30 --lost 5
		500 --mmaps 0 --duration 500ns
		500 --no-seal
	END
}

@test "events, CPUs, processes, threads, maps and rounds are as many as asked for" {
	pp-gen --samples 4000 --events 3 --cpus 5 --pids 7 --threads 2 --mmaps 4 --rounds 6 -o out
	json out >lines
	run -0 jq -s 'map(select(.type == "HEADER_ATTR")) | length' lines
	[ "$output" -eq 3 ]
	run -0 jq -s 'map(select(.type == "SAMPLE").fields.cpu) | unique | length' lines
	[ "$output" -eq 5 ]
	run -0 jq -s 'map(select(.type == "SAMPLE").fields.pid) | unique | length' lines
	[ "$output" -eq 7 ]
	run -0 jq -s 'map(select(.type == "SAMPLE").fields.tid) | unique | length' lines
	[ "$output" -eq 14 ]
	run -0 jq -s 'map(select(.type == "MMAP2")) | length' lines
	[ "$output" -eq 28 ]
	# seal 0 and END are FINISHED_ROUNDs too
	run -0 jq -s 'map(select(.type == "FINISHED_ROUND")) | length' lines
	[ "$output" -eq 8 ]
}

@test "forks, exits, renames and LOST records are as many as asked for" {
	pp-gen --pids 9 --forks 4 --exits 5 --comms 6 --lost 7 -o out
	json out | jq -r 'select(.fields.sample_id.time > 0).type' | sort | uniq -c >counts
	run -0 awk '{ print $1, $2 }' counts
	# a process that begins is named as well
	[ "$output" = $'10 COMM\n5 EXIT\n4 FORK\n7 LOST\n12 MMAP2' ]
}

@test "times cover the duration and no more" {
	pp-gen --samples 1000 --duration 20ms -o out
	sample_times out | awk '{ print $3 }' | sort -n >times
	first=$(head -n 1 times) last=$(tail -n 1 times)
	[ $((last - first)) -le 20000000 ]
	[ $((last - first)) -gt 19000000 ]
}

@test "a sample has the fields that are asked for" {
	pp-gen --samples 10 --sample-type +addr --sample-type -cpu,period --callchain 2 -o out
	run -0 jq -r 'select(.type == "SAMPLE").fields | keys_unsorted | join(",")' <(json out)
	[ "$(sort -u <<<"$output")" = "identifier,ip,pid,tid,time,addr,callchain" ]
}

@test "call chains are no longer than asked for, without their marks, and begin at the address" {
	pp-gen --samples 500 --callchain 5 -o out
	json out | jq -c 'select(.type == "SAMPLE").fields |
		[.ip] + (.callchain | map(select(startswith("0xfffffffffffff") | not)))' >chains
	run -0 jq -s 'map(length - 1) | [min, max] | tostring' chains
	[ "$output" = '"[1,5]"' ]
	run -0 jq -s 'map(.[0] == .[1]) | all' chains
	[ "$output" = true ]
}

@test "raw data are as long as the kernel would make them" {
	pp-gen --samples 5 --raw 30 -o out
	run -0 jq -r 'select(.type == "SAMPLE").fields.raw | length / 2' <(json out)
	[ "$(sort -u <<<"$output")" = 36 ]
}

@test "perf prints the fields of tracepoints by their formats" {
	need_perf
	pp-gen --samples 50 --events 0 --tracepoints 2 -o out
	perf_quiet script -i out >text
	[ "$(grep -cE ' gen:tp[01]: value=[0-9]+$' text)" -eq 50 ]
}

# ---- order

@test "within a round one CPU's run follows the other's" {
	pp-gen --samples 2000 --cpus 4 --rounds 5 --disorder 1ms -o out
	sample_times out >times
	run -0 awk '{ print $1, $2 }' times
	[ "$(uniq <<<"$output" | wc -l)" -eq 20 ]
}

@test "a CPU's samples are in order unless disorder is asked for" {
	late() { sample_times "$1" | awk '$3 < last[$2] { n++ } $3 > last[$2] { last[$2] = $3 } END { print n + 0 }'; }
	pp-gen --samples 2000 -o out
	[ "$(late out)" -eq 0 ]
	pp-gen --samples 2000 --disorder 5ms -o out
	[ "$(late out)" -gt 0 ]
}

@test "pp-sort puts any disorder in order, since rounds keep their promise" {
	for shape in '--disorder 1us' '--disorder 5ms' '--disorder 5' '--disorder 5 --rounds 0' \
		'--disorder 1 --rounds 100' '--disorder 1 --rounds 3 --samples 7' \
		'--pids 30 --forks 20 --exits 20 --comms 9 --disorder 20ms --rounds 40'; do
		echo "$shape"
		pp-gen --cpus 3 $shape -o out
		run -0 --separate-stderr pp-sort -i out -o sorted
		[ -z "$stderr" ]
		run -0 --separate-stderr pp-sort --check -i sorted
		[ -z "$stderr" ]
	done
}

@test "perf finds nothing out of order either" {
	need_perf
	pp-gen --cpus 3 --disorder 1 --rounds 50 -o out
	perf script -i out >text 2>err </dev/null
	[ ! -s err ]
	awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) print $i + 0 }' text >times
	[ -s times ]
	sort -n -c times
}

@test "broken rounds are broken, once in each from the third on" {
	pp-gen --rounds 10 --break-rounds -o out
	run -0 --separate-stderr pp-sort -i out -o sorted
	[[ $stderr == *"8 records came after later ones had been released"* ]]
	run -1 pp-sort --check -i sorted
}

# ---- what cannot be

@test "shapes that no stream has are misuse, and leave no file" {
	while IFS='|' read -r shape text; do
		echo "$shape"
		run -2 --separate-stderr pp-gen $shape -o none
		[[ $stderr == "pp-gen: "*"$text"* ]]
		[ ! -e none ]
	done <<-'END'
		--samples 1.5|'1.5' is not a count
		--samples -1|is not a count
		--samples 1e3x|is not a count
		--samples 1e30|is not a count
		--samples nan|is not a count
		--samples 1e15 --duration 2000000s|too many samples
		--cpus 5e9|is too many
		--cpus 0|1 to 8000 CPUs
		--cpus 9000|1 to 8000 CPUs
		--events 0|1 to 4096 events
		--pids 0|threads in its processes
		--pids 3000 --threads 3000|threads in its processes
		--pids 3 --forks 3|one process exists all the time
		--exits 4|one process exists all the time
		--duration 5ns --samples 10|no room for 10 samples
		--duration 5m|is not a time in seconds, or in ns, us or ms
		--sample-type ip,foo|names a field that samples do not have
		--sample-type ip,tid,time --events 2|need an id
		--sample-type +weight,weight_struct|not both
		--raw 70000|does not fit in a record
		--stack 65528|does not fit in a record
		--branches 5000|does not fit in a record
		--callchain 5000|at most 4096 addresses
		--break-rounds --rounds 2|three rounds
		--rounds 1e9|too many samples or rounds
	END
}

# ---- the system says no

@test "input and output that fail are exit 4, with their names" {
	run -4 --separate-stderr pp-gen -i missing --cut=3
	[ "$stderr" = "pp-gen: cannot read missing: No such file or directory" ]
	run -4 --separate-stderr pp-gen -i . --cut=3
	[[ $stderr == "pp-gen: cannot read .: "* ]]
	run -4 --separate-stderr bash -c 'pp-gen >/dev/full'
	[ "$stderr" = "pp-gen: cannot write standard output: No space left on device" ]
	pp-gen -o in
	run -4 --separate-stderr bash -c 'pp-gen -i in --flip 0.1 >/dev/full'
	[ "$stderr" = "pp-gen: cannot write standard output: No space left on device" ]
	run -4 --separate-stderr bash -c 'pp-gen --flip 0.1 <&-'
	[[ $stderr == "pp-gen: cannot read standard input: "* ]]
}
