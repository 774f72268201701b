#!/usr/bin/perl
# counts.pl CPUS EVENTS ROUNDS [MS] - a stream of counts as perf stat record -a -I MS writes it (default: 1000):
# each event on each CPU in each round, all values growing.
use strict;
use warnings;

my ($cpus, $events, $rounds, $ms) = (@ARGV, 1000);
my $out = '';
binmode STDOUT;

sub record { my ($type, $body) = @_; $out .= pack('L<S<S<', $type, 0, 8 + length $body) . $body }
sub text { my $text = shift; return $text . "\0" x (8 - length($text) % 8) }

$out = "PERFILE2" . pack('Q<', 16);
for my $event (0 .. $events - 1) {
	my @ids = map { 1 + $event * $cpus + $_ } 0 .. $cpus - 1;
	# software events but for the first, which is the clock
	record(64, pack('L<L<Q<', 1, 128, $event ? 2 + $event % 8 : 0) . pack('Q<Q<Q<Q<', 0, 0, 3, 1)
		. "\0" x (128 - 48) . pack('Q<*', @ids));
}
for my $event (0 .. $events - 1) {
	record(78, pack('Q<Q<', 2, 1 + $event * $cpus) . text("event$event"));
}
record(73, pack('Q<q<a16', 1, -1, ''));
record(74, pack('S<CxS<S<', 2, 0, 0, $cpus - 1));
record(75, pack('Q<*', 3, 0, 1, 1, $ms, 2, 1));
print $out;
for my $round (1 .. $rounds) {
	$out = '';
	my $time = $round * $ms * 1_000_000;
	for my $cpu (0 .. $cpus - 1) {
		for my $event (0 .. $events - 1) {
			$out .= pack('L<S<S<Q<l<L<Q<Q<Q<', 76, 0, 48, 1 + $event * $cpus + $cpu, $cpu, 0,
				$event ? $round * ($cpu + $event) : $time, $time, $time);
		}
	}
	record(77, pack('Q<Q<', 0, $time));
	print $out;
}
