# prune.bash - what the tests of pp-filter --prune share: pruning in.pipe, what is left, and
# whether perf shows the same of it.

# prunes EXPRESSION...: in.pipe filtered to plain.pipe, and pruned as well to pruned.pipe, which is
# sound, and of which nothing is left to prune
prunes() {
	pp-filter -i in.pipe -o plain.pipe "$@" &&
		pp-filter --prune -i in.pipe -o pruned.pipe "$@" &&
		sound pruned.pipe &&
		pp-filter --prune -i pruned.pipe -o again.pipe &&
		same_bytes pruned.pipe again.pipe
}

# side_band FILE: `TYPE pid=.. tid=.. name` of each record that is neither sample nor about the whole
side_band() {
	json "$1" | jq -r 'select(.type | test("^(MMAP2?|COMM|FORK|EXIT|KSYMBOL|CGROUP|NAMESPACES|SWITCH|SWITCH_CPU_WIDE|HEADER_BUILD_ID)$")) |
		[.type, (.fields | .pid, .tid, .comm, .filename, .name, .path)] | map(select(. != null)) | join(" ")'
}

# shown FILE: samples as perf script shows them, widths of columns aside;
# with whole_system=yes not the names of functions: other programs and their files come and go while perf looks.
shown() {
	local names=,sym
	[ -z "${whole_system:-}" ] || names=
	perf_quiet script -F comm,tid,pid,time,event,ip$names,dso -i "$1" </dev/null | tr -s ' '
}

# same_to_perf: the samples of plain.pipe and pruned.pipe are the same to perf.  Since 6.12 perf forgets
# the maps of a process at its EXIT; one that is told late resolves what it does not know otherwise
same_to_perf() {
	shown plain.pipe >plain.script
	shown pruned.pipe | perl -e 'open my $plain, "<", "plain.script" or die;
		while (<STDIN>) {
			my $line = <$plain> // "";
			print $line =~ /^(.*?)(?: \[unknown\])? \(\[unknown\]\)$/ && index($_, "$1 ") == 0 ? $line : $_;
		}' >pruned.script
	[ -s plain.script ] || return
	diff plain.script pruned.script >&2
}

# two_programs: nginx forks a worker, which maps more; cat has nothing to do with them
two_programs() {
	build <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap2 name=cpu-clock
		feature HOSTNAME string "web7"
		event_update id=1 name=ticks
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		mmap pid=-1 tid=0 start=0xffffffffc0000000 len=0x1000 file=/lib/ext4.ko misc=1 synthesized
		mmap pid=-1 tid=0 start=0xffffffffc1000000 len=0x1000 file=/lib/xfs.ko misc=1 synthesized
		comm pid=7 comm=nginx synthesized
		mmap2 pid=7 start=0x1000 len=0x1000 file=/nginx synthesized
		mmap2 pid=7 start=0x3000 len=0x1000 file=/libc synthesized
		comm pid=9 comm=cat synthesized
		mmap2 pid=9 start=0x1000 len=0x1000 file=/cat synthesized
		init
		sample pid=7 time=1000 ip=0x1010
		sample pid=9 time=1010 ip=0x1010
		fork pid=8 ppid=7 tid=8 ptid=7 time=1100
		mmap2 pid=8 start=0x5000 len=0x1000 file=/libz time=1110
		sample pid=8 time=1200 ip=0x5010
		round
		sample pid=8 time=1300 ip=0x3010
		sample pid=9 time=1310 ip=0xffffffffc0000010
		comm pid=8 comm=worker time=1320
		comm pid=8 comm=worker/2 time=1330
		sample pid=8 time=1400 ip=0xffffffffc1000010
		exit pid=9 ppid=1 tid=9 ptid=1 time=1500
		exit pid=8 ppid=7 tid=8 ptid=7 time=1510
		round
	END
}
