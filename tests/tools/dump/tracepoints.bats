# tracepoints.bats - fields of tracepoints in pp-dump: those of the format, and those of perf.

setup() { load ../../helper; }

# What perf says of a tracepoint as name=value, beside what we say.
@test "perf says the same of the fields of tracepoints" {
	need_tracepoints
	perf_quiet record -o - -e sched:sched_switch -e sched:sched_process_fork -- "${CALLS[@]}" >in
	perf script -i in -F event,trace >lines 2>/dev/null
	# it says the state in letters, and calls the parent otherwise
	perl -ne 's/ ==> / /; s/ prev_state=\S+//; s/^\s+|\s+$//g; s/:\s+/ /;
		s/(sched_process_fork) comm=(.*?) pid=/$1 parent_comm=$2 parent_pid=/; print "$_\n"' lines | sort >expected
	json in | jq -r 'select(.trace) | "\(.event) " + (.trace |
		with_entries(select(.key | test("^common_|^prev_state$") | not)) |
		to_entries | map("\(.key)=\(.value)") | join(" "))' | sort >got
	[ -s got ]
	diff expected got
	# text has the same in its way
	pp-dump --type sample -i in | sed -n 's/.* trace={\(.*\)}$/\1/p' | tr -d '"' | sed 's/ prev_state=[0-9]*//' | sort >text
	cut -d' ' -f2- got | sort | diff - text
}

# traced ORDER: a stream of this byte order with one tracepoint, whose format is standard input, and
# one sample of it
traced()
{
	perl -e '
		my $big = $ARGV[0] eq "big";
		my ($u16, $u32, $u64) = $big ? qw(n N Q>) : qw(v V Q<);
		my $text = join "", <STDIN>;
		my $data = "\x17\x08\x44tracing0.6\0" . pack("CC$u32", $big, 8, 4096)
			. "header_page\0" . pack($u64, 0) . "header_event\0" . pack($u64, 0)
			. pack("$u32$u32", 0, 1) . "sys\0" . pack("$u32$u64", 1, length $text) . $text
			. pack("$u32$u32$u64", 0, 0, 0);
		my $raw = pack "$u16 x2 $u32 $u16 $u16 $u64 $u32 a4 a3 a5", 77, 3 << 16 | 28, 0xfffe, 3,
			0xffff800000000001, 2 << 16 | 7, "\1\2\3", "hi", "\7\11";
		print $big ? "header big\n" : "header\n";
		print "attr type=2 config=77 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW\n";
		print "tracing hex=", unpack("H*", $data), "\n";
		print "sample pid=1 time=1 raw=", unpack("H*", $raw), "\n"' "$1" | build
}

@test "fields of tracepoints are what the format says, of any kind and in either order" {
	cat >format <<-'END'
		name: point
		ID: 77
		format:
			field:unsigned short common_type;	offset:0;	size:2;	signed:0;

			field:__data_loc char[] text;	offset:4;	size:4;	signed:0;
			field:short v[2];	offset:8;	size:4;	signed:1;
			field:const void __attribute__((user)) * p;	offset:12;	size:8;	signed:0;
			field:__rel_loc u8[] tail;	offset:20;	size:4;	signed:0;
			field:struct thing s;	offset:24;	size:3;	signed:0;
			field:int far;	offset:60;	size:4;	signed:1;

		print fmt: "%s", REC->text
	END
	for order in little big; do
		traced $order <format >in
		run -0 bash -c "pp-dump --json -i in | jq -c 'select(.trace).trace'"
		assert_output '{"common_type":77,"text":"hi","v":[-2,3],"p":"0xffff800000000001","tail":[7,9],"s":"010203"}'
		run -0 bash -c "pp-dump --type sample -i in | sed 's/.* trace=//'"
		assert_output '{text="hi" v=[-2 3] p=0xffff800000000001 tail=[7 9] s=010203}'
		# and they are for readers only
		pp-cat -i in >plain
		pp-dump --json -i plain | pp-undump -o out
		same_bytes plain out
	done
}

@test "a format that is damaged leaves the raw data as they are" {
	for format in '' 'name: x' $'name: x\nID: 77\nformat:\n\tfield:char buf[;' \
		$'name: x\nID: 77\nformat:\n\tfield:__attribute__((x)) y;\toffset:0;\tsize:1;\tsigned:0;\n\n' \
		$'name: x\nID: 77\nformat:\n\tfield:int a;\toffset:99999999999;\tsize:4;\tsigned:0;\n\n'; do
		traced little <<<"$format" >in
		run -0 --separate-stderr bash -c "pp-dump --json -i in | jq -c 'select(.type == \"SAMPLE\") | [.trace, (.fields.raw | length)]'"
		assert_output '[null,72]'
		assert_equal "$stderr" ""
	done
}
