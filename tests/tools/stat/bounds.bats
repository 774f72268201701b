# bounds.bats - pp-stat and counts that are estimates: between which values the true one is.

setup() {
	load ../../helper
	need jq
}

# multiplexed SEED INTERVALS SLICES GROUPS: the stream of 1000 events whose counters took turns, slice by slice
# of 4 ms, one of GROUPS at a time; the true counts go to the file `truth`.  The rate of every other event is
# another in each slice, without memory; that of the others wanders, or changes with phases of the program.
multiplexed() {
	perl -e '
		my ($seed, $intervals, $slices, $groups) = @ARGV;
		srand $seed;
		sub normal { sqrt(-2 * log(1 - rand)) * cos(6.283185307179586 * rand) }
		my (@c, @r, @true, @level, @first);
		print "header\n";
		print "attr id=$_ type=4 config=$_ sample_type=0\n" for 1 .. 1000;
		print "thread_map entries=-1:\ncpu_map cpus=65535\nstat_config entries=0:1,1:100,2:1\n";
		$first[$_] = int rand $groups for 1 .. 1000;
		for my $i (0 .. $intervals - 1) {
			for my $e (1 .. 1000) {
				for my $s (0 .. $slices - 1) {
					my $rate;
					if ($e % 2) { $rate = exp 0.5 * normal() }
					elsif ($e % 4) { $rate = exp($level[$e] = 0.95 * ($level[$e] // 0) + 0.2 * normal()) }
					else { $level[$e] = 1.5 * int rand 2 if rand() < 0.05; $rate = exp($level[$e] // 0) * (0.8 + 0.4 * rand) }
					my $n = int(10000 * $rate);
					$true[$e] += $n;
					next if ($i * $slices + $s + $first[$e]) % $groups;
					$c[$e] += $n;
					$r[$e] += 4_000_000;
				}
				printf "stat id=%d cpu=-1 thread=0 val=%d ena=%d run=%d\n", $e, $c[$e], ($i + 1) * $slices * 4_000_000, $r[$e];
			}
			printf "stat_round type=0 time=%d\n", ($i + 1) * $slices * 4_000_000;
		}
		open my $truth, ">", "truth" or die;
		print $truth "$true[$_]\n" for 1 .. 1000;
	' "$@"
}

# two RUNNING: 3000 and then 100 more, in two intervals of which each had 2 ns, and ran for so many
two() {
	build <<-END
		header
		attr id=1 type=1 config=2 sample_type=0
		stat_config entries=0:1,1:100,2:1
		stat id=1 cpu=-1 thread=0 val=3000 ena=2 run=$1
		stat_round type=0 time=100000000
		stat id=1 cpu=-1 thread=0 val=3100 ena=4 run=$((2 * $1))
		stat_round type=0 time=200000000
	END
}

# The formula stands in pp-stat(1), ESTIMATES.
@test "the bounds of events that took turns have the true count in 95 % of 1,000 simulated runs" {
	local seed=1 kind
	for kind in '10 25 4' '5 25 2' '15 20 3'; do
		multiplexed $((seed++)) $kind | build >in.pipe
		pp-stat -I 0 --json in.pipe | jq -r 'select(.kind == "count") | "\(.value) \(.low) \(.high)"' >got
		paste -d' ' truth got | awk -v kind="$kind" '
			{ n++; within += $1 >= $3 && $1 <= $4; wide += ($4 - $3) / 2 / $2 }
			# without memory is the hardest: there is no more room than is needed
			n % 2 { plain++; plain_within += $1 >= $3 && $1 <= $4 }
			END { print kind, n, within, plain_within, wide / n; exit !(n == 1000 && within >= 950 && plain_within >= 0.93 * plain && wide / n < 0.35) }'
	done
}

@test "the formula: Student, the rate of all, and what was not counted" {
	# 3000 and 100 in 1 ns each, a rate of 1550: 12.7062 * 4/2 * sqrt(2/1 * 2 * 1450^2 * (1 - 2/4))
	two 1 >in.pipe
	[ "$(pp-stat -I 0 --json in.pipe | jq -r 'select(.kind == "count") | "\(.value) \(.low) \((.high - .value) / 12.7062 / 2 | round)"')" = '6200 3100 2051' ]
	pp-stat -I 0 in.pipe | grep -qE '^ +6200 +page-faults +\(50\.00%\)  \[3100 to 58311\]$'
	# of an interval alone nothing is known
	run -0 pp-stat in.pipe
	refute_output --partial '['
	pp-stat -I 200 in.pipe | grep -q '\[3100 to'
	pp-stat --summary --csv in.pipe | grep -q '^count,total,.*,3100,58310\.'
}

@test "counters that ran all the time have no bounds" {
	two 2 >in.pipe
	pp-stat -I 0 --json in.pipe | jq -e -s 'all(.low == null)'
}
