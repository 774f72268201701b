# counting.pl - counting, beside perf stat.
use strict;
use warnings;
use Inputs;
use Measure;
use Rows;
use Time::HiRes qw(time);

my @software = qw(task-clock cpu-clock cs migrations faults minor-faults major-faults alignment-faults emulation-faults);
my @points = qw(sched:sched_switch sched:sched_wakeup sched:sched_waking irq:irq_handler_entry irq:softirq_entry);
my @calls = map { "syscalls:sys_$_" } qw(enter_read enter_write exit_read exit_write);
my $twenty = join ',', @software, @points, @calls, qw(timer:timer_start timer:hrtimer_start);

# Intervals that were written, and those of perf.
sub our_intervals { my $rounds = () = `pp-dump -i our.counts` =~ /^\S* *STAT_ROUND/mg; return $rounds }
sub their_intervals { my %times = map { $_ => 1 } slurp('perf.counts') =~ /^ +([0-9.]+)/mg; return scalar keys %times }

# counting NAME, OPTIONS, each => 1: processor time of ours, of each interval where perf leaves some out
sub counting
{
	my ($name, $options, $key, $limit, %how) = @_;
	my $per = sub { my ($run, $n) = @_; return $how{each} ? { %$run, cpu => $run->{cpu} / ($n->() || 1) } : $run };
	row "pp-count $name", called => "perf stat $name", shows => $key, runs => $how{runs} // $RUNS,
		theirs => sub { $per->(run("perf stat -o perf.counts $options"), \&their_intervals) },
		ours => sub { $per->(run("pp-count -o our.counts $options"), \&our_intervals) },
		figures => [most($limit, share($key, $key eq 'wall' ? "of perf's time" : "of perf's processor time"))];
}

counting('-a -I 10, 20 events', "-a -I 10 -e $twenty -- sleep 2", 'cpu', '0.50', runs => 3);
# at 1 ms perf leaves out more than half of the intervals
counting('-a -I 1, 20 events, of each', "-a -I 1 -e $twenty -- sleep 2", 'cpu', '0.50', each => 1, runs => 3);
counting('-- true, whole', '-- true', 'wall', '1.00');

# ---- a process of 5,000 threads

my $crowd;

sub assemble
{
	disperse();
	pipe my $from, my $to or die "pipe: $!\n";
	$crowd = begin("python3 crowd.py", '/dev/null', '/dev/fd/' . fileno $to);
	close $to;
	readline $from;
}

sub disperse { end($crowd, 'TERM') if $crowd; $crowd = undef }

# Its counters opened, and how long that took: until the command began.
sub counted
{
	my ($command) = @_;
	my $began = time;
	my $run = run("$command -p $crowd -e task-clock -- sh -c 'date +%s.%N >started'");
	return { %$run, opened => slurp('started') - $began };
}

if (!have('python3')) {
	not_measured('pp-count -p of 5000 threads', 'no python3');
	return 1;
}
write_file('crowd.py', <<'END');
import threading as t
t.stack_size(65536)
e = t.Event()
for _ in range(4999): t.Thread(target=e.wait, daemon=True).start()
print(flush=True)
e.wait(300)
END
# Each counter interrupts another CPU, or not, by where the threads were and where the process happens to run,
# often all of them for as long as they live: so each run is four of one crowd.
row 'pp-count -p of 5000 threads', called => 'perf stat -p of 5000 threads', shows => 'cpu',
	theirs => sub { counted('perf stat -o perf.counts') }, ours => sub { counted('pp-count -o our.counts') },
	mean => 4, begin => \&assemble, figures => [
		most('0.50', share('cpu', "of perf's processor time")),
		most('0.50', share('opened', "of perf's time until all are open")),
	];
disperse();
unlink qw(perf.counts our.counts started crowd.py);
