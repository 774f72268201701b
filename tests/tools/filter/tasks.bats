# tasks.bats - pp-filter: names and maps of tasks are those that perf shows.

setup() {
	load ../../helper
	load filter
}

# ---- names

# threads: lines `COMM|TID TIME` of `perf script -F comm,tid,time --ns`, sorted
threads() { perl -ne '/^\s*(.*?)\s+(-?\d+)\s+([\d.]+):/ and print "$1|$2 $3\n"' | sort; }

# ended STREAM: lines `:TID|TID TIME` of the samples that came after the EXIT of their thread: since 6.12
# perf has forgotten its name by then, which we keep
ended() {
	json "$1" | jq -r 'select(.type | IN("SAMPLE", "EXIT", "FORK", "COMM")) |
		[.fields.sample_id.time // .fields.time, .type, .fields.tid] | @tsv' | sort -s -n -k1,1 |
		perl -lane '$ended{$F[2]} = $F[1] eq "EXIT" if $F[1] ne "SAMPLE";
			printf ":%d|%d %d.%09d\n", $F[2], $F[2], $F[0] / 1e9, $F[0] % 1e9
				if $F[1] eq "SAMPLE" && $ended{$F[2]}' >ended.lines
}
lasting() { grep -vxFf ended.lines || true; }

# names_as_perf STREAM: for every name in `perf script`, `comm == NAME` keeps exactly the samples
# that perf gives this name
names_as_perf() {
	local name
	ended "$1"
	perf_quiet script -i "$1" -F comm,tid,time --ns >script.out
	threads <script.out | lasting >all
	[ -s all ]
	sed 's/|.*//' all | sort -u >names
	while IFS= read -r name; do
		echo "$name"
		pp-filter "comm == \"$(sed 's/["\\]/\\&/g' <<<"$name")\"" -i "$1" -o one.pipe
		perf_quiet script -i one.pipe -F comm,tid,time --ns >script.out
		threads <script.out | lasting >got
		awk -F'|' -v name="$name" '$1 == name' all >expected
		diff expected got
	done <names
}

@test "names follow COMM, FORK and exec in the order of time, not of the stream" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,task,comm_exec
		sample pid=7 time=1000
		sample pid=7 time=3000
		sample pid=8 time=3500
		sample pid=8 time=5000
		sample pid=9 time=6000
		sample pid=8 time=7000
		sample pid=0 time=7100
		sample pid=-1 time=7200
		comm pid=7 comm=before time=900
		comm pid=7 comm=after time=2000
		fork pid=8 tid=8 ppid=7 ptid=7 time=3200
		comm pid=7 comm=parent time=3300
		comm pid=8 comm=program exec time=4000
		exit pid=8 tid=8 ppid=7 ptid=7 time=6500
		round
	END
	keeps <<-'END'
		comm == "before" => 1000
		comm == "after" => 3000 3500
		comm == "parent" =>
		comm == "program" => 5000 7000
		comm == ":9" => 6000
		comm == "swapper" => 7100
		comm == ":-1" => 7200
	END
}

# What a kernel and perf itself write of tasks, with what can be missing of it.
tasks() {
	build <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,task,comm_exec
		fork pid=10 tid=10 ppid=1 ptid=1 misc=0x2000 synthesized
		comm pid=10 comm=daemon synthesized
		fork pid=10 tid=11 ppid=10 ptid=10 misc=0x2000 synthesized
		comm pid=10 tid=11 comm=worker synthesized
		sample pid=10 time=1000
		sample pid=10 tid=11 time=1100
		fork pid=10 tid=12 ppid=10 ptid=11 time=1200
		sample pid=10 tid=12 time=1300
		comm pid=10 tid=12 comm="two words" time=1400
		sample pid=10 tid=12 time=1500
		fork pid=20 tid=20 ppid=10 ptid=12 time=1600
		sample pid=20 time=1700
		comm pid=20 comm=execed exec time=1800
		sample pid=20 time=1900
		exit pid=20 tid=20 ppid=10 ptid=10 time=2000
		sample pid=20 time=2100
		fork pid=20 tid=20 ppid=10 ptid=10 time=2200
		sample pid=20 time=2300
		round
		fork pid=31 tid=31 ppid=30 ptid=30 time=3000
		sample pid=31 time=3100
		sample pid=30 time=3200
		comm pid=31 comm=named time=3300
		sample pid=31 time=3400
		fork pid=40 tid=40 ppid=99 ptid=11 time=3500
		sample pid=40 time=3600
		sample pid=10 tid=11 time=3700
		comm pid=50 comm="a name that is longer than the kernel's" time=3800
		sample pid=50 time=3900
		fork pid=51 tid=51 ppid=50 ptid=50 time=4000
		sample pid=51 time=4100
		comm pid=50 comm=x time=4200
		sample pid=50 time=4300
		sample pid=51 time=4400
		round
		sample pid=0 tid=0 time=5000
		sample pid=-1 time=5100
		comm pid=0 tid=60 comm=idle60 time=5200
		sample pid=60 tid=60 time=5300
		fork pid=61 tid=61 ppid=60 ptid=60 time=5400
		sample pid=61 time=5500
		sample pid=60 time=5600
		round
	END
}

