#!/usr/bin/perl
# trickle.pl - writes a file a few bytes at a time to standard output, each write only when the
# reader has emptied the pipe, so that a reader sees exactly these pieces.
use strict;
use warnings;
use IO::Poll qw(POLLERR);

my ($path, $size) = @ARGV;
die "usage: trickle.pl FILE SIZE\n" unless defined $size && $size > 0;
open my $in, '<:raw', $path or die "trickle.pl: $path: $!\n";
binmode STDOUT;
my $FIONREAD = 0x541b;
my $poll = IO::Poll->new;
$poll->mask(\*STDOUT => POLLERR);

while (sysread $in, my $bytes, $size) {
	while (length $bytes) {
		my $n = syswrite STDOUT, $bytes;
		die "trickle.pl: $!\n" unless defined $n;
		substr $bytes, 0, $n, '';
	}
	my $left = pack 'i', 0;
	while (ioctl(STDOUT, $FIONREAD, $left) && unpack('i', $left) > 0) {
		# a reader that has gone takes nothing any more
		exit 0 if $poll->poll(0) > 0 && $poll->events(\*STDOUT) & POLLERR;
		select undef, undef, undef, 0.00002;
	}
}
