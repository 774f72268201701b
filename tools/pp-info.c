/*
 * pp-info.c - what is in a stream, on one screen: where it comes from, its events, what was
 * sampled and when, and how sound it looks; single records are left to pp-dump.
 */
#include <stdlib.h>

#include "shared/run.h"

enum { TYPES = 128 };                 /* counted by number; all higher ones together */
enum { CPUS_MAX = 65536 };

static bool json;
static uint64_t top = 5;
static const char *note;

static const struct option_spec options[] = {
	OPT_SWITCH(0, "json", &json, "one line of JSON"),
	OPT_STRING(0, "note", "KEY", &note, "print only the values of the notes with this key"),
	OPT_U64(0, "top", "N", &top, "show the N CPUs and processes with the most samples "
		"(default: 5)"),
	OPT_COMMON_SINK,
	OPT_END
};

static const struct tool tool = {
	.name = "pp-info",
	.summary = "Summarize a stream or a perf.data file",
	.operands = "[FILE]",
	.options = options,
};

/* Counts by a number that is not dense: open addressing, grown at half full. */
struct tally {
	struct count { uint64_t key, n; } *items;
	size_t room, used;
	struct count *last;           /* found last: samples come in runs */
};

/* All that was counted on the way through. */
struct info {
	uint64_t records[TYPES], bytes[TYPES], others, other_bytes;
	struct tally events, cpus, pids;
	struct pp_features *features;
	struct pp_tasks *tasks;
	struct pp_budget budget;
	uint64_t first, last;         /* times of samples */
	uint64_t newest, disorder, worst;   /* against the largest time so far */
	uint64_t round_bytes, largest_round;
	uint64_t lost, lost_samples, throttled;
	uint64_t damaged;
};

static struct info info;

static struct count *find(struct tally *t, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (t->room - 1);

	while (t->items[at].n && t->items[at].key != key)
		at = (at + 1) & (t->room - 1);
	return &t->items[at];
}

static bool grow(struct tally *t)
{
	struct tally wide = { .room = t->room ? t->room * 2 : 256, .used = t->used };

	wide.items = calloc(wide.room, sizeof(*wide.items));
	if (!wide.items)
		return false;
	for (size_t i = 0; i < t->room; i++)
		if (t->items[i].n)
			*find(&wide, t->items[i].key) = t->items[i];
	free(t->items);
	*t = wide;
	return true;
}

static int count(struct tally *t, uint64_t key)
{
	struct count *c = t->last;

	if (!c || c->key != key) {
		if (t->used * 2 >= t->room && !grow(t))
			return -1;
		c = t->last = find(t, key);
		if (!c->n) {
			c->key = key;
			t->used++;
		}
	}
	c->n++;
	return 0;
}

static int more_first(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->key > y->key ? 1 : x->key < y->key ? -1 : 0;
}

/* Makes a dense array of a tally, most counted first. */
static void rank(struct tally *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->room; i++)
		if (t->items[i].n)
			t->items[n++] = t->items[i];
	if (n)
		qsort(t->items, n, sizeof(*t->items), more_first);
}

/* ---- on the way through ---- */

static int note_time(const struct pp_record *rec)
{
	uint64_t time;

	if (!pp_time(rec, &time))
		return 0;
	if (time < info.newest) {
		info.disorder++;
		if (info.newest - time > info.worst)
			info.worst = info.newest - time;
	} else {
		info.newest = time;
	}
	if (rec->type == PP_REC_SAMPLE) {
		if (!info.first || time < info.first)
			info.first = time;
		if (time > info.last)
			info.last = time;
	}
	return 0;
}

static int note_sample(const struct pp_record *rec)
{
	uint32_t cpu, pid, tid;

	if (count(&info.events, rec->attr ? rec->attr->index : UINT32_MAX) < 0)
		return -1;
	if (pp_cpu(rec, &cpu) && count(&info.cpus, cpu) < 0)
		return -1;
	return pp_task(rec, &pid, &tid) ? count(&info.pids, pid) : 0;
}

static void note_round(const struct pp_record *rec)
{
	if (!pp_is_round(rec))
		return;
	if (info.round_bytes > info.largest_round)
		info.largest_round = info.round_bytes;
	info.round_bytes = 0;
}

/* What is not a sample: seldom, so it may cost a little. */
static int note_other(struct run *run, const struct pp_record *rec)
{
	static const struct { uint32_t type; uint64_t *sum; } sums[] = {
		{ PP_REC_LOST, &info.lost },
		{ PP_REC_LOST_SAMPLES, &info.lost_samples },
	};
	uint64_t lost;

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		if (rec->type == sums[i].type && pp_find_u64(rec, PP_IS_LOST, &lost))
			*sums[i].sum += lost;
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
	note_time(rec);
	if (rec->type != PP_REC_SAMPLE)
		return note_other(run, rec);
	return note_sample(rec) < 0 ? pp_fail(&run->error, PP_E_NOMEM, NULL) : 0;
}

