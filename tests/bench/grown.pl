#!/usr/bin/perl
# grown.pl - streams that hold much of one thing, to see what time and memory become of: grown.pl KIND COUNT [DEPTH] >stream
#
#   stacks COUNT     samples with a call chain of 10 functions, or DEPTH, all of them different
#   unnamed COUNT    the same of addresses that have no names, nearly all of them different
#   depth COUNT      200 samples, with different call chains of COUNT functions
#   threads COUNT    threads of one name, with a sample each, a hundred to a process
#   comms COUNT      processes that each have a name of their own, with a sample each
#   symbols COUNT    samples in as many functions
#   records COUNT    the same, with a record of names for each
#   maps COUNT       files mapped in one process, in no order, with a sample in each
#   paths COUNT      2,000 files mapped, with paths of COUNT bytes, and a sample in each
#   events COUNT     events, each with a name, and two samples of each
#   features COUNT   HEADER_FEATURE records, then a thousand samples
#
# What functions are called is said by records of names, so that no file is read.
use strict;
use warnings FATAL => 'all';

use constant { FUNCTIONS => 1000, RECORD_MOST => 65528, BASE => 0x400000, TEXT => '/usr/bin/some' };

my ($kind, $count, $depth) = (@ARGV, 10);
my ($time, $out, $seed) = (1000, '', 1);

sub put { $out .= join '', @_; if (length $out > 1 << 20) { print $out; $out = '' } }
sub record { my ($type, $misc, $body) = @_; put pack('LSS', $type, $misc, 8 + length $body), $body }
sub dice { $seed = ($seed * 1103515245 + 12345) & 0x7fffffff; return ($seed >> 8) % $_[0] }
sub padded { my ($text) = @_; return pack 'a' . ((length($text) + 8) & ~7), $text }
sub aligned { my ($bytes) = @_; return $bytes . "\0" x (-length($bytes) % 8) }

# Every event: IDENTIFIER, IP, TID, TIME, CALLCHAIN, and a trailer of TID, TIME, IDENTIFIER.
sub attr
{
	my ($id, $config) = @_;
	record 64, 0, pack 'LLQQQQQLLQx64Q', 1, 128, $config, 250000, 0x10027, 0, 1 << 18, 0, 0, 0, $id;
}

sub trailer { my ($pid, $tid) = @_; return pack 'LLQQ', $pid, $tid, $time++, 1 }
sub fork_of { my ($pid, $tid) = @_; record 7, 0, pack('LLLLQ', $pid, $pid, $tid, $pid, $time) . trailer($pid, $tid) }
sub comm { my ($pid, $name) = @_; record 3, 0, pack('LL', $pid, $pid) . padded($name) . trailer($pid, $pid) }
sub round { record 68, 0, '' }

sub build_id { my ($number) = @_; return pack 'QQL', $number, 7, 7 }

sub map_file
{
	my ($pid, $start, $length, $file, $number) = @_;
	record 10, 2 | 1 << 14, pack('LLQQQ Cx3a20 LL', $pid, $pid, $start, $length, 0, 20, build_id($number), 5, 2)
		. padded($file) . trailer($pid, $pid);
}

my $samples = 0;
sub sample
{
	my ($pid, $tid, $id, @chain) = @_;
	record 9, 2, pack 'QQLLQQQ*', $id, $chain[0], $pid, $tid, $time++, 1 + @chain, -512 & ~0, @chain;
	round if ++$samples % 1000 == 0;
}

# ---- names of functions, of 16 bytes each from the start of the file

sub names_record
{
	my ($first, $behind) = @_;
	my ($rows, $frames, $texts) = ('', '', "\0" . TEXT . "\0");
	for my $i ($first .. $behind - 1) {
		$rows .= pack 'QQLL', 16 * $i + 8, 8, $i - $first, 1;
		$frames .= pack 'LLLL', length $texts, 0, 0, 0;
		$texts .= "function_$i\0";
	}
	my $n = $behind - $first;
	record 68, 0, aligned(pack('a8LLLLLLa20LQLLLL', 'PPNAMES', 0, 3, 0, 0, 0, 20, build_id(0), 1, 0,
		$n, $n, length $texts, 0) . $rows . $frames . $texts);
}

sub functions
{
	my ($of, $each) = @_;
	for (my $i = 0; $i < $of; $i += $each) { names_record($i, $i + $each < $of ? $i + $each : $of) }
	comm 1, 'some';
	map_file 1, BASE, 16 * $of + 4096, TEXT, 0;
}
sub function { my ($i) = @_; return BASE + 16 * $i + 8 }

sub files
{
	my ($number, $path) = @_;
	my @places = 1 .. $number;
	for my $i (reverse 1 .. $#places) { my $j = dice($i + 1); @places[$i, $j] = @places[$j, $i] }
	comm 1, 'some';
	map_file 1, 0x10000 * $_, 0x8000, $path->($_), $_ for @places;
	sample 1, 1, 1, 0x10000 * $_ + 16 for 1 .. $number;
}

my %kinds = (
	stacks => sub {
		functions FUNCTIONS, FUNCTIONS;
		sample 1, 1, 1, map { function(dice(FUNCTIONS)) } 1 .. $depth for 1 .. $count;
	},
	unnamed => sub {
		comm 1, 'some';
		map_file 1, BASE, 1 << 28, TEXT, 0;
		sample 1, 1, 1, map { BASE + 16 * dice(1 << 22) } 1 .. $depth for 1 .. $count;
	},
	depth => sub {
		functions FUNCTIONS, FUNCTIONS;
		sample 1, 1, 1, map { function(dice(FUNCTIONS)) } 1 .. $count for 1 .. 200;
	},
	threads => sub {
		for my $i (1 .. $count) {
			my $pid = 100 * int($i / 100) + 1;
			if ($i % 100 == 0) { comm $pid, 'some'; map_file $pid, BASE, 4096, TEXT, 0 }
			fork_of $pid, $pid + $i % 100;
			sample $pid, $pid + $i % 100, 1, function(1);
		}
	},
	comms => sub { for (1 .. $count) { comm $_, "name-$_"; sample $_, $_, 1, function(1) } },
	symbols => sub { functions $count, FUNCTIONS; sample 1, 1, 1, function($_) for 0 .. $count - 1 },
	records => sub { functions $count, 1; sample 1, 1, 1, function($_) for 0 .. $count - 1 },
	maps => sub { files $count, sub { "/usr/lib/lib$_[0].so" } },
	paths => sub {
		my $folders = substr '/some-folder-of-many' x ($count / 20 + 1), 0, $count - 10;
		files 2000, sub { "$folders/$_[0]" };
	},
	events => sub {
		attr $_, $_ for 2 .. $count;
		record 78, 0, pack('QQ', 2, $_) . padded("event-$_") for 1 .. $count;
		for (1 .. 2) { sample 1, 1, $_, function(1) for 1 .. $count }
	},
	features => sub {
		record 80, 0, pack('Q', 3) . pack('La4', 4, "web") for 1 .. $count;
		sample 1, 1, 1, function(1) for 1 .. 1000;
	},
);

die "grown.pl: what is '$kind'?\n" unless $kinds{$kind // ''};
binmode STDOUT;
put pack 'a8Q', 'PERFILE2', 16;
attr 1, 0;
$kinds{$kind}->();
round;
print $out;
