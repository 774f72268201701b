/*
 * pp-info.c - what is in a stream, on one screen: where it comes from, its events, what was sampled
 * and when, and how sound it looks.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "info/advise_recording.h"
#include "info/tally.h"
#include "cli/table_columns.h"
#include "shared/advice.h"
#include "shared/run.h"

enum { TYPES = 128 };                 /* counted by number; all higher ones together */
enum { CPUS_MAX = 65536 };

#define SCHEMA "perfpipe.info/1"

static bool json, advice;
static uint64_t top = 5;
static const char *note;

static const struct option_spec options[] = {
	OPT_EXAMPLE("pp-info perf.data", "what there is to know of a file"),
	OPT_EXAMPLE("pp-info --json web.pipe | jq -r '.events[]?.name'",
		    "the names of its events, for a script"),
	OPT_SWITCH(0, "json", &json, "one line of JSON"),
	OPT_SWITCH(0, "advice", &advice,
		   "print what would make such a recording better, and the option for that"),
	OPT_STRING(0, "note", "KEY", &note, "print only the values of the notes with this key"),
	OPT_U64(0, "top", "N", &top, "show the N CPUs and processes with the most samples "
		"(default: 5)"),
	OPT_COMMON_SINK,
	OPT_NO_SANDBOX,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-info",
	.summary = "Summarize a stream or a perf.data file",
	.purpose = "The first thing to run on a recording that you were given: when, where and "
		   "how it was made, what is in it, and whether it is whole.",
	.operands = "[FILE]",
	.options = options,
};

struct times {
	uint64_t first, last;         /* of samples; 0: none */
	uint64_t newest, disorder, worst;   /* of all, against the largest so far */
};

/* All that was counted on the way through. */
struct info {
	uint64_t records[TYPES], bytes[TYPES], others, other_bytes;
	uint64_t *events;             /* samples of each, by its place */
	size_t n_events;
	struct tally cpus, pids;
	struct pp_features *features;
	struct pp_tasks *tasks;
	struct pp_budget budget;
	struct times times;
	uint64_t round_bytes, largest_round;
	uint64_t throttled;
	struct advice_losses lost;
	uint64_t damaged;
	struct pp_index_root index;   /* version 0: there is none */
	uint64_t index_bytes;
	char index_text[80];
};

static struct info info;

/* ---- on the way through ---- */

/* Without branches on what is as good as random: which of several CPUs was earlier. */
static inline void note_time(struct times *t, uint64_t time, bool sample)
{
	const uint64_t late = time < t->newest ? t->newest - time : 0;

	t->disorder += late != 0;
	t->worst = late > t->worst ? late : t->worst;
	t->newest += late ? 0 : time - t->newest;
	if (!sample)
		return;
	if (time - 1 < t->first - 1)
		t->first = time;
	if (time > t->last)
		t->last = time;
}

/* So that there is a count for each event. */
static void count_events(const struct pp_attrs *attrs)
{
	const size_t room = pp_attrs_count(attrs);

	if (room <= info.n_events)
		return;
	info.events = cli_grow(info.events, room, sizeof(*info.events));
	memset(info.events + info.n_events, 0, (room - info.n_events) * sizeof(*info.events));
	info.n_events = room;
}

static int note_sample(const struct pp_record *rec)
{
	uint32_t cpu, pid, tid;

	count_events(rec->attrs);
	if (rec->attr)
		info.events[rec->attr->index]++;
	if (pp_cpu(rec, &cpu) && tally_add(&info.cpus, cpu, 1) < 0)
		return -1;
	return pp_task(rec, &pid, &tid) ? tally_add(&info.pids, pid, 1) : 0;
}

static void note_index(const struct pp_record *rec)
{
	if (!pp_is_index(rec))
		return;
	info.index_bytes += rec->size;
	(void)pp_index_root_of(rec, &info.index);
}

static void note_round(const struct pp_record *rec)
{
	note_index(rec);
	if (!pp_is_round(rec))
		return;
	if (info.round_bytes > info.largest_round)
		info.largest_round = info.round_bytes;
	info.round_bytes = 0;
}

