# session.bats - a program that uses a session alone is a right program: whole, in order, and honest about damage.

setup() {
	load ../helper
	load api
	installed
	streams=$ROOT/tests/streams
}

# shown N: the N-th program that perfpipe.h shows
shown() {
	perl -ne 'if (/^ \*(?:\t(.*))?$/) { $one .= ($1 // "") . "\n" } else { push @all, $one if $one && $one =~ /int main/; $one = "" }
		END { print $all[$ARGV - 1 + '"$1"'] =~ s/\A\s*|\s*\z//gr, "\n" }' "$INCLUDE/perfpipe.h"
}

# cuts STREAM: streams that are damaged, each in its own way
cuts() {
	head -c -20 "$1" >in-a-record
	head -c 12000 "$1" >in-the-middle
	pp-cat --seal "$1" | head -c -48 >without-its-end
	pp-filter --seal --samples=1-9 in-a-record >found-before || true
}

# small SOURCE LINES: the body of main is no longer
small() {
	local n
	n=$(sed -n '/^int main/,/^}/p' "$1" | sed '1,2d; $d' | grep -c .)
	echo "$1: $n lines"
	[ "$n" -le "$2" ]
}

@test "samples are counted by function in 15 lines, a comm is renamed in 12, and perfpipe.h shows both" {
	small "$ROOT/tests/api/functions.c" 15
	small "$ROOT/tests/api/rename.c" 12
	for n in 1 2; do
		[ $n = 1 ] && name=functions || name=rename
		shown $n | same_bytes - <(sed 1d "$ROOT/tests/api/$name.c")
		cp "$ROOT/tests/api/$name.c" "$name.cc"
		links "$name.cc" "$name"
	done
}

@test "functions.c: samples are counted as pp-script names them" {
	links "$ROOT/tests/api/functions.c" functions
	for in in demo switch plain; do
		./functions "$streams/$in.pipe" >have
		pp-script -G -F ip,sym "$streams/$in.pipe" | sed -E 's/^ *[0-9a-f]+ //; s/ *$//' | grep . |
			LC_ALL=C sort | uniq -c | LC_ALL=C sort -k1,1nr -k2 | sed -E 's/^ +//' >want
		same_bytes want have
	done
}

@test "rename.c: the new name is in place of the old one, and nothing else changes" {
	links "$ROOT/tests/api/rename.c" rename
	for new in x perl-but-longer "$(printf 'n%.0s' {1..63})"; do
		./rename perl "$new" "$streams/demo.pipe" >out
		pp-check -q out
		pp-dump --json "$streams/demo.pipe" | jq -c 'del(.offset, .size)' | grep -v FINISHED_ROUND |
			sed "s/\"comm\":\"perl\"/\"comm\":\"$new\"/" >want
		pp-dump --json out | jq -c 'del(.offset, .size)' | grep -v FINISHED_ROUND | same_bytes want -
		grep -q "\"comm\":\"$new\"" want
	done
	./rename nobody else <"$streams/demo.pipe" | same_bytes "$streams/demo.pipe" -
	run -2 ./rename perl
}

@test "rename.c: perf shows the new name" {
	need_perf
	links "$ROOT/tests/api/rename.c" rename
	./rename perl porl "$streams/demo.pipe" >out
	perf script -i - -F comm <"$streams/demo.pipe" | sed 's/^\( *\)perl/\1porl/' >want
	perf script -i - -F comm <out | same_bytes want -
	grep -q porl want
	perf report -i - -s comm --stdio <out | grep -q porl
}

@test "both end with 3 on a stream that is cut or damaged, what is whole is delivered, and the output says so" {
	cuts "$streams/demo.pipe"
	links "$ROOT/tests/api/functions.c" functions
	links "$ROOT/tests/api/rename.c" rename
	run -0 ./functions "$streams/demo.pipe"
	for file in in-a-record in-the-middle without-its-end found-before; do
		echo "$file"
		run -3 ./functions "$file"
		[[ "$output" == *"functions: $file: "* ]]
		[ "$(grep -v functions: <<<"$output" | awk '{ n += $1 } END { print n + 0 }')" = \
			"$(pp-dump -q --json "$file" | grep -c '"type":"SAMPLE"')" ]
		run -3 sh -c './rename perl porl "$1" >out' rename "$file"
		run -3 pp-check -q out
		[ "$(pp-dump -q --json out | grep -c '"type":"SAMPLE"')" = \
			"$(pp-dump -q --json "$file" | grep -c '"type":"SAMPLE"')" ]
	done
}

@test "what cannot be opened is said, and ends with its own status" {
	links "$ROOT/tests/api/functions.c" functions
	links "$ROOT/tests/api/rename.c" rename
	run -4 ./functions missing
	assert_output "functions: missing: cannot open: No such file or directory"
	echo hello >text
	run -3 ./rename a b text
	[[ "$output" == *"rename: text: not a perf stream"* ]]
	run -4 sh -c './rename a b "$1" >/dev/full' rename "$streams/demo.pipe"
	[[ "$output" == *"rename: output: cannot write: No space left on device"* ]]
}

@test "by time, what is written is what pp-sort writes, tails and seals included" {
	cat >sorts.c <<-'END'
		#include <perfpipe/session.h>
		int main(int argc, char **argv)
		{
			struct pp_session_options how = { sizeof(how), 0, 1 };
			struct pp_session *session;
			struct pp_record record;

			how.order = argc > 1 ? PP_SESSION_BY_TIME : PP_SESSION_AS_READ;
			session = pp_session_open(argv[1], &how);
			while (pp_session_next(session, &record) == PP_MORE)
				pp_session_write(session, &record);
			return pp_session_finish(session);
		}
	END
	links sorts.c sorts
	for in in demo switch plain tracepoint zstd stat; do
		echo "$in"
		./sorts "$streams/$in.pipe" >out
		pp-sort "$streams/$in.pipe" | same_bytes - out
	done
	trickle "$streams/demo.pipe" 99 | ./sorts /dev/stdin >out
	pp-sort "$streams/demo.pipe" | same_bytes - out
	pp-sort "$streams/demo.pipe" | pp-cat --seal >sealed
	./sorts sealed | same_bytes sealed -
	run -3 sh -c 'head -c 4000 sealed | ./sorts /dev/stdin >out'
	run -3 pp-check -q out
}

@test "samples in batches are those that come one by one, and tails come in both orders" {
	cat >pieces.c <<-'END'
		#define PP_UNSTABLE
		#include <perfpipe/perfpipe.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			struct pp_session_options how = { sizeof(how) };
			struct pp_session *session;
			static struct pp_batch batch;
			struct pp_record record;
			unsigned long samples = 0, bytes = 0;
			const void *piece;
			size_t size;

			how.order = argc > 2 ? PP_SESSION_BY_TIME : PP_SESSION_AS_READ;
			how.tails = true;
			session = pp_session_open(argv[1], &how);
			while (pp_session_next(session, &record) == PP_MORE) {
				samples += record.type == PP_REC_SAMPLE;
				while (pp_session_tail(session, &piece, &size) == PP_MORE)
					bytes += size;
				while (pp_session_batch(session, &batch))
					samples += batch.count;
			}
			printf("%lu %lu\n", samples, bytes);
			return pp_session_finish(session);
		}
	END
	links pieces.c pieces
	in=$streams/tracepoint.pipe
	pp-dump --json "$in" | jq -s -r '[(map(select(.type == "SAMPLE")) | length),
		(map(select(.type == "HEADER_TRACING_DATA").fields.size) | add)] | join(" ")' >want
	./pieces "$in" | same_bytes want -
	./pieces "$in" by-time | same_bytes want -
}

