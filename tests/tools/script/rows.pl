#!/usr/bin/perl
# rows.pl - compares what perf script and pp-script print, row by row (rows.txt), of recordings in this
# folder.
#
#     rows.pl ROWS NAMES [VERSION COMMAND]...
#
# NAMES are the letters of the recordings to be taken.  A difference that is known has its reason here.
use strict;
use warnings;

my ($rows, $names, %perf) = @ARGV;

# Differences that are allowed: what each is, for which version and options, and what hides it on both sides.
# One is only taken where a row is not the same without it, and is named then.
my @classes = (
	[ 'names of data, which are not looked for', qr/./, qr/addr/, sub {
		s/^(.*?page-faults: +| *)([0-9a-f]{6,16}) [^ ]+ \(/$1$2 ? (/gm } ],
	[ 'entries of the PLT of functions chosen when a program starts: 6.1 has no name for them', qr/^6/, qr//, sub {
		s/ [^ \n]*\@plt(?:\+0x[0-9a-f]+)? \(/ [unknown] (/g } ],
	[ 'functions of the vdso, which perf takes for this one even where the stream has no build-id of it', qr/./, qr//,
		sub { s/ [^ \n]+ \(\[vdso\]\)/ [unknown] ([vdso])/g } ],
	[ 'no line in the debug information of ld.so, where perf says ":0"', qr/./, qr/srcline/, sub {
		s/^  (?::0|ld-linux-x86-64\.so\.2\[[0-9a-f]+\])\n/  ?\n/gm } ],
	[ 'a folder that perf 7.3 puts before a file that begins with it, or with ".."', qr/^7/,
		qr/full-source-path/, sub { s{((?:\./)?\w+/)\1}{$1}g; s{(?:\./)?\w+/(?=\.\./)}{}g } ],
	[ 'features of a stream, which perf does not read for --header-only', qr/./, qr/header-only/, sub {
		s/\A(# =+\n(?:# .*\n)+# =+\n#\n).*\z/$1/s } ],
	[ 'tracepoints, whose numbers perf looks up on this machine', qr/^7/, qr/header/, sub {
		s/( config = 0x[0-9a-f]+) \(\w+:\w+\)/$1/g } ],
	[ 'that the recording is a folder', qr/./, qr/header/, sub { s/^# directory data version : 1\n//gm } ],
);
my %allowed;

# Both sides without the differences that are allowed; counts those that were needed.
sub alike {
	my ($version, $options, @sides) = @_;
	my @needed;
	for my $class (@classes) {
		my ($name, $versions, $with, $hide) = @$class;
		last if $sides[0] eq $sides[1];
		next unless $version =~ $versions && (" $options" =~ /$with/);
		my @before = @sides;
		$hide->() for @sides;
		push @needed, $name if $before[0] ne $sides[0] || $before[1] ne $sides[1];
	}
	$allowed{$_}++ for @needed;
	return @sides;
}

sub output {
	my ($command) = @_;
	my $text = `$command`;
	return ($text, $? >> 8);
}

my ($passed, $failed) = (0, 0);
open my $in, '<', $rows or die "$rows: $!\n";
while (<$in>) {
	next if /^(#|$)/;
	chomp;
	my ($only, $name, $options) = /^(?:([0-9.]+): )?(\w+) ?(.*)$/ or die "rows.txt: $_\n";
	next if index($names, $name) < 0;
	for my $version (sort keys %perf) {
		next if defined $only && $only ne $version;
		my ($theirs) = output("$perf{$version} script $options -i $name 2>/dev/null </dev/null");
		my ($ours, $status) = output("pp-script -q --like $version $options $name 2>>messages");
		my @sides = alike($version, $options, $theirs, $ours);
		if (!$status && length $theirs && $sides[0] eq $sides[1]) {
			$passed++;
			next;
		}
		$failed++;
		print "$version: $_: status $status, ", length $theirs ? 'other text' : 'perf prints nothing', "\n";
		my @theirs = split /\n/, $sides[0];
		my @ours = split /\n/, $sides[1];
		my $shown = 0;
		for my $i (0 .. ($#theirs > $#ours ? $#theirs : $#ours)) {
			my ($x, $y) = map { defined $_ ? $_ : '(nothing)' } $theirs[$i], $ours[$i];
			next if $x eq $y;
			print "  line $i\n  perf: $x\n  ours: $y\n";
			last if ++$shown == 2;
		}
	}
}
print "allowed in $allowed{$_} rows: $_\n" for sort keys %allowed;
print "$passed rows passed, $failed failed\n";
exit($failed || !$passed ? 1 : 0);
