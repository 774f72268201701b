# Records.pm - reads perf pipe streams, written from the description of the format and without a
# look at libpipe's tables: where the two agree, a mistake in one of them is unlikely.
# Whole streams in memory; what is compressed stays compressed.
package Records;
use strict;
use warnings;

our @NAMES;
@NAMES[1 .. 22] = qw(MMAP LOST COMM EXIT THROTTLE UNTHROTTLE FORK READ SAMPLE MMAP2 AUX ITRACE_START
	LOST_SAMPLES SWITCH SWITCH_CPU_WIDE NAMESPACES KSYMBOL BPF_EVENT CGROUP TEXT_POKE
	AUX_OUTPUT_HW_ID CALLCHAIN_DEFERRED);
@NAMES[64 .. 86] = qw(HEADER_ATTR HEADER_EVENT_TYPE HEADER_TRACING_DATA HEADER_BUILD_ID
	FINISHED_ROUND ID_INDEX AUXTRACE_INFO AUXTRACE AUXTRACE_ERROR THREAD_MAP CPU_MAP STAT_CONFIG
	STAT STAT_ROUND EVENT_UPDATE TIME_CONV HEADER_FEATURE COMPRESSED FINISHED_INIT COMPRESSED2
	BPF_METADATA SCHEDSTAT_CPU SCHEDSTAT_DOMAIN);

# Bits of sample_type by name.
our %BIT = (IP => 0, TID => 1, TIME => 2, ADDR => 3, READ => 4, CALLCHAIN => 5, ID => 6, CPU => 7,
	PERIOD => 8, STREAM_ID => 9, RAW => 10, BRANCH_STACK => 11, REGS_USER => 12, STACK_USER => 13,
	WEIGHT => 14, DATA_SRC => 15, IDENTIFIER => 16, TRANSACTION => 17, REGS_INTR => 18,
	PHYS_ADDR => 19, AUX => 20, CGROUP => 21, DATA_PAGE_SIZE => 22, CODE_PAGE_SIZE => 23,
	WEIGHT_STRUCT => 24);

