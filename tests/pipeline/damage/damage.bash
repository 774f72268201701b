# damage.bash - what the tests of bad input share: a stream, and how it is refused.

small() {
	build <<-'END'
		header
		attr id=1
		comm pid=7 comm=nginx
		sample pid=7 time=1000
		round
		auxtrace bytes=24
		sample pid=7 time=2000
		feature HOSTNAME string "a-host"
		mmap2 pid=7 start=0x1000 len=0x1000 file=/bin/true time=2500
		round
	END
}

# refused STATUS TEXT: pp-decompress of ./in ends so, and says this
refused() {
	run "-$1" --separate-stderr pp-decompress -i in -o out
	[[ "$stderr" =~ ^"pp-decompress: " ]]
	[[ "$stderr" =~ "$2" ]]
}

# The sanitizers' own shadow memory is no measure.
limit_memory() { grep -q __asan_init "$BIN/pp-dump" || ulimit -v "$1"; }
