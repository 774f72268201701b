# firefox.bats - pp-export --to firefox: a processed profile, read back by a reader of our own, and by the code of
# the Firefox Profiler itself.

setup() {
	load ../../helper
	load export
	mkdir none
}

# fox FILE: what it holds; stacks FILE: its samples as pp-fold --tid has them
fox() { perl "$TESTS/tools/export/firefox.pl" "$@"; }
stacks() { fox --folded "$@"; }

@test "firefox: threads, samples, frames and files are those of the recording, and it says what it is" {
	threads_and_events | pp-inject --note commit=1f3 >in
	run -0 pp-export --root none in -o out.json.gz
	assert_output 'pp-export: samples of the first of 2 events are written: --event chooses'
	fox out.json.gz >got
	sed "s/VERSION/$(pp-export --version | grep -o '[0-9.]*$')/" <<-'END' | diff - <(grep -v ^func got)
		meta product perfpipe VERSION
		meta interval 0.000001
		meta startTime 0
		meta symbolicated 1
		meta arguments /bin/work hard
		extra written by: pp-export VERSION
		extra command: /bin/work hard
		extra host: web7
		extra recorded by: 6.1
		extra samples: 4 cpu-clock
		extra samples: 1 page-faults
		extra note: commit=1f3
		extra clock: the recording does not say when it began
		extra event: cpu-clock
		lib [kernel.kallsyms] [kernel.kallsyms] 000000000000000000000000000000000 -
		lib x.so /lib/x.so 000000000000000000000000000000000 -
		frame 0x1010 0x100f 0 User/Library - -
		frame outer - 0 Kernel/Other - -
		frame inner - 0 Kernel/Other - -
		frame 0x10 - 0 Other/Other - -
		frame 0x1010 0x1010 0 User/Library - -
		thread new_name new_name 7 7 1 4
		sample 0 0 0 
		sample 0 1000 1000 0x1010;outer;inner
		sample 2 2000 2000 0x1010;outer;inner
		sample 1999990 1 1 0x10
		thread worker new_name 7 9 0 2
		sample 999490 0 0 
		sample 999990 500 500 0x1010
	END
	pp-export -q --to firefox --root none in -o out.json
	fox out.json | diff - got
	jq -e .meta.preprocessedProfileVersion out.json
	pp-export -q --to firefox --root none -e page-faults in -o out.json
	run -0 jq -c '.threads[] | [.tid, .samples.weightType, .samples.weight, .samples.threadCPUDelta]' out.json
	assert_output '[9,"samples",[3],null]'
}