@test "names are perf's: threads, processes, exec, reuse of a number, lost forks, long names" {
	need_perf
	tasks >in.pipe
	names_as_perf in.pipe
}

@test "names are perf's for every sample of a recording of all CPUs" {
	need_system_wide
	perf_quiet record -a -e cpu-clock -F 2000 -o - -- perl -e '
		for (1 .. 12) {
			system "true";
			system "sh", "-c", "ls / >/dev/null; true | cat";
			defined(my $pid = fork) or next;
			unless ($pid) { $0 = "renamed$_"; $i++ while $i < 2e4; exit }
			waitpid $pid, 0;
		}' >in.pipe
	names_as_perf in.pipe
}

@test "patterns of names keep what perf's names match" {
	need_perf
	tasks >in.pipe
	ended in.pipe
	perf_quiet script -i in.pipe -F comm,tid,time --ns >script.out
	threads <script.out | lasting >all
	for pattern in '^d' 'e' ' ' '^:' '^[a-z]+$' '^(worker|x)$'; do
		echo "$pattern"
		pp-filter "comm =~ \"$pattern\"" <in.pipe >out.pipe
		perf_quiet script -i out.pipe -F comm,tid,time --ns >script.out
		threads <script.out | lasting >got
		perl -F'\|' -sane 'print if $F[0] =~ /$p/' -- -p="$pattern" all >expected
		diff expected got
		pp-filter "comm !~ \"$pattern\"" <in.pipe >out.pipe
		perf_quiet script -i out.pipe -F comm,tid,time --ns >script.out
		threads <script.out | lasting >got
		perl -F'\|' -sane 'print unless $F[0] =~ /$p/' -- -p="$pattern" all >expected
		diff expected got
	done
}

# bats test_tags=nightly
@test "a thread that ended long ago is forgotten, those that live are not" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,comm,task
		comm pid=7 comm=old time=1000
		repeat 17000 {
		fork pid=$(i+100) tid=$(i+100) ppid=7 ptid=7 time=$(i*10+2000)
		exit pid=$(i+100) tid=$(i+100) ppid=7 ptid=7 time=$(i*10+2005)
		}
		sample pid=7 time=900000
		sample pid=17099 time=900001
		sample pid=100 time=900002
		round
	END
	[ "$(kept 'comm == "old"')" = '900000 900001' ]
}

@test "names in the corpus are those that its perf gave" {
	files=(perf-6.12/{rec,rec.z,group,dwarf,tp,buildid-mmap}.pipe.data
		perf-7.3/{rec,rec.z,group,dwarf,tp,buildid-mmap}.pipe.data)
	corpus "${files[@]}"
	# perf shows a sample of a group once for each event of the group.
	for file in "${files[@]}"; do
		perl -ne '/^\s*(.*?)\s+-?\d+\/(-?\d+)\s+(\d+\.\d{6})\d*:/ and print "$1|$2 $3\n"' \
			"$CORPUS/$file.script.txt" | sort -u >all
		[ -s all ]
		sed 's/|.*//' all | sort -u >names
		while IFS= read -r name; do
			echo "$file: $name"
			pp-filter "comm == \"$name\"" -i "$CORPUS/$file" -o out.pipe
			records -v -s out.pipe | perl -ne '/ (\d+)(\d{6})\d{3} .*? tid=(\d+) / and
				print "$3 $1.$2\n"' | sort -u >got
			awk -F'|' -v name="$name" '$1 == name { print $2 }' all | sort -u >expected
			diff expected got
		done <names
	done
}