/* What is not a sample: seldom, so it may cost a little. */
static int note_other(struct run *run, const struct pp_record *rec)
{
	advice_count_lost(&info.lost, rec);
	info.throttled += rec->type == PP_REC_THROTTLE;
	if (rec->type == PP_REC_FINISHED_ROUND)
		note_round(rec);
	if (rec->type >= PP_USER_TYPES && pp_features_note(info.features, rec, &run->error) < 0)
		return -1;
	return pp_tasks_note(info.tasks, rec, &run->error);
}

static int record(struct run *run, struct pp_record *rec)
{
	const uint64_t size = rec->size + rec->tail;
	uint64_t time;

	if (rec->type < TYPES) {
		info.records[rec->type]++;
		info.bytes[rec->type] += size;
	} else {
		info.others++;
		info.other_bytes += size;
	}
	info.round_bytes += size;
	if (rec->type >= PP_USER_TYPES)
		return note_other(run, rec);
	if (pp_time(rec, &time))
		note_time(&info.times, time, rec->type == PP_REC_SAMPLE);
	if (rec->type != PP_REC_SAMPLE)
		return note_other(run, rec);
	return note_sample(rec) < 0 ? pp_fail(&run->error, PP_E_NOMEM, NULL) : 0;
}

static void note_times(const struct pp_batch *batch)
{
	struct times times = info.times;

	for (uint32_t i = 0; i < batch->count; i++)
		if (batch->time[i])
			note_time(&times, batch->time[i], true);
	info.times = times;
}

/* Whether a sample of this size has a planned field. */
static inline bool has_field(size_t at, size_t size)
{
	return at && pp_fits(at + sizeof(uint64_t), size);
}

/* note_sample() of each: most are of the CPU and the process of the one before. */
static int note_samples(const struct pp_batch *batch)
{
	struct count cpu = { .n = 0 }, pid = { .n = 0 };
	int failed = 0;

	count_events(batch->attrs);
	for (uint32_t i = 0; i < batch->count && !failed; i++) {
		const struct pp_attr *const a = batch->attr[i];
		const uint8_t *const data = batch->data + batch->at[i];
		const size_t size = pp_batch_size(batch, i);

		if (!a)
			continue;
		info.events[a->index]++;
		if (has_field(a->plan.cpu, size))
			failed = tally_follow(&info.cpus, &cpu, pp_load32(data + a->plan.cpu));
		if (has_field(a->plan.tid, size))
			failed |= tally_follow(&info.pids, &pid, pp_load32(data + a->plan.tid));
	}
	return failed || tally_add(&info.cpus, cpu.key, cpu.n) || tally_add(&info.pids, pid.key, pid.n);
}

static int samples(struct run *run, const struct pp_batch *batch)
{
	const uint64_t bytes = batch->at[batch->count];

	info.records[PP_REC_SAMPLE] += batch->count;
	info.bytes[PP_REC_SAMPLE] += bytes;
	info.round_bytes += bytes;
	note_times(batch);
	return note_samples(batch) ? pp_fail(&run->error, PP_E_NOMEM, NULL) : 0;
}

/* ---- what is shown ---- */

static struct pp_out *out;

/* The whole stream, as a row. */
struct summary {
	const char *input, *container, *dialect, *byte_order, *recorder, *seals, *index;
	bool killed;
	uint64_t bytes, first, last, span;
	uint64_t rounds, largest_round, disorder, worst, lost, lost_samples, all_lost, throttled;
	uint64_t compressed, expanded, ratio, orphans, not_converted, damaged;
};

