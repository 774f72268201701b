#!/usr/bin/perl
# drive.pl PAGE - shows a page in a browser without a window, does what the lines of standard input say,
# and prints what comes of it:
#
#   eval EXPRESSION         the value, as JSON; of a promise, what comes of it
#   move X Y                the pointer goes there
#   click X Y [KEY...]      KEY is held: Shift, Control or Alt
#   right X Y               a click of the right button
#   double X Y
#   drag X Y X Y            from the first place to the second
#   touch X Y MILLISECONDS  a finger, for so long
#   key NAME                such as Escape, ArrowUp or i; Shift+ArrowUp: Shift is held
#   type TEXT
#   size X Y                the window has so many pixels from now on
#   media NAME VALUE...     such as prefers-color-scheme dark; whatever is not named is as it was at first
#   spoken                  role and name of what has the focus, as a reader of screens has them
#   open PAGE               another page
#   again EXPRESSION        the page again, where this is done before its scripts
#   noscript                the page again, without its scripts
#   replace FILE            the file of the page is this one from now on
#   reloaded                until the page, which does it by itself, has been loaded once more
#   shot FILE               a PNG of what can be seen
#
# The window has 1000 by 700 pixels, or what WINDOW says, as in 1400,900.
#
# At the end, for each line that the page wrote to the console and each exception: "console: ...".
use strict;
use warnings;
use Cwd;
use File::Temp ();
use IO::Select;
use JSON::PP;
use MIME::Base64;
use POSIX ();

