# replay.bats - the seeds of the fuzz targets, and every past find, through each target without
# libFuzzer, so that no find ever comes back.

setup() {
	load ../helper
}

# seeds: all inputs that are kept, built streams among them
seeds() {
	find "$TESTS/fuzz/seeds" "$TESTS/streams" -type f ! -name '*.md' 2>/dev/null | sort
	build <"$TESTS/streams/every.txt" >every.pipe
	sed 's/^header$/header big/' "$TESTS/streams/every.txt" | build >every-big.pipe
	build <"$TESTS/streams/newer.txt" >newer.pipe
	printf '%s\n' "$PWD/every.pipe" "$PWD/every-big.pipe" "$PWD/newer.pipe"
	# an ELF file with debug information, and what is left of it where it was cut or changed
	printf 'static inline int f(int x) { return x * 3; }\nint main(int c, char **v) { return f(c) + !v; }\n' >elf.c
	"${CC:-cc}" -g -O1 -o elf-0 elf.c || return
	perl -e '
		open my $f, "<:raw", "elf-0" or die; local $/; my $whole = <$f>;
		for my $seed (1 .. 40) {
			srand $seed;
			$_ = $whole;
			$_ = substr $_, 0, 1 + int rand length if $seed & 1;
			substr($_, rand length, 1) = chr rand 256 for 1 .. $seed;
			open my $t, ">:raw", "elf-$seed" or die; print $t $_;
		}'
	# and such as lie in one thing
	perl "$TESTS/tools/symbol/hostile.pl" >kinds
	while read -r kind; do
		perl "$TESTS/tools/symbol/hostile.pl" "$kind" <elf-0 >"elf-0-${kind// /-}" || return
	done <kinds
	# one of Go without symbols, of which the table of functions is cut or changed
	perl "$TESTS/tools/symbol/go_table.pl" 1.20 main.main 'main.(*T).f' main.g >go.s
	if "${CC:-cc}" -nostdlib -static -no-pie -s -o elf-0-go go.s 2>/dev/null; then
		perl -e '
			open my $f, "<:raw", "elf-0-go" or die; local $/; my $whole = <$f>;
			my $table = index $whole, "\xf1\xff\xff\xff\0\0\1\10";
			for my $seed (1 .. 40) {
				srand $seed;
				$_ = $whole;
				substr($_, $table + 8 + rand 300, 1) = chr rand 256 for 1 .. $seed % 4;
				$_ = substr $_, 0, $table + rand 300 if $seed % 5 == 0;
				open my $t, ">:raw", "elf-0-go-$seed" or die; print $t $_;
			}'
	fi
	gzip -c elf-0 >elf-0-gzip || return
	! command -v xz >/dev/null || xz -c elf-0 >elf-0-xz || return
	! command -v zstd >/dev/null || zstd -q -c elf-0 >elf-0-zstd || return
	printf '%s\n' "$PWD"/elf-[0-9]*
	# what processes say to each other: an answer of two frames, changed; a question; what was found
	perl -e '
		my $answer = pack "Q5 L2 (L4)2 (Z*)4", 0x1000, 0x1fff, 0x1010, 0x1000, 0, 2, 3,
			5, 4, 7, 1, 5, 4, 9, 0, "main", "a.c", "work", "b.c";
		my $id = pack "C a20", 20, "x" x 20;
		my @all = ("\0$answer$answer", "\1" . pack("Q2 L5", 5, 0, 0, 0, 7, 8, 1) . $id . $id . "\0\0/bin/cat\0/lib/x\0",
			"\2" . pack("L2", 1, 48) . pack("l L l", 0, 0, 0) . $id . "\0" x 3 . "\0/bin/cat\0\0",
			"\2" . pack("L2", 4, 5) . "said\0" . pack("L2", 8, 0));
		for my $seed (0 .. 80) {
			srand $seed;
			my $bytes = $all[$seed % @all];
			substr($bytes, rand length $bytes, 1) = chr rand 256 for 1 .. $seed / 4 % 6;
			$bytes = substr $bytes, 0, 1 + rand length $bytes if $seed % 5 == 4;
			open my $t, ">:raw", "wire-$seed" or die; print $t $bytes;
		}'
	printf '%s\n' "$PWD"/wire-[0-9]*
	# the same of a jitdump file
	perl "$TESTS/jitdump.pl" >jit-0 <<-'END'
		header pid=7
		lines time=9 addr=0x1000 0:a.js:3 16:=:5
		unwind time=9 header=4 mapped=24 hex=0102030405060708aabbccdd
		load time=10 addr=0x1000 index=1 name=first size=60
		move time=20 from=0x1000 to=0x2000 index=1
		close time=60
	END
	perl -e '
		open my $f, "<:raw", "jit-0" or die; local $/; my $whole = <$f>;
		for my $seed (1 .. 60) {
			srand $seed;
			my $bytes = $whole;
			substr($bytes, 40 + rand(length($bytes) - 40), 1) = chr rand 256 for 1 .. $seed % 5;
			$bytes = substr $bytes, 0, 1 + rand length $bytes if $seed % 3 == 0;
			open my $t, ">:raw", "jit-$seed" or die; print $t $bytes;
		}'
	printf '%s\n' "$PWD"/jit-[0-9]*
}

targets() {
	for t in "$BIN"/tests/fuzz/replay-*; do
		[ ! -x "$t" ] || case $t in *.d | *.o) ;; *) echo "$t" ;; esac
	done
}

@test "every fuzz target comes through its seeds" {
	[ -n "$(targets)" ] || skip "no fuzz targets were built"
	mapfile -t inputs < <(seeds)
	[ "${#inputs[@]}" -gt 3 ]
	for t in $(targets); do
		run -0 "$t" "${inputs[@]}"
	done
}

@test "regular expressions match what the C library's match, with 20000 patterns" {
	[ -x "$BIN/tests/fuzz/replay-regex" ] || skip "no fuzz targets were built"
	perl -e 'srand 11; print pack "C*", map { rand 256 } 1 .. 33 * 20000' >patterns
	run -0 "$BIN/tests/fuzz/replay-regex" patterns
}

@test "every fuzz target comes through inputs that crashed other readers" {
	corpus fuzz
	[ -n "$(targets)" ] || skip "no fuzz targets were built"
	for t in $(targets); do
		run -0 "$t" "$CORPUS"/fuzz/*
	done
}

@test "every fuzz target comes through a stream cut anywhere" {
	[ -n "$(targets)" ] || skip "no fuzz targets were built"
	build <"$TESTS/streams/every.txt" >in.pipe
	mkdir cuts
	perl -e '
		open F, "<:raw", "in.pipe" or die; local $/; my $s = <F>;
		for (my $n = 0; $n <= length $s; $n += 7) {
			open O, ">:raw", sprintf("cuts/%05d", $n) or die; print O substr($s, 0, $n); close O;
		}'
	for t in $(targets); do
		run -0 "$t" cuts/*
	done
}
