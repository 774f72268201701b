#!/usr/bin/perl
# hangup.pl - runs a command on a terminal that goes away, without a signal to say so: hangup.pl TEXT COMMAND...
#
# A pseudo terminal is closed once TEXT is on it. The kernel tells the leader of the session, which is not the command
# and does not care, as below nohup or some shells. Ends with the command's status; 99: TEXT never came, or
# the command did not leave, and was killed.
use strict;
use warnings;
use Fcntl;
use POSIX;

use constant { TIOCSPTLCK => 0x40045431, TIOCGPTN => 0x80045430, PATIENCE => 60 };

my ($text, @command) = @ARGV;
my $number = pack 'i', 0;

sysopen my $terminal, '/dev/ptmx', O_RDWR | O_NOCTTY or die "/dev/ptmx: $!\n";
ioctl $terminal, TIOCSPTLCK, $number or die "unlock: $!\n";
ioctl $terminal, TIOCGPTN, $number or die "number: $!\n";

my $leader = fork // die "fork: $!\n";
if (!$leader) {
	my $name = '/dev/pts/' . unpack 'i', $number;

	close $terminal;
	POSIX::setsid();
	sysopen my $own, $name, O_RDWR or die "$name: $!\n"; # is the session's from now on
	my $child = fork // die "fork: $!\n";
	if (!$child) {
		POSIX::dup2(fileno $own, $_) for 0 .. 2;
		exec @command or die "$command[0]: $!\n";
	}
	$SIG{HUP} = 'IGNORE';
	close $own;
	eval {
		local $SIG{ALRM} = sub { die };
		alarm PATIENCE;
		waitpid $child, 0;
		alarm 0;
	} and POSIX::_exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
	kill KILL => $child;
	POSIX::_exit(99);
}

my $seen = '';
while (index($seen, $text) < 0) {
	sysread $terminal, $seen, 4096, length $seen or last;
}
close $terminal;
waitpid $leader, 0;
exit(index($seen, $text) < 0 ? 99 : $? >> 8);