@test "addresses of a call chain have the names that pp-script shows, also in a session that is fed" {
	cat >chains.c <<-'END'
		#define PP_UNSTABLE
		#include <perfpipe/perfpipe.h>
		#include <stdio.h>
		static void show(struct pp_session *session, struct pp_record *record)
		{
			struct pp_chain chain;
			struct pp_location place;
			uint64_t address;

			if (record->type == PP_REC_SAMPLE && pp_chain_open(&chain, record))
				while (pp_chain_next(&chain, &address))
					puts(pp_session_locate(session, record, chain.mode, address, &place) ?
					     place.frames[place.count - 1].symbol : "[unknown]");
		}
		int main(int argc, char **argv)
		{
			struct pp_session_options how = { sizeof(how), PP_SESSION_SYMBOLS };
			struct pp_session *session, *other = NULL;
			struct pp_record record;
			struct pp_error error;

			how.fed = argc > 2;
			session = pp_session_open(argv[1], &how);
			how.fed = false;
			how.keep = 0;
			how.order = PP_SESSION_BY_TIME;
			if (argc > 2)
				other = pp_session_open(argv[1], &how);
			while (pp_session_next(other ? other : session, &record) == PP_MORE) {
				if (other && pp_session_note(session, &record, &error))
					return 4;
				show(session, &record);
			}
			return pp_session_finish(session) + (other ? pp_session_finish(other) : 0);
		}
	END
	links chains.c chains
	pp-script --no-inline -F ip,sym "$streams/demo.pipe" | sed -nE 's/^\t* *[0-9a-f]+ //p' >want
	[ "$(wc -l <want)" -gt 100 ]
	./chains "$streams/demo.pipe" | same_bytes want -
	./chains "$streams/demo.pipe" fed | same_bytes want -
}

@test "a session that has no memory ends with 4, and one that is used wrongly with 2" {
	cat >none.c <<-'END'
		#include <perfpipe/session.h>
		#include <stdio.h>
		int main(void)
		{
			struct { struct pp_session_options known; char more[8]; } newer = { { sizeof(newer) }, { 1 } };
			struct pp_session *session = NULL;
			struct pp_record record;
			uint64_t count;

			printf("%d%d", pp_session_next(session, &record), pp_session_counted(session, 0, &count) == NULL);
			printf("%d ", pp_session_finish(session));
			session = pp_session_open("in", &newer.known);
			printf("%d", pp_session_next(session, &record));
			printf("%d ", pp_session_finish(session));
			session = pp_session_open("in", NULL);
			printf("%d", pp_session_next(session, &record));
			printf("%d", pp_session_write(session, &record));
			printf("%d", pp_session_finish(session));
			return 0;
		}
	END
	cp "$streams/demo.pipe" in
	links none.c none
	[ "$(./none)" = "-114 -12 1-12" ]
}
