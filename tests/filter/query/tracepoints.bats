# tracepoints.bats - filter expressions about fields of tracepoints, and names that are unknown
# until the stream says them.

setup() {
	load ../../helper
	load query
}

# formats: a line of build.pl with two tracepoints: test:one (5) and test:two (6)
formats() {
	perl -e '
		sub format_of {
			my ($name, $id, @fields) = @_;
			my $text = "name: $name\nID: $id\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n";
			$text .= "\tfield:$_->[0];\toffset:$_->[1];\tsize:$_->[2];\tsigned:$_->[3];\n" for @fields;
			$text . "\nprint fmt: \"x\"\n";
		}
		my @formats = (
			format_of("one", 5, ["char who[8]", 4, 8, 0], ["int state", 12, 4, 1],
				["unsigned long addr_of", 16, 8, 0], ["unsigned short v[2]", 24, 4, 0],
				["__data_loc char[] path_of", 28, 4, 0]),
			format_of("two", 6, ["long state", 8, 8, 1], ["int who", 16, 4, 1]));
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CCV", 0, 8, 4096) . "header_page\0" . pack("Q<", 0)
			. "header_event\0" . pack("Q<", 0) . pack("VV", 0, 1) . "test\0" . pack("V", scalar @formats)
			. join("", map { pack("Q<", length) . $_ } @formats) . pack("VVQ<", 0, 0, 0);
		print "tracing hex=", unpack("H*", $data), "\n"'
}

# one STATE ADDR V0 V1 WHO PATH, two STATE WHO: the raw data of these
one() { perl -e 'print unpack "H*", pack "v x2 a8 l< Q< v v V a*", 5, @ARGV[4, 0, 1, 2, 3], (1 + length $ARGV[5]) << 16 | 32, "$ARGV[5]\0"' -- "$@"; }
two() { perl -e 'print unpack "H*", pack "v x6 q< l<", 6, @ARGV' -- "$@"; }

# traced SAMPLE_TYPES: the stream of the tests below
traced() {
	{
		echo 'header'
		echo "attr id=1 type=2 config=5 sample_type=$1 flags=sample_id_all,comm"
		echo "attr id=2 type=2 config=6 sample_type=$1 flags=sample_id_all"
		echo "attr id=3 type=1 config=0 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all"
		formats
		echo 'comm pid=7 comm=perl time=1'
		local more='callchain=1,2'
		[[ $1 == *CALLCHAIN* ]] || more=
		echo "sample id=1 pid=7 time=1000 $more raw=$(one -5 18446744071578845184 1 65535 nginx /etc/x)"
		echo "sample id=1 pid=7 time=2000 $more raw=$(one 3 16 7 8 longname '')"
		echo "sample id=2 pid=7 time=3000 $more raw=$(two -5000000000 9)"
		echo "sample id=2 pid=7 time=4000 $more raw=$(two 3 -1)"
		echo "sample id=2 pid=7 time=5000 $more raw=0600"
		echo 'sample id=3 pid=7 time=6000'
		echo 'round'
	} | build
}

@test "fields of tracepoints are asked for by name, alone or with the event's" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	rows SAMPLE <<-'END'
		test:one.who == "nginx" => 1000
		who == "nginx" => 1000
		who ~ "*n*" => 1000 2000
		who =~ "^long" => 2000
		who != "nginx" => 2000
		who in {"longname", "x"} => 2000
		test:two.who == 9 => 3000
		who < 0 => 4000
		who == -1 || who == "nginx" => 1000 4000
		state < 0 => 1000 3000
		state == -5 => 1000
		state == -5000000000 => 3000
		state >= 3 => 2000 4000
		state != 3 => 1000 3000
		state in {-10..-1, 9} => 1000
		state in -6000000000..-6 => 3000
		test:two.state == 3 => 4000
		!(test:two.state == 3) => 1000 2000 3000 5000 6000
		addr_of == 0xffffffff81000000 => 1000
		addr_of > 16 => 1000
		addr_of - 8 < 9 => 2000
		v[1] == 65535 => 1000
		any(v) == 7 => 2000
		any(v) in 1..7 => 1000 2000
		v[2] >= 0 =>
		path_of == "/etc/x" => 1000
		path_of == "" => 2000
		state * 2 == test:one.v[0] - 1 => 2000
		common_type == 6 => 3000 4000 5000
		defined(state) => 1000 2000 3000 4000
		defined(test:one.state) => 1000 2000
		defined(v[1]) => 1000 2000
		defined(v[2]) =>
		!defined(common_type) => 6000
		state == 3 && comm == "perl" => 2000 4000
		pid == 7 && state == 3 => 2000 4000
	END
	# wherever the raw data lie
	for types in IP,TID,TIME,IDENTIFIER,CALLCHAIN,RAW IP,TID,TIME,IDENTIFIER,READ,CALLCHAIN,RAW; do
		traced $types >in.pipe
		rows SAMPLE <<-'END'
			who == "nginx" => 1000
			state == -5000000000 || path_of == "" => 2000 3000
		END
	done
}

