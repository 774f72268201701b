# What code knows of fields: by their meaning, which is a word of the tables.

setup() { load ../helper; }

# changed FILE PERL: what the check says of a tree in which perl changed that file
changed() {
	rm -rf tree
	mkdir -p tree/tests/house
	cp -r "$ROOT"/{libpipe,tools} tree
	cp "$ROOT/tests/house/fields.txt" tree/tests/house
	perl -pi -e "$2" "tree/$1"
	run -1 perl "$ROOT/tests/house/fields.pl" tree
}

@test "fields are looked up by what they mean; the names that are left are those of rows" {
	perl "$ROOT/tests/house/fields.pl" "$ROOT"
}

@test "a field's name that is misspelt, or looked up by its spelling, does not pass" {
	changed libpipe/format/attrs.c 's/"nr_cpus_avail"/"nr_cpus_available"/'
	[[ "$output" == *'attrs.c: no row is called "nr_cpus_available"'* ]]
	changed libpipe/record/synth_tasks.c 's/"comm"/"com"/'
	[[ "$output" == *'synth_tasks.c: no row is called "com"'* ]]
	changed libpipe/model/host_numbers.c 's/field->is == PP_IS_CPU_MASK/!strcmp(field->name, "mask")/'
	[[ "$output" == *'host_numbers.c: "mask" is the name of a field'* ]]
	changed tools/split/split_by.c 's/pp_find_u64\(rec, PP_IS_CPU,/pp_get_u64(rec, "cpu",/'
	[[ "$output" == *'split_by.c: "cpu" is the name of a field'* ]]
}

@test "a list of types in place of a word of the table does not pass" {
	changed libpipe/check/check.c \
		's/pp_type_is\(rec->type, PP_MAPS\)/(rec->type == PP_REC_MMAP || rec->type == PP_REC_MMAP2)/'
	[[ "$output" == *'check.c: MMAP2 is one of several types'* ]]
	changed libpipe/merge/merge.h \
		's/\z/static const unsigned maps[] = { PP_REC_MMAP, PP_REC_MMAP2 };/ if eof'
	[[ "$output" == *'merge.h: MMAP is one of several types'* ]]
}

@test "a meaning without a row, and a leave that nobody takes, do not pass" {
	changed libpipe/format/records.def 's/, IS\(PROGRAM\)//'
	[[ "$output" == *'PP_IS_PROGRAM: no row of the tables means that'* ]]
	changed libpipe/check/reader_compat.c 's/"tag"/"val"/'
	[[ "$output" == *'fields.txt: libpipe/check/* does not use tag any more'* ]]
}
