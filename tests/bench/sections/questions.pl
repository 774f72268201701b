# questions.pl - where threads wait, which functions, which instructions.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;

# ---- waits: two tasks that switch to each other

if (!have('perf')) {
	not_measured('pp-span off-cpu', 'no perf bench');
} else {
	my $loops = int($MB * 1500);
	# perf refuses to show stacks where not all events have them
	shell('perf record -q -a -g -m 16M -e sched:sched_switch -o switches.data -- '
		. "perf bench -f simple sched pipe -l $loops >/dev/null 2>&1");
	shell('pp-cat switches.data >switches.pipe');
	row 'pp-span off-cpu', ours => 'pp-span -q off-cpu', in => 'switches.pipe', bytes => size('switches.pipe'),
		theirs => 'perf sched timehist -i switches.data', called => 'perf sched timehist', shows => 'cpu', runs => 3,
		figures => [least(500, speed('MB/s', 'cpu')), least(4, faster('cpu', "times perf's processor time"))];
	unlink qw(switches.pipe switches.data);
}

# ---- functions in expressions: names that the stream has, and that no frame is called

compiled('stacks.pipe', '-g', '-F 20000');
shell('pp-symbol -q stacks.pipe >named.pipe');
repeat('named.pipe', 'many.pipe', $MB / 2);
row 'pp-filter any_sym', ours => q(pp-filter -q 'any_sym == "none"'), theirs => q(pp-filter -q 'any_dso == "none"'),
	called => 'pp-filter any_dso', in => 'many.pipe', bytes => size('many.pipe'), shows => 'cpu',
	figures => [most(2, share('cpu', "times any_dso's processor time"))];
unlink qw(stacks.pipe named.pipe many.pipe);

# ---- instructions of a program of less than 10 MB

if (!have('gcc')) {
	not_measured('pp-annotate', 'no gcc');
	return 1;
}
write_file('hot.c', <<'END');
static volatile double sums[64];
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sums[i % 64] += (double)(i * i % 7); }
int main(void) { work(300000000); return 0; }
END
shell('gcc -g -O2 -o hot hot.c');
shell('pp-record -q -e cpu-clock -F 5000 -o hot.pipe -- ./hot');
shell('pp-symbol -q hot.pipe >hot.named');
row 'pp-annotate', ours => 'pp-annotate -q hot.named work', bytes => size('hot.named'),
	figures => [most(0.05, taken('wall', 's'))];
row 'pp-annotate --asm', ours => 'pp-annotate -q --asm hot.named work', bytes => size('hot.named'),
	figures => [most(0.05, taken('wall', 's'))];
unlink qw(hot hot.c hot.pipe hot.named);
