package Inputs;
# Inputs.pm - the streams and programs that more than one section of the bench needs, each made when it is first asked for.
use strict;
use warnings;
use Exporter 'import';
use Measure;

our @EXPORT = qw($MB $HERE have write_file repeat write_program compiled listed big_stream part_stream);

our $MB = $ENV{BENCH_MB} || 100;
our $HERE = $ENV{BENCH_HERE};

sub have { my ($program) = @_; return scalar grep { -x "$_/$program" } split /:/, $ENV{PATH} }

sub write_file
{
	my ($path, @text) = @_;
	open my $out, '>', $path or die "$path: $!\n";
	print $out @text;
	close $out or die "$path: $!\n";
}

# repeat FILE OUT MB: as often as makes a stream of this size; reading the files that have the names
# takes the same for any.
sub repeat
{
	my ($file, $out, $mb) = @_;
	shell("pp-merge -q -o $out" . " $file" x (1 + $mb * 1e6 / size($file)));
}

# A program in C that takes the compiler about a second.
sub write_program
{
	return if -e 'big.c';
	my @cases = map { my $n = $_; sub { "case $n: r += p->b * $_[0]; p->c[$_[0] % 7] += r; break; " } } 0 .. 7;
	write_file('big.c', map {
		my $n = $_;
		"struct s$n { int a, b; double c[7]; };\n",
		"int f$n(struct s$n *p, int n) { int r = 0; for (int i = 0; i < n; i++) { ",
		"switch ((i * $n + p->a) % 9) { ", (map { $_->($n) } @cases), "default: r ^= i; } } return r; }\n"
	} 1 .. 250);
}

# What a compiler does, recorded with these options.
sub compiled
{
	my ($file, @options) = @_;
	write_program();
	shell("pp-record -q @options -e cpu-clock -o $file -- gcc -O2 -c big.c -o big.o");
}

# Call chains of a program that the kernel works for, in the file once.pipe.
sub listed
{
	shell('pp-record -q -g -e cpu-clock -F 20000 -o once.pipe -- '
		. 'sh -c "for i in 1 2 3 4 5 6 7 8; do ls -lR /usr; done" >/dev/null') unless -e 'once.pipe';
	return 'once.pipe';
}

# ---- the stream of tracepoints

my $LOAD = <<'END';
dd if=/dev/zero of=/dev/null bs=1 count=$1 2>/dev/null &
dd if=/dev/zero of=/dev/null bs=1 count=$1 2>/dev/null &
wait
END

my $big;

# The stream of so many MB that perf records in the file big.pipe: its bytes and records, and the pid that
# has most samples.
sub big_stream
{
	my ($mb) = (@_, $MB);
	return $big if $big && $big->{bytes} >= $mb * 1e6;
	write_file('load.sh', $LOAD);
	my $count = int($mb * 1300);
	for (1 .. 4) {
		shell("perf record -m 64M -k mono -o - -e 'sched:*,raw_syscalls:*' -- sh load.sh $count >big.pipe");
		last if size('big.pipe') >= $mb * 1e6;
		$count = int($count * 1.2 * $mb * 1e6 / size('big.pipe'));
	}
	my %pids;
	$pids{$_}++ for `pp-filter -q -n 20000 big.pipe | pp-dump --json` =~ /"pid":(\d+)/g;
	my ($pid) = sort { $pids{$b} <=> $pids{$a} } keys %pids;
	my ($records) = `$ENV{FLOOR} <big.pipe` =~ /^(\d+)/;
	$big = { bytes => size('big.pipe'), records => $records, pid => $pid };
	printf "tracepoints: %.0f MB, %d records\n", $big->{bytes} / 1e6, $records;
	return $big;
}

# The first samples of it, for what prints slowly.
sub part_stream
{
	big_stream();
	shell('pp-filter -q -n 50000 -i big.pipe -o part.pipe') unless -e 'part.pipe';
	return size('part.pipe');
}

1;
