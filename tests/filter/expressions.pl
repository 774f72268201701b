#!/usr/bin/perl
# expressions.pl TABLE STREAM FAMILY... - does pp-filter keep of a stream what jq selects of its JSON?
#
# The table's rows of these families (expressions.txt explains it) are asked of both: jq of all rows at
# once, pp-filter of one after the other.  Compared are the bytes of the records that are judged.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../oracle";
use Lines qw(json_records);
no warnings 'portable';

my ($table, $stream, @families) = @ARGV;
my $json = "$stream.json";
system("pp-dump --json -i '$stream' >'$json'") == 0 or die "pp-dump: exit $?\n";
my $records = json_records($json);

# ---- Bytes

# The kernel's records of a stream, each with its type.
sub kernel_records
{
	my ($data) = @_;
	my @list;
	for (my $at = 16; $at + 8 <= length $data;) {
		my ($type, $misc, $size) = unpack 'LSS', substr $data, $at, 8;
		push @list, [$type, substr $data, $at, $size] if $type < 64;
		my $tail = $type == 66 ? unpack 'L', substr $data, $at + 8, 4
			: $type == 71 ? unpack 'Q', substr $data, $at + 8, 8 : 0;
		$at += $size + $tail;
	}
	return @list;
}

sub slurp
{
	my ($how, @what) = @_;
	open my $in, $how, @what or die "@what: $!\n";
	binmode $in;
	local $/;
	my $data = <$in> // '';
	close $in or die "@what: exit " . ($? >> 8) . "\n";
	return $data;
}

# By index: its type, and all of it.  The stream is a plain one, so offsets are those of the file.
my $plain = slurp('<', $stream);
my %bytes;
for my $r (@$records) {
	my $type = unpack 'L', substr $plain, $r->{offset}, 4;
	$bytes{$r->{index}} = [$type, substr $plain, $r->{offset}, $r->{size}] if $type < 64;
}

# ---- What a record does not tell itself: names, maps and kin, by a small model of our own

sub when { my ($r) = @_; $r->{fields}{time} // $r->{fields}{sample_id}{time} // 0 }

my (%comm, %maps, %parent, %ns, %cgroup, %known, %period);

sub mapped
{
	my ($pid, $mode, $ip) = @_;
	my $maps = $maps{$mode == 1 ? -1 : $pid} or return undef;
	for my $map (reverse @$maps) {
		return $map if $ip >= $map->[0] && $ip < $map->[1];
	}
	return undef;
}

# The formats of tracepoints, straight out of the stream's bytes: fields as [name, offset, size, signed,
# text, dynamic].
my %format;
while ($plain =~ /name: \w+\nID: (\d+)\nformat:\n(.*?)\nprint fmt:/gs) {
	my ($id, $text) = ($1, $2);
	while ($text =~ /field:([^;]*?)(\w+)(\[[^;\]]*\])?;\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d)/g) {
		my ($type, $name, $array, @place) = ($1, $2, $3, $4, $5, $6);
		my $text = $type =~ /char/ && ($array || $type =~ /\[/);
		push @{$format{$id}}, [$name, @place, $text, $type =~ /__data_loc/];
	}
}