# ---- maps

@test "dso is what is mapped then: it follows time, fork and new maps, and outlives exec as in perf" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,mmap,comm,task,comm_exec
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		sample pid=7 time=1000 ip=0x1010
		sample pid=7 time=2000 ip=0x1010
		sample pid=7 time=3000 ip=0x1010
		sample pid=8 time=4000 ip=0x1010
		sample pid=8 time=5000 ip=0x1010
		sample pid=7 time=6000 ip=0x9010
		sample pid=7 time=7000 ip=0xffffffff81000010 misc=1
		sample pid=7 time=8000 ip=0xffffffff81000010
		mmap pid=7 start=0x1000 len=0x1000 pgoff=0 file=/lib/old.so time=1500
		mmap pid=7 start=0x1000 len=0x1000 pgoff=0 file=/lib/new.so time=2500
		fork pid=8 tid=8 ppid=7 ptid=7 time=3500
		comm pid=8 comm=other exec time=4500
		round
	END
	keeps <<-'END'
		dso == "/lib/old.so" => 2000
		dso == "/lib/new.so" => 3000 4000 5000
		dso ~ "/lib/*" => 2000 3000 4000 5000
		dso =~ "new" => 3000 4000 5000
		dso in {"/lib/old.so", "[kernel.kallsyms]"} => 2000 7000
		dso != "/lib/new.so" => 2000 7000
		!defined(dso) => 1000 6000 8000
		dso ~ "*new*" && comm == ":8" => 4000
	END
}

@test "any_dso asks for every address of the chain, in the mode of its mark" {
	build >in.pipe <<-'END'
		header
		attr id=1 flags=sample_id_all,mmap sample_type=IP,TID,TIME,CALLCHAIN
		mmap pid=-1 tid=0 start=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 file=[kernel.kallsyms]_text misc=1 synthesized
		mmap pid=7 start=0x1000 len=0x1000 pgoff=0 file=/bin/a time=10
		mmap pid=7 start=0x2000 len=0x1000 pgoff=0 file=/lib/b.so time=11
		sample pid=7 time=1000 ip=0x1010 callchain=-512,0x1010,0x2020
		sample pid=7 time=2000 ip=0x1010 callchain=-512,0x1010
		sample pid=7 time=3000 ip=0xffffffff81000010 misc=1 callchain=-128,0xffffffff81000010,-512,0x2020
		sample pid=7 time=4000 ip=0x1010 callchain=-128,0x2020
		sample pid=9 time=5000 ip=0x1010 callchain=-512,0x1010
		round
	END
	keeps <<-'END'
		any_dso == "/lib/b.so" => 1000 3000
		any_dso ~ "/*/a" => 1000 2000 4000
		any_dso == "[kernel.kallsyms]" => 3000
		any_dso != "/bin/a" => 1000 3000
		dso == "/bin/a" && any_dso ~ "*.so" => 1000
		!defined(any_dso) => 5000
		depth == 2 => 1000 3000
	END
}

# blocks: `TIME DSO` of every address of `perf script -F time,ip,dso --ns`, where perf knows it
blocks() {
	perl -ne '
		$time = $1 if /^\s*(\d+\.\d+):/;
		print "$time $1\n" if /^\s+[0-9a-f]+ .*\(([^()]+)\)\s*$/ && $1 ne "[unknown]"'
}

# bats test_tags=nightly
@test "dso and any_dso are perf's for every sample of a recording" {
	need_perf_events
	perf_quiet record -g -e cpu-clock -F 2000 -o - -- sh -c "ls / >/dev/null; perl -e '\$i++ while \$i < 2e6' | cat" >in.pipe
	perf_quiet script -i in.pipe -F time,ip,dso --ns | blocks | sort -u >all
	[ -s all ]
	# Code made at run time has no file; perf looks for its symbols in one of its own naming.
	cut -d' ' -f2- all | grep -v '^/tmp/perf-' | sort -u >names
	while IFS= read -r name; do
		echo "$name"
		awk -v name="$name" '{ time = $1; sub(/^[^ ]+ /, "") } $0 == name { print time }' all |
			sort -u >expected
		pp-filter "any_dso == \"$name\"" -i in.pipe | records -s - | awk '{ print $5 }' |
			sed -E 's/([0-9]{9})$/.\1/' | sort -u >got
		diff expected got
	done <names
}
