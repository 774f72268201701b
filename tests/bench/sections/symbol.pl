# symbol.pl - names: files seen for the first time, names that are there, a large program.
use strict;
use warnings;
use Cwd;
use Inputs;
use Measure;
use Rows;

write_file('names.sh', <<'END');
for i in 1 2 3 4 5 6; do
	ls -lR /usr >/dev/null &
	perl -e 'my %h; $h{$_ % 999} .= sprintf "%x", $_ for 1 .. 2e6'
	wait
done
END
shell('pp-record -q -a -g -F 25000 -e cpu-clock -o all.pipe -- sh names.sh');
my ($samples) = `pp-info all.pipe` =~ /^\s*events\s+(\d+)/m;
row 'pp-symbol, first sight', ours => 'pp-symbol', in => 'all.pipe', bytes => size('all.pipe'), before => \&forget,
	shows => 'cpu', figures => [most('1.50', figure('s of processor time per million samples',
		sub { $_[0]{ours}{cpu} / $samples * 1e6 }))];
shell('pp-symbol -q all.pipe >named.pipe');
row 'pp-symbol, names are there', ours => 'pp-symbol', in => 'named.pipe', bytes => size('named.pipe'),
	before => \&forget, shows => 'cpu', figures => [least(300, speed('MB/s', 'cpu'))];
unlink qw(all.pipe named.pipe);

# ---- a program of 700 MB, three quarters of it debug information, of 11,000 sources

# A source of 40 functions, the first of them with this number.
sub unit
{
	my ($from) = @_;
	return map {
		my $n = $_;
		"struct s$n { int a, b; double c[7]; };\n",
		"static inline __attribute__((always_inline)) int in$n(struct s$n *p, int i)\n",
		"{ int t = p->a * i; if (t > $n) t -= p->b; return t; }\n",
		"int f$n(struct s$n *p, int n) { int r = 0;\n",
		"for (int i = 0; i < n; i++) { switch (in$n(p, i) % 9) { ",
		(map { "case $_: r += p->b * $_; p->c[$_ % 7] += r; break; " } 0 .. 7),
		"default: r ^= in$n(p, r); } } return r; }\n"
	} $from .. $from + 39;
}

sub write_large
{
	write_file("unit-$_.c", unit(40 * $_ + 1)) for 0 .. 24;
	write_file('main.c', "int main(void) { return 0; }\n");
	shell(q(ls unit-*.c main.c | xargs -n 13 -P "$(nproc)" gcc -O1 -g3 -c && ld -r -o units.o unit-*.o));
	shell(q(seq 440 | xargs -P "$(nproc)" -I{} objcopy --prefix-symbols=p{}_ units.o part-{}.o));
	shell('gcc -Wl,--build-id -o large main.o part-*.o');
	unlink glob('*.o'), glob('unit-*.c'), 'main.c';
}

# A stream in which one sample hits the program's function p100_f1000.
sub at_large
{
	no warnings 'portable'; # addresses have 64 bits
	my ($id) = `readelf -n large` =~ /Build ID: (\w+)/;
	my ($address) = `nm large` =~ /^(\w+) \w p100_f1000$/m;
	my ($from, $linked) = `readelf -lW large` =~ /^ *LOAD +0x(\w+) 0x(\w+).* R E /m;
	my $ip = 0x100000000 + hex($address) - hex($linked) + hex($from) + 20;
	write_file('large.txt', <<~END);
		header
		attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		mmap2 pid=7 start=0x100000000 len=0x40000000 file="@{[getcwd()]}/large" build_id=$id time=1
		sample pid=7 ip=$ip misc=2 time=10
		round
		END
	shell("$^X $HERE/../build.pl <large.txt >large.pipe");
}

if (!have('gcc')) {
	not_measured('pp-symbol of a large program', 'no gcc');
	return 1;
}
write_large();
at_large();
shell('pp-symbol -q large.pipe | pp-dump --headers --json | grep -q p100_f1000');
row sprintf('pp-symbol, program of %.0f MB', size('large') / 1e6), ours => 'pp-symbol', in => 'large.pipe',
	bytes => size('large'), before => \&forget, figures => [most(0.5, taken('wall', 's'))];
unlink qw(large large.pipe);
