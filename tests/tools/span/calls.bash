# calls.bash - streams of system calls, from a few words each.

# calls MACHINE [BITS]: a stream of lines TIME TID enter|exit NUMBER, exit with the result; samples have these bits
calls() {
	local bits=${2-IP,TID,TIME,CPU,PERIOD,IDENTIFIER,RAW}
	{
		printf '%s\n' header "attr id=11 type=2 config=11 sample_type=$bits flags=sample_id_all" \
			"attr id=12 type=2 config=12 sample_type=$bits flags=sample_id_all" \
			'event_update id=11 name=raw_syscalls:sys_enter' 'event_update id=12 name=raw_syscalls:sys_exit'
		[ -z "$1" ] || echo "feature ARCH string \"$1\""
		perl -e '
			my $field = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n";
			my @formats = map { "name: $$_[1]\nID: $$_[0]\nformat:\n$field$$_[2]\nprint fmt: \"NR %ld\", REC->id\n" }
				[ 11, "sys_enter", "" ], [ 12, "sys_exit", "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n" ];
			my $data = "\x17\x08\x44tracing0.6\0" . pack("CCL<", 0, 8, 4096) . "header_page\0" . pack("Q<", 0)
				. "header_event\0" . pack("Q<", 0) . pack("L<2", 0, 1) . "raw_syscalls\0" . pack("L<", scalar @formats)
				. join("", map { pack("Q<", length) . $_ } @formats) . pack("L<2Q<", 0, 0, 0);
			print "tracing hex=", unpack("H*", $data), "\n";
			while (<STDIN>) {
				my ($time, $tid, $what, $id, $result) = split;
				print "sample id=", $what eq "enter" ? 11 : 12,
					" pid=7 tid=$tid cpu=0 time=$time ip=0x401000 misc=2 raw=",
					unpack("H*", pack("x8 q< q< x8", $id, $result // 0)), "\n";
			}'
		echo round
	} | build
}

# some: calls of two threads
some() {
	printf '%s\n' '1000 7 enter 257' '1500 7 exit 257 -2' '2000 7 enter 0' '2100 8 enter 257' '2400 8 exit 257 3' \
		'2500 7 exit 0 100' '3000 7 enter 202' '3500 7 exit 202 -512' '4000 8 enter 9999' '4500 8 exit 9999 -38' \
		'5000 8 enter -1' '5100 8 exit -1 -5000' '6000 8 enter 257'
}
