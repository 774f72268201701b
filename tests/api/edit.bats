# edit.bats - a field of a record is rewritten as the tables say that it lies, and all else stays.

setup() {
	load ../helper
	load api
	installed
	streams=$ROOT/tests/streams
}

# edits: ./edits NAME TEXT FILE writes the file with the first text of that name in each record replaced
edits() {
	cat >edits.c <<-'END'
		#include <perfpipe/session.h>
		int main(int argc, char **argv)
		{
			struct pp_session_options how = { sizeof(how), 0, 1 };
			struct pp_session *session = argc > 3 ? pp_session_open(argv[3], &how) : NULL;
			struct pp_record record;

			while (pp_session_next(session, &record) == PP_MORE) {
				pp_session_edit_named_text(session, &record, argv[1], argv[2]);
				pp_session_write(session, &record);
			}
			return pp_session_finish(session);
		}
	END
	links edits.c edits
}

# but NAME FILE.json: the records without the fields of that name, and without what only says where they are
but() {
	jq -c --arg name "$1" 'del(.offset, .size, .event) | select(.type != "FINISHED_ROUND") |
		walk(if type == "object" then del(.[$name]) else . end)' "$2"
}

# odd FILE.json: which records are no multiple of 8 bytes long, in order for comm(1)
odd() { jq -r 'select(.size and .size % 8 != 0 and .type != "HEADER_FEATURE") | .index' "$1" | LC_ALL=C sort; }

@test "every kind of text becomes shorter and longer, and nothing else changes" {
	edits
	for in in every newer; do
		build <"$streams/$in.txt" >in
		./edits nothing x in | pp-dump --json >base.json
		for name in filename name hostname prog_name; do
			grep -q "\"$name\":" base.json || continue
			but "$name" base.json >want
			# an event type has a name of 64 bytes
			[ "$name" = name ] && long=60 || long=100
			for text in 1234567 "$(printf '%0*d' "$long" 7)"; do
				echo "$in $name ${#text}"
				./edits "$name" "$text" in >out
				pp-check -q out
				pp-dump --json out >out.json
				but "$name" out.json | same_bytes want -
				grep -q "\"$name\":\"$text\"" out.json
				[ -z "$(LC_ALL=C comm -23 <(odd out.json) <(odd base.json))" ]
			done
		done
	done
}

@test "perf reads the name of a host that was changed" {
	need_perf
	edits
	./edits hostname nowhere-at-all "$streams/demo.pipe" >out
	perf report -i - --header-only <out | grep -q 'hostname : nowhere-at-all$'
}

@test "a text that does not fit is refused: the record stays, and the status is 3" {
	edits
	build <"$streams/every.txt" >in
	run -3 sh -c './edits filename "$(printf %070000d 1)" in >out'
	pp-dump -q --json in | grep '"filename"' | jq -c 'del(.offset, .size, .index)' >want
	pp-dump -q --json out | grep '"filename"' | jq -c 'del(.offset, .size, .index)' | same_bytes want -
	# in a thread map each name has 16 bytes
	printf 'header\nattr id=1\nthread_map entries=7:task\n' | build >map
	run -3 sh -c './edits comm sixteen-letters- map >out'
	./edits comm fifteen-letters map >out
	[ "$(pp-dump --json out | jq -r '.. | .comm? // empty')" = fifteen-letters ]
}

@test "a number is changed where it lies, if it fits and nothing hangs on it" {
	cat >numbers.c <<-'END'
		#include <perfpipe/perfpipe.h>
		#include <stdio.h>
		int main(void)
		{
			struct pp_session *session = pp_session_open("in", NULL);
			struct pp_record record;
			struct pp_error error;
			uint64_t value;

			while (pp_session_next(session, &record) == PP_MORE) {
				if (record.type != PP_REC_MMAP2)
					continue;
				error.code = PP_OK;
				printf("%d", pp_edit_number(&record, PP_IS_START, UINT64_C(1) << 40, &error));
				printf("%d", pp_find_u64(&record, PP_IS_START, &value) && value == UINT64_C(1) << 40);
				printf("%d", pp_edit_number(&record, PP_IS_PID, UINT64_C(1) << 40, &error));
				printf("%d", error.code == PP_E_VALUE);
				printf("%d", pp_edit_number(&record, PP_IS_CHAIN, 1, &error));
				printf("%d\n", pp_check(&record, &error));
			}
			return pp_session_finish(session);
		}
	END
	printf 'header\nattr id=1\nmmap2 pid=7 start=0x1000 len=0x1000 file=/a\n' | build >in
	everyway numbers.c ./program
	[ "$(cat shared.out)" = "11-1100" ]
}
