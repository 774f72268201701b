# firefox.pl - prints what a processed profile of Firefox, version 66, holds, by a reader of its own:
# `firefox.pl FILE`, which gzip compressed or not.
#
#	meta KEY VALUE                     extra LABEL: VALUE
#	lib NAME PATH BREAKPAD-ID CODE-ID
#	func NAME LIB SOURCE
#	frame NAME ADDRESS DEPTH CATEGORY/SUBCATEGORY LINE SYMBOL
#	symbol LIB ADDRESS NAME SIZE
#	counter NAME UNIT PID TIME:COUNT...
#	thread NAME PROCESS PID TID MAIN SAMPLES
#	sample TIME WEIGHT CPU STACK        marker NAME START END DATA        of the thread before
#
# With --folded samples as pp-fold --tid has them, but for the name of the thread: PID/TID;FRAME;... WEIGHT, in
# ns, or as a count, each stack once; code without a name is [FILE].
use strict;
use warnings;
use JSON::PP;

my $folded = @ARGV && $ARGV[0] eq '--folded' && shift;
my $text = do { local $/; open my $in, '<', $ARGV[0] or die "firefox.pl: $ARGV[0]: $!\n"; binmode $in; <$in> };
if (substr($text, 0, 2) eq "\x1f\x8b") {
	require IO::Uncompress::Gunzip;
	my $plain;
	IO::Uncompress::Gunzip::gunzip(\$text => \$plain) or die "firefox.pl: not gzip\n";
	$text = $plain;
}
# as text: a number of JSON may have more digits than a double
$text =~ s/(?<=[\[,:])(\d+\.\d+)(?=[,\]\}])/"$1"/g;
my $profile = JSON::PP->new->utf8->allow_bignum->canonical->decode($text);
binmode STDOUT, ':utf8';
my ($meta, $shared) = @$profile{qw(meta shared)};
die "firefox.pl: version $meta->{preprocessedProfileVersion}\n" unless $meta->{preprocessedProfileVersion} == 66;

# each column of a table has its length
sub check {
	my ($name, $table) = @_;
	ref $table->{$_} eq 'ARRAY' and @{$table->{$_}} != $table->{length} and
		die "firefox.pl: $name.$_ has not $table->{length} values\n" for keys %$table;
}
check($_, $shared->{$_}) for qw(stackTable frameTable funcTable resourceTable nativeSymbols sources sourceLocationTable);

my ($frames, $funcs, $stacks, @strings) = (@$shared{qw(frameTable funcTable stackTable)}, @{$shared->{stringArray}});
my $symbols = $shared->{nativeSymbols};
my @libs = @{$profile->{libs}};
sub lib_of {
	my $resource = $funcs->{resource}[$_[0]];
	return $resource < 0 ? undef : $libs[$shared->{resourceTable}{lib}[$resource]];
}
sub name_of { $strings[$funcs->{name}[$_[0]]] }

# frames of a stack, the outermost first
sub stack {
	my @stack;
	for (my $at = $_[0]; defined $at;) {
		unshift @stack, $stacks->{frame}[$at];
		my $offset = $stacks->{prefixOffset}[$at];
		die "firefox.pl: stack $at comes before its callers\n" if $offset < 0 || $offset > $at;
		$at = $offset ? $at - $offset : undef;
	}
	return @stack;
}
# ns of ms
sub ns {
	my ($whole, $rest) = split /\./, "$_[0]";
	return $whole * 1000000 + substr(($rest // '') . '000000', 0, 6);
}

unless ($folded) {
	print map { "meta $_ " . ($meta->{$_} // '-') . "\n" } qw(product interval startTime symbolicated arguments);
	print map { "extra $_->{label}: $_->{value}\n" } map { @{$_->{entries}} } @{$meta->{extra}};
	print map { "lib $_->{name} $_->{path} $_->{breakpadId} " . ($_->{codeId} // '-') . "\n" } @libs;
	for my $i (0 .. $funcs->{length} - 1) {
		my $source = $funcs->{source}[$i];
		print "func ", name_of($i), ' ', (lib_of($i) || { name => '-' })->{name}, ' ',
			defined $source ? $strings[$shared->{sources}{filename}[$source]] : '-', "\n";
	}
	for my $i (0 .. $frames->{length} - 1) {
		my $category = $meta->{categories}[$frames->{category}[$i]];
		my $symbol = $frames->{nativeSymbol}[$i];
		printf "frame %s %s %d %s/%s %s %s\n", name_of($frames->{func}[$i]),
			$frames->{address}[$i] < 0 ? '-' : sprintf('0x%x', $frames->{address}[$i]), $frames->{inlineDepth}[$i],
			$category->{name}, $category->{subcategories}[$frames->{subcategory}[$i]], $frames->{line}[$i] // '-',
			defined $symbol ? $strings[$symbols->{name}[$symbol]] : '-';
	}
	printf "symbol %s 0x%x %s %s\n", $libs[$symbols->{libIndex}[$_]]{name}, $symbols->{address}[$_],
		$strings[$symbols->{name}[$_]], $symbols->{functionSize}[$_] // '-' for 0 .. $symbols->{length} - 1;
}
for my $counter (@{$folded ? [] : $profile->{counters} // []}) {
	my ($samples, $time) = ($counter->{samples}, 0);
	check('counter', $samples);
	die "firefox.pl: a counter's process has no thread\n" unless $profile->{threads}[$counter->{mainThreadIndex}]{pid} eq $counter->{pid};
	print "counter $counter->{name} ", $counter->{display}{unit} || '-', " $counter->{pid}",
		map({ ' ' . ($time += ns($samples->{timeDeltas}[$_])) . ":$samples->{count}[$_]" } 0 .. $samples->{length} - 1), "\n";
}
my %weights;
for my $thread (@{$profile->{threads}}) {
	my ($samples, $markers) = @$thread{qw(samples markers)};
	check('samples', $samples);
	check('markers', $markers);
	print "thread $thread->{name} $thread->{processName} $thread->{pid} $thread->{tid} ", $thread->{isMainThread} ? 1 : 0,
		" $samples->{length}\n" unless $folded;
	my $time = 0;
	for my $i (0 .. $samples->{length} - 1) {
		$time += ns($samples->{timeDeltas}[$i]);
		my @names;
		for (stack($samples->{stack}[$i])) {
			my $func = $frames->{func}[$_];
			my $name = name_of($func);
			$name = '[' . (lib_of($func) || { name => 'unknown' })->{name} . ']' if $folded && $name =~ /^0x/;
			push @names, $name;
		}
		my $weight = $samples->{weight}[$i];
		$weight = ns($weight) if $samples->{weightType} eq 'tracing-ms';
		$weights{join ';', "$thread->{pid}/$thread->{tid}", @names} += $weight;
		print "sample $time $weight ", $samples->{threadCPUDelta}[$i] // '-', ' ', join(';', @names), "\n" unless $folded;
	}
	for my $i (0 .. ($folded ? 0 : $markers->{length}) - 1) {
		my $data = $markers->{data}[$i];
		my $cause = delete $data->{cause};
		$data->{stack} = join ';', map { name_of($frames->{func}[$_]) } stack($cause->{stack}) if $cause;
		print "marker $strings[$markers->{name}[$i]] ", ns($markers->{startTime}[$i]), ' ',
			defined $markers->{endTime}[$i] ? ns($markers->{endTime}[$i]) : '-', ' ',
			join(' ', map { "$_=$data->{$_}" } sort keys %$data), "\n";
	}
}
print map { "$_ $weights{$_}\n" } sort grep { $weights{$_} } keys %weights if $folded;
