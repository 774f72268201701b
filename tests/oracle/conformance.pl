#!/usr/bin/perl
# conformance.pl - what other readers wrote down of a recording, compared with what pp-dump --json
# says of it.
#
#   conformance.pl quipper PB_TEXT[.gz] LINES    quipper's protocol buffer as text: every event with
#                                                its fields, attributes, build-ids, header, counts
#   conformance.pl buildids LIST LINES           its list of build-ids
#   conformance.pl counts MANIFEST INFOS         records by type as the corpus' own walker counted
#                                                them, and `file NAME=COUNT...` a line of ours
#   conformance.pl tracepoints JSON LINES        the decoder of linux-tracepoints: every record in
#                                                order of the file, and each sample's fields
#   conformance.pl script TEXT SCRIPT            a newer perf's script, and what an older one prints
#
# Prints the differences and what was compared; exit 1 where something differs or there was nothing
# to compare.  Quipper's own ways are told where they are allowed for.
use strict;
use warnings;
use Digest::MD5 qw(md5);
use FindBin;
use lib $FindBin::Bin;
use Lines qw(json_records plain);

my ($differences, $compared) = (0, 0);

sub differ
{
	my ($what) = @_;
	$differences++;
	print "$what\n" if $differences <= 20;
}

# The two lists hold the same texts, as often, in the same order.
sub compare
{
	my ($what, $want, $got) = @_;
	$compared += @$want;
	print "$what: ", scalar @$want, "\n";
	differ("$what: expected " . @$want . ', found ' . @$got) if @$want != @$got;
	for my $i (0 .. ($#$want < $#$got ? $#$want : $#$got)) {
		differ("$what $i: expected $want->[$i]\n   found $got->[$i]") if $want->[$i] ne $got->[$i];
	}
}

# ---------------------------------------------------------------- protocol buffers as text

my %ESCAPE = (n => "\n", t => "\t", r => "\r", a => "\a", b => "\b", f => "\f", v => "\x0b");

sub unescape
{
	my ($s) = @_;
	$s =~ s/\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))/defined $1 ? chr oct $1 : defined $2 ? chr hex $2 : $ESCAPE{$3} \/\/ $3/ge;
	return $s;
}

# A message is a hash of lists: every field may be repeated.
sub read_pb_text
{
	my ($path) = @_;
	open my $in, '-|', 'gzip', '-dcf', $path or die "$path: $!\n";
	my @stack = ({});
	while (<$in>) {
		if (/^\s*(\w+) \{$/) {
			my $message = {};
			push @{$stack[-1]{$1}}, $message;
			push @stack, $message;
		} elsif (/^\s*\}$/) {
			pop @stack;
		} elsif (/^\s*(\w+): "(.*)"$/) {
			push @{$stack[-1]{$1}}, unescape($2);
		} elsif (/^\s*(\w+): (\S+)$/) {
			push @{$stack[-1]{$1}}, $2 eq 'true' ? 1 : $2 eq 'false' ? 0 : $2;
		} elsif (/\S/) {
			die "$path:$.: cannot read: $_";
		}
	}
	close $in or die "$path: cannot decompress\n";
	return $stack[0];
}

# The first 8 bytes of the MD5 of a text, as quipper keeps them of every name.
sub prefix { return unpack 'Q>', md5($_[0]) }

# ---------------------------------------------------------------- our fields, by quipper's names

# A text of ours, whichever form it is told in, to its first zero byte.
sub text_of
{
	my ($fields, $name) = @_;
	my $s = $fields->{$name};
	$s = pack 'H*', $fields->{"${name}_hex"} if !defined $s && defined $fields->{"${name}_hex"};
	return undef unless defined $s;
	utf8::encode($s) if utf8::is_utf8($s);
	return $s =~ s/\0.*//sr;
}

# A number of ours: what quipper has no sign for is taken in 32 bits.
sub number
{
	my $v = plain($_[0]);
	return defined $v && $v =~ /^-/ ? $v & 0xffffffff : $v;
}

sub pairs { my ($f, @names) = @_; return map { defined $f->{$_} ? ($_ => number($f->{$_})) : () } @names }

sub name_of
{
	my ($f, $ours, $theirs) = @_;
	my $s = text_of($f, $ours);
	return defined $s ? ("${theirs}_md5_prefix" => prefix($s)) : ();
}

sub entries { my ($name, @lists) = @_; return ($name => join ' ', map { '(' . join(',', @$_) . ')' } @lists) }

