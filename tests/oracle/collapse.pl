#!/usr/bin/perl
# collapse.pl [--pid|--tid] [--addrs] [--kernel] [--jit] [--event=NAME] [--weight=period|count|time] - folds
# what perf script prints with -F comm,pid,tid,time,event,period,ip,sym,dso, in the way that people are used
# to: a second opinion on pp-fold.  Samples of other events than the first, or NAME, are left out.
use strict;
use warnings;
use Getopt::Long;

my %how = (weight => 'period');
GetOptions(\%how, qw(pid tid addrs kernel jit event=s weight=s)) or die;

my (%stacks, %before, @stack, $first, $sample);

# What a sample lasts is known when its thread's next one comes.
sub weigh {
	my $stack = join ';', $first, @stack;
	if ($how{weight} eq 'time') {
		my $before = $before{ $sample->{tid} };
		$stacks{ $before->{stack} } += $sample->{time} - $before->{time} if $before;
		$before{ $sample->{tid} } = { stack => $stack, time => $sample->{time} };
	} else {
		$stacks{$stack} += $how{weight} eq 'count' ? 1 : $sample->{period};
	}
}

# Whether a line is a frame.
sub add {
	my ($line) = @_;
	return 0 if $line !~ /^\s*([0-9a-f]+)\s(.+) \((.*)\)$/;
	my ($address, $function, $file) = ($1, $2, $3);
	$function =~ s/\+0x[0-9a-f]+$//;
	if ($function eq '[unknown]') {
		$function = $file eq '[unknown]' ? 'unknown' : $file =~ s{.*/}{}r;
		$function = $how{addrs} ? "[$function <$address>]" : "[$function]";
	}
	$function =~ tr/;/:/;
	if ($how{jit} && $file =~ m{/tmp/perf-\d+\.map}) {
		$function =~ s/(?<!^)\(.*//;
	} elsif ($function !~ /(?:operator\(\)|\(anonymous namespace\))$/) {
		# parameters, and what may follow them
		$function =~ s/(?<!^)(\((?:[^()]++|(?1))*+\))(?: const| volatile| &&?| noexcept| \[clone [^\]]*\])*(?:@.*)?$//;
	}
	$function =~ tr/"'//d;
	$function .= '_[k]' if $how{kernel} && $file =~ /^\[|vmlinux$/ && $file !~ /unknown/;
	$function .= '_[j]' if $how{jit} && $file =~ m{/tmp/perf-\d+\.map};
	return unshift @stack, $function;
}

while (my $line = <STDIN>) {
	chomp $line;
	next if $line =~ /^#/;
	if ($line =~ /^\s*$/) {
		weigh() if defined $first;
		@stack = ();
		undef $first;
	} elsif ($line =~ /^\s*(\S.*?)\s+(-?\d+)(?:\/(-?\d+))?\s+.*?(\d+)\.(\d{6,9}):\s+(?:(\d+)\s+)?(\S+):\s*(.*)$/) {
		my ($comm, $pid, $tid, $period, $name, $rest) = ($1, $2, $3 // $2, $6 // 1, $7, $8);
		my $time = "$4$5" . '0' x (9 - length $5);
		$name =~ s/:[A-Za-z]+$//; # whom it leaves out
		$how{event} //= $name;
		next if $name ne $how{event};
		$sample = { period => $period, tid => $tid, time => $time };
		$first = $how{tid} ? "$comm-$pid/$tid" : $how{pid} ? "$comm-$pid" : $comm;
		$first =~ tr/ /_/;
		# without a call chain the address of the sample is in its line
		next if !add($rest);
		weigh();
		@stack = ();
		undef $first;
	} elsif (defined $first) {
		add($line);
	}
}
print "$_ $stacks{$_}\n" for sort grep { $stacks{$_} } keys %stacks;
