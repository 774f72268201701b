#!/usr/bin/perl
# bench.pl - measures the tools side by side with cat, perf and zstd; ends in one table of what is wanted and what
# was measured.  Ratios of one run compare with those of another; times of two machines do not.
#
#   make bench                    all sections but floor, growth and gates: ten minutes
#   make bench ONLY=script,fold   these sections; stream: filters, programs, files and made
#   make bench ONLY=floor         beside a bare walk of the stream
#   make bench ONLY=growth        times and memory for inputs of 1, 2, 4 and 8 times the size
#   make bench ONLY=gates         what pp-diff says of two builds, and its speed: ten minutes; RUNS=3: fewer comparisons
#   make bench BASE=COMMIT        the tools of that commit and these, in turns; exit 1 if a row is slower now
#   RUNS=5 BENCH_MB=100           runs of each measurement; size of most streams
use strict;
use warnings;
use utf8;
use Cwd qw(abs_path getcwd);
use File::Temp ();
use FindBin;
use lib $FindBin::Bin;
use Measure ();
use Rows ();

my @STREAM = qw(filters programs files made);
my @PLAIN = (qw(recorders counting counts unwind script inject fold export report symbol questions starting), @STREAM);
my %SECTIONS = map { $_ => [$_] } @PLAIN, qw(floor growth gates);
$SECTIONS{stream} = \@STREAM;

my $root = abs_path("$FindBin::Bin/../..");
my $bin = $ENV{BIN} || "$root/build/plain";

sub only
{
	my @names = split /[,\s]+/, $ENV{ONLY} // '';
	for (@names) { $SECTIONS{$_} or die "bench: no section $_; there are: @{[sort keys %SECTIONS]}\n" }
	return @names ? map { @{$SECTIONS{$_}} } @names : @PLAIN;
}

sub first_line { my ($command) = @_; my ($line) = split /\n/, `$command 2>/dev/null`; return $line // 'unknown' }

# What was measured, and where.
sub print_machine
{
	my ($cpu) = map { s/.*: //r } grep { /^model name|^cpu model|^Processor/ } lines('/proc/cpuinfo');
	my ($memory) = map { /(\d+)/ } grep { /^MemTotal/ } lines('/proc/meminfo');
	my %built = map { /^ *built\.(\w+) := (.*)/ ? ($1 => $2) : () } lines("$bin/flags");
	my $changed = `git -C '$root' status --porcelain --untracked-files=no 2>/dev/null`;
	printf "machine   %s, %s processors, %.1f GB\n", $cpu // 'unknown', first_line('nproc'), ($memory // 0) / 1e6;
	printf "kernel    %s\n", first_line('uname -srm');
	printf "perf      %s\n", first_line('perf --version');
	printf "compiler  %s, %s\n", first_line("$built{CC} --version"), $built{CFLAGS};
	printf "commit    %s%s\n", first_line("git -C '$root' log -1 --format='%h %s'"), $changed ? ', and changes' : '';
}

sub lines { my ($path) = @_; open my $in, '<', $path or return; chomp(my @lines = <$in>); return @lines }

# ---- the other build

# The tools of the commit: where they are.
sub build_base
{
	my ($commit, $folder) = @_;
	my ($name) = first_line("git -C '$root' rev-parse --verify --short '$commit^{commit}'");
	mkdir $folder or die "$folder: $!\n";
	print "base      ", first_line("git -C '$root' log -1 --format='%h %s' $name"), "\n";
	delete local @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS BIN B BASE ONLY)};
	system("git -C '$root' archive $name | tar -x -C '$folder' && make -C '$folder' -j \$(nproc) all >'$folder/log' 2>&1") == 0
		or die "bench: cannot build $commit:\n", join "\n", lines("$folder/log"), '';
	return "$folder/build/plain";
}

# Both are found by names of the same length: where a program's stack begins depends on it, and so may its speed.
sub link_builds
{
	my ($base) = @_;
	symlink $base, 'base' or die "base: $!\n";
	symlink $bin, 'ours' or die "ours: $!\n";
	return (getcwd() . '/base', getcwd() . '/ours');
}

# ---- all of it

my @sections = only();
my $work = File::Temp->newdir('pp-bench.XXXXXX', TMPDIR => 1);
$SIG{$_} = sub { Measure::end_all(); chdir '/'; exit 130 } for qw(INT TERM HUP);
$| = 1;
binmode STDOUT, ':utf8';
@ENV{qw(LC_ALL BENCH_WORK BENCH_HERE SPENT FLOOR)} =
	('C', "$work", $FindBin::Bin, "$bin/tests/bench/spent", "$bin/tests/bench/floor");
my $began = time;
print_machine();
my $base = $ENV{BASE} ? build_base($ENV{BASE}, "$work/source") : undef;
chdir $work or die "$work: $!\n";
($base, $bin) = link_builds($base) if $base;
$ENV{PATH} = "$bin:$ENV{PATH}";

Measure::compare_with($base);
my @took;
for my $section (@sections) {
	my $from = time;
	my $file = "$FindBin::Bin/sections/$section.pl";
	print "\n$section\n";
	Rows::heading($section);
	defined(do $file) or die "$file: ", $@ || $!, "\n";
	push @took, sprintf '%s %d', $section, time - $from;
}
printf "\n%d s in all: %s\n", time - $began, join ', ', @took;
my $status = Rows::result();
chdir '/';
exit $status;
