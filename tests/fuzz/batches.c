/*
 * batches.c - fuzz target: any bytes as an input, read in batches and record by record side by side: both
 * have to give the same records, errors and counts, what is written of both, sealed, the same bytes, whether
 * seals may pass as they were or not, queries the same answers, checkers the same findings, rounds the
 * same order, and what is pruned the same rest.
 */
#include "ways.h"

/* The attributes are those of two readers. */
static void expect_same_record(const struct pp_record *a, const struct pp_record *b)
{
	expect(a->type == b->type && a->misc == b->misc && a->size == b->size && a->foreign == b->foreign);
	expect(a->offset == b->offset && a->index == b->index);
	expect(a->tail == b->tail && a->beyond == b->beyond);
	expect(!a->attr == !b->attr && (!a->attr || a->attr->index == b->attr->index));
	expect(!memcmp(a->data, b->data, a->size));
}

static void expect_same_counts(const struct way *a, const struct way *b)
{
	const struct pp_stream *const s = pp_reader_stream(a->in), *const t = pp_reader_stream(b->in);

	expect(s->records == t->records && s->bytes == t->bytes && s->rounds == t->rounds);
	expect(s->first_time == t->first_time && s->last_time == t->last_time);
	expect(s->orphans == t->orphans && s->dropped == t->dropped && s->flags == t->flags);
	expect(s->sealed == t->sealed && s->ended == t->ended && s->rewritten == t->rewritten);
	expect(pp_reader_status(a->in) == pp_reader_status(b->in));
}

static void expect_same_findings(struct way *a, struct way *b)
{
	const struct pp_checker_stats *const s = pp_checker_stats(a->checker);
	const struct pp_checker_stats *const t = pp_checker_stats(b->checker);

	pp_checker_end(a->checker);
	pp_checker_end(b->checker);
	expect(s->faults == t->faults && s->remarks == t->remarks);
	expect(s->records == t->records && s->samples == t->samples && s->lost == t->lost);
	expect(a->found_size == b->found_size && !memcmp(a->found, b->found, a->found_size));
}

static void expect_same_error(const struct pp_error *a, const struct pp_error *b)
{
	char text[600], other[600];

	pp_error_text(a, text, sizeof(text));
	pp_error_text(b, other, sizeof(other));
	expect(a->fatal == b->fatal && !strcmp(text, other));
}

/* Comparisons that are made by columns, alone and together, and others. */
static const char *const queries[] = {
	"pid > 1", "pid == -1", "tid in {1, 3..7, 200..90000}", "cpu != 0", "cpu < 0", "time > 1000",
	"ip >= 0x1000", "addr != 0", "period > 1", "id == 1", "!(pid in {1..5, 9})", "pid == 7 || cpu == 1",
	"time >= 5 && time < 99999 && !(cpu == 0 || tid == 7)", "pid == 1 && event =~ \"[a-k]\"",
	"event == \"cycles\"", "event != \"cycles\" && pid > 0", "event =~ \"c.*k\" || cpu == 0",
	"event ~ \"*s*\"", "event !~ \"^c\"", "defined(event)", "mode == user", "depth > 2",
	"type == SAMPLE", "stream_id > 0",
	("pid > 0 && pid > 1 && pid > 2 && pid > 3 && pid > 4 && "
	 "pid > 5 && pid > 6 && pid > 7 && pid > 8 && pid > 9"),
};
enum { QUERIES = sizeof(queries) / sizeof(*queries) };

static void expect_same_answers(const struct pp_batch *batch)
{
	static struct pp_query *compiled[QUERIES];
	const struct pp_query_facts facts = { .size = sizeof(facts) };
	struct pp_error error;
	bool keep[PP_BATCH_MOST];
	struct pp_record rec;

	for (size_t q = 0; q < QUERIES; q++) {
		if (!compiled[q])
			compiled[q] = pp_query_compile(queries[q], &error);
		expect(compiled[q]);
		pp_query_match_batch(compiled[q], batch, &facts, keep);
		for (uint32_t i = 0; i < batch->count; i++) {
			pp_batch_record(batch, i, &rec);
			expect(keep[i] == (!rec.attr || pp_query_match(compiled[q], &rec, &facts)));
		}
	}
}

/* How many of a batch are not given back: of every other one all, else any number of them. */
static uint32_t keeps(const struct pp_batch *batch)
{
	const uint64_t salt = batch->index + batch->count;

	return salt % 2 ? batch->count : (uint32_t)(salt * 7 % (batch->count + 1));
}

enum { LEFT_OUT = 409 };        /* of so many records one, where some are */

/* Whether it is not written; another one may be, in its place. */
static bool leaves_out(struct way *way, const struct pp_record *rec, bool all)
{
	uint8_t other[PP_RECORD_MAX];

	if (all || rec->type == PP_REC_FINISHED_ROUND || rec->tail || rec->index % LEFT_OUT != 1)
		return false;
	if (rec->index / LEFT_OUT % 2)
		return true;
	memcpy(other, rec->data, rec->size);
	other[rec->size - 1] ^= 1;
	expect(!pp_writer_copy(way->out, other, rec->size, NULL));
	return true;
}

