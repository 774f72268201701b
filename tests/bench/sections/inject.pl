# inject.pl - what pp-inject adds, the first sight of every file included, beside perf inject.
use strict;
use warnings;
use Cwd;
use File::Temp ();
use Inputs;
use Measure;
use Rows;

# injecting NAME FILE TIMES OPTION: pp-inject beside perf inject
sub injecting
{
	my ($name, $file, $times, $option) = @_;
	row "pp-inject $name", ours => "pp-inject $option", theirs => "perf inject $option",
		called => "perf inject $name", in => $file, bytes => size($file), shows => 'cpu',
		# images of the run before
		before => sub { unlink 'jitted', glob 'jitted-*.so'; forget() },
		figures => [least($times, faster('cpu', "times perf's user and system time"))];
}

my $PIECES = 3000;

# Code that a JIT compiler made, with lines; and a stream of samples in it.
sub write_jitted
{
	my ($folder) = @_;
	my $dump = "header pid=7\n";
	my $stream = <<~END;
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all,use_clockid clockid=1
		mmap2 pid=7 start=0x900000 len=0x1000 prot=5 file="$folder/jit-7.dump" time=5
		END
	for my $i (1 .. $PIECES) {
		my ($time, $at) = (1000 + $i, sprintf '0x%x', 0x100000 + 4096 * $i);
		$dump .= "lines time=$time addr=$at 0:a.js:1 16:=:2 48:=:9\n"
			. "load time=$time addr=$at index=$i name=f$i size=256\n";
		$stream .= sprintf("sample pid=7 ip=0x%x time=%d\n", 0x100000 + 4096 * $i + 20, 5000 + $i) x 20;
	}
	write_file('dump.txt', "${dump}close time=9000\n");
	write_file('stream.txt', "${stream}round\n");
	shell("$^X $HERE/../jitdump.pl <dump.txt >jit-7.dump");
	shell("$^X $HERE/../build.pl <stream.txt >jit.pipe");
}

# in memory, since a disk takes longer for 3,000 new files than either
my $here = getcwd();
if (my $memory = eval { File::Temp->newdir(DIR => '/dev/shm') }) {
	chdir $memory or die "$memory: $!\n";
	write_jitted("$memory");
	injecting('-j, 3,000 pieces of code', 'jit.pipe', '1.00', '-j');
	chdir $here or die "$here: $!\n";
} else {
	not_measured('pp-inject -j', 'no /dev/shm');
}

if (have('gcc')) {
	compiled('calls.pipe', '-g -F 20000');
	injecting('-b, calls of a compiler', 'calls.pipe', 2, '-b');
	unlink 'calls.pipe';
} else {
	not_measured('pp-inject -b', 'no gcc');
}
