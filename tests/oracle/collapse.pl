#!/usr/bin/perl
# collapse.pl - folds what perf script prints, in the way that people are used to: a second opinion on
# pp-fold.  Samples weigh their period; those of other events than the first are left out.
use strict;
use warnings;

my (%stacks, @stack, $first, $event);
while (my $line = <STDIN>) {
	chomp $line;
	next if $line =~ /^#/;
	if ($line =~ /^\s*$/) {
		$stacks{ join ';', $first, @stack } += $event->{period} if defined $first;
		@stack = ();
		undef $first;
	} elsif ($line =~ /^(\S.*?)\s+(\d+)(?:\/(\d+))?\s+/) {
		my ($comm, $head) = ($1, $line);
		my ($period, $name) = $head =~ /:\s+(\d+)\s+(\S+):\s*$/;
		($name) = $head =~ /:\s+(\S+):/ unless defined $name;
		our $wanted //= $name;
		next if $name ne $wanted;
		$event = { period => $period // 1 };
		($first = $comm) =~ tr/ /_/;
	} elsif (defined $first && $line =~ /^\s*([0-9a-f]+)\s(.+) \((.*)\)$/) {
		my ($function, $file) = ($2, $3);
		$function =~ s/\+0x[0-9a-f]+$//;
		if ($function eq '[unknown]') {
			$function = $file eq '[unknown]' ? 'unknown' : $file =~ s{.*/}{}r;
			$function = "[$function]";
		}
		$function =~ tr/;/:/;
		$function =~ s/(?<!^)\((?!anonymous namespace\)).*// unless $function =~ /\.\(.*\)\./;
		$function =~ tr/"'//d;
		unshift @stack, $function;
	}
}
print "$_ $stacks{$_}\n" for sort keys %stacks;
