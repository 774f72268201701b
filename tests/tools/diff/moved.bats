#!/usr/bin/env bats
# moved.bats - pp-diff: code that only moved, from a function to another, is one line, and fails no gate.

setup() {
	load ../../helper
	load sides
}

# functions ARG...: the lines of functions that are no light ones, sorted
functions() { verdicts a/* -- b/* "$@" | grep -v '^light' | tail -n +2 | sort; }

@test "moved: a function that has another name is one line, judged as one" {
	sides 'main;lex;old' 200 'main;other' 300 -- 'main;lex;new' 200 'main;other' 300
	run -0 functions
	assert_output $'same old -> new (renamed)\nsame other'
	run -0 pp-diff --fail-if-worse 3 a/* -- b/*
	assert_line --regexp '^same +[-+][0-9.]+ % .* 200 ms +200 ms +old -> new \(renamed\)$'
	pp-diff --markdown a/* -- b/* | grep -qF '`old -> new` (renamed) |'
	pp-diff --csv a/* -- b/* | grep -q '^function,old -> new,same,.*,renamed'
	run -0 jq -c 'select(.note) | .parts' <(pp-diff --json a/* -- b/*)
	assert_output '[{"name":"old","before":200000000,"after":0},{"name":"new","before":0,"after":200000000}]'
	# it became slower besides
	sides 'main;lex;old' 200 'main;other' 300 -- 'main;lex;new' 220 'main;other' 300
	run -0 functions
	assert_output $'same other\nworse old -> new (renamed)'
	run -1 pp-diff --fail-if-worse 3 a/* -- b/*
	run -0 pp-diff --fail-if-worse 15 a/* -- b/*
	# its caller has another name, too; or nobody calls it
	sides 'main;lex;old' 200 'main;other' 300 -- 'main;lex2;new' 200 'main;other' 300
	run -0 functions
	assert_line 'same old -> new (renamed)'
	sides old 200 other 300 -- new 200 other 300
	run -0 functions
	assert_line 'same old -> new (renamed)'
}

@test "moved: callers that --map gives other names are those of what they call" {
	sides 'main;one' 300 'main;lex;old' 200 'main;other' 300 -- 'main;two' 300 'main;lex2;new' 200 'main;other' 300
	run -0 functions --map one=two --map lex=lex2
	assert_output $'same old -> new (renamed)\nsame other\nsame two'
	# a loss and a gain under two callers are two, whatever numbers these had
	sides 'main;one' 300 'main;lex;old' 200 'main;hub;part' 300 -- \
		'main;two' 300 'main;lex;whole' 300 'main;hub;new' 200
	run -0 functions --map one=two
	assert_output $'better old (gone)\nbetter part (gone)\nsame two\nworse new (new)\nworse whole (new)'
}

@test "moved: what became a part of its caller, or was one, is one line" {
	sides 'main;whole' 300 'main;whole;part' 100 'main;other' 300 -- 'main;whole' 400 'main;other' 300
	run -0 functions
	assert_line 'same part -> whole (moved into its caller)'
	refute_line --regexp 'worse|better'
	run -0 pp-diff --fail-if-worse 3 a/* -- b/*
	run -0 functions
	cp -r a c
	mv b d
	run -0 verdicts d/* -- c/*
	assert_line 'same whole -> part (moved out of its caller)'
	refute_line --regexp 'worse|better'
	run -0 pp-diff --fail-if-worse 3 d/* -- c/*
}

@test "moved: a function that was split is one line, and functions that became one" {
	sides 'main;old' 300 'main;other' 300 -- 'main;one' 180 'main;two' 120 'main;other' 300
	run -0 functions
	assert_output $'same old -> one + two (split)\nsame other'
	cp -r a c
	mv b d
	run -0 verdicts d/* -- c/*
	assert_line 'same one + two -> old (joined)'
}

@test "moved: from one function to another below one caller, if losses and gains cancel" {
	sides 'hub;one' 300 'hub;two' 200 'main;other' 300 -- 'hub;one' 240 'hub;two' 260 'main;other' 300
	run -0 functions
	assert_output $'same one -> two (moved)\nsame other'
	run -0 pp-diff --fail-if-worse 3 a/* -- b/*
	# less was lost than another one cost more
	sides 'hub;one' 300 'hub;two' 200 'main;other' 300 -- 'hub;one' 270 'hub;two' 260 'main;other' 300
	run -0 functions
	assert_output $'better one\nsame other\nworse two'
	run -1 pp-diff --fail-if-worse 3 a/* -- b/*
	# they have not the same caller
	sides 'lex;one' 300 'hub;two' 200 'main;other' 300 -- 'lex;one' 240 'hub;two' 260 'main;other' 300
	run -0 functions
	assert_output $'better one\nsame other\nworse two'
	# nor is it known
	sides one 300 two 200 other 300 -- one 240 two 260 other 300
	run -0 functions
	assert_output $'better one\nsame other\nworse two'
}

@test "moved: what is new and what is gone is no other name if it costs another amount, or has another caller" {
	sides 'main;old' 200 'main;other' 300 -- 'main;new' 300 'main;other' 300
	run -0 functions
	assert_output $'better old (gone)\nsame other\nworse new (new)'
	sides 'lex;old' 200 'hub;one' 100 'lex;two' 100 -- 'hub;new' 200 'hub;one' 100 'lex;two' 100
	run -0 functions
	assert_line 'worse new (new)'
	assert_line 'better old (gone)'
}

@test "moved: parts of one recording of each side, shares and what is called tell it, too" {
	recording a 'main;old' 900 'main;other' 900
	recording b 'main;new' 900 'main;other' 900
	run -0 verdicts a -- b
	assert_line --regexp 'old -> new \(renamed\)'
	run -0 pp-diff --fail-if-worse 3 --one-run a -- b
	sides 'main;old' 200 'main;other' 300 'main;one' 300 -- 'main;new' 400 'main;other' 600 'main;one' 600
	run -0 functions --share
	assert_line 'same old -> new (renamed)'
	sides 'main;old;part' 200 'main;other' 300 -- 'main;new;part' 200 'main;other' 300
	run -0 functions --inclusive
	assert_line 'same old -> new (renamed)'
}

# ---- two builds of one program

# build_of FILE FLAG...: compiles a program of which a function has another name with -DRENAMED, and another one
# is inlined with -DINLINED
build_of() {
	cat >prog.c <<-'END'
		#ifdef RENAMED
		#define parse parse_fast
		#endif
		#ifdef INLINED
		#define OWN static inline __attribute__((always_inline))
		#else
		#define OWN static __attribute__((noinline))
		#endif
		volatile unsigned x;
		__attribute__((noinline)) void parse(void) { x += 3; x *= 5; x ^= 7; x += 3; x *= 5; x ^= 7; }
		OWN void part(void) { x -= 3; x *= 9; x ^= 1; x -= 3; x *= 9; x ^= 1; }
		__attribute__((noinline)) void whole(void) { x *= 11; part(); x *= 13; }
		int main(void) { parse(); whole(); return (int)x; }
	END
	"${CC:-cc}" -O1 -g -fno-pie -no-pie -Wl,--build-id -o "$1" prog.c "${@:2}"
}

# run_of PROGRAM N: as if each byte of its functions had been sampled N times
run_of() {
	local address size kind name main
	main=$((0x$(nm "$1" | sed -n 's/ T main$//p') + 1))
	echo header
	echo attr id=1 sample_type=IP,TID,TIME,CALLCHAIN,PERIOD,IDENTIFIER flags=sample_id_all,comm,mmap,mmap2
	echo "mmap2 pid=7 start=0x400000 len=0x100000 file=\"$PWD/$1\" build_id=$(readelf -n "$1" |
		sed -n 's/.*Build ID: //p') time=1"
	while read -r address size kind name; do
		[[ $kind == [tT] && $name =~ ^(parse|parse_fast|part|whole)$ ]] || continue
		address=$((0x$address)) size=$((0x$size))
		main=$main
		[ "$name" != part ] || main=$(($(whole_of "$1") + 1)),$main
		echo "repeat $(($2 * size)) {"
		echo "sample id=1 pid=7 tid=7 time=\$(i*1000+1000) period=1000 callchain=-512,\$($address+i%$size),$main"
		echo '}'
		main=${main##*,}
	done < <(nm -S "$1")
	echo round
}
whole_of() { echo $((0x$(nm "$1" | sed -n 's/ T whole$//p'))); }

@test "moved: of two builds the function with another name, and the one that is inlined now, are said to be that" {
	local i
	need "${CC:-cc}"
	need nm
	need readelf
	build_of before
	build_of after -DRENAMED -DINLINED
	for i in 1 2 3; do
		run_of before $((20 + i % 2)) | build >a$i
		run_of after $((20 + (i + 1) % 2)) | build >b$i
	done
	run -0 verdicts a? -- b?
	assert_line --regexp ' parse -> parse_fast \(renamed\)$'
	assert_line --regexp ' part \(inlined now\)$'
	refute_line --regexp ' part \(gone\)'
	run -0 verdicts b? -- a?
	assert_line --regexp ' part \(no longer inlined\)$'
	# without debug information it is a part of its caller
	strip -g before after
	run -0 verdicts a? -- b?
	assert_line --regexp ' parse -> parse_fast \(renamed\)$'
	assert_line --regexp ' part -> whole \(moved into its caller\)$'
}
