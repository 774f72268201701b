package Commands;
# Commands.pm - the command lines of lines.txt: runs one, with a failure that the shim makes or without,
# and says what is wrong with what came of it.
use strict;
use warnings;
use Errno qw(EINTR EIO EAGAIN ENOSPC EPIPE EMFILE ENOMEM);
use Exporter 'import';
use File::Find qw(find finddepth);
use FindBin;
use POSIX qw(dup2);
use Text::ParseWords;
use Time::HiRes 'time';

our @EXPORT = qw(%CLASS @CLASSES %FAILURES lines whole enter measure places told try outputs_differ run
	make_inputs in_parallel);

use constant { SECONDS => 30, LIVE_SECONDS => 120, MOST => 25, ONCE => 0, LASTING => 1, SECOND => 2 };

our @CLASSES = qw(memory read wait write pipe open map seek poll stat files tasks);

# Of each class what may happen: the number of errno (0: one byte only), and how often.
our %FAILURES = (
	memory => [ [ ENOMEM, ONCE, LASTING ] ],
	read => [ [ 0, ONCE, LASTING ], [ EINTR, ONCE, SECOND ], [ EIO, ONCE, LASTING ] ],
	wait => [ [ EAGAIN, ONCE, SECOND ] ],
	write => [ [ 0, ONCE, LASTING ], [ EINTR, ONCE, SECOND ], [ EIO, ONCE, LASTING ],
		[ ENOSPC, ONCE, LASTING ] ],
	pipe => [ [ EAGAIN, ONCE, SECOND ], [ EPIPE, ONCE ] ],
	open => [ [ EMFILE, ONCE, LASTING ], [ EIO, ONCE ], [ ENOMEM, ONCE ] ],
	map => [ [ ENOMEM, ONCE, LASTING ] ],
	seek => [ [ EIO, ONCE, LASTING ] ],
	poll => [ [ EINTR, ONCE, SECOND ], [ ENOMEM, ONCE, LASTING ] ],
	stat => [ [ EIO, ONCE, LASTING ], [ ENOMEM, ONCE ] ],
	files => [ [ EIO, ONCE, LASTING ] ],
	tasks => [ [ ENOMEM, ONCE, LASTING ] ],
);
our %CLASS = map { $CLASSES[$_] => $_ } 0 .. $#CLASSES;
# What is no failure, only a delay.
my %DELAY = map { $_ => 1 } 0, EINTR, EAGAIN;

# ---- files

sub slurp
{
	my ($path) = @_;
	open my $f, '<:raw', $path or return undef;
	local $/;
	return scalar(<$f>) // '';
}

sub put
{
	my ($path, $bytes) = @_;
	open my $f, '>:raw', $path or die "$path: $!\n";
	print $f $bytes;
	close $f or die "$path: $!\n";
}

# { name => bytes } of a folder, with those below it
sub files
{
	my ($folder) = @_;
	my %files;
	find({ no_chdir => 1, wanted => sub {
		$files{substr $_, 1 + length $folder} = slurp($_) if -l || !-d;
	} }, $folder);
	return \%files;
}

sub empty
{
	my ($folder) = @_;
	finddepth({ no_chdir => 1, wanted => sub {
		-d && !-l ? $_ eq $folder || rmdir : unlink;
	} }, $folder);
}

# ---- command lines

# { text, words, status, alike, at_once, input, piped }
sub parse
{
	my ($text) = @_;
	my %line = (text => $text, status => 0, alike => 1);
	(my $command = $text) =~ s/^([~=]?)(&?)(?:(\d):)? *// or die;
	$line{alike} = 0 if $1 eq '~';
	$line{stdio} = 1 if $1 eq '=';
	$line{at_once} = 1 if $2;
	$line{status} = $3 if defined $3;
	$line{piped} = $1 if $command =~ s/ <\|(\S+)//;
	$line{input} = $1 if $command =~ s/ <([^|]\S*)//;
	$line{words} = [ shellwords($command) ];
	return \%line;
}

