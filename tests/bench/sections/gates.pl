# gates.pl - pp-diff as a gate: its verdicts on two builds of one program that differ by nothing, by 3 and by 10 %,
# and how long many recordings take.  RUNS: so many comparisons of each kind; 20, if it is not given.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

my $COMPARISONS = $ENV{RUNS} || 20;
my @VERDICTS = ('worse', 'better', 'same', 'not known');

# Two functions that take as long; the second takes so many per cent more.
write_file('gate.c', <<'END');
static volatile unsigned sink, rounds = 7000;
__attribute__((noinline)) static void even(unsigned n) { for (unsigned i = 0; i < n; i++) sink = sink * 3 + i; }
__attribute__((noinline)) static void odd(unsigned n) { for (unsigned i = 0; i < n; i++) sink = sink * 5 + i; }
int main(void)
{
	for (int i = 0; i < 50; i++) {
		even(rounds * 100);
		odd(rounds * (100 + MORE));
	}
	return 0;
}
END

# One comparison: verdicts of the whole and of each function, and whether the gate fails.
sub compared
{
	my ($more) = @_;
	system('rm -rf turns');
	shell("pp-record -q -F 5000 -e cpu-clock:u -o turns --warmup 1 --repeat 10 --compare ./gate.0 ./gate.$more");
	my @lines = `pp-diff -q --csv --all turns/*.pipe`;
	die "pp-diff: exit $?\n" if $?;
	my %verdict;
	for (@lines) { $verdict{$2 || $1} = $3 if /^(total|function),([^,]*),([^,]*)/ }
	system('pp-diff -q --fail-if-worse 3 turns/*.pipe >/dev/null');
	return { %verdict, fails => $? >> 8 };
}

sub count { my ($all, $what, $value) = @_; return scalar grep { ($_->{$what} // '') eq $value } @$all }

# Of so many comparisons the verdicts, a line for each of what was judged.
sub print_verdicts
{
	my ($all) = @_;
	for my $what (qw(total odd even)) {
		printf "    %-8s %s\n", $what, join ', ', map { count($all, $what, $_) . " $_" } @VERDICTS;
	}
	printf "    --fail-if-worse 3 fails: %d of %d\n", count($all, 'fails', 1), scalar @$all;
}

sub builds
{
	my ($more, $name, $wanted) = @_;
	my @all;
	row "$COMPARISONS comparisons, $name", runs => 1, passes => 1, ours => sub {
		my $began = time;
		@all = map { compared($more) } 1 .. $COMPARISONS;
		return { wall => time - $began, found => count(\@all, 'odd', 'worse') / $COMPARISONS };
	}, figures => [$wanted->(figure('of the comparisons say worse of the function', sub { $_[0]{ours}{found} }))];
	print_verdicts(\@all);
}

if ($BASE || !have('cc')) {
	not_measured('comparisons of two builds', $BASE ? 'verdicts, not times' : 'no cc');
} else {
	shell("cc -O2 -g -DMORE=$_ -o gate.$_ gate.c") for 0, 3, 10;
	builds(0, 'no change', sub { most(0.05, @_) });
	builds(3, '3 % more in half of it', sub { figure($_[0]{what}, $_[0]{code}) });
	builds(10, '10 % more in half of it', sub { least(0.9, @_) });
	unlink 'gate.c', map { "gate.$_" } 0, 3, 10;
	system('rm -rf turns');
}

my $samples = 8075 * $MB;
shell("pp-gen --samples $samples --callchain 12 --seed $_ -o side.$_.pipe") for 1 .. 20;
my $bytes = 0;
$bytes += size("side.$_.pipe") for 1 .. 20;
row "pp-diff of 20 recordings of $MB MB", bytes => $bytes, runs => 3, passes => 1,
	ours => 'pp-diff -q --root /nowhere -o diff.txt ' . join(' ', (map { "side.$_.pipe" } 1 .. 10), '--',
		map { "side.$_.pipe" } 11 .. 20),
	shows => 'cpu', figures => [most(0.1 * $MB, taken('cpu', 's of processor time')), taken('wall', 's on the clock')];
unlink 'diff.txt', map { "side.$_.pipe" } 1 .. 20;
