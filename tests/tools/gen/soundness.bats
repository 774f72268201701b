# soundness.bats - streams of pp-gen that every reader and stage takes: sealed, compressed, in
# either byte order, of many shapes.

setup() {
	load ../../helper
	load gen
}

# true_to_life FILE: every sample is in a process that has a name and lives, at an address that is mapped;
# says what is not.  Judged in time order.
true_to_life() {
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

@test "every sample is in a process that was named and lives, at an address that it maps" {
	while read -r shape; do
		echo "$shape"
		pp-gen $shape -o out
		run -0 true_to_life out
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
