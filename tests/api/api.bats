# api.bats - the library as a product: what is installed is all that a program needs, the headers
# leave a program's own names alone, and what they declare is what the library shows.

setup() {
	load ../helper
	load api
	installed
}

headers() { (cd "$INCLUDE" && ls); }

# declared: the public functions and data that the headers declare
declared() {
	cat "$INCLUDE"/*.h | perl -0777 -ne '
		s{/\*.*?\*/}{}gs;
		for (/^PP_API\b(.*?);/gms) {
			if (/\bextern\b/) { print "$_\n" for /\b(pp_\w+)(?=,|$)/g }
			elsif (/\b(pp_\w+)\s*\(/) { print "$1\n" }
		}' | sort -u
}

@test "every header compiles alone, in C11 and C++17, without a warning" {
	for h in $(headers); do
		echo "$h"
		printf '#define PP_UNSTABLE\n#include <perfpipe/%s>\nint alone;\n' "$h" >alone.c
		cp alone.c alone.cc
		"${C[@]}" "${WARN[@]}" -I"$DEST/usr/include" -fsyntax-only alone.c
		"${CXX[@]}" "${WARN[@]}" -I"$DEST/usr/include" -fsyntax-only alone.cc
	done
}

@test "the headers need no table, and leave a program's own macros as they were" {
	run ! grep -rn '\.def"' "$INCLUDE"
	local own="STRUCT RECORD FEATURE FLAG SAMPLE_BIT READ_BIT BRANCH_BIT X ROW U8 U32 U64 STR ONE LIST KERNEL
		USER TAIL SET BY N AS IS REST IO FULL SIZE CUT LIMIT SAMPLE MMAP COMM"
	{
		for m in $own; do echo "#define $m 4711"; done
		echo '#define PP_UNSTABLE'
		echo '#include <perfpipe/perfpipe.h>'
		for m in $own; do printf '#if %s != 4711\n#error %s was changed\n#endif\n' "$m" "$m"; done
		echo 'int main(void) { return PP_REC_SAMPLE != 9; }'
	} >own.c
	links own.c own
	./own
}

