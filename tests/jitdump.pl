#!/usr/bin/perl
# jitdump.pl - standard input, a line a record, to a jitdump file on standard output.
#
#   header pid=7 [machine=62] [big] [cycles] [version=1] [time=1]
#   load time=10 addr=0x1000 index=1 name=f [pid= tid= size=64] [code=HEX]
#   move time=20 from=0x1000 to=0x2000 index=1 [size=64]
#   lines time=9 addr=0x1000 0:a.js:3 16:a.js:5 ...   (offset:file:line; a file "=" is the one before)
#   unwind time=9 hex=... [header=20] [mapped=0]
#   close | raw HEX
use strict;
use warnings;

my ($e, $pid) = ('<', 0);
binmode STDOUT;

sub record
{
	my ($id, $time, $body) = @_;
	print pack("L${e}2 Q$e", $id, 16 + length $body, $time), $body;
}

while (my $line = <STDIN>) {
	my ($verb, @words) = split ' ', $line;
	next if !defined $verb || $verb =~ /^#/;
	my (%a, @rest);
	/^(\w+)(?:=(.*))?$/ ? ($a{$1} = $2 // 1) : push @rest, $_ for @words;
	$_ = oct for grep { /^0x/ } values %a;
	$pid = $a{pid} if $verb eq 'header';
	my $task = pack "L${e}2", $a{pid} // $pid, $a{tid} // $a{pid} // $pid;
	if ($verb eq 'header') {
		$e = '>' if $a{big};
		print pack("L${e}6 Q${e}2", 0x4a695444, $a{version} // 1, 40, $a{machine} // 62, 0, $pid,
			$a{time} // 1, $a{cycles} ? 1 : 0);
	} elsif ($verb eq 'load') {
		my $code = defined $a{code} ? pack('H*', $a{code}) : "\x90" x ($a{size} // 64);
		record(0, $a{time}, $task . pack("Q${e}4", $a{addr}, $a{addr}, length $code, $a{index}) .
			"$a{name}\0$code");
	} elsif ($verb eq 'move') {
		record(1, $a{time}, $task . pack("Q${e}5", $a{to}, $a{from}, $a{to}, $a{size} // 64, $a{index}));
	} elsif ($verb eq 'lines') {
		record(2, $a{time}, pack("Q${e}2", $a{addr}, scalar @rest) . join '', map {
			my ($offset, $file, $row) = split /:/;
			pack("Q$e l$e L$e", $a{addr} + $offset, $row, 0) . ($file eq '=' ? "\xff" : $file) . "\0";
		} @rest);
	} elsif ($verb eq 'unwind') {
		my $data = pack 'H*', $a{hex};
		record(4, $a{time}, pack("Q${e}3", length $data, $a{header} // 20, $a{mapped} // 0) . $data);
	} elsif ($verb eq 'close') {
		record(3, $a{time} // 0, '');
	} elsif ($verb eq 'raw') {
		print pack 'H*', $words[0];
	} else {
		die "jitdump.pl: $line";
	}
}