@test "firefox: every stack of every thread weighs what it weighs for pp-fold, in streams of every kind" {
	for file in "$TESTS"/streams/*.pipe; do
		echo "$file"
		event=$(event_of "$file")
		pp-export -q --to firefox --root none ${event:+-e "$event"} "$file" >out || [ $? = 3 ]
		diff <(thread_stacks "$file") <(stacks out)
	done
}

@test "firefox: samples are in their order, however many wait in the file, also of threads that are joined" {
	many_samples >in
	pp-export -q --to firefox --root none in -o out.json
	diff <(thread_stacks in) <(stacks out.json)
	run -0 jq -c '.threads[] | .samples | [.length, (.weight[1:] | . == sort), .weight[-1]]' out.json
	assert_output $'[1501,true,0.003]\n[1501,true,0.002999]'
	{
		cat <<-'END'
			header
			attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm type=1 config=0
			comm pid=7 comm=main time=5
		END
		seq 400 | awk '{ printf "sample id=1 pid=7 tid=%d time=%d period=%d ip=0x10\n", 6 + int(sqrt($1)), 1000 + $1, $1 }'
		echo 'sample id=1 pid=8 tid=8 time=1401 period=9 ip=0x10'
		echo round
	} | build >in
	run -0 pp-export --to firefox --root none --threads 2 in -o out.json
	assert_output --partial 'the 18 threads with the fewest samples are one for each process: --threads'
	run -0 jq -c '.threads[] | [.name, .processName, .pid, .tid, .samples.length]' out.json
	assert_line -n 0 '[":25","main","7",25,40]'
	assert_line -n 2 '["18 other threads","main","7","others of 7",325]'
	assert_line -n 3 '[":8",":8","8",8,2]'
	run -0 jq -c '.threads[2].samples.weight[1:] | . == sort' out.json
	assert_output true
	jq -e '.meta.extra[].entries[] | select(.label == "threads that are joined").value == "18"' out.json
}

@test "firefox: what is lost, and waits of threads, are markers; build-ids and the wall clock are there" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap type=1 config=0
		comm pid=7 comm=seven time=5
		mmap2 pid=7 start=0x400000 len=0x3000 pgoff=0x1000 file=/lib/x.so prot=5 misc=0x4000 build_id=000102030405060708090a0b0c0d0e0f10111213 time=6
		sample id=1 pid=7 tid=7 time=1000000 period=5 ip=0x400010
		lost id=1 lost=9 time=1000100
		round
	END
	pp-export -q --to firefox --root none in -o out.json
	fox out.json >got
	grep -qx 'lib x.so /lib/x.so 030201000504070608090A0B0C0D0E0F0 000102030405060708090a0b0c0d0e0f10111213' got
	grep -q '^marker Lost .*count=9 type=Lost' got
	pp-export -q --to firefox --root none "$TESTS/streams/picture.pipe" -o out.json
	run -0 jq -e '.meta.startTime > 1.79e12' out.json
	{ waited; echo round; } | build >in
	pp-export -q --to firefox --root none --weight time in -o out.json
	fox out.json | tail -n 3 | diff - <(printf '%s\n' 'thread seven seven 7 7 1 1' \
		'sample 0 500 - 0x400020;0x400010' \
		'marker Off CPU 0 500 event=context-switches stack=0x400020;0x400010 type=OffCPU')
}

@test "firefox: frames are in the symbols of their files, those of what is inlined in that of its caller" {
	pp-export -q --to firefox --root none "$TESTS/streams/picture.pipe" -o out.json
	fox out.json >got
	# each frame is where its symbol is, or less than 64 KiB behind that
	perl -ane '$F[0] eq "symbol" and push @{$at{$F[3]}}, hex $F[2]; $F[0] eq "frame" && $F[1] !~ m{^0x} and push @frames, [@F];
		END { for my $f (@frames) { my $past = hex $f->[2]; print "@$f\n" if $f->[3] == 0 && $f->[1] ne $f->[-1] or
			!grep { $past >= $_ && $past < $_ + 65536 } @{$at{$f->[-1]}} } }' got >bad
	diff bad - </dev/null
	grep -qx 'frame compare_orders 0x15b4 1 Inlined/Other - sift_down' got
	run -0 grep '^symbol .* \(sift_down\|do_syscall_64\) ' got
	assert_output $'symbol [kernel.kallsyms] 0x11ed4a0 do_syscall_64 -\nsymbol invoices 0x1520 sift_down -'
}

@test "firefox: names of a hostile stream are text; what is cut gives what is good, status 3, and the file says so" {
	hostile >in
	pp-export -q --to firefox --root none in -o out.json
	fox out.json >got
	grep -qxF 'extra host: a\xff\x1b[31m\x0ab' got
	grep -qxF 'func f\xc3(\x07"\ [kernel.kallsyms] -' got
	grep -qxF 'thread \xe2\x80\xaeevil \xe2\x80\xaeevil 7 7 1 2' got
	threads_and_events | pp-cat --seal >whole
	for cut in 1200 1500 1800; do
		head -c "$cut" whole >in
		run -3 pp-export -q --root none in -o out.json.gz
		fox out.json.gz | grep -qx 'extra damaged: the recording is damaged or cut: what could be read is shown'
	done
}

@test "firefox: no samples are a thread without any; without times samples come at one time" {
	threads_and_events | pp-filter -q 'cpu == 5' >in
	run -0 pp-export --root none in -o out.json.gz
	assert_output 'pp-export: in: there are no samples in it'
	fox out.json.gz | grep -qx 'thread no samples no samples 0 0 1 0'
	timeless >in
	pp-export -q --to firefox --root none in -o out
	stacks out | diff - <(printf '%s\n' '7/7;[unknown] 11')
	run -4 pp-export --to firefox -q --root none in -o /dev/full
	assert_output 'pp-export: cannot write /dev/full: No space left on device'
}

# bats test_tags=nightly
@test "firefox: the front end's own code reads it, with names, CPU times, functions and markers" {
	node_modules @firefox-devtools/profiler-cli
	pp-export -q --to firefox --root none "$TESTS/streams/picture.pipe" -o out.json.gz
	front_end out.json.gz
	pq profile info --json --all >info
	pq thread functions --json --include-idle >functions
	front_end_stop
	weight=$(pp-fold -q --root none "$TESTS/streams/picture.pipe" | awk '{ n += $NF } END { print n }')
	run -0 jq -c '.processes[] | [.name, (.cpuMs * 1e6 | round)]' info
	assert_output "[\"invoices\",$weight]"
	# what functions weigh themselves, those without names in one, as pp-fold has them
	jq -r '.functions[] | select(.selfSamples > 0) | [(if .name | test("^0x") then "[" + .library + "]" else .name end), .selfSamples * 1e6 | tostring] | @tsv' functions |
		awk -F '\t' '{ n[$1] += $2 } END { for (f in n) printf "%s %.0f\n", f, n[f] }' | sort >got
	pp-fold -q --root none "$TESTS/streams/picture.pipe" |
		awk '{ w = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); n[$0] += w } END { for (f in n) printf "%s %.0f\n", f, n[f] }' |
		sort | diff - got
}
