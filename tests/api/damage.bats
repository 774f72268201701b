# damage.bats - damage is not washed off by programs that use the library: their status says so, and so
# does what they write.

setup() {
	load ../helper
	load api
	installed
	examples=$BATS_FILE_TMPDIR/examples
	[ -d "$examples" ] || compile_examples
}

# compile_examples: the programs of all headers that read a stream, once for each file of tests
compile_examples() {
	local header flags=(-I"$DEST/usr/include" -L"$DEST/usr/lib" -lperfpipe)
	mkdir "$examples.new"
	for header in "$INCLUDE"/*.h; do
		"$ROOT/tests/api/program.sh" "$header" >"$(basename "$header" .h).c"
	done
	grep -lE '\bpp_(reader_open|session_open|merge_add|mend)\(' ./*.c | sed 's:^\./::; s:\.c$::' |
		xargs -P 2 -I{} "${C[@]}" -o "$examples.new/{}" {}.c "${flags[@]}"
	mv "$examples.new" "$examples"
}

# example NAME FILE: the program of this header reads the file; what it writes goes to `out`, its status to $got
example() {
	got=0
	case $1 in
	query) "$examples/query" 'cpu == 0' "$2" ;;
	save) "$examples/save" out "$2" ;;
	*) "$examples/$1" "$2" >out ;;
	esac >said 2>&1 || got=$?
}

# all_end_with STATUS FILE
all_end_with() {
	local name got
	for name in "$examples"/*; do
		example "${name##*/}" "$2"
		echo "${name##*/} $2: $got"
		[ "$got" -eq "$1" ]
	done
}

# damaged: streams that are damaged, each in its own way
damaged() {
	build <<-'END' | pp-decompress --seal >whole
		header
		attr id=1 sample_type=IP,TID,TIME,IDENTIFIER flags=sample_id_all
		comm pid=7 comm=x time=5
		repeat 9 {
		sample pid=7 time=$(i+10) ip=0x123456
		}
		round
		repeat 9 {
		sample pid=7 time=$(i+30) ip=0x123456
		}
	END
	head -c -60 whole >in-a-record
	head -c -48 whole >without-its-end
	perl -0777 -pe 's/\x56\x34\x12/\x57\x34\x12/' whole >altered
	pp-sort -q -o found-before in-a-record || [ $? -eq 3 ]
}

# bats test_tags=T3-A3
@test "every program that a header opens with ends with 3 on a stream that is cut, and with 0 on the whole" {
	damaged
	[ "$(ls "$examples" | wc -l)" -ge 19 ]
	all_end_with 0 whole
	all_end_with 3 in-a-record
}

# bats test_tags=T3-A3
@test "every program that a header opens with ends with 3 on damage that can be passed over or was found before" {
	damaged
	for file in without-its-end altered found-before; do
		all_end_with 3 "$file"
	done
}

# bats test_tags=T3-A3
@test "every program that a header opens with ends with 3 on a recording that was cut" {
	found cutsealed.pipe
	all_end_with 3 "$FOUND/cutsealed.pipe"
}

# bats test_tags=T3-A3
@test "what the programs of sort.h, save.h, merge.h and writer.h write of damage is not called sound" {
	damaged
	for name in sort save merge writer; do
		example "$name" whole
		pp-check -q out
		for file in in-a-record without-its-end altered found-before; do
			echo "$name $file"
			example "$name" "$file"
			[ "$got" -eq 3 ]
			run -3 pp-check -q out
		done
	done
}

# bats test_tags=T3-A3
@test "a program that passes over damage and forgets to say so writes a stream that says so" {
	damaged
	cat >forgets.c <<-'END'
		#include <perfpipe/perfpipe.h>
		#include <string.h>
		int main(int argc, char **argv)
		{
			const char *how = argc == 3 ? argv[1] : "";
			struct pp_error error;
			struct pp_merge_options merging = { sizeof(merging) };
			struct pp_rounds_options rounding = { sizeof(rounding) };
			struct pp_sorter_options sorting = { sizeof(sorting) };
			struct pp_reader *in = pp_reader_open(argv[2], NULL, &error);
			struct pp_writer *out = pp_writer_open(1, PP_SEAL_NO);
			struct pp_rounds *rounds = pp_rounds_open(&rounding, in, out, &error);
			struct pp_sorter *sorter = pp_sorter_open(&sorting, in, out, &error);
			struct pp_merge *merge = pp_merge_new(&merging, &error);
			struct pp_record record;
			enum pp_status got = PP_END;
			int failed = 0;

			if (!strcmp(how, "merge"))
				failed = pp_merge_add(merge, argv[2], &error) || pp_merge_run(merge, out, &error);
			else
				failed = pp_writer_header(out, false, &error);
			if (!strcmp(how, "tied"))
				pp_reader_tie(in, out);
			while (!failed && strcmp(how, "merge") && ((got = pp_reader_next(in, &record, &error)) == PP_MORE ||
								  (got == PP_FAILED && !pp_error_ends(&error))))
				if (got == PP_MORE)
					failed = !strcmp(how, "tied") ? pp_writer_pass(out, in, &record, &error) :
						 !strcmp(how, "rounds") ? pp_rounds_put(rounds, &record, &error) :
						 pp_sorter_put(sorter, &record, &error);
			if (!strcmp(how, "late"))
				pp_reader_tie(in, out);
			failed = failed || (!strcmp(how, "rounds") && pp_rounds_end(rounds, &error)) ||
				 (!strcmp(how, "sort") && pp_sorter_end(sorter, &error)) ||
				 pp_writer_end(out, 0, &error);
			pp_sorter_close(sorter);
			pp_rounds_close(rounds);
			pp_merge_free(merge);
			pp_writer_close(out);
			pp_reader_close(in);
			return failed;
		}
	END
	links forgets.c forgets
	for how in tied late rounds sort merge; do
		for file in whole in-a-record altered found-before; do
			echo "$how $file"
			./forgets "$how" "$file" >out
			want=3
			[ "$file" != whole ] || want=0
			run "-$want" pp-check -q out
		done
	done
}

# bats test_tags=T3-A3
@test "a reader gives the exit status of the worst that it met, whatever was made of the errors" {
	damaged
	cat >status.c <<-'END'
		#include <perfpipe/perfpipe.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			for (int i = 1; i < argc; i++) {
				struct pp_reader *in = pp_reader_open(argv[i], NULL, NULL);
				struct pp_record record;
				printf("%d", pp_reader_status(in));
				while (pp_reader_next(in, &record, NULL) == PP_MORE)
					;
				printf("%d ", pp_reader_status(in));
				pp_reader_close(in);
			}
			return 0;
		}
	END
	printf 'header big\nattr id=1\nrecord 99 0 00000000\nsample time=9\n' | build >unconverted
	everyway status.c ./program whole in-a-record altered found-before unconverted
	[ "$(cat shared.out)" = "00 03 03 03 03 " ]
}