@test "--prune asks for fields of tracepoints as well, and says what is not one" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	pp-filter --prune 'who == "nginx" || test:two.state == 3' -i in.pipe -o out.pipe
	[ "$(of SAMPLE out.pipe)" = "1000 4000" ]
	pp-filter 'who == "longname"' -i out.pipe -o none.pipe
	[ -z "$(of SAMPLE none.pipe)" ]
	run -2 --separate-stderr pp-filter --prune -i in.pipe -o out.pipe 'test:one.whom == 1'
	grep -q "no field is called 'test:one.whom'" <<<"$stderr"
}

@test "side-band passes where only tracepoints' fields are asked for" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	pp-filter 'who == "nobody"' -i in.pipe -o out.pipe
	[ "$(all out.pipe)" = COMM:1 ]
}

@test "names that the stream does not tell are refused at the first sample, with the nearest" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	refused 'pid == 1 && stat == 3' "no field is called 'stat'; did you mean state?" 12
	refused 'test:one.whom == "x"' "no field is called 'test:one.whom'; did you mean who?" 0
	refused 'test:three.who == "x"' "the stream has no format of the tracepoint 'test:three'" 0
	refused 'path_of == 3' "'path_of' is text, not a number" 0
	refused 'state =~ "x"' "'state' is not text, which it is compared with" 0
	refused 'v == 3' "'v' has several values: use any(), or select one with [0]" 0
	refused 'test:one == 3' "no field is called 'test:one'; --fields lists all" 0
	refused 'who.x == 3' "no field is called 'who.x'; --fields lists all" 0
	run -2 --separate-stderr pp-filter --invert -p 7 'xyzzy == 1' -i in.pipe
	[ "${stderr_lines[1]}" = '  xyzzy == 1' ]
	[ "${stderr_lines[2]}" = '  ^' ]
	# and where no sample comes at all
	printf 'header\nattr id=1\nround\n' | build >in.pipe
	run -2 --separate-stderr pp-filter 'xyzzy == 1' -i in.pipe -o out.pipe
	[ "${stderr_lines[0]}" = "pp-filter: no field is called 'xyzzy'; --fields lists all" ]
	[ ! -e out.pipe ]
}

@test "--fields lists tracepoints and the records that the stream has" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	run -0 --separate-stderr pp-filter --fields -i in.pipe
	[ -z "$stderr" ]
	[[ "$output" == *$'\nfields of tracepoints:\n'*$'\ntest:one.who '*'text    char[8]'* ]]
	[[ "$output" == *$'\ntest:one.v[N] '*'number  '* ]]
	[[ "$output" == *$'\nfields of COMM records:\npid '* ]]
	[[ "$output" != *'fields of MMAP2'* ]]
}

@test "--first-per takes a tracepoint's field" {
	traced IP,TID,TIME,IDENTIFIER,RAW >in.pipe
	pp-filter --first-per test:two.state -i in.pipe -o out.pipe
	[ "$(of SAMPLE out.pipe)" = '1000 3000 4000' ]
	run -2 --separate-stderr pp-filter --first-per pid,stat -i in.pipe
	[ "${stderr_lines[0]}" = "pp-filter: no field is called 'stat'; did you mean state?" ]
	[ "${stderr_lines[2]}" = '      ^' ]
}

@test "--explain tells of side-band, tasks and tracepoints" {
	run -0 --separate-stderr bash -c "pp-filter --explain 'type == MMAP2 && filename ~ \"x\" || children_of(7) &&
		ns.pid == 1 && cgroup_path == \"/\" && sched:sched_switch.prev_pid == 5' </dev/null"
	[ "$output" = 'samples are tested in time order, with names, ancestors, namespaces and control groups of tasks; so is side-band
1: type == MMAP2  [a load]  yes: 2, no: 3
2: filename ~ "x"  [a walk through side-band]  yes: keep, no: 3
3: children_of(7)  [ancestors of tasks]  yes: 4, no: drop
4: ns.pid == 1  [namespaces of tasks]  yes: 5, no: drop
5: cgroup_path == "/"  [paths of control groups]  yes: 6, no: drop
6: sched:sched_switch.prev_pid == 5  [the tracepoint'"'"'s data]  yes: keep, no: drop' ]
}

# bats test_tags=nightly
@test "fields of tracepoints that perf records are what perf says" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e sched:sched_process_fork -- "${CALLS[@]}" >in.pipe
	pp-filter 'prev_comm == "perl" && prev_pid == pid' -i in.pipe -o some.pipe
	[ "$(records -s some.pipe | wc -l)" -gt 0 ]
	perf script -i in.pipe -F event,time,trace --ns 2>/dev/null | grep -c 'prev_comm=perl ' >expected
	pp-filter 'sched:sched_switch.prev_comm == "perl"' -i in.pipe -o some.pipe
	[ "$(cat expected)" -eq "$(records -s some.pipe | wc -l)" ]
}
