/*
 * pp-cat.c - any recording as a plain stream: files, folders, either byte order, compressed or not,
 * of any age; made fit for a reader that knows less where that is asked for.  What is in the
 * records stays.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "shared/run.h"

static const char *reader_name;
static bool big, little, indexes;

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-cat perf.data | perf script -i -", "read a file as a stream"),
	OPT_EXAMPLE("pp-cat --for 6.1 new.data | perf report -i -",
		    "let an older perf read the file of a newer one"),
	OPT_STRING(0, "for", "READER", &reader_name,
		   "make it fit for perf 6.1, 6.12, 7.3, or for quipper"),
	OPT_SWITCH(0, "big-endian", &big, "write big-endian"),
	OPT_SWITCH(0, "little-endian", &little, "write little-endian"),
	OPT_SWITCH(0, "index", &indexes,
		   "write an index at its end: where which times are, and what tasks there were"),
	OPT_COMMON_FILTER,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-cat",
	.summary = "Turn any recording into a plain stream",
	.purpose = "Reads perf.data files and folders, compressed streams and either byte order, "
		   "from any version of perf, and writes what every perf and every tool here "
		   "reads.",
	.operands = "[FILE]",
	.options = options,
	.details = "pp-merge combines several streams into one.\n",
};

enum { TYPES = 256 };                 /* counted by number; all higher ones together */

/* Who the stream is for, and what it lost on the way there. */
static const struct pp_version *reader;
static uint8_t made[PP_RECORD_MAX + 9];
static uint64_t unknown[TYPES + 1], features, orphans, attrs, settings;

static int count_unknown(const struct pp_record *rec)
{
	if (rec->type == PP_REC_HEADER_FEATURE)
		features++;
	else
		unknown[rec->type < TYPES ? rec->type : TYPES]++;
	return PP_DROP;
}

static int fit(struct run *run, struct pp_record *rec)
{
	bool lost;

	switch (pp_version_fit(reader, rec, made, &lost)) {
	case PP_FIT_UNKNOWN:
		return count_unknown(rec);
	case PP_FIT_ORPHAN:
		orphans++;
		return PP_DROP;
	case PP_FIT_CHANGED:
		/* the bytes are ours: they have to leave before the next record is made */
		*(rec->type == PP_REC_HEADER_ATTR ? &attrs : &settings) += lost;
		if (pp_writer_pass(run->out, run->in, rec, &run->error) ||
		    pp_writer_flush(run->out, &run->error))
			return -1;
		return PP_DROP;
	default:
		return PP_KEEP;
	}
}

static void say(uint64_t n, const char *one, const char *many)
{
	if (n)
		cli_warn("for %s: %" PRIu64 " %s", pp_version_name(reader), n, n == 1 ? one : many);
}

static int end(struct run *run)
{
	char name[24], text[80];

	(void)run;
	for (uint32_t type = 0; type < TYPES; type++) {
		snprintf(text, sizeof(text), "%s dropped, which it cannot read", pp_type_name(type, name));
		say(unknown[type], text, text);
	}
	say(unknown[TYPES], "record of a type above 255 dropped, which it cannot read",
	    "records of types above 255 dropped, which it cannot read");
	say(features, "feature dropped, which it does not know",
	    "features dropped, which it does not know");
	say(orphans, "record dropped: no attribute describes its event",
	    "records dropped: no attribute describes their events");
	say(attrs, "attribute cut: it asked for more than the reader knows",
	    "attributes cut to the fields that the reader knows");
	say(settings, "STAT_CONFIG cut: it has settings that the reader does not know",
	    "STAT_CONFIGs cut: they have settings that the reader does not know");
	return 0;
}

/* ---- an index ---- */

static struct pp_budget budget = { .limit = UINT64_C(256) << 20 };
static struct pp_index_maker *index_maker;

static int start_index(struct run *run)
{
	index_maker = pp_index_maker_new(&budget);
	return index_maker ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int note_place(struct run *run, struct pp_record *rec)
{
	return pp_index_maker_note(index_maker, run->out, rec, &run->error) ? -1 : PP_KEEP;
}

static int end_index(struct run *run)
{
	const char *why = "it is damaged";
	const int got = run->status < EXIT_DAMAGED ?
			 pp_index_maker_end(index_maker, run->out, &why, &run->error) : 0;

	if (!got)
		cli_warn("%s: no index is made of it: %s", run->stream->name, why);
	pp_index_maker_free(index_maker);
	return got < 0 ? -1 : 0;
}

/* Blocks end at seals, and their times and offsets are those of what is written. */
static void demand_index(struct filter *filter)
{
	if (reader_name || big || little)
		cli_misuse("--index cannot be combined with --for, --big-endian and --little-endian");
	if (common.no_seal)
		cli_misuse("--index cannot be combined with --no-seal: its parts are found by seals");
	common.seal = true;
	filter->as_read = true;
	filter->start = start_index;
	filter->judge = note_place;
	filter->end = end_index;
}

static void find_reader(void)
{
	char known[80] = "";
	const struct pp_version *v;

	reader = pp_version_named(reader_name);
	for (size_t i = 0; !reader && (v = pp_version_at(i)); i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
			 i ? ", " : "", pp_version_name(v));
	if (!reader)
		cli_misuse("--for: '%s' is not one of %s", reader_name, known);
	if (!pp_version_bare_rounds(reader))
		return;
	if (common.seal)
		cli_misuse("--seal: %s refuses seals", reader_name);
	common.no_seal = true;
}

int main(int argc, char **argv)
{
	struct filter filter = { .source = true };

	cli_parse(&tool, argc, argv);
	if (big && little)
		cli_misuse("--big-endian or --little-endian, not both");
	if (reader_name) {
		find_reader();
		filter.judge = fit;
		filter.end = end;
	}
	if (indexes)
		demand_index(&filter);
	filter.foreign = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? little : big;
	return run_filter(&tool, &filter);
}
