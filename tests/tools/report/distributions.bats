# distributions.bats - pp-report: how the periods of an entry's samples are spread, beside what is exact.

setup() {
	load ../../helper
}

# Samples of two threads with periods of every size, from a generator of its own; and the same as lines
# "comm period".
make_periods() {
	perl -e 'my $seed = shift;
		print "header\n", "attr id=1 type=1 config=0 period=1 sample_type=IP,TID,TIME,ID,CPU,PERIOD,IDENTIFIER ",
			"flags=sample_id_all,comm,mmap\n";
		print "comm pid=$_ tid=$_ comm=t$_ time=1 id=1\n" for 7, 8;
		open my $lines, ">", "periods" or die;
		for my $i (2 .. 1200) {
			$seed = ($seed * 1103515245 + 12345) % 2147483648;
			my $tid = $seed >> 16 & 1 ? 7 : 8;
			$seed = ($seed * 1103515245 + 12345) % 2147483648;
			my $bits = 1 + ($seed >> 8) % 50;
			$seed = ($seed * 1103515245 + 12345) % 2147483648;
			my $period = int(($seed / 2147483648) * 2 ** $bits) + ($tid == 8 ? 1000000 : 0);
			my $ip = 0x1000 + $i % 16;
			print "sample id=1 misc=2 pid=$tid tid=$tid time=$i period=$period ip=$ip\n";
			print $lines "t$tid $period\n";
		}
		print "round\n";' "$1"
}

# What pp-report is to say of them, from all periods in order: the nearest ranks.
exact() {
	perl -e 'my %of;
		while (<>) {
			my ($comm, $period) = split;
			push @{$of{$comm}}, $period;
		}
		for my $comm (sort keys %of) {
			my @p = sort { $a <=> $b } @{$of{$comm}};
			my $sum = 0;
			$sum += $_ for @p;
			print join(" ", $comm, scalar @p, $sum, sprintf("%.0f", $sum / @p), $p[0],
				(map { $p[int(($_ * @p + 99) / 100) - 1] } 50, 90, 99), $p[-1]), "\n";
		}' periods
}

# Compares two such tables: all but quantiles are equal, and these are off by 1/64 at most.
compare() {
	perl -e 'my ($got, $exact) = map { open my $f, "<", $_ or die; [ map { [ split ] } <$f> ] } @ARGV;
		die "rows\n" unless @$got == @$exact && @$got;
		for my $row (0 .. $#$got) {
			my ($g, $e) = ($got->[$row], $exact->[$row]);
			for my $i (0 .. 8) {
				die "$i: $g->[$i], not $e->[$i]\n" unless $i > 4 && $i < 8 ?
					abs($g->[$i] - $e->[$i]) <= $e->[$i] / 64 : $g->[$i] eq $e->[$i];
			}
		}' "$@"
}

of_json() {
	jq -r 'select(.comm) | "\(.comm) \(.count) \(.sum) \(.mean) \(.min) \(.p50) \(.p90) \(.p99) \(.max)"' | sort
}

columns=count,sum,mean,min,p50,p90,p99,max

@test "report distributions: quantiles are those of all periods, within the width of a bucket" {
	local seed
	for seed in 1 22; do
		make_periods $seed | build >in
		exact >exact
		pp-report -s comm -F $columns --json in | of_json >got
		compare got exact
	done
}

@test "report distributions: keys that make more rows share the same samples among them" {
	make_periods 5 | build >in
	pp-report -s comm,symoff -F $columns --json --hist in >rows
	[ "$(jq -s '[.[] | select(.comm)] | length' rows)" -gt 16 ]
	# every sample is in one bucket of one row
	[ "$(jq -s '[.[] | .buckets // [] | .[] | .[2]] | add' rows)" = 1199 ]
	# a row's buckets hold its samples, and its least and largest period, and ascend without a gap between ends
	jq -es 'all(.[] | select(.comm); . as $r | ($r.buckets | map(.[2]) | add) == $r.count and
		$r.buckets[0][0] <= $r.min and $r.buckets[0][1] >= $r.min and
		$r.buckets[-1][0] <= $r.max and $r.buckets[-1][1] >= $r.max and
		all(range(1; $r.buckets | length); $r.buckets[. - 1][1] < $r.buckets[.][0]) and
		all($r.buckets[]; .[0] <= .[1] and .[1] - .[0] <= .[0] / 32))' rows >/dev/null
	jq -rs '.[] | select(.comm) | "\(.comm) \(.count)"' rows | awk '{ n[$1] += $2 } END { print n["t7"], n["t8"] }' >got
	awk '{ n[$1]++ } END { print n["t7"], n["t8"] }' periods | diff - got
}