# Those that match
sub lines
{
	my ($regex) = @_;
	open my $f, '<', "$FindBin::Bin/lines.txt" or die "lines.txt: $!\n";
	my @lines = map { chomp; parse($_) } grep { /\S/ && !/^#/ } <$f>;
	@lines = grep { $_->{text} =~ /$regex/ } @lines;
	die "no line matches $regex\n" unless @lines;
	return @lines;
}

# Of items, each of which begins with a line: a tenth of them, always the same, then the others whose line
# stands in the file; all others without a file.  Before them how many that tenth are.
sub whole
{
	my ($file, @items) = @_;
	my (%whole, @tenth, @others);
	if (defined $file) {
		open my $f, '<', $file or die "$file: $!\n";
		%whole = map { chomp; $_ => 1 } <$f>;
	}
	for my $n (0 .. $#items) {
		my $line = ref $items[$n] eq 'ARRAY' ? $items[$n][0] : $items[$n];
		$n % 10 == 0 ? push @tenth, $items[$n] :
			!defined $file || $whole{$line->{text}} ? push @others, $items[$n] : 0;
	}
	return (scalar @tenth, @tenth, @others);
}

# ---- a run

# A pipe that holds the file, to be read from the descriptor that is returned.
sub pipe_of
{
	my ($path) = @_;
	pipe my $r, my $w or die "pipe: $!\n";
	fcntl $w, 1031, 1 << 20 or die "F_SETPIPE_SZ: $!\n";
	my $bytes = slurp($path) // die "$path: $!\n";
	syswrite($w, $bytes) == length $bytes or die "pipe: $!\n" if length $bytes;
	close $w;
	return $r;
}

sub in_child
{
	my ($line, $stdin, $words) = @_;
	open my $out, '>:raw', 'stdout' or die;
	open my $err, '>:raw', 'stderr' or die;
	dup2(fileno $stdin, 0);
	dup2(fileno $out, 1);
	dup2(fileno $err, 2);
	exec { $words->[0] } @$words or POSIX::_exit(127);
}

# Runs a line with FAULT as given; { status, hits, stdout, stderr, files, calls }
sub run
{
	my ($line, $fault) = @_;
	my ($stdin, @pipes);
	empty($_) for 'out', 'tmp';
	put('out/old', "old\n") if $line->{text} =~ m{out/old};
	put('board', "\0" x 4096);
	if ($line->{piped}) {
		$stdin = pipe_of($line->{piped});
	} else {
		open $stdin, '<:raw', $line->{input} // '/dev/null' or die "$line->{input}: $!\n";
	}
	my @words = map {
		/^\|(.*)/ ? do { push @pipes, pipe_of($1); '/dev/fd/' . fileno $pipes[-1] } :
		$_ eq 'PID' ? $$ : $_;
	} @{$line->{words}};
	my $sort = $ENV{FAULT_SORT};
	local %ENV = (PATH => $ENV{PATH}, HOME => '.', LC_ALL => 'C', TMPDIR => 'tmp',
		LD_PRELOAD => $ENV{SHIM}, FAULT_BOARD => 'board');
	$ENV{FAULT} = $fault if $fault;
	$ENV{FAULT_SORT} = 1 if $sort;
	pipe my $ended, my $running or die "pipe: $!\n";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		setpgrp;
		fcntl $_, 2, 0 for @pipes, $running; # F_SETFD: they stay open
		in_child($line, $stdin, \@words);
	}
	my $hang = 0;
	local $SIG{ALRM} = sub { $hang = 1; kill KILL => $pid };
	alarm($line->{alike} ? SECONDS : LIVE_SECONDS);
	waitpid $pid, 0;
	my $status = $?;
	alarm 0;
	# what it started may outlive it, and write into the next run's folder
	kill KILL => -$pid;
	close $running;
	sysread $ended, my $none, 1;
	my @board = unpack 'Q*', slurp('board');
	return { status => $hang ? 'hang' : $status & 127 ? 'signal ' . ($status & 127) : $status >> 8,
		calls => { map { $CLASSES[$_] => $board[$_] } 0 .. $#CLASSES }, hits => $board[@CLASSES],
		stdout => slurp('stdout'), stderr => slurp('stderr'), files => files('out'),
		left => files('tmp') };
}

# ---- judging

# Whether a stream ends with an END seal that does not say that it is damaged.
sub claims_to_be_whole
{
	my ($bytes) = @_;
	return 0 if length $bytes < 48;
	my ($type, $misc, $size, $magic, $flags) = unpack 'LSSa8x24L', substr $bytes, -48;
	return $type == 68 && $size == 48 && $magic eq "PPSEAL1\0" && ($flags & 5) == 1;
}

sub is_stream { $_[0] =~ /^PERFILE2|^2ELIFREP/ }

# What a recording has, as words: its types of records, and its features by number.  Samples, and
# what says that some were lost, come as chance has it.
sub kinds
{
	my ($bytes) = @_;
	my %kinds;
	for (my $at = 16; $at + 8 <= length $bytes;) {
		my ($type, $misc, $size, $feature) = unpack 'LSSQ', substr $bytes . "\0" x 16, $at, 16;
		last if $size < 8;
		$kinds{$type == 80 ? "feature $feature" : "type $type"}++ unless $type =~ /^(?:2|9|13)$/;
		$at += $size;
		if ($type == 66) {
			$at += unpack 'L', pack 'Q', $feature;
		}
	}
	return \%kinds;
}

sub recording
{
	my ($r) = @_;
	my ($file) = grep { is_stream($_) } values %{$r->{files}};
	return $file // $r->{stdout};
}

sub outputs_differ
{
	my ($line, $good, $r) = @_;
	if (!$line->{alike}) {
		my $has = kinds(recording($r));
		my @lost = grep { !$has->{$_} } sort keys %{$line->{kinds}};
		# with -q only what ends the run is said
		return $r->{stderr} =~ /: [A-Z][a-z ]+/ || !@lost || $line->{text} =~ / -q( |$)/ ? undef : "lost in silence: @lost";
	}
	return 'standard output differs' if $r->{stdout} ne $good->{stdout};
	for (sort keys %{{ %{$good->{files}}, %{$r->{files}} }}) {
		return "out/$_ differs" if ($r->{files}{$_} // "\0none") ne ($good->{files}{$_} // "\0none");
	}
	return undef;
}

# What is wrong with a run that ended with 4.
sub badly_ended
{
	my ($line, $good, $error, $may_unlink, $r) = @_;
	local $! = $error;
	my $reason = $error == ENOMEM ? qr/$!|out of memory/i : qr/$!/;
	return 'the reason is not said' if $r->{stderr} !~ $reason;
	my $out = $r->{stdout};
	return 'standard output ends as if it were whole'
		if is_stream($out) && claims_to_be_whole($out) && $out ne $good->{stdout} &&
		($line->{alike} || $r->{stderr} !~ /cannot write standard output/);
	# what a command of --exec made of it is its own affair
	for (sort grep { $line->{text} !~ /--exec/ } keys %{$r->{files}}) {
		my ($is, $due) = ($r->{files}{$_}, $good->{files}{$_});
		next if $_ eq 'old' && $is eq "old\n";
		next if m{(?:^|/)\.[^/]*$} && !$may_unlink;
		# a collector's, which is written anew again and again: an older one
		next if $is =~ /\n# EOF\n\z/;
		next if $r->{stderr} =~ /(?:\Q$_\E|pieces?) (?:is|are) incomplete/;
		next if ($is eq '' || !$line->{alike}) && $r->{stderr} =~ /cannot write out\/\Q$_\E:/;
		next if !defined $due && $line->{text} =~ /--keep/ && claims_to_be_whole($is);
		# a run that had ended before another one failed
		next if defined $due && $line->{text} =~ /--compare/ && claims_to_be_whole($is);
		return "out/$_ was left there" if !defined $due && $line->{words}[0] ne 'pp-split';
		next if $line->{alike} ? defined $due && $is eq $due : !claims_to_be_whole($is);
		next if is_stream($is) && claims_to_be_whole($due // '') && !claims_to_be_whole($is);
		return "out/$_ is half a file";
	}
	return undef;
}

# undef, or what is wrong
sub judge
{
	my ($line, $good, $place, $r) = @_;
	my ($class, $error, $first, $every) = @$place;
	my $status = $r->{status};
	return 'it hangs' if $status eq 'hang';
	# what a command of --exec takes is its own affair
	return undef if $error == EPIPE && $line->{text} =~ /--exec/;
	return 'a temporary file was left: ' . join ' ', sort keys %{$r->{left}}
		if %{$r->{left}} && $class ne 'files';
	return $error == EPIPE ? undef : "it ended by $status" if $status eq 'signal 13';
	return "it ended by $status" if $status =~ /signal/;
	if ($status == $line->{status}) {
		local $! = $error;
		# a file of which a build-id is asked may be on a bad disk: it is named, the others are read
		return undef if $line->{text} =~ /pp-inject/ && $r->{stderr} =~ /cannot read (the build-id of |\S*jit-).*: $!/;
		# elfutils asserts that its larger tables get memory (dynamicsizehash_concurrent.c): the process that reads
		# the C library's debug information ends, and which file has no names is said
		return undef if $class eq 'memory' && $r->{stderr} =~ m{/libc\.so\.6: passed over: reading it ended in signal 6$}m;
		return outputs_differ($line, $good, $r);
	}
	if ($status == 1 && $line->{text} =~ /--self-test/) {
		local $! = $error;
		# that samples cannot be recorded is an answer; why is part of it
		return $r->{stdout} =~ /$!/ ? undef : 'the self-test does not say why';
	}
	return "exit status $status" if $status != 4;
	return "exit status 4: $r->{stderr}" if $DELAY{$error} && !$line->{stdio};
	return badly_ended($line, $good, $error, $class ne 'files' || !$every, $r);
}

# ---- places, and what becomes of them

# [CLASS, ERROR, FIRST, EVERY] of all places of a line in a class.  A recording takes long, and reads
# thousands of lines and files in one way: of it only every so many; and byte by byte once, from the
# first call on, since that takes millions of calls.
sub places
{
	my ($line, $good, $class) = @_;
	my $calls = $good->{calls}{$class} or return;
	my $step = $line->{alike} || $calls < MOST ? 1 : $calls / MOST;
	my @n = map { int(1 + $_ * $step) } 0 .. int(($calls - 1) / $step);
	my @places;
	for (@{$FAILURES{$class}}) {
		my ($error, @often) = @$_;
		for my $every (@often) {
			my $once = !$line->{alike} && !$error && $every == LASTING;
			push @places, map { [ $class, $error, $_, $every ] } $once ? 1 : @n;
		}
	}
	return @places;
}

sub told
{
	my ($class, $error, $first, $every) = @{$_[0]};
	my ($name) = $error ? grep { $!{$_} } do { $! = $error; grep { exists $!{$_} }
		qw(EINTR EIO EAGAIN ENOSPC EPIPE EMFILE ENOMEM) } : 'short';
	return "$class:$name:$first:$every";
}

sub try
{
	my ($line, $good, $place) = @_;
	my ($class, $error, $first, $every) = @$place;
	my $r = run($line, "$CLASS{$class} $error $first $every");
	my $wrong = judge($line, $good, $place, $r);
	return ($wrong, $r);
}

# Good runs of a line: what it writes, and its calls.
sub measure
{
	my ($line) = @_;
	my $began = time;
	my $good = run($line);
	$good->{seconds} = time - $began;
	die "$line->{text}: exit status $good->{status}, not $line->{status}: $good->{stderr}\n"
		if $good->{status} ne $line->{status};
	if ($line->{alike}) {
		# sorted from the other end: what is equal must not stand as chance has it
		local $ENV{FAULT_SORT} = 1;
		my $again = run($line);
		die "$line->{text}: two runs differ\n" if outputs_differ($line, $good, $again);
	} else {
		my $kinds = kinds(recording($good));
		my $again = kinds(recording(run($line)));
		$line->{kinds} = { map { $again->{$_} ? ($_ => 1) : () } keys %$kinds };
	}
	return $good;
}

sub enter
{
	my ($name) = @_;
	mkdir $name;
	chdir $name or die "$name: $!\n";
	symlink '../in', 'in';
	mkdir $_ for 'out', 'tmp';
}

# Each input that lines.txt names, in ./in
sub make_inputs
{
	return if -d 'in';
	mkdir 'in';
	system('bash', "$FindBin::Bin/inputs.sh", 'in') == 0 or die "inputs.sh failed\n";
}

# seconds for an item that has to be done although there is no time for it: as much of it as fits in these
use constant LONGEST => 30;

# Hands every JOBSth item to each of so many processes: a function that returns the next one, or nothing
# when there are no more, or when so many seconds (0: any number) have passed and the first ones, of that
# number, are done; and one that takes the seconds of an item and returns the share of it that can still be
# done, 0 to 1; with 0 it counts the item as left. Each process returns how many passed, failed and were run;
# prints the sums, and returns the exit status that is due.
sub in_parallel
{
	my ($jobs, $work, $seconds, $first, @items) = @_;
	my ($until, @kids, @sums) = ($seconds ? $^T + $seconds : 9e99);
	for my $n (0 .. $jobs - 1) {
		pipe my $r, my $w or die "pipe: $!\n";
		my $pid = fork // die "fork: $!\n";
		if (!$pid) {
			close $r;
			my @mine = grep { $_ % $jobs == $n } 0 .. $#items;
			my ($at, $left) = (0, 0);
			my $next = sub {
				return if !@mine || $mine[0] >= $first && time > $until;
				return $items[$at = shift @mine];
			};
			my $fits = sub {
				return 1 if time + $_[0] <= $until;
				return $_[0] > LONGEST ? LONGEST / $_[0] : 1 if $at < $first;
				$left++;
				return 0;
			};
			print $w join(' ', $work->($n, $next, $fits), @mine + $left), "\n";
			close $w;
			exit 0;
		}
		close $w;
		push @kids, [ $pid, $r ];
	}
	for (@kids) {
		my ($pid, $r) = @$_;
		my @counts = split ' ', <$r> // '0 1 0 0'; # it died, saying why
		$sums[$_] += $counts[$_] for 0 .. 3;
		waitpid $pid, 0;
	}
	print "left to make nightly, as $seconds s were over: $sums[3] of ", scalar @items, "\n" if $sums[3];
	print "$sums[2] runs\n$sums[0] passed, $sums[1] failed\n";
	return $sums[1] || !$sums[0] ? 1 : 0;
}

1;
