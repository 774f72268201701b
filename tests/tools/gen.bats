# gen.bats - pp-gen: streams of any shape that every reader takes, and damage that is counted.

setup() { load ../helper; }

# samples FILE: how many pp-dump shows
samples() { pp-dump --type sample -i "$1" | wc -l; }

# perf_samples FILE: how many perf script prints
perf_samples() { perf_quiet script -G -F tid,event -i "$1" | wc -l; }

# sample_times FILE: `round cpu time` of each sample, in stream order
sample_times() {
	json "$1" | jq -r 'if .type == "FINISHED_ROUND" then "round"
		elif .type == "SAMPLE" then "\(.fields.cpu) \(.fields.time)" else empty end' |
		awk '$1 == "round" { n++; next } { print n + 0, $1, $2 }'
}

# sound FILE: every sample is in a process that has a name and lives, at an address that is mapped;
# says what is not.  Judged in time order.
sound() {
	pp-sort -i "$1" | json | jq -r '
		.fields as $f | [.type, (.misc // 0) % 8, $f.pid, $f.tid, $f.ip // $f.start, $f.len, $f.ppid] |
		map(. // "-") | join(" ")' | perl -ane '
		my ($type, $mode, $pid, $tid, $at, $len, $ppid) = @F;
		if ($type eq "COMM") { $name{$pid} = 1; $alive{$pid}++ if $pid == $tid && !$alive{$pid} }
		elsif ($type eq "FORK" && $pid == $ppid) { $name{$pid} or print "thread of nobody: $_" }
		elsif ($type eq "FORK") { $name{$ppid} or print "child of nobody: $_"; $alive{$pid} = 1 }
		elsif ($type eq "EXIT") { delete $alive{$pid} if $pid == $tid }
		elsif ($type =~ /^MMAP/) { push @{$maps{$mode == 1 ? "kernel" : $pid}}, [hex $at, hex $len] }
		elsif ($type eq "SAMPLE") {
			$n++;
			$name{$pid} or print "no name: $_";
			$alive{$pid} or print "not alive: $_";
			my $ip = hex $at;
			grep { $ip >= $_->[0] && $ip - $_->[0] < $_->[1] } @{$maps{$mode == 1 ? "kernel" : $pid}}
				or print "not mapped: $_";
		}
		END { print "no sample\n" unless $n }' 2>&1
}

# changed A B: in how many bytes they differ
changed() { cmp -l "$1" "$2" | wc -l; }

size() { stat -c %s "$1"; }

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

# ---- soundness

@test "every sample is in a process that was named and lives, at an address that it maps" {
	while read -r shape; do
		echo "$shape"
		pp-gen $shape -o out
		run -0 sound out
		[ "$output" = "" ]
	done <<-'END'
		--samples 500
		--samples 2000 --pids 40 --forks 30 --exits 35 --comms 20 --threads 3 --disorder 20ms
		--samples 300 --pids 40 --forks 39 --exits 39 --rounds 0 --cpus 7
		--samples 300 --pids 5 --forks 4 --duration 1us --rounds 50
	END
}

@test "a stream is sealed, unless it is to be plain" {
	pp-gen -o sealed
	pp-gen --no-seal -o plain
	head -c -48 sealed >cut
	run -3 pp-dump -i cut
	run -0 jq -s 'map(select(.type == "FINISHED_ROUND").size) | unique | .[]' <(json plain)
	[ "$output" -eq 8 ]
}

@test "what is compressed expands to what is not" {
	for shape in '--samples 3000 --callchain 8' '--samples 20000 --rounds 3' '--pids 20 --forks 9 --rounds 0'; do
		echo "$shape"
		pp-gen $shape -o plain
		pp-gen $shape -z -o packed
		[ "$(size packed)" -lt "$(size plain)" ]
		pp-decompress -i packed -o expanded
		same_bytes plain expanded
	done
}

@test "a big-endian stream that is compressed expands to what the other one is" {
	shape='--samples 3000 --callchain 8 --tracepoints 1 --forks 2 --lost 3'
	pp-gen $shape --big-endian -o plain
	pp-gen $shape --big-endian -z -o packed
	[ "$(size packed)" -lt "$(size plain)" ]
	run -0 bash -c 'pp-dump --raw --json -i packed | jq -r "select(.feature == \"COMPRESSED\" or .type == \"COMPRESSED\").type" | sort | uniq -c | wc -l'
	[ "$output" -eq 2 ]
	# both become the same stream of this machine
	pp-decompress -i plain -o one
	pp-decompress -i packed -o two
	same_bytes one two
	pp-dump --raw --json -i packed | pp-undump | same_bytes packed /dev/stdin
}

@test "a big-endian stream says the same as its twin" {
	shape='--samples 300 --events 2 --callchain 4 --branches 2 --stack 16 --pids 9 --forks 3 --exits 3'
	shape+=' --sample-type +read,addr,data_src,weight_struct,regs_user,stream_id,id --lost 2 --comms 2'
	pp-gen $shape -o little
	pp-gen $shape --big-endian -o big
	[ "$(head -c 8 big)" = 2ELIFREP ]
	[ "$(size big)" -eq "$(size little)" ]
	# seals have other hashes, and the machine another name
	for name in little big; do
		json $name | jq -c 'select(.type != "FINISHED_ROUND" and .feature != "ARCH" and .type)' >$name.json
	done
	[ "$(wc -l <little.json)" -gt 300 ]
	same_bytes little.json big.json
}

@test "the raw data of a big-endian tracepoint are big-endian" {
	shape='--samples 20 --events 0 --tracepoints 1'
	json <(pp-gen $shape) | jq -r 'select(.type == "SAMPLE").fields | "\(.raw[0:4]) \(.raw[14:16])"' >little
	json <(pp-gen $shape --big-endian) |
		jq -r 'select(.type == "SAMPLE").fields | "\(.raw[2:4])\(.raw[0:2]) \(.raw[8:10])"' >big
	[ "$(cut -d' ' -f1 little | sort -u)" = e803 ]
	[ "$(cut -d' ' -f1 big | sort -u)" = e803 ]
	# the upper byte of a thread's number is zero
	[ "$(cut -d' ' -f2 little | sort -u)" = 00 ]
	[ "$(cut -d' ' -f2 big | sort -u)" = 00 ]
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

@test "making a stream and damaging one exclude each other" {
	pp-gen -o in
	run -2 --separate-stderr pp-gen --samples 3 -i in
	[[ $stderr == "pp-gen: a stream is either generated or damaged"* ]]
	run -2 --separate-stderr pp-gen --flip 0.1 --big-endian
	[[ $stderr == "pp-gen: a stream is either generated or damaged"* ]]
}

# ---- damage

@test "a cut is where it is asked for: from the start, the end, a fraction" {
	pp-gen -o in
	while read -r place left; do
		echo "$place"
		pp-gen --cut="$place" -i in -o out
		[ "$(size out)" -eq "$left" ]
		same_bytes out <(head -c "$left" in)
	done <<-END
		0 0
		1000 1000
		4k 4096
		-1 $(($(size in) - 1))
		0.5 $(($(size in) / 2))
		1.0 $(size in)
	END
	pp-gen --cut=any -i in -o out
	[ "$(size out)" -ge 16 ]
	[ "$(size out)" -le "$(size in)" ]
}

@test "bytes are dropped, zeroed, inserted and spliced where it is asked for, and no others touched" {
	pp-gen -o in
	pp-gen --drop 100@5000 -i in -o out
	same_bytes out <(head -c 5000 in; tail -c +5101 in)
	pp-gen --zero 100@5000 -i in -o out
	same_bytes out <(head -c 5000 in; head -c 100 /dev/zero; tail -c +5101 in)
	pp-gen --insert 100@5000 -i in -o out
	[ "$(size out)" -eq $(($(size in) + 100)) ]
	same_bytes in <(head -c 5000 out; tail -c +5101 out)
	pp-gen --splice 100@5000 -i in -o out
	[ "$(size out)" -eq $(($(size in) + 100)) ]
	same_bytes in <(head -c 5000 out; tail -c +5101 out)
	perl -0777 -e 'open I, "<", "in"; open O, "<", "out"; $i = <I>; $o = <O>;
		exit(index($i, substr $o, 5000, 100) < 0)'
}

@test "without a place the seed chooses one behind the header, the same every time" {
	pp-gen -o in
	for what in drop zero insert splice; do
		echo "$what"
		pp-gen --$what 500 --seed 3 -i in -o one
		pp-gen --$what 500 --seed 3 -i in -o two
		pp-gen --$what 500 --seed 4 -i in -o other
		same_bytes one two
		! cmp -s one other
		! cmp -s one in
		same_bytes <(head -c 16 one) <(head -c 16 in)
	done
}

@test "places count in the input, whatever else is done to it, in any order of the options" {
	pp-gen -o in
	pp-gen --drop 100@1000 --zero 10@3000 --insert 64@2000 --cut=4000 -i in -o one
	pp-gen --cut=4000 --insert 64@2000 --zero 10@3000 --drop 100@1000 -i in -o two
	same_bytes one two
	[ "$(size one)" -eq 3964 ]
	same_bytes <(head -c 1000 in; tail -c +1101 in | head -c 900) <(head -c 1900 one)
	same_bytes <(tail -c +2001 in | head -c 1000; head -c 10 /dev/zero; tail -c +3011 in | head -c 990) \
		<(tail -c +1965 one)
}

@test "as many bytes are changed as -v says, and none of the first ones" {
	pp-gen -o in
	run -0 --separate-stderr pp-gen --flip 0.01 -i in -o out -v
	[ "$stderr" = "pp-gen: changed $(changed in out) bytes" ]
	[ "$(changed in out)" -gt 0 ]
	[ "$(size out)" -eq "$(size in)" ]
	pp-gen --flip 1 -i in -o out
	[ "$(changed in out)" -eq $(($(size in) - 16)) ]
	pp-gen --flip 1 --keep 1000 -i in -o out
	[ "$(changed in out)" -eq $(($(size in) - 1000)) ]
	pp-gen --flip 0 --cut=1.0 -i in -o out
	same_bytes in out
}

@test "what is damaged may come from a pipe, from a file that was begun, and be as large as it is" {
	pp-gen --samples 20000 -o in
	pp-gen --flip 0.001 --insert 300000 --splice 300000 --drop 300000@20000 -i in -o expected
	cat in | pp-gen --flip 0.001 --insert 300000 --splice 300000 --drop 300000@20000 >out
	same_bytes expected out
	{ head -c 100 >/dev/null; pp-gen --cut=1.0; } <in >out || true
	[ "$(size out)" -le "$(size in)" ]
	tail -c +101 in >rest
	perl -e 'open STDIN, "<", "in"; sysread STDIN, $b, 100; exec @ARGV' pp-gen --cut=1.0 >out
	same_bytes rest out
}

@test "a place that the input does not have is misuse" {
	pp-gen -o in
	for damage in --cut=999999 --cut=-999999 --drop=10@-5 --zero=999999 --insert=1@999999 --splice=999999; do
		echo "$damage"
		run -2 --separate-stderr pp-gen $damage -i in -o none
		[[ $stderr == "pp-gen: the input has only $(size in) bytes"* ]]
		[ ! -e none ]
	done
	run -2 --separate-stderr pp-gen --flip 2 -i in
	[[ $stderr == *"is not a probability from 0 to 1"* ]]
	run -2 --separate-stderr pp-gen --cut=1.5 -i in
	[[ $stderr == *"is not a fraction from 0.0 to 1.0"* ]]
}

@test "anything can be damaged, also what is no stream, and nothing" {
	printf hello >in
	pp-gen --keep 0 --flip 1 -i in -o out
	[ "$(changed in out)" -eq 5 ]
	: >empty
	pp-gen --insert 10 -i empty -o out
	[ "$(size out)" -eq 10 ]
	pp-gen --damage -i empty -o out
}

@test "--damage and -i alone damage in one way that the seed chooses, and say it with -v" {
	pp-gen -o in
	for seed in $(seq 30); do
		pp-gen --damage --seed "$seed" -i in -o out -v 2>>said
		pp-gen --seed "$seed" -i in -o again
		same_bytes out again
	done
	[ "$(wc -l <said)" -eq 30 ]
	for what in cut dropped zeroed inserted spliced changed; do
		echo "$what"
		grep -q "^pp-gen: $what " said
	done
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

# ---- many shapes

# shape SEED: options, a different mix for each
shape() {
	local n=$1 options
	options="--seed $n --samples $((n * 37 % 400)) --cpus $((1 + n % 5)) --pids $((1 + n % 11))"
	options+=" --threads $((1 + n % 3)) --rounds $((n % 9)) --disorder $((n % 4 * 7))ms --mmaps $((n % 6))"
	options+=" --forks $((n % 11 / 2)) --exits $((n % 11 / 3)) --comms $((n % 7)) --lost $((n % 2))"
	((n % 3)) || options+=" --callchain $((n % 13))"
	((n % 4)) || options+=" --events $((1 + n % 6)) --tracepoints $((n % 5))"
	((n % 5)) || options+=" --sample-type +addr,read,data_src,weight,cgroup"
	((n % 6)) || options+=" --stack $((n * 3)) --sample-type +regs_user"
	((n % 7)) || options+=" --branches $((n % 10))"
	((n % 8 != 1)) || options+=" -z"
	((n % 8 != 3)) || options+=" --big-endian"
	((n % 10)) || options+=" --no-seal"
	echo "$options"
}

@test "every stage passes streams of many shapes" {
	for seed in $(seq 20); do
		echo "$(shape "$seed")"
		pp-gen $(shape "$seed") -o in
		pp-filter -C 0-99 <in >filtered
		pp-sort <filtered 2>err >sorted
		[ ! -s err ]
		pp-sort --check <sorted
		pp-compress <sorted | pp-decompress >expanded
		same_bytes sorted expanded
		[ "$(samples in)" -eq "$(samples sorted)" ]
		[ "$(samples in)" -eq $((seed * 37 % 400)) ]
	done
}

@test "after damage every stage ends with 0 or 3" {
	for seed in $(seq 20); do
		pp-gen $(shape "$seed") -o in
		pp-gen --damage --seed "$seed" -v -i in -o bad
		for stage in 'pp-filter -C 0-3' pp-sort pp-compress pp-decompress pp-dump 'pp-dump --json'; do
			echo "$seed: $stage"
			run bash -c "$stage <bad >out 2>err"
			[[ $status =~ ^[03]$ ]]
		done
	done
}
