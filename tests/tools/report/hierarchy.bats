# hierarchy.bats - pp-report --hierarchy: a level for each key, as perf report --stdio --hierarchy prints it.

setup() {
	load ../../helper
	load report
	named_program
}

# many THREADS: samples of several threads on two CPUs in the three functions and nowhere, of two events
many() {
	local id=0 name
	echo header
	for name in cpu-clock task-clock; do
		echo "attr id=$((++id)) type=1 config=$((id - 1)) sample_type=IP,TID,TIME,CPU,PERIOD,CALLCHAIN,IDENTIFIER flags=sample_id_all,comm,mmap"
		echo "event_update id=$id name=$name"
	done
	perl -e '
		my ($prog, $time) = ($ARGV[0], 100);
		my $first = 5000000;          # no process of this machine
		for my $pid ($first .. $first + 4) {
			printf "comm pid=%d comm=%s time=%d\n", $pid, (qw(make cc1 as ld make))[$pid - $first], $time++;
			print "mmap2 pid=$pid tid=$pid start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=\"$prog\" time=", $time++, "\n";
		}
		srand 7;
		for (1 .. 400) {
			my $pid = $first + int 5 * rand() ** 2;
			my $ip = (0x401004, 0x401024, 0x401030, 0x401062, 0x900000)[int 5 * rand() ** 2];
			my $up = (0x401010, 0x401040)[int 2 * rand()];
			printf "sample id=%d misc=2 pid=%d tid=%d time=%d cpu=%d period=%d ip=%#x callchain=-512,%#x,%#x\n", 1 + ($_ % 9 == 0), $pid, $pid,
				$time++, $_ % 3 ? 0 : 1, 10 * (1 + $_ % 4), $ip, $ip, $up;
		}' "$PWD/prog"
	echo round
}

lines_of_options() {
	cat <<-'END'
		--hierarchy
		--hierarchy -g none
		--hierarchy -g caller
		--hierarchy -g fractal,1 -s sym
		--hierarchy -s comm,cpu,sym
		--hierarchy -s comm
		--hierarchy -s cpu,comm -g none
		--hierarchy -s dso,comm,cpu,sym -g none
		--hierarchy -s pid,sym -g none
		--hierarchy -s sym,comm -g none
		--hierarchy -n
		--hierarchy -n --show-total-period -s comm,sym -g none
		--hierarchy --showcpuutilization -g none
		--hierarchy -t ,
		--hierarchy -t , -n -s comm,cpu
		--hierarchy --percent-limit 6
		--hierarchy --percent-limit 20 -g none
		--hierarchy --percent-limit 20 -n -g none
		--hierarchy --percent-limit 20 -t :
		--hierarchy -c make -s comm -g none
		--hierarchy --group -g none
		--hierarchy -c make -g none
		--hierarchy -c make,cc1 -g none
	END
}

@test "report: --hierarchy is perf's, of one key and of four, with weights, trees and a least percentage" {
	need_perf
	many | build >in
	[ "$(lines_of_options | wc -l)" -eq 23 ]
	lines_of_options | sed 's/$/ --no-children/' | compared perf
	need_newer_perf 7.3
	# which names no callers there, and has sums of children that are not sums
	lines_of_options | sed 's/$/ --no-children -g none/' | compared "$(newer_perf 7.3)"
}

@test "report: --hierarchy refuses what has no levels, and what it adds up is what is shown" {
	many | build >in
	for options in '-F overhead,sym' --csv --json --children; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr pp-report --hierarchy $options in
		[ "${stderr_lines[0]}" = 'pp-report: --hierarchy cannot be combined with --fields, --csv, --json or --children' ]
	done
	pp-report --hierarchy -g none -S inner -s comm,sym in | grep '%' >got
	[ "$(awk '{ print $1, $NF }' got | head -n 2 | paste -sd ' ')" = '19.44% make 19.44% inner' ]
	# a key that is the only one has a level, too
	diff <(pp-report --hierarchy -g none -s comm in | awk '/%/ { print $1, $2 }') \
		<(pp-report --no-children -g none -s comm in | awk '/%/ { print $1, $2 }')
	# and without samples there is nothing
	printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME' round | build >empty
	run -0 --separate-stderr pp-report --hierarchy empty
	assert_output ''
}
