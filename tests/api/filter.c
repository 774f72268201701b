/* filter.c - what pp-filter does with an expression: judges samples in the order of their times, and
 * writes those that match, and all other records, in the order of the stream. */
#include <perfpipe/perfpipe.h>
#include <stdio.h>

static struct pp_query *query;
static struct pp_query_facts facts = { .size = sizeof(facts) };

static int judge(void *arg, struct pp_record *record, struct pp_error *error)
{
	(void)arg;
	if (pp_tasks_note(facts.tasks, record, error))
		return -1;
	if (record->type != PP_REC_SAMPLE || !record->attr)
		return PP_KEEP;
	return pp_query_match(query, record, &facts) ? PP_KEEP : PP_DROP;
}

static int run(struct pp_reader *in, struct pp_writer *out, struct pp_rounds *rounds, struct pp_error *error)
{
	struct pp_record record;
	enum pp_status got;

	if (pp_writer_header(out, pp_reader_stream(in)->sealed, error))
		return -1;
	while ((got = pp_reader_next(in, &record, error)) == PP_MORE)
		if (pp_rounds_put(rounds, &record, error) < 0)
			return -1;
	return got == PP_END && !pp_rounds_end(rounds, error) ?
		pp_writer_end(out, pp_stream_end_flags(pp_reader_stream(in)), error) : -1;
}

int main(int argc, char **argv)
{
	struct pp_rounds_options how = { .size = sizeof(how), .order = PP_ROUNDS_STREAM, .judge = judge };
	struct pp_budget memory = { 0 };
	struct pp_error error, wrong;
	struct pp_reader *in = pp_reader_open(NULL, NULL, &error);
	struct pp_writer *out = pp_writer_open(1, PP_SEAL_AUTO);
	struct pp_rounds *rounds;
	char text[512];
	int failed = -1, status = 4;

	query = pp_query_compile(argc > 1 ? argv[1] : "", &wrong);
	if (!query) {
		fprintf(stderr, "byte %zu: %s\n", wrong.at, wrong.detail);
		return 2;
	}
	facts.tasks = pp_tasks_new(pp_query_tasks_with(query), &memory);
	rounds = in ? pp_rounds_open(&how, in, out, &error) : NULL;
	if (rounds && out && facts.tasks) {
		pp_reader_tie(in, out);
		failed = run(in, out, rounds, &error);
		status = failed ? pp_error_status(&error) : pp_reader_status(in);
	}
	if (failed) {
		pp_error_text(&error, text, sizeof(text));
		fprintf(stderr, "%s\n", text);
	}
	pp_rounds_close(rounds);
	pp_tasks_free(facts.tasks);
	pp_query_free(query);
	pp_writer_close(out);
	pp_reader_close(in);
	return status;
}
