# types.awk - writes <perfpipe/types.h> out of the tables: the numbers that records, features,
# flags and bits have, and nothing of their rows.
#
#	awk -f types.awk records.def features.def attr.def >types.h
#
# An entry begins at the start of a line and has its words in that line; def_tables.c refuses to be
# compiled where a number is missing here.

BEGIN {
	print "/* types.h - the numbers of records, features, flags and bits; made of the tables by types.awk. */"
	print "#ifndef PERFPIPE_TYPES_H\n#define PERFPIPE_TYPES_H"
	prefix["RECORD"] = "REC"; prefix["FEATURE"] = "FEAT"; prefix["FLAG"] = "FLAG"
	prefix["SAMPLE_BIT"] = "SAMPLE"; prefix["READ_BIT"] = "READ"; prefix["BRANCH_BIT"] = "BRANCH"
	opening["RECORD"] = "\n/* The type of a record. */\nenum pp_record_type {"
	opening["FEATURE"] = "\n/* The number of a feature. */\nenum pp_feature_number {"
	opening["SAMPLE_BIT"] = "\n/* Masks of sample_type: what a sample has. */\nenum {"
	opening["READ_BIT"] = "\n/* Masks of read_format. */\nenum {"
	opening["BRANCH_BIT"] = "\n/* Masks of branch_sample_type. */\nenum {"
	opening["FLAG"] = "\n/* Numbers of bits in the flags of an attribute (precise_ip is two bits wide). */\nenum {"
}

/^(RECORD|FEATURE|FLAG|SAMPLE_BIT|READ_BIT|BRANCH_BIT)\(/ {
	if (split($0, quoted, "\"") < 3 || split(quoted[1], word, /[(,][ \t]*/) < 3) {
		print FILENAME ":" FNR ": an entry that is not in one line" >"/dev/stderr"
		exit failed = 1
	}
	kind = word[1]
	if (kind != last) {
		if (last)
			print "};"
		print opening[kind]
	}
	last = kind
	number = kind ~ /_BIT$/ ? "1 << " word[3] : word[3]
	printf "\t%-32s /* %s */\n", "PP_" prefix[kind] "_" word[2] " = " number ",", quoted[2]
}

END {
	if (failed)
		exit 1
	print "};\n\n#endif"
}