static const struct column summary_columns[] = {
	{ .name = "input", COLUMN(TEXT, struct summary, input), .label = "input" },
	{ .name = "container", COLUMN(TEXT, struct summary, container), .label = "container" },
	{ .name = "dialect", COLUMN(TEXT, struct summary, dialect), .label = "dialect" },
	{ .name = "byte_order", COLUMN(TEXT, struct summary, byte_order), .label = "byte order" },
	{ .name = "killed", COLUMN(FLAG, struct summary, killed) },
	{ .name = "recorder", COLUMN(TEXT, struct summary, recorder), .label = "recorder" },
	{ .name = "bytes", COLUMN(NUMBER, struct summary, bytes) },
	{ .name = "first_time", COLUMN(TIME, struct summary, first), .label = "time" },
	{ .name = "last_time", COLUMN(TIME, struct summary, last), .before = " to " },
	{ .name = "span", COLUMN(TIME, struct summary, span), .before = ", ", .after = " s" },
	{ .name = "rounds", COLUMN(NUMBER, struct summary, rounds), .label = "rounds" },
	{ .name = "largest_round", COLUMN(NUMBER, struct summary, largest_round), .optional = true,
	  .before = ", the largest of ", .after = " bytes" },
	{ .name = "disorder", COLUMN(NUMBER, struct summary, disorder), .label = "disorder" },
	{ .name = "worst_disorder", COLUMN(TIME, struct summary, worst), .optional = true,
	  .before = " records after a newer one, by up to ", .after = " s" },
	{ .name = "all_lost", COLUMN(NUMBER, struct summary, all_lost), .label = "lost" },
	{ .name = "lost", COLUMN(NUMBER, struct summary, lost) },
	{ .name = "lost_samples", COLUMN(NUMBER, struct summary, lost_samples) },
	{ .name = "throttled", COLUMN(NUMBER, struct summary, throttled), .label = "throttled" },
	{ .name = "expanded_bytes", COLUMN(NUMBER, struct summary, expanded), .label = "compressed",
	  .after = " bytes in " },
	{ .name = "compressed_bytes", COLUMN(NUMBER, struct summary, compressed), .after = ", ratio " },
	{ .name = "ratio", COLUMN(TENTHS, struct summary, ratio) },
	{ .name = "seals", COLUMN(TEXT, struct summary, seals), .label = "seals" },
	{ .name = "index", COLUMN(TEXT, struct summary, index), .label = "index", .optional = true },
	{ .name = "orphans", COLUMN(NUMBER, struct summary, orphans), .label = "orphans",
	  .optional = true },
	{ .name = "not_converted", COLUMN(NUMBER, struct summary, not_converted),
	  .label = "not converted", .optional = true },
	{ .name = "damaged", COLUMN(NUMBER, struct summary, damaged), .label = "damaged",
	  .optional = true },
	{ .name = NULL }
};

struct event_row { const char *name; uint64_t ids, samples; };

static const struct column event_columns[] = {
	{ .name = "name", COLUMN(TEXT, struct event_row, name) },
	{ .name = "ids", COLUMN(NUMBER, struct event_row, ids) },
	{ .name = "samples", COLUMN(NUMBER, struct event_row, samples), .after = " " },
	{ .name = NULL }
};

struct type_row { const char *type; uint64_t count, bytes; };

static const struct column type_columns[] = {
	{ .name = "type", COLUMN(TEXT, struct type_row, type), .before = " " },
	{ .name = "count", COLUMN(NUMBER, struct type_row, count) },
	{ .name = "bytes", COLUMN(NUMBER, struct type_row, bytes), .before = ", ", .after = " bytes" },
	{ .name = NULL }
};

/* Samples of a CPU or, with a name, of a process. */
struct owner_row { int32_t number; const char *comm; uint64_t samples; };

static const struct column owner_columns[] = {
	{ .name = "cpu", COLUMN(INT, struct owner_row, number), .before = " cpu " },
	{ .name = "pid", COLUMN(INT, struct owner_row, number), .before = " pid " },
	{ .name = "comm", COLUMN(TEXT, struct owner_row, comm), .before = " " },
	{ .name = "samples", COLUMN(NUMBER, struct owner_row, samples) },
	{ .name = NULL }
};

static struct columns chosen(const struct column *table, const char *names)
{
	struct columns columns = { .count = 0 };
	const char *const wrong = columns_choose(&columns, table, names);

	assert(!wrong);
	(void)wrong;
	return columns;
}

static const char *seals(const struct pp_stream *s)
{
	if (s->rewritten)
		return "rewritten by a tool that does not know them";
	if (!s->sealed)
		return "none";
	if (s->flags & PP_SEAL_DAMAGED)
		return "sound, but an earlier stage met damage";
	return s->ended ? "sound, to the end" : "not ended";
}

/* "9000 blocks, 2249 states, 0.7 %", the last of the whole stream; NULL: there is none. */
static const char *index_text(const struct pp_stream *s)
{
	const struct pp_index_root *const root = &info.index;

	if (!root->version)
		return NULL;
	(void)snprintf(info.index_text, sizeof(info.index_text), "%" PRIu32 " block%s, %" PRIu32 " state%s, "
		       "%.1f %%", root->blocks, cli_plural(root->blocks), root->states,
		       cli_plural(root->states), (double)info.index_bytes * 100 / (double)s->bytes);
	return info.index_text;
}