/* A batch, beside as many records of the other way: how many. */
static unsigned pass_batch(struct way *many, struct way *one, bool all)
{
	static struct pp_batch batch, first;
	struct pp_error error;
	uint32_t kept;

	if (!pp_reader_batch(many->in, &batch))
		return 0;
	expect(batch.count <= PP_BATCH_MOST && !batch.at[0]);
	kept = keeps(&batch);
	for (uint32_t i = 0; i < kept; i++) {
		struct pp_record rec, other;

		pp_batch_record(&batch, i, &rec);
		expect(pp_reader_next(one->in, &other, &error) == PP_MORE);
		expect_same_record(&rec, &other);
		expect(!pp_checker_record(one->checker, &other, &error));
		if (!leaves_out(many, &rec, all))
			expect(!pp_writer_put(many->out, rec.data, rec.size, NULL));
		if (!leaves_out(one, &other, all))
			expect(!pp_writer_pass(one->out, one->in, &other, NULL));
	}
	expect_same_answers(&batch);
	first = batch;
	first.count = kept;
	expect(!pp_checker_batch(many->checker, &first, &error));
	pp_reader_unbatch(many->in, &batch, kept);
	return kept;
}

/* A record or an error of both: whether there may be more. */
static bool pass_record(struct way *many, struct way *one, bool all)
{
	struct pp_error error, error2;
	struct pp_record rec, other;
	const enum pp_status got = pp_reader_next(many->in, &rec, &error);

	expect(pp_reader_next(one->in, &other, &error2) == got);
	if (got == PP_FAILED)
		expect_same_error(&error, &error2);
	if (got != PP_MORE)
		return got == PP_FAILED && !error.fatal;
	expect_same_record(&rec, &other);
	expect(!pp_checker_record(many->checker, &rec, &error));
	expect(!pp_checker_record(one->checker, &other, &error));
	if (leaves_out(many, &rec, all) && leaves_out(one, &other, all))
		return true;
	pp_writer_as_read(many->out, many->in);
	if (pp_writer_pass(many->out, many->in, &rec, &error)) {
		expect(pp_writer_pass(one->out, one->in, &other, &error2) < 0);
		expect_same_error(&error, &error2);
		return false;
	}
	expect(!pp_writer_pass(one->out, one->in, &other, &error2));
	return true;
}

/* `all`: none is left out of what is written. */
static void read_both(const char *path, bool raw, bool all)
{
	struct way many, one;
	const bool opened = open_way(&many, path, raw);
	bool more = open_way(&one, path, raw);

	expect(opened == more);
	for (unsigned n = 1, errors = 0; more && n < RECORDS_MOST && errors < ERRORS_MOST; n++) {
		const uint64_t before = pp_reader_stream(many.in)->records;

		n += pass_batch(&many, &one, all);
		more = pass_record(&many, &one, all);
		expect_same_counts(&many, &one);
		errors += pp_reader_stream(many.in)->records == before;
	}
	if (opened) {
		expect_same_findings(&many, &one);
		expect(pp_writer_end(many.out, 0, NULL) == pp_writer_end(one.out, 0, NULL));
		expect_same_bytes(many.fd, one.fd);
	}
	close_way(&many);
	close_way(&one);
}

/* The next record, or a batch, into rounds: whether there may be more. */
static bool hold_next(struct way *way, struct pp_rounds *rounds, bool batches)
{
	static struct pp_batch batch;
	struct pp_record rec;
	struct pp_error error;
	uint32_t from = 0;
	int got;

	if (batches && pp_reader_batch(way->in, &batch)) {
		got = pp_rounds_put_batch(rounds, &batch, &from, &error);
		expect(got || from == batch.count);
		return !got;
	}
	got = pp_reader_next(way->in, &rec, &error);
	if (got > 0)
		return !pp_rounds_put(rounds, &rec, &error);
	return got < 0 && !error.fatal;
}

enum { HELD_MOST = 5 * RECORDS_MOST };

/* How they are held: each but the first two has a judge; and some a second one, of many samples, the last
 * three in the order of their times. */
enum holding {
	IN_TIME, AS_THEY_COME, JUDGED_IN_TIME, JUDGED, JUDGED_BY_MANY, MANY_IN_ORDER, MANY_IN_TIME, PRUNED,
	HOLDINGS,
};

/* What the judges know. */
struct judges {
	uint64_t seen;                /* a sum of all other records that came before */
	uint64_t alone;               /* the same, and where in_order of samples that are alone */
	bool in_order;                /* these are judged in the order of their times */
	struct pp_prune *pruner;      /* or NULL */
};

