#!/usr/bin/env bats
# parquet.bats - pp-export --to parquet: tables of a fleet, read back by readers that share no code with it.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load export
	mkdir none
}

# export_to FOLDER ARG...: without files of this machine
export_to() { pp-export -q --root none --to parquet -o "$@"; }
# folded FOLDER [EVENT]: its samples as folded stacks
folded() { perl "$TESTS/tools/export/fleet.pl" "$@"; }
# table FOLDER TABLE: its rows
table() { find "$1/$2" -name '*.parquet' -print0 | sort -z | xargs -0 perl "$TESTS/unit/parquet.pl"; }
# files FOLDER: those that it has, by their paths there
files() { (cd "$1" && find . ! -type d | sort); }

# host NAME: a recording of it (of none, without a name), where /lib/x.so has a build-id, and /bin/own has none
host() {
	local name=
	[ -z "$1" ] || name="feature HOSTNAME string \"$1\""
	build <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap type=1 config=0 name=cpu-clock
		attr id=2 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all type=1 config=2 name=page-faults
		$name
		comm pid=7 comm="seven up" time=5
		mmap2 pid=7 start=0x400000 len=0x3000 pgoff=0x1000 file=/lib/x.so prot=5 build_id=0123456789abcdef0123456789abcdef01234567 time=6
		mmap2 pid=7 start=0x500000 len=0x1000 pgoff=0x2000 file=/bin/own prot=5 maj=8 min=1 ino=5 time=6
		sample id=1 pid=7 tid=7 cpu=0 time=10 period=1000 callchain=-512,0x400010,0x500020
		sample id=1 pid=7 tid=7 cpu=1 time=11 period=2000 callchain=-512,0x400010,0x500020
		sample id=2 pid=7 tid=7 cpu=1 time=13 period=3 callchain=-512,0x400030
		round
	END
}

@test "export: parquet has the stacks of pp-fold, in streams of every kind, once and again the same" {
	need zstd
	for file in "$TESTS"/streams/*.pipe; do
		echo "$file"
		rm -rf fleet
		pp-fold --root none -v "$file" >due 2>err || [ $? = 3 ]
		event=$(sed -n 's/.* of other events than \(.*\) \(are\|is\) left out.*/\1/p' err)
		export_to fleet "$file"
		folded fleet "${event:-$(table fleet samples | sed -n '1s/^[^"]*"\([^\t]*\).*/\1/p')}" >got
		diff <(grep -v ' 0$' due | sort) <(sort got)
	done
	cp -r fleet before
	export_to fleet "$file"
	diff -r before fleet
}

@test "export: parquet has a row a sample, frames by build-id and offset, what is known of the recording" {
	need zstd
	host web7 | pp-inject --note commit=1f3 >in
	export_to fleet in
	table fleet samples | cut -f1-8 | diff - <(printf '%s\n' $'10\t"cpu-clock\t1000\t1\t"seven up\t7\t7\t0' \
		$'11\t"cpu-clock\t2000\t1\t"seven up\t7\t7\t1' $'13\t"page-faults\t3\t1\t"seven up\t7\t7\t1')
	[ "$(table fleet samples | cut -f10 | uniq | wc -l)" -eq 2 ]
	table fleet frames | cut -f2-9 | sort | diff - <(printf '%s\n' $'"file\t"0123456789abcdef0123456789abcdef01234567\t"/lib/x.so\t4112\t0\t~\t~\t~' \
		$'"file\t"0123456789abcdef0123456789abcdef01234567\t"/lib/x.so\t4144\t0\t~\t~\t~' \
		$'"file\t~\t"/bin/own\t8224\t0\t~\t~\t~')
	table fleet recordings | cut -f2- >facts
	for fact in 'host web7' 'commit 1f3' 'samples 2 cpu-clock' 'samples 1 page-faults' 'unit cpu-clock ns' \
		'unit page-faults count' 'duration 3'; do
		echo "$fact"
		tr -d '"' <facts | tr '\t' ' ' | grep -qxF "$fact"
	done
}

@test "export: parquet has the path of the control group of each sample, where the stream has both" {
	need zstd
	build <<-'END' | export_to fleet
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER,CGROUP flags=sample_id_all,comm,cgroup type=1 config=0 name=cpu-clock
		attr id=2 sample_type=IP,TID,TIME,CPU,PERIOD,IDENTIFIER flags=sample_id_all type=1 config=2 name=page-faults
		cgroup id=1 path=/
		cgroup id=77 path="/web \x1b\xffservice" time=5
		sample id=1 pid=7 tid=7 time=10 period=1 ip=0x10 cgroup=77
		sample id=1 pid=7 tid=7 time=11 period=1 ip=0x10 cgroup=1
		sample id=1 pid=7 tid=7 time=12 period=1 ip=0x10 cgroup=78
		sample id=1 pid=7 tid=7 time=13 period=1 ip=0x10 cgroup=0xffffffffffffffff
		sample id=2 pid=7 tid=7 time=14 period=1 ip=0x10
		cgroup id=79 path=/late time=16
		sample id=1 pid=7 tid=7 time=15 period=1 ip=0x10 cgroup=79
		round
	END
	table fleet samples | cut -f1,9 | diff - <(printf '%s\n' $'10\t"/web \\x5cx1b\\x5cxffservice' $'11\t"/' \
		$'12\t~' $'13\t~' $'14\t~' $'15\t"/late')
}

