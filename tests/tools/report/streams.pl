#!/usr/bin/perl
# streams.pl - what this machine's processor may not record: a stream (for build.pl) of memory accesses, of
# data that several processes have, or of branches, of a program PROG and of files that are not there.
#
#     streams.pl memory|data|branches PROG
use strict;
use warnings;
no warnings "portable";

my ($kind, $prog) = @ARGV;
my $number = 1;

# the next of a row of numbers that look like chance, and are the same everywhere, below the one given
sub chance
{
	$number = ($number * 1103515245 + 12345) & 0x7fffffff;
	return ($number >> 8) % $_[0];
}

my @fields = $kind eq 'data' ? qw(ADDR WEIGHT_STRUCT DATA_SRC) : $kind eq 'memory' ?
	qw(ADDR WEIGHT_STRUCT DATA_SRC TRANSACTION PHYS_ADDR DATA_PAGE_SIZE CODE_PAGE_SIZE) : qw(BRANCH_STACK);
print "header\n";
print 'attr id=1 sample_type=', join(',', qw(IP TID TIME CPU PERIOD IDENTIFIER), @fields),
	" flags=sample_id_all,comm,mmap,mmap_data branch_sample_type=8\n";
print "event_update id=1 name=made\n";
print "comm pid=7 comm=seven time=5\ncomm pid=8 comm=eight time=5\n";
if ($kind eq 'data') {
	print_data();
	exit;
}
for my $pid (7, 8) {
	print "mmap2 pid=$pid tid=$pid start=0x401000 len=0x1000 pgoff=0x1000 prot=5 file=$prog time=7\n";
}
print "mmap2 pid=7 tid=7 start=0x9000 len=0x1000 prot=5 file=/nowhere/a.so time=7\n";
print "mmap2 pid=7 tid=7 start=0x4000 len=0x1000 prot=3 file=/nowhere/data time=7\n";
print "mmap2 pid=8 tid=8 start=0x4000 len=0x1000 prot=5 file=/nowhere/a_library_with_a_long_name.so time=7\n";

if ($kind eq 'memory') {
	my @sources = (0x68100142, 0x68100842, 0x68100242, 0x1a100042, 0x29a00042, 0x1e05080021, 0x21, 0x2e05081021,
		0x30842, 0x5080142, 0x60005080142);
	for my $i (0 .. 79) {
		printf "sample id=1 misc=2 pid=7 tid=7 time=%d cpu=%d period=%d ip=0x%x addr=0x%x weight=0x%x " .
			"data_src=0x%x transaction=0x%x phys_addr=0x%x data_page_size=%d code_page_size=%d\n",
			1000 + $i * 1000, $i % 2, 1 + $i % 7, chance(2) ? 0x401000 + 16 * chance(12) : 0x9000 + 16 * chance(20),
			0x4000 + 8 * chance(6), $i % 4 | $i % 3 << 32 | $i % 6 << 48, $sources[$i % @sources],
			($i % 9 == 0 ? 2 | $i << 32 : $i % 9 == 1 ? 6 : $i % 9 == 2 ? 0x19 : 0),
			0x100000 + 4096 * ($i % 4), $i % 3 ? 4096 : 2 << 20, $i % 4 ? 4096 : 0;
	}
} else {
	for my $i (0 .. 49) {
		my $pid = $i % 4 ? 7 : 8;
		my $elsewhere = sub { $pid == 7 ? 0x9000 + 16 * chance(8) : 0x4000 + 16 * chance(8) };
		my @branches = map {
			sprintf '0x%x:0x%x:0x%x', chance(2) ? 0x401000 + 16 * chance(12) : $elsewhere->(),
				!chance(9) ? 0x123450 : chance(2) ? 0x401000 + 16 * chance(12) : $elsewhere->(),
				(chance(3) ? 2 : 1) | chance(4) << 4 | (chance(8) ? 0 : 4)
		} 0 .. $i % 4;
		printf "sample id=1 misc=2 pid=%d tid=%d time=%d cpu=%d period=%d ip=0x%x branches=%s\n", $pid, $pid,
			1000 + $i * 1000, $i % 2, 1 + $i % 7, chance(2) ? 0x401030 : $elsewhere->(), join ',', @branches;
	}
}
print "round\n";

# Two processes and the kernel that access a program's data, a shared and a private file, memory of their own,
# and what is mapped nowhere.
sub print_data
{
	my @maps = ("0x401000 len=0x1000 pgoff=0x1000 prot=5 flags=2", "0x403000 len=0x2000 pgoff=0x2000 prot=3 flags=2",
		"0x9000 len=0x1000 prot=3 flags=1 maj=8 min=1 ino=99 file=/nowhere/shared",
		"0x4000 len=0x1000 prot=3 flags=2 file=//anon",
		"0x24000 len=0x1000 prot=5 flags=1 maj=8 min=1 ino=98 file=/nowhere/code",
		"0x34000 len=0x1000 prot=3 flags=2 maj=8 min=2 ino=97 file=/nowhere/private");
	my @places = (0x403000, 0x403000, 0x9000, 0x4000, 0x24000, 0x34000, 0x77000, 0xffffffff81000000);

	for my $pid (7, 8) {
		for my $map (@maps) {
			my $file = $map =~ /file/ ? '' : " file=$prog";
			my $misc = $map =~ /prot=5/ ? '' : ' misc=0x2002';
			print "mmap2 pid=$pid tid=$pid time=7 start=$map$file$misc\n";
		}
	}
	for my $i (0 .. 199) {
		my ($pid, $kernel) = (7 + chance(2), !chance(10));
		printf "sample id=1 misc=%d pid=%d tid=%d time=%d cpu=%d period=1 ip=0x%x addr=0x%x weight=0x%x " .
			"data_src=0x68100142\n", $kernel ? 1 : 2, $pid, $pid, 1000 + $i * 1000, $i % 2,
			$kernel ? 0xffffffff81000010 : 0x401000 + chance(0x60),
			$places[chance(scalar @places)] + 8 * chance(40), 1 + chance(30);
	}
	print "round\n";
}