static struct summary summarize(const struct pp_stream *s)
{
	return (struct summary){
		.input = s->name, .container = s->container, .dialect = s->dialect,
		.byte_order = s->big_endian ? "big" : "little", .killed = s->killed,
		.recorder = s->killed ? "killed: the recorder did not finish the file" : NULL,
		.bytes = s->bytes, .first = info.times.first, .last = info.times.last,
		.span = info.times.last - info.times.first, .rounds = s->rounds,
		.largest_round = info.largest_round, .disorder = info.times.disorder,
		.worst = info.times.worst, .lost = info.lost.records, .lost_samples = info.lost.samples,
		.all_lost = advice_lost(&info.lost), .throttled = info.throttled,
		.compressed = s->compressed_bytes, .expanded = s->expanded_bytes,
		.ratio = s->compressed_bytes ? s->expanded_bytes * 10 / s->compressed_bytes : 0,
		.seals = seals(s), .index = index_text(s), .orphans = s->orphans, .not_converted = s->dropped,
		.damaged = info.damaged,
	};
}

static struct event_row event_row(const struct pp_attr *a)
{
	return (struct event_row){ .name = a->name, .ids = a->n_ids,
				   .samples = a->index < info.n_events ? info.events[a->index] : 0 };
}

static struct owner_row owner_row(const struct count *count, bool tasks)
{
	const uint32_t number = (uint32_t)count->key;

	return (struct owner_row){
		.number = (int32_t)number, .samples = count->n,
		.comm = tasks ? pp_tasks_comm(info.tasks, number, number) : NULL,
	};
}

/* ---- in words ---- */

static void say_summary(const struct summary *summary, const char *names)
{
	const struct columns columns = chosen(summary_columns, names);

	columns_lines(out, &columns, summary);
}

static void say_events(const struct pp_attrs *attrs)
{
	const struct columns columns = chosen(event_columns, "samples,name");

	for (size_t i = 0; i < pp_attrs_count(attrs); i++) {
		const struct event_row row = event_row(pp_attrs_at(attrs, i));

		columns_label(out, i ? "" : "events");
		columns_lines(out, &columns, &row);
	}
}

static void say_records(void)
{
	const struct columns columns = chosen(type_columns, "count,type,bytes");
	const char *name = "records";
	char buf[24];

	for (uint32_t type = 0; type < TYPES; type++) {
		const struct type_row row = { pp_type_name(type, buf), info.records[type],
					      info.bytes[type] };

		if (!row.count)
			continue;
		columns_label(out, name);
		columns_lines(out, &columns, &row);
		name = "";
	}
	if (info.others) {
		columns_label(out, name);
		pp_out_dec(out, info.others);
		pp_out_text(out, " of types above 127\n");
	}
}

static void say_tally(const char *name, const struct tally *t, bool tasks)
{
	const struct columns columns = chosen(owner_columns, tasks ? "samples,pid,comm" : "samples,cpu");

	for (size_t i = 0; i < t->used && i < top; i++) {
		const struct owner_row row = owner_row(&t->items[i], tasks);

		columns_label(out, i ? "" : name);
		columns_lines(out, &columns, &row);
	}
	if (t->used > top) {
		columns_label(out, "");
		pp_out_text(out, "and ");
		pp_out_dec(out, t->used - top);
		pp_out_text(out, " more\n");
	}
}

static void say(const struct pp_stream *s)
{
	const struct summary summary = summarize(s);

	say_summary(&summary, "input,container,dialect,byte_order,recorder");
	pp_features_text(info.features, s->attrs, out);
	say_events(s->attrs);
	if (info.times.last)
		say_summary(&summary, "first_time,last_time,span");
	say_records();
	say_tally("CPUs", &info.cpus, false);
	say_tally("processes", &info.pids, true);
	say_summary(&summary, "rounds,largest_round,disorder,worst_disorder,all_lost,throttled");
	if (summary.compressed)
		say_summary(&summary, "expanded_bytes,compressed_bytes,ratio");
	say_summary(&summary, "seals,index,orphans,not_converted,damaged");
}

/* ---- as JSON ---- */

