# manual.bats - perf-pipe(5), the manual of the format: it is what the tables say, has all of them,
# and a reader made of its tables reads streams.

setup() {
	load ../helper
	PAGE=$ROOT/man/perf-pipe.5
	WRITER=$BIN/man/perf-pipe
}

# named FILE MACRO: names and numbers in rows `MACRO(NAME, number, ...` of a table of the format
named() { perl -ne 'print "$1 $2\n" if /^'"$2"'\((\w+),\s*(\d+)/' "$ROOT/libpipe/format/$1.def"; }

# fields FILE: names of all fields in a table of the format, as they stand there
fields() {
	perl -0777 -ne '
		s{/\*.*?\*/}{}gs;
		print "$1\n" while /\b(?:[USF](?:8|16|32|64)|BITS|PARTS|CHARS|STR8?|LSTR|BYTES|ONE|LIST|STRS)\((\w+),/g
	' "$ROOT/libpipe/format/$1.def" | sort -u
}

# shown: names in all tables of the page
shown() { perl -ne 'print "$1\n" if /^\.It (?:.* Ta )?(?:\\ )*(\w+) Ta [^\n]*$/' "$PAGE" | sort -u; }

@test "the page is what its frame and the tables make: make man writes it anew" {
	"$WRITER" "$ROOT/man/perf-pipe.5.in" >page
	diff "$PAGE" page
}

@test "mandoc has nothing to say about the page" {
	need mandoc
	mandoc -T lint -W warning "$PAGE"
}

@test "every record has its heading, with its number" {
	named records RECORD >records
	[ -s records ]
	while read -r name number; do
		echo "$name $number"
		grep -qx ".Ss $name ($number)" "$PAGE"
	done <records
}

@test "every feature has its heading, with its number" {
	named features FEATURE >features
	[ -s features ]
	while read -r name number; do
		echo "$name $number"
		grep -qx ".Ss $number: $name" "$PAGE"
	done <features
}

@test "every field of records, features and the attribute is in a table of the page" {
	shown >shown
	for table in records features attr; do
		fields $table >fields
		[ -s fields ]
		run comm -23 fields shown
		echo "$table: $output"
		[ -z "$output" ]
	done
}

@test "every flag and bit of the attribute is in a table of the page" {
	for macro in FLAG SAMPLE_BIT READ_BIT BRANCH_BIT; do
		named attr $macro >bits
		[ -s bits ]
		while read -r name bit; do
			echo "$macro $name $bit"
			grep -qE "^\.It $bit(\\\\-[0-9]+)? Ta $name Ta " "$PAGE"
		done <bits
	done
}

@test "the page sends readers only to sections that it has and to tools that there are" {
	perl -ne 'print "$1\n" if /^\.S[hs] (?:\\&)?(.*)/' "$PAGE" >sections
	perl -ne 'print "$1\n" if /^\.(?:Pq )?Sx ([^.,;:)]*?) *(?:[.,;:)].*)?$/' "$PAGE" | sort -u >named
	[ -s named ]
	run grep -vxFf sections named
	echo "$output"
	[ -z "$output" ]
	for tool in $(perl -ne 'print "$1\n" if /^\.Xr (pp-\S+) 1/' "$PAGE"); do
		echo "$tool"
		[ -f "$ROOT/tools/$tool.c" ]
	done
}

@test "places that offsetof() tells are those in the page" {
	# As offsetof() tells them in the headers of the kernel and of perf.
	while read -r at type name; do
		echo "$at $type $name"
		grep -qE "^\.It $at Ta $type Ta (\\\\ )*$name Ta " "$PAGE"
	done <<-'END'
		72 u64 branch_sample_type
		92 s32 clockid
		116 u32 aux_action
		136 u64 config4
		64 u32 prot
		72 string filename
		44 u8\[20\] build_id
		40 s32 cpu
		48 char\[64\] msg
		112 u32 machine_pid
		18 u64\[nr\] mask
	END
}

# values: offset, place of the payload, heading, field and value of each number and text in a stream
values() {
	jq -r 'select(.type) | . as $r |
		([8, $r.type, .fields], [8, "The attribute", .fields.attr],
		 [16, $r.feature, .fields.data]) | select(.[1] and (.[2] | type == "object")) |
		. as $of | $of[2] | to_entries[] | select(.value | type == "number" or type == "string") |
		[$r.offset, $of[0], $of[1], .key, .value] | @tsv'
}

# Reads the values out of the stream, by nothing but the places and types in the page's tables.
read_by_page() {
	perl -e '
		no warnings "portable";
		my ($page, $stream, $values) = @ARGV;
		my (%rows, %floats, $now, $compared, $wrong);
		open my $in, "<", $page or die;
		while (<$in>) {
			$now = $1 if /^\.Ss (?:\d+: )?(The attribute|\w+)(?: \(\d+\))?$/;
			push @{$rows{$now}{$3}}, [$1, $2] if $now && /^\.It (\d+) Ta (\S+) Ta (\w+) Ta /;
			$floats{$now}{$1} = 1 if $now && /^\.It \\& Ta \S+ Ta (\w+) Ta /;
		}
		open $in, "<:raw", $stream or die;
		my $bytes = do { local $/; <$in> };
		my %letter = (u8 => "C", u16 => "v", u32 => "V", u64 => "Q<", s32 => "l<", s64 => "q<",
			      f64 => "d<", string => "Z*", string8 => "Z*");
		open $in, "<", $values or die;
		while (<$in>) {
			chomp;
			my ($offset, $payload, $type, $name, $value) = split /\t/, $_, -1;
			# Those of records count the header, the others do not.
			$payload = 0 if $type =~ /^[A-Z]/ && $type ne "The attribute" && $payload == 8;
			my @rows = @{$rows{$type}{$name} || []} or next;
			$value = $value =~ /^0x/ ? oct $value : $value;
			my $ok = 0;
			for my $row (@rows) {
				my ($at, $kind) = @$row;
				my $from = $offset + $payload + $at;
				next if $from >= length $bytes;
				my $found = $letter{$kind} ? unpack("x$from $letter{$kind}", $bytes) :
					$kind eq "lstring" ? unpack("x$from V/a", $bytes) :
					$kind =~ /^char/ ? unpack("x$from Z" . length($value), $bytes) :
					$kind =~ /^u8\[/ ? unpack("x$from H" . length($value), $bytes) : next;
				$found =~ s/\0.*//s if $kind eq "lstring";
				$ok = 1 if $found eq $value || $kind =~ /^[usf]\d/ && $value =~ /^[-\d.]+$/ && $found == $value;
			}
			next if !$ok && $floats{$type}{$name}; # another form, without a place of its own
			$compared++;
			next if $ok;
			$wrong++;
			print "at $offset: $type: $name is not $value at ", join(", ", map { "@$_" } @rows), "\n";
		}
		print $compared + 0, " compared\n";
		exit($wrong || !$compared)' "$PAGE" "$1" "$2"
}

@test "a reader made of the page's tables finds every value where it is" {
	need jq
	for file in every newer; do
		build <"$TESTS/streams/$file.txt" >in.pipe
		json in.pipe | values >values
		[ -s values ]
		read_by_page in.pipe values
	done
}

@test "the example in the page goes from each record of a stream to the next" {
	need "${CC:-cc}" jq
	perl -ne 'print s{\\e}{\\}gr if ($on = /^\.Bd/ ? 0 : /^#include <stdint/ ? 1 : /^\.Ed/ ? 0 : $on)' "$PAGE" >reader.c
	"${CC:-cc}" -Wall -Wextra -Werror -o reader reader.c
	for file in every newer; do
		build <"$TESTS/streams/$file.txt" >in.pipe
		./reader <in.pipe | cut -d" " -f1,3 >got
		pp-dump --json --raw -i in.pipe | jq -r 'select(.type) | "\(.offset) \(.size)"' >expected
		diff expected got
	done
	head -c -1 in.pipe >cut
	run -3 ./reader <cut
}

@test "a place that is not true is found by that reader" {
	need jq
	build <"$TESTS/streams/every.txt" >in.pipe
	json in.pipe | values >values
	sed 's/^\.It 44 Ta u8\[20\] Ta build_id /.It 45 Ta u8[20] Ta build_id /' "$PAGE" >page
	run -1 cmp -s "$PAGE" page
	PAGE=page
	run ! read_by_page in.pipe values
	[[ "$output" == *build_id* ]]
}

@test "a frame that asks for what there is not is refused" {
	printf '@about record NOTHING\ntext\n@end\n' >frame
	run -1 --separate-stderr "$WRITER" frame
	[ "$stderr" = "perf-pipe: nothing is named NOTHING" ]
	echo '@nonsense' >frame
	run -1 --separate-stderr "$WRITER" frame
	[[ "$stderr" == *nonsense* ]]
	run -1 --separate-stderr "$WRITER" missing
}

@test "make install and make uninstall know the page" {
	need make
	for target in install uninstall; do
		make -n -C "$ROOT" --no-print-directory B="$PWD/b" V=1 $target >log
		grep -q 'man/perf-pipe\.5' log
	done
}

@test "the page says since when there is each record" {
	local name
	sed -n 's/^RECORD(\([A-Z0-9_]*\),.*/\1/p' "$ROOT/libpipe/format/records.def" >names
	[ "$(wc -l <names)" -gt 40 ]
	while read -r name; do
		echo "$name"
		grep -qE "^@about record $name +[^ ]" "$ROOT/man/perf-pipe.5.in"
	done <names
}
