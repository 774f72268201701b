# one_file.bats - pp-export: what is known of a file late, its generation or its build-id, makes no second file of
# it, in all formats.

setup() {
	load ../../helper
	mkdir none
}

head='header
attr id=1 sample_type=IP,TID,TIME,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap type=1 config=0
mmap2 pid=7 start=0x400000 len=0x3000 pgoff=0x1000 file=/lib/x.so time=6 maj=8 min=1 ino=77
sample id=1 pid=7 tid=7 time=1000 period=5 ip=0x400010
round
round'
ID=000102030405060708090a0b0c0d0e0f10111213

# files FILE: the files of its profiles, each with its build-id
files() {
	pp-export -q --to pprof --root none "$1" | perl "$TESTS/tools/export/pprof.pl" | awk '$1 == "mapping" { print "pprof", $6, $7 }'
	pp-export -q --to firefox --root none "$1" -o out.json
	perl "$TESTS/tools/export/firefox.pl" out.json | awk '$1 == "lib" { print "firefox", $3, $5 }'
}

@test "export: a mapping whose generation is known is of the file that was met without it" {
	build <<-END >in
		$head
		mmap2 pid=8 start=0x500000 len=0x4000 pgoff=0x1000 file=/lib/x.so time=1500 maj=8 min=1 ino=77 gen=3
		sample id=1 pid=8 tid=8 time=2001 period=5 ip=0x503020
		round
	END
	files in | diff - <(printf '%s\n' 'pprof /lib/x.so -' 'firefox /lib/x.so -')
	# it has what any of its mappings has
	pp-export -q --to pprof --root none in | perl "$TESTS/tools/export/pprof.pl" >got
	grep -qx 'mapping 1 0x1000 0x5000 0x1000 /lib/x.so -.*' got
	pp-export -q --to pprof --root none --no-normalize in | perl "$TESTS/tools/export/pprof.pl" >got
	[ "$(grep -c ^mapping got)" = 2 ]
}

@test "export: a build-id that comes after samples is that of their file" {
	for pid in -1 7; do
		build <<-END >in
			$head
			build_id pid=$pid id=$ID file=/lib/x.so
			sample id=1 pid=7 tid=7 time=2000 period=5 ip=0x400030
			round
		END
		files in | diff - <(printf '%s\n' "pprof /lib/x.so $ID" "firefox /lib/x.so $ID")
	done
}

@test "export: files of one name that have other inodes stay two" {
	build <<-END >in
		$head
		mmap2 pid=8 start=0x500000 len=0x3000 pgoff=0x1000 file=/lib/x.so time=1500 maj=8 min=1 ino=78 gen=3
		sample id=1 pid=8 tid=8 time=2001 period=5 ip=0x500020
		round
	END
	files in | diff - <(printf '%s\n' 'pprof /lib/x.so -' 'pprof /lib/x.so -' 'firefox /lib/x.so -' 'firefox /lib/x.so -')
}