my ($page) = @ARGV;
# What the browser keeps goes with us, or with this folder: its helpers may end after it, and write still.
my $profile = File::Temp->newdir(DIR => getcwd());
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
pipe my $theirs, my $ours_out or die;
pipe my $ours_in, my $theirs_out or die;
my $pid = fork // die;
if (!$pid) {
	# The browser reads commands from descriptor 3 and answers on 4; those that we have may be these.
	my $in = POSIX::dup2(fileno $theirs, 20);
	my $out = POSIX::dup2(fileno $theirs_out, 21);
	POSIX::dup2($in, 3);
	POSIX::dup2($out, 4);
	POSIX::close($_) for 5 .. 40;
	open STDERR, '>', '/dev/null';
	{
		exec 'chromium-headless-shell', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe',
			'--window-size=' . ($ENV{WINDOW} // '1000,700'), "--user-data-dir=$profile", 'about:blank';
	}
	POSIX::_exit(127);
}
close $theirs;
close $theirs_out;
END { my $status = $?; if ($pid) { kill 'KILL', $pid; waitpid $pid, 0 } $? = $status }

my ($buffer, $last, @heard, %answers, $session) = ('', 0);

# one more message of the browser, at most a minute from now
sub hear {
	my $select = IO::Select->new($ours_in);
	while ($buffer !~ /\0/) {
		$select->can_read(60) or die "the browser says nothing\n";
		sysread $ours_in, $buffer, 1 << 20, length $buffer or die "the browser has gone\n";
	}
	$buffer =~ s/^(.*?)\0//s;
	my $m = $json->decode($1);
	if ($m->{id}) { $answers{ $m->{id} } = $m }
	else { push @heard, $m }
}

sub ask {
	my ($method, %params) = @_;
	my $id = ++$last;
	my $text = $json->encode({ id => $id, method => $method, params => \%params,
		$session ? (sessionId => $session) : () }) . "\0";
	syswrite $ours_out, $text or die;
	hear() until $answers{$id};
	my $m = delete $answers{$id};
	die "$method: $m->{error}{message}\n" if $m->{error};
	return $m->{result};
}

# also until the page says that it is ready, if it has something to say of that
sub loaded {
	hear() until grep { $_->{method} eq 'Page.loadEventFired' } @heard;
	my $ready = q(new Promise(done => { const look = () => document.documentElement.dataset.ready ||
		!document.getElementById('data') ? done() : setTimeout(look, 5); look(); }));
	ask('Runtime.evaluate', expression => $ready, awaitPromise => JSON::PP::true) if !$_[0];
}

sub reload {
	@heard = grep { $_->{method} ne 'Page.loadEventFired' } @heard;
	ask('Page.reload');
	loaded(@_);
}

sub mouse {
	my ($type, $x, $y, @more) = @_;
	ask('Input.dispatchMouseEvent', type => $type, x => $x + 0, y => $y + 0, @more);
}

my @left = (button => 'left', buttons => 1);
my %held = (Alt => 1, Control => 2, Meta => 4, Shift => 8);
# What a key does by itself, as Tab goes on to the next control, it does by its number.
my %number = (Tab => 9, Enter => 13, Escape => 27, ' ' => 32);

sub held { my $sum = 0; $sum += $held{$_} // die "what is $_?\n" for @_; return $sum }

sub click {
	my ($x, $y, $times, @more) = @_;
	mouse('mousePressed', $x, $y, clickCount => $times, @more);
	mouse('mouseReleased', $x, $y, clickCount => $times, @more);
}

my %do = (
	eval => sub {
		my $r = ask('Runtime.evaluate', expression => $_[0], returnByValue => JSON::PP::true,
			awaitPromise => JSON::PP::true);
		print $r->{exceptionDetails} ? "exception: $r->{result}{description}" :
			$json->encode($r->{result}{value}), "\n";
	},
	move => sub { mouse('mouseMoved', split ' ', $_[0]) },
	click => sub {
		my ($x, $y, @keys) = split ' ', $_[0];
		click($x, $y, 1, @left, modifiers => held(@keys));
	},
	right => sub { click((split ' ', $_[0])[0, 1], 1, button => 'right', buttons => 2) },
	double => sub { click((split ' ', $_[0])[0, 1], $_, @left) for 1, 2 },
	drag => sub {
		my ($x, $y, $to_x, $to_y) = split ' ', $_[0];
		mouse('mousePressed', $x, $y, clickCount => 1, @left);
		mouse('mouseMoved', $to_x, $to_y, @left);
		mouse('mouseReleased', $to_x, $to_y, clickCount => 1, @left);
	},
	touch => sub {
		my ($x, $y, $ms) = split ' ', $_[0];
		ask('Emulation.setTouchEmulationEnabled', enabled => JSON::PP::true);
		ask('Input.dispatchTouchEvent', type => 'touchStart', touchPoints => [ { x => $x + 0, y => $y + 0 } ]);
		select undef, undef, undef, $ms / 1000;
		ask('Input.dispatchTouchEvent', type => 'touchEnd', touchPoints => []);
	},
	key => sub {
		my @keys = $_[0] =~ /\w\+/ ? split /\+/, $_[0] : $_[0];
		my $key = pop @keys;
		$key = ' ' if $key eq 'Space';
		my $text = $key eq 'Enter' ? "\r" : $key;
		my @more = (key => $key, modifiers => held(@keys));
		push @more, windowsVirtualKeyCode => $number{$key} if $number{$key};
		ask('Input.dispatchKeyEvent', type => 'keyDown', @more, length $text == 1 ? (text => $text) : ());
		ask('Input.dispatchKeyEvent', type => 'keyUp', @more);
	},
	type => sub { ask('Input.insertText', text => $_[0]) },
	size => sub {
		my ($x, $y) = split ' ', $_[0];
		ask('Emulation.setDeviceMetricsOverride', width => $x + 0, height => $y + 0, deviceScaleFactor => 1,
			mobile => JSON::PP::false);
	},
	media => sub {
		my %features = split ' ', $_[0];
		ask('Emulation.setEmulatedMedia', features => [ map { { name => $_, value => $features{$_} } } keys %features ]);
	},
	spoken => sub {
		ask('Accessibility.enable');
		for my $node (@{ ask('Accessibility.getFullAXTree')->{nodes} }) {
			next unless grep { $_->{name} eq 'focused' && $_->{value}{value} } @{ $node->{properties} };
			next if $node->{role}{value} eq 'RootWebArea';
			print $json->encode("$node->{role}{value}: " . ($node->{name}{value} // '')), "\n";
		}
	},
	open => sub {
		my ($file) = @_;
		@heard = grep { $_->{method} ne 'Page.loadEventFired' } @heard;
		ask('Page.navigate', url => 'file://' . Cwd::abs_path($file));
		loaded();
	},
	again => sub {
		ask('Page.addScriptToEvaluateOnNewDocument', source => $_[0]);
		reload();
	},
	noscript => sub {
		ask('Emulation.setScriptExecutionDisabled', value => JSON::PP::true);
		reload('without scripts');
	},
	replace => sub {
		@heard = grep { $_->{method} ne 'Page.loadEventFired' } @heard;
		rename $_[0], $page or die "$_[0]: $!\n";
	},
	reloaded => sub { loaded() },
	shot => sub {
		open my $f, '>:raw', $_[0] or die "$_[0]: $!\n";
		print $f decode_base64(ask('Page.captureScreenshot')->{data});
	},
);

my $target = ask('Target.createTarget', url => 'about:blank')->{targetId};
$session = ask('Target.attachToTarget', targetId => $target, flatten => JSON::PP::true)->{sessionId};
ask("$_.enable") for qw(Runtime Page Log);
ask('Page.navigate', url => 'file://' . Cwd::abs_path($page));
loaded();
while (my $line = <STDIN>) {
	chomp $line;
	my ($word, $rest) = split ' ', $line, 2;
	next unless defined $word;
	($do{$word} or die "what is $word?\n")->($rest);
}
for (@heard) {
	print "console: ", $json->encode($_->{params}), "\n"
		if $_->{method} =~ /^(Runtime\.consoleAPICalled|Runtime\.exceptionThrown|Log\.entryAdded)$/;
}