# The tracepoint's texts and numbers in a sample's raw data.
sub decode
{
	my ($raw) = @_;
	my %value;
	for my $field (@{$format{unpack 'S', $raw} // []}) {
		my ($name, $offset, $size, $signed, $text, $dynamic) = @$field;
		my $data = substr $raw, $offset, $size;
		if ($dynamic) {
			my $place = unpack 'L', $data;
			$data = substr $raw, $place & 0xffff, $place >> 16;
		}
		if ($text) {
			$value{$name} = $data =~ s/\0.*//sr;
		} elsif (my $how = {1 => 'Cc', 2 => 'Ss', 4 => 'Ll', 8 => 'Qq'}->{$size}) {
			$value{$name} = unpack substr($how, $signed, 1), $data;
		}
	}
	return \%value;
}

sub learn
{
	my ($type, $misc, $f) = @_;
	if ($type eq 'COMM') {
		$comm{$f->{tid}} = $f->{comm};
	} elsif ($type eq 'FORK') {
		my ($from, $to) = @$f{qw(ptid tid)};
		$comm{$to} = $comm{$from} if exists $comm{$from};
		$ns{$to} = $ns{$from} if exists $ns{$from};
		if ($f->{pid} != $f->{ppid}) {
			$maps{$f->{pid}} = [@{$maps{$f->{ppid}} // []}];
			$parent{$f->{pid}} = $f->{ppid};
		}
	} elsif ($type =~ /^MMAP2?$/) {
		my $start = hex $f->{start};
		my $name = ($f->{filename} // '') =~ s/^\[kernel\.kallsyms\].*/[kernel.kallsyms]/r;
		push @{$maps{($misc & 7) == 1 ? -1 : $f->{pid}}}, [$start, $start + hex $f->{len}, $name,
			$f->{build_id}];
	} elsif ($type eq 'NAMESPACES') {
		$ns{$f->{tid}} = [map { $_->{ino} } @{$f->{namespaces}}];
	} elsif ($type eq 'HEADER_ATTR') {
		my $period = $f->{attr}{flags}{freq} ? undef : $f->{attr}{sample_period};
		$period{$_} //= $period for '', @{$f->{id} // []};
	} elsif ($type eq 'CGROUP') {
		$cgroup{$f->{id}} = $f->{path};
	}
}

sub describe
{
	my ($r) = @_;
	my $f = $r->{fields};
	my %k;
	return \%k unless defined $f->{tid};
	$k{comm} = $f->{tid} ? $comm{$f->{tid}} // ":$f->{tid}" : 'swapper';
	my $period = $f->{period} // $period{$f->{identifier} // $f->{id} // ''};
	$k{period} = $period if defined $period;
	my $map = defined $f->{ip} ? mapped($f->{pid}, $r->{misc} & 7, hex $f->{ip}) : undef;
	$k{dso} = $map->[2] if $map;
	$k{build_id} = $map->[3] if $map && defined $map->[3];
	$k{trace} = decode(pack 'H*', $f->{raw}) if defined $f->{raw};
	$k{ns} = $ns{$f->{tid}} // $ns{$f->{pid}} if $ns{$f->{tid}} // $ns{$f->{pid}};
	$k{cgroup_path} = $cgroup{$f->{cgroup}} if defined $f->{cgroup} && defined $cgroup{$f->{cgroup}};
	my %seen;
	for (my $pid = $f->{pid}; defined $pid && !$seen{$pid}++; $pid = $parent{$pid}) {
		push @{$k{kin}}, $pid;
	}
	return \%k;
}

for my $r (sort { when($a) <=> when($b) || $a->{index} <=> $b->{index} } @$records) {
	next unless $r->{fields};
	learn($r->{type}, $r->{misc}, $r->{fields});
	$known{$r->{index}} = describe($r) if $r->{type} eq 'SAMPLE';
}

# ---- Words that stand for what is in this stream: of the sample in the middle

my @samples = grep { $_->{type} eq 'SAMPLE' && $_->{fields} } @$records;
die "$stream has no samples\n" unless @samples;
my $one = $samples[@samples / 2];
my %word = (pid => 0, tid => 0, time => 0, ip => '0x0', addr => '0x0', id => '0x0', cpu => 0, period => 0,
	map { $_ => $one->{fields}{$_} } grep { !ref $one->{fields}{$_} } keys %{$one->{fields}});
$word{id} = $one->{fields}{id} // $one->{fields}{identifier} // '0x0';
$word{event} = $one->{event};
$word{misc} = $one->{misc};
$word{comm} = $known{$one->{index}}{comm};
$word{dso} = $known{$one->{index}}{dso} // '';
$word{cgroup_path} = $known{$one->{index}}{cgroup_path} // '';
$word{ns_mnt} = ($known{$one->{index}}{ns} // [])->[5] // 0;
$word{build_id} = $known{$one->{index}}{build_id} // '';
($word{parent}) = grep { $_ } sort { $a <=> $b } values %parent;
$word{parent} //= 0;
my ($frame) = reverse grep { !/^0xf{12}/ } @{$one->{fields}{callchain} // []};
$word{frame} = $frame // '0x0';
my @times = sort { $a <=> $b } map { when($_) } @samples;
$word{first} = $times[0];
($word{half}) = sort { $a <=> $b } $times[@times / 4], $word{time};

# ---- The rows

my (@rows, %wanted, $in, $all);
$wanted{$_} = 1 for @families;
open my $t, '<', $table or die "$table: $!\n";
while (<$t>) {
	chomp;
	next if /^(#|$)/;
	if (/^\[(\w+)( all)?\]$/) {
		($in, $all) = ($wanted{$1} ? $1 : undef, $2);
		next;
	}
	next unless $in;
	my ($sure, $expression, $condition) = /^([+ ])(.*?)\t+(.*)$/ or die "$table:$.: no row\n";
	s/\{(\w+)\}/exists $word{$1} ? $word{$1} : "{$1}"/ge for $expression, $condition;
	push @rows, {line => $., sure => $sure eq '+', all => $all, expression => $expression,
		condition => $condition, family => $in};
}
die "no rows of @families\n" unless @rows;

# ---- What jq selects: "INDEX [ROWS]" a line

sub text { my ($s) = @_; $s =~ s/(["\\])/\\$1/g; $s =~ s/[^ -~]/?/g; "\"$s\"" }
sub to_json
{
	my ($v) = @_;
	return '[' . join(',', map { to_json($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return '{' . join(',', map { text($_) . ':' . to_json($v->{$_}) } sort keys %$v) . '}' if ref $v;
	return $v =~ /^-?\d{1,15}$/ ? $v : text($v);
}

open my $lines, '<', $json or die;
open my $out, '>', "$json.known" or die;
while (<$lines>) {
	next unless /^\{"offset":\d+,"index":(\d+)/ && $bytes{$1};
	my $known = $known{$1} && to_json($known{$1});
	s/\}$/,"known":$known}/ if $known;
	print $out $_;
}
close $out;
open $out, '>', "$json.jq" or die;
print $out <<'END';
def x: if type == "number" then tostring else ltrimstr("0x") end | ("0000000000000000" + .)[-16:];
def hex: explode | reduce .[] as $c (0; . * 16 + if $c > 96 then $c - 87 else $c - 48 end);
def n: if type == "string" then (if startswith("0x") then ltrimstr("0x") | hex else tonumber end) else . end;
def low($digits): x | .[16 - $digits:] | hex;
def has(f): f | if . == null then empty else . end;
def frames: (.callchain // [])[] | select((x | .[:13]) != "fffffffffffff");
. as $r | (.known // {}) as $k | ($k.trace // {}) as $t | .fields // {} |
END
sub conditions
{
	return join ",\n", map { "[$_, first((($rows[$_]{condition}) | select(.)), false)]" }
		grep { !$rows[$_]{all} == !$_[0] } 0 .. $#rows;
}
print $out "[\$r.index, ((if \$r.type == \"SAMPLE\" then [", conditions(0), "] else [] end) + [", conditions(1),
	"] | map(select(.[1]) | .[0]))]\n";
close $out;
my @selected;
open my $jq, '-|', 'jq', '-c', '-f', "$json.jq", "$json.known" or die "jq: $!\n";
while (<$jq>) {
	my ($index, $list) = /^\[(\d+),\[([\d,]*)\]\]$/ or die "jq: $_";
	push @{$selected[$_]}, $index for split /,/, $list;
}
close $jq or die "jq: exit $?\n";

# ---- What pp-filter keeps

my ($failed, $matches, %lively) = (0, 0);
for my $n (0 .. $#rows) {
	my $row = $rows[$n];
	my @expected = grep { $bytes{$_} && ($row->{all} || $bytes{$_}[0] == 9) } @{$selected[$n] // []};
	my @kept = grep { $row->{all} || $_->[0] == 9 }
		kernel_records(slurp('-|', 'pp-filter', '-i', $stream, $row->{expression}));
	$matches += @expected;
	$lively{$row->{family}} += @expected && @expected < keys %bytes;
	my $where = "line $row->{line}: $row->{expression}";
	if (join('', map { $_->[1] } @kept) ne join '', map { $bytes{$_}[1] } @expected) {
		my $i = 0;
		$i++ while $i < @kept && $i < @expected && $kept[$i][1] eq $bytes{$expected[$i]}[1];
		printf "%s\n\tpp-filter keeps %d, jq selects %d by: %s\n\tthey differ from the %dth on", $where, scalar @kept,
			scalar @expected, $row->{condition}, $i + 1;
		printf ", which is index %s for jq", $expected[$i] if $i < @expected;
		print "\n";
		$failed++;
	} elsif ($row->{sure} && !@expected) {
		print "$where\n\tselects nothing\n";
		$failed++;
	}
}
for my $family (grep { !$lively{$_} } sort keys %lively) {
	print "no row of $family keeps some and drops some\n";
	$failed++;
}
printf "%d rows, %d records selected, %d wrong\n", scalar @rows, $matches, $failed;
exit($failed ? 1 : 0);
