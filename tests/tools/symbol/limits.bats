# limits.bats - files of others that take too much of their reader, end it, or become shorter while it reads:
# they cost their own names, which is said with -q too, and nothing else.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

# shim: shim.so, in which files of user 65534 end the process that reads them, and files of $CUT_SIZE bytes seem
# to have 64 KiB more, as those that are cut after they were opened
shim() {
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/prctl.h>
		#include <sys/stat.h>
		int fstat(int fd, struct stat *st)
		{
			const int got = ((int (*)(int, struct stat *))dlsym(RTLD_NEXT, "fstat"))(fd, st);
			const char *const size = getenv("CUT_SIZE");
			char name[17] = "";

			if (!got && size && st->st_size == atol(size))
				st->st_size += 65536;
			if (!got && st->st_uid == 65534 && !prctl(PR_GET_NAME, name) && !strcmp(name, "pp-names"))
				__builtin_trap();
			return got;
		}
	END
	"${CC:-cc}" -shared -fPIC -o shim.so shim.c -ldl
	! sanitized || skip "a sanitizer has to be loaded first"
}

# many FILE...: a stream in which process 7 maps each file and hits work in it
many() {
	local n=0 file
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for file; do
			n=$((n + 1))
			echo "mmap2 pid=7 start=0x$((n + 100))00000000 len=0x1000000 file=\"$PWD/$file\" build_id=$(id_of "$file") time=$n"
			echo "sample pid=7 ip=$((0x$((n + 100))00000000 + $(at "$file" work))) misc=2 time=$((n + 1000))"
		done
		echo round
	} | build
}

# bats test_tags=T3-B4
@test "limits: a file that becomes shorter while it is read loses names, which is said with -q too" {
	local sink
	shim
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" >in
	truncate -s 8192 prog
	for sink in pp-symbol pp-script pp-fold pp-report; do
		rm -rf .cache
		run -0 --separate-stderr env CUT_SIZE=8192 LD_PRELOAD="$PWD/shim.so" $sink -q --root / -i in -o out
		[[ $stderr == *"$PWD/prog: not all names: the file became shorter while it was read" ]]
		[ -s out ]
	done
}

# bats test_tags=T3-B4
@test "limits: files of one user that end their reader do not cost the names of others" {
	need_root
	shim
	local i files=()
	for i in $(seq 20); do
		program bad$i "-DN=$i" "-Wl,--build-id=0x$(printf '%040x' "$i")"
		chown 65534 bad$i
		files+=(bad$i)
	done
	program prog
	many "${files[@]}" prog >in
	LD_PRELOAD="$PWD/shim.so" run -0 --separate-stderr pp-symbol -q --root / -i in -o out
	[ "$(frames out | grep -c work)" -eq 1 ]
	[[ $stderr == *"no more files of user 65534 are read: 16 times they ended their reader"* ]]
	[ "$(grep -c 'passed over: reading it ended in signal' <<<"$stderr")" -eq 8 ]
	[ "$(wc -l <<<"$stderr")" -eq 9 ]
}

# rows FILE COUNT: a program whose lines take so many rows, which are some KB in it
rows() {
	cat >rows.s <<-END
		.text
		.globl main, work
		.type main, @function
		main: ret
		.size main, .-main
		.type work, @function
		work: nop
		.skip 64
		.size work, .-work
		.section .debug_abbrev, "", @progbits
		.byte 1, 0x11, 0, 0x11, 0x01, 0x12, 0x06, 0x10, 0x17, 0, 0, 0
		.section .debug_info, "", @progbits
		.long 2f - 1f
		1: .value 4
		.long 0
		.byte 8, 1
		.quad main
		.long 128
		.long 0
		2:
		.section .debug_line, "", @progbits
		.long 4f - 1f
		1: .value 4
		.long 3f - 2f
		2: .byte 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0
		.asciz "a.c"
		.byte 0, 0, 0, 0
		3: .byte 0, 9, 2
		.quad main
		.fill $2, 1, 0x20
		.byte 0, 1, 1
		4:
		.section .note.GNU-stack, "", @progbits
	END
	"${CC:-cc}" -Wl,--build-id=sha1 -Wl,--compress-debug-sections=zlib -o "$1" rows.s
	[ "$(stat -c %s "$1")" -lt 200000 ]
}

# bats test_tags=T3-B3, T3-B9
@test "limits: a small file whose lines take more memory than its reader may have is passed over" {
	[ "$(uname -m)" = x86_64 ] || skip 'written for x86_64'
	! sanitized || skip "a sanitizer has memory of its own"
	program prog
	local count sink
	for count in 14000000 60000000; do
		rows bad $count
		rm -f in
		many bad prog >in
		for sink in 'pp-symbol --lines' 'pp-script -F ip,sym,srcline'; do
			rm -rf .cache
			run -0 --separate-stderr $sink -q --root / -i in -o out
			[[ $stderr == *"$PWD/bad: "*"takes too much memory to read" ]]
			[ "$(wc -l <<<"$stderr")" -eq 1 ]
			[ -s out ]
		done
		pp-symbol --lines -q --root / -i in -o out 2>err
		frames out | grep -q 'work$'
	done
}

# bats test_tags=T3-B10
@test "limits: names beyond 4 KiB are cut where they are shown, marked and told apart, and are whole in the stream" {
	local long sink
	long=$(printf 'x%.0s' $(seq 20000))
	cat >long.s <<-END
		.text
		.globl main, ${long}a, ${long}b
		.type main, %function
		.type ${long}a, %function
		.type ${long}b, %function
		main: .skip 16
		.size main, 16
		${long}a: .skip 16
		.size ${long}a, 16
		${long}b: .skip 16
		.size ${long}b, 16
		.section .note.GNU-stack, "", %progbits
	END
	"${CC:-cc}" -Wl,--build-id=sha1 -o prog long.s
	hit "$PWD/prog" "$(id_of prog)" "$(at prog main)" "$(at prog "${long}a")" "$(at prog "${long}b")" >in
	pp-symbol in -o named
	[ "$(frames named | awk '{ print length($0) }' | sort -n | tr '\n' ' ')" = '4 20001 20001 ' ]
	# of the file, and of the stream
	for sink in 'pp-script -F ip,sym' pp-fold 'pp-report -s sym'; do
		for from in in named; do
			rm -rf .cache
			$sink $from -o "shown.$from"
			grep -o 'xx*b*[.]*#*[0-9a-f]*' "shown.$from" | awk 'length($0) > 4000' | sort -u >names
			[ "$(grep -c 'x\.\.\.#[0-9a-f]\{8\}$' names)" -eq 2 ]
			[ "$(awk '{ print length($0) }' names | sort -u)" = 4108 ]
		done
	done
}
