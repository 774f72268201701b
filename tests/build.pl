#!/usr/bin/perl
# build.pl - writes a perf pipe stream from a description in text (tests/README.md has the
# language).  Written from the format's description, not from libpipe's tables, so that a mistake
# in a table does not make its own test pass.  Same text, same bytes.
use strict;
use warnings;

my @SAMPLE_BITS = qw(IP TID TIME ADDR READ CALLCHAIN ID CPU PERIOD STREAM_ID RAW BRANCH_STACK
	REGS_USER STACK_USER WEIGHT DATA_SRC IDENTIFIER TRANSACTION REGS_INTR PHYS_ADDR AUX CGROUP
	DATA_PAGE_SIZE CODE_PAGE_SIZE WEIGHT_STRUCT);
my @READ_BITS = qw(TOTAL_TIME_ENABLED TOTAL_TIME_RUNNING ID GROUP LOST);
my @FLAGS = qw(disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv
	exclude_idle mmap comm freq inherit_stat enable_on_exec task watermark precise_ip precise_hi
	mmap_data sample_id_all exclude_host exclude_guest exclude_callchain_kernel
	exclude_callchain_user mmap2 comm_exec use_clockid context_switch write_backward namespaces
	ksymbol bpf_event aux_output cgroup text_poke build_id inherit_thread remove_on_exec sigtrap
	defer_callchain defer_output);
my @BRANCH_BITS = qw(USER KERNEL HV ANY ANY_CALL ANY_RETURN IND_CALL ABORT_TX IN_TX NO_TX COND
	CALL_STACK IND_JUMP CALL NO_FLAGS NO_CYCLES TYPE_SAVE HW_INDEX PRIV_SAVE COUNTERS);
my %FEATURES = (TRACING_DATA => 1, BUILD_ID => 2, HOSTNAME => 3, OSRELEASE => 4, VERSION => 5,
	ARCH => 6, NRCPUS => 7, CPUDESC => 8, CPUID => 9, TOTAL_MEM => 10, CMDLINE => 11,
	EVENT_DESC => 12, CPU_TOPOLOGY => 13, NUMA_TOPOLOGY => 14, BRANCH_STACK => 15,
	PMU_MAPPINGS => 16, GROUP_DESC => 17, AUXTRACE => 18, STAT => 19, CACHE => 20,
	SAMPLE_TIME => 21, MEM_TOPOLOGY => 22, CLOCKID => 23, DIR_FORMAT => 24, BPF_PROG_INFO => 25,
	BPF_BTF => 26, COMPRESSED => 27, CPU_PMU_CAPS => 28, CLOCK_DATA => 29,
	HYBRID_TOPOLOGY => 30, PMU_CAPS => 31, CPU_DOMAIN_INFO => 32, E_MACHINE => 33,
	CLN_SIZE => 34);

my $big = 0;	# byte order of what is written from here on
my @attrs;	# the attributes so far
my $next_id = 1;
my ($line, $number) = ('', 0);
my %arg;	# key=value of the line; a key that nobody asked for is an error
my @word;	# its other words

sub fail { die "build.pl: line $number: $_[0]: $line\n" }

# ---------------------------------------------------------------- bytes

