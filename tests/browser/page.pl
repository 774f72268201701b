#!/usr/bin/perl
# page.pl PAGE - prints the stacks of a page of pp-flame, perfpipe.page/1, as folded stacks: what its numbers say,
# read without its scripts.  A stack begins with the name of its thread, if the page has threads.
#
#   --event N  of the Nth event, from 1, rather than of the first
#   --after    of a difference the second side, rather than the first
#   --whole    the exact weights of the whole recording, without threads
#   --ticks    when as well: before each stack the number of its span
use strict;
use warnings;
use Compress::Raw::Zlib;
use JSON::PP;
use MIME::Base64;

my $event = @ARGV && $ARGV[0] eq '--event' ? (splice @ARGV, 0, 2)[1] - 1 : 0;
my $after = @ARGV && $ARGV[0] eq '--after' ? !!shift : 0;
my $whole = @ARGV && $ARGV[0] eq '--whole' ? shift : undef;
my $times = @ARGV && $ARGV[0] eq '--ticks' ? shift : undef;
my $page = do { local (@ARGV, $/) = $ARGV[0]; <> };
my ($head) = $page =~ m{id="head">\n(.*?)\n</script>}s or die "there is no head\n";
my ($data) = $page =~ m{id="data">\n(.*?)\n</script>}s or die "there are no data\n";
$head = JSON::PP->new->utf8->decode($head);
if ($event) {
	my $more = $head->{more}[ $event - 1 ] or die "there are fewer events\n";
	$head->{$_} = $more->{$_} for keys %$more;
}
my ($z) = Compress::Raw::Zlib::Inflate->new(-WindowBits => -MAX_WBITS(), -AppendOutput => 1);
my $packed = decode_base64((split /\n/, $data)[$event]);
$z->inflate($packed, my $bytes) == Z_STREAM_END or die "the data are damaged\n";

my ($at, $end, @columns) = (0, 0);
for my $size (@{ $head->{columns} }) { push @columns, [$end + 0, $end += $size] }
die "columns have ", $end, " bytes of ", length $bytes, "\n" if $end != length $bytes;

sub open_column { ($at, $end) = @{ $columns[$_[0]] } }
sub more { $at < $end }

sub take {
	my ($value, $unit, $byte) = (0, 1);
	do {
		die "a column is too short\n" if $at >= $end;
		$byte = ord substr $bytes, $at++, 1;
		$value += ($byte & 127) * $unit;
		$unit *= 128;
	} while $byte & 128;
	return $value;
}
sub column { open_column($_[0]); my @got; push @got, take() while more(); return \@got }

open_column(0);
my @texts;
for my $n (@{ $head->{texts} }) {
	my ($before, @list) = ('');
	for (1 .. $n) {
		my ($same, $rest) = (take(), take());
		push @list, $before = substr($before, 0, $same) . substr($bytes, $at, $rest);
		$at += $rest;
	}
	push @texts, \@list;
}
my ($functions, $depths, $of, $threads, $ticks, $who, $nodes, $weights) = map { column($_) } 1 .. 8;
my $exact = column(9 + $after);
my (@path, @stack, $depth);
for my $i (1 .. $head->{nodes} - 1) {
	$depth = $i == 1 ? 1 : $depth + 1 - $depths->[$i - 1];
	$#path = $depth - 2;
	push @path, $texts[0][$functions->[5 * $of->[$i - 1]]];
	$stack[$i] = join ';', @path;
}
my (%sum, @last);
my $tick = 0;
if ($whole || !@$who) {
	$sum{ $stack[$_] // '' } += $exact->[$_] for 0 .. $#$exact;
}
if (!@$exact || !$whole) {
	for my $i (0 .. $#$who) {
		my ($t, $step) = ($who->[$i], $nodes->[$i]);
		$tick += $ticks->[$i];
		my $node = $last[$t] = ($last[$t] // 0) + ($step % 2 ? -($step + 1) / 2 : $step / 2);
		next if $after != ($i >= ($head->{cells_before} // @$who));
		my $name = $texts[3][$threads->[3 * $t + 2]];
		$name .= ";$stack[$node]" if $node;
		$name = $stack[$node] // '' if $whole;
		$name = "$tick $name" if $times;
		$sum{$name} += $head->{grain} * ($weights->[$i] // 1);
	}
}
print map { "$_ $sum{$_}\n" } grep { $sum{$_} } sort keys %sum;
