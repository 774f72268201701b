#!/usr/bin/perl
# readable.pl - is every record of a stream one that perf 6.1 and the newest perf both read?  The
# rules were found by trying versions of perf on streams made for it; each is a row of @RULES.
#
#   readable.pl [--newest] STREAM      --newest: types that only newer versions know may be there
#
# Prints what breaks a rule, then how often each rule was asked; exit 1 where one was broken.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Records;

my $newest = @ARGV && $ARGV[0] eq '--newest' && shift;
my $stream = Records->open($ARGV[0] // '-');
my ($seen_attr, $seen_tracing, $mmap_len, %ids, %first_id, $avail);

sub u16 { $stream->u16($_[0]{bytes}, $_[1]) }
sub u32 { $stream->u32($_[0]{bytes}, $_[1]) }
sub u64 { $stream->u64($_[0]{bytes}, $_[1]) }
sub is { my ($rec, @types) = @_; scalar grep { $rec->{type} == $_ } @types }
sub body_end { my ($rec) = @_; $rec->{size} - ($stream->trailer($rec))[1] }

# ---------------------------------------------------------------- features

# Payloads: 4 and 8 are numbers, s a string, l a list of strings, n(...) a count and as many groups,
# a(...) one group for each available CPU.
my %PAYLOAD = (3 => 's', 4 => 's', 5 => 's', 6 => 's', 7 => '44', 8 => 's', 9 => 's', 10 => '8',
	11 => 'l', 13 => 'lla(44)la(4)', 14 => 'n(488s)', 16 => 'n(4s)', 17 => 'n(s44)', 21 => '88',
	22 => 'memory', 23 => '8', 25 => 'n(programs)', 26 => 'n(btf)', 27 => '44444', 28 => 'n(ss)',
	29 => '4488', 31 => 'n(n(ss)s)', 12 => 'events');

# Consumes `grammar` at $$at; dies with what is wrong.
sub consume
{
	my ($rec, $at, $grammar) = @_;
	my $need = sub { die "payload ends too early\n" if $_[0] > $rec->{size} - $$at };
	my $number = sub { my ($n) = @_; $need->($n); $$at += $n; $n == 4 ? u32($rec, $$at - 4) : u64($rec, $$at - 8) };
	my $string = sub {
		my $n = $number->(4);
		$need->($n);
		my $s = substr $rec->{bytes}, $$at, $n;
		die "string of $n bytes, not a multiple of 64\n" if $n % 64 || !$n;
		die "string is not terminated\n" unless $s =~ /\0/;
		die "string is not padded with zeros\n" unless $s =~ /^[^\0]*\0+$/s;
		$$at += $n;
	};
	if ($grammar eq 'memory') {
		$number->(8), $number->(8);
		for (1 .. $number->(8)) {
			$number->(8), $number->(8);
			my $words = int(($number->(8) + 63) / 64);
			$number->(8) for 1 .. $words;
		}
		return;
	}
	if ($grammar eq 'events') {
		my ($n, $size) = ($number->(4), $number->(4));
		for (1 .. $n) {
			$need->($size);
			$$at += $size;
			my $ids = $number->(4);
			$string->();
			$number->(8) for 1 .. $ids;
		}
		return;
	}
	while ($grammar =~ /\G(?:([48sl])|([na])(\((?:[^()]|(?3))*\)))/gc) {
		my ($item, $repeat, $group) = ($1, $2, $3);
		if (!defined $item) {
			my $n = $repeat eq 'n' ? $number->(4) : $avail // die "no NRCPUS before it\n";
			consume($rec, $at, substr $group, 1, -1) for 1 .. $n;
		} elsif ($item eq 's') { $string->() }
		elsif ($item eq 'l') { $string->() for 1 .. $number->(4) }
		else { $number->($item) }
	}
	die "a payload that is not known here\n" unless (pos($grammar) // 0) == length $grammar;
}

sub feature_payload
{
	my ($rec) = @_;
	my $id = u64($rec, 8);
	my $at = 16;
	return unless $PAYLOAD{$id};
	eval { consume($rec, \$at, $PAYLOAD{$id}); 1 } or return "feature $id: $@" =~ s/\n//r;
	return "feature $id: " . ($rec->{size} - $at) . ' bytes too many' if $at != $rec->{size};
	return;
}

# ---------------------------------------------------------------- strings

my %STRING = (1 => 40, 3 => 16, 10 => 72, 17 => 24, 19 => 16, 67 => 36);

sub string_place
{
	my ($rec) = @_;
	return 24 if is($rec, 78) && (u64($rec, 8) == 0 || u64($rec, 8) == 2);
	return $STRING{$rec->{type}};
}

# ---------------------------------------------------------------- the rules

# [name, which records, what is wrong with one or nothing]
my @RULES = (
	# the bytes of COMPRESSED are all taken for zstd's: there is no room for padding
	['a multiple of 8 long', sub { !is($_[0], 80, 81) }, sub { $_[0]{size} % 8 ? "$_[0]{size} bytes" : () }],
	['a known type', sub { 1 }, sub {
		my $t = $_[0]{type};
		return if $t >= 1 && $t <= 21 || $t >= 64 && $t <= 82 || $newest && ($t == 22 || $t >= 83 && $t <= 86);
		return "type $t";
	}],
	['not outdated', sub { 1 }, sub { is($_[0], 65) ? 'HEADER_EVENT_TYPE' : () }],
	['an event before it', sub { $_[0]{type} < 64 }, sub { $seen_attr ? () : 'no HEADER_ATTR yet' }],
	['an event of its own', sub { $_[0]{type} < 64 && $seen_attr }, sub {
		$stream->attr($_[0]) ? () : 'no HEADER_ATTR has its id';
	}],
	['exactly its fields', sub { is($_[0], 9) && $stream->attr($_[0]) }, sub {
		my %f = map { $_->[0] => $_->[1] } @{$stream->sample($_[0])};
		return $f{damaged} ? 'too short' : $f{rest} ? "$f{rest} bytes too many" : ();
	}],
	['room for its trailer', sub { $_[0]{type} < 64 && !is($_[0], 9) }, sub {
		body_end($_[0]) < 8 ? "$_[0]{size} bytes" : ();
	}],
	['a terminated string', sub { defined string_place($_[0]) }, sub {
		my ($rec) = @_;
		my $place = string_place($rec);
		# ours says after the name which file of that name it is: perf reads no further than the name
		my $which = is($rec, 67) && ($rec->{misc} & 0xc000) == 0xc000 ? 32 : 0;
		my $s = substr $rec->{bytes}, $place, body_end($rec) - $which - $place;
		return $s =~ /\0/ ? $s =~ /^[^\0]*\0+$/s ? () : 'bytes behind its string' : 'no zero byte';
	}],
	['an attribute of a known size', sub { is($_[0], 64) }, sub {
		my $size = u32($_[0], 12);
		return "$size bytes" if $size < 72 || $size % 8;
		my $new = $size > 128 ? substr $_[0]{bytes}, 8 + 128, $size - 128 : '';
		return 'fields that perf 6.1 does not know' if $new =~ /[^\0]/;
		return u64($_[0], 48) >> 38 ? 'flags that perf 6.1 does not know' : ();
	}],
	['ids of its own', sub { is($_[0], 64) }, sub {
		my $at = 8 + u32($_[0], 12);
		my @own = unpack "$stream->{Q}*", substr $_[0]{bytes}, $at;
		my @twice = grep { $ids{$_}++ } @own;
		$first_id{$own[0]} = 1 if @own;
		return @twice ? "id $twice[0] is another event's" : ();
	}],
	['an id that is known', sub { is($_[0], 78) }, sub {
		$ids{u64($_[0], 16)} ? () : 'id ' . u64($_[0], 16);
	}],
	['ids that are known', sub { is($_[0], 69) }, sub {
		my ($rec) = @_;
		my $n = u64($rec, 8);
		return 'entries run past it' if $n > ($rec->{size} - 16) / 32;
		my @unknown = grep { !$ids{u64($rec, 16 + 32 * $_)} } 0 .. $n - 1;
		return @unknown ? @unknown . ' ids that no HEADER_ATTR has' : ();
	}],
	['a feature that every perf knows', sub { is($_[0], 80) }, sub {
		my $id = u64($_[0], 8);
		return 'a mark of the end' if $_[0]{size} == 16;
		return if $id >= 3 && $id <= 31 && !grep { $id == $_ } 15, 18, 19, 20, 24, 30;
		return "feature $id";
	}],
	['a payload and nothing more', sub { is($_[0], 80) && $_[0]{size} > 16 }, \&feature_payload],
	['a build-id with its length', sub { is($_[0], 67) }, sub {
		return 'misc bit 15 is not set' unless $_[0]{misc} & 0x8000;
		my $n = ord substr $_[0]{bytes}, 32, 1;
		return $n >= 1 && $n <= 20 ? () : "$n bytes of it";
	}],
	['tracing data once, padded', sub { is($_[0], 66) }, sub {
		return 'a second time' if $seen_tracing++;
		return $_[0]{size} != 16 || length($_[0]{tail}) % 8 ? "$_[0]{size} bytes and " . length $_[0]{tail} : ();
	}],
	['compression announced', sub { is($_[0], 81, 83) }, sub {
		return 'no feature COMPRESSED before it' unless defined $mmap_len;
		return $mmap_len >= 4096 && $mmap_len % 4096 == 0 ? () : "mmap_len $mmap_len";
	}],
	['data_size that is its size', sub { is($_[0], 83) }, sub {
		my $n = u64($_[0], 8);
		return (16 + $n + 7 & ~7) == $_[0]{size} ? () : "data_size $n in $_[0]{size} bytes";
	}],
);

my ($broken, $records, %asked) = (0, 0);
while (my $rec = $stream->next) {
	$records++;
	$seen_attr = 1 if is($rec, 64);
	$avail = u32($rec, 16) if is($rec, 80) && $rec->{size} >= 24 && u64($rec, 8) == 7;
	$mmap_len = u32($rec, 32) if is($rec, 80) && $rec->{size} >= 36 && u64($rec, 8) == 27;
	for my $rule (@RULES) {
		my ($name, $applies, $wrong) = @$rule;
		next unless $applies->($rec);
		$asked{$name}++;
		for my $what ($wrong->($rec)) {
			next unless defined $what;
			$broken++;
			print "record $rec->{index} at byte $rec->{offset} ($rec->{name}): not $name: $what\n" if $broken <= 20;
		}
	}
}
if ($stream->{damaged}) {
	print "$stream->{damaged}\n";
	$broken++;
}
print "$_: $asked{$_}\n" for sort keys %asked;
print "$records records, $broken broken rules\n";
exit($broken || !$records ? 1 : 0);