@test "every macro, type and constant of the headers has the prefix" {
	for h in $(headers); do
		printf '#define PP_UNSTABLE\n#include <perfpipe/%s>\n' "$h" >all.c
		# the macros that are defined there, and all code without what begins with #
		"${C[@]}" -I"$DEST/usr/include" -E -dD all.c | perl -e '
			while (<STDIN>) {
				if (!/^#/) { $code .= $_; next }
				if (/^# \d+ "([^"]*)"/) { $ours = $1 =~ m{/perfpipe/} }
				print "$1\n" if $ours && /^#define (\w+)/ && $1 !~ /^(PP_|PERFPIPE_)/;
			}
			for my $body ($code =~ /\benum(?:\s+\w+)?\s*\{(.*?)\}/gs) {
				$body =~ s/\([^()]*\)//g;
				for (split /,/, $body) { print "$1\n" if /^\s*(\w+)/ && $1 !~ /^(PP_|_|P_|FP_|SI_|SEEK|POLL)/ }
			}' >>bare
		sed 's://.*::; s:/\*.*::' "$INCLUDE/$h" | grep -oE '^(struct|enum) +\w+' | awk '{ print $NF }' |
			grep -v '^pp_' >>bare || true
	done
	cat bare
	[ ! -s bare ]
}

@test "every global symbol of the library has the prefix" {
	run -0 sh -c "nm -g --defined-only '$DEST/usr/lib/libperfpipe.a' | awk 'NF == 3 && \$3 !~ /^pp_/ { print \$3 }'"
	echo "$output"
	[ -z "$output" ]
}

@test "the shared library shows what the headers declare, all of it and nothing else" {
	# no prototype, which begins a line, without its PP_API
	run ! grep -nE '^[a-z].*\bpp_[a-z0-9_]+\(' <(grep -hvE '^(static inline|typedef) ' "$INCLUDE"/*.h)
	declared >want
	[ "$(wc -l <want)" -gt 200 ]
	nm -D --defined-only "$DEST/usr/lib/libperfpipe.so.0" |
		awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u >have
	diff want have
	[ "$(readlink "$DEST/usr/lib/libperfpipe.so")" = libperfpipe.so.0 ]
	readelf -d "$DEST/usr/lib/libperfpipe.so.0" | grep -q 'SONAME.*\[libperfpipe\.so\.0\]'
}

@test "every header has a manual page, made of it, and every function that it declares" {
	need mandoc
	local man=$DEST/usr/share/man/man3 page
	for h in $(headers); do
		page=perfpipe_${h%.h}.3
		[ "$h" != perfpipe.h ] || page=perfpipe.3
		mandoc -T lint -W warning "$man/$page"
		mandoc -T ascii -O width=200 "$man/$page" | col -bx >"$page.txt"
		grep -qF "#include <perfpipe/$h>" "$page.txt"
		[ "$h" = perfpipe.h ] || [ "$(cat "$man/perfpipe-${h%.h}.3")" = ".so man3/$page" ]
	done
	# a page for each, which leads to that of its header, where it is named
	perl -e '
		my ($man, $asked, @wrong) = shift;
		sub text { open my $f, "<", $_[0] or return ""; local $/; <$f> }
		my %text;
		while (my $name = <STDIN>) {
			chomp $name;
			next if $name =~ /_(fields|bits|flags)$/ && !-f "$man/$name.3";
			my ($page) = text("$man/$name.3") =~ m{^\.so man3/(perfpipe_[a-z_]+\.3)$}m;
			$text{$page} //= text("$page.txt") if $page;
			push @wrong, $name if !$page || $text{$page} !~ /\b\Q$name\E\(/;
			$asked++;
		}
		print map { "$_ has no page, or is not in it\n" } @wrong;
		exit(@wrong > 0 || $asked < 200)' "$man" < <(declared)
}

# What it may do to the process is asked for: limits raised (pp_target_options), a command started,
# privileges given up, with a process that keeps what late reading needs (privileged_helper.o is what that does to
# itself), counters of the thread switched (pp_thread_counters), threads that exchange buffers and that
# read (pp_capture_options, pp_counting_options), one that packs (pp_flame_options), a process that reads
# foreign files or finds them, and a limit in the environment for libdebuginfod (pp_symbols_options,
# pp_unwind_options; ipc_files.o and isolated_reader_child.o are what such a process does to itself).
# helper_process.o starts the processes that keep privileges, read files or find them; namer_child.o, which finds
# them, starts another of its kind when asked by a socket (pp_namer_finder()).  permissions.o only asks what is
# filtered.
@test "the library does not print, exit, or change the process unasked" {
	nm -A --undefined-only "$DEST/usr/lib/libperfpipe.a" | awk '{ print $1, $NF }' | sed 's/^.*:\(.*\.o\):* /\1 /' >calls
	grep -q ' malloc$' calls
	grep -E ' (v?printf|puts|putchar|perror|v?warnx?|v?errx?|stdin|stdout|stderr|exit|quick_exit|atexit|abort|signal|sigaction|sigprocmask|alarm|umask|setenv|unsetenv|putenv|setlocale|chdir|prctl|daemon|system|popen|setrlimit|fork|vfork|posix_spawn|pthread_create)$' calls |
		sort >done_to_it || true
	diff done_to_it - <<-'END'
		counter_threads.o pthread_create
		debuginfod.o setenv
		deflate_columns.o pthread_create
		deputy.o sigprocmask
		enable_counters.o prctl
		enlarge_rings.o pthread_create
		enlarge_rings.o setrlimit
		helper_process.o fork
		ipc_files.o prctl
		ipc_files.o signal
		isolated_reader_child.o setrlimit
		namer_child.o fork
		open_counters.o setrlimit
		permissions.o prctl
		privileged_helper.o prctl
		privileged_helper.o sigprocmask
		ring_threads.o pthread_create
		sandbox.o prctl
		target.o fork
	END
}

@test "a pipe is made larger only when asked" {
	cat >pipes.c <<-'END'
		#define _GNU_SOURCE 1
		#include <perfpipe/perfpipe.h>
		#include <fcntl.h>
		#include <stdio.h>
		#include <unistd.h>
		int main(void)
		{
			int ends[2], before, after, asked;
			struct pp_writer *w;
			struct pp_reader *r;
			if (pipe(ends) || dup2(ends[0], 0) < 0)
				return 4;
			before = fcntl(0, F_GETPIPE_SZ);
			w = pp_writer_open(ends[1], PP_SEAL_NO);
			if (!w || pp_writer_header(w, 0, NULL) || pp_writer_end(w, 0, NULL))
				return 4;
			r = pp_reader_open(NULL, NULL, NULL);
			after = fcntl(0, F_GETPIPE_SZ);
			pp_enlarge_pipe(ends[1]);
			asked = fcntl(0, F_GETPIPE_SZ);
			printf("%d%d%d\n", r != NULL, after == before, asked >= before);
			pp_reader_close(r);
			pp_writer_close(w);
			return 0;
		}
	END
	everyway pipes.c ./program
	[ "$(cat shared.out)" = 111 ]
}

@test "the result of what can fail has to be looked at" {
	cat >ignore.c <<-'END'
		#include <perfpipe/perfpipe.h>
		void ignore(struct pp_reader *r, struct pp_record *record);
		void ignore(struct pp_reader *r, struct pp_record *record) { pp_reader_next(r, record, 0); }
	END
	run ! links ignore.c ignore
	[[ "$output" == *unused-result* ]]
}

@test "what may still change is asked for" {
	echo '#include <perfpipe/sideband.h>' >unstable.c
	run ! links unstable.c unstable
	[[ "$output" == *PP_UNSTABLE* ]]
}

@test "options of an older and of a newer program are taken, or refused" {
	cat >sizes.c <<-'END'
		#include <perfpipe/perfpipe.h>
		#include <stdio.h>
		#include <string.h>
		struct { struct pp_reader_options known; char more[64]; } options;
		static int opens(size_t size)
		{
			struct pp_error error = { PP_OK };
			struct pp_reader *r;
			options.known.size = size;
			r = pp_reader_open("in.pipe", &options.known, &error);
			pp_reader_close(r);
			return r ? 0 : error.code == PP_E_USE ? 1 : 2;
		}
		int main(void)
		{
			printf("%d%d%d%d", opens(sizeof(size_t)), opens(sizeof(options.known)), opens(sizeof(options)), opens(0));
			options.more[63] = 1;
			printf("%d\n", opens(sizeof(options)));
			return 0;
		}
	END
	cp "$ROOT/tests/streams/demo.pipe" in.pipe
	everyway sizes.c ./program
	[ "$(cat shared.out)" = 00011 ]
}

@test "of the facts of an older program a query looks at no more than there are" {
	cat >facts.c <<-'END'
		#include <perfpipe/perfpipe.h>
		#include <stdio.h>
		static unsigned long matches(size_t size)
		{
			struct pp_query_facts facts = { sizeof(facts) };
			struct pp_error error, wrong;
			struct pp_query *query = pp_query_compile("time >= +0s", &wrong);
			struct pp_reader *in = pp_reader_open("in.pipe", NULL, &error);
			struct pp_record record;
			unsigned long n = 0;
			facts.size = size;
			facts.first = (uint64_t)1 << 60;
			while (pp_reader_next(in, &record, &error) == PP_MORE)
				n += record.type == PP_REC_SAMPLE && pp_query_match(query, &record, &facts);
			pp_reader_close(in);
			pp_query_free(query);
			return n;
		}
		int main(void)
		{
			const size_t older = offsetof(struct pp_query_facts, first);
			printf("%d%d\n", matches(older) > 0, matches(sizeof(struct pp_query_facts)) > 0);
			return 0;
		}
	END
	cp "$ROOT/tests/streams/demo.pipe" in.pipe
	everyway facts.c ./program
	[ "$(cat shared.out)" = 10 ]
}

# ---- the programs that headers open with

# opens HEADER COMMAND...: the header's own program, as C and as C++
opens() {
	local header=$1
	shift
	"$ROOT/tests/api/program.sh" "$INCLUDE/$header.h" >"$header.c"
	grep -q 'int main' "$header.c"
	cp "$header.c" "$header.cc"
	everyway "$header.cc" "$@"
	everyway "$header.c" "$@"
}

@test "every header that reads or writes streams opens with a whole program" {
	for h in perfpipe reader record walk writer build query rounds sort merge tasks check print parse save mend session edit symbol counter capture; do
		echo "$h"
		"$ROOT/tests/api/program.sh" "$INCLUDE/$h.h" >program.c
		[ "$(wc -l <program.c)" -ge 10 ]
		[ "$(wc -l <program.c)" -le 40 ]
		links program.c program
	done
}

# bats test_tags=nightly
@test "perfpipe.h, session.h, reader.h, record.h, rounds.h: what is read is what pp-dump reads" {
	in=$ROOT/tests/streams/demo.pipe
	json "$in" >in.json
	opens perfpipe ./program "$in"
	[ "$(awk '{ n += $1 } END { print n }' shared.out)" = "$(jq -r 'select(.type == "SAMPLE") | .type' in.json | wc -l)" ]
	opens session ./program "$in"
	[ "$(awk '{ n += $1 } END { print n }' shared.out)" = "$(jq -r 'select(.type == "SAMPLE") | .type' in.json | wc -l)" ]
	opens reader ./program "$in"
	[ "$(cat shared.out)" = "$(grep -c '"type"' in.json) records, 0 times damage" ]
	opens record ./program "$in"
	jq -r 'select(.type == "SAMPLE") | "\(.fields.time) \(.event) \(.fields.tid) \(.fields.ip)"' in.json |
		same_bytes - shared.out
	opens rounds ./program "$in"
	jq -r 'select(.type == "SAMPLE") | .fields.time' in.json | sort -n >times
	sort -n shared.out | same_bytes - shared.out
	[ -z "$(comm -23 <(sort times) <(sort shared.out))" ]
}

@test "walk.h, print.h, parse.h: every field, there and back" {
	in=$ROOT/tests/streams/demo.pipe
	opens walk ./program "$in"
	[ "$(grep -c '^tid ' shared.out)" = "$(pp-dump --json "$in" | jq '.. | objects | select(has("tid")) | 1' | wc -l)" ]
	opens print ./program "$in"
	pp-dump "$in" | same_bytes - shared.out
	pp-dump --json "$in" >in.json
	opens parse sh -c './program <in.json'
	[ "$(awk '{ print $2 }' shared.out)" = "$(records "$in" | awk '{ print $4 }')" ]
}

@test "writer.h, build.h, edit.h, sort.h, merge.h: what is written is sound, and what the tools write" {
	in=$ROOT/tests/streams/demo.pipe
	opens writer ./program "$in"
	pp-dump --json shared.out | jq -r .type | grep -vc '^null$' >have
	pp-dump --json "$in" | jq -r .type | grep -v '^EXIT$' | grep -vc '^null$' | same_bytes - have
	opens build ./program
	pp-check -q shared.out
	[ "$(pp-dump --json shared.out | jq -r 'select(.type == "COMM").fields.comm')" = init ]
	opens edit ./program "$in"
	[ "$(pp-dump --json shared.out | jq -r 'select(.feature == "HOSTNAME").fields.data.hostname')" = somewhere ]
	opens sort ./program "$in"
	pp-sort --check shared.out
	opens merge ./program "$in" "$in"
	pp-merge "$in" "$in" | same_bytes - shared.out
}

# bats test_tags=nightly
@test "query.h, tasks.h, check.h, save.h, mend.h do what their tools do" {
	in=$ROOT/tests/streams/demo.pipe
	opens query ./program 'period > 3' "$in"
	[ "$(cat shared.out)" = "$(pp-filter 'period > 3' "$in" | pp-dump --json | jq 'select(.type == "SAMPLE").type' | wc -l)" ]
	pp-sort "$in" >sorted.pipe
	opens tasks ./program sorted.pipe
	[ "$(grep -c '^perl$' shared.out)" = "$(pp-filter 'comm == "perl"' "$in" | pp-dump --json | jq 'select(.type == "SAMPLE").type' | wc -l)" ]
	opens check ./program "$in"
	opens save sh -c './program out.data "$1" && cat out.data' save "$in"
	pp-save -o want.data "$in"
	same_bytes want.data shared.out
	opens mend ./program "$in"
	same_bytes "$in" shared.out
}

@test "symbol.h: symbols of this machine's files are nm's" {
	command -v readelf >/dev/null || skip "binutils is not installed"
	load ../tools/symbol/symbols
	source_of_prog
	program prog
	hit "$PWD/prog" "$(id_of prog)" "$(at prog work)" "$(at prog other)" >in
	opens symbol ./program in
	diff shared.out - <<-'END'
		work
		other
	END
}

# ---- programs of some length

# bats test_tags=nightly
@test "samples are counted by the name of their task, in C and C++" {
	in=$ROOT/tests/streams/demo.pipe
	everyway "$ROOT/tests/api/comm.c" sh -c './program <"$1"' comm "$in"
	cp shared.out c.out
	pp-sort "$in" >sorted.pipe
	everyway "$ROOT/tests/api/comm.cc" sh -c './program <sorted.pipe'
	sort c.out | same_bytes - <(sort shared.out)
	while read -r n name; do
		[ "$(pp-filter "comm == \"$name\"" "$in" | pp-dump --json | jq 'select(.type == "SAMPLE").type' | wc -l)" = "$n" ]
	done <c.out
	[ "$(wc -l <"$ROOT/tests/api/comm.cc")" -lt 30 ]
}

@test "a mapping keeps its number where another covers a part of it, and where it is inherited" {
	build <<-'END' >in
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all,mmap2,task
		mmap2 pid=7 start=0x1000 len=0x3000 file=/a prot=5 flags=2 time=10
		fork pid=8 ppid=7 tid=8 ptid=7 time=20
		mmap2 pid=7 start=0x2000 len=0x1000 file=/b prot=3 flags=1 time=30
		sample pid=7 time=40 ip=0x1010
		sample pid=7 time=50 ip=0x2010
		sample pid=7 time=60 ip=0x3010
		sample pid=8 time=70 ip=0x2010
	END
	everyway "$ROOT/tests/api/maps.c" sh -c './program <in'
	diff - shared.out <<-'END'
		7 1 /a 0x5 0x2 0x1000-0x2000
		7 2 /b 0x3 0x1 0x2000-0x3000
		7 1 /a 0x5 0x2 0x3000-0x4000
		8 1 /a 0x5 0x2 0x1000-0x4000
	END
}

@test "a filter of 60 lines writes what pp-filter writes" {
	for in in demo switch plain; do
		everyway "$ROOT/tests/api/filter.c" sh -c './program '\''comm =~ "p" || cpu == 0'\'' <"$1"' filter "$ROOT/tests/streams/$in.pipe"
		pp-filter 'comm =~ "p" || cpu == 0' "$ROOT/tests/streams/$in.pipe" | same_bytes - shared.out
	done
}

@test "a stream that is made record by record is sound" {
	everyway "$ROOT/tests/api/write.cc" ./program
	pp-check -q shared.out
	[ "$(pp-dump --json shared.out | jq -c 'select(.type == "SAMPLE") | [.fields.ip, .fields.tid, .fields.time]' | tail -n 1)" = '["0x1005",13,5000]' ]
}
