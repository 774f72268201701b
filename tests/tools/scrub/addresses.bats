#!/usr/bin/env bats
# addresses.bats - pp-scrub --addresses: maps of each process follow each other, and addresses go with them.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	head -c 32 /dev/zero | tr '\0' K >key
	chmod 600 key
}

maps() {
	pp-dump --json "$1" | jq -c 'select(.type | test("^MMAP")) | .fields | [.pid, .start, .len, .pgoff]'
}
samples() { pp-dump --json "$1" | jq -c 'select(.type == "SAMPLE") | .fields | [.time, .ip]' | sort; }

# Of each frame the function and how far into it, and the file: what names are found by, without the address.
places() { pp-script -F comm,tid,ip,sym,symoff,dso -q -i "$1" | awk '{ $1 = ""; print }'; }

@test "maps and addresses of a process are elsewhere, and inherited ones where the parent's are" {
	local kernel=0xffffffff81000000 inner=0xffffffff81000010
	local types=IP,TID,TIME,ADDR,CALLCHAIN,BRANCH_STACK,IDENTIFIER
	build >in <<-END
		header
		attr id=1 sample_type=$types branch_sample_type=USER,ANY
		feature NRCPUS u32 1 u32 1
		mmap pid=-1 start=$kernel len=0x1000000 pgoff=$kernel file=[kernel.kallsyms]_text misc=1
		mmap2 pid=7 start=0x55550000 len=0x2000 pgoff=0x1000 prot=5 file=/bin/a time=10
		mmap2 pid=7 start=0x7fff0000 len=0x1800 pgoff=0 prot=5 file=/lib/b.so time=11
		mmap2 pid=7 start=0x66660000 len=0x1000 pgoff=0x66660000 prot=5 file=//anon time=12
		fork pid=8 ppid=7 time=13
		mmap2 pid=8 start=0x44440000 len=0x1000 pgoff=0 prot=5 file=/lib/c.so time=14
		fork pid=9 ppid=7 time=15
		comm pid=9 comm=new exec time=16
		mmap2 pid=9 start=0x33330000 len=0x1000 pgoff=0 prot=5 file=/bin/d time=17
		sample pid=7 time=20 ip=0x55550104 addr=0x66660123 callchain=-128,$inner,-512,0x7fff0204
		sample pid=7 time=20 ip=0x55550104 branches=0x7fff0010:0x55550020:0
		sample pid=8 time=21 ip=0x44440abc addr=0 callchain=-512,0x44440abc,0x55550104
		sample pid=9 time=22 ip=0x33330004 addr=0xffffffff81000020 callchain=-512,0x33330004
		round
	END
	pp-scrub -q --key key --addresses in -o out
	maps out >is
	diff is - <<-'END'
		[-1,"0xffff800010000000","0x1000000","0xffff800010000000"]
		[7,"0x200000","0x2000","0x1000"]
		[7,"0x203000","0x1800","0x0"]
		[7,"0x206000","0x1000","0x206000"]
		[8,"0x208000","0x1000","0x0"]
		[9,"0x200000","0x1000","0x0"]
	END
	pp-dump --json out | jq -c 'select(.type == "SAMPLE") | .fields |
		[.ip, .addr, (.callchain | map(select(test("^0xf{8}") | not))),
		(.branch_stack.entries // [] | map(.from, .to))]' >is
	diff is - <<-'END'
		["0x200104","0x206123",["0xffff800010000010","0x203204"],[]]
		["0x200104","0x0",[],["0x203010","0x200020"]]
		["0x208abc","0x0",["0x208abc","0x200104"],[]]
		["0x200004","0xffff800010000020",["0x200004"],[]]
	END
	sound out
}

@test "an address in no map has another page, the same for the same, and its place in it" {
	build >in <<-'END'
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER
		sample pid=7 time=20 ip=0x12345678
		sample pid=8 time=21 ip=0x12345999
		sample pid=8 time=22 ip=0xffffffffa0000678 misc=1
		round
	END
	pp-scrub -q --key key --addresses in -o out
	samples out | jq -r '.[1]' >is
	[[ "$(sed -n 1p is)" == 0x*678 ]]
	[[ "$(sed -n 2p is)" == "$(sed -n '1s/678$/999/p' is)" ]]
	[[ "$(sed -n 3p is)" == 0xffff*678 ]]
	run -1 grep -E '12345|ffffa0000' is
}

@test "names are found as before, and the other byte order has the same addresses" {
	cp "$TESTS/streams/demo.pipe" in
	pp-sort -q in | pp-scrub -q --key key -o plain
	pp-scrub -q --key key --addresses in -o out
	sound out
	diff <(places plain) <(places out)
	diff <(pp-report -q -g none -s comm,dso plain) <(pp-report -q -g none -s comm,dso out)
	pp-cat --big-endian in | pp-scrub -q --key key --addresses -o other
	diff <(pp-dump out) <(pp-dump other)
}

@test "perf puts maps and samples of a recording where they are here" {
	need_newer_perf 7.3
	perf=$(newer_perf 7.3)
	$perf inject -h 2>&1 | grep -q -- --aslr || skip "this perf has no --aslr"
	for stream in plain group demo; do
		$perf inject --aslr -i "$TESTS/streams/$stream.pipe" -o perf.out 2>/dev/null
		pp-scrub -q --key key --addresses "$TESTS/streams/$stream.pipe" -o out
		[ "$(samples out | wc -l)" -ge 90 ]
		diff <(maps out) <(pp-sort -q perf.out | maps -)
		diff <(samples out) <(samples perf.out)
	done
}
