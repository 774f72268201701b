# report.bash - what tests of pp-report load: the beginning of a stream (with those of
# names.bash), a program of known sizes, and pp-report beside perf report of a made stream.

head_of() {
	head_with CPU
	echo 'comm pid=8 comm="eight up" time=6'
}

# named_program [NAME]: prog, three functions of known sizes from 0x401000 on, of which the second is NAME or inner
named_program() {
	local inner=${1:-inner}
	need "${CC:-cc}"
	cat >prog.s <<-END
		.text
		.globl _start, $inner, leaf
		.type _start, %function
		_start: .zero 0x20
		.size _start, 0x20
		.type $inner, %function
		$inner: .zero 0x40
		.size $inner, 0x40
		.type leaf, %function
		leaf: .zero 0x30
		.size leaf, 0x30
	END
	"${CC:-cc}" -nostdlib -static -Wl,--build-id=none,-Ttext=0x401000 -o prog prog.s 2>/dev/null ||
		skip "no static program can be linked here"
	[[ $(nm prog) == *"0000000000401000 T _start"* ]] || skip "the program is elsewhere"
}

as_it_is() { sed -E '/^# \((Tip|For|Cannot)/,$d' | perl -0777 -pe 's/#\n\z//'; }

# compared PERF [KIND]: each line of options is compared with what this perf prints of streams.pl's KIND, or of "in"
compared() {
	local perf=$1 kind=$2 options words wrong=0
	[ ! "$kind" ] || perl "$BATS_TEST_DIRNAME/streams.pl" "$kind" "$PWD/prog" | build >in
	pp-save -o in.data in
	while IFS= read -r options; do
		eval "words=($options)"
		"$perf" report --stdio -i in.data "${words[@]}" 2>/dev/null </dev/null | as_it_is >expected
		pp-report "${words[@]}" in >got
		[ -s expected ]
		diff expected got || { echo "differs: $options"; wrong=$((wrong + 1)); }
	done
	[ "$wrong" -eq 0 ]
}