# spans FOLDER: its rows without times, and how many samples each has, added up
spans() {
	table "$1" samples | perl -lne '@c = split /\t/; ($w, $n) = splice @c, 2, 2; shift @c; $w{"@c"} += $w; $n{"@c"} += $n;
		END { print map "$_ $w{$_} $n{$_}\n", sort keys %w }'
}

@test "export: --every has one row for samples of a span that differ in nothing else, and the same sums" {
	need zstd
	{
		web7
		cat <<-'END'
			comm pid=7 comm=one time=5
			comm pid=8 comm=two time=5
			repeat 400 {
			sample id=1 pid=$(7+i%2) tid=$(7+i%2) cpu=$(i/200) time=$(1000000000+i*10000000) period=$(i+1) callchain=-512,$(i%3+16)
			}
			sample id=2 pid=7 tid=7 cpu=0 time=1000000001 period=3 callchain=-512,16
			round
		END
	} | build >in
	export_to each in
	export_to every --every 1s in
	[ "$(table each samples | wc -l)" -eq 401 ]
	# four seconds, of which two are on each of the processors, of two threads with three stacks each; and one
	[ "$(table every samples | wc -l)" -eq 25 ]
	diff <(spans each) <(spans every)
	diff <(folded each) <(folded every)
	table every samples | cut -f1 | sort -c
	[ "$(table every samples | cut -f1 | uniq | paste -sd ' ')" = '1000000000 2000000000 3000000000 4000000000' ]
	table every recordings | grep -qP '"every\t"1000000000'
	export_to again --every 1000ms in
	diff -r every again
	export_to long --every 3600s in
	[ "$(table long samples | wc -l)" -eq 13 ]
	diff <(spans each) <(spans long)
	run -2 export_to none --every 0s in
	assert_output --partial 'is no time'
}

@test "export: hosts that have other files at one path keep them apart, and share what has a build-id" {
	need zstd
	for name in web7 web8; do host $name | export_to fleet; done
	table fleet frames | grep -c own | grep -qx 2
	[ "$(table fleet frames | grep own | cut -f1 | sort -u | wc -l)" -eq 2 ]
	[ "$(table fleet frames | grep x.so | cut -f1 | sort -u | wc -l)" -eq 2 ]
	[ "$(table fleet stacks | cut -f1 | sort -u | wc -l)" -eq 3 ]
	folded fleet cpu-clock | diff - <(echo 'seven_up;[own];[x.so] 6000')
}

# other_files HOST FUNCTION BUILD_ID: at equal addresses, a function of its own kernel, and a library of that build-id
other_files() {
	build <<-END
		header
		attr id=1 sample_type=IP,TID,TIME,CPU,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,ksymbol type=1 config=0 name=cpu-clock
		feature HOSTNAME string "$1"
		ksymbol addr=0xffffffff81000000 len=256 ksym_type=1 name=$2 time=1
		comm pid=7 comm=seven time=5
		mmap2 pid=7 start=0x400000 len=0x3000 pgoff=0x1000 file=/lib/x.so prot=5 build_id=$3 time=6
		sample id=1 pid=7 tid=7 cpu=0 time=10 period=1000 ip=0xffffffff81000010 misc=1 callchain=-128,0xffffffff81000010,-512,0x400010
		sample id=1 pid=7 tid=7 cpu=0 time=11 period=70 ip=0x400010 misc=2 callchain=-512,0x400010
		round
	END
}

@test "export: a fleet weighs what each host's stream does, and their libraries what they do merged" {
	need zstd
	while read -r name function id; do
		other_files $name $function $id >$name
		export_to fleet $name
		pp-fold -q --root none $name >>all
	done <<-'END'
		web7 alpha 0123456789abcdef0123456789abcdef01234567
		web8 gamma 76543210fedcba9876543210fedcba9876543210
		web9 delta 0123456789abcdef0123456789abcdef01234567
	END
	perl -ne '/^(.*) (\d+)$/ and $w{$1} += $2; END { print map "$_ $w{$_}\n", sort keys %w }' all >due
	diff due - <<-'END'
		seven;[x.so] 210
		seven;[x.so];alpha 1000
		seven;[x.so];delta 1000
		seven;[x.so];gamma 1000
	END
	folded fleet | diff due -
	# a merged stream has one kernel
	pp-merge -q --hosts --offset web8=0 --offset web9=0 web7 web8 web9 -o merged
	pp-report -q --json --no-children --root none -s dso --show-total-period -n merged | grep x.so |
		jq -c '[.period, .sample]' | diff - <(echo '[210,3]')
	[ "$(table fleet frames | grep x.so | cut -f1 | sort -u | wc -l)" -eq 2 ]
	[ "$(table fleet frames | grep kernel | cut -f1 | sort -u | wc -l)" -eq 3 ]
}

