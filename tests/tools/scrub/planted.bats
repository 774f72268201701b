#!/usr/bin/env bats
# planted.bats - pp-scrub: a stream with a word of its own in each place that can have one, of which none is
# left, and what is left of a stream for those who read it.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	head -c 32 /dev/zero | tr '\0' K >key
	chmod 600 key
}

# A stream as `in`, and the planted words as `list`.
plant() {
	perl "$TESTS/tools/scrub/plant.pl" list <"$TESTS/tools/scrub/planted.txt" >text
	perl "$TESTS/build.pl" <text >in
	sed 's/ .*//' list >words
	rev words >words.other
}

# The places of words that are in a file, one a line; in numbers of the other byte order, too.
places() {
	{ grep -aoFf words "$1"; grep -aoFf words.other "$1" | rev; } | sort -u | join - list | cut -d' ' -f2
}

# The rows of the tables that say what becomes of them, as OBJECT.field and how; no lengths, no carriers.
rows() {
	perl -ne '
		$object = $1 if /^(?:RECORD|FEATURE|STRUCT)\((\w+)/;
		next unless /^\t\w+\((\w+), .*\bHIDE\((\w+)\)/;
		my ($field, $how) = ($1, $2);
		next if /\bCOUNTS\(/ || $object =~ /^COMPRESSED/ || $how eq "KEEP";
		print "$object.$field $how\n"' \
		"$ROOT"/libpipe/format/{records,features,attr}.def | sort -u
}

# A recording of a program, its library and its control group, by pid and time.
recording() {
	build <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,CGROUP,IDENTIFIER name=cycles
		feature HOSTNAME string "web7.example.org"
		feature NRCPUS u32 2 u32 2
		event_update id=1 name=cycles
		comm pid=$1 comm=shopfront exec time=1000
		mmap2 pid=$1 start=0x400000 len=0x9000 prot=5 file=/srv/shop/bin/shopfront ino=$3 time=1001
		mmap2 pid=$1 start=0x7f0000 len=0x9000 prot=5 file=/usr/lib/libbasket.so.2 ino=77 time=1001
		cgroup id=5$1 path=/kubepods/pod$3 time=1002
		comm pid=99 comm=$2 exec time=1003
		sample pid=$1 time=2000 ip=0x400100 period=10 cgroup=5$1
		sample pid=$1 time=2001 ip=0x7f0100 period=20 cgroup=5$1
		sample pid=99 time=2002 ip=0x100 period=30 cgroup=1
		round
	END
}

@test "of a word in every place that can have one none is left" {
	plant
	pp-cat in -o plain
	places plain | sort >planted
	cut -d' ' -f2 list | sort | diff - planted
	grep -v '^record 113' text | perl "$TESTS/build.pl" | pp-cat --big-endian -o big
	pp-compress in -o packed
	for file in in big packed; do
		pp-scrub -q --key key --machine --drop aux "$file" -o out
		pp-check out | grep -q '^sound'
		[ "$(places out)" = "" ]
		pp-compress out | pp-decompress >out.plain
		[ "$(places out.plain)" = "" ]
		pp-dump --json out >out.json
		[ "$(places out.json)" = "" ]
		[ "$(grep -c '"type":"SAMPLE"' out.json)" = 4 ]
	done
}

@test "an index, in which names are packed, goes" {
	recording 7 first 11 | pp-cat --index -o in
	grep -qa PPINDXR in
	pp-scrub -q --key key in -o out
	[ "$(grep -ac 'PPINDEX\|PPINDXR' out)" = 0 ]
	pp-check out | grep -q '^sound'
}

@test "every row of the tables that gives something away has its word" {
	rows | sed 's/ .*//' >hidden
	[ "$(wc -l <hidden)" -ge 80 ]
	plant
	cut -d' ' -f2 list | sed 's,/.*,,' | grep '^[A-Z]\|\.' | sort -u >planted
	sort -u hidden | diff - planted
}

@test "what describes the machine stays unless it is to go, and nothing else" {
	plant
	pp-scrub -q --key key --drop aux in -o out
	rows | sed -n 's/ MACHINE$//p' >machine
	# a feature goes as a whole, and there is more in it than texts
	places out | sed 's,/.*,,' | grep -v '^memory_map$' | sort -u | diff - machine
}

@test "no number of a process is left with --pids" {
	perl -pe 's/\b(?:p?[pt]id|next_prev_[pt]id|s_[pt]id|machine_pid)=\K\d+/4100000 + ++$n/ge;
		s/\b\d+:\d+:\d+:\K\d+/4100000 + ++$n/ge if /^id_index/; s/guests=\K\d+/4100000 + ++$n/e;
		s/entries=-1:,\K\d+/4100000 + ++$n/e' "$ROOT/tests/streams/every.txt" >text
	perl "$TESTS/build.pl" <text >in
	pp-scrub -q --key key --drop aux --pids in -o out
	pp-dump --json in | grep -oE ':41000[0-9]{2}\b' | sort -u >was
	[ "$(wc -l <was)" -ge 25 ]
	pp-dump --json out >out.json
	[ "$(grep -coE ':41000[0-9]{2}\b' out.json)" = 0 ]
}

@test "two recordings join on names, files, hosts and groups under one key as they did before" {
	recording 7 first 11 >one
	recording 8 second 11 >two
	facts() {
		pp-script -F comm,dso -i "$1" | tr -s ' ' | sort -u
		pp-info "$1" | grep hostname
		pp-dump --json "$1" | jq -r '.fields | (.filename, .path, .ino) // empty' | sort -u
	}
	for file in one two; do
		pp-scrub -q --key key "$file" -o "$file.out"
		facts "$file" | sort -u >"$file.facts"
		facts "$file.out" | sort -u >"$file.out.facts"
	done
	[ "$(wc -l <one.facts)" = "$(wc -l <one.out.facts)" ]
	comm -12 one.facts two.facts | wc -l >was
	comm -12 one.out.facts two.out.facts | wc -l >is
	[ "$(cat was)" -ge 6 ]
	diff was is
	# a thread and the file of its name stay the same word
	name=$(pp-script -F comm -i one.out | awk 'NR == 1 { print $1 }')
	[[ $name == x* ]]
	pp-dump one.out | grep -q "filename=\"/x[a-z0-9]*/x[a-z0-9]*/bin/$name\"\|filename=\"/.*/bin/$name\""
}

@test "a report has the same shape, of samples, periods and groups" {
	recording 7 first 11 >in
	pp-scrub -q --key key in -o out
	for sort in comm comm,dso cgroup pid,cpu; do
		for file in in out; do
			pp-report -q --csv -s "$sort" -F overhead,period "$file" >"$file.csv"
			cut -d, -f2,3 "$file.csv" | sort >"$file.rows"
			[ "$(wc -l <"$file.rows")" -ge 3 ]
		done
		diff in.rows out.rows
	done
}

@test "perf reads what was scrubbed, and finds as many samples and rows" {
	need_perf
	plant
	grep -v '^bpf_metadata' text | perl "$TESTS/build.pl" >in # perf 6.1 refuses it
	pp-scrub -q --key key --machine --drop aux in -o out
	recording 7 first 11 >small
	pp-scrub -q --key key small -o small.out
	perf_quiet script -i out >script
	[ "$(wc -l <script)" -ge 4 ]
	[ "$(places script)" = "" ]
	for file in small small.out; do
		perf_quiet script -F comm,pid,period,dso,ip -i "$file" >text
		awk '{ print $2, $3, $4 }' text >"$file.script"
		perf_quiet report --stdio -g none -s comm,dso -i "$file" >text
		awk '/%/ { print $1 }' text >"$file.report"
		[ -s "$file.script" ]
		[ -s "$file.report" ]
	done
	diff small.script small.out.script
	diff small.report small.out.report
}