/* Those that are judged one by one. */
static bool is_alone(uint64_t time)
{
	return !(time % 5);
}

/* Which samples stay hangs on their times, and on all other records that came before them in time; of those
 * that are alone on these, too. */
static bool stays(const struct judges *j, uint64_t time)
{
	return (time ^ (is_alone(time) ? j->alone : j->seen)) * UINT64_C(0x9e3779b97f4a7c15) >> 63;
}

static int judge(void *judges, struct pp_record *rec, struct pp_error *error)
{
	struct judges *const j = judges;
	const bool sample = rec->type == PP_REC_SAMPLE;
	uint64_t time = 0;
	bool kept = true;

	if (sample)
		kept = pp_time(rec, &time) && stays(j, time);
	if (!sample)
		j->seen = j->seen * 31 + rec->type;
	if (!sample || (j->in_order && is_alone(time)))
		j->alone = j->alone * 31 + rec->type + time;
	return !kept ? PP_DROP : j->pruner ? pp_prune_judge(j->pruner, rec, error) : PP_KEEP;
}

/* Not of too few, which are judged one by one, too. */
static uint32_t judge_samples(void *judges, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	const struct judges *const j = judges;
	uint32_t i = from;

	for (; batch->count > 2 && i < batch->count && !is_alone(batch->time[i]); i++)
		keep[i] = stays(j, batch->time[i]);
	return i;
}

/* Where they are pruned, all that they can. */
static uint32_t prune_samples(void *judges, const struct pp_batch *batch, uint32_t from, bool *keep)
{
	struct judges *const j = judges;
	struct pp_batch first = *batch;

	first.count = judge_samples(judges, batch, from, keep);
	return pp_prune_batch(j->pruner, &first, from, keep);
}

static struct pp_rounds_stats let_all_go(struct way *way, const struct pp_rounds_options *options,
					 bool batches)
{
	struct judges *const judges = options->arg;
	struct pp_rounds *const rounds = pp_rounds_open(options, way->in, way->out, NULL);
	struct pp_rounds_stats stats;

	expect(rounds);
	while (pp_reader_stream(way->in)->records < HELD_MOST && hold_next(way, rounds, batches))
		;
	(void)!pp_rounds_end(rounds, NULL);
	if (judges->pruner)
		(void)!pp_prune_end(judges->pruner, NULL);
	expect(!pp_writer_end(way->out, 0, NULL) || pp_reader_status(way->in));
	stats = *pp_rounds_stats(rounds);
	pp_rounds_close(rounds);
	return stats;
}

static struct pp_rounds_stats hold_all(struct way *way, enum holding how, bool batches)
{
	struct pp_budget budget = { .limit = 1 << 20 };
	struct pp_tracepoints *const tracepoints = pp_tracepoints_new();
	struct judges judges = { .in_order = how >= MANY_IN_ORDER };
	const struct pp_rounds_options options = {
		.size = sizeof(options), .limit = 1 << 20, .arg = &judges,
		.order = how == IN_TIME || how == JUDGED_IN_TIME || how >= MANY_IN_TIME ?
			 PP_ROUNDS_TIME : PP_ROUNDS_STREAM,
		.judge = how >= JUDGED_IN_TIME ? judge : NULL,
		.judge_samples = how == PRUNED ? prune_samples : how >= JUDGED_BY_MANY ? judge_samples : NULL,
		.in_order = judges.in_order,
	};
	struct pp_rounds_stats stats;

	expect(tracepoints);
	pp_tracepoints_watch(tracepoints, way->in);
	if (how == PRUNED)
		judges.pruner = pp_prune_new(&budget, tracepoints, way->in, way->out);
	expect(how != PRUNED || judges.pruner);
	stats = let_all_go(way, &options, batches);
	pp_prune_free(judges.pruner);
	pp_tracepoints_free(tracepoints);
	return stats;
}

static void hold_both(const char *path, enum holding how)
{
	struct way many, one;
	const bool opened = open_way(&many, path, false);

	expect(open_way(&one, path, false) == opened);
	if (opened) {
		const struct pp_rounds_stats a = hold_all(&many, how, true), b = hold_all(&one, how, false);

		/* what is too much ends at different places */
		if (pp_reader_stream(many.in)->records < HELD_MOST) {
			expect(a.rounds == b.rounds && a.disorder == b.disorder && a.late == b.late &&
			       a.worst == b.worst && a.overflows == b.overflows && a.largest == b.largest);
			expect_same_bytes(many.fd, one.fd);
		}
	}
	close_way(&many);
	close_way(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sinks *const s = open_sinks();

	(void)read_bytes;
	expect(!ftruncate(s->input, 0) && pwrite(s->input, data, size, 0) == (ssize_t)size);
	read_both(s->path, false, true);
	read_both(s->path, false, false);
	read_both(s->path, true, true);
	for (enum holding how = IN_TIME; how < HOLDINGS; how++)
		hold_both(s->path, how);
	return 0;
}
