# prune.pl - a model of what a reader knows of each sample, for prune/properties.bats: it shares
# nothing with libpipe but the JSON lines that it reads.
#
#   prune.pl make SEED [apart]     a stream in the language of build.pl; apart: no map overlaps another
#   prune.pl known JSON            what is known of each sample, a line each; records in their order
#   prune.pl minimal JSON          each record of side-band changes what is known, if it is missing
#   prune.pl among JSON ORIGINAL   each record of side-band is one of the original, but for its time
#                                  and whose it is
use strict;
use warnings FATAL => "all";
use FindBin;
use lib "$FindBin::Bin/../oracle";
use Lines qw(json_records plain);

my %side_band = map { $_ => 1 } qw(MMAP MMAP2 COMM FORK EXIT KSYMBOL CGROUP NAMESPACES HEADER_BUILD_ID);

# ---- making streams

my $seed;
sub dice { my ($n) = @_; $seed = ($seed * 1103515245 + 12345) & 0x7fffffff; return ($seed >> 8) % $n }

sub make
{
	my ($apart) = @_;
	my $time = 1000;
	my $next = 20;
	my (%tasks, %named, $maps); # tasks: tid to pid
	my $map = sub {
		my ($pid) = @_;
		my $start = $apart ? 0x100000 + 0x10000 * ++$maps : 0x100000 + 0x1000 * dice(40);
		my $length = $apart ? 0x4000 : 0x1000 * (1 + dice(8));
		return sprintf "mmap2 pid=%d start=0x%x len=0x%x file=/f%d time=%d", $pid, $start, $length,
			dice(9), $time;
	};
	my @where;
	print <<~'END';
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CALLCHAIN,CGROUP flags=sample_id_all,comm,mmap2 name=one
		attr id=2 config=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all name=two
		feature HOSTNAME string "web7"
		feature EVENT_DESC
		event_update id=1 name=one
		event_update id=2 name=two
		id_index entries=1:0:0:-1,2:1:0:-1
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		mmap pid=-1 tid=0 start=0xffffffffc0000000 len=0x10000 file=/lib/ext4.ko misc=1 synthesized
		END
	for my $pid (10 .. 13) {
		$tasks{$pid} = $pid;
		print "fork pid=$pid ppid=1 tid=$pid ptid=1 misc=0x2000 synthesized\n";
		print "comm pid=$pid comm=old$pid synthesized\n";
		my $line = $map->($pid) =~ s/ time=.*/ synthesized/r;
		push @where, hex(($line =~ /start=(\S+)/)[0]);
		print "$line\n";
	}
	print "init\n";
	for my $i (1 .. 160) {
		$time += 1 + dice(3);
		my @tids = sort { $a <=> $b } keys %tasks;
		my $tid = $tids[dice(scalar @tids)];
		my $pid = $tasks{$tid};
		my $what = dice(20);
		if ($what < 3) {
			my $new = $next++;
			my $in = dice(2) ? $pid : $new;
			$tasks{$new} = $in;
			print "fork pid=$in ppid=$pid tid=$new ptid=$tid time=$time\n";
		} elsif ($what < 5) {
			print "comm pid=$pid tid=$tid comm=name$i time=$time", dice(2) ? " exec" : "", "\n";
		} elsif ($what < 9) {
			my $line = $map->($pid);
			push @where, hex(($line =~ /start=(\S+)/)[0]);
			print "$line\n";
		} elsif ($what == 9 && @tids > 4) {
			delete $tasks{$tid};
			print "exit pid=$pid ppid=1 tid=$tid ptid=1 time=$time\n";
		} elsif ($what == 10) {
			print "namespaces pid=$pid tid=$tid links=4:$i,4:7 time=$time\n";
		} elsif ($what == 11) {
			printf "cgroup id=%d path=/c%d time=%d\n", dice(5), $i, $time;
		} elsif ($what == 12) {
			my $file = dice(9);
			printf "build_id pid=-1 id=%02x file=/f%d misc=0x8002\n", $i, $file if !$named{$file}++;
		} elsif ($what == 13) {
			print "round\n";
		} else {
			my @ips = map { $where[dice(scalar @where)] + dice(0x4000) } 0 .. 2;
			my $k = dice(9) ? "" : sprintf ",0xffffffffc000%04x", dice(0x10000);
			printf "sample id=%d pid=%d tid=%d cpu=0 time=%d ip=0x%x%s\n", $i % 4 ? 1 : 2, $pid, $tid, $time,
				$ips[0], $i % 4 ? sprintf(" callchain=0x%x,0x%x%s cgroup=%d", $ips[1], $ips[2], $k, dice(5)) : "";
		}
	}
	print "round\n";
}

# ---- what is known

sub number { my ($v) = @_; no warnings 'portable'; return defined $v && $v =~ /^0x/ ? hex $v : $v }

sub holds
{
	my ($maps, $address) = @_;
	for my $map (reverse @$maps) {
		return $map if $address >= $map->{start} && $address < $map->{end};
	}
	return undef;
}