@test "export: parquet's files are named by the last seal, below the day and the host, or what is not known" {
	host web7 | pp-cat --seal >sealed
	name=$(pp-dump --json sealed | jq -r '.fields.payload // empty | select(startswith("50505345414c3100"))' |
		tail -n 1 | cut -c49-64 | fold -w 2 | tac | tr -d '\n').parquet
	run -0 pp-export --root none --to parquet -o a sealed
	assert_output 'pp-export: when it was recorded is not known: the day is unknown, and times are those of its clock'
	files a | diff - <(printf '%s\n' "./frames/day=unknown/$name" "./recordings/day=unknown/$name" \
		"./samples/day=unknown/host=web7/$name" "./stacks/day=unknown/$name")
	host '' >nameless
	run -0 pp-export --root none -o b/ nameless
	assert_output --partial 'where it was recorded is not known: the host is unknown'
	files b | grep -q samples/day=unknown/host=unknown/
	host '../.. x&y' | export_to c
	files c | grep -qF 'samples/day=unknown/host=%2E.%2F..%20x%26y/'
	export_to d "$TESTS/streams/picture.pipe"
	files d | grep -qE 'samples/day=2026-[0-9]{2}-[0-9]{2}/host=vm/[0-9a-f]{16}.parquet$'
	[ "$(stat -c %a d/samples/day=*/host=vm/*)" = 600 ]
}

@test "export: parquet of a damaged stream has what is good, says so, and ends with 3" {
	need zstd
	head -c -9 "$TESTS/streams/plain.pipe" >cut
	run -3 export_to fleet cut
	[ "$(table fleet samples | wc -l)" -gt 0 ]
	table fleet recordings | grep -q damaged
}

@test "export: parquet needs a folder; what another has there is not gone through; a failure leaves no file" {
	host web7 >in
	run -2 pp-export --to parquet in
	assert_output --partial '-o names it'
	echo text >file
	run -4 export_to file in
	mkdir elsewhere fleet
	ln -s ../elsewhere fleet/samples
	run -4 export_to fleet in
	run -0 files fleet
	assert_output ./samples
	[ -z "$(ls elsewhere)" ]
}

# bats test_tags=nightly
@test "export: DuckDB adds up a fleet as pp-fold does" {
	need node npm
	cp "$TESTS/unit/parquet.mjs" .
	npm install --no-audit --no-fund @duckdb/node-api >log 2>&1 || skip "npm cannot install DuckDB here"
	for name in web7 web8; do host $name | export_to fleet; done
	run -0 node parquet.mjs sql "select day, host, event, sum(weight)::bigint, count(*) \
		from read_parquet('fleet/samples/*/*/*.parquet', hive_partitioning = true) group by all order by all"
	assert_output "$(printf '%s\n' $'"unknown\t"web7\t"cpu-clock\t3000\t2' $'"unknown\t"web7\t"page-faults\t3\t1' \
		$'"unknown\t"web8\t"cpu-clock\t3000\t2' $'"unknown\t"web8\t"page-faults\t3\t1')"
	run -0 node parquet.mjs sql "select f.dso, sum(s.weight)::bigint as w \
		from read_parquet('fleet/samples/*/*/*.parquet') as s \
		join (select distinct stack, frames from read_parquet('fleet/stacks/*/*.parquet')) as k using (stack) \
		join (select distinct frame, dso from read_parquet('fleet/frames/*/*.parquet')) as f on f.frame = k.frames[1] \
		where event = 'cpu-clock' group by all order by w"
	assert_output $'"/bin/own\t6000'
}

@test "export: parquet has one row for each time that a thread was off its CPU" {
	need zstd
	{
		waited
		printf '%s\n' 'sample id=1 pid=7 tid=7 time=2000 callchain=-512,0x400010' 'switch pid=7 tid=7 time=2250' round
	} | build >in
	export_to fleet --weight time in
	table fleet samples | cut -f1-3 | diff - <(printf '%s\n' $'1000\t"context-switches\t500' $'2000\t"context-switches\t250')
}

@test "export: parquet has NULL for a CPU that is not known, and one empty list for all without a stack" {
	need zstd
	build <<-'END' | export_to fleet
		header
		attr id=1 sample_type=TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm type=1 config=0 name=cpu-clock
		comm pid=7 comm=seven time=5
		comm pid=8 comm=eight time=5
		sample id=1 pid=7 tid=7 time=10 period=3
		sample id=1 pid=8 tid=8 time=11 period=4
		sample id=1 pid=7 tid=7 time=12 period=5
		round
	END
	table fleet samples | cut -f1-8 | diff - <(printf '%s\n' $'10\t"cpu-clock\t3\t1\t"seven\t7\t7\t~' \
		$'11\t"cpu-clock\t4\t1\t"eight\t8\t8\t~' $'12\t"cpu-clock\t5\t1\t"seven\t7\t7\t~')
	[ "$(table fleet samples | cut -f10 | sort -u)" = "$(table fleet stacks | cut -f1)" ]
	[ "$(table fleet stacks | cut -f2)" = '[]' ]
	run -0 table fleet frames
	refute_output
	folded fleet | diff - <(printf '%s\n' 'eight 4' 'seven 8')
}