/* ---- in words ---- */

static struct pp_out *out;

static void label(const char *name)
{
	const size_t length = strlen(name);

	pp_out_text(out, name);
	pp_out_bytes(out, "              ", length < 14 ? 14 - length : 1);
}

static void line(const char *name, const char *text)
{
	label(name);
	pp_out_printable(out, text, strlen(text));
	pp_out_char(out, '\n');
}

static void number(const char *name, uint64_t n)
{
	label(name);
	pp_out_dec(out, n);
	pp_out_char(out, '\n');
}

static uint64_t samples_of(uint64_t key)
{
	for (size_t i = 0; i < info.events.used; i++)
		if (info.events.items[i].key == key)
			return info.events.items[i].n;
	return 0;
}

static void say_event(const struct pp_attr *a)
{
	label(a->index ? "" : "events");
	pp_out_dec(out, samples_of(a->index));
	pp_out_char(out, ' ');
	pp_out_printable(out, a->name, strlen(a->name));
	pp_out_char(out, '\n');
}

static void say_times(void)
{
	if (!info.last)
		return;
	label("time");
	pp_out_time(out, info.first);
	pp_out_text(out, " to ");
	pp_out_time(out, info.last);
	pp_out_text(out, ", ");
	pp_out_time(out, info.last - info.first);
	pp_out_text(out, " s\n");
}

static void say_records(void)
{
	const char *name = "records";
	char buf[24];

	for (uint32_t type = 0; type < TYPES; type++) {
		if (!info.records[type])
			continue;
		label(name);
		pp_out_dec(out, info.records[type]);
		pp_out_char(out, ' ');
		pp_out_text(out, pp_type_name(type, buf));
		pp_out_text(out, ", ");
		pp_out_dec(out, info.bytes[type]);
		pp_out_text(out, " bytes\n");
		name = "";
	}
	if (info.others) {
		label(name);
		pp_out_dec(out, info.others);
		pp_out_text(out, " of types above 127\n");
	}
}

