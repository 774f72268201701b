#!/usr/bin/perl
# attributes.pl FAKE TABLE [THEIRS OURS] - records each row of TABLE (attributes.txt) with perf record and
# pp-record, or with "perf THEIRS" and OURS,
# which both have the library FAKE for a kernel, and compares what their streams say was asked for.
# PERF names another perf.  Prints what differs against the table, then how many rows were compared;
# ends with 1 if anything differs.
use strict;
use warnings;
use JSON::PP;

my ($fake, $table, $command, $tool) = (@ARGV, 'record --synth=no', 'pp-record');
my $perf = $ENV{PERF} // 'perf';
my ($version) = `$perf --version` =~ /(\d+\.\d+)/ or die "attributes.pl: no $perf\n";

# The bits of the words of an attribute, by the library's own table.
my %bits;
open my $def, '<', "$ENV{ROOT}/libpipe/format/attr.def" or die "attr.def: $!\n";
while (<$def>) {
	$bits{sample_type}[$2] = $1 if /^SAMPLE_BIT\((\w+), *(\d+)/;
	$bits{read_format}[$2] = $1 if /^READ_BIT\((\w+), *(\d+)/;
}

# Whichever event reports these, they are of the whole stream.
my %told = map { $_ => 1 } qw(mmap mmap2 comm comm_exec task ksymbol bpf_event cgroup build_id mmap_data
	context_switch namespaces text_poke defer_output);

sub facts {
	my ($attr, $of, $all) = @_;

	for my $name (keys %$attr) {
		my $value = $attr->{$name};

		if ($name eq 'flags') {
			for my $flag (keys %$value) {
				my $fact = $flag eq 'precise_ip' ? "$flag $value->{$flag}" : $flag;

				$all->{$told{$flag} ? "told $flag" : "${of}flags $fact"} = 1;
			}
		} elsif ($bits{$name}) {
			my $word = hex $value;

			$all->{"$of$name $bits{$name}[$_]"} = 1
				for grep { $word >> $_ & 1 } 0 .. $#{$bits{$name}};
		} elsif ($name ne 'size' && $value !~ /^0(x0)?$/) {
			$all->{"$of$name $value"} = 1;
		}
	}
}

# The facts of a stream; with several events, those of the second begin with "2 ", and so on.
sub asked {
	my ($command) = @_;
	my (@attrs, %all);

	open my $out, '-|', "LD_PRELOAD=$fake $command 2>err | pp-dump --json --type header_attr"
		or die "$command: $!\n";
	while (my $text = <$out>) {
		my $line = decode_json($text);

		push @attrs, $line->{fields}{attr} if ($line->{type} // '') eq 'HEADER_ATTR';
	}
	close $out;
	if (!@attrs) {
		open my $err, '<', 'err' or return {};
		$all{"$_ (of $command)"} = 1 for map { s/\s+/ /gr } <$err>;
		return \%all;
	}
	if (@attrs > 1 && $attrs[-1]{type} == 1 && hex $attrs[-1]{config} == 9) {
		$all{dummy} = 1;
		facts(pop @attrs, 'dummy ', \%all);
	}
	facts($attrs[$_], $_ ? $_ + 1 . ' ' : '', \%all) for 0 .. $#attrs;
	return \%all;
}

my (%difference, @everywhere, %seen);
my ($rows, $skipped, $failed) = (0, 0, 0);

# The names of those differences among `names` that a fact is, or nothing.
sub named {
	my ($fact, @names) = @_;
	my $plain = $fact =~ s/^([-+])\d+ /$1/r;

	for my $name (@names) {
		for my $one (@{$difference{$name} // die "no difference '$name'\n"}) {
			my $pattern = quotemeta($one) =~ s/\\\*/.*/gr;

			return $name if $plain =~ /^$pattern$/;
		}
	}
	return;
}

sub row {
	my ($theirs, $ours, @names) = @_;
	my ($have, $want) = (asked("$tool $ours -o - -- true"),
		asked("$perf $command $theirs -o - -- true"));
	my @facts = ((map { "+$_" } grep { !$want->{$_} } keys %$have),
		(map { "-$_" } grep { !$have->{$_} } keys %$want));
	my (%used, @wrong);

	# What the dummy asks for is a difference of its own only where both have one.
	@facts = grep { !/^.dummy ./ } @facts if grep { /^.dummy$/ } @facts;
	for my $fact (sort @facts) {
		my $name = named($fact, @names, @everywhere);

		push @wrong, "    $fact\n" unless defined $name;
		$used{$name} = 1 if defined $name;
	}
	push @wrong, map { "    '$_' is not a difference here\n" } grep { !$used{$_} } @names
		if $version eq '6.1';
	$seen{$_} = 1 for keys %used;
	$rows++;
	return unless @wrong;
	$failed++;
	print "$theirs", ($ours eq $theirs ? '' : " => $ours"), "\n", @wrong;
}

# A user with a process: root may have more threads than perf can have an event of.
my $user = getpwnam "nobody"; # perf wants one with a name
my $process = open(my $begun, '-|') // die "fork: $!\n";
if (!$process) {
	$> = $< = $user if $< == 0;
	print "$<\n";
	close STDOUT;
	sleep 600;
	exit 0;
}
chomp($user = <$begun>);

my $points = grep { -r "$_/events/sched/sched_switch/id" } '/sys/kernel/tracing', '/sys/kernel/debug/tracing';
my $groups = grep { -r "$_/cgroup.procs" } '/sys/fs/cgroup', '/sys/fs/cgroup/perf_event';
my (@table, @strict);
open my $in, '<', $table or die "$table: $!\n";
while (<$in>) {
	chomp;
	next if /^\s*(#|$)/;
	if (/^(difference|everywhere|newer) ([\w-]+)  (.*?)  (\S.*)$/) {
		$difference{$2} = [split /, /, $3];
		push @everywhere, $2 if $1 eq 'everywhere' || ($1 eq 'newer' && $version ne '6.1');
		push @strict, $2 if $1 ne 'newer';
		next;
	}
	s/\bSELF\b/$$/g;
	s/\bUSER\b/$user/g;
	push @table, $_;
}

# Two at a time, each in a folder of its own.
my @parts = map {
	my $part = $_;
	my $pid = open(my $report, '-|') // die "fork: $!\n";

	if (!$pid) {
		mkdir "part$part";
		chdir "part$part" or die "part$part: $!\n";
		for my $i (grep { $_ % 2 == $part } 0 .. $#table) {
			my ($options, $names) = split / *\| */, $table[$i];
			my ($theirs, $ours) = split / *=> */, $options;

			if ($theirs =~ /sched:/ && !$points || $theirs =~ /-G / && !$groups) {
				$skipped++;
				next;
			}
			row($theirs, $ours // $theirs, split ' ', $names // '');
		}
		print "= $rows $skipped $failed ", join(' ', keys %seen), "\n";
		exit 0;
	}
	$report
} 0, 1;
for my $part (@parts) {
	while (<$part>) {
		if (/^= (\d+) (\d+) (\d+) (.*)/) {
			$rows += $1, $skipped += $2, $failed += $3;
			$seen{$_} = 1 for split ' ', $4;
		} else {
			print;
		}
	}
	close $part or $failed++;
}
kill KILL => $process;
if ($version eq '6.1' && !$skipped) {
	my @stale = grep { !$seen{$_} } sort @strict;

	print "difference '$_' is in no row\n" for @stale;
	$failed += @stale;
}
print "$rows rows compared with perf $version, $skipped left out for want of tracepoints or control groups, $failed wrong\n";
exit($failed ? 1 : 0);
