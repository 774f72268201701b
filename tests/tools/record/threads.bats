# pp-record: threads that read the buffers: one stream, whose rounds mean what they mean without.

setup() {
	load ../../helper
	load recorder
}

# in_order FILE: no sample is older than what a round has released: what came before the round before
in_order() {
	json "$1" | jq -r '[.type, (.fields.time // 0)] | @tsv' | awk '
		$1 == "FINISHED_ROUND" { released = before; before = newest; next }
		$2 && $2 < released { late++ }
		$2 > newest { newest = $2 }
		END { print late + 0, "late"; exit late > 0 }'
}

@test "all records come, in the order of their buffer, also where a copy has no room for them" {
	need_fake_ring
	local way
	samples 1 20000 1 >records.0
	seq 1 20000 >all
	for way in --threads=1 --threads -z '--threads=1 --sideband=late'; do
		# shellcheck disable=SC2086
		FAKE_RING=records LD_PRELOAD=$fake pp-record -q -C 0 -e cycles -g -m 1 $way --max-samples 20000 -o out -- sleep 60
		run -0 pp-check -q out
		pp-cat out | times - >got
		cmp got all
	done
}

@test "rounds let through nothing that is too early, of two buffers" {
	need_fake_ring
	mkdir -p sys/devices/system/cpu
	printf 0-1 >sys/devices/system/cpu/online
	printf 0-1 >sys/devices/system/cpu/possible
	samples 2 40000 2 >records.0
	samples 1 39999 2 >records.1
	local way
	for way in --threads=1 --threads=2 --threads; do
		SYSFS_PATH=$PWD/sys FAKE_RING=records LD_PRELOAD=$fake pp-record -q -a -e cycles -g -m 1 $way --max-samples 40000 -o out -- sleep 60
		run -0 pp-check -q out
		times out | sort -n | cmp - <(seq 1 40000)
	done
}

@test "live, rounds let through nothing that is too early" {
	need_all_cpus
	local way rate
	# the kernel lowers what it permits where samples take long
	rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	for way in --threads --threads=1 -z; do
		pp-record -q $way -m 2 -F $((rate < 20000 ? rate : 20000)) -a -e cpu-clock -o out -- "${WORK[@]}"
		run -0 pp-check -q out
		pp-cat out >plain
		in_order plain
		sampled plain
	done
}

# tasks N ARGUMENTS...: a recorder has N threads, by its command, which waits for them, and then looks whether
# there come more
tasks() {
	local want=$1
	shift
	pp-record -q "$@" -o out -- perl -e '
		my $n = 0;
		sub look { my @tasks = glob "/proc/" . getppid . "/task/*"; $n = @tasks; select undef, undef, undef, 0.005 }
		for (1 .. 12000) { look; last if $n >= $ARGV[0] }
		look for 1 .. 40;
		open my $out, ">", "tasks";
		print $out $n;' "$want"
	echo "$(cat tasks) threads: $*"
	[ "$(cat tasks)" -eq "$want" ]
}

@test "one thread writes, and there are as many besides as were asked for" {
	need_events
	! sanitized || skip "a sanitizer may have a thread of its own"
	tasks 1 -e cpu-clock
	tasks 2 -e cpu-clock -z
	tasks 2 -e cpu-clock --threads=1
	[ "$(nproc)" -ne "$(nproc --all)" ] || tasks $(($(nproc --all) + 1)) -e cpu-clock --threads
}

