# kept.bats - what files said is kept for the next run, and used only while it would be said again.

setup() {
	load ../../helper
	load symbols
	source_of_prog
	export XDG_CACHE_HOME=$PWD/cache
}

kept() { find cache/perfpipe -name 'names-*' 2>/dev/null; }

# keep [OPTION...] STREAM: names go to `out`, and what was said of its only file is kept, which is not done in
# the tick of the clock in which the file changed
keep() {
	local i
	rm -rf cache
	for ((i = 0; i < 1000; i++)); do
		pp-symbol "$@" -o out
		[ -z "$(kept)" ] || return 0
		sleep 0.01
	done
	return 1
}

# of_prog [FLAG...]: the program, and a stream `in` that hits two functions of it
of_prog() {
	program prog "$@"
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work 4)" "$(at prog main)" >in
}

@test "symbol: what files say is kept for the next run, for no one else to read, and not written again" {
	of_prog
	keep in
	[ "$(kept | wc -l)" = 1 ]
	[ "$(stat -c %a "$(kept)")" = 600 ]
	[ "$(stat -c %a cache/perfpipe)" = 700 ]
	inode=$(stat -c %i "$(kept)")
	cp out first
	pp-symbol in -o out
	same_bytes first out
	[ "$(stat -c %i "$(kept)")" = "$inode" ]
}

@test "symbol: what each of several files says is used again, whatever was asked after it" {
	of_prog
	cp prog a-program-of-another-name
	hit "$PWD/prog" - "$(at prog work)" >first
	pid=8 hit "$PWD/a-program-of-another-name" - "$(at prog work)" >second
	pp-merge -q first second -o both
	until [ "$(kept | wc -l)" = 2 ]; do keep both; done
	before=$(kept | sort | xargs stat -c '%n %i')
	pp-symbol both -o out
	assert_equal "$(kept | sort | xargs stat -c '%n %i')" "$before"
}

@test "symbol: offsets that are new are read, and join those that are kept" {
	of_prog
	keep in
	hit "$PWD/prog" "$(id_of prog)" "$(at prog other)" "$(at prog work 4)" "$(at prog main)" >more
	pp-symbol more -o out
	[ "$(frames out | grep -c .)" = 3 ]
	inode=$(stat -c %i "$(kept)")
	for stream in in more; do
		pp-symbol "$stream" -o warm
		XDG_CACHE_HOME=$PWD/none-$stream pp-symbol "$stream" -o cold
		same_bytes warm cold
	done
	[ "$(stat -c %i "$(kept)")" = "$inode" ]
}

@test "symbol: what is kept of a file is not used once the file has changed, whatever it says of itself" {
	of_prog
	hit "$PWD/prog" - "$(at prog work 4)" >in
	keep in
	[ "$(frames out)" = work ]
	sed -i 's/\<work\>/rest/g' prog.c
	program rebuilt
	cat rebuilt >prog
	touch -r prog.c prog
	pp-symbol in -o out
	[ "$(frames out)" = rest ]
}

@test "symbol: what is kept of a program is not used once its debug file is there, or gone again" {
	of_prog -Wl,--build-id
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog main)" >in
	objcopy --only-keep-debug prog prog.debug
	strip prog
	objcopy --add-gnu-debuglink=prog.debug prog
	mv prog.debug elsewhere
	keep in
	[ -z "$(frames out)" ] || [[ $(frames out) != *work* ]]
	mv elsewhere prog.debug
	pp-symbol in -o out
	[[ $(frames out) == *work* ]]
	keep in
	rm prog.debug
	pp-symbol in -o out
	[[ $(frames out) != *work* ]]
}

