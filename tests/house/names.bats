# names.bats - a name in the sources leads to one place: names.pl, and that it finds what is wrong.

setup() { load ../helper; }

names() { perl "$TESTS/house/names.pl" "$1"; }

@test "names: of files, of static functions in a room, of tags: each stands for one thing; rooms, structs are small" {
	cd "$ROOT"
	for check in files rooms functions tags structs headers errors callbacks comments options; do
		echo "$check"
		run -0 names $check
		refute_output
	done
}

# house: two rooms, two files in each
house() {
	mkdir -p libpipe/low libpipe/high libpipe/include/perfpipe tools/shared
	for file in low/ring low/page high/sort high/walk; do
		name=${file#*/}
		printf '%s\n' "/* $name.c - see ring.c. */" "struct $name { int n; };" "static int open_$name(int (*f)(void))" '{' \
			'	return f();' '}' >"libpipe/$file.c"
	done
	echo 'static int start(void)' >tools/pp-one.c
}

# breach CHECK: what it says of the house
breach() {
	run -1 names "$1"
	[ "$(wc -l <<<"$output")" = 1 ]
}

@test "names: what stands for two things is found" {
	house
	for check in files rooms functions tags comments; do
		run -0 names $check
		refute_output
	done
	sed 's/open_page/open_ring/' -i libpipe/low/page.c
	breach functions
	assert_output 'libpipe/low: the static function open_ring: libpipe/low/page.c libpipe/low/ring.c'
	sed 's/struct sort/enum ring/' -i libpipe/high/sort.c
	breach tags
	assert_output 'the tag ring: libpipe/high/sort.c libpipe/low/ring.c'
	sed 's/ring.c/rings.c/' -i libpipe/high/walk.c
	breach comments
	assert_output 'libpipe/high/walk.c names rings.c'
	sed 's/rings.c/ring.c/' -i libpipe/high/walk.c
	echo 'Read `low/ring.c` and `high/ring.c`.' >ARCHITECTURE.md
	breach comments
	assert_output 'ARCHITECTURE.md names high/ring.c'
	cp libpipe/high/walk.c tools/shared/walk.c
	breach files
	assert_output 'the file walk.c: libpipe/high/walk.c tools/shared/walk.c'
}

@test "names: a text of the library that names a tool, or an option of one, is found" {
	house
	echo 'char *a = "use perf record -a, mount -t tracefs"; /* "--size" */ char *b = "-v", *c = "low-level";' \
		>libpipe/low/page.c
	run -0 names options
	refute_output
	for text in 'give it more with -m' 'more than --size allows' 'pp-one knows'; do
		printf 'char *a = "%s "\n\t"%s";\n' "${text% *}" "${text##* }" >libpipe/low/page.c
		breach options
		assert_output "libpipe/low/page.c: \"$text\""
	done
}

@test "names: a callback of another shape is found" {
	local header=libpipe/include/perfpipe/ring.h
	house
	cat >"$header" <<-'END'
		typedef int pp_ring_fn(void *arg, int n, struct pp_error *);
		struct pp_ring_options { void (*line)(void *arg, const char *text); bool (*has)(void *arg); };
		void pp_ring_each(pp_ring_fn *fn, void *arg);
	END
	run -0 names callbacks
	refute_output
	while read -r callback; do
		echo "${callback%% # *}" >"$header"
		breach callbacks
		assert_output "$header: the callback ${callback##* # }"
	done <<-'END'
		typedef void pp_ring_found(void *arg); # pp_ring_found does not end in _fn
		void pp_ring_each(void (*fn)(int n, void *arg)); # fn does not begin with `void *arg`
		typedef int pp_ring_fn(void *arg); # pp_ring_fn returns int, or takes a struct pp_error * last, and not both
		struct a { bool (*has)(void *arg, struct pp_error *); }; # has returns int, or takes a struct pp_error * last, and not both
	END
}

@test "names: another type of error is found, and a place beside an error" {
	local header=libpipe/include/perfpipe/ring.h
	house
	echo 'struct pp_error { int at; }; int pp_ring_check(const char *text, struct pp_error *);' >"$header"
	run -0 names errors
	refute_output
	echo 'struct pp_ring_error { int at; };' >"$header"
	breach errors
	assert_output "$header: another type of error, pp_ring_error"
	echo 'int pp_ring_check(const char *text, size_t *at, struct pp_error *);' >"$header"
	breach errors
	assert_output "$header: pp_ring_check reports a place beside its error"
}

@test "names: a room of fifteen files is found, and a function of a program is its own" {
	house
	for ((i = 1; i <= 13; i++)); do echo >"libpipe/low/file_$i.c"; done
	breach rooms
	assert_output 'libpipe/low has 15 files'
	printf 'static int start(void)\n{\n}\n' | tee tools/pp-one.c >tools/pp-two.c
	run -0 names functions
	refute_output
}

@test "names: a struct of 41 members and a header of more than 300 lines are found, and parts with names are one member" {
	local members
	house
	printf -v members '\tint a%d, *b%d;\n' {1..40}
	printf 'struct wide {\n%s\tint (*f)(int x, int y);\n};\n' "$(head -n 20 <<<"$members")" >libpipe/low/wide.h
	breach structs
	assert_output 'libpipe/low/wide.h: wide has 41 members'
	printf 'struct wide {\n\tstruct {\n%s\n\t} one;\n\tint f : 1; /* a, b */\n};\n' "$(head -n 20 <<<"$members")" \
		>libpipe/low/wide.h
	run -0 names structs
	refute_output
	yes '' | head -n 300 >>libpipe/low/wide.h
	breach headers
	assert_output "libpipe/low/wide.h has $(wc -l <libpipe/low/wide.h) lines"
}
