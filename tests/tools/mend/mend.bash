# mend.bash - what tests of pp-mend load: damage, mending, and which samples outside the damage
# arrive.

# mends STATUS [WORD...]: ./in becomes ./out with this status, which pp-check finds sound
mends() {
	local status=$1
	shift
	run "-$status" --separate-stderr pp-mend -i in -o out "$@"
	echo "$stderr"
	pp-check -q out
}

# passes FILE: it leaves as it came
passes() {
	echo "$1"
	pp-mend -i "$1" -o passed
	same_bytes "$1" passed
}

# outside FROM SIZE: samples of ./whole that do not touch these bytes, and how many of them are not
# in ./out, by a reader that is not ours
outside() {
	perl -I"$TESTS/oracle" -MRecords -e '
		my ($from, $size) = @ARGV;
		my $out = Records->open("out");
		my %have;
		while (my $r = $out->next) { $have{$r->{bytes}}++ if $r->{type} == 9 }
		my $whole = Records->open("whole");
		my ($all, $lost) = (0, 0);
		while (my $r = $whole->next) {
			next if $r->{type} != 9;
			next if $r->{offset} < $from + $size && $r->{offset} + $r->{size} > $from;
			$all++;
			$lost++ if !$have{$r->{bytes}}--;
		}
		print "$all $lost\n"' "$@"
}

# damaged KIND SIZE PLACE: ./whole with this, as ./in
damaged() { pp-gen -i whole "--$1=$2@$3" -o in; }

# arrives FROM SIZE: but for a sample that stands at either end of the damage all of them do
arrives() {
	local all lost
	read -r all lost <<<"$(outside "$@")"
	echo "of $all samples outside $lost are lost"
	[ "$all" -gt 1000 ]
	[ "$lost" -le 1 ]
}

# promise FILE: `offset size` of the feature COMPRESSED
promise() { pp-dump --raw --json -i "$1" | jq -r 'select(.feature == "COMPRESSED") | "\(.offset) \(.size)"'; }
