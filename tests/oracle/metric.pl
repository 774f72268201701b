#!/usr/bin/perl
# metric.pl - a second opinion of metrics: reads an expression a line, "EXPRESSION<TAB>NAME=VALUE...", writes
# its value, or "none".  By Pratt's method on text, while libpipe/metric has a grammar and operations.
use strict;
use warnings;

my %literal = (smt_on => 1, num_cpus => 32, num_cpus_online => 30, num_cores => 16, num_dies => 4,
	num_packages => 2, slots => 5, system_tsc_freq => 2.5e9, core_wide => 1, target_cpu => 1, has_pmem => 0);
my (%count, @tokens, %metric);

sub tokens_of {
	my ($text) = @_;
	my @found;
	for ($text) {
		push @found, ['number', $1] and next if /\G\s*((?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(?![\w.:\@?\\])/gc;
		push @found, ['literal', lc $1] and next if /\G\s*#(\w+)/gc;
		push @found, ['name', $1] and next if /\G\s*((?:[\w.:\@?]|\\.)+)/gc;
		push @found, ['sign', $1] and next if /\G\s*(==|[-+*\/%()<>|^&,])/gc;
		last if /\G\s*$/gc;
		die "at " . substr($_, pos // 0) . "\n";
	} continue { redo }
	return @found;
}

sub take { my ($sign) = @_; my $t = shift @tokens; die "no $sign\n" unless $t && $t->[1] eq $sign }
sub is { my ($what) = @_; return @tokens && $tokens[0][0] ne 'number' && $tokens[0][1] eq $what }

sub plain { my ($name) = @_; $name =~ s/\\(.)|\@|\?/defined $1 ? $1 : $& eq '@' ? '\/' : 0/ge; return $name }

sub value_of {
	my ($name) = @_;
	my $plain = plain($name);
	return $count{$plain} if exists $count{$plain};
	if (my $text = $metric{$plain}) {
		my @rest = @tokens;
		@tokens = tokens_of($text);
		my $v = choice();
		@tokens = @rest;
		return $v;
	}
	return undef;
}

sub prefix {
	my $t = shift @tokens // die "ends\n";
	my ($kind, $text) = @$t;
	return $text if $kind eq 'number';
	return $literal{$text} if $kind eq 'literal';
	if ($kind eq 'sign' && $text eq '(') { my $v = choice(); take(')'); return $v }
	if ($kind eq 'sign' && $text eq '-') { my $v = prefix(); return defined $v ? -$v : undef }
	if ($text =~ /^(?:min|max|d_ratio)$/) {
		take('('); my $a = choice(); take(','); my $b = choice(); take(')');
		return 0 if $text eq 'd_ratio' && defined $b && $b == 0;
		return undef unless defined $a && defined $b;
		return $a / $b if $text eq 'd_ratio';
		return ($a < $b) == ($text eq 'min') ? $a : $b;
	}
	if ($text =~ /^(?:source_count|has_event|strcmp_cpuid_str|aggr_nr)$/) {
		take('('); my $name = plain((shift @tokens)->[1]); take(')');
		return exists $count{$name} ? 1 : $text =~ /^(?:has|str)/ ? 0 : undef;
	}
	die "'$text'\n" unless $kind eq 'name';
	return value_of($text);
}

my %power = ('|' => 1, '^' => 2, '&' => 3, '<' => 4, '>' => 4, '==' => 4, '+' => 5, '-' => 5,
	'*' => 6, '/' => 6, '%' => 6);

sub joined {
	my ($least) = @_;
	my $left = prefix();
	while (@tokens && $tokens[0][0] eq 'sign' && ($power{ $tokens[0][1] } // 0) >= $least) {
		my $sign = (shift @tokens)->[1];
		my $right = joined($power{$sign} + 1);
		$left = apply($sign, $left, $right);
	}
	return $left;
}

sub apply {
	my ($sign, $x, $y) = @_;
	if ($sign =~ /[&|]/) {
		my $decides = $sign eq '|';
		for my $v ($x, $y) { return $decides ? 1 : 0 if defined $v && !!$v == !!$decides }
		return defined $x && defined $y ? !$decides + 0 : undef;
	}
	return undef unless defined $x && defined $y;
	return (!$x != !$y) + 0 if $sign eq '^';
	return ($x < $y) + 0 if $sign eq '<';
	return ($x > $y) + 0 if $sign eq '>';
	return ($x == $y) + 0 if $sign eq '==';
	return $x + $y if $sign eq '+';
	return $x - $y if $sign eq '-';
	return $x * $y if $sign eq '*';
	return undef if $y == 0;
	return $x / $y if $sign eq '/';
	my ($n, $d) = (int $x, int $y);
	return undef if !$d || abs($n) > 1e15;
	my $m = abs($n) % abs($d);
	return $n < 0 ? -$m : $m;
}

sub choice {
	my $yes = joined(1);
	return $yes unless is('if');
	shift @tokens;
	my $condition = joined(1);
	take('else');
	my $no = choice();
	return defined $yes && defined $no && $yes == $no ? $yes : undef unless defined $condition;
	return $condition ? $yes : $no;
}

while (<STDIN>) {
	chomp;
	my ($text, $counts, @metrics) = split /\t/;
	%count = (duration_time => 2, user_time => 1.5, system_time => 0.25);
	for (split ' ', $counts // '') { $count{$1} = $2 if /^(.*)=([\d.]+)$/ }
	%metric = map { split /:=/, $_, 2 } @metrics;
	@tokens = eval { tokens_of($text) };
	my $v = $@ ? undef : eval { my $v = choice(); die "more\n" if @tokens; $v };
	$v = undef if defined $v && abs($v) > 1e308;
	print defined $v ? sprintf('%.10g', $v) : 'none', "\n";
}
