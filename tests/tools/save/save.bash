# save.bash - what tests of pp-save load: the sections of a file by a reader that is not ours,
# what perf prints of it, and a small stream.

# sections FILE: `name offset size` a line, of header, data, attrs and features as they lie, by a
# reader that is not ours; fails where they overlap or leave the file
sections() {
	perl -e 'local $/; my $s = <STDIN>;
		my ($magic, $size, $attr, $ao, $as, $do, $ds, $to, $ts, @map) = unpack "a8Q12", $s;
		die "no file header" unless $magic eq "PERFILE2" && $size == 104 && !$to && !$ts;
		die "attrs of $attr" if $as % $attr;
		my @all = (["header", 0, 104], ["attrs", $ao, $as], ["data", $do, $ds]);
		my @bits = grep $map[$_ / 64] >> $_ % 64 & 1, 0 .. 255;
		my $at = $do + $ds;
		push @all, ["table", $at, 16 * @bits];
		push @all, [$_, unpack "QQ", substr $s, $at, 16], $at += 16 for @bits;
		my $end = 0;
		for (sort { $a->[1] <=> $b->[1] || $a->[2] <=> $b->[2] } grep ref, @all) {
			die "$_->[0] at $_->[1] lies in what ends at $end" if $_->[1] < $end;
			$end = $_->[1] + $_->[2];
			print "@$_\n";
		}
		die "ends at $end" if $end > length $s' <"$1"
}

# section FILE NAME: its bytes, in hex
section() {
	local offset size
	read -r _ offset size < <(sections "$1" | grep "^$2 ")
	tail -c +$((offset + 1)) "$1" | head -c "$size" | od -An -v -tx1 | tr -d ' \n'
}

# data FILE: types of the records there, tails left out
data() {
	perl -e 'local $/; my $s = <STDIN>;
		my ($at, $size) = unpack "QQ", substr $s, 40, 16;
		for (my $end = $at + $size; $at < $end;) {
			my ($type, $misc, $n) = unpack "VvX6x6v", substr $s, $at, 8;
			print "$type\n";
			$at += $n + ($type == 71 ? unpack "Q", substr $s, $at + 8, 8 : 0);
		}' <"$1" | tr '\n' ' '
}

# same_script: perf prints the same of the stream `in` and of the file `out`
same_script() {
	perf_quiet script -i in >expected
	perf_quiet script -i out >got
	[ -s got ]
	diff <(as_of_files <expected) <(as_of_files <got)
}

# sampled: 101 samples, one each 10 ms from 1 s to 2 s
sampled() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm name=cpu-clock
		feature HOSTNAME string "build-host"
		feature CMDLINE list "perf" "record" "-a"
		comm pid=7 comm=work exec time=999999999
		repeat 101 {
		sample pid=7 cpu=$(i%2) time=$(i*10000000+1000000000) ip=0x1000
		}
		round
	END
}
