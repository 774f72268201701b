# fleet.pl FOLDER [EVENT] - the samples of a fleet, of an event or of all, as folded stacks, as pp-fold has them:
# read by unit/parquet.pl, joined here.  Dies where a sample has no stack, a stack no frame, or a number two
# meanings.
use strict;
use warnings;
use FindBin;

my ($folder, $event) = @ARGV;

# rows of a table: what each file has, split
sub rows
{
	my ($table) = @_;
	my @files = split /\n/, `find '$folder/$table' -name '*.parquet' | sort`;
	die "no $table\n" unless @files;
	open my $in, '-|', $^X, "$FindBin::Bin/../../unit/parquet.pl", @files or die "parquet.pl: $!\n";
	my @rows = map { chomp; [map { s/^"//r } split /\t/, $_, -1] } <$in>;
	close $in or die "parquet.pl of $table\n";
	return @rows;
}

my (%frames, %stacks, %weights);
for (rows('frames')) {
	my ($id, $kind, $build_id, $dso, $offset, $inline, $func, $file, $line) = @$_;
	my $is = join "\0", $kind, $build_id, $offset;
	die "frame $id has two meanings\n" if $frames{$id} && $frames{$id}{is} ne $is;
	$frames{$id}{is} = $is;
	$frames{$id}{names}[$inline] = $func ne '~' ? $func : $dso ne '~' ? '[' . ($dso =~ s{.*/}{}r) . ']' : '[unknown]';
}
for (rows('stacks')) {
	my ($id, $frames) = @$_;
	die "stack $id has two meanings\n" if defined $stacks{$id} && $stacks{$id} ne $frames;
	$stacks{$id} = $frames;
}
for (rows('samples')) {
	my ($time, $its, $weight, $count, $comm, $pid, $tid, $cpu, $cgroup, $stack, $recording) = @$_;
	next if defined $event && $its ne $event;
	my @names = map { @{ ($frames{$_} // die "no frame $_\n")->{names} } }
		($stacks{$stack} // die "no stack $stack\n") =~ /-?\d+/g;
	$weights{join ';', $comm =~ tr/ /_/r, @names} += $weight;
}
print map { "$_ $weights{$_}\n" } sort keys %weights;