static void say_tally(const char *name, const struct tally *t, bool tasks)
{
	for (size_t i = 0; i < t->used && i < top; i++) {
		label(i ? "" : name);
		pp_out_dec(out, t->items[i].n);
		pp_out_text(out, tasks ? " pid " : " cpu ");
		pp_out_int(out, (int32_t)t->items[i].key);
		if (tasks) {
			const uint32_t pid = (uint32_t)t->items[i].key;
			const char *comm = pp_tasks_comm(info.tasks, pid, pid);

			pp_out_char(out, ' ');
			pp_out_printable(out, comm, strlen(comm));
		}
		pp_out_char(out, '\n');
	}
	if (t->used > top) {
		label("");
		pp_out_text(out, "and ");
		pp_out_dec(out, t->used - top);
		pp_out_text(out, " more\n");
	}
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

static void say_soundness(const struct pp_stream *s)
{
	label("rounds");
	pp_out_dec(out, s->rounds);
	if (s->rounds) {
		pp_out_text(out, ", the largest of ");
		pp_out_dec(out, info.largest_round);
		pp_out_text(out, " bytes");
	}
	pp_out_char(out, '\n');
	label("disorder");
	pp_out_dec(out, info.disorder);
	if (info.disorder) {
		pp_out_text(out, " records after a newer one, by up to ");
		pp_out_time(out, info.worst);
		pp_out_text(out, " s");
	}
	pp_out_char(out, '\n');
	number("lost", info.lost + info.lost_samples);
	number("throttled", info.throttled);
	if (s->compressed_bytes) {
		label("compressed");
		pp_out_dec(out, s->expanded_bytes);
		pp_out_text(out, " bytes in ");
		pp_out_dec(out, s->compressed_bytes);
		pp_out_text(out, ", ratio ");
		pp_out_dec(out, s->expanded_bytes / s->compressed_bytes);
		pp_out_char(out, '.');
		pp_out_dec(out, s->expanded_bytes * 10 / s->compressed_bytes % 10);
		pp_out_char(out, '\n');
	}
	line("seals", seals(s));
	if (s->orphans)
		number("orphans", s->orphans);
	if (s->dropped)
		number("not converted", s->dropped);
	if (info.damaged)
		number("damaged", info.damaged);
}

static void say(const struct pp_stream *s)
{
	line("input", s->name);
	line("container", s->container);
	if (s->dialect)
		line("dialect", s->dialect);
	line("byte order", s->big_endian ? "big" : "little");
	if (s->killed)
		line("recorder", "killed: the recorder did not finish the file");
	pp_features_text(info.features, s->attrs, out);
	for (size_t i = 0; i < pp_attrs_count(s->attrs); i++)
		say_event(pp_attrs_at(s->attrs, i));
	say_times();
	say_records();
	say_tally("CPUs", &info.cpus, false);
	say_tally("processes", &info.pids, true);
	say_soundness(s);
}

/* ---- as JSON ---- */

/* Opens or goes on with an object: `"name":`. */
static void key(const char *between, const char *name)
{
	pp_out_text(out, between);
	pp_out_char(out, '"');
	pp_out_text(out, name);
	pp_out_text(out, "\":");
}

static void json_text(const char *between, const char *name, const char *text)
{
	key(between, name);
	if (!pp_out_json_string(out, text, strlen(text)))
		pp_out_text(out, "null");
}

static void json_number(const char *between, const char *name, uint64_t n)
{
	const char *quote = n >> 53 ? "\"" : "";      /* jq would round it */

	key(between, name);
	pp_out_text(out, quote);
	pp_out_dec(out, n);
	pp_out_text(out, quote);
}

static void json_records(void)
{
	const char *between = "{";
	char buf[24];

	key(",", "records");
	for (uint32_t type = 0; type < TYPES; type++) {
		if (!info.records[type])
			continue;
		key(between, pp_type_name(type, buf));
		pp_out_text(out, "{\"count\":");
		pp_out_dec(out, info.records[type]);
		json_number(",", "bytes", info.bytes[type]);
		pp_out_char(out, '}');
		between = ",";
	}
	if (info.others) {
		key(between, "OTHERS");
		pp_out_text(out, "{\"count\":");
		pp_out_dec(out, info.others);
		json_number(",", "bytes", info.other_bytes);
		pp_out_char(out, '}');
		between = ",";
	}
	pp_out_text(out, *between == '{' ? "{}" : "}");
}

static void json_tally(const char *name, const char *of, const struct tally *t, bool tasks)
{
	key(",", name);
	pp_out_char(out, '[');
	for (size_t i = 0; i < t->used && i < top; i++) {
		const uint32_t n = (uint32_t)t->items[i].key;

		key(i ? ",{" : "{", of);
		pp_out_int(out, (int32_t)n);
		if (tasks)
			json_text(",", "comm", pp_tasks_comm(info.tasks, n, n));
		json_number(",", "samples", t->items[i].n);
		pp_out_char(out, '}');
	}
	pp_out_char(out, ']');
}

static void json_events(const struct pp_attrs *attrs)
{
	key(",", "events");
	pp_out_char(out, '[');
	for (size_t i = 0; i < pp_attrs_count(attrs); i++) {
		const struct pp_attr *a = pp_attrs_at(attrs, i);

		json_text(i ? ",{" : "{", "name", a->name);
		json_number(",", "ids", a->n_ids);
		json_number(",", "samples", samples_of(a->index));
		pp_out_char(out, '}');
	}
	pp_out_char(out, ']');
}

static void say_json(const struct pp_stream *s)
{
	pp_out_text(out, "{\"schema\":\"perfpipe.info/1\"");
	json_text(",", "input", s->name);
	json_text(",", "container", s->container);
	if (s->dialect)
		json_text(",", "dialect", s->dialect);
	json_text(",", "byte_order", s->big_endian ? "big" : "little");
	if (s->killed)
		pp_out_text(out, ",\"killed\":true");
	key(",", "header");
	pp_features_json(info.features, s->attrs, out);
	json_events(s->attrs);
	json_number(",", "bytes", s->bytes);
	json_records();
	json_tally("cpus", "cpu", &info.cpus, false);
	json_tally("processes", "pid", &info.pids, true);
	json_number(",", "first_time", info.first);
	json_number(",", "last_time", info.last);
	json_number(",", "rounds", s->rounds);
	json_number(",", "largest_round", info.largest_round);
	json_number(",", "disorder", info.disorder);
	json_number(",", "worst_disorder", info.worst);
	json_number(",", "lost", info.lost);
	json_number(",", "lost_samples", info.lost_samples);
	json_number(",", "throttled", info.throttled);
	json_number(",", "compressed_bytes", s->compressed_bytes);
	json_number(",", "expanded_bytes", s->expanded_bytes);
	json_text(",", "seals", seals(s));
	json_number(",", "orphans", s->orphans);
	json_number(",", "not_converted", s->dropped);
	json_number(",", "damaged", info.damaged);
	pp_out_text(out, "}\n");
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
	info.features = pp_features_new();
	info.tasks = pp_tasks_new(0, &info.budget);
	return info.features && info.tasks ? 0 : pp_fail(&run->error, PP_E_NOMEM, NULL);
}

static int end(struct run *run)
{
	rank(&info.events);
	rank(&info.cpus);
	rank(&info.pids);
	if (note)
		say_values(run);
	else if (json)
		say_json(run->stream);
	else
		say(run->stream);
	pp_features_free(info.features);
	pp_tasks_free(info.tasks);
	free(info.events.items);
	free(info.cpus.items);
	free(info.pids.items);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct sink sink = {
		.start = start, .record = record, .damaged = damaged, .end = end,
	};

	cli_parse(&tool, argc, argv);
	if (note && json)
		cli_misuse("--note or --json, not both");
	return run_sink(&tool, &sink);
}