sub u8  { pack 'C', $_[0] & 0xff }
sub u16 { pack $big ? 'n' : 'v', $_[0] & 0xffff }
sub u32 { pack $big ? 'N' : 'V', $_[0] & 0xffffffff }
sub u64 { pack $big ? 'Q>' : 'Q<', $_[0] }
sub pad8 { my $b = $_[0]; $b . "\0" x (-length($b) % 8) }
sub hex_bytes { my $h = $_[0]; $h =~ s/[\s_]//g; fail("not hex: $h") if $h =~ /[^0-9a-fA-F]/ || length($h) % 2; pack 'H*', $h }
sub string { pad8("$_[0]\0") }
sub fixed { my ($s, $n) = @_; substr($s . "\0" x $n, 0, $n) }

sub num
{
	my ($t) = @_;
	no warnings 'portable';
	return hex $t if $t =~ /^0x[0-9a-fA-F]{1,16}$/;
	return $t if $t =~ /^[0-9]+$/ && length $t < 20;
	return $t & ~0 if $t =~ /^18[0-9]{18}$/;
	return unpack 'Q', pack 'q', $t if $t =~ /^-[0-9]+$/;
	fail("not a number: $t");
}

sub names_to_bits
{
	my ($text, @names) = @_;
	return num($text) if $text =~ /^(0x|[0-9])/;
	my %bit = map { $names[$_] => $_ } 0 .. $#names;
	my $bits = 0;
	for my $name (split /,/, $text) {
		fail("unknown name $name") unless exists $bit{$name};
		$bits |= 1 << $bit{$name};
	}
	return $bits;
}

# ---------------------------------------------------------------- a line's words

my %asked;
sub has { $asked{$_[0]} = 1; exists $arg{$_[0]} }
sub text { my ($k, $default) = @_; has($k) ? $arg{$k} : $default }
sub number { my ($k, $default) = @_; has($k) ? num($arg{$k}) : $default // 0 }
sub list { my ($k) = @_; has($k) ? map { num($_) } split /,/, $arg{$k} : () }
sub rows { my ($k) = @_; has($k) ? map { [split /:/, $_] } split /,/, $arg{$k} : () }
sub word { my ($w) = @_; my $n = @word; @word = grep { $_ ne $w } @word; $n != @word }

sub unquote
{
	my ($s) = @_;
	my %escape = (n => "\n", t => "\t", 0 => "\0");
	$s =~ s/\\(x([0-9a-fA-F]{2})|.)/defined $2 ? chr hex $2 : $escape{$1} \/\/ $1/ge;
	return $s;
}

sub parse
{
	my ($rest) = @_;
	%arg = %asked = ();
	@word = ();
	while ($rest =~ /\G\s*(?:([a-z_0-9]+)=(?:"((?:[^"\\]|\\.)*)"|(\S*))|"((?:[^"\\]|\\.)*)"|(\S+))/gc) {
		if (defined $1) {
			fail("$1 given twice") if exists $arg{$1};
			$arg{$1} = defined $2 ? unquote($2) : $3;
		} else {
			push @word, defined $4 ? unquote($4) : $5;
		}
	}
}

# ---------------------------------------------------------------- records

# Header, body and trailer together; record_size= lies about the size, for streams meant to be wrong.
sub record
{
	my ($type, $misc, $body) = @_;
	$misc = number('misc', $misc);
	my $size = number('record_size', 8 + length $body);
	fail('record of ' . (8 + length $body) . ' bytes') if 8 + length $body > 65535;
	return u32($type) . u16($misc) . u16($size) . $body;
}

# The attribute that the line means: attr=N, or the one that has the id, or the first.
sub attr_of_line
{
	return $attrs[number('attr')] // fail('no such attribute') if has('attr');
	for my $key ('event', 'id') {
		next unless exists $arg{$key};
		my $id = num($arg{$key});
		for my $a (@attrs) {
			return $a if grep { $_ == $id } @{$a->{ids}};
		}
	}
	return $attrs[0];
}

my %BIT = map { $SAMPLE_BITS[$_] => $_ } 0 .. $#SAMPLE_BITS;
sub bit { my ($a, $name) = @_; $a->{sample_type} >> $BIT{$name} & 1 }

# A kernel record: its sample_id as the attribute lays it out.  `owns` names the trailer's fields
# that the body has too; there id= is the body's, and event= the trailer's.
sub kernel
{
	my ($type, $misc, $body, %owns) = @_;
	my $a = attr_of_line();
	my $trailer = '';
	has($_) for qw(pid tid time cpu s_pid s_tid s_time id stream_id event);
	if (!word('untrailed') && $a && $a->{sample_id_all}) {
		my $id = has('event') ? number('event') : !$owns{id} && has('id') ? number('id') : $a->{ids}[0] // 0;
		my $time = number($owns{time} && has('s_time') ? 's_time' : 'time');
		my $pid = number('s_pid', $owns{pid} // number('pid'));
		my $tid = number('s_tid', $owns{tid} // number('tid', $pid));
		my $stream = number('stream_id', $id);
		my $cpu = number('cpu');
		if (word('synthesized')) {
			$id = $time = $pid = $tid = $stream = $cpu = 0;
		}
		$trailer .= u32($pid) . u32($tid) if bit($a, 'TID');
		$trailer .= u64($time) if bit($a, 'TIME');
		$trailer .= u64($id) if bit($a, 'ID');
		$trailer .= u64($stream) if bit($a, 'STREAM_ID');
		$trailer .= u32($cpu) . u32(0) if bit($a, 'CPU');
		$trailer .= u64($id) if bit($a, 'IDENTIFIER');
	}
	return record($type, $misc, $body . $trailer);
}

sub pids { my $pid = number('pid'); return ($pid, number('tid', $pid)) }
sub pid_tid { my ($pid, $tid) = pids(); return u32($pid) . u32($tid) }
sub task { my ($pid, $tid) = pids(); return (pid => $pid, tid => $tid) }

sub read_values
{
	my ($a) = @_;
	my $f = $a->{read_format};
	my $times = ($f & 1 ? u64(number('enabled')) : '') . ($f & 2 ? u64(number('running')) : '');
	if (!($f & 8)) {
		return u64(number('value')) . $times . ($f & 4 ? u64(number('read_id', $a->{ids}[0] // 0)) : '')
			. ($f & 16 ? u64(number('lost')) : '');
	}
	my @rows = rows('values');
	my $out = u64(scalar @rows) . $times;
	for my $row (@rows) {
		$out .= u64(num($row->[0]));
		$out .= u64(num($row->[1] // 0)) if $f & 4;
		$out .= u64(num($row->[2] // 0)) if $f & 16;
	}
	return $out;
}

sub registers
{
	my ($key, $mask) = @_;
	return u64(0) unless has($key);
	my ($abi, $values) = split /:/, $arg{$key}, 2;
	my @values = map { num($_) } split /,/, $values // '';
	my $n = () = sprintf('%b', $mask) =~ /1/g;
	fail("$key: " . @values . " values for $n registers") if $abi && @values != $n;
	return u64(num($abi)) . join '', map { u64($_) } @values;
}

# The flags word of a branch as a big-endian producer lays it out: fields from the top bit down.
sub branch_flags
{
	my ($v) = @_;
	return $v unless $big;
	my ($out, $at, $top) = (0, 0, 64);
	for my $width (1, 1, 1, 1, 16, 4, 2, 4, 3, 31) {
		$top -= $width;
		$out |= ($v >> $at & (1 << $width) - 1) << $top;
		$at += $width;
	}
	return $out;
}

sub branches
{
	my ($a) = @_;
	my @rows = rows('branches');
	my $out = u64(scalar @rows);
	$out .= u64(number('hw_idx')) if @rows && $a->{branch_sample_type} >> 17 & 1;
	$out .= u64(num($_->[0])) . u64(num($_->[1])) . u64(branch_flags(num($_->[2] // 0))) for @rows;
	if ($a->{branch_sample_type} >> 19 & 1) {
		my @counters = list('counters');
		$out .= u64($counters[$_] // 0) for 0 .. $#rows;
	}
	return $out;
}

sub stack
{
	return u64(0) unless has('stack_user');
	my ($bytes, $dyn) = split /:/, $arg{stack_user};
	$bytes = pad8(hex_bytes($bytes));
	return u64(length $bytes) . $bytes . u64(num($dyn // length $bytes));
}

sub raw
{
	my $bytes = has('raw') ? hex_bytes($arg{raw}) : text('raw_text', '');
	$bytes .= "\0" x (-(4 + length $bytes) % 8);
	return u32(length $bytes) . $bytes;
}

# Fields in the order of perf_output_sample(), each made of the attribute and the sample's id.
my @FIELDS = (
	[IDENTIFIER => sub { u64($_[1]) }],
	[IP => sub { u64(number('ip')) }],
	[TID => \&pid_tid],
	[TIME => sub { u64(number('time')) }],
	[ADDR => sub { u64(number('addr')) }],
	[ID => sub { u64($_[1]) }],
	[STREAM_ID => sub { u64(number('stream_id', $_[1])) }],
	[CPU => sub { u32(number('cpu')) . u32(number('cpu_reserved')) }],
	[PERIOD => sub { u64(number('period', 1)) }],
	[READ => sub { read_values($_[0]) }],
	[CALLCHAIN => sub { my @chain = list('callchain'); u64(scalar @chain) . join '', map { u64($_) } @chain }],
	[RAW => \&raw],
	[BRANCH_STACK => sub { branches($_[0]) }],
	[REGS_USER => sub { registers('regs_user', $_[0]{sample_regs_user}) }],
	[STACK_USER => \&stack],
	[WEIGHT => sub { u64(number('weight')) }],
	[WEIGHT_STRUCT => sub { u64(number('weight')) }],
	[DATA_SRC => sub { u64(number('data_src')) }],
	[TRANSACTION => sub { u64(number('transaction')) }],
	[REGS_INTR => sub { registers('regs_intr', $_[0]{sample_regs_intr}) }],
	[PHYS_ADDR => sub { u64(number('phys_addr')) }],
	[CGROUP => sub { u64(number('cgroup')) }],
	[DATA_PAGE_SIZE => sub { u64(number('data_page_size')) }],
	[CODE_PAGE_SIZE => sub { u64(number('code_page_size')) }],
	[AUX => sub { my $b = has('aux') ? pad8(hex_bytes($arg{aux})) : ''; u64(length $b) . $b }],
);

sub sample
{
	my $a = attr_of_line() or fail('a sample needs an attribute');
	my $id = number('id', $a->{ids}[0] // 0);
	$a->{fields} //= [map { $_->[1] } grep { bit($a, $_->[0]) } @FIELDS];
	# these may be given whether or not the attribute has them
	has($_) for qw(ip pid tid time id cpu period addr attr callchain aux);
	my $body = join '', map { $_->($a, $id) } @{$a->{fields}};
	return record(9, 2, $body . hex_bytes(text('extra', '')));
}

# ---------------------------------------------------------------- attributes

sub flags_word
{
	my ($v) = @_;
	return $v unless $big;
	my $out = 0;
	for my $i (0 .. 63) {
		# the two bits of precise_ip keep their order, as a bit field does
		my $to = $i == 15 ? 47 : $i == 16 ? 48 : 63 - $i;
		$out |= ($v >> $i & 1) << $to;
	}
	return $out;
}

sub attr_bytes
{
	my ($a) = @_;
	my $size = $a->{size} || 64;
	my $b = u32($a->{type}) . u32($a->{size}) . u64($a->{config}) . u64($a->{period})
		. u64($a->{sample_type}) . u64($a->{read_format}) . u64(flags_word($a->{flags}))
		. u32($a->{wakeup}) . u32($a->{bp_type}) . u64($a->{config1}) . u64($a->{config2})
		. u64($a->{branch_sample_type}) . u64($a->{sample_regs_user}) . u32($a->{sample_stack_user})
		. u32($a->{clockid}) . u64($a->{sample_regs_intr}) . u32($a->{aux_watermark})
		. u16($a->{sample_max_stack}) . u16(0) . u32($a->{aux_sample_size}) . u32($a->{aux_action})
		. u64($a->{sig_data}) . u64($a->{config3}) . u64($a->{config4});
	return fixed($b, $size);
}

sub attr
{
	my %a = map { $_ => number($_) } qw(bp_type config config1 config2 config3 config4 sample_regs_user
		sample_stack_user sample_regs_intr wakeup aux_watermark sample_max_stack aux_sample_size
		aux_action sig_data clockid);
	$a{type} = number('type', 1);
	$a{size} = number('size', 128);
	$a{period} = has('freq') ? number('freq') : number('period', 1);
	$a{sample_type} = names_to_bits(text('sample_type', 'IP,TID,TIME,CPU,PERIOD,IDENTIFIER'), @SAMPLE_BITS);
	$a{read_format} = names_to_bits(text('read_format', '0'), @READ_BITS);
	$a{branch_sample_type} = names_to_bits(text('branch_sample_type', '0'), @BRANCH_BITS);
	$a{flags} = names_to_bits(text('flags', 'sample_id_all'), @FLAGS);
	$a{flags} |= 1 << 10 if has('freq');
	$a{flags} |= (number('precise_ip') & 3) << 15;
	$a{sample_id_all} = $a{flags} >> 18 & 1;
	$a{name} = text('name', 'cpu-clock');
	$a{ids} = has('id') ? [list('id')] : [$next_id];
	$next_id++ while grep { $_ == $next_id } @{$a{ids}};
	push @attrs, \%a unless word('unknown');
	return record(64, 0, attr_bytes(\%a) . join '', map { u64($_) } @{$a{ids}});
}

# ---------------------------------------------------------------- features

sub feature_string { my $s = "$_[0]\0"; my $n = (length($s) + 63) & ~63; u32($n) . fixed($s, $n) }

sub event_desc
{
	my $size = $attrs[0]{size} || 64;
	my $out = u32(scalar @attrs) . u32($size);
	for my $a (@attrs) {
		$out .= fixed(attr_bytes($a), $size) . u32(scalar @{$a->{ids}}) . feature_string($a->{name})
			. join '', map { u64($_) } @{$a->{ids}};
	}
	return $out;
}

sub feature
{
	my $id = shift @word // fail('which feature?');
	$id = $FEATURES{$id} // num($id);
	my $out = '';
	$out = event_desc() if $id == 12 && !@word;
	$out = join '', map { u32($_) } 0, 1, 1, 0, 528384 if $id == 27 && !@word;
	while (@word) {
		my $kind = shift @word;
		if ($kind eq 'list') {
			$out .= u32(scalar @word) . join '', map { feature_string($_) } splice @word;
			next;
		}
		my $value = shift @word // fail("$kind of what?");
		my %item = (u8 => sub { u8(num($_[0])) }, u16 => sub { u16(num($_[0])) },
			u32 => sub { u32(num($_[0])) }, u64 => sub { u64(num($_[0])) },
			string => \&feature_string, hex => \&hex_bytes, text => sub { $_[0] });
		$out .= ($item{$kind} // fail("unknown item $kind"))->($value);
	}
	return record(80, 0, u64($id) . $out);
}

# ---------------------------------------------------------------- every other record

sub cpu_map_data
{
	if (has('cpus')) {
		my @cpus = list('cpus');
		return u16(0) . u16(scalar @cpus) . join '', map { u16($_) } @cpus;
	} elsif (has('mask')) {
		my @words = list('mask');
		my $long = number('long', 8);
		return u16(1) . u16(scalar @words) . u16($long) . ($long == 8 ? "\0" x 4 : '')
			. join '', map { $long == 8 ? u64($_) : u32($_) } @words;
	} elsif (has('range')) {
		my ($from, $to) = split /-/, $arg{range};
		return u16(2) . u8(word('any') ? 1 : 0) . u8(0) . u16(num($from)) . u16(num($to));
	}
	return undef;
}

sub event_update
{
	my $id = number('id', $attrs[0] ? $attrs[0]{ids}[0] : 0);
	my ($type, $data);
	if (has('name')) { ($type, $data) = (2, string($arg{name})) }
	elsif (has('unit')) { ($type, $data) = (0, string($arg{unit})) }
	elsif (has('scale')) { ($type, $data) = (1, pack $big ? 'd>' : 'd<', $arg{scale}) }
	else { ($type, $data) = (3, pad8(cpu_map_data() // fail('name=, unit=, scale=, or cpus='))) }
	return record(78, 0, u64($type) . u64($id) . $data);
}

sub fork_exit
{
	my ($type, $misc) = @_;
	my ($pid, $tid) = pids();
	my $body = u32($pid) . u32(number('ppid', 1)) . u32($tid) . u32(number('ptid', number('ppid', 1)))
		. u64(number('time'));
	return kernel($type, $misc, $body, pid => $pid, tid => $tid, time => 1);
}

sub mmap2
{
	my $file = text('file', '//anon');
	my $head = pid_tid() . join '', map { u64(number($_)) } qw(start len pgoff);
	my $id = text('build_id', '');
	my $misc = 2;
	if ($id ne '') {
		$misc |= 0x4000;
		$id = hex_bytes($id);
		$head .= u8(length $id) . u8(0) . u16(0) . fixed($id, 20);
	} else {
		$head .= u32(number('maj')) . u32(number('min')) . u64(number('ino')) . u64(number('gen'));
	}
	$head .= u32(number('prot', 5)) . u32(number('flags', 2));
	return kernel(10, $misc, $head . string($file), task());
}

sub build_id
{
	my $id = hex_bytes(text('id', ''));
	my $old = word('old'); # as perf inject wrote it up to 6.1
	my $name = text('file', '/bin/true') . "\0";
	$name = fixed($name, (length($name) + 63) & ~63) if $old;
	my $body = u32(number('pid', -1)) . fixed($id, 20) . u8($old ? 0 : length $id) . "\0" x 3;
	$body .= $name;
	$body = pad8($body) unless $old;
	return record(67, $old ? 2 : 0x8002, $body);
}

# Bytes that count up, so that a hole or a repetition in a long tail shows.
sub filler { my ($n) = @_; substr(join('', map { pack 'V', $_ } 0 .. $n / 4), 0, $n) }

sub tracing
{
	my $blob = has('hex') ? hex_bytes($arg{hex}) : has('text') ? $arg{text} : filler(number('bytes'));
	$blob = pad8($blob) unless word('exact');
	return record(66, 0, u32(length $blob) . (word('old') ? '' : u32(0))) . $blob;
}

sub auxtrace
{
	my $blob = has('hex') ? hex_bytes($arg{hex}) : filler(number('bytes'));
	$blob = pad8($blob) unless word('exact');
	return record(71, 0, u64(length $blob) . u64(number('offset')) . u64(number('reference'))
		. u32(number('idx')) . u32(number('tid')) . u32(number('cpu')) . u32(0)) . $blob;
}

sub auxtrace_error
{
	my $fmt = number('fmt');
	my $body = join '', map { u32(number($_)) } qw(type code);
	$body .= u32(number('cpu')) . pid_tid() . u32($fmt) . u64(number('ip'));
	$body .= u64(number('time')) if $fmt >= 1;
	$body .= fixed(text('msg', ''), 64);
	$body .= u32(number('machine_pid')) . u32(number('vcpu')) if $fmt >= 2;
	return record(72, 0, $body);
}

sub time_conv
{
	my $body = join '', map { u64(number($_)) } qw(time_shift time_mult time_zero);
	$body .= u64(number('time_cycles')) . u64(number('time_mask')) . u8(number('cap_user_time_zero'))
		. u8(number('cap_user_time_short')) . "\0" x 6 unless word('short');
	return record(79, 0, $body);
}

sub schedstat_domain
{
	my @counts = list('counts');
	my $version = number('version', 17);
	my $n = $version == 17 ? 45 : 36;
	my $body = u64(number('timestamp')) . u32(number('cpu')) . u16($version) . u16(number('domain'));
	$body .= u32($counts[$_] // 0) for 0 .. $n - 1;
	return record(86, 0, fixed($body, 200));
}

sub schedstat_cpu
{
	return record(85, 0, u64(number('timestamp')) . u32(number('cpu')) . u16(number('version', 17)) . u16(0)
		. join('', map { u32(number($_)) } qw(yld_count array_exp sched_count sched_goidle ttwu_count
			ttwu_local)) . join('', map { u64(number($_)) } qw(rq_cpu_time run_delay pcount)));
}

sub bpf_metadata
{
	my @pairs = map { [split /:/, $_] } split /,/, text('pairs', '');
	my $body = fixed(text('prog_name', ''), 512) . u64(scalar @pairs);
	$body .= fixed($_->[0], 64) . fixed($_->[1], 256) for @pairs;
	return kernel(84, 0, $body);
}

sub id_index
{
	my @rows = rows('entries');
	my @guests = rows('guests');
	my $body = u64(scalar @rows);
	$body .= u64(num($_->[0])) . u64(num($_->[1] // 0)) . u64(num($_->[2] // -1)) . u64(num($_->[3] // -1))
		for @rows;
	$body .= u64(num($_->[0])) . u64(num($_->[1])) for @guests;
	return record(69, 0, $body);
}

sub text_poke
{
	my ($old, $new) = map { hex_bytes(text($_, '')) } qw(old new);
	my $body = u64(number('addr')) . u16(length $old) . u16(length $new) . $old . $new;
	return kernel(20, 1, pad8($body));
}

sub read_record
{
	my $a = attr_of_line() or fail('read needs an attribute');
	return kernel(8, 0, pid_tid() . read_values($a), task());
}

sub namespaces
{
	my @links = rows('links');
	return kernel(16, 0, pid_tid() . u64(scalar @links)
		. join('', map { u64(num($_->[0])) . u64(num($_->[1])) } @links), task());
}

sub throttle { kernel($_[0], 0, u64(number('time')) . u64(number('id')) . u64(number('stream_id')), id => 1, time => 1) }
sub pairs { my @rows = rows('entries'); u64(scalar @rows) . join '', map { u64(num($_->[0])) . u64(num($_->[1])) } @rows }
sub numbers { join '', map { u64(number($_)) } @_ }

my %COMMANDS = (
	attr => \&attr, sample => \&sample, feature => \&feature, mmap2 => \&mmap2, read => \&read_record,
	mmap => sub { kernel(1, word('data') ? 0x2002 : 2, pid_tid() . numbers(qw(start len pgoff)) . string(text('file', '//anon')), task()) },
	lost => sub { kernel(2, 0, numbers(qw(id lost)), id => 1) },
	comm => sub { kernel(3, word('exec') ? 0x2000 : 0, pid_tid() . string(text('comm', '')), task()) },
	exit => sub { fork_exit(4, 0) },
	fork => sub { fork_exit(7, 0) },
	throttle => sub { throttle(5) },
	unthrottle => sub { throttle(6) },
	aux => sub { kernel(11, 0, numbers(qw(aux_offset aux_size flags))) },
	itrace_start => sub { kernel(12, 0, pid_tid(), task()) },
	lost_samples => sub { kernel(13, 0, numbers('lost')) },
	switch => sub { kernel(14, (word('out') ? 0x2000 : 0) | (word('preempt') ? 0x4000 : 0), '', task()) },
	switch_cpu_wide => sub { kernel(15, (word('out') ? 0x2000 : 0) | (word('preempt') ? 0x4000 : 0),
		u32(number('next_prev_pid')) . u32(number('next_prev_tid', number('next_prev_pid'))), task()) },
	namespaces => \&namespaces,
	ksymbol => sub { kernel(17, 0, u64(number('addr')) . u32(number('len')) . u16(number('ksym_type'))
		. u16(number('flags')) . string(text('name', ''))) },
	bpf_event => sub { kernel(18, 0, u16(number('type')) . u16(number('flags')) . u32(number('id'))
		. fixed(hex_bytes(text('tag', '')), 8), id => 1) },
	cgroup => sub { kernel(19, 0, u64(number('id')) . string(text('path', '/')), id => 1) },
	text_poke => \&text_poke,
	aux_output_hw_id => sub { kernel(21, 0, numbers('hw_id')) },
	callchain_deferred => sub { my @ips = list('ips'); kernel(22, 2, u64(number('cookie'))
		. join('', map { u64($_) } scalar @ips, @ips)) },
	event_type => sub { record(65, 0, u64(number('event_id')) . fixed(text('name', ''), 64)) },
	tracing => \&tracing, build_id => \&build_id, auxtrace => \&auxtrace,
	round => sub { record(68, 0, hex_bytes(text('hex', ''))) },
	id_index => \&id_index,
	auxtrace_info => sub { record(70, 0, u32(number('type', 1)) . u32(0) . join '', map { u64($_) } list('priv')) },
	auxtrace_error => \&auxtrace_error,
	thread_map => sub { my @r = rows('entries'); record(73, 0, u64(scalar @r)
		. join '', map { u64(num($_->[0])) . fixed($_->[1] // '', 16) } @r) },
	cpu_map => sub { record(74, 0, pad8(cpu_map_data() // fail('cpus=, mask= or range='))) },
	stat_config => sub { record(75, 0, pairs()) },
	stat => sub { record(76, 0, u64(number('id')) . u32(number('cpu')) . u32(number('thread')) . numbers(qw(val ena run))) },
	stat_round => sub { record(77, 0, numbers(qw(type time))) },
	event_update => \&event_update, time_conv => \&time_conv,
	init => sub { record(82, 0, '') },
	bpf_metadata => \&bpf_metadata, schedstat_cpu => \&schedstat_cpu, schedstat_domain => \&schedstat_domain,
	record => sub { my ($t, $m, @h) = splice @word; record(num($t), num($m // 0), hex_bytes(join '', @h)) },
	bytes => sub { hex_bytes(join '', splice @word) },
	zeros => sub { "\0" x num(shift @word) },
);

sub header
{
	$big = 1 if word('big');
	$big = 0 if word('little');
	my $magic = word('v1') ? 'PERFFILE' : $big ? '2ELIFREP' : 'PERFILE2';
	return $magic . u64(number('header_size', 16));
}

# One zstd frame of what the lines make, cut into records of at most split= bytes of it.
sub compressed
{
	my ($type, $payload, $level, $split) = @_;
	my $file = ($ENV{BATS_TEST_TMPDIR} // $ENV{TMPDIR} // '/tmp') . "/build.$$";
	open my $out, '>:raw', $file or die "build.pl: $file: $!\n";
	print $out $payload;
	close $out;
	my $frame = `zstd -q -c --no-check -$level <$file`;
	unlink $file;
	die "build.pl: zstd failed\n" if $?;
	my $records = '';
	%arg = ();
	for (my $at = 0; $at < length $frame; $at += $split) {
		my $part = substr $frame, $at, $split;
		$records .= record($type, 0, $type == 83 ? pad8(u64(length $part) . $part) : $part);
	}
	return $records;
}

# value EXPRESSION I: compiled once, unless an i is a digit of a number there
my %compiled;
sub value
{
	my ($e, $i) = @_;
	if (!exists $compiled{$e}) {
		fail("not an expression: $e") if $e =~ /[^0-9i+*\/%() <>?:=&|^-]/;
		(my $code = $e) =~ s/i/\$_[0]/g;
		$compiled{$e} = eval "use integer; sub { $code }";
	}
	return eval { $compiled{$e}->($i) } if $compiled{$e};
	$e =~ s/i/$i/g;
	return eval "use integer; $e";
}

# $i and $(EXPRESSION of i) inside repeat
sub expand
{
	my ($text, $i) = @_;
	$text =~ s{\$\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)}{
		my $e = $1;
		value($e, $i) // fail("not an expression: $e");
	}gex;
	$text =~ s/\$i\b/$i/g;
	return $text;
}

# Lines up to the brace that closes the block, and the index after it.
sub block
{
	my ($lines, $at) = @_;
	my $depth = 1;
	my @inside;
	for (; $at < @$lines; $at++) {
		my $l = $lines->[$at][1];
		$depth++ if $l =~ /\{\s*$/;
		$depth-- if $l =~ /^\s*\}\s*$/;
		return (\@inside, $at + 1) if !$depth;
		push @inside, $lines->[$at];
	}
	fail('no closing brace');
}

sub build
{
	my ($lines) = @_;
	my $out = '';
	for (my $at = 0; $at < @$lines;) {
		($number, $line) = @{$lines->[$at++]};
		next if $line =~ /^\s*(#|$)/;
		my ($command, $rest) = $line =~ /^\s*(\S+)\s*(.*?)\s*$/;
		if ($command eq 'repeat') {
			my ($count) = $rest =~ /^(\d+)\s*\{$/ or fail('repeat COUNT {');
			(my $inside, $at) = block($lines, $at);
			for my $i (0 .. $count - 1) {
				$out .= build([map { [$_->[0], expand($_->[1], $i)] } @$inside]);
			}
			next;
		}
		if ($command =~ /^compressed(2?)$/) {
			my $type = $1 ? 83 : 81;
			$rest =~ s/\s*\{$// or fail('compressed {');
			parse($rest);
			my ($level, $split) = (number('level', 1), number('split', 65512));
			(my $inside, $at) = block($lines, $at);
			$out .= compressed($type, build($inside), $level, $split);
			next;
		}
		parse($rest);
		my $make = $command eq 'header' ? \&header : $COMMANDS{$command} // fail('unknown command');
		# record_size= and misc= belong to every record
		has('record_size');
		has('misc');
		$out .= $make->();
		has('attr');
		fail("unknown word '$word[0]'") if @word;
		for my $key (sort keys %arg) {
			fail("unknown key '$key'") unless $asked{$key};
		}
	}
	return $out;
}

binmode STDOUT;
my @lines;
while (my $l = <STDIN>) {
	chomp $l;
	push @lines, [$., $l];
}
print build(\@lines) or die "build.pl: cannot write: $!\n";
close STDOUT or die "build.pl: cannot write: $!\n";
