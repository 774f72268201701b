#!/usr/bin/perl
# grammar.pl FAKE TABLE - gives the events of TABLE (grammar.txt) to perf record and to pp-record, which
# both have the library FAKE for a kernel and tests/machines for machines, and compares what they open.
# PERF names another perf.  Prints what is otherwise than the table says, then how many were compared;
# ends with 1 if anything is.
use strict;
use warnings;

my ($fake, $table) = @ARGV;
my $perf = $ENV{PERF} // 'perf';
my ($version) = `$perf --version` =~ /(\d+\.\d+)/ or die "grammar.pl: no $perf\n";

# What a program opens, an event a line; 'refused' where it opens none.
sub opened {
	my ($machine, $event, @command) = @_;
	my %env = (SYSFS_PATH => "$ENV{PWD}/$machine", FAKE_LOG => 'log', LD_PRELOAD => $fake);
	my (@lines, %seen);

	unlink 'log';
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		@ENV{keys %env} = values %env;
		open STDOUT, '>', 'said' and open STDERR, '>&', \*STDOUT or die;
		exec @command, '-a', '-e', $event, '-o', 'out', '--', 'true' or exit 127;
	}
	waitpid $pid, 0;
	return 'refused' if $?;
	open my $log, '<', 'log' or return 'refused';
	while (my $line = <$log>) {
		my ($group, $hex) = $line =~ /^open .* group=(\d+) .*attr=([0-9a-f]+)/ or next;
		my $bytes = pack 'H*', $hex;
		my ($type, $size, $config, undef, $sample_type, undef, $flags, undef, undef, @config) =
			unpack 'VVQ<5VVQ<2', $bytes;
		push @config, unpack 'Q<*', substr $bytes, 128 if length $bytes > 128;

		# the dummy, and what perf tries before: those are not sampled
		next if ($type == 1 && $config == 9 && $event ne 'dummy') || !($sample_type & 0x87);
		pop @config while @config && !$config[-1];
		# u, k, h, p, pinned, exclusive, no idle; not H and G, which perf 7 leaves as they are
		my $text = join ' ', $type, map({ sprintf '%#x', $_ } $config, $flags & 0x180fc, @config),
			$group ? 'm' : ();
		push @lines, $text unless $seen{$text}++;
	}
	return join "\n", @lines;
}

sub both {
	my ($machine, $event) = @_;

	return (opened($machine, $event, 'pp-record', '-q', '--no-sandbox', '--sideband=none'),
		opened($machine, $event, $perf, 'record', '--synth=no'));
}

my ($n, $failed) = (0, 0);
sub wrong {
	my ($machine, $event, $what, $ours, $theirs) = @_;

	print "$machine $event: $what\n", map { s/^/    /gmr . "\n" } "pp-record:\n$ours", "perf:\n$theirs";
	$failed++;
}

# Those that are alike, as one list; one by one where the lists differ, to find the one that does.
sub alike {
	my ($machine, @events) = @_;
	my ($ours, $theirs) = both($machine, join ',', @events);

	$n += @events if @events;
	return if !@events || $ours eq $theirs && $ours ne 'refused';
	for my $event (@events) {
		($ours, $theirs) = both($machine, $event);
		wrong($machine, $event, 'differs', $ours, $theirs) if $ours ne $theirs || $ours eq 'refused';
	}
}

my (%difference, %used, %alike, @machines);
open my $in, '<', $table or die "$table: $!\n";
while (<$in>) {
	chomp;
	next if /^\s*(#|$)/;
	if (/^difference ([\w-]+)  (\S.*)$/) {
		$difference{$1} = $2;
		next;
	}
	my ($machine, $event, undef, $name) = /^(\S+) (\S.*?)( \| (\S+))?$/ or die "$table: $_\n";
	if (!$alike{$machine}) {
		system($^X, "$ENV{TESTS}/machines/make.pl", $machine, $machine) == 0 or die;
		$alike{$machine} = [];
		push @machines, $machine;
	}
	if (!defined $name) {
		push @{$alike{$machine}}, $event;
		next;
	}
	die "$table: no difference '$name'\n" unless $difference{$name};
	my ($ours, $theirs) = both($machine, $event);
	$n++;
	$used{$name}++;
	if ($name eq 'alone') {
		wrong($machine, $event, 'differs', $ours, $theirs) if $ours ne $theirs || $ours eq 'refused';
	} elsif ($name eq 'neither') {
		wrong($machine, $event, 'is taken', $ours, $theirs)
			if $ours ne 'refused' || $theirs ne 'refused';
	} elsif ($ours eq $theirs) {
		wrong($machine, $event, "'$name' is not a difference here", $ours, $theirs);
	}
}
alike($_, @{$alike{$_}}) for @machines;
for (sort keys %difference) {
	print "difference '$_' is in no row\n" if !$used{$_};
	$failed += !$used{$_};
}
print "$n events compared with perf $version, $failed wrong\n";
exit($failed ? 1 : 0);