@test "symbol: what is kept is not used where it is damaged, cut, or another's to write, and is replaced" {
	of_prog
	keep in
	cp out first
	file=$(kept)
	cp "$file" good
	size=$(stat -c %s good)
	for place in 0 9 17 25 33 41 49 57 70 $((size / 3)) $((size / 2)) $((size - 1)); do
		perl -e 'local $/; open F, "<", "good"; $_ = <F>; substr($_, $ARGV[0], 1) ^= "\x41"; print' "$place" >"$file"
		pp-symbol in -o out
		same_bytes first out
		cmp -s good "$file"
	done
	for bytes in 0 8 70 $((size - 1)); do
		head -c "$bytes" good >"$file"
		pp-symbol in -o out
		same_bytes first out
		cmp -s good "$file"
	done
	chmod 622 "$file"
	pp-symbol in -o out
	same_bytes first out
	[ "$(stat -c %a "$file")" = 600 ]
}

@test "symbol: what is kept without inlined functions or lines is no answer where they are asked for" {
	of_prog
	keep --no-inline in
	for option in "" --lines --no-inline "--demangle no"; do
		# shellcheck disable=SC2086
		pp-symbol $option in -o out
		# shellcheck disable=SC2086
		XDG_CACHE_HOME=$PWD/none-${option// /} pp-symbol $option in -o cold
		same_bytes out cold
	done
}

@test "symbol: what is said of a file is said each time" {
	of_prog -gsplit-dwarf
	rm -f ./*.dwo
	for i in 1 2 3; do
		run -0 --separate-stderr pp-symbol in -o out
		[[ $stderr == *dwo* ]]
	done
	[ -z "$(kept)" ]
}

@test "symbol: a file that is not there is looked for each time" {
	of_prog
	mv prog elsewhere
	keep in
	[ -z "$(frames out)" ]
	mv elsewhere prog
	pp-symbol in -o out
	[[ $(frames out) == *work* ]]
}

@test "symbol: the oldest of what is kept goes where it is too much, and nothing else" {
	of_prog
	mkdir -p cache/perfpipe
	for name in names-old names-older names-new kernel; do
		truncate -s 30M "cache/perfpipe/$name"
	done
	touch -d 2001-01-01 cache/perfpipe/names-older cache/perfpipe/kernel
	touch -d 2002-01-01 cache/perfpipe/names-old
	until [ ! -e cache/perfpipe/names-older ]; do
		pp-symbol in -o out
		sleep 0.01
	done
	[ "$(cd cache/perfpipe && echo names-[no]* kernel)" = "names-new names-old kernel" ]
	[[ $(frames out) == *work* ]]
}

# bats test_tags=T3-B6
@test "symbol: nothing is kept, made, read or removed in a folder of another user's, nor where a link of theirs leads" {
	need_root
	of_prog
	keep in # from now on each run would keep
	unset XDG_CACHE_HOME
	mkdir -p theirs full/.cache/perfpipe linked/.cache ours target
	touch target/names-{a,b,c}
	truncate -s 30M target/names-*
	ln -s "$PWD/target" linked/.cache/perfpipe
	ln -s "$PWD/full/.cache" ours/.cache
	chown -hR 65534 theirs full linked ours/.cache
	mkdir -p mine/.cache inside/.cache
	ln -s "$PWD/target" mine/.cache/perfpipe # which is ours, but no folder
	mkdir -p inside/.cache/perfpipe
	cp cache/perfpipe/* inside/.cache/perfpipe
	chown 65534 inside
	find theirs full linked ours target mine inside -printf '%p %i %C@\n' | sort >before
	for home in theirs full linked ours mine inside; do
		echo "$home"
		HOME=$PWD/$home pp-symbol in -o again
		same_bytes out again
		find theirs full linked ours target mine inside -printf '%p %i %C@\n' | sort | diff before -
	done
	need strace
	HOME=$PWD/inside strace -f -qq -e trace=openat -o calls pp-symbol in -o again || skip "strace may not trace"
	run ! grep -q inside/.cache calls
}

@test "symbol: what cannot be kept of files is no failure" {
	of_prog
	for home in /proc /nowhere/at/all "" relative; do
		run -0 --separate-stderr env XDG_CACHE_HOME="$home" HOME="$home" pp-symbol in -o out
		[ -z "$stderr" ]
		[[ $(frames out) == *work* ]]
	done
	run -0 --separate-stderr sh -c 'ulimit -f 0; exec pp-symbol in | cat' >out
	[ -z "$stderr" ]
	[ ! -e relative ]
}