@test "report distributions: rows whose lightest stacks were dropped keep their periods" {
	make_periods 9 | sed 's/sample_type=IP,/sample_type=IP,CALLCHAIN,/; /^sample/ {
		s/\(.*\) ip=\([0-9]*\)/\1 ip=\2 callchain=-512,\2,4096/ }' | build >in
	exact >exact
	pp-report -s comm -F $columns --json --no-children --stacks 4K in 2>/dev/null | of_json >got
	compare got exact
}

@test "report distributions: a row is sorted by its quantiles, and a mean is rounded" {
	cat >text <<-END
		header
		attr id=1 type=1 config=0 period=1 sample_type=IP,TID,TIME,ID,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		comm pid=7 tid=7 comm=many time=1 id=1
		comm pid=8 tid=8 comm=one time=1 id=1
		sample id=1 misc=2 pid=7 tid=7 time=2 period=10 ip=1
		sample id=1 misc=2 pid=7 tid=7 time=3 period=11 ip=1
		sample id=1 misc=2 pid=7 tid=7 time=4 period=0 ip=1
		sample id=1 misc=2 pid=8 tid=8 time=5 period=12 ip=1
		round
	END
	build <text >in
	run -0 pp-report --csv -F p50,comm in
	assert_line --index 1 --partial ',12,one'
	run -0 pp-report --csv -s comm -F sum,count,mean,min,max in
	assert_line --index 1 --partial ',21,3,7,0,11,many'
}

@test "report distributions: bars stand below their rows, one for each power of two" {
	cat >text <<-END
		header
		attr id=1 type=1 config=0 period=1 sample_type=IP,TID,TIME,ID,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm
		comm pid=7 tid=7 comm=many time=1 id=1
		sample id=1 misc=2 pid=7 tid=7 time=2 period=0 ip=1
		sample id=1 misc=2 pid=7 tid=7 time=3 period=4 ip=1
		sample id=1 misc=2 pid=7 tid=7 time=4 period=7 ip=1
		sample id=1 misc=2 pid=7 tid=7 time=5 period=18446744073709551615 ip=1
		round
	END
	build <text >in
	pp-report --hist -s comm -F count,comm in | grep -A 3 many | tr -s ' ' >got
	cat >want <<-END
		4 many

		0 - 1 1 $(printf '%20s' '' | tr ' ' '#')
		2 - 3 0
	END
	sed -i 's/ *$//; s/^ //' got
	diff want got
	pp-report --hist -s comm -F count,comm in | tr -s ' ' |
		grep -q "^ 4 - 7 2 $(printf '%40s' '' | tr ' ' '#')\$"
	pp-report --hist -s comm -F count,comm in | grep -q '9223372036854775808 - 18446744073709551615  *1 '
}

@test "report distributions: what does not add up is refused where rows are added up" {
	make_periods 1 | build >in
	run -2 pp-report --hierarchy -s p99,comm in
	assert_output --partial 'a mean or a quantile is no sum'
	run -0 pp-report --hierarchy -s count,comm in
	run -2 pp-report --hist --csv in
	run -2 pp-report --hist -t , in
	run -2 pp-report --hist --hierarchy in
}

@test "report distributions: the beginning of such a name stands for what it did before" {
	make_periods 1 | build >in
	pp-report --csv -F c in | head -n 1 | grep -q '^event,comm'
	run -2 pp-report --csv -F cou in
}

@test "report distributions: pp-top has the same columns, and what fades is less" {
	make_periods 3 | build >in
	exact >exact
	run -0 --separate-stderr pp-top --once --decay 0 -s comm -F p99,count,max in
	assert_output --partial 'P99'
	assert_output --partial "$(awk '$1 == "t8" { print $NF }' exact)"
}
