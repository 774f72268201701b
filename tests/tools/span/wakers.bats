# wakers.bats - pp-fold and pp-flame --wakers: stacks of waits go on to those of who woke the thread.

bats_require_minimum_version 1.5.0

setup() {
	load ../../helper
	load sched
}

# several: a wait whose waker is known twice, by two threads, and one without
several() {
	two
	at 5000 switch 7 1 0
	at 5005 out 7
	at 5200 waking 9 7
	at 5400 in 7
	at 6000 switch 7 2 0
	at 6100 in 7
}

@test "wakers: a stack goes on after -- to the waker's, the innermost first, and ends in its task" {
	several | switches new flag | pp-span -q off-cpu --wakers -o made
	diff <(pp-fold -q --addrs --wakers made) - <<-'END'
		waiter;[unknown <401000>];[unknown <ffffffff81000010>] 100
		waiter;[unknown <401000>];[unknown <ffffffff81000010>];--;[unknown <500000>];:8 1000
		waiter;[unknown <401000>];[unknown <ffffffff81000010>];--;[unknown <500000>];:9 400
	END
	diff <(pp-fold -q --addrs --wakers --tid --weight count -e 'offcpu-[tp]*' made) - <<-'END'
		waiter-7/7;[unknown <401000>];[unknown <ffffffff81000010>] 2
		waiter-7/7;[unknown <401000>];[unknown <ffffffff81000010>];--;[unknown <500000>];:8-8/8 1
		waiter-7/7;[unknown <401000>];[unknown <ffffffff81000010>];--;[unknown <500000>];:9-8/9 1
	END
	# without the option all is as it was, and what has no wakers says so
	[ "$(pp-fold -q --addrs made)" = 'waiter;[unknown <401000>];[unknown <ffffffff81000010>] 1500' ]
	several | switches new flag | pp-span -q off-cpu -o none
	run -0 --separate-stderr pp-fold --wakers none
	[[ $stderr == *'no sample is of who woke a thread: pp-span off-cpu --wakers writes them'* ]]
}

@test "wakers: what is inlined is turned as well, be it that names come late" {
	need gcc
	need nm
	cat >prog.c <<-'END'
		static __attribute__((always_inline)) inline int inner(volatile int *p) { return *p * 3; }
		static __attribute__((always_inline)) inline int middle(volatile int *p) { return inner(p) + 1; }
		__attribute__((noinline)) int outer(volatile int *p) { return middle(p) + 2; }
		int main(void) { volatile int x = 1; return outer(&x); }
	END
	gcc -g -O2 -no-pie -o prog prog.c
	local at
	at=0x$(nm prog | awk '$3 == "outer" { print $1 }')
	{
		echo "mmap2 pid=8 tid=8 start=$((at & ~4095)) len=0x1000 pgoff=$(((at & ~4095) - 0x400000)) file=$PWD/prog" \
			"$(stat -c 'maj=%Hd min=%Ld ino=%i' prog) prot=5 flags=2"
		at 1000 in 7
		at 2000 switch 7 1 0
		at 2005 out 7
		at 2700 waking 8 7 | sed "s/callchain=.*/callchain=0xfffffffffffffe00,$at/"
		at 3000 in 7
	} | switches new flag | pp-span -q off-cpu --wakers -o made
	[ "$(pp-fold -q --root / -e offcpu-waker made)" = ':8;outer;middle;inner 1000' ]
	[ "$(pp-fold -q --root / --wakers made)" = 'waiter;[unknown];[unknown];--;inner;middle;outer;:8 1000' ]
	pp-symbol -q --root / made | pp-fold -q --root "$PWD" --wakers |
		grep -qx 'waiter;\[unknown\];\[unknown\];--;inner;middle;outer;:8 1000'
}

@test "wakers: a picture and a page have them, too, but none whose order is another" {
	several | switches new flag | pp-span -q off-cpu --wakers -o made
	pp-flame -q --wakers --svg made | grep -o '<title>[^:]*: [^,]*' | sed 's/.*>//' | sort | xargs -d '\n' >got
	grep -q -- '--: 1.40' got
	pp-flame -q --wakers made -o with.html
	pp-flame -q made -o without.html
	! cmp -s with.html without.html
	run -2 --separate-stderr pp-flame --wakers --svg --reverse made
	[[ $stderr == *'--wakers goes on where stacks end: not with --reverse --svg'* ]]
	run -2 pp-flame --wakers --svg --chart made
	# with little memory the lightest go, and what is left is right
	pp-fold -q --wakers --stacks 1k --addrs made | grep -q '^waiter;.* [0-9]*$'
}

@test "wakers: what a shell waits for is what its command did at the end" {
	need_system_wide
	need_tracepoints
	pp-record -q -a -g -e cpu-clock --off-cpu=wakers -o in -- sh -c 'sleep 0.1; :'
	pp-span -q off-cpu --wakers in | pp-fold -q --wakers >got
	grep -q '^sh;.*;--;.*;sleep [0-9]*$' got
}
