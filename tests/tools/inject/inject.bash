# inject.bash - what tests of pp-inject's build-ids and notes load: files that have build-ids,
# streams that hit them, and what a stream says of build-ids.

# elf FILE [class=32|64] [order=little|big] [in=segment|section] [id=HEX] [align=4|8]: an ELF file
# that is nothing but its header, one table and notes, the build-id behind another note
elf() {
	perl -e '
		my ($file, %o) = ($ARGV[0], class => 64, order => "little", in => "segment", id => "ab" x 20,
			align => 4, map { split /=/, $_, 2 } @ARGV[1 .. $#ARGV]);
		my $e = $o{order} eq "big" ? ">" : "<";
		my $wide = $o{class} == 64;
		my $word = $wide ? "Q$e" : "L$e";
		my $note = sub {
			my ($name, $type, $desc) = @_;
			my $n = pack("L${e}3", length($name) + 1, length $desc, $type) . "$name\0";
			$n .= "\0" while length($n) % $o{align};
			$n .= $desc;
			$n .= "\0" while length($n) % $o{align};
			$n;
		};
		my $notes = $note->("ABC", 3, "other") . $note->("GNU", 1, "x" x 16) .
			$note->("GNU", 3, pack "H*", $o{id});
		my ($head, $entry) = $wide ? (64, $o{in} eq "segment" ? 56 : 64) :
			(52, $o{in} eq "segment" ? 32 : 40);
		my $at = $head + 2 * $entry;
		my $row = sub {
			my ($type, $offset, $size) = @_;
			$o{in} eq "section" ?
				pack("L${e}2 ($word)4 L${e}2 ($word)2", 0, $type, 0, 0, $offset, $size, 0, 0, $o{align}, 0) :
			$wide ? pack("L${e}2 Q${e}6", $type, 4, $offset, 0, 0, $size, $size, $o{align}) :
				pack("L${e}8", $type, $offset, 0, 0, $size, $size, 4, $o{align});
		};
		my $type = $o{in} eq "segment" ? 4 : 7;
		my @tables = $o{in} eq "segment" ? ($head, 0, $entry, 2, 0, 0) : (0, $head, 0, 0, $entry, 2);
		open my $f, ">:raw", $file or die;
		print $f "\x7fELF", pack("C4", $wide ? 2 : 1, $o{order} eq "big" ? 2 : 1, 1, 0), "\0" x 8,
			pack("S${e}2 L$e ($word)3 L$e S${e}6", 3, 62, 1, 0, @tables[0, 1], 0, $head, @tables[2 .. 5], 0),
			$row->(1, 0, 0), $row->($type, $at, length $notes), $notes' "$@"
}

# hits NAME...: a stream in which process 7 maps each of these files and a sample hits it
hits() {
	local n=0 name
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for name; do
			n=$((n + 1))
			echo "mmap2 pid=7 start=$((n * 0x10000)) len=0x10000 file=\"$name\" time=$((n * 10))"
			echo "sample pid=7 ip=$((n * 0x10000 + 8)) time=$((n * 10 + 5))"
		done
		echo round
	} | build
}

# build_ids FILE: `misc pid size-of-record id name` a line, for every HEADER_BUILD_ID
build_ids() {
	records -v "$1" | perl -ne '
		next unless /^\d+ HEADER_BUILD_ID (\d+) (\d+) .* hex=(\S+)/;
		my ($misc, $size, $body) = ($1, $2, pack "H*", $3);
		my ($pid, $id, $length, $name) = unpack "l a20 C x3 Z*", $body;
		$id = substr $id, 0, $length if $misc & 0x8000;
		printf "%#x %d %d %s %s\n", $misc, $pid, $size, unpack("H*", $id), $name'
}

# names FILE: of the files that have a HEADER_BUILD_ID
names() { build_ids "$1" | cut -d' ' -f5-; }

# without_build_ids FILE: the stream, less its HEADER_BUILD_ID records
without_build_ids() {
	perl -e '
		local $/;
		open my $f, "<:raw", $ARGV[0] or die;
		my $s = <$f>;
		my $at = 16;
		print substr $s, 0, 16;
		while ($at < length $s) {
			my ($type, $misc, $size) = unpack "LSS", substr $s, $at, 8;
			$size += unpack "L", substr $s, $at + 8, 4 if $type == 66;
			print substr $s, $at, $size if $type != 67;
			$at += $size;
		}' "$1"
}
