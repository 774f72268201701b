# pprof.pl - prints what a pprof profile holds, a line each, by a reader of its own: `pprof.pl FILE` reads
# FILE, or standard input, which gzip compressed or not.  Field numbers are those of profile.proto as it is
# published, written down here once more.
#
#	type NAME UNIT                     of the values that a sample has, in their order
#	default NAME | period NAME UNIT N | time N | duration N
#	comment TEXT
#	mapping ID START LIMIT OFFSET FILE BUILD-ID HAS...
#	location ID MAPPING ADDRESS NAME:FILE:LINE...       innermost first
#	sample VALUE,... LABEL=TEXT... | FRAME;...          outermost first; a frame without a name is [FILE]
use strict;
use warnings;

my $file = shift // '-';
my $data = do {
	local $/;
	open my $in, '<', $file eq '-' ? '/dev/stdin' : $file or die "pprof.pl: $file: $!\n";
	binmode $in;
	<$in>;
};
if (substr($data, 0, 2) eq "\x1f\x8b") {
	require IO::Uncompress::Gunzip;
	my $plain;
	IO::Uncompress::Gunzip::gunzip(\$data => \$plain, MultiStream => 1) or die "pprof.pl: not gzip\n";
	$data = $plain;
}

sub varint {
	my ($bytes, $at) = @_;
	my ($value, $shift) = (0, 0);
	while (1) {
		die "pprof.pl: cut within a number\n" if $$at >= length $$bytes;
		my $byte = ord substr $$bytes, $$at++, 1;
		$value |= ($byte & 0x7f) << $shift;
		return $value unless $byte & 0x80;
		$shift += 7;
		die "pprof.pl: a number of more than 64 bits\n" if $shift > 63;
	}
}

# fields BYTES: [NUMBER, VALUE]...
sub fields {
	my ($bytes) = @_;
	my $at = 0;
	my @fields;
	while ($at < length $bytes) {
		my $tag = varint(\$bytes, \$at);
		my $wire = $tag & 7;
		if ($wire == 0) {
			push @fields, [$tag >> 3, varint(\$bytes, \$at)];
		} elsif ($wire == 2) {
			my $length = varint(\$bytes, \$at);
			die "pprof.pl: a field runs past its message\n" if $length > length($bytes) - $at;
			push @fields, [$tag >> 3, substr $bytes, $at, $length];
			$at += $length;
		} else {
			die "pprof.pl: wire type $wire\n";
		}
	}
	return @fields;
}

# message BYTES NAME...: by their names; those after '*' are lists; the name of field i is the ith
sub message {
	my ($bytes, @names) = @_;
	my %message = map { /^\*(.*)/ ? ($1 => []) : ($_ => 0) } grep { $_ ne '' } @names;
	for (fields($bytes)) {
		my ($number, $value) = @$_;
		my $name = $names[$number - 1] // '';
		die "pprof.pl: unknown field $number among @names\n" if $name eq '';
		if ($name =~ s/^\*//) {
			push @{$message{$name}}, $value;
		} else {
			$message{$name} = $value;
		}
	}
	return \%message;
}

sub numbers {
	my @numbers;
	for my $bytes (@_) {
		my $at = 0;
		push @numbers, varint(\$bytes, \$at) while $at < length $bytes;
	}
	return @numbers;
}

my $p = message($data, qw(*type *sample *mapping *location *function *text drop keep time duration period_type
	period *comment default));
my @text = @{$p->{text}};
die "pprof.pl: the first text is not empty\n" if !@text || $text[0] ne '';

sub text {
	my ($number) = @_;
	die "pprof.pl: no text $number\n" if $number > $#text;
	return $text[$number];
}

sub type {
	my $type = message($_[0], qw(type unit));
	return text($type->{type}) . ' ' . text($type->{unit});
}

print 'type ', type($_), "\n" for @{$p->{type}};
print 'default ', text($p->{default}), "\n";
print 'period ', type($p->{period_type}), " $p->{period}\n" if $p->{period_type};
print "time $p->{time}\nduration $p->{duration}\n";
print 'comment ', text($_), "\n" for @{$p->{comment}};

my (%mapping, %function, %location);
for (@{$p->{mapping}}) {
	my $m = message($_, qw(id start limit offset file build_id functions files lines inlined));
	die "pprof.pl: mapping $m->{id} twice\n" if $mapping{$m->{id}}++;
	$mapping{$m->{id}} = text($m->{file});
	printf "mapping %d %#x %#x %#x %s %s%s\n", @$m{qw(id start limit offset)}, text($m->{file}),
		text($m->{build_id}) || '-', join '', map { " $_" } grep { $m->{$_} } qw(functions files lines inlined);
}
for (@{$p->{function}}) {
	my $f = message($_, qw(id name system file line));
	die "pprof.pl: function $f->{id} twice\n" if !$f->{id} || $function{$f->{id}};
	$function{$f->{id}} = [text($f->{name}), text($f->{file})];
}
for (@{$p->{location}}) {
	my $l = message($_, qw(id mapping address *line folded));
	my @names;
	die "pprof.pl: location $l->{id} twice\n" if !$l->{id} || $location{$l->{id}};
	die "pprof.pl: no mapping $l->{mapping}\n" if $l->{mapping} && !defined $mapping{$l->{mapping}};
	my $file = $l->{mapping} ? $mapping{$l->{mapping}} : 'unknown';
	printf "location %d %s %#x", $l->{id}, $file, $l->{address};
	for (@{$l->{line}}) {
		my $line = message($_, qw(function line column));
		my $f = $function{$line->{function}} or die "pprof.pl: no function $line->{function}\n";
		printf ' %s:%s:%d', @$f, $line->{line};
		push @names, $f->[0];
	}
	print "\n";
	$location{$l->{id}} = [@names ? @names : "[$file]"];
}
for (@{$p->{sample}}) {
	my $s = message($_, qw(*location *value *label));
	my @values = numbers(@{$s->{value}});
	die "pprof.pl: a sample of " . @values . " values\n" if @values != @{$p->{type}};
	my @labels = map {
		my $label = message($_, qw(key text number unit));
		text($label->{key}) . '=' . ($label->{unit} ? $label->{number} : text($label->{text}));
	} @{$s->{label}};
	my @frames = map { @{$location{$_} or die "pprof.pl: no location $_\n"} } numbers(@{$s->{location}});
	print 'sample ', join(',', @values), map({ " $_" } @labels), ' | ', join(';', reverse @frames), "\n";
}
