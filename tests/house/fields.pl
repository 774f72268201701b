#!/usr/bin/perl
# fields.pl [FOLDER] - names of fields and lists of record types that are spelled in C, held against
# the tables and against fields.txt, which says why each is there.  Prints what is wrong; 1 if
# anything is.
use strict;
use warnings;

my $root = shift // '.';
chdir $root or die "$root: $!\n";
my ($bad, %row, %allowed, %used, %means) = (0);

sub wrong { print @_, "\n"; $bad = 1 }

sub text_of {
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	local $/;
	my $text = <$in>;
	$text =~ s{/\*.*?\*/}{}gs;
	return $text;
}

for my $file (glob 'libpipe/format/*.def') {
	my $text = text_of($file);
	$row{$1} = 1 while $text =~ /\b(?:[USF]\d+|BITS|PARTS|CHARS|STR8?|LSTR|BYTES|STRS|ONE|LIST)\((\w+), /g;
	$means{$1} = 1 while $text =~ /\bIS\((\w+)\)/g;
	$means{TAIL} = 1 if $text =~ /\bTAIL\b/;
}
my $format = text_of('libpipe/include/perfpipe/format.h');
my ($meanings) = $format =~ /enum pp_meaning \{(.*?)\}/s or die "no enum pp_meaning\n";
for ($meanings =~ /\bPP_IS_(\w+)/g) {
	wrong("PP_IS_$_: no row of the tables means that") unless $means{$_} || $_ eq 'NOTHING';
}

open my $list, '<', 'tests/house/fields.txt' or die "fields.txt: $!\n";
while (<$list>) {
	next if /^#|^\s*$/;
	my ($what, $file, $words, $why) = /^(names|types) (\S+): ([\w ]+?)  +(\S.*)$/
		or wrong("fields.txt: line $. has no reason: $_"), next;
	$allowed{$what}{$file}{$_} = 1 for split ' ', $words;
}

sub meet {
	my ($what, $file, $word, $message) = @_;
	my ($place) = grep { $allowed{$what}{$_}{$word} } $file, $file =~ s{[^/]+$}{*}r;
	wrong("$file: $message") unless $place;
	$used{$what}{$place}{$word} = 1 if $place;
}

for my $file (split /\n/, `find libpipe tools -name '*.c' -o -name '*.h' | sort`) {
	my $text = text_of($file);
	my $build = qr/pp_build_(?:u64|text|bytes|open|item)\(\s*[^,()]+,\s*"(\w+)"/;
	for ($text =~ /$build/g, $text =~ /\bpp_(?:get_u64|get_text|walk_to)\([^"();]*"(\w+)"/g) {
		wrong("$file: no row is called \"$_\"") unless $row{$_};
	}
	next if $file =~ m{^libpipe/format/def_tables\.c$|^libpipe/include/};
	# An option or a word for people may be called like a field: of tools only look-ups count.
	(my $rest = $text) =~ s/$build//g;
	my $literal = $file =~ /^tools/ ? qr/\bpp_(?:get_u64|get_text|walk_to)\([^"();]*"(\w+)"/ : qr/"(\w+)"/;
	while ($rest =~ /$literal/g) {
		meet('names', $file, $1, "\"$1\" is the name of a field: look for what it means, or " .
		     'say in fields.txt why not') if $row{$1};
	}
	my @lists = map { [/[=!]= PP_REC_(\w+)/g] } split /[;{}]/, $text;
	# a table of types and what is done about each is no list of them
	push @lists, map { [/PP_REC_(\w+)/g] } $text =~ /((?:PP_REC_\w+,\s*)+PP_REC_\w+)/g;
	for my $types (@lists) {
		my %seen = map { $_ => 1 } @$types;
		next if keys %seen < 2;
		meet('types', $file, $_, "$_ is one of several types: they have a word in common, or " .
		     'say in fields.txt why not') for sort keys %seen;
	}
}

for my $what (sort keys %allowed) {
	for my $file (sort keys %{$allowed{$what}}) {
		for (sort keys %{$allowed{$what}{$file}}) {
			wrong("fields.txt: $file does not use $_ any more") unless $used{$what}{$file}{$_};
		}
	}
}
exit $bad;
