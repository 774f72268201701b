#!/usr/bin/perl
# grow.pl - streams that make a stage keep much, for limits.bats: grow.pl KIND COUNT [MORE] > stream
#
#   forks COUNT MAPS   a process with MAPS maps forks COUNT children, of each of which is a sample
#   heirs COUNT MAPS   the same, where each child maps one file more
#   random COUNT       COUNT maps of one process, in random order, and samples in some of them
#   nested COUNT       COUNT maps of one process, each inside of the one before, and samples
#   tasks COUNT        COUNT processes that live, each with a name, a map and a sample
#   features COUNT     COUNT HEADER_FEATURE records, then a sample
#   updates COUNT      COUNT EVENT_UPDATE records, then a sample
#   tracing BYTES      TRACING_DATA of BYTES bytes, and a sample of the tracepoint
#   round BYTES        BYTES of samples in one round
#   ids COUNT          COUNT events of 8,170 ids each, and a sample
use strict;
use warnings FATAL => 'all';

my ($kind, $count, $more) = @ARGV;
my ($time, $out, $seed) = (1000, '', 1);

sub put { $out .= join '', @_; if (length $out > 1 << 20) { print $out; $out = '' } }
sub record { my ($type, $misc, $body) = @_; put pack('LSS', $type, $misc, 8 + length $body), $body }
sub dice { $seed = ($seed * 1103515245 + 12345) & 0x7fffffff; return ($seed >> 8) % $_[0] }
sub padded { my ($text) = @_; return pack 'a' . ((length($text) + 8) & ~7), $text }

# Every event: IP, TID, TIME, and a trailer of TID, TIME.
sub trailer { my ($pid, $tid) = @_; return pack 'LLQ', $pid, $tid, $time++ }

sub attr
{
	my ($type, $config, @ids) = @_;
	record 64, 0, pack 'LLQQQQQLLQx64Q*', $type, 128, $config, 250000, 7, 0, 1 << 18, 0, 0, 0, @ids;
}

sub mmap
{
	my ($pid, $start, $length, $file) = @_;
	record 1, 2, pack('LLQQQ', $pid, $pid, $start, $length, 0) . padded($file) . trailer($pid, $pid);
}

sub fork_of { my ($pid, $of) = @_; record 7, 0, pack('LLLLQ', $pid, $of, $pid, $of, $time) . trailer($pid, $pid) }
sub comm { my ($pid, $name) = @_; record 3, 0, pack('LL', $pid, $pid) . padded($name) . trailer($pid, $pid) }
sub sample { my ($pid, $ip) = @_; record 9, 2, pack 'QLLQ', $ip, $pid, $pid, $time++ }
sub round { record 68, 0, '' }

sub many_maps
{
	comm 1, 'parent';
	mmap 1, 0x10000 * $_, 0x8000, "/lib/lib$_.so" for 1 .. $more;
}

my %kinds = (
	forks => sub {
		many_maps;
		for (2 .. $count + 1) { fork_of $_, 1; sample $_, 0x10010; round if $_ % 1000 == 0 }
	},
	heirs => sub {
		many_maps;
		for (2 .. $count + 1) {
			fork_of $_, 1;
			mmap $_, 0x10000000 + 0x10000 * $_, 0x8000, "/own/$_";
			sample $_, 0x10010;
			sample $_, 0x10000010 + 0x10000 * $_;
			round if $_ % 1000 == 0;
		}
	},
	random => sub {
		my @places = 1 .. $count;
		for my $i (reverse 1 .. $#places) { my $j = dice($i + 1); @places[$i, $j] = @places[$j, $i] }
		comm 1, 'one';
		for (0 .. $#places) { mmap 1, 0x10000 * $places[$_], 0x8000, '/lib/some.so'; round if $_ % 1000 == 0 }
		sample 1, 0x10000 * $_ + 16 for 1 .. $count;
	},
	nested => sub {
		comm 1, 'one';
		for (1 .. $count) { mmap 1, 0x1000 * $_, 0x1000 * (2 * $count + 2 - 2 * $_), '/lib/some.so'; round if $_ % 1000 == 0 }
		sample 1, 0x1000 * $_ + 16 for reverse 1 .. $count;
	},
	tasks => sub {
		for (1 .. $count) {
			comm $_, "task";
			mmap $_, 0x10000, 0x8000, "/usr/bin/some";
			sample $_, 0x10010;
			round if $_ % 1000 == 0;
		}
	},
	features => sub { record 80, 0, pack('Q', 3) . pack('La4', 4, "web") for 1 .. $count; sample 1, 16 },
	updates => sub { record 78, 0, pack('QQ', 2, 7) . padded("name$_") for 1 .. $count; sample 1, 16 },
	tracing => sub {
		record 66, 0, pack 'L', $count;
		put "\0" x (1 << 20) for 1 .. $count >> 20;
		put "\0" x ($count & 0xfffff);
		sample 1, 16;
	},
	ids => sub { for my $i (1 .. $count) { attr(1, $i, map { 8170 * $i + $_ } 1 .. 8170) } sample 1, 16 },
	round => sub { sample 1 + $_ % 1000, 16 for 1 .. $count / 32 },
);

die "grow.pl: what is '$kind'?\n" unless $kinds{$kind // ''};
binmode STDOUT;
put pack 'a8Q', 'PERFILE2', 16;
attr $kind eq 'tracing' ? 2 : 1, 0, 7;
$kinds{$kind}->();
round;
print $out;
