#!/usr/bin/perl
# machine.pl SOCKETS DIES CORES THREADS NODES [hybrid] - the text of a stream of counts, for tests/build.pl: a
# machine of so many sockets, dies of a socket, cores of a die and threads of a core.  CPUs are numbered as
# Linux does it, all first threads before all second ones; every two cores share a cache, every die another.
use strict;
use warnings;

my ($sockets, $dies, $cores, $threads, $nodes, $hybrid) = @ARGV;
my $all_cores = $sockets * $dies * $cores;
my @cpus = 0 .. $all_cores * $threads - 1;

sub core { $_[0] % $all_cores } # of the machine
sub die_of { int(core($_[0]) / $cores) }
sub package_of { int(die_of($_[0]) / $dies) }
sub node { int(core($_[0]) * $nodes / $all_cores) }

# "0-1,4": those CPUs of which the function is this
sub list {
	my ($of, $is) = @_;
	my $text = join ',', grep { $of->($_) == $is } @cpus;
	1 while $text =~ s/(?<![-\d])(\d+)(?:-(\d+))?,(\d+)(?!\d)/my $last = $2 \/\/ $1; $3 == $last + 1 ? "$1-$3" : "$1" . (defined $2 ? "-$2" : "") . ";$3"/e;
	return $text =~ tr/;/,/r;
}
sub words { join ' ', 'u32 ' . @_, map { "string \"$_\"" } @_ }
sub lists { my ($of, $n) = @_; return map { list($of, $_) } 0 .. $n - 1 }

print "header\nfeature NRCPUS u32 ", scalar @cpus, ' u32 ', scalar @cpus, "\n";
print 'feature CPU_TOPOLOGY ', words(lists(\&package_of, $sockets)), ' ', words(lists(\&core, $all_cores)), ' ',
	join(' ', map { 'u32 ' . core($_) % ($dies * $cores) . ' u32 ' . package_of($_) } @cpus), ' ',
	words(lists(\&die_of, $sockets * $dies)), ' ', join(' ', map { 'u32 ' . die_of($_) % $dies } @cpus), "\n";
print 'feature NUMA_TOPOLOGY u32 ', $nodes, map({ " u32 $_ u64 1000 u64 500 string \"" . list(\&node, $_) . '"' }
	0 .. $nodes - 1), "\n";
my @caches = (map({ [1, 'Data', $_] } lists(\&core, $all_cores)),
	map({ [2, 'Unified', $_] } lists(sub { int(core($_[0]) / 2) }, int(($all_cores + 1) / 2))),
	map({ [3, 'Unified', $_] } lists(\&die_of, $sockets * $dies)));
print 'feature CACHE u32 1 u32 ', scalar @caches,
	map({ " u32 $_->[0] u32 64 u32 64 u32 8 string \"$_->[1]\" string \"1M\" string \"$_->[2]\"" } @caches), "\n";

# name, type, config, CPUs, unit, scale, how much of the time it ran
my @first_of = map { my $s = $_; (grep { package_of($_) == $s } @cpus)[0] } 0 .. $sockets - 1;
my @big = grep { !$hybrid || core($_) * 2 < $all_cores } @cpus;
my @small = grep { $hybrid && core($_) * 2 >= $all_cores } @cpus;
my @events = (
	['cpu-clock', 1, 0, \@cpus, 'msec', '1e-6'], ['page-faults', 1, 2, \@cpus], ['context-switches', 1, 3, \@cpus],
	$hybrid ? (['cpu_core/cycles/', 0, 4 << 32, \@big], ['cpu_core/instructions/', 0, 4 << 32 | 1, \@big],
		['cpu_atom/cycles/', 0, 10 << 32, \@small], ['cpu_atom/instructions/', 0, 10 << 32 | 1, \@small]) :
	(['cycles', 0, 0, \@cpus], ['instructions', 0, 1, \@cpus]),
	['branches', 0, 4, \@cpus, '', '', 0.75], ['branch-misses', 0, 5, \@cpus, '', '', 0.75],
	['power/energy-pkg/', 20, 2, \@first_of, 'Joules', '2.3283064365386962890625e-10'],
	['uncore/never/', 21, 3, \@first_of, '', '', 0],
);
my $id = 1;
my @stats;
for my $e (@events) {
	my ($name, $type, $config, $on, $unit, $scale, $ran) = @$e;
	my $from = $id;
	for my $cpu (@$on) {
		my $part = $ran // 1;
		my $value = $config ? (1000 + 37 * $cpu) * ($type + 3) ** 4 * ($config % 7 + 1) : 100_000_000 + 1_000_000 * $cpu;
		push @{ $stats[$cpu] }, "stat id=$id cpu=$cpu thread=0 val=" . int($value * $part) . ' ena=' .
			($part ? 1_000_000_000 : 0) . ' run=' . int($part * 1_000_000_000) . "\n";
		$id++;
	}
	print "attr id=", join(',', $from .. $id - 1), " type=$type config=$config sample_type=0 read_format=3 flags=disabled\n";
	print "event_update id=$from unit=$unit\n" if $unit;
	print "event_update id=$from scale=$scale\n" if $scale;
	print "event_update id=$from cpus=", join(',', @$on), "\n" if @$on < @cpus;
	print "event_update id=$from name=\"$name\"\n";
}
print "thread_map entries=4294967295:\ncpu_map cpus=", join(',', @cpus), "\nstat_config entries=0:1,1:0,2:1\n";
print @{ $stats[$_] } for @cpus;
print "stat_round type=1 time=1000000000\n";
