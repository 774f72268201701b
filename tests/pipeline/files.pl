# files.pl SEED...: streams with several files of one name, through stages in any order: no sample has a name of
# another file than the one that it hit.
#
# Process 1 has the file that was at the path when it was recorded, 2 one of the same path in another root; then the
# file on disk is replaced, built anew (with the inode of the old one), overwritten in place, or deleted, before,
# between or after the stages; process 3 has what is there then.  Each file has one function, named for it, at the
# same offset.  With OVERLAY in the environment the file is in the lower folder of an overlay, which is mounted here
# (by root, in a mount namespace of its own), and what happens to it goes to the upper one.
# Prints what was wrong; exit 1.
use strict;
use warnings;
no warnings "portable";
use Time::HiRes qw(clock_gettime CLOCK_REALTIME usleep);

my $dir = `pwd`;
chomp $dir;
my $path = "$dir/bin/prog";
my ($random, $seed, @log, $wrong);
my ($hits, $named) = (0, 0);
my $overlay = $ENV{OVERLAY};
my ($begun, $clock);	# wall clock when the recording began, in ns; whether the streams say so
my $kernels;		# in an overlay: maps have the inode that is shown, or the one in the lower or upper folder

sub pick { $random = ($random * 1103515245 + 12345) % 2147483648; return ($random >> 12) % $_[0] }

sub one_of { return $_[pick(scalar @_)] }

sub run
{
	my ($command) = @_;
	push @log, $command;
	system('bash', '-c', $command) == 0 or $? >> 8 == 1 or die join("\n", "seed $seed: status $?:", @log), "\n";
}

# Which file that is, as the kernel says it in an MMAP2.
sub identity
{
	my ($file) = @_;
	if ($overlay && $kernels && $file =~ m{^bin/(.*)}) {
		$file = -e "upper/$1" ? "upper/$1" : "lower/$1";
	}
	my ($dev, $ino) = (stat $file)[0, 1] or die "$file: $!";
	my $generation = "\0" x 8;
	open my $fh, '<', $file or die "$file: $!";
	$generation = "\0" x 8 unless ioctl $fh, 0x80087601, $generation;
	return sprintf 'maj=%d min=%d ino=%d gen=%d', ($dev >> 8) & 0xfff, ($dev & 0xff) | ($dev >> 12 & 0xfff00), $ino,
		unpack 'L', $generation;
}

sub map_of
{
	my ($pid, $time, $what) = @_;
	return "comm pid=$pid comm=p$pid time=$time",
		qq(mmap2 pid=$pid start=0x100000000 len=0x1000000 file="$path" $what time=@{[ $time + 1 ]} flags=2 prot=5);
}

my $offset = $ENV{OFFSET};

sub hits { my ($pid, $time) = @_; return map { sprintf 'sample pid=%d ip=%#x misc=2 time=%d', $pid, 0x100000000 + $offset, $time + $_ } 1 .. 3 }

sub stream
{
	my ($file, @lines) = @_;
	open my $to, '>', "$file.txt" or die $!;
	print $to map { "$_\n" } 'header',
		'attr id=1 sample_type=IP,TID,TIME clockid=1 flags=sample_id_all,comm,mmap,mmap2,use_clockid',
		$clock ? "feature CLOCK_DATA u32 1 u32 1 u64 $begun u64 1" : (), @lines, 'round';
	close $to;
	run("perl \"\$TESTS/build.pl\" <$file.txt >$file");
}

# What happens to the file at the path.
my %fate = (
	replaced => sub { run('cp new bin/next && mv bin/next bin/prog') },
	# where the file system does not say how often it gave an inode away the new file has to have another
	rebuilt  => sub { run(($overlay || identity('old') =~ /gen=0$/ ? 'ln bin/prog bin/kept; ' : '') . 'rm -f bin/prog; cp new bin/prog') },
	deleted  => sub { run('rm -f bin/prog') },
	overwritten => sub { run(one_of('cat new >bin/prog', 'cp new bin/prog')) },
	kept     => sub { },
);

