# hostile.bats - files made to mislead who reads them: in bounded time they have the names that are in them, or
# none, and never end the tool.

setup() {
	load ../../helper
	load symbols
	command -v readelf >/dev/null || skip "binutils is not installed"
	source_of_prog
}

# bats test_tags=nightly
@test "hostile: counts, sizes and offsets that lie give true names, or none" {
	[ "$(uname -m)" = x86_64 ] || skip 'written for x86_64'
	program prog
	local kind at=("$(at prog work)" "$(at prog work 12)" "$(at prog other)" "$(at prog main)")
	hit "$PWD/prog" - "${at[@]}" | pp-symbol -q --root / --no-inline | frames - >names
	[ "$(sort -u names | tr '\n' ' ')" = 'main other work ' ]
	perl "$TESTS/tools/symbol/hostile.pl" >kinds
	[ "$(wc -l <kinds)" -gt 20 ]
	while read -r kind; do
		perl "$TESTS/tools/symbol/hostile.pl" "$kind" <prog >lies
		# by its build-id, and without one
		for id in "$(id_of prog)" -; do
			hit "$PWD/lies" "$id" "${at[@]}" >in
			run -0 --separate-stderr timeout 100 pp-symbol --root / --lines -i in -o out
			frames out | sed 's/.*<//' | sort -u >found
			sort -u names | comm -23 found - >wrong
			[ ! -s wrong ] || { echo "$kind"; cat wrong; false; }
		done
		hit "$PWD/lies" - "${at[@]}" >in
		timeout 100 pp-fold -q --root / in >/dev/null
		timeout 100 pp-script -q --root / in >/dev/null
	done <kinds
}

@test "hostile: debug information that goes in circles ends" {
	need prlimit
	[ "$(uname -m)" = x86_64 ] || skip 'written for x86_64'
	# entries of an abbreviation: 1 the unit, 2 a function, 3 one that is another (abstract_origin), 4 one that
	# is inlined and whose next sibling is itself, 5 a function whose next sibling is the first
	cat >circles.s <<-'END'
		.text
		.globl main, work
		.type main, @function
		main: call work
		ret
		.size main, .-main
		.type work, @function
		work: .skip 64, 0x90
		ret
		.size work, .-work
		last:
		.section .debug_abbrev, "", @progbits
		.byte 1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0
		.byte 2, 0x2e, 1, 0x11, 0x01, 0x12, 0x06, 0x31, 0x13, 0, 0
		.byte 3, 0x2e, 0, 0x31, 0x13, 0, 0
		.byte 4, 0x1d, 0, 0x01, 0x13, 0x11, 0x01, 0x12, 0x06, 0x31, 0x13, 0, 0
		.byte 5, 0x2e, 0, 0x01, 0x13, 0, 0
		.byte 0
		.section .debug_info, "", @progbits
		begin: .long end - unit
		unit: .value 4
		.long 0
		.byte 8
		.byte 1
		.quad main
		.long last - main
		first: .byte 2
		.quad work
		.long last - work
		.long one - begin
		inner: .byte 4
		.long inner - begin
		.quad work
		.long 32
		.long two - begin
		.byte 0
		one: .byte 3
		.long two - begin
		two: .byte 3
		.long one - begin
		.byte 5
		.long first - begin
		.byte 0
		end:
		.section .note.GNU-stack, "", @progbits
	END
	"${CC:-cc}" -o circles circles.s
	hit "$PWD/circles" "$(id_of circles)" "$(at circles work)" "$(at circles work 40)" "$(at circles main)" >in
	local limits=(timeout 60 prlimit --as=2000000000)
	# sanitizers have memory of their own
	! sanitized || limits=(timeout 60)
	for tool in pp-symbol pp-fold; do
		run -0 "${limits[@]}" $tool -q --root / -i in -o out
	done
	pp-symbol -q --root / in | frames - | sed 's/.*<//' | sort | uniq -c | tr -s ' ' | tr '\n' ';' >found
	[ "$(cat found)" = ' 1 main; 2 work;' ]
}

# bats test_tags=nightly
@test "hostile: a debug link to the file itself, and symbols that unpack to 200 MB" {
	program prog
	strip -o bare prog
	cp bare linked
	objcopy --add-gnu-debuglink=bare linked
	mv linked bare
	hit "$PWD/bare" - "$(at prog work)" >in
	run -0 timeout 100 pp-symbol --root / -i in -o out
	[ -z "$(frames out)" ]
	command -v xz >/dev/null || skip "xz is not installed"
	head -c 200000000 /dev/zero | xz -1 >mini.xz
	objcopy --add-section .gnu_debugdata=mini.xz bare bomb
	hit "$PWD/bomb" - "$(at prog work)" >in
	run -0 timeout 100 pp-symbol --root / -i in -o out
	[ -z "$(frames out)" ]
}

