# symbols.bash - programs, streams that hit them, and what names say: for the tests of pp-symbol.

# source: prog.c
source_of_prog() {
	cat >prog.c <<-'END'
		static inline __attribute__((always_inline)) int twice(int x) { return x * 2 + (x >> 3); }
		__attribute__((noinline)) int work(int x)
		{
			for (int i = 0; i < x; i++)
				x += twice(i) ^ x;
			return x;
		}
		int other(int x) { return work(x) + 1; }
		int main(int c, char **v) { return other(c) + (v != 0); }
	END
}

# program FILE [FLAG...]: compiles prog.c
program() { "${CC:-cc}" -O2 -g -o "$1" prog.c "${@:2}"; }

id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

# at FILE SYMBOL [ADD]: the offset in the file of an address
at() {
	local address
	address=$((0x$(nm "$1" | sed -n "s/ [tTwW] $2\$//p") + ${3:-0}))
	readelf -lW "$1" | perl -ne '
		my @f = split;
		printf("%d\n", '$address' - hex($f[2]) + hex($f[1]))
			if /^\s+LOAD()/ && '$address' >= hex($f[2]) && '$address' < hex($f[2]) + hex($f[4])'
}

# hit PATH ID|- OFFSET...: a stream in which process 7, or $pid, maps a whole file and samples hit offsets in it
hit() {
	local n=0 offset path=$1 id=$2 pid=${pid:-7}
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		if [ "$id" = - ]; then
			echo "mmap2 pid=$pid start=0x100000000 len=0x1000000 file=\"$path\" time=1"
		else
			echo "mmap2 pid=$pid start=0x100000000 len=0x1000000 file=\"$path\" build_id=$id time=1"
		fi
		for offset in "${@:3}"; do
			n=$((n + 1))
			echo "sample pid=$pid ip=$((0x100000000 + offset)) misc=2 time=$((n + 10))"
		done
		echo round
	} | build
}

# frames FILE: "symbol(inlined)<symbol+into", a line for each address of its names
frames() {
	pp-dump --headers --json "$1" | jq -r '.names // empty | .[].addresses[] |
		[.frames[] | (.symbol // "?") + (if .inlined then "(inlined)" else "" end)] | join("<")'
}

# in_kernel FILE START LENGTH ID OFFSET...: a stream in which the kernel maps a file there, and samples hit it
in_kernel() {
	local n=10 offset
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		echo "mmap2 pid=-1 start=$2 len=$3 misc=0x4001 file=\"$1\" build_id=$4 time=0"
		for offset in "${@:5}"; do
			n=$((n + 1))
			printf 'sample pid=7 ip=0x%x misc=1 time=%d\n' $(($2 + offset)) $n
		done
		echo round
	} | build
}

# rounds: in has 40 rounds, in each of which three programs are hit where they were not before
rounds() {
	local at n name
	for name in one two three; do
		program "$name" "-Wl,--build-id=0x$(printf '%-20s' "$name" | od -An -tx1 | tr -d ' \n')"
	done
	at=$(at one work)
	{
		echo header
		echo attr id=1 sample_type=IP,TID,TIME flags=sample_id_all
		for n in 1 2 3; do
			name=$(cut -d' ' -f$n <<<"one two three")
			echo "mmap2 pid=7 start=$((n << 32)) len=0x1000000 file=\"$PWD/$name\" build_id=$(id_of "$name") time=$n"
		done
		for n in $(seq 0 119); do
			echo "sample pid=7 ip=$(((n % 3 + 1 << 32) + at + n / 12 % 10)) misc=2 time=$((n + 10))"
			[ $((n % 3)) -lt 2 ] || echo round
		done
	} | build >in
}

# private COMMAND...: with mounts that nobody else sees, and the file kallsyms, if there is one, in place of the kernel's
private() {
	unshare -m --propagation private sh -c '[ ! -e kallsyms ] || mount --bind kallsyms /proc/kallsyms || exit 77
		exec "$@"' sh "$@"
}
