# comparable.bats - which recordings pp-diff compares, and which it refuses or warns of.

setup() {
	load ../../helper
	load ../names
}

# recording FILE LINE...: 2,000 samples of a clock, on a machine of two processors, after these lines
recording() {
	local file=$1
	shift
	{
		head_with CALLCHAIN
		printf '%s\n' 'feature NRCPUS u32 2 u32 2' "$@"
		printf '%s\n' 'repeat 2000 {' \
			"sample id=${ID:-1} pid=7 tid=7 time=\$(i*1000000+1000) period=1000000 callchain=-128,$K" '}' round
	} | build >"$file"
}

# noted FILE NOTE...: a recording with these notes
noted() {
	local file=$1 notes=()
	shift
	for note; do notes+=(--note "$note"); done
	[ -f plain ] || recording plain
	pp-inject "${notes[@]}" plain -o "$file"
}

# mapped FILE PATH ID...: a recording of a process that maps these files
mapped() {
	local file=$1 lines=() n=1
	shift
	while [ $# -gt 0 ]; do
		lines+=("mmap2 pid=7 start=0x${n}0000 len=0x1000 file=$1 build_id=$2 time=6")
		n=$((n + 1))
		shift 2
	done
	recording "$file" "${lines[@]}"
}

@test "diff: recordings under two governors are not compared" {
	noted a governor=powersave
	noted b governor=performance
	recording c
	run -2 pp-diff a -- b
	assert_line 'pp-diff: b: recorded under the governor performance, powersave of a: record both under one (cpupower frequency-set -g performance)'
	run -0 pp-diff --force a -- b
	# where one does not say it, as of perf
	run -0 --separate-stderr pp-diff a -- c
	refute [ -n "$stderr" ]
}

@test "diff: losses and throttling of more than 1 % are not compared, in the words of pp-info --advice" {
	recording a
	recording b 'lost id=1 lost=15 pid=7 tid=7 time=50'
	recording c 'lost id=1 lost=25 pid=7 tid=7 time=50'
	recording d 'repeat 21 {' 'throttle id=1 stream_id=1 time=$(i*1000+100)' '}'
	run -0 --separate-stderr pp-diff a -- b
	[ "$stderr" = "pp-diff: b: $(pp-info --advice b | grep lost)" ]
	run -2 --separate-stderr pp-diff a -- c
	[ "${stderr_lines[0]}" = "pp-diff: c: $(pp-info --advice c | grep lost)" ]
	run -2 --separate-stderr pp-diff a -- d
	[ "${stderr_lines[0]}" = "pp-diff: d: $(pp-info --advice d | grep throttled)" ]
	# a recorder's own count at the end has those that the kernel reported before
	recording e 'lost id=1 lost=15 pid=7 tid=7 time=50' 'lost_samples lost=15 time=60'
	run -0 pp-diff a -- e
}

@test "diff: load of others is said, and where only one side had it, nothing is compared" {
	for i in 1 2; do
		noted idle$i load.others=0.0$i
		noted busy$i load.others=0.7$i
	done
	run -0 --separate-stderr pp-diff idle1 -- idle2
	[ -z "$stderr" ]
	run -0 --separate-stderr pp-diff busy1 -- busy2
	[ "$stderr" = "pp-diff: busy1: 35.5 % of the processors' time went to what was not recorded (and 1 more like it): record while nothing else runs, or on processors of its own (taskset)" ]
	[ "$(pp-info --advice busy1)" = "35.5 % of the processors' time went to what was not recorded: record while nothing else runs, or on processors of its own (taskset)" ]
	run -2 pp-diff idle* -- busy*
	assert_line "pp-diff: others took 1 % of the processors' time during one side, and 36 % during the other: record both in turns, pp-record --compare"
	run -0 pp-diff idle1 busy1 -- idle2 busy2
	# a note that is no number says nothing
	noted odd load.others=much
	run -0 pp-diff idle1 -- odd
}

@test "diff: load changes nothing of what counts a program's page faults" {
	ID=2 recording plain
	noted a load.others=0.01
	noted b load.others=0.9
	run -2 pp-diff a -- b
	{ head_with CALLCHAIN | sed 's/ config=1$/ config=2/'; sed -n p <<-END; } | build >plain
		feature NRCPUS u32 2 u32 2
		repeat 2000 {
		sample id=2 pid=7 tid=7 time=\$(i*1000000+1000) period=1 callchain=-128,$K
		}
		round
	END
	noted a load.others=0.01
	noted b load.others=0.9
	run -0 --separate-stderr pp-diff a -- b
	[ -z "$stderr" ]
}

@test "diff: libraries and kernels that both sides should have alike are compared by their build-ids" {
	local libc=/lib/libc.so.6 one=0102030405060708090a0b0c0d0e0f1011121314 two=2202030405060708090a0b0c0d0e0f1011121314
	mapped a /bin/app $one $libc $one /lib/libm.so.6 $one
	mapped b /bin/app $two $libc $two /lib/libm.so.6 $one
	mapped c /bin/app $two $libc $one /lib/libm.so.6 $one
	run -0 --separate-stderr pp-diff a -- b
	[ "$stderr" = "pp-diff: b: /lib/libc.so.6 is of another build than in a: what changed may be that, not the program: record both with the same ones" ]
	# a program has another build on purpose
	run -0 --separate-stderr pp-diff a -- c
	[ -z "$stderr" ]
	# both sides met both
	run -0 --separate-stderr pp-diff a b -- b a
	[ -z "$stderr" ]
	mapped d $libc $two /lib/libm.so.6 $two
	run -0 --separate-stderr pp-diff a -- d
	[ "$stderr" = "pp-diff: d: /lib/libc.so.6 is of another build than in a, and others: what changed may be that, not the program: record both with the same ones" ]
	recording e "build_id pid=-1 id=$one file=[kernel.kallsyms]"
	recording f "build_id pid=-1 id=$two file=[kernel.kallsyms]"
	run -0 --separate-stderr pp-diff e -- f
	[[ $stderr == "pp-diff: f: [kernel.kallsyms] is of another build than in e:"* ]]
}

@test "record: a recording says what the governor was, and what others did while its command ran" {
	local sys=$PWD/sys i
	mkdir -p "$sys/devices/system/cpu/cpu0/cpufreq"
	echo powersave >"$sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
	for i in /sys/devices/system/cpu/*; do [ -e "$sys/devices/system/cpu/${i##*/}" ] || ln -s "$i" "$sys/devices/system/cpu"; done
	for i in /sys/devices/*; do [ -e "$sys/devices/${i##*/}" ] || ln -s "$i" "$sys/devices"; done
	for i in /sys/*; do [ -e "$sys/${i##*/}" ] || ln -s "$i" "$sys"; done
	SYSFS_PATH=$sys pp-record -q -e cpu-clock:u -o out -- sleep 0.3 || skip "nothing can be recorded here"
	[ "$(pp-info --note governor out)" = powersave ]
	[[ $(pp-info --note load.others out) =~ ^[0-9]+\.[0-9][0-9]$ ]]
	pp-check out
	# the note is the last one that counts
	SYSFS_PATH=$sys pp-record -q -e cpu-clock:u --note governor=mine -o own -- true
	[ "$(pp-info --note governor own | tail -n 1)" = mine ]
	# it would say little of so short a time, and nothing of what is not a command's own
	run -1 pp-info --note load.others own
	once system_wide pp-record -a -o /dev/null -- true || return 0
	pp-record -q -a -o all -- sleep 0.3
	run -1 pp-info --note load.others all
}