# A stream from a path, or "-"; dies if it is none.
sub open
{
	my ($class, $path) = @_;
	my $in = \*STDIN;
	if ($path ne '-') {
		CORE::open($in, '<', $path) or die "$path: $!\n";
	}
	binmode $in;
	local $/;
	return $class->new(scalar <$in> // '');
}

sub new
{
	my ($class, $bytes) = @_;
	my $magic = substr $bytes, 0, 8;
	my $big = $magic eq '2ELIFREP';
	die "not a perf stream\n" unless $big || $magic eq 'PERFILE2' || $magic eq 'PERFFILE';
	my $self = bless { bytes => $bytes, at => 16, index => 0, big => $big, attrs => [], by_id => {} }, $class;
	@$self{qw(S L Q)} = $big ? qw(n N Q>) : qw(v V Q<);
	die "not a pipe stream\n" unless length $bytes >= 16 && $self->u64($bytes, 8) == 16;
	return $self;
}

sub u16 { my ($s, $b, $at) = @_; unpack $s->{S}, substr $b, $at, 2 }
sub u32 { my ($s, $b, $at) = @_; unpack $s->{L}, substr $b, $at, 4 }
sub u64 { my ($s, $b, $at) = @_; unpack $s->{Q}, substr $b, $at, 8 }
sub cstr { my ($b) = @_; $b =~ s/\0.*//s; $b }

# The next record: { index offset type name misc size bytes tail }, or nothing at the end.
# {damaged} says why the walk stopped where it did not stop at the end.
sub next
{
	my ($s) = @_;
	my $left = length($s->{bytes}) - $s->{at};
	return if $left == 0 || $s->{damaged};
	if ($left < 8) {
		$s->{damaged} = "ends inside a header at $s->{at}";
		return;
	}
	my $head = substr $s->{bytes}, $s->{at}, 8;
	my ($type, $misc, $size) = ($s->u32($head, 0), $s->u16($head, 4), $s->u16($head, 6));
	if ($size < 8 || $size > $left) {
		$s->{damaged} = "record of $size bytes at $s->{at}, $left left";
		return;
	}
	my $bytes = substr $s->{bytes}, $s->{at}, $size;
	my $tail = $type == 66 && $size >= 12 ? $s->u32($bytes, 8) : $type == 71 && $size >= 16 ? $s->u64($bytes, 8) : 0;
	if ($tail > $left - $size) {
		$s->{damaged} = "tail of $tail bytes at " . ($s->{at} + $size) . ', ' . ($left - $size) . ' left';
		return;
	}
	my $rec = { index => $s->{index}++, offset => $s->{at}, type => $type, misc => $misc, size => $size,
		name => $NAMES[$type] // "UNKNOWN_$type", bytes => $bytes,
		tail => substr($s->{bytes}, $s->{at} + $size, $tail) };
	$s->{at} += $size + $tail;
	$s->note_attr($rec) if $type == 64;
	return $rec;
}

# The flags word with bit i where a little-endian producer has it.
sub flags_of
{
	my ($s, $v) = @_;
	return $v unless $s->{big};
	my $out = 0;
	for my $i (0 .. 39) {
		my $from = $i == 15 ? 47 : $i == 16 ? 48 : 63 - $i;
		$out |= ($v >> $from & 1) << $i;
	}
	return $out;
}

sub note_attr
{
	my ($s, $rec) = @_;
	my $b = $rec->{bytes};
	return if length $b < 8 + 64;
	my $size = $s->u32($b, 12) || 64;
	my $in = substr($b, 8, $size) . "\0" x 200; # fields that an older attribute lacks are zero
	my %a = (index => scalar @{$s->{attrs}}, size => $size, type => $s->u32($in, 0),
		config => $s->u64($in, 8), sample_period => $s->u64($in, 16), sample_type => $s->u64($in, 24),
		read_format => $s->u64($in, 32), flags => $s->flags_of($s->u64($in, 40)),
		branch_sample_type => $s->u64($in, 72), sample_regs_user => $s->u64($in, 80),
		sample_stack_user => $s->u32($in, 88), sample_regs_intr => $s->u64($in, 96));
	my @ids = unpack "$s->{Q}*", substr $b, 8 + $size;
	$a{ids} = \@ids;
	$a{sample_id_all} = $a{flags} >> 18 & 1;
	push @{$s->{attrs}}, \%a;
	$s->{by_id}{$_} //= \%a for @ids;
}

sub bit { my ($a, $name) = @_; $a->{sample_type} >> $BIT{$name} & 1 }

# The attribute of a kernel record, as perf finds it: one event takes all; else by the id, which
# lies where the first attribute says.
sub attr
{
	my ($s, $rec) = @_;
	my $first = $s->{attrs}[0] or return;
	return if $rec->{type} >= 64 && $rec->{type} != 84;
	return $first if @{$s->{attrs}} == 1;
	return $first if $rec->{type} != 9 && !$first->{sample_id_all};
	my $id;
	if ($rec->{type} == 9) {
		my $before = bit($first, 'IDENTIFIER') ? 0
			: !bit($first, 'ID') ? undef
			: bit($first, 'IP') + bit($first, 'TID') + bit($first, 'TIME') + bit($first, 'ADDR');
		return $first unless defined $before;
		return if $rec->{size} < 16 + 8 * $before;
		$id = $s->u64($rec->{bytes}, 8 + 8 * $before);
	} else {
		my $behind = bit($first, 'IDENTIFIER') ? 0
			: !bit($first, 'ID') ? undef
			: bit($first, 'CPU') + bit($first, 'STREAM_ID');
		return $first unless defined $behind;
		return if $rec->{size} < 16 + 8 * $behind;
		$id = $s->u64($rec->{bytes}, $rec->{size} - 8 - 8 * $behind);
	}
	return $first if $id == 0;
	return $s->{by_id}{$id};
}

# Fields of the trailer as [name, value] in the order they lie, and its size.
sub trailer
{
	my ($s, $rec) = @_;
	my $a = $s->attr($rec) or return ([], 0);
	return ([], 0) if $rec->{type} == 9 || !$a->{sample_id_all};
	my @layout = grep { bit($a, $_) } qw(TID TIME ID STREAM_ID CPU IDENTIFIER);
	my $at = $rec->{size} - 8 * @layout;
	my @f;
	for my $name (@layout) {
		my $b = $rec->{bytes};
		push @f, $name eq 'TID' ? ([pid => $s->u32($b, $at)], [tid => $s->u32($b, $at + 4)])
			: $name eq 'CPU' ? [cpu => $s->u32($b, $at)]
			: [lc $name => $s->u64($b, $at)];
		$at += 8;
	}
	return (\@f, 8 * @layout);
}

# A branch's flags with the fields where a little-endian producer has them.
sub branch_flags
{
	my ($s, $v) = @_;
	return $v unless $s->{big};
	my ($out, $at, $top) = (0, 0, 64);
	for my $width (1, 1, 1, 1, 16, 4, 2, 4, 3, 31) {
		$top -= $width;
		$out |= ($v >> $top & (1 << $width) - 1) << $at;
		$at += $width;
	}
	return $out;
}

# Counter values: { value time_enabled time_running id lost }, or with values => [{...}] for a group.
sub read_format
{
	my ($s, $a, $u64) = @_;
	my $f = $a->{read_format};
	my %r;
	my $n = $f & 8 ? $u64->() : 1;
	$r{value} = $u64->() unless $f & 8;
	$r{time_enabled} = $u64->() if $f & 1;
	$r{time_running} = $u64->() if $f & 2;
	my @values;
	for (1 .. $n) {
		my $v = $f & 8 ? {} : \%r;
		$v->{value} = $u64->() if $f & 8;
		$v->{id} = $u64->() if $f & 4;
		$v->{lost} = $u64->() if $f & 16;
		push @values, $v;
	}
	$r{values} = \@values if $f & 8;
	return \%r;
}

# The fields of a SAMPLE as [name, value] in the order they lie; blobs are hex, lists are
# array references, structures hashes, by the names of the JSON.  A last field "rest" counts bytes that were not used (it is 0 in a sound sample).
sub sample
{
	my ($s, $rec) = @_;
	my $a = $s->attr($rec) or return;
	my $b = $rec->{bytes};
	my $at = 8;
	my @f;
	my $u64 = sub { die if $at + 8 > length $b; my $v = $s->u64($b, $at); $at += 8; $v };
	my $u32 = sub { die if $at + 4 > length $b; my $v = $s->u32($b, $at); $at += 4; $v };
	my $hex = sub { my ($n) = @_; die if $n > length($b) - $at; my $v = unpack 'H*', substr $b, $at, $n; $at += $n; $v };
	my $regs = sub {
		my ($name, $mask) = @_;
		my $abi = $u64->();
		my $n = $abi ? () = sprintf('%b', $mask) =~ /1/g : 0;
		push @f, [$name => { abi => $abi, $abi ? (regs => [map { $u64->() } 1 .. $n]) : () }];
	};
	my %take = (
		TID => sub { push @f, [pid => $u32->()], [tid => $u32->()] },
		CPU => sub { push @f, [cpu => $u32->()]; $u32->() },
		READ => sub { push @f, [read => read_format($s, $a, $u64)] },
		CALLCHAIN => sub { my $n = $u64->(); push @f, [callchain => [map { $u64->() } 1 .. $n]] },
		RAW => sub { my $n = $u32->(); push @f, [raw => $hex->($n)] },
		BRANCH_STACK => sub {
			my $n = $u64->();
			my %stack;
			$stack{hw_idx} = $u64->() if $n && $a->{branch_sample_type} >> 17 & 1;
			$stack{entries} = [map { { from => $u64->(), to => $u64->(), flags => branch_flags($s, $u64->()) } } 1 .. $n];
			$stack{counters} = [map { $u64->() } 1 .. $n] if $a->{branch_sample_type} >> 19 & 1;
			push @f, [branch_stack => \%stack];
		},
		REGS_USER => sub { $regs->('regs_user', $a->{sample_regs_user}) },
		REGS_INTR => sub { $regs->('regs_intr', $a->{sample_regs_intr}) },
		STACK_USER => sub {
			my $n = $u64->();
			push @f, [stack_user => { data => $hex->($n), $n ? (dyn_size => $u64->()) : () }];
		},
		AUX => sub { my $n = $u64->(); push @f, [aux => $hex->($n)] },
	);
	eval {
		for my $name (qw(IDENTIFIER IP TID TIME ADDR ID STREAM_ID CPU PERIOD READ CALLCHAIN RAW
			BRANCH_STACK REGS_USER STACK_USER WEIGHT WEIGHT_STRUCT DATA_SRC TRANSACTION REGS_INTR
			PHYS_ADDR CGROUP DATA_PAGE_SIZE CODE_PAGE_SIZE AUX)) {
			next unless bit($a, $name);
			if ($take{$name}) { $take{$name}->() } else { push @f, [lc $name => $u64->()] }
		}
		1;
	} or return [@f, [damaged => 1]];
	push @f, [rest => length($b) - $at];
	return \@f;
}

# The bodies of the records that filters and readers ask most; others as hex.
my %BODY = (
	1 => [qw(u32:pid u32:tid u64:start u64:len u64:pgoff str:filename)],
	2 => [qw(u64:id u64:lost)],
	3 => [qw(u32:pid u32:tid str:comm)],
	4 => [qw(u32:pid u32:ppid u32:tid u32:ptid u64:time)],
	5 => [qw(u64:time u64:id u64:stream_id)],
	6 => [qw(u64:time u64:id u64:stream_id)],
	7 => [qw(u32:pid u32:ppid u32:tid u32:ptid u64:time)],
	11 => [qw(u64:aux_offset u64:aux_size u64:flags)],
	12 => [qw(u32:pid u32:tid)],
	13 => [qw(u64:lost)],
	14 => [],
	15 => [qw(u32:next_prev_pid u32:next_prev_tid)],
	17 => [qw(u64:addr u32:len u16:ksym_type u16:flags str:name)],
	18 => [qw(u16:type u16:flags u32:id hex8:tag)],
	19 => [qw(u64:id str:path)],
	21 => [qw(u64:hw_id)],
);

# Bit 14 alone does not tell: a kernel may set it on records that have no build-id.
sub build_id_form
{
	my ($rec) = @_;
	my $n = $rec->{size} > 40 ? ord substr $rec->{bytes}, 40, 1 : 0;
	return $rec->{misc} & 0x4000 && $n >= 1 && $n <= 20;
}

sub body
{
	my ($s, $rec) = @_;
	my (undef, $trailer) = $s->trailer($rec);
	my $b = substr $rec->{bytes}, 0, $rec->{size} - $trailer;
	my $rows = $BODY{$rec->{type}};
	$rows = [qw(u32:pid u32:tid u64:start u64:len u64:pgoff), (build_id_form($rec)
		? qw(u8:build_id_size skip3 hex20:build_id) : qw(u32:maj u32:min u64:ino u64:ino_generation)),
		qw(u32:prot u32:flags str:filename)] if $rec->{type} == 10;
	if ($rec->{type} == 8) {
		my $at = 16;
		my $u64 = sub { $at += 8; $s->u64($b, $at - 8) };
		return [[pid => $s->u32($b, 8)], [tid => $s->u32($b, 12)], [read => read_format($s, $s->attr($rec), $u64)]];
	}
	return [[hex => unpack 'H*', substr $b, 8]] unless $rows;
	my ($at, @f) = (8);
	for my $row (@$rows) {
		my ($kind, $name) = split /:/, $row;
		if ($kind eq 'skip3') { $at += 3; next }
		return [@f, [damaged => 1]] if $at >= length $b;
		if ($kind eq 'str') { push @f, [$name => cstr(substr $b, $at)] }
		elsif ($kind =~ /^hex(\d+)/) { push @f, [$name => unpack 'H*', substr $b, $at, $1]; $at += $1 }
		elsif ($kind eq 'u8') { push @f, [$name => ord substr $b, $at, 1]; $at += 1 }
		elsif ($kind eq 'u16') { push @f, [$name => $s->u16($b, $at)]; $at += 2 }
		elsif ($kind eq 'u32') { push @f, [$name => $s->u32($b, $at)]; $at += 4 }
		else { push @f, [$name => $s->u64($b, $at)]; $at += 8 }
	}
	return \@f;
}

# The time by which a record is ordered, or nothing.
sub time
{
	my ($s, $rec) = @_;
	my $fields = $rec->{type} == 9 ? $s->sample($rec) : ($s->trailer($rec))[0];
	for my $f (@{$fields // []}) {
		return $f->[1] if $f->[0] eq 'time';
	}
	return;
}

1;
