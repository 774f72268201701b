# go.bats - functions of Go programs that have no symbols: by the table that Go's runtime has of them.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	need "${CC:-cc}"
	[ "$(uname -m)" = x86_64 ] || skip "the programs are of x86_64"
}

NAMES=(runtime.main 'main.(*Square).Area' 'main.Sum[...]' main.busy.func1 'example.com/a%2eb.Do')

# go_program VERSION FILE: has these functions, and no symbols
go_program() {
	perl "$TESTS/tools/symbol/go_table.pl" "$1" "${NAMES[@]}" >table.s
	"${CC:-cc}" -nostdlib -static -no-pie -Wl,--build-id=none -o "$2" table.s
	nm "$2" >symbols
	strip -s "$2"
}

# text_offset FILE: where its .text is in the file
text_offset() { echo $((0x$(readelf -SW "$1" | sed -n 's/.* \.text  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p'))); }

# names_in FILE OFFSET...: what is shown at each offset
names_in() { hit "$PWD/$1" - "${@:2}" | pp-script -F ip,sym | sed 's/^ *[0-9a-f]* *//'; }

# bats test_tags=T3-C3
@test "symbol: a stripped Go program has the functions that its runtime knows, in each layout of that table" {
	for version in 1.2 1.16 1.18 1.20; do
		go_program "$version" prog
		at=$(($(text_offset prog) + 32))
		offsets=($((at - 1)))
		for i in "${!NAMES[@]}"; do
			offsets+=($((at + 16 * i)) $((at + 16 * i + 15)))
		done
		offsets+=($((at + 16 * ${#NAMES[@]})))
		echo "$version"
		names_in prog "${offsets[@]}" | diff - <(
			echo '[unknown]'
			for name in "${NAMES[@]}"; do printf '%s\n%s\n' "$name" "$name"; done
			echo '[unknown]'
		)
	done
	# its own symbols come first
	perl "$TESTS/tools/symbol/go_table.pl" 1.20 "${NAMES[@]}" | "${CC:-cc}" -nostdlib -static -no-pie -o prog -x assembler -
	[ "$(names_in prog $((at + 17)))" = code1 ]
}

# bats test_tags=T3-C3
@test "symbol: a table of Go that is damaged names nothing, or less, and costs no memory" {
	for version in 1.2 1.16 1.18 1.20; do
		go_program "$version" prog
		at=$(($(text_offset prog) + 32))
		perl -e '
			local $/; open my $f, "<:raw", "prog" or die; my $file = <$f>;
			my $magic = pack "L<", {"1.2" => 0xfffffffb, "1.16" => 0xfffffffa, "1.18" => 0xfffffff0, "1.20" => 0xfffffff1}->{$ARGV[0]};
			my $table = index($file, "$magic\0\0\1\10");
			die if $table < 0;
			my $n = 0;
			for my $at (map { 4 * $_ } 0 .. 48) {
				for my $with ("\0" x 4, "\xff" x 4, "\x7f\xff\xff\xff", "\xff\xff\xff\x7f") {
					my $new = $file;
					substr $new, $table + $at, 4, $with;
					open my $t, ">:raw", sprintf "bad-%03d", $n++ or die;
					print $t $new;
				}
			}' "$version"
		{
			printf '%s\n' header 'attr id=1 sample_type=IP,TID,TIME flags=sample_id_all'
			pid=7
			for bad in bad-*; do
				echo "mmap2 pid=$((++pid)) start=0x10000 len=0x10000 file=\"$PWD/$bad\" time=1"
				for more in 0 20 70; do
					echo "sample pid=$pid ip=$((0x10000 + at + more)) misc=2 time=$((pid + 10))"
				done
			done
			echo round
		} | build >in
		run -0 --separate-stderr bash -c 'ulimit -v 2000000; exec pp-script -F ip,sym in'
		[ "${#lines[@]}" -eq $((49 * 4 * 3)) ]
		grep -q 'main\.' <<<"$output"
		grep -q unknown <<<"$output"
		[ -z "$stderr" ]
	done
}

# bats test_tags=T3-C3
@test "symbol: the functions of a stripped Go program are those of go tool nm, however it was linked" {
	need go
	# Go's own library is compiled once on a machine
	local cache=${PERF_NEWER%/*}/go
	mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || cache=$PWD/cache
	export HOME=$PWD GOCACHE=$cache GOFLAGS=-mod=mod GO111MODULE=off CGO_ENABLED=0
	printf '%s\n' 'package main' 'import ("os"; "strings")' 'type sq struct { n int }' '//go:noinline' \
		'func (s *sq) Area() int { return s.n * len(strings.Repeat("x", s.n)) }' \
		'func main() { os.Exit((&sq{len(os.Args)}).Area()) }' >p.go
	for how in amd64:exe amd64:pie 386:exe s390x:exe; do
		GOARCH=${how%:*} go build -buildmode="${how#*:}" -o prog p.go || skip "this Go does not build $how"
		GOARCH=${how%:*} go build -buildmode="${how#*:}" -ldflags=-s -o bare p.go
		# of twice the same address either, of what stands for types no arguments; assembler's have .abi0
		go tool nm prog | awk '$2 == "T" || $2 == "t" { print $1, $3 }' | grep -v '\[\|runtime\.e\?text$\|\.\.eq\.' | sort >want
		readelf -lW bare | perl -ne 'my @f = split; print "$f[1] $f[2] $f[4]\n" if /^\s+LOAD/' >segments
		perl -e '
			open my $s, "<", "segments" or die; my @s = map { [ map hex, split ] } <$s>;
			open my $w, "<", "want" or die;
			while (<$w>) {
				my $at = hex((split)[0]);
				for (@s) { print $at - $_->[1] + $_->[0], "\n" if $at >= $_->[1] && $at < $_->[1] + $_->[2] }
			}' >offsets
		[ "$(wc -l <offsets)" -eq "$(wc -l <want)" ]
		[ "$(wc -l <want)" -gt 1000 ]
		mapfile -t offsets <offsets
		names_in bare "${offsets[@]}" | paste -d' ' <(cut -d' ' -f1 want) - | diff <(sed 's/\.abi0$//' want) -
		grep -q 'main.(\*sq).Area' want
	done
}
