#!/usr/bin/perl
# firefox.pl PAGE - what drive.pl does, in Firefox, of the lines of standard input that say eval, key, click, drag or shot.
# At the end, for each error and warning of scripts that it has of the page: "console: ...".
#
# Firefox listens to Marionette, which geckodriver speaks: JSON after its length, on a port that it chooses.
use strict;
use warnings;
use Cwd;
use File::Temp ();
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64;
use POSIX ();
use Time::HiRes 'sleep';

my ($page) = @ARGV;
my $profile = File::Temp->newdir(DIR => getcwd());
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
open my $prefs, '>', "$profile/user.js" or die;
print $prefs map { "user_pref($_);\n" } '"marionette.port", 0', '"datareporting.policy.dataSubmissionEnabled", false',
	'"app.update.disabledForTesting", true', '"network.proxy.type", 1', '"network.proxy.http", "127.0.0.1"',
	'"network.proxy.http_port", 9', '"network.proxy.ssl", "127.0.0.1"', '"network.proxy.ssl_port", 9',
	'"browser.startup.homepage_override.mstone", "ignore"', '"browser.startup.page", 0';
close $prefs;

my $pid = fork // die;
if (!$pid) {
	setpgrp;
	open STDOUT, '>', '/dev/null';
	open STDERR, '>', '/dev/null';
	{
		exec 'firefox-esr', '--headless', '--marionette', '--remote-allow-system-access', '--no-remote',
			'--profile', $profile, '--width', 1000, '--height', 700;
	}
	POSIX::_exit(127);
}
END { my $status = $?; if ($pid) { kill 'KILL', -$pid; waitpid $pid, 0 } $? = $status }

my ($port, $socket, $last);
for (1 .. 600) {
	waitpid($pid, POSIX::WNOHANG()) and do { $pid = 0; die "firefox-esr ended with $?\n" };
	if (open my $f, '<', "$profile/MarionetteActivePort") { $port = <$f> }
	last if $port and $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port);
	sleep 0.1;
}
$socket or die "firefox-esr does not listen\n";

sub hear {
	my ($length, $c, $text) = ('', '', '');
	local $SIG{ALRM} = sub { die "firefox-esr says nothing\n" };
	alarm 120;
	$length .= $c while sysread($socket, $c, 1) && $c ne ':';
	while (length $text < $length) { sysread $socket, $text, $length - length $text, length $text or die "it has gone\n" }
	alarm 0;
	return $json->decode($text);
}

sub ask {
	my ($command, $params) = @_;
	my $text = $json->encode([ 0, ++$last, $command, $params // {} ]);
	syswrite $socket, length($text) . ":$text";
	my (undef, undef, $error, $result) = @{ hear() };
	die "$command: $error->{message}\n" if $error;
	return ref $result eq 'HASH' && exists $result->{value} ? $result->{value} : $result;
}

# what comes of an expression, also of a promise
sub evaluate {
	return ask('WebDriver:ExecuteAsyncScript', { args => [], script => "const done = arguments[0];
		(async () => ($_[0]))().then(v => done(v === undefined ? null : v), e => done('exception: ' + e));" });
}

sub act {
	ask('WebDriver:PerformActions', { actions => [ { type => $_[0], id => $_[0], actions => $_[1],
		$_[0] eq 'pointer' ? (parameters => { pointerType => 'mouse' }) : () } ] });
}
sub to { return { type => 'pointerMove', x => $_[0] + 0, y => $_[1] + 0, duration => 0, origin => 'viewport' } }

my %down = (type => 'pointerDown', button => 0);
my %up = (type => 'pointerUp', button => 0);
my %named = (Escape => "\x{e00c}", ArrowUp => "\x{e013}", ArrowDown => "\x{e015}", Enter => "\x{e007}");
my %do = (
	eval => sub { print $json->encode(evaluate($_[0])), "\n" },
	key => sub { my $key = $named{$_[0]} // $_[0]; act('key', [ map { { type => $_, value => $key } } qw(keyDown keyUp) ]) },
	click => sub { act('pointer', [ to(split ' ', $_[0]), \%down, \%up ]) },
	shot => sub {
		open my $f, '>:raw', $_[0] or die "$_[0]: $!\n";
		print $f decode_base64(ask('WebDriver:TakeScreenshot', { full => JSON::PP::false }));
	},
	drag => sub { my @at = split ' ', $_[0]; act('pointer', [ to(@at[0, 1]), \%down, to(@at[2, 3]), \%up ]) },
);

hear(); # who it is
ask('WebDriver:NewSession', { capabilities => { alwaysMatch => {} } });
ask('WebDriver:Navigate', { url => 'file://' . Cwd::abs_path($page) });
evaluate(q(new Promise(done => { const look = () => document.documentElement.dataset.ready ||
	!document.getElementById('data') ? done() : setTimeout(look, 5); look(); })));
while (my $line = <STDIN>) {
	chomp $line;
	my ($word, $rest) = split ' ', $line, 2;
	next unless defined $word;
	($do{$word} or die "what is $word?\n")->($rest);
}
ask('Marionette:SetContext', { value => 'chrome' });
my $said = ask('WebDriver:ExecuteScript', { args => [], script =>
	'return Services.console.getMessageArray().map(m => { try { m.QueryInterface(Ci.nsIScriptError); ' .
	'return m.sourceName.startsWith("file:") ? m.errorMessage : ""; } catch { return ""; } }).filter(Boolean);' });
print "console: ", $json->encode($_), "\n" for @$said;