sub key { my ($file) = @_; return $file =~ s/_text$//r }

# A line for each sample; records in their order, `without` one.
sub known
{
	my ($records, $without) = @_;
	my (%threads, %maps, @kernel, %groups, %files, %events, @lines);
	for my $n (0 .. $#$records) {
		next if defined $without && $n == $without;
		my ($type, $f, $misc) = @{$records->[$n]}{qw(type fields misc)};
		my $id = number $f->{sample_id}{id} // $f->{sample_id}{identifier};
		push @lines, "no event of record $n" if $id && !$events{$id};
		if ($type eq "COMM") {
			$threads{$f->{tid}}{comm} = $f->{comm};
			$threads{$f->{tid}}{ended} = "";
		} elsif ($type eq "FORK") {
			$threads{$f->{tid}} = { comm => $threads{$f->{ptid}}{comm}, parent => "$f->{ppid}/$f->{ptid}" };
			$maps{$f->{pid}} = $misc & 0x2000 ? [] : [@{$maps{$f->{ppid}} // []}] if $f->{pid} != $f->{ppid};
		} elsif ($type eq "EXIT") {
			my $t = $threads{$f->{tid}} //= {};
			push @lines, "end of $f->{tid}, " . ($t->{comm} // "?") if $t->{sampled};
			$t->{ended} = " ended";
		} elsif ($type eq "NAMESPACES") {
			$threads{$f->{tid}}{spaces} = join ",", map { $_->{ino} } @{$f->{namespaces}};
		} elsif ($type eq "CGROUP") {
			$groups{number($f->{id})} = $f->{path};
		} elsif ($type eq "HEADER_BUILD_ID") {
			$files{$f->{filename}} = $f->{build_id};
		} elsif ($type eq "HEADER_ATTR") {
			$events{number $_} = 1 for @{$f->{id}};
		} elsif ($type =~ /^MMAP/) {
			my $start = number $f->{start};
			my $list = $f->{pid} == -1 ? \@kernel : ($maps{$f->{pid}} //= []);
			push @$list, { start => $start, end => $start + number($f->{len}), name => $f->{filename} };
		} elsif ($type eq "SAMPLE") {
			my $t = $threads{$f->{tid}} //= {};
			$t->{sampled} = 1;
			my @places;
			for my $ip ($f->{ip}, @{$f->{callchain} // []}) {
				my $map = holds(\@kernel, number $ip) // holds($maps{$f->{pid}} // [], number $ip);
				push @places, $map ? sprintf "%s+%x", $map->{name}, number($ip) - $map->{start} : "?";
			}
			push @lines, join " ", number($f->{time}), $f->{tid} . ($t->{ended} // ""), $t->{comm} // "?", $t->{parent} // "?",
				$threads{$f->{pid}}{parent} // "?", $t->{spaces} // "?", "@places", defined $f->{cgroup} ? $groups{number $f->{cgroup}} // "?" : "",
				(map { /^([^+?]*)/; $files{$1} // "" } @places), $events{number $f->{identifier}} // "no event";
		}
	}
	return join "\n", @lines, "";
}

# Build-ids that come later are known as well.
sub settle
{
	my ($records) = @_;
	return [(grep { $_->{type} eq "HEADER_BUILD_ID" } @$records),
		(grep { $_->{type} ne "HEADER_BUILD_ID" } @$records)];
}

sub minimal
{
	my ($records) = @_;
	my $all = known($records);
	my $bad = 0;
	for my $n (0 .. $#$records) {
		my $r = $records->[$n];
		next unless $side_band{$r->{type}} || $r->{type} eq "HEADER_ATTR";
		next if ($r->{fields}{filename} // "") =~ /^\[kernel/;
		next if known($records, $n) ne $all;
		print "not needed: record $r->{index}, $r->{type}\n";
		$bad = 1;
	}
	return $bad;
}

# All that says what it is, but not whose and when.
sub essence
{
	my ($r) = @_;
	my %f = %{$r->{fields}};
	delete @f{qw(sample_id pid tid)} unless $r->{type} eq "CGROUP";
	delete $f{sample_id};
	return join " ", $r->{type}, map { my $v = $f{$_}; "$_=" . (ref $v ? scalar(@$v) : $v) } sort keys %f;
}

sub among
{
	my ($records, $original) = @_;
	my %there = map { (essence($_) => 1) } grep { $side_band{$_->{type}} } @$original;
	my @strange = grep { $side_band{$_->{type}} && !$there{essence($_)} } @$records;
	print "not in the original: record $_->{index}, ", essence($_), "\n" for @strange;
	return scalar @strange;
}

my ($what, @args) = @ARGV;
if ($what eq "make") {
	$seed = $args[0];
	dice(1) for 1 .. 5;
	make($args[1]);
} elsif ($what eq "known") {
	print known(settle(json_records($args[0])));
} elsif ($what eq "minimal") {
	exit minimal(settle(json_records($args[0])));
} elsif ($what eq "among") {
	exit(among(json_records($args[0]), json_records($args[1])) ? 1 : 0);
} else {
	die "prune.pl: what is '$what'?\n";
}
