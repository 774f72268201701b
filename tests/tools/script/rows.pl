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

# Both sides, before they are compared.
sub alike {
	my ($text, $version, $options) = @_;
	# names of data are not looked for: only code has names here
	$text =~ s/^(.*?page-faults: +| *)([0-9a-f]{6,16}) [^ ]+ \(/$1$2 ? (/gm if $options =~ /addr/;
	# functions that are chosen when a program starts have no name in the table of the PLT
	$text =~ s/ [^ \n]*\@plt\+0x[0-9a-f]+ \(/ [unknown] (/g;
	$text =~ s/ [^ \n]*\@plt \(/ [unknown] (/g;
	# where the debug information of ld.so has no line, perf says ":0"
	$text =~ s/^  (?::0|ld-linux-x86-64\.so\.2\[[0-9a-f]+\])\n/  ?\n/gm;
	# perf 7.3 puts the folder of a file before it, also where its name begins with that folder
	$text =~ s{((?:\./)?\w+/)\1}{$1}g if $options =~ /full-source-path/;
	# perf 6.1 does not look for inlined functions in debug information that is in another file
	$text =~ s/^.* \(inlined\)\n//gm if $version eq '6.1';
	return $text;
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
		if (!$status && length $theirs && alike($theirs, $version, $options) eq alike($ours, $version, $options)) {
			$passed++;
			next;
		}
		$failed++;
		print "$version: $_: status $status, ", length $theirs ? 'other text' : 'perf prints nothing', "\n";
		my @theirs = split /\n/, alike($theirs, $version, $options);
		my @ours = split /\n/, alike($ours, $version, $options);
		my $shown = 0;
		for my $i (0 .. ($#theirs > $#ours ? $#theirs : $#ours)) {
			my ($x, $y) = map { defined $_ ? $_ : '(nothing)' } $theirs[$i], $ours[$i];
			next if $x eq $y;
			print "  line $i\n  perf: $x\n  ours: $y\n";
			last if ++$shown == 2;
		}
	}
}
print "$passed rows passed, $failed failed\n";
exit($failed || !$passed ? 1 : 0);
