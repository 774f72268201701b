# memory.bats - names by the thousand: what is forgotten within --memory, looked up again, or said.

setup() {
	load ../../helper
	load symbols
	COUNT=12000
	command -v readelf >/dev/null || skip "binutils is not installed"
	# as long as those of templates
	name=$(printf 'some_function_%0100d_' 7)
	{
		echo .text
		for ((i = 0; i < COUNT; i++)); do
			echo ".globl $name$i; .type $name$i,%function; $name$i: .skip 16; .size $name$i,16"
		done
	} >many.s
	"${CC:-cc}" -shared -nostdlib -Wl,--build-id=sha1 -o many.so many.s
}

# each_twice: a stream that hits each function, maps another file, and hits each again; a round each 2000
each_twice() {
	{
		build <<-END
			header
			attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
			mmap2 pid=7 start=0x100000000 len=0x1000000 file="$PWD/many.so" build_id=$(id_of many.so) time=1
		END
		hits 10
		build <<-END | tail -c +17
			header
			attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
			mmap2 pid=7 start=0x1000 len=0x1000 file=/bin/other time=100000
		END
		hits 100010
	} >in
}

# hits TIME: samples of each function
hits() {
	perl -e 'my ($start, $time, $n) = @ARGV; binmode STDOUT;
		for (0 .. $n - 1) {
			print pack "LSSQLLQ", 9, 2, 32, $start + 16 * $_ + 4, 7, 7, $time + $_;
			print pack "LSS", 68, 0, 8 if $_ % 2000 == 1999 }' \
		$((0x100000000 + $(at many.so "${name}0"))) "$1" $COUNT
}

# said FILE: each address and its first name
said() {
	pp-dump --headers --json "$1" |
		jq -r '.names // empty | .[].addresses[] | "\(.offset) \(.frames[0].symbol)"' |
		awk '!seen[$1]++' | sort
}

# bats test_tags=nightly
@test "memory: names for which there is no room are looked up again, and are the same" {
	each_twice
	pp-symbol in -o roomy
	[ "$(said roomy | wc -l)" -eq $COUNT ]
	[ "$(pp-symbol -v in 2>&1 >/dev/null | head -1)" = "pp-symbol: in: $COUNT of $COUNT addresses named, 0 named before, 1 file read" ]
	run -0 --separate-stderr pp-symbol --memory 1M -v in -o narrow
	[ "${stderr%% addresses*}" = "pp-symbol: in: $((2 * COUNT)) of $((2 * COUNT))" ]
	diff <(said roomy) <(said narrow)
	# without rounds all are wanted at once
	pp-dump --json in | sed '/FINISHED_ROUND/d' | pp-undump -o one
	pp-symbol --memory 1M one -o narrow
	diff <(said roomy) <(said narrow)
	pp-script -F ip,sym roomy -o wanted
	grep -q "$name$((COUNT - 1))\$" wanted
	pp-script -F ip,sym narrow | diff wanted -
}

# bats test_tags=nightly
@test "memory: what sinks show does not depend on it" {
	local sink
	each_twice
	for sink in 'pp-script -F ip,sym' 'pp-report -s sym' pp-fold 'pp-flame --title x' 'pp-top --once'; do
		$sink -i in -o wanted
		$sink --memory 1M -i in -o found
		[ -s wanted ]
		[ "$sink" = 'pp-top --once' ] || diff wanted found
	done
}

# bats test_tags=nightly
@test "memory: names in the stream beyond half of it are looked up, which is said, or have none" {
	each_twice
	pp-symbol in -o named
	run -0 --separate-stderr pp-symbol --memory 1M named -o again
	[ "$stderr" = "pp-symbol: the names in the stream take more than half of 1 MiB: further ones are looked up in files, if they are here" ]
	diff <(said named) <(said again)
	rm many.so
	run -0 --separate-stderr pp-symbol --memory 1M named -o again
	diff <(said named) <(said again)
	pp-script -F ip,sym named -o wanted
	pp-script -F ip,sym again | diff wanted -
}

# bats test_tags=nightly
@test "memory: names that wait for a round beyond --size are put aside, and come in the same order" {
	each_twice
	pp-symbol in -o roomy
	pp-symbol -S 1M in -o narrow
	cmp roomy narrow
	TMPDIR=$PWD/nowhere run -4 --separate-stderr pp-symbol -S 1M in -o narrow
	[[ $stderr == *"cannot make a file in $PWD/nowhere"* ]]
}
