#!/usr/bin/perl
# perf-dump.pl - what perf itself says of a stream: `perf report -D` as JSON lines, and the
# comparison of that, record by record and field by field, with the lines of pp-dump --json.
#
#   perf-dump.pl STREAM            prints one JSON line a record
#   perf-dump.pl STREAM LINES      compares; prints the differences, then what was compared;
#                                  exit 1 where something differs or nothing could be compared
#
# Offsets are the stream's: perf's own do not count the 16 bytes of the stream's header.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Lines qw(json_records differ compare_field count_record summary same);

my ($stream, $lines) = @ARGV;
die "usage: perf-dump.pl STREAM [JSON-LINES]\n" unless defined $stream;

# perf's names of records where they are not those of the format
my %NAME = (ATTR => 'HEADER_ATTR', FEATURE => 'HEADER_FEATURE', TRACING_DATA => 'HEADER_TRACING_DATA',
	BUILD_ID => 'HEADER_BUILD_ID', EVENT_TYPE => 'HEADER_EVENT_TYPE', CGROUP => 'CGROUP');

# ---------------------------------------------------------------- what perf says

sub hexnum { no warnings 'portable'; hex $_[0] }

# The fields that the rest of a record's first line tells, by JSON name.
my %FIRST = (
	SAMPLE => sub {
		$_[0] =~ m{^\(IP, 0x[0-9a-f]+\): (-?\d+)/(-?\d+): (0x[0-9a-f]+|0) period: (\d+) addr: (0x[0-9a-f]+|0)} or return;
		return (pid => $1, tid => $2, ip => hexnum($3), period => $4, addr => hexnum($5));
	},
	MMAP => sub {
		$_[0] =~ m{^ (-?\d+)/(-?\d+): \[(0x[0-9a-f]+|0)\((0x[0-9a-f]+|0)\) @ (0x[0-9a-f]+|0)\]: \S (.*)} or return;
		return (pid => $1, tid => $2, start => hexnum($3), len => hexnum($4), pgoff => hexnum($5), filename => $6);
	},
	MMAP2 => sub {
		$_[0] =~ m{^ (-?\d+)/(-?\d+): \[(0x[0-9a-f]+|0)\((0x[0-9a-f]+|0)\) @ (0x[0-9a-f]+|0) (?:<([0-9a-f]*)>|([0-9a-f]+):([0-9a-f]+) (\d+) (\d+))\]: (....) (.*)} or return;
		my ($id, @device) = ($6, $7, $8, $9, $10);
		my ($prot, %f) = ($11, pid => $1, tid => $2, start => hexnum($3), len => hexnum($4), pgoff => hexnum($5), filename => $12);
		$f{prot} = ($prot =~ /^r/ ? 1 : 0) | ($prot =~ /^.w/ ? 2 : 0) | ($prot =~ /^..x/ ? 4 : 0);
		if (defined $id) { $f{build_id} = $id }
		else { @f{qw(maj min ino ino_generation)} = (hex $device[0], hex $device[1], @device[2, 3]) }
		return %f;
	},
	COMM => sub { $_[0] =~ m{^( exec)?: (.*):(-?\d+)/(-?\d+)$} ? (exec => $1 ? 1 : 0, comm => $2, pid => $3, tid => $4) : () },
	FORK => sub { $_[0] =~ m{^\((-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)} ? (pid => $1, tid => $2, ppid => $3, ptid => $4) : () },
	READ => sub { $_[0] =~ m{^: (-?\d+) (-?\d+) .* (\d+)$} ? (pid => $1, tid => $2, value => $3) : () },
	SWITCH => sub { $_[0] =~ m{^ (OUT|IN)( preempt)?} ? (out => $1 eq 'OUT' ? 1 : 0, preempt => $2 ? 1 : 0) : () },
	SWITCH_CPU_WIDE => sub {
		$_[0] =~ m{^ (OUT|IN)( preempt)? +(?:next|prev) pid/tid: *(-?\d+)/(-?\d+)} or return;
		return (out => $1 eq 'OUT' ? 1 : 0, preempt => $2 ? 1 : 0, next_prev_pid => $3, next_prev_tid => $4);
	},
	NAMESPACES => sub { $_[0] =~ m{^ (-?\d+)/(-?\d+) - nr_namespaces: (\d+)} ? (pid => $1, tid => $2, nr => $3) : () },
	CGROUP => sub { $_[0] =~ m{^ cgroup: (\d+) (.*)} ? (id => $1, path => $2) : () },
	KSYMBOL => sub {
		$_[0] =~ m{^ addr ([0-9a-f]+) len (\d+) type (\d+) flags 0x([0-9a-f]+) name (.*)} or return;
		return (addr => hexnum($1), len => $2, ksym_type => $3, flags => hex $4, name => $5);
	},
	BPF_EVENT => sub { $_[0] =~ m{^ type (\d+), flags (\d+), id (\d+)} ? (type => $1, flags => $2, id => $3) : () },
	ITRACE_START => sub { $_[0] =~ m{^ pid: (-?\d+) tid: (-?\d+)} ? (pid => $1, tid => $2) : () },
	LOST => sub { $_[0] =~ m{^: id:(\d+): lost:(\d+)} ? (id => $1, lost => $2) : () },
	LOST_SAMPLES => sub { $_[0] =~ m{^ (\d+)} ? (lost => $1) : () },
	AUX => sub {
		$_[0] =~ m{^ offset: (0x[0-9a-f]+|0) size: (0x[0-9a-f]+|0) flags: (0x[0-9a-f]+|0)} or return;
		return (aux_offset => hexnum($1), aux_size => hexnum($2), flags => hexnum($3));
	},
	ID_INDEX => sub { $_[0] =~ m{^ nr: (\d+)} ? (nr => $1) : () },
	THREAD_MAP => sub { $_[0] =~ m{^ nr: (\d+)} ? (nr => $1) : () },
);
$FIRST{EXIT} = $FIRST{FORK};

# A line below the first one.
sub more
{
	my ($rec, $line) = @_;
	my $f = $rec->{fields};
	my $list = $rec->{list} // '';
	if ($line =~ /^\.\.\. (?:FP|LBR) chain: nr:(\d+)/) { $f->{callchain} = [] if $line =~ /FP/; $rec->{list} = $line =~ /FP/ ? 'callchain' : '' }
	elsif ($line =~ /^\.\.\. (user|intr) regs: mask 0x[0-9a-f]+ ABI/) { $rec->{list} = "regs_$1"; $f->{$rec->{list}} = [] }
	elsif ($line =~ /^\.\.\. ustack: size (\d+), offset/) { $f->{stack_size} = $1 }
	elsif ($line =~ /^\.\.\. branch stack: nr:/) { $rec->{list} = 'branches'; $f->{branches} = [] }
	elsif ($list eq 'branches' && $line =~ /^\.\.\.\.\. *\d+: ([0-9a-f]{16}) -> ([0-9a-f]{16})/) { push @{$f->{branches}}, hexnum($1), hexnum($2) }
	elsif ($line =~ /^\.\.\. sample_read:/) { $rec->{list} = 'read' }
	elsif ($line =~ /^\.\.\.\.\. *\d+: ([0-9a-f]{16})/ && $list eq 'callchain') { push @{$f->{callchain}}, hexnum($1) }
	elsif ($list =~ /^regs/ && $line =~ /^\.\.\.\. \S+ +0x([0-9a-f]{16})/) { push @{$f->{$list}}, hexnum($1) }
	elsif ($line =~ /^\.\.\.\.\. id ([0-9a-f]+), value ([0-9a-f]+)(?:, lost (\d+))?/ && $list eq 'read') {
		push @{$f->{read_ids}}, hexnum($1);
		push @{$f->{read_values}}, hexnum($2);
		push @{$f->{read_lost}}, $3 if defined $3;
	}
	elsif ($line =~ /^\.\.\. weight: (\d+)(?:,0x([0-9a-f]+),0x([0-9a-f]+))?/) {
		$f->{weight} = defined $2 ? $1 | hexnum($2) << 32 | hexnum($3) << 48 : $1;
	}
	elsif ($line =~ /^ \. data_src: 0x([0-9a-f]+)/) { $f->{data_src} = hexnum($1) }
	elsif ($line =~ /^ \.\. phys_addr: 0x([0-9a-f]+)/) { $f->{phys_addr} = hexnum($1) }
	elsif ($line =~ /^\.\.\. transaction: 0x([0-9a-f]+)/) { $f->{transaction} = hexnum($1) }
	elsif ($line =~ m{^\t\t?\s?\[?\d+/net}) { $f->{links} = [] }
	if ($rec->{type} eq 'NAMESPACES') {
		push @{$f->{links}}, $1, hexnum($2) while $line =~ m{\d/\w+: (\d+)/(0x[0-9a-f]+|0)}g;
	} elsif ($rec->{type} eq 'ID_INDEX' && $line =~ /id: (\d+)  idx: (\d+)  cpu: (-?\d+)  tid: (-?\d+)/) {
		push @{$f->{entries}}, $1, $2, $3, $4;
	}
}

# Records in perf's order: { offset type misc size cpu time fields raw }.
sub perf_records
{
	my $err = ($ENV{TMPDIR} // '/tmp') . "/perf-dump.$$";
	open my $perf, '-|', "perf report -D -i \Q$stream\E 2>\Q$err\E" or die "perf-dump.pl: perf: $!\n";
	my ($rec, @records, $raw);
	while (my $line = <$perf>) {
		chomp $line;
		if ($line =~ /^(0x[0-9a-f]+|0)@\S+ \[(0x[0-9a-f]+)\]: event: (\d+)/) {
			$raw = '';
			undef $rec;
		} elsif ($line =~ /^\.  [0-9a-f]{4}:  ((?:[0-9a-f]{2} )+)/ && defined $raw) {
			$raw .= $1;
		} elsif ($line =~ /^(?:(-?\d+) )?(-?\d+) (0x[0-9a-f]+|0) \[(0x[0-9a-f]+)\]: PERF_RECORD_([A-Z_0-9]+)(.*)/) {
			my ($cpu, $time, $offset, $size, $type, $rest) = ($1, $2, $3, $4, $5, $6);
			# the second line about the same record (--group and the like)
			next if $rec && $rec->{type} eq ($NAME{$type} // $type) && !defined $raw;
			$rec = { offset => hexnum($offset) + 16, size => hex $size, type => $NAME{$type} // $type, fields => {} };
			$rec->{cpu} = $cpu if defined $cpu && $cpu >= 0;
			$rec->{time} = $time;
			if (defined $raw) {
				$raw =~ s/ //g;
				$rec->{raw} = $raw;
				my $head = pack 'H*', substr $raw, 0, 16;
				$rec->{misc} = unpack 'v', substr $head, 4, 2;
				undef $raw;
			}
			$rec->{fields} = { $FIRST{$rec->{type}}->($rest) } if $FIRST{$rec->{type}};
			push @records, $rec;
		} elsif ($line =~ /^Aggregated stats:/) {
			undef $rec;
		} elsif ($rec) {
			more($rec, $line);
		}
	}
	close $perf or die "perf-dump.pl: perf report -D failed on $stream\n";
	# it gives up with exit status 0, too
	open my $messages, '<', $err or die "$err: $!\n";
	my @failed = grep { /failed to process/ } <$messages>;
	unlink $err;
	die "perf-dump.pl: perf: @failed" if @failed;
	return \@records;
}

sub to_json
{
	my ($v) = @_;
	return '[' . join(',', map { to_json($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return '{' . join(',', map { "\"$_\":" . to_json($v->{$_}) } sort keys %$v) . '}' if ref $v;
	return $v if $v =~ /^-?\d+$/;
	$v =~ s/(["\\])/\\$1/g;
	return "\"$v\"";
}

# ---------------------------------------------------------------- comparing

# Where a field of perf's stands in a line of ours, if not under its own name.
my %PLACE = (
	regs_user => sub { $_[0]{regs_user} && $_[0]{regs_user}{regs} },
	regs_intr => sub { $_[0]{regs_intr} && $_[0]{regs_intr}{regs} },
	stack_size => sub { $_[0]{stack_user} && ($_[0]{stack_user}{dyn_size} // 0) },
	branches => sub { $_[0]{branch_stack} && [map { @$_{qw(from to)} } @{$_[0]{branch_stack}{entries}}] },
	nr => sub { $_[0]{nr} // scalar @{$_[0]{namespaces} // $_[0]{entries} // []} },
	links => sub { [map { @$_{qw(dev ino)} } @{$_[0]{namespaces}}] },
	entries => sub { [map { @$_{qw(id idx cpu tid)} } @{$_[0]{entries}}] },
);

sub compare_record
{
	my ($perf, $ours) = @_;
	my $where = "$perf->{type} at $perf->{offset}";
	my $f = $ours->{fields} // {};
	count_record();
	compare_field($where, 'type', $perf->{type}, $ours->{type});
	compare_field($where, 'size', $perf->{size}, $ours->{size});
	compare_field($where, 'misc', $perf->{misc}, $ours->{misc}) if defined $perf->{misc};
	return if !$ours->{fields} && !%{$perf->{fields}};
	my $trailer = $f->{sample_id};
	my $timed = $perf->{type} eq 'SAMPLE' ? $f : $trailer;
	if ($timed) {
		compare_field($where, 'time', $perf->{time}, $timed->{time}) if defined $timed->{time} && $perf->{time} > 0;
		compare_field($where, 'cpu', $perf->{cpu}, $timed->{cpu}) if defined $timed->{cpu} && defined $perf->{cpu};
	}
	my %p = %{$perf->{fields}};
	# perf shows the third part of a weight on one architecture only
	delete $p{weight} if defined $p{weight} && ref $f->{weight} && $f->{weight}{var3_w};
	if (defined $p{exec}) {
		compare_field($where, 'exec', delete $p{exec}, $ours->{misc} >> 13 & 1);
	}
	if (defined $p{out}) {
		compare_field($where, 'out', delete $p{out}, $ours->{misc} >> 13 & 1);
		compare_field($where, 'preempt', delete $p{preempt}, $ours->{misc} >> 14 & 1);
	}
	# A kernel may set the bit of build-ids on records that have none: perf prints what stands there.
	delete $p{build_id} if defined $f->{maj} && hex(substr $perf->{raw}, 80, 2) - 1 >= 20;
	if ($perf->{type} eq 'SAMPLE' || $perf->{type} eq 'READ') {
		compare_read($where, \%p, $f->{read}) if ref $f->{read};
		delete @p{qw(read_ids read_values read_lost value)};
		# what perf shows of fields that the sample has not: zeros and defaults
		for my $name (qw(pid tid ip period addr weight data_src)) {
			delete $p{$name} unless defined $f->{$name};
		}
	}
	for my $name (sort keys %p) {
		my $got = $PLACE{$name} ? $PLACE{$name}->($f) : $f->{$name};
		if (!defined $got) {
			differ("$where: $name: perf says $p{$name}, pp-dump nothing");
			next;
		}
		compare_field($where, $name, $p{$name}, $got);
	}
}

sub compare_read
{
	my ($where, $p, $read) = @_;
	my @values = ref $read eq 'HASH' && ref $read->{values} ? @{$read->{values}} : $read;
	for my $pair ([read_values => 'value'], [read_ids => 'id'], [read_lost => 'lost']) {
		my ($name, $key) = @$pair;
		next unless $p->{$name} && defined $values[0]{$key};
		compare_field($where, $name, $p->{$name}, [map { $_->{$key} } @values]);
	}
	compare_field($where, 'value', $p->{value}, $values[0]{value}) if defined $p->{value};
}

my $perf = perf_records();
if (!defined $lines) {
	for my $rec (@$perf) {
		delete @$rec{qw(list raw)};
		print to_json($rec), "\n";
	}
	exit 0;
}

# Records that came out of one carrier share its offset: among these the time tells which.
my %ours;
push @{$ours{$_->{offset}}}, $_ for @{json_records($lines)};
for my $rec (@$perf) {
	my $at = $ours{$rec->{offset}} // [];
	my @same = grep { $at->[$_]{type} eq $rec->{type} && $at->[$_]{size} == $rec->{size} } 0 .. $#$at;
	my ($i) = grep {
		my $f = $at->[$_]{fields} // {};
		my $t = $rec->{type} eq 'SAMPLE' ? $f->{time} : ref $f->{sample_id} ? $f->{sample_id}{time} : undef;
		defined $t && same($t, $rec->{time});
	} @same;
	$i //= $same[0];
	# the reader takes this one away together with the compression
	next if !defined $i && $rec->{type} eq 'HEADER_FEATURE' && $rec->{raw} =~ /^.{16}1b/;
	if (!defined $i) {
		differ("$rec->{type} at $rec->{offset}, $rec->{size} bytes: pp-dump has none");
		next;
	}
	compare_record($rec, splice @$at, $i, 1);
}
for my $offset (sort { $a <=> $b } keys %ours) {
	differ("$_->{type} at $offset: perf has none") for @{$ours{$offset}};
}
exit summary();
