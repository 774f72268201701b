# kinds.bats - names of what is no plain program: modules of the kernel, the vdso, files that dwz made
# smaller, code of a JIT compiler, names of Rust and D, files that a server has.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

# value FILE SYMBOL: its number, in decimal
value() { echo $((0x$(nm "$1" | sed -n "s/ [tTwW] $2\$//p"))); }

# in_module PATH ID ADDRESS...: a stream in which the kernel maps a module at 0xffffffffc0a00000, and samples
# hit it
in_module() {
	local n=10 address
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=-1 start=0xffffffffc0a00000 len=0x10000 misc=0x4001 file=\"$1\" build_id=$2 time=0"
		for address in "${@:3}"; do
			n=$((n + 1))
			printf 'sample pid=7 ip=0x%x misc=1 time=%d\n' $((0xffffffffc0a00000 + address)) $n
		done
		echo round
	} | build
}

# module FILE: a module with code in four sections, of which one goes when it is loaded
module() {
	cat >module.c <<-'END'
		__attribute__((section(".text.hot"))) int hot(int x) { return x + 1; }
		__attribute__((section(".init.text"))) int start(int x) { return x + 2; }
		__attribute__((section(".exit.text"))) int stop(int x) { return x + 3; }
		int one(int x) { return x * 5; }
		int two(int x) { return x * 7; }
	END
	"${CC:-cc}" -O1 -g -c -o module.o module.c
	ld -r --build-id=sha1 -o "$1" module.o
}

# section FILE NAME: its size and alignment
section() { readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v n="$2" '$1 == n { print $5, $NF }'; }

@test "kinds: functions of a module, where the kernel puts its sections" {
	mkdir -p root/lib/modules/6.1/kernel/fs
	module root/lib/modules/6.1/kernel/fs/my-fs.ko
	local ko=root/lib/modules/6.1/kernel/fs/my-fs.ko at=0 size align name asked=()
	# in the order of the file, each aligned; that for its start elsewhere
	for name in $(readelf -SW $ko | grep -oE ' \.(text|text\.hot|exit\.text) ' | tr -d ' '); do
		read -r size align < <(section $ko "$name")
		at=$(((at + align - 1) / align * align))
		case $name in
		.text) asked+=($((at + $(value $ko one))) $((at + $(value $ko two) + 2))) ;;
		.text.hot) asked+=($((at + 1))) ;;
		.exit.text) asked+=($((at + 2))) ;;
		esac
		at=$((at + 0x$size))
	done
	[ ${#asked[@]} -eq 4 ]
	in_module /lib/modules/6.1/kernel/fs/my-fs.ko "$(id_of $ko)" "${asked[@]}" >in
	run -0 --separate-stderr pp-symbol --root root in -o out
	[ -z "$stderr" ]
	[ "$(frames out | sort | tr '\n' ' ')" = 'hot one stop two ' ]
	in_module /lib/modules/6.1/kernel/fs/my-fs.ko "$(printf '%040d' 9)" "${asked[@]}" >in
	run -0 --separate-stderr pp-symbol --root root in -o out
	[ "$stderr" = "pp-symbol: /lib/modules/6.1/kernel/fs/my-fs.ko: not used: its build-id is not the one that was recorded" ]
	[ -z "$(frames out)" ]
}