sub branch
{
	my ($e) = @_;
	return [number($e->{from}), number($e->{to}), map { $e->{flags}{$_} // 0 } qw(mispred predicted in_tx abort cycles type spec)];
}

# Quipper sets the highest bit of addresses of callers that no mapping covers.
my $UNMAPPED = 1 << 63;

sub sample_of
{
	my ($f) = @_;
	my %f = pairs($f, qw(ip pid tid time addr stream_id cpu period));
	# one field for ID and for IDENTIFIER
	my $id = $f->{id} // $f->{identifier};
	$f{id} = number($id) if defined $id;
	$f{callchain} = join ' ', map { number($_) | $UNMAPPED } @{$f->{callchain}} if @{$f->{callchain} // []};
	if (defined $f->{raw}) {
		$f{raw_size} = length($f->{raw}) / 2;
		$f{raw} = $f->{raw};
	}
	if (my $stack = $f->{branch_stack}) {
		my @entries = @{$stack->{entries} // []};
		%f = (%f, entries('branches', map { branch($_) } @entries)) if @entries;
		$f{hw_idx} = number($stack->{hw_idx}) if defined $stack->{hw_idx};
	}
	return %f;
}

# What our fields of a record of this type are in quipper's words.
my @TASK = qw(pid ppid tid ptid time);
my %OURS = (
	MMAP => sub { (pairs($_[0], qw(pid tid start len pgoff)), name_of($_[0], 'filename', 'filename')) },
	MMAP2 => sub { (pairs($_[0], qw(pid tid start len pgoff maj min ino ino_generation prot flags)),
		name_of($_[0], 'filename', 'filename')) },
	COMM => sub { (pairs($_[0], qw(pid tid)), name_of($_[0], 'comm', 'comm')) },
	FORK => sub { pairs($_[0], @TASK) },
	EXIT => sub { pairs($_[0], @TASK) },
	LOST => sub { pairs($_[0], qw(id lost)) },
	LOST_SAMPLES => sub { pairs($_[0], qw(lost)) },
	THROTTLE => sub { pairs($_[0], qw(time id stream_id)) },
	UNTHROTTLE => sub { pairs($_[0], qw(time id stream_id)) },
	SAMPLE => \&sample_of,
	AUX => sub { pairs($_[0], qw(aux_offset aux_size flags)) },
	ITRACE_START => sub { pairs($_[0], qw(pid tid)) },
	SWITCH => sub { (out => $_[1]{misc} >> 13 & 1) },
	SWITCH_CPU_WIDE => sub { (out => $_[1]{misc} >> 13 & 1, pairs($_[0], qw(next_prev_pid next_prev_tid))) },
	NAMESPACES => sub { (pairs($_[0], qw(pid tid)), entries('links', map { [$_->{dev}, $_->{ino}] } @{$_[0]{namespaces}})) },
	AUXTRACE_INFO => sub { (pairs($_[0], qw(type)), priv => join ' ', map { number($_) } @{$_[0]{priv}}) },
	AUXTRACE => sub { (pairs($_[0], qw(size offset reference idx tid cpu)), trace => $_[1]{tail_md5}) },
	THREAD_MAP => sub { entries('threads', map { [unpack('Q', pack 'q', $_->{pid}), prefix(text_of($_, 'comm'))] } @{$_[0]{entries}}) },
	FINISHED_ROUND => sub { () },
	TIME_CONV => sub { pairs($_[0], qw(time_shift time_mult time_zero time_cycles time_mask)) },
);

# ---------------------------------------------------------------- quipper's fields, by the same

sub one { my ($m, $name) = @_; return $m->{$name} ? $m->{$name}[0] : undef }

sub theirs
{
	my ($m, %names) = @_;
	return map { defined one($m, $_) ? ($names{$_} => one($m, $_)) : () } keys %names;
}

sub same_names { return map { $_ => $_ } @_ }

sub task_of { return theirs($_[0], same_names(qw(pid ppid tid ptid)), fork_time_ns => 'time') }

sub sample_in
{
	my ($m) = @_;
	my %f = theirs($m, same_names(qw(ip pid tid addr id stream_id cpu period raw_size)), sample_time_ns => 'time');
	$f{callchain} = join ' ', map { $_ | $UNMAPPED } @{$m->{callchain}} if $m->{callchain};
	$f{raw} = unpack 'H*', one($m, 'raw') if defined one($m, 'raw');
	%f = (%f, entries('branches', map { my $e = $_; [map { one($e, $_) // 0 }
		qw(from_ip to_ip mispredicted predicted in_transaction abort cycles type spec)] } @{$m->{branch_stack}})) if $m->{branch_stack};
	$f{hw_idx} = one($m, 'branch_stack_hw_idx') unless one($m, 'no_hw_idx') // 1;
	return %f;
}

my %THEIRS = (
	mmap_event => sub { theirs($_[0], same_names(qw(pid tid start len pgoff maj min ino ino_generation prot flags filename_md5_prefix))) },
	comm_event => sub { theirs($_[0], same_names(qw(pid tid comm_md5_prefix))) },
	fork_event => \&task_of,
	exit_event => \&task_of,
	lost_event => sub { theirs($_[0], same_names(qw(id lost))) },
	lost_samples_event => sub { theirs($_[0], num_lost => 'lost') },
	throttle_event => sub { theirs($_[0], same_names(qw(id stream_id)), time_ns => 'time') },
	sample_event => \&sample_in,
	aux_event => sub {
		my ($m) = @_;
		return (theirs($m, same_names(qw(aux_offset aux_size))), flags => one($m, 'is_truncated')
			| one($m, 'is_overwrite') << 1 | one($m, 'is_partial') << 2);
	},
	itrace_start_event => sub { theirs($_[0], same_names(qw(pid tid))) },
	context_switch_event => sub { theirs($_[0], same_names(qw(next_prev_pid next_prev_tid)), is_out => 'out') },
	namespaces_event => sub { (theirs($_[0], same_names(qw(pid tid))),
		entries('links', map { [one($_, 'dev'), one($_, 'ino')] } @{$_[0]{link_info}})) },
	auxtrace_info_event => sub { (theirs($_[0], same_names('type')), priv => join ' ', @{$_[0]{unparsed_binary_blob_priv_data}}) },
	auxtrace_event => sub { (theirs($_[0], same_names(qw(size offset reference idx tid cpu))),
		trace => unpack 'H*', md5(one($_[0], 'trace_data'))) },
	thread_map_event => sub { entries('threads', map { [one($_, 'pid'), one($_, 'comm_md5_prefix')] } @{$_[0]{entries}}) },
	time_conv_event => sub { theirs($_[0], same_names(qw(time_shift time_mult time_zero time_cycles time_mask))) },
);

my @TYPE = (undef, qw(MMAP LOST COMM EXIT THROTTLE UNTHROTTLE FORK READ SAMPLE MMAP2 AUX ITRACE_START LOST_SAMPLES
	SWITCH SWITCH_CPU_WIDE NAMESPACES));
my %TYPE = ((map { $_ => $TYPE[$_] } 1 .. $#TYPE), 70 => 'AUXTRACE_INFO', 71 => 'AUXTRACE', 68 => 'FINISHED_ROUND', 73 => 'THREAD_MAP', 79 => 'TIME_CONV');

sub line
{
	my ($type, $misc, %f) = @_;
	return join ' ', $type, $misc, map { "$_=" . ($f{$_} // '?') } sort keys %f;
}

sub their_trailer
{
	my ($m) = @_;
	my $info = $m && one($m, 'sample_info') or return;
	my %f = theirs($info, same_names(qw(pid tid id cpu stream_id)), sample_time_ns => 'time');
	return map { ("s_$_" => $f{$_}) } keys %f;
}

sub our_trailer
{
	my ($id) = @_;
	return unless $id;
	my %f = pairs($id, qw(pid tid time cpu stream_id));
	my $event = $id->{id} // $id->{identifier};
	$f{id} = number($event) if defined $event;
	return map { ("s_$_" => $f{$_}) } keys %f;
}

sub their_event
{
	my ($event) = @_;
	my $header = one($event, 'header');
	my $type = $TYPE{one($header, 'type')} // one($header, 'type');
	my ($body) = grep { /_event$/ } keys %$event;
	my $m = defined $body ? one($event, $body) : undef;
	my %f = $m && $THEIRS{$body} ? $THEIRS{$body}->($m) : ();
	return line($type, one($header, 'misc'), %f, their_trailer($m));
}

sub our_event
{
	my ($record) = @_;
	my $f = $record->{fields};
	return line($record->{type}, $record->{misc}, $OURS{$record->{type}}->($f, $record), our_trailer($f->{sample_id}));
}

# ---------------------------------------------------------------- attributes and the header

my @FLAGS = qw(disabled inherit pinned exclusive exclude_user exclude_kernel exclude_hv exclude_idle mmap comm freq
	inherit_stat enable_on_exec task watermark precise_ip mmap_data sample_id_all exclude_host exclude_guest
	exclude_callchain_kernel exclude_callchain_user mmap2 comm_exec use_clockid context_switch write_backward
	namespaces cgroup ksymbol);
my @FIELDS = qw(type config sample_period sample_type read_format wakeup_events bp_type branch_sample_type
	sample_regs_user sample_stack_user);

sub their_attr
{
	my ($file_attr) = @_;
	my $m = one($file_attr, 'attr');
	my @known = grep { defined one($m, $_) } @FIELDS, @FLAGS;
	return (join(' ', (map { "$_=" . one($m, $_) } @known), 'config1=' . one($m, 'bp_addr'),
		'config2=' . one($m, 'bp_len'), 'ids=' . join ',', @{$file_attr->{ids} // []}), \@known);
}

sub our_attr
{
	my ($record, $known) = @_;
	my ($attr, $ids) = @{$record->{fields}}{qw(attr id)};
	my %f = (%{$attr->{flags}}, map { $_ => number($attr->{$_} // 0) } @FIELDS, qw(config1 config2));
	return join ' ', (map { "$_=" . ($f{$_} // 0) } @$known), "config1=$f{config1}", "config2=$f{config2}",
		'ids=' . join ',', map { number($_) } @{$ids // []};
}

sub compare_attrs
{
	my ($pb, $records) = @_;
	my @attrs = grep { $_->{type} eq 'HEADER_ATTR' } @$records;
	my (@want, @got);
	for my $file_attr (@{$pb->{file_attrs}}) {
		my ($text, $known) = their_attr($file_attr);
		push @want, $text;
		push @got, our_attr(shift @attrs, $known) if @attrs;
	}
	push @got, map { 'one more' } @attrs;
	compare('attributes', \@want, \@got);
}

sub feature
{
	my ($records, $name) = @_;
	my ($record) = grep { ($_->{feature} // '') eq $name } @$records;
	return $record ? $record->{fields}{data} : undef;
}

# `name value` lines of what quipper's metadata says of the header
sub compare_header
{
	my ($pb, $records) = @_;
	my (@want, @got);
	my $data = sub { my ($name, $key) = @_; my $d = feature($records, $name); return $d ? $d->{$key} // '' : 'none' };
	my $both = sub { push @want, "$_[0] $_[1]"; push @got, "$_[0] $_[2]" };
	my $strings = one($pb, 'string_metadata') // {};
	my %name = (hostname => ['HOSTNAME', 'hostname'], kernel_version => ['OSRELEASE', 'osrelease'],
		perf_version => ['VERSION', 'version'], architecture => ['ARCH', 'arch'],
		cpu_description => ['CPUDESC', 'cpudesc'], cpu_id => ['CPUID', 'cpuid']);
	for my $key (sort keys %name) {
		my $m = one($strings, $key) or next;
		$both->($key, one($m, 'value'), $data->(@{$name{$key}}));
	}
	if (my $tokens = $strings->{perf_command_line_token}) {
		$both->('command line', join('|', map { one($_, 'value') } @$tokens),
			join('|', @{feature($records, 'CMDLINE')->{cmdline}}));
	}
	for my $m (@{$pb->{uint32_metadata} // []}) {
		next unless one($m, 'type') == 7;
		my $cpus = feature($records, 'NRCPUS');
		# in quipper's order: online, available
		$both->('cpus', join(' ', @{$m->{data}}), "$cpus->{nr_cpus_avail} $cpus->{nr_cpus_online}");
	}
	for my $m (@{$pb->{uint64_metadata} // []}) {
		$both->('memory', one($m, 'data'), $data->('TOTAL_MEM', 'total_mem')) if one($m, 'type') == 10;
	}
	$both->('pmus', join(' ', map { one($_, 'type') . '=' . one($_, 'name') } @{$pb->{pmu_mappings}}),
		join(' ', map { "$_->{type}=$_->{name}" } @{feature($records, 'PMU_MAPPINGS')->{pmus}})) if $pb->{pmu_mappings};
	$both->('groups', join(' ', map { join ',', map { $_ // '' } one($_, 'name'), one($_, 'leader_idx'), one($_, 'num_members') } @{$pb->{group_desc}}),
		join(' ', map { "$_->{name},$_->{leader_idx},$_->{nr_members}" } @{feature($records, 'GROUP_DESC')->{groups}})) if $pb->{group_desc};
	$both->('hybrid', join(' ', map { one($_, 'pmu_name') . '=' . one($_, 'cpus') } @{$pb->{hybrid_topology}}),
		join(' ', map { "$_->{name}=$_->{cpus}" } @{feature($records, 'HYBRID_TOPOLOGY')->{pmus}})) if $pb->{hybrid_topology};
	if (my $m = one($pb, 'cpu_topology')) {
		my $t = feature($records, 'CPU_TOPOLOGY');
		$both->('cores', join(' ', @{$m->{core_siblings}}), join ' ', @{$t->{cores}});
		$both->('threads', join(' ', @{$m->{thread_siblings}}), join ' ', @{$t->{threads}});
		$both->('places', join(' ', map { one($_, 'core_id') . ':' . one($_, 'socket_id') } @{$m->{available_cpus}}),
			join(' ', map { "$_->{core_id}:$_->{socket_id}" } @{$t->{cpus}})) if $m->{available_cpus};
	}
	$both->('nodes', join(' ', map { join ',', one($_, 'id'), one($_, 'total_memory'), one($_, 'cpu_list') } @{$pb->{numa_topology}}),
		join(' ', map { "$_->{node},$_->{mem_total},$_->{cpus}" } @{feature($records, 'NUMA_TOPOLOGY')->{nodes}})) if $pb->{numa_topology};
	compare('header', \@want, \@got);
}

# The features a file told, except those that a stream tells otherwise (tracing data, build-ids) or
# not at all (BRANCH_STACK, AUXTRACE and STAT say what is in the file).
sub compare_features
{
	my ($pb, $records) = @_;
	my $mask = one($pb, 'metadata_mask') or return;
	my %otherwise = map { $_ => 1 } 1, 2, 15, 18, 19;
	my @want = grep { $mask >> $_ & 1 && !$otherwise{$_} } 0 .. 63;
	my @got = map { $_->{fields}{feat_id} } grep { defined $_->{feature} } @$records;
	compare('features', \@want, \@got);
}

# Names of events by config, in the order told: by EVENT_DESC, or by the records of old streams.
sub compare_names
{
	my ($pb, $records) = @_;
	my @want = map { one($_, 'id') . ' ' . one($_, 'name') } @{$pb->{event_types} // []} or return;
	my $desc = feature($records, 'EVENT_DESC');
	my @got = $desc ? map { number($_->{attr}{config}) . " $_->{name}" } @{$desc->{events}} :
		map { number($_->{fields}{event_id}) . " $_->{fields}{name}" } grep { $_->{type} eq 'HEADER_EVENT_TYPE' } @$records;
	compare('names of events', \@want, \@got);
}

sub our_build_ids
{
	my ($records) = @_;
	return map { [$_->{fields}{build_id}, text_of($_->{fields}, 'filename'), $_->{misc}] } grep { $_->{type} eq 'HEADER_BUILD_ID' } @$records;
}

sub compare_build_ids
{
	my ($pb, $records) = @_;
	my @want = map { join ' ', unpack('H*', one($_, 'build_id_hash')), one($_, 'filename'), one($_, 'misc') // 0 } @{$pb->{build_ids} // []};
	my @got = map { join ' ', @$_ } our_build_ids($records);
	compare('build-ids', [sort @want], [sort @got]);
}

# ---------------------------------------------------------------- the commands

# pp-dump writes a tail behind its record: its MD5 goes with it.
sub add_tails
{
	my ($path, $records) = @_;
	my $n = -1;
	my %md5;
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		if (/^\{"offset"/) {
			$n++;
		} elsif (/^\{"tail":"([0-9a-f]*)"/) {
			($md5{$n} //= Digest::MD5->new)->add(pack 'H*', $1);
		}
	}
	$records->[$_]{tail_md5} = $md5{$_}->hexdigest for keys %md5;
}

# When a record happened, 0 where it does not say.
sub time_of { my ($f) = @{$_[0]}{fields}; return plain($f->{sample_id} ? $f->{sample_id}{time} : $_[0]{type} eq 'SAMPLE' ? $f->{time} : undef) // 0 }

# Quipper takes //anon memory that lies between two mappings of one file, or behind one, for huge
# pages of that file, and joins them.
sub join_huge_pages
{
	my @out;
	for my $record (@_) {
		my ($f, $last) = ($record->{fields}, $out[-1]);
		if ($last && $record->{type} eq 'MMAP' && $last->{type} eq 'MMAP') {
			my $l = $last->{fields};
			my ($name, $before) = map { text_of($_, 'filename') } $f, $l;
			my $near = $l->{pid} == $f->{pid} && number($l->{start}) + number($l->{len}) == number($f->{start});
			my $follows = number($l->{pgoff}) + number($l->{len}) == number($f->{pgoff});
			if ($near && $before =~ m{^/(?!/)} && ($name eq '//anon' || $name eq $before && $follows)) {
				$l->{len} = number($l->{len}) + number($f->{len});
				next;
			}
		}
		push @out, $record;
	}
	return @out;
}

sub quipper
{
	my ($path, $lines) = @_;
	my $pb = read_pb_text($path);
	my $records = json_records($lines);
	add_tails($lines, $records);
	my @ours = grep { $OURS{$_->{type}} } @$records;
	# what it decoded of a file or stream is in order of time, what it wrote back as it stood
	if ($path !~ /[.]pr[.]out[.]/) {
		my %time = map { $_ => time_of($ours[$_]) } 0 .. $#ours;
		@ours = @ours[sort { $time{$a} <=> $time{$b} || $a <=> $b } 0 .. $#ours];
		@ours = join_huge_pages(@ours) if $path !~ /piped/;
	}
	my @want = map { their_event($_) } @{$pb->{events}};
	my @got = map { our_event($_) } @ours;
	compare('events', \@want, \@got);
	compare_attrs($pb, $records);
	compare_header($pb, $records);
	compare_build_ids($pb, $records);
	compare_names($pb, $records);
	compare_features($pb, $records) if $path !~ /piped/;
}

# The event's name as user_events have it in their raw data: behind the 8 common bytes and the 8 of
# the event's header come extensions (u16 size, u16 kind); that of kind 1 begins with the name.
sub eventheader_name
{
	my ($event, $raw) = @_;
	my ($provider) = $event =~ /^user_events:(\S+)_L[0-9a-f]+K[0-9a-f]+/ or return $event;
	my $at = 16;
	while ($at + 4 <= length $raw) {
		my ($size, $kind) = unpack 'vv', substr $raw, $at, 4;
		return $provider . ':' . unpack 'Z*', substr $raw, $at + 4 if ($kind & 0x7fff) == 1;
		last unless $kind & 0x8000;
		$at += 4 + $size;
	}
	return $event;
}

# The decoder's order is that of the file; names of its records are ours without underscores.
sub tracepoints
{
	my ($path, $lines) = @_;
	my (@want, @got);
	my $text = do { local $/; open my $in, '<:raw', $path or die "$path: $!\n"; <$in> };
	# the same again follows in order of time
	$text =~ s{/\* Events in time order.*}{}is;
	while ($text =~ /\n  \{\n(.*?)\n  \}/sg) {
		my $item = $1;
		if ($item =~ /"NonSample": "(\w+)",\s*"size": (\d+)/) {
			push @want, lc "$1 $2";
		} elsif ($item =~ /"n": "(\S+?)"/) {
			my $name = $1;
			my ($cpu, $pid) = map { $item =~ /"meta": \{.*"$_": (\d+)/s ? $1 : '?' } qw(cpu pid);
			# the names it finds in the raw data of the one event of the kernel's own
			my @names = $name eq 'sched:sched_switch' ? map { $item =~ /"$_": "(.*?)"/ ? $1 : '?' } qw(prev_comm next_comm) : ();
			push @want, join ' ', 'sample', $name, $cpu, $pid, @names;
		}
	}
	for my $record (@{json_records($lines)}) {
		my $f = $record->{fields};
		if ($record->{type} ne 'SAMPLE') {
			# its size of tracing data counts what follows the record
			my $tail = $record->{type} eq 'HEADER_TRACING_DATA' ? $f->{size} : 0;
			push @got, lc(($record->{type} =~ s/_//gr) . ' ' . ($record->{size} + $tail));
			next;
		}
		# common fields 8, prev_comm 16, prev_pid 4, prev_prio 4, prev_state 8, next_comm 16
		my $raw = pack 'H*', $f->{raw};
		my @names = $record->{event} eq 'sched:sched_switch' ? map { substr($raw, $_, 16) =~ s/\0.*//sr } 8, 40 : ();
		push @got, join ' ', 'sample', eventheader_name($record->{event}, $raw), $f->{cpu}, $f->{pid}, @names;
	}
	compare('records', \@want, \@got);
}

# The lines of samples, those of callers left out.
sub script_lines
{
	my ($path) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	return map { s/^\s+|\s+$//g; s/ +/ /g; $_ } grep { m{^\s*\S.* \d+/\d+ +\d+\.\d+: } } <$in>;
}

# What differs between versions of perf and not in the recording: since 6.12 or before a task loses
# its name when it exits, 6.1 keeps it; and of counters read in groups that went down (a task of
# the group ended) the newer one gives the sample's period, 6.1 the difference below zero.
sub script
{
	my ($path, $ours) = @_;
	my @want = script_lines($path);
	my @got = script_lines($ours);
	my $grouped = $path =~ /group/;
	for my $i (0 .. $#want) {
		next unless $i <= $#got && $want[$i] =~ /^(:\d+) /;
		my $task = $1;
		$got[$i] =~ s/^.*? (?=\d+\/\d+ )/$task /;
	}
	if ($grouped) {
		@$_ = map { s/: \d+ /: /r } grep { /cpu-clock/ } @$_ for \@want, \@got;
	}
	compare('samples', \@want, \@got);
}

sub buildids
{
	my ($path, $lines) = @_;
	open my $in, '<', $path or die "$path: $!\n";
	chomp(my @want = <$in>);
	my @got = map { "$_->[0] $_->[1]" } our_build_ids(json_records($lines));
	compare('build-ids', [sort @want], [sort @got]);
}

# The manifest counts records as they lie: of a file those of its data, of compressed ones also what
# is inside.  A file's attributes, features and names of events are records only once it is a stream.
sub counts
{
	my ($path, $infos) = @_;
	my (%manifest, @want, @got);
	open my $in, '<', $path or die "$path: $!\n";
	while (<$in>) {
		my @columns = split /\t/;
		$manifest{$columns[0]} = { file => $columns[5] !~ /pipe/, text => $columns[8] } if ($columns[8] // '') =~ /records: /;
	}
	open $in, '<', $infos or die "$infos: $!\n";
	while (<$in>) {
		my ($file, @ours) = split;
		my $m = $manifest{$file} or next;
		my (%count, %found);
		my ($records) = $m->{text} =~ /records: ([^|]*)/;
		$count{$1} += $2 while $records =~ /(\w+)=(\d+)/g;
		if ($m->{text} =~ /inside: ([^|]*)/) {
			my $inside = $1;
			$count{$1} += $2 while $inside =~ /(\w+)=(\d+)/g;
			delete @count{qw(COMPRESSED COMPRESSED2)};
		}
		# compression is over, and with it the feature that tells of it
		$count{HDR_FEATURE}-- if $count{HDR_FEATURE} && $m->{text} =~ /inside: /;
		my %named;
		# Google's header strings are features; simpleperf's own are none of ours
		$named{s/^HDR_/HEADER_/r =~ s/^G_.*/HEADER_FEATURE/r =~ s/^SIMPLEPERF_.*/OTHERS/r} += $count{$_} for keys %count;
		%count = %named;
		/(\w+)=(\d+)/ and $found{$1} = $2 for @ours;
		if ($m->{file}) {
			delete @$_{qw(HEADER_ATTR HEADER_FEATURE HEADER_BUILD_ID HEADER_TRACING_DATA HEADER_EVENT_TYPE EVENT_UPDATE)} for \%count, \%found;
		}
		push @want, join ' ', $file, map { "$_=$count{$_}" } sort keys %count;
		push @got, join ' ', $file, map { "$_=$found{$_}" } sort keys %found;
	}
	compare('recordings', \@want, \@got);
}

my %COMMAND = (quipper => \&quipper, counts => \&counts, buildids => \&buildids, tracepoints => \&tracepoints, script => \&script);
my ($command, @arguments) = @ARGV;
die "usage: conformance.pl quipper|buildids|counts|tracepoints|script EXPECTED FOUND\n" unless $COMMAND{$command // ''} && @arguments == 2;
$COMMAND{$command}->(@arguments);
print "... and ", $differences - 20, " more\n" if $differences > 20;
print "$compared compared, $differences differences\n";
exit($differences || !$compared ? 1 : 0);