# bats test_tags=nightly
@test "there is a thread for each CPU, core, package or node that sysfs tells of" {
	need_fake
	local cpu at=sys/devices/system
	for cpu in 0 1 2 3 4 5 6 7; do
		mkdir -p $at/cpu/cpu$cpu/topology
		echo $((cpu / 2 * 2))-$((cpu / 2 * 2 + 1)) >$at/cpu/cpu$cpu/topology/core_cpus_list
		echo $((cpu / 4 * 4))-$((cpu / 4 * 4 + 3)) >$at/cpu/cpu$cpu/topology/package_cpus_list
	done
	mkdir -p $at/node/node0 $at/node/node1 $at/node/node2
	echo 0-1 >$at/node/node0/cpulist
	echo 2-3 >$at/node/node1/cpulist
	echo 4-7 >$at/node/node2/cpulist
	echo 0-7 >$at/cpu/online
	echo 0-7 >$at/cpu/possible
	export SYSFS_PATH=$PWD/sys LD_PRELOAD=$fake
	tasks 9 -a -e cycles --threads=cpu
	tasks 5 -a -e cycles --threads=core
	tasks 3 -a -e cycles --threads=package
	tasks 4 -a -e cycles --threads=numa
	tasks 4 -a -e cycles --threads=3
	tasks 9 -a -e cycles --threads=100
	tasks 3 -a -e cycles --threads=0-6,99/0:7/1
	tasks 4 -a -e cycles --threads=0/0-1:1-3/2:4,5,6-7/8-9
	local masks what
	while read -r masks what; do
		run -2 --separate-stderr pp-record -a -e cycles --threads="$masks" -- true
		[ -z "$output" ]
		[[ $stderr == *"$what"* ]] || { echo "$masks: $stderr"; return 1; }
	done <<-'END'
		0-7/0:7/1 a CPU of '7' has another thread already
		0-6/0:7/0 another thread runs on a CPU of '0' already
		0-7/0:9/1 no CPU of '9' is recorded
		0-6/0 no thread reads the buffer of CPU 7
		0-7/0:7 '7' does not say where
		0-7/ '' is no list of CPUs
		/0 '' is no list of CPUs
		0-7/0: '' does not say where
		0-,7/0 '0-,7' is no list of CPUs
		7-0/0 '7-0' is no list of CPUs
		0-7/99999999999 '99999999999' is no list of CPUs
		0/0:1/1:2/2:3/3:4/4:5/5:6/6:7/7:8/8 there are more masks of threads than CPUs
	END
	run -2 pp-record -p $$ --per-thread -e cycles --threads=0/0 -- true
	assert_output -p 'give a number of threads'
}

@test "a thread of a CPU runs there, and so does with --affinity who reads" {
	need_all_cpus
	need taskset
	taskset -c 0 true 2>/dev/null || skip "no thread may be bound to a CPU here"
	# waits until some thread of its parent may run on one CPU alone
	local look='
		for (1 .. 1200) {
			for my $status (glob "/proc/" . getppid . "/task/*/status") {
				open my $in, "<", $status or next;
				exit 0 if grep { /^Cpus_allowed_list:\s*\d+$/ } <$in>;
			}
			select undef, undef, undef, 0.02;
		}
		exit 7;'
	local way
	[ "$(nproc --all)" -gt 1 ] || skip "there is one CPU"
	for way in --threads=cpu --threads=0/0 --affinity=cpu '--affinity=cpu -z'; do
		# shellcheck disable=SC2086
		pp-record -q -e cpu-clock -C 0 $way --exit-status -o out -- perl -e "$look"
		run -0 pp-check -q out
	done
}

@test "with --realtime all threads of the recorder have that priority" {
	need_root
	need_events
	local look='my %is;
		for (1 .. 1200) {
			my @tasks = glob "/proc/" . getppid . "/task/*/stat";
			%is = ();
			for my $path (@tasks) {
				open my $stat, "<", $path or next;
				(my $rest = <$stat>) =~ s/.*\) //;
				$is{join " ", (split " ", $rest)[37, 38]}++;
			}
			last if ($is{"7 1"} // 0) > 1 && keys %is == 1;
			select undef, undef, undef, 0.02;
		}
		print STDERR "are $is{$_}: $_\n" for keys %is;'
	pp-record -e cpu-clock -r 7 --threads=1 -o out -- perl -e "$look" 2>err || { grep 'real-time' err && skip "no real-time priority here"; }
	run grep '^are ' err
	assert_output --regexp '^are [23]: 7 1$'
}

@test "a recording whose buffers are read in threads ends with what is recorded" {
	need_events
	sleep 0.3 3>&- &
	pp-record -q -e cpu-clock --threads=2 -p $! -o out
	run -0 pp-check -q out
	pp-record -q -e cpu-clock --threads --per-thread -o out -- "${WORK[@]}"
	run -0 pp-check -q out
	sampled out
}

# bats test_tags=nightly
@test "buffers that are read in threads grow as well" {
	need_root
	need_events
	pp-record -v -e cs -c 1 -m 2 --max-buffer 1M --threads -o out -- "${STOPPING[@]}" 2>err
	run -0 pp-check out
	refute_output -p remark
	grep -E 'buffers were enlarged [0-9]+ times' err
}

@test "what makes no sense is refused with 2, and nothing is written" {
	local refused
	for refused in --threads=0 --threads=x --threads=4097 --affinity=core '--threads=2 --affinity=cpu'; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr pp-record $refused -e cpu-clock -- true
		[ -z "$output" ]
	done
}
