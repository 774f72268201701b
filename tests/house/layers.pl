#!/usr/bin/perl
# layers.pl CHECK BUILD - what objects and includes say of the house: who uses whom.  CHECK is rooms
# (nothing above is used), circles (of files: none but those below), tools (public headers alone) or unused
# (functions that no other file needs are static); BUILD holds the objects (build/plain).  Run it in the top
# folder.  Prints a line for each breach, and ends with 1 if there is one.
use strict;
use warnings;

# The order is that of the table in ARCHITECTURE.md, the ground first.
sub rooms {
	open my $f, '<', 'ARCHITECTURE.md' or die "ARCHITECTURE.md: $!\n";
	my @rooms = map { m{^\| `libpipe/(\w+)/` } ? $1 : () } <$f>;
	die "ARCHITECTURE.md: no table of rooms\n" unless @rooms;
	return @rooms;
}

# Objects by their source's name below libpipe/ or tools/; what each defines and needs.
my (%defined, %needs);

sub objects {
	my ($build, $top) = @_;

	%needs = ();
	my @found = split ' ', `find $build/$top -name '*.o'`;
	die "$build/$top: no objects: make them first\n" unless @found;
	@found = grep { -e s{^\Q$build/\E(.*)\.o$}{$1.c}r } @found;
	$needs{$_} = {} for map { m{^\Q$build/$top/\E(.*)\.o$} } @found;
	open my $nm, '-|', 'nm', '-A', '-g', @found or die "nm: $!\n";
	while (<$nm>) {
		my ($name, $kind, $symbol) = m{^\Q$build/$top/\E(.*)\.o:\s*[0-9a-f]* ([A-Z]) (\S+)} or next;
		$defined{$symbol} = $name if $kind ne 'U';
		$needs{$name}{$symbol} = 1 if $kind eq 'U';
	}
	close $nm;
}

my @breaches;

sub room { return $_[0] =~ s{/.*}{}r }

# Down or level: read and write know each other (a reader flushes the writer that borrows from it).
sub check_rooms {
	my @rooms = rooms();
	my %rank = map { $rooms[$_] => $_ } 0 .. $#rooms;
	my $up = sub {
		my ($from, $to) = @_;
		return $rank{$to} > $rank{$from} && "$from $to" ne 'read write';
	};

	-d "libpipe/$_" or push @breaches, "ARCHITECTURE.md has a room $_, and libpipe has none" for @rooms;
	for my $folder (grep { !/include$/ } map { s{/$}{}r } glob 'libpipe/*/') {
		my $room = $folder =~ s{.*/}{}r;
		push @breaches, "ARCHITECTURE.md has no room $room" unless exists $rank{$room};
	}
	return if @breaches;
	for my $user (sort keys %needs) {
		for my $symbol (sort keys %{ $needs{$user} }) {
			my $home = $defined{$symbol} // next;
			push @breaches, "$user uses $symbol of $home, a room above"
				if $up->(room($user), room($home));
		}
	}
	for my $source (sort glob 'libpipe/*/*.[ch]') {
		my ($from) = $source =~ m{/(\w+)/};
		open my $f, '<', $source or die "$source: $!\n";
		for (grep { m{^#include "} } <$f>) {
			my ($to) = m{"(\w+)/};
			push @breaches, "$source includes " . s/^#include |\n//gr
				if !defined $to || !exists $rank{$to} || $up->($from, $to);
		}
	}
}

# Files of a room that need one another, and why no move of a few functions would end that.
my %together = (
	# a walk asks the attributes how many CPUs there are, and they are walked
	'format/attrs format/find_field format/walk' => 1,
	# an operand may be an expression
	'query/operands query/parse' => 1,
	# the table of columns calls what the report has, which asks the table
	'report/columns report/columns_branch report/columns_memory report/columns_select report/columns_type ' .
		'report/event_groups report/hist report/report_entries report/resolve_frames' => 1,
);

# Files that need one another, directly or not.
sub find_circles {
	my %rooms = @_;

	for my $room (sort keys %rooms) {
		my @files = sort @{ $rooms{$room} };
		my %in = map { $_ => 1 } @files;
		my (%reach, %shown);
		for my $file (@files) {
			my @next = ($file);
			while (defined(my $at = shift @next)) {
				my %homes = map { ($defined{$_} // '') => 1 } keys %{ $needs{$at} };
				push @next, grep { $in{$_} && $_ ne $at && !$reach{$file}{$_}++ } keys %homes;
			}
		}
		for my $file (grep { $reach{$_}{$_} } @files) {
			my $circle = join ' ', grep { $reach{$file}{$_} && $reach{$_}{$file} } @files;
			push @breaches, "a circle of $circle" unless $together{$circle} || $shown{$circle}++;
		}
	}
}

# The rooms of the library, and what the tools share: programs themselves are used by nobody.
sub check_circles {
	my ($build) = @_;
	my %rooms;

	push @{ $rooms{ room($_) } }, $_ for keys %needs;
	find_circles(%rooms);
	objects($build, 'tools');
	find_circles(tools => [grep { !/^pp-/ } keys %needs]);
}

# Tools use what public headers declare, and include nothing else of the library.
sub check_tools {
	my ($build) = @_;
	my %library = %defined;
	my $public = '';

	objects($build, 'tools');
	for my $header (glob 'libpipe/include/perfpipe/*.h') {
		open my $f, '<', $header or die "$header: $!\n";
		$public .= join '', <$f>;
	}
	$public =~ s{/\*.*?\*/|//[^\n]*}{}gs;
	for my $tool (sort keys %needs) {
		for my $symbol (sort grep { $library{$_} } keys %{ $needs{$tool} }) {
			push @breaches, "tools/$tool uses $symbol, which no public header declares"
				unless $public =~ /\b\Q$symbol\E\b/;
		}
	}
	my %room = map { $_ => 1 } rooms();
	for my $source (split ' ', `find tools -name '*.[ch]'`) {
		open my $f, '<', $source or die "$source: $!\n";
		for (<$f>) {
			push @breaches, "$source includes \"$1/$2\"" if m{^#include "(\w+)/([^"]+)"} && -e "libpipe/$1/$2";
		}
	}
}

# What no other file uses is static, or is public.
sub check_unused {
	my ($build) = @_;
	my %library = %defined;
	my %used = map { map { $_ => 1 } keys %$_ } values %needs;
	my $public = '';

	objects($build, 'tools');
	$used{$_} = 1 for map { keys %$_ } values %needs;
	for my $header (glob('libpipe/include/perfpipe/*.h'), glob 'tests/unit/*.c') {
		open my $f, '<', $header or die "$header: $!\n";
		$public .= join '', <$f>;
	}
	for my $symbol (sort keys %defined) {
		# what the linker, and archives of others, have called in the static program
		next if $defined{$symbol} =~ m{^static/} && $symbol =~ /^(__wrap_dl|eu_)/;
		push @breaches, "only $defined{$symbol} uses $symbol" unless $used{$symbol} || $symbol eq 'main' ||
			$public =~ /\b\Q$symbol\E\b/;
	}
}

my ($check, $build) = @ARGV;
my %checks = (rooms => \&check_rooms, circles => \&check_circles, tools => \&check_tools,
	unused => \&check_unused);

die "usage: layers.pl rooms|circles|tools|unused BUILD\n" unless defined $build && $checks{$check};
objects($build, 'libpipe');
$checks{$check}->($build);
print map { "$_\n" } @breaches;
exit(@breaches ? 1 : 0);
