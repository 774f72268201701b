#!/usr/bin/perl
# make.pl NAME FOLDER - makes of tests/machines/NAME the folder that SYSFS_PATH is to name: what
# such a machine has in /sys/bus/event_source and /sys/devices/system/cpu.  A line is a word and what
# belongs to it (README.md), a # and the rest of its line say where that is known from.
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Path qw(make_path);

@ARGV == 2 or die "usage: make.pl NAME FOLDER\n";
my ($name, $folder) = @ARGV;
my $devices = "$folder/bus/event_source/devices";
my (%files, $pmu); # of a PMU: what it has, by their paths

sub put {
	my ($path, $text) = @_;
	make_path(dirname($path));
	open my $f, '>', $path or die "$path: $!\n";
	print $f "$text\n" or die "$path: $!\n";
	close $f or die "$path: $!\n";
}

sub read_lines {
	my ($file) = @_;
	open my $f, '<', dirname($0) . "/$file" or die "$file: $!\n";
	for (<$f>) {
		s/#.*//s;
		my ($word, $first, $rest) = split ' ', $_, 3 or next;
		$rest //= '';
		$rest =~ s/\s+$//;
		if ($word eq 'include') { read_lines($first) }
		elsif ($word eq 'cpus') { put("$folder/devices/system/cpu/$_", $first) for qw(online possible present) }
		elsif ($word eq 'pmu') { $pmu = $first; $files{$pmu}{type} = $rest }
		elsif ($word eq 'like') {
			# several of a kind, with a number each and types that follow
			my ($from, $to, $type) = $rest =~ /^(\d+)-(\d+) (\d+)$/ or die "$file: $_";
			for my $i ($from .. $to) {
				my $other = $first =~ s/\d+$//r . $i;
				$files{$other} = { %{ $files{$first} }, type => $type + $i - $from };
			}
		}
		elsif ($word eq 'path') { put("$folder/$first", $rest) }
		elsif ($word eq 'file') { $files{$pmu}{$first} = $rest }
		elsif ($word =~ /^(format|event|cap)$/) { $files{$pmu}{"${word}s/$first" =~ s/^formats/format/r} = $rest }
		else { die "$file: what is '$word'?\n" }
	}
}

read_lines($name);
for my $device (keys %files) {
	put("$devices/$device/$_", $files{$device}{$_}) for keys %{ $files{$device} };
}
