# notes.bats - pp-inject --note: where notes stand in a stream, and values of any size.

setup() {
	load ../../helper
	load inject
}

# notes FILE: `offset key value` a line, pieces of long values joined; `offset round` for rounds
notes() {
	perl -e '
		local $/;
		open my $f, "<:raw", $ARGV[0] or die;
		my $s = <$f>;
		my $more;
		for (my $at = 16; $at < length $s;) {
			my ($type, $misc, $size) = unpack "LSS", substr $s, $at, 8;
			my $body = substr $s, $at + 8, $size - 8;
			die "record of $size bytes\n" if $size < 8;
			if ($type == 68 && substr($body, 0, 8) eq "PPNOTE1\0") {
				my ($count, $flags) = unpack "x8 L2", $body;
				my $p = 16;
				die "size $size\n" if $size % 8;
				for (1 .. $count) {
					my ($k, $v) = unpack "L2", substr $body, $p, 8;
					my ($key, $value) = (substr($body, $p + 8, $k), substr $body, $p + 8 + $k, $v);
					$p += 8 + $k + $v;
					if ($more) {
						die "key $key in a piece\n" if $k;
						print $value;
					} else {
						print "$at $key $value";
					}
					$more = $_ == $count && $flags & 1;
					print "\n" unless $more;
				}
				die "padding\n" if $p > length $body || substr($body, $p) =~ /[^\0]/;
			} else {
				print "$at ", $type == 68 ? "round" : $type, "\n";
			}
			$at += $size;
		}' "$1"
}

@test "a note is the first record, and the rest is as it was" {
	hits /x >in
	pp-inject --note commit=4f2a9c1 -i in -o out
	notes out >got
	[ "$(sed -n 1p got)" = "16 commit 4f2a9c1" ]
	size=$(records out | awk 'NR == 1 { print $4 }')
	{ head -c 16 out; tail -c +$((17 + size)) out; } >rest
	same_bytes in rest
}

@test "notes come behind those that there are, with and without build-ids" {
	elf one
	hits "$PWD/one" >in
	pp-inject --note a=1 --note b=2 -i in -o first
	for options in '' -b; do
		pp-inject $options --note a=3 --note c= -i first -o out
		notes out | head -n 4 | cut -d' ' -f2- >got
		printf '%s\n' 'a 1' 'b 2' 'a 3' 'c ' >expected
		diff expected got
	done
	[ "$(names out)" = "$PWD/one" ]
}

@test "notes stand behind the first seal, and the seals hold" {
	elf one
	hits "$PWD/one" >in
	pp-inject --seal --note a=1 -i in -o sealed
	notes sealed | head -n 2 >got
	[[ "$(sed -n 1p got)" == "16 round" ]]
	[[ "$(sed -n 2p got)" == *" a 1" ]]
	run -0 --separate-stderr pp-inject -b --note b=2 -i sealed -o out
	[ -z "$stderr" ]
	notes out | head -n 3 | cut -d' ' -f2- >got
	printf '%s\n' 'round' 'a 1' 'b 2' >expected
	diff expected got
	# read again, with seals verified
	run -0 --separate-stderr pp-inject --no-seal --note c=3 -i out -o plain
	[ -z "$stderr" ]
}

@test "a value of any size goes on in further records" {
	hits /x >in
	value=$(perl -e 'print "x$_," for 1 .. 18000')
	[ "${#value}" -gt 100000 ]
	pp-inject --note "long=$value" --note after=it -i in -o out
	notes out | head -n 2 | cut -d' ' -f2- >got
	printf '%s\n' "long $value" 'after it' >expected
	cmp expected got
	[ "$(records out | head -n 4 | awk '$2 == "FINISHED_ROUND" { n++ } END { print n }')" -eq 3 ]
	for length in 65487 65488 65489 65490; do
		value=$(head -c $length /dev/zero | tr '\0' v)
		pp-inject --note "key=$value" -i in -o out
		[ "$(notes out | sed -n 1p | cut -d' ' -f3)" = "$value" ]
	done
}

@test "an equals sign in a value, and a stream without any record but notes" {
	{ echo header; } | build >empty
	hits /x >in
	pp-inject --note a=b=c -i in -o out
	[ "$(notes out | sed -n 1p | cut -d' ' -f2-)" = 'a b=c' ]
	run pp-inject --note a=1 -i empty -o out
	[ "$(notes out | sed -n 1p)" = '16 a 1' ]
}

@test "what is no note, and nothing at all to add, is misuse" {
	hits /x >in
	for note in x =x ''; do
		run -2 --separate-stderr pp-inject --note "$note" -i in -o out
		[[ ${stderr_lines[0]} == "pp-inject: "*"'$note' is not KEY=VALUE" ]]
	done
	run -2 --separate-stderr pp-inject -i in -o out
	[ "${stderr_lines[0]}" = "pp-inject: nothing to add: give --build-ids, --mmap2-buildids, --jit, --sched-stat or --note" ]
	[ ! -e out ]
}
