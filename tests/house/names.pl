#!/usr/bin/perl
# names.pl CHECK - whether names in the sources lead to one place, and to little at once.  CHECK is files (base
# names), rooms (at most 14 files in each), functions (static ones, in a room), tags (of structs, unions and
# enums), structs (at most 40 members), headers (of a room: at most 300 lines), errors (of one type), callbacks
# (of public headers: of one shape), comments (the files that they
# name are there) or options (texts of the library name no tool and no option of one: tools/cli/cures.c adds
# what would help).  Run it in the top folder.  Prints a line for each breach, and ends with 1 if there is one.
use strict;
use warnings;

use constant { ROOM_MOST => 14, MEMBERS_MOST => 40, HEADER_MOST => 300 };

my @sources = sort grep { !m{^libpipe/include/perfpipe/types\.h$} } map { glob } qw(libpipe/*/*.[ch] libpipe/include/perfpipe/*.h tools/*.[ch] tools/*/*.[ch]);
my @breaches;

sub text_of { my ($file) = @_; open my $in, '<', $file or die "$file: $!\n"; local $/; return scalar <$in> }
sub code_of { return text_of(@_) =~ s{/\*.*?\*/}{}gsr }
sub room_of { return $_[0] =~ m{^(.*)/} ? $1 : '' }

# The members of a struct's body: a struct in it, and a bit field, count as one.
sub members_of
{
	my ($body) = @_;
	my $count = 0;
	1 while $body =~ s/\{[^{}]*\}//;
	for my $line (grep { /\S/ } split /;/, $body) {
		1 while $line =~ s/\([^()]*\)//;     # arguments
		$count += 1 + ($line =~ tr/,//);
	}
	return $count;
}

# A room's programs (tools/pp-NAME.c) know nothing of one another.
sub is_program { return $_[0] =~ m{^tools/pp-} }

# Breaches where a name stands in several places.
sub unique
{
	my ($what, %places) = @_;
	for my $name (sort keys %places) {
		my @places = sort keys %{ $places{$name} };
		push @breaches, "$what $name: @places" if @places > 1;
	}
}

my %checks = (
	files => sub {
		my %places;
		$places{s{.*/}{}r}{$_} = 1 for grep { /\.c$/ } @sources;
		unique('the file', %places);
	},
	rooms => sub {
		my %count;
		$count{room_of($_)}++ for grep { /\.c$/ && !is_program($_) } @sources;
		push @breaches, map { "$_ has $count{$_} files" } grep { $count{$_} > ROOM_MOST } sort keys %count;
	},
	functions => sub {
		my %rooms;
		for my $file (grep { !is_program($_) } @sources) {
			my $code = code_of($file);
			$rooms{room_of($file)}{$1}{$file} = 1
				while $code =~ /^static [^;={}()]*?\b(\w+)\((?:[^(){};]|\([^(){};]*\))*\)\n\{/mg;
		}
		unique("$_: the static function", %{ $rooms{$_} }) for sort keys %rooms;
	},
	tags => sub {
		my %places;
		for my $file (@sources) {
			my $code = code_of($file);
			$places{$2}{$file} = 1 while $code =~ /\b(struct|union|enum) (\w+) \{/g;
		}
		unique('the tag', %places);
	},
	structs => sub {
		for my $file (@sources) {
			my $code = code_of($file) =~ s/^\s*#.*\n//mgr;
			while ($code =~ /\b(?:struct|union) (\w+) \{((?:[^{}]|(\{(?:[^{}]|(?3))*\}))*)\}/g) {
				my ($tag, $count) = ($1, members_of($2));
				push @breaches, "$file: $tag has $count members" if $count > MEMBERS_MOST;
			}
		}
	},
	headers => sub {
		for my $file (grep { /\.h$/ && !m{^libpipe/include/} } @sources) {
			my $lines = text_of($file) =~ tr/\n//;
			push @breaches, "$file has $lines lines" if $lines > HEADER_MOST;
		}
	},
	options => sub {
		my $tool = join '|', map { m{(pp-\w+)\.c$} ? $1 : () } @sources;
		for my $file (grep { m{^libpipe/} } @sources) {
			my $code = code_of($file) =~ s/^#pragma.*//mgr =~ s/"\s*\n\s*"//gr;
			while ($code =~ /"((?:\\.|[^"\\\n])*)"/g) {
				my $text = $1;
				next if $text =~ /^(?:-\w|$tool)$|^evlist takes |^# /;       # words of a language, names, perf's own
				# others' programs have options
				my $ours = $text =~ s/\b(?:perf \w+|mount|ulimit|uname|unzip|gzip|xz|bzip2|docker run)(?: -+[\w-]+)+//gr;
				push @breaches, "$file: \"$text\"" if $ours =~ /(?<![\w\\-])--?[a-zA-Z][\w-]*|\b(?:$tool)\b/;
			}
		}
	},
	errors => sub {
		for my $file (grep { m{^libpipe/} } @sources) {
			my $code = code_of($file);
			push @breaches, map { "$file: another type of error, $_" } grep { $_ ne 'pp_error' }
				$code =~ /\bstruct (\w+_error) \{/g;
			next unless $file =~ m{/include/};
			push @breaches, map { "$file: $_ reports a place beside its error" }
				$code =~ /\b(pp_\w+)\([^()]*\bsize_t \*at, struct pp_error \*\)/g;
		}
	},
	callbacks => sub {
		for my $file (grep { m{^libpipe/include/} } @sources) {
			my $code = code_of($file);
			while ($code =~ /(typedef )?\b(\w+) \*?(?:\(\*(\w+)\)|(\w+))(?=(\((?:[^()]|(?5))*\)))/g) {
				my ($typedef, $gives, $name, $arguments) = ($1, $2, $3 // $4, $5);
				next unless $typedef || defined $3;
				my @breach = ($typedef && $name !~ /_fn$/ ? 'does not end in _fn' : (),
					$arguments !~ /^\(void \*\w+[,)]/ ? 'does not begin with `void *arg`' : (),
					($gives eq 'int') != ($arguments =~ /(?<!const )struct pp_error \*\)$/) ?
						'returns int, or takes a struct pp_error * last, and not both' : ());
				push @breaches, map { "$file: the callback $name $_" } @breach;
			}
		}
	},
	comments => sub {
		my %there = map { s{.*/}{}r => 1 } @sources, 'types.h',
			map { glob } qw(libpipe/*/*.def tests/*/*.[ch] tests/*/*/*.[ch]);
		for my $page (grep { -e } qw(ARCHITECTURE.md CONTRIBUTING.md)) {
			my $text = text_of($page);
			while ($text =~ m{(?<![\w<.*-])((?:\w+/)*)([\w-]+\.(?:c|h|def))\b}g) {
				my ($path, $name) = ($1, $2);
				next if $name =~ /^(?:util|pp-NAME)\.c$/;
				push @breaches, "$page names $path$name" unless $there{$name} &&
					(!$path || grep { -e "$_$path$name" } '', 'libpipe/', 'tools/');
			}
		}
		for my $file (@sources) {
			for my $comment (text_of($file) =~ m{/\*(.*?)\*/}gs) {
				# not those of perf and the kernel, which have a path, nor <headers>
				while ($comment =~ m{(?<![\w/<.*-])(\w+\.[ch])\b}g) {
					push @breaches, "$file names $1" unless $there{$1};
				}
			}
		}
	},
);

my $check = $checks{ shift // '' } or die "usage: names.pl files|rooms|functions|tags|structs|headers|errors|callbacks|comments|options\n";
$check->();
print "$_\n" for @breaches;
exit @breaches ? 1 : 0;