static void json_summary(struct pp_json *j, const struct summary *summary, const char *names)
{
	const struct columns columns = chosen(summary_columns, names);

	columns_json(j, &columns, summary);
}

/* A row of an array, or of an object, where it has a name. */
static void json_row(struct pp_json *j, const char *name, const struct columns *columns, const void *row)
{
	pp_json_open(j, name, '{');
	columns_json(j, columns, row);
	pp_json_close(j, '}');
}

static void json_records(struct pp_json *j)
{
	const struct columns columns = chosen(type_columns, "count,bytes");
	const struct type_row others = { "OTHERS", info.others, info.other_bytes };
	char buf[24];

	pp_json_open(j, "records", '{');
	for (uint32_t type = 0; type < TYPES; type++) {
		const struct type_row row = { pp_type_name(type, buf), info.records[type],
					      info.bytes[type] };

		if (row.count)
			json_row(j, row.type, &columns, &row);
	}
	if (others.count)
		json_row(j, others.type, &columns, &others);
	pp_json_close(j, '}');
}

static void json_tally(struct pp_json *j, const struct tally *t, bool tasks)
{
	const struct columns columns = chosen(owner_columns, tasks ? "pid,comm,samples" : "cpu,samples");

	pp_json_open(j, tasks ? "processes" : "cpus", '[');
	for (size_t i = 0; i < t->used && i < top; i++) {
		const struct owner_row row = owner_row(&t->items[i], tasks);

		json_row(j, NULL, &columns, &row);
	}
	pp_json_close(j, ']');
}

static void json_events(struct pp_json *j, const struct pp_attrs *attrs)
{
	const struct columns columns = chosen(event_columns, NULL);

	pp_json_open(j, "events", '[');
	for (size_t i = 0; i < pp_attrs_count(attrs); i++) {
		const struct event_row row = event_row(pp_attrs_at(attrs, i));

		json_row(j, NULL, &columns, &row);
	}
	pp_json_close(j, ']');
}

static void say_json(const struct pp_stream *s)
{
	const struct summary summary = summarize(s);
	struct pp_json j = { .out = out };

	pp_json_open(&j, NULL, '{');
	(void)pp_json_text(&j, "schema", SCHEMA, sizeof(SCHEMA) - 1);
	json_summary(&j, &summary, "input,container,dialect,byte_order,killed");
	pp_json_key(&j, "header");
	pp_features_json(info.features, s->attrs, out);
	json_events(&j, s->attrs);
	json_summary(&j, &summary, "bytes");
	json_records(&j);
	json_tally(&j, &info.cpus, false);
	json_tally(&j, &info.pids, true);
	json_summary(&j, &summary, "first_time,last_time,rounds,largest_round,disorder,worst_disorder,lost,"
		     "lost_samples,throttled,compressed_bytes,expanded_bytes,seals,index,orphans,"
		     "not_converted,damaged");
	pp_json_close(&j, '}');
	pp_out_char(out, '\n');
}

/* ---- one note ---- */

static void say_values(struct run *run)
{
	if (!pp_features_values(info.features, note, out) && run->status < EXIT_NO)
		run->status = EXIT_NO;
}

/* ---- from start to end ---- */

static void damaged(struct run *run, const struct pp_error *error)
{
	(void)run;
	(void)error;
	info.damaged++;
}

static int start(struct run *run)
{
	out = run->text;
	pp_reader_show_index(run->in);
	info.features = pp_features_new();
	info.tasks = pp_tasks_new(0, &info.budget);
	if (!info.features || !info.tasks)
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	run->keeps_long = true;
	return pp_features_note_long(info.features, run->stream, &run->error);
}

static int end(struct run *run)
{
	tally_rank(&info.cpus);
	tally_rank(&info.pids);
	if (note)
		say_values(run);
	else if (json)
		say_json(run->stream);
	else
		say(run->stream);
	pp_features_free(info.features);
	pp_tasks_free(info.tasks);
	free(info.events);
	tally_free(&info.cpus);
	tally_free(&info.pids);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .record = record, .batch = samples, .damaged = damaged, .end = end,
	};

	cli_parse(&tool, argc, argv);
	if (note && json)
		cli_misuse("--note or --json, not both");
	if (note && advice)
		cli_misuse("--note or --advice, not both");
	return advice ? advise_recording(&tool, json) : run_sink(&tool, &sink);
}