sub now { return int(clock_gettime(CLOCK_REALTIME) * 1e9) }

# The folders anew, with the file that is recorded.
sub begin
{
	if ($overlay) {
		run('umount bin 2>/dev/null; rm -rf lower upper work bin; mkdir lower upper work bin; cp old lower/prog');
		run('mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work bin');
	} else {
		run('rm -rf bin && mkdir bin && cp old bin/prog');
	}
	run('rm -rf root data piece.* && mkdir root && cp chroot root/prog');
}

# Another recording, of what is there now.
sub again
{
	my $time = $clock ? now() - $begun + 1 : 200;
	stream('c', map_of(3, $time, identity('bin/prog')), hits(3, $time + 10));
	run('pp-merge -q in c >out && mv out in');
}

my %stage = (
	inject   => sub { "pp-inject -q -b -i $_[0] -o $_[1]" },
	hit      => sub { "pp-inject -q -B -i $_[0] -o $_[1]" },
	all      => sub { "pp-inject -q --mmap2-buildid-all -i $_[0] -o $_[1]" },
	symbol   => sub { "pp-symbol -q $_[0] >$_[1]" },
	merge    => sub { one_of("pp-merge -q $_[0] other >$_[1]", "pp-merge -q other $_[0] >$_[1]", "pp-merge -q $_[0] >$_[1]") },
	split    => sub { my $n = pick(3); "rm -f piece.*; pp-split -q --samples=4 -o piece.%u $_[0]; pp-merge -q piece.* >$_[1]" },
	prune    => sub { "pp-filter -q --prune 'pid > 0' $_[0] >$_[1]" },
	sort     => sub { "pp-sort -q $_[0] >$_[1]" },
	save     => sub { "rm -f data; pp-save -q -o data $_[0] && pp-cat -q data >$_[1]" },
);

sub try
{
	$random = $seed * 7919 + 1;
	@log = ();
	begin();
	my $fate = one_of(sort keys %fate);
	# an inode that has two contents is told apart by the time alone
	$clock = $fate eq 'overwritten' || pick(2);
	$kernels = pick(2);
	$begun = now();
	my %true = (1 => 'old_work', 2 => 'chroot_work', 3 => 'new_work', 4 => 'chroot_work');
	my @lines = (map_of(1, 100, identity('bin/prog')), hits(1, 110));
	push @lines, map_of(2, 120, identity('root/prog')), hits(2, 130) if pick(2);
	stream('in', pick(2) ? @lines : (@lines[5 .. $#lines], @lines[0 .. 4]));
	# another recording, which learnt the build-id of its own file, and of no more
	stream('b', map_of(4, 10, identity('root/prog')), hits(4, 20), one_of("build_id old id=$ENV{CHROOT_ID} file=$path misc=2",
		"round"));
	run('cp b other');
	my @stages = map { one_of(sort keys %stage) } 1 .. 1 + pick(4);
	my $when = pick(@stages + 1);
	for my $i (0 .. @stages) {
		if ($i == $when) {
			push @log, "# $fate";
			usleep(10_000);
			$fate{$fate}->();
			# two recordings of one inode, merged, are one
			again() if -e 'bin/prog' && $fate ne 'kept' && $fate ne 'overwritten';
		}
		last if $i == @stages;
		run($stage{$stages[$i]}->('in', 'out') . ' 2>>said');
		run('mv out in');
	}
	for my $line (`pp-script -q -F pid,ip,sym in 2>>said`) {
		my ($pid, $name) = $line =~ /^\s*(\d+)\s+(?:[0-9a-f]+\s+)?(\S+)/ or next;
		$named += $name ne "[unknown]";
		$hits++;
		next if $name eq '[unknown]' || !$true{$pid} || $name eq $true{$pid};
		$wrong = 1;
		print join("\n", "seed $seed: process $pid hit $true{$pid}, named $name", @log), "\n\n";
		return;
	}
}

for (@ARGV) {
	$seed = $_;
	try();
}
run('umount bin') if $overlay;
print "$named of $hits named\n";
exit($wrong ? 1 : 0);