@test "hostile: .dwo files that are none: libdw is kept from opening them" {
	program prog -gsplit-dwarf
	dwo=$(find . -name '*.dwo')
	[ -n "$dwo" ] || skip "the compiler splits no debug information"
	rm "$dwo"
	mkfifo "$dwo" prog.dwp
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" >in
	for tool in pp-symbol pp-fold pp-script; do
		run -0 --separate-stderr timeout 60 $tool --root / -i in -o out
		[[ $stderr == *"prog.dwp: it is not a regular file"* ]]
		[[ $stderr == *"$(basename "$dwo"): it is not a regular file"* ]]
		[ -s out ]
	done
}

# bats test_tags=nightly
@test "hostile: .dwo files and packages whose bytes lie" {
	[ "$(uname -m)" = x86_64 ] || skip 'written for x86_64'
	local version seed dwo at
	for version in 4 5; do
		rm -f ./*.dwo
		program prog -gsplit-dwarf "-gdwarf-$version"
		dwo=$(find . -name '*.dwo')
		[ -n "$dwo" ] || skip "the compiler splits no debug information"
		cp "$dwo" true
		at=("$(at prog work)" "$(at prog work 12)" "$(at prog other)" "$(at prog main)")
		hit "$PWD/prog" "$(id_of prog)" "${at[@]}" >in
		pp-symbol --no-inline in | frames - | sort -u >names
		for seed in $(seq 12); do
			perl -e '
				my $seed = shift;
				srand $seed;
				local $/;
				my $file = <STDIN>;
				my $size = length $file;
				# headers of sections are at the end
				my $near = $seed & 1 ? $size - 640 : 64;
				substr $file, $near + rand(640) % ($size - $near), 1, chr rand 256 for 1 .. 8;
				print $seed % 5 == 4 ? substr $file, 0, rand $size : $file;
			' "$seed" <true >"$dwo"
			run timeout 60 pp-symbol -q --lines in -o out
			[ "$status" = 0 ]
			frames out | sed 's/.*<//' | sort -u | comm -13 names - >wrong
			[ ! -s wrong ] || { echo "$version $seed"; cat wrong; false; }
			timeout 60 pp-fold -q in >/dev/null
		done
	done
	command -v clang llvm-dwp >/dev/null || skip "clang or llvm-dwp is not installed"
	rm ./*.dwo
	CC=clang program prog -gsplit-dwarf
	timeout 60 llvm-dwp -e prog -o package
	rm ./*.dwo
	at=("$(at prog work)" "$(at prog work 12)" "$(at prog other)" "$(at prog main)")
	hit "$PWD/prog" - "${at[@]}" >in
	# counts and places in its index
	for at in 0 4 8 12 16 200 240 260; do
		perl -e '
			local $/;
			$_ = <STDIN>;
			my $index = (split " ", `readelf -SW package | sed -n "s/.*debug_cu_index//p"`)[2];
			substr $_, hex($index) + shift, 4, "\xff" x 4;
			print;
		' "$at" <package >prog.dwp
		run -0 timeout 60 pp-symbol -q --lines in -o out
		frames out | sed 's/.*<//' | sort -u | cmp names
	done
}

@test "symbol: files that are cut or changed anywhere end in a name or none, and never in a crash" {
	program prog
	id=$(id_of prog)
	offsets=("$(at prog work)" "$(at prog work 12)" "$(at prog main)")
	mkdir -p "home/.debug/.build-id/${id:0:2}/${id:2}"
	hit "$PWD/broken" "$id" "${offsets[@]}" >in
	for seed in $(seq 60); do
		perl -e '
			my ($from, $to, $seed) = @ARGV;
			srand $seed;
			open my $f, "<:raw", $from or die; local $/; $_ = <$f>;
			$_ = substr $_, 0, 1 + int rand length if $seed % 3 == 0;
			substr($_, rand length, 1) = chr rand 256 for 1 .. 20;
			open my $t, ">:raw", $to or die; print $t $_' prog broken "$seed"
		status=0
		timeout 60 pp-symbol -q --lines in >out || status=$?
		[ "$status" -eq 0 ]
	done
}
