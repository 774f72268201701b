/*
 * stream_head.c - what comes before the counts: events and their ids, units and names, threads, CPUs,
 * the machine, and notes of what perf has no record for.
 */
#include "base/log.h"
#include "base/spool.h"
#include "count/counting.h"
#include "metric/metric.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_THREADS = (PP_RECORD_MAX - 16) / 24 };   /* as many as the record can hold */

/* ---- notes */

/* A text of any length: what does not fit in the buffer goes to memory. */
struct preface_text {
	struct pp_out out;
	struct pp_json json;
};

static int text_open(struct preface_text *t, struct pp_error *error)
{
	const int fd = memfd_create("note", MFD_CLOEXEC);

	if (fd < 0)
		return pp_fail_os(error, "cannot make room for a note");
	if (pp_out_open(&t->out, fd)) {
		(void)close(fd);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	t->json = (struct pp_json){ .out = &t->out };
	return 0;
}

/* Closes it; what was put into it is to be freed.  0, or -1 and *error. */
static int text_take(struct preface_text *t, char **text, size_t *length, struct pp_error *error)
{
	const int fd = t->out.fd;
	const int status = pp_out_close(&t->out);
	const off_t size = status ? -1 : lseek(fd, 0, SEEK_END);
	int failed = 0;

	*length = size > 0 ? (size_t)size : 0;
	*text = *length ? malloc(*length) : NULL;
	if (*length && !*text)
		failed = pp_fail(error, PP_E_NOMEM, NULL);
	else if (!*length || pp_read_at(fd, *text, *length, 0))
		failed = pp_fail_os(error, "cannot make a note");
	(void)close(fd);
	return failed;
}

/* Closes it, and writes it as a note. */
static int text_note(struct preface_text *t, struct pp_writer *out, const char *key, struct pp_error *error)
{
	char *text;
	size_t length;
	const int status = text_take(t, &text, &length, error) ||
			   pp_writer_note(out, key, text, length, error);

	free(text);
	return status ? -1 : 0;
}

static void put_text(struct pp_json *j, const char *name, const char *text)
{
	/* what is not UTF-8 has no place in JSON */
	if (text && *text)
		(void)pp_json_text(j, name, text, strlen(text));
}

/* JSON has no place for what is not UTF-8: it is shown as everywhere, \xNN. */
static void put_word(struct pp_json *j, const char *word)
{
	if (pp_json_text(j, NULL, word, strlen(word)))
		return;
	pp_json_key(j, NULL);
	pp_out_char(j->out, '"');
	for (size_t left = strlen(word), n; left; left -= n, word += n) {
		n = pp_printable(word, left);
		if (!n)
			pp_out_text(j->out, "\\\\x");
		else if (*word == '"' || *word == '\\')
			pp_out_char(j->out, '\\');
		if (n)
			pp_out_bytes(j->out, word, n);
		else
			pp_out_hex_bytes(j->out, word, n = 1);
	}
	pp_out_char(j->out, '"');
}

static void put_words(struct pp_json *j, const char *name, const char *const *words, size_t n)
{
	if (!n)
		return;
	pp_json_open(j, name, '[');
	for (size_t i = 0; i < n; i++)
		put_word(j, words[i]);
	pp_json_close(j, ']');
}

static void put_numbers(struct pp_json *j, const char *name, const uint32_t *numbers, size_t n)
{
	if (!n)
		return;
	pp_json_open(j, name, '[');
	for (size_t i = 0; i < n; i++)
		pp_json_number(j, NULL, numbers[i]);
	pp_json_close(j, ']');
}

static void put_number(struct pp_json *j, const char *name, uint64_t number)
{
	if (number)
		pp_json_number(j, name, number);
}

static void put_flag(struct pp_json *j, const char *name, bool set)
{
	if (!set)
		return;
	pp_json_key(j, name);
	pp_out_text(j->out, "true");
	j->more = true;
}

/* The CPUs as in "0-3,8". */
static void put_cpus(struct pp_json *j, const uint32_t *cpus, size_t n)
{
	if (!n)
		return;
	pp_json_key(j, "cpus");
	pp_out_char(j->out, '"');
	for (size_t i = 0, last; i < n; i = last + 1) {
		for (last = i; last + 1 < n && cpus[last + 1] == cpus[last] + 1;)
			last++;
		if (i)
			pp_out_char(j->out, ',');
		pp_out_dec(j->out, cpus[i]);
		if (last > i) {
			pp_out_char(j->out, '-');
			pp_out_dec(j->out, cpus[last]);
		}
	}
	pp_out_char(j->out, '"');
	j->more = true;
}

static size_t words_of(char *const *command)
{
	size_t n = 0;

	while (command && command[n])
		n++;
	return n;
}

/* Those that were asked for by name, and those that stand for a set of events. */
static void put_metrics(const struct pp_counting *c, const struct pp_counting_options *o, struct pp_json *j)
{
	const char *names[PP_COUNTING_METRICS];
	const size_t n = pp_counting_metrics(c->counters->events, o->asks, names);

	if (!o->n_metrics && !n)
		return;
	pp_json_open(j, "metrics", '[');
	for (size_t i = 0; i < o->n_metrics; i++)
		put_word(j, o->metrics[i]);
	for (size_t i = 0; i < n; i++)
		(void)pp_json_text(j, NULL, names[i], strlen(names[i]));
	pp_json_close(j, ']');
}

int pp_counting_describe(struct pp_counting *c, const struct pp_counting_options *o,
			 struct pp_error *error)
{
	static const struct pp_target_options everything = { .all_cpus = true };
	const struct pp_target_options *const t = o->target ? o->target : &everything;
	const struct pp_target *const target = c->counters->target;
	struct preface_text text;
	struct pp_json *const j = &text.json;

	if (text_open(&text, error))
		return -1;
	pp_json_open(j, NULL, '{');
	/* of those that are compared it is the first, in a shell */
	if (!o->n_sides)
		put_words(j, "command", (const char *const *)t->command, words_of(t->command));
	put_numbers(j, "pids", t->pids, t->n_pids);
	put_numbers(j, "tids", t->tids, t->n_tids);
	put_numbers(j, "users", t->users, t->n_users);
	put_cpus(j, t->cpus, t->n_cpus);
	put_flag(j, "all", (target->system_wide && !t->n_cpus) || t->all_tasks);
	put_flag(j, "thread", o->asks & PP_COUNTING_PER_THREAD);
	put_number(j, "interval", o->interval);
	if (o->asks & PP_COUNTING_DELAYED) {
		if (o->delay == PP_DELAY_FOREVER)
			pp_json_int(j, "delay", -1);
		else
			pp_json_number(j, "delay", o->delay / 1000000);
	}
	put_flag(j, "null", o->asks & PP_COUNTING_NULL);
	put_flag(j, "metric_only", o->asks & (PP_COUNTING_TOPDOWN | PP_COUNTING_SMI));
	if (o->repeat != 1)
		pp_json_number(j, "repeat", o->repeat);
	put_words(j, "sides", o->sides, o->n_sides);
	put_metrics(c, o, j);
	put_number(j, "chips", o->n_metrics ? pp_metric_runs_here(true) : 0);
	put_number(j, "chip_cores", o->n_metrics ? pp_metric_runs_here(false) : 0);
	pp_counting_clusters(j);
	pp_json_close(j, '}');
	return text_take(&text, &c->note, &c->note_size, error);
}

/* Why an event has no counters. */
static const char *why_none(const struct pp_counting *c, size_t i)
{
	const int refused = c->counters->of[i].refused;

	if (!refused)
		return "its PMU is on other CPUs";
	return refused == ENOENT || refused == ENODEV || refused == EOPNOTSUPP || refused == ENXIO ?
	       "this machine has no such counter" : strerror(refused);
}

void pp_counting_say_why(const struct pp_counting *c)
{
	for (size_t i = 0; i < c->counters->events->n; i++)
		if (!c->first_ids[i])
			pp_say(&c->options.say, "%s cannot be counted: %s", c->shown.items[i].name,
			       why_none(c, i));
}

/* What several events, on a PMU each, were asked for as; a number follows where that was asked for again. */
static void put_alias(const struct pp_counting *c, size_t i, struct pp_json *j)
{
	const struct pp_event *const items = c->shown.items, *const e = &items[i];
	size_t again = 1;
	char text[512];

	if (!e->of_several)
		return;
	for (size_t k = 0; k < i; k++)
		again += items[k].of_several && !strcmp(items[k].name, e->name) &&
			 !strcmp(items[k].pmu, e->pmu) &&
			 !strcmp(items[k].cgroup ? items[k].cgroup : "", e->cgroup ? e->cgroup : "");
	(void)snprintf(text, sizeof(text), "%s %zu", e->name, again);
	put_text(j, "alias", again > 1 ? text : e->name);
}

/* Its counters, if it has any; otherwise why it has none. */
static void put_event(const struct pp_counting *c, size_t i, struct pp_json *j)
{
	const struct pp_event *const e = &c->shown.items[i];
	char why[160];

	pp_json_open(j, NULL, '{');
	if (e->leader != i)
		pp_json_number(j, "leader", e->leader);
	put_text(j, "cgroup", e->cgroup);
	put_flag(j, "percore", e->own.given & PP_TERM_PERCORE && e->own.percore);
	if (e->pmu && e->attr.type > PERF_TYPE_BREAKPOINT)
		put_text(j, "pmu", e->pmu);
	put_alias(c, i, j);
	if (!c->first_ids[i]) {
		put_text(j, "name", e->name);
		(void)snprintf(why, sizeof(why), "cannot be counted: %s", why_none(c, i));
		put_text(j, "why", why);
	}
	pp_json_close(j, '}');
}

static int note_events(const struct pp_counting *c, struct pp_error *error)
{
	struct preface_text text;

	if (text_open(&text, error))
		return -1;
	pp_json_open(&text.json, NULL, '[');
	for (size_t i = 0; i < c->counters->events->n; i++)
		put_event(c, i, &text.json);
	pp_json_close(&text.json, ']');
	return text_note(&text, c->out, "count.events", error);
}

int pp_counting_note_run(struct pp_counting *c, struct pp_error *error)
{
	const struct pp_counting_result *const r = &c->result;
	struct preface_text text;
	struct pp_json *const j = &text.json;

	if (text_open(&text, error))
		return -1;
	pp_json_open(j, NULL, '{');
	pp_json_open(j, "rounds", '[');
	pp_json_number(j, NULL, c->first_round);
	pp_json_number(j, NULL, c->rounds - 1);
	pp_json_close(j, ']');
	pp_json_number(j, "elapsed", r->elapsed);
	if (r->has_command) {
		pp_json_number(j, "user", r->user);
		pp_json_number(j, "sys", r->system);
		if (WIFSIGNALED(r->status))
			pp_json_number(j, "signal", (uint64_t)WTERMSIG(r->status));
		else
			pp_json_number(j, "status", (uint64_t)WEXITSTATUS(r->status));
	}
	put_flag(j, "cut", r->has_command && c->cut);
	if (c->options.n_sides)
		pp_json_number(j, "side", c->side);
	pp_json_close(j, '}');
	return text_note(&text, c->out, PP_NOTE_RUN, error);
}

/* ---- records */

static int put(struct pp_counting *c, struct pp_build *b, const uint8_t *buf, struct pp_error *error)
{
	const size_t size = pp_build_end(b);

	/* one that cannot hold so much is left out */
	return size ? pp_writer_copy(c->out, buf, size, error) : 0;
}

/* Of a record that always has room: without memory it could not be made. */
static int put_whole(struct pp_counting *c, struct pp_build *b, const uint8_t *buf, struct pp_error *error)
{
	const size_t size = pp_build_end(b);

	return size ? pp_writer_copy(c->out, buf, size, error) : pp_fail(error, PP_E_NOMEM, NULL);
}

static int attributes(struct pp_counting *c, uint8_t *buf, struct pp_error *error)
{
	const size_t most = pp_header_max_ids(&c->shown);
	uint64_t *const ids = malloc(most * sizeof(*ids));
	const struct pp_counters *const k = c->counters;
	int status = ids ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	for (size_t i = 0; i < k->events->n && !status; i++) {
		struct pp_build b;
		size_t n = 0;

		for (size_t p = 0; p < k->each && n < most; p++)
			if (k->of[i].fds[p] >= 0)
				ids[n++] = k->of[i].ids[p];
		pp_build(&b, buf, PP_RECORD_MAX + 1, PP_REC_HEADER_ATTR, 0, NULL);
		pp_build_bytes(&b, "attr", c->shown.items[i].words, c->shown.items[i].attr.size);
		pp_build_bytes(&b, "id", ids, n * sizeof(*ids));
		status = put_whole(c, &b, buf, error);
	}
	free(ids);
	return status;
}

static void begin_update(struct pp_build *b, uint8_t *buf, uint64_t type, uint64_t id)
{
	pp_build(b, buf, PP_RECORD_MAX + 1, PP_REC_EVENT_UPDATE, 0, NULL);
	pp_build_u64(b, "type", type);
	pp_build_u64(b, "id", id);
}

static int update(struct pp_counting *c, size_t event, uint8_t *buf, struct pp_error *error)
{
	enum { UNIT, SCALE, NAME, CPUS };
	const struct pp_event *const e = &c->counters->events->items[event];
	const struct pp_target *const t = c->counters->target;
	const uint64_t id = c->first_ids[event];
	struct pp_build b;
	uint64_t bits;

	if (e->unit) {
		begin_update(&b, buf, UNIT, id);
		pp_build_text(&b, "unit", e->unit);
		if (put(c, &b, buf, error))
			return -1;
	}
	if (e->scale > 0 && (e->scale < 1 || e->scale > 1)) {
		begin_update(&b, buf, SCALE, id);
		memcpy(&bits, &e->scale, sizeof(bits));
		pp_build_u64(&b, "scale", bits);
		if (put(c, &b, buf, error))
			return -1;
	}
	/* the time that passes is that of the first CPU, as for perf */
	if ((e->cpus && e->n_cpus > 0) || (e->time == PP_TIME_DURATION && t->system_wide)) {
		begin_update(&b, buf, CPUS, id);
		pp_header_cpus(&b, "cpus", e->time ? t->cpus : e->cpus, e->time ? 1 : (size_t)e->n_cpus);
		if (put_whole(c, &b, buf, error))
			return -1;
	}
	begin_update(&b, buf, NAME, id);
	pp_build_text(&b, "name", e->name);
	return put(c, &b, buf, error);
}

static const char *base_name(const char *path)
{
	const char *const slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A command is called what it will be, which it is not yet. */
static int threads(struct pp_counting *c, uint8_t *buf, struct pp_error *error)
{
	const struct pp_target *const t = c->counters->target;

	for (size_t at = 0; at < t->n_threads;) {
		const size_t left = t->n_threads - at;
		const size_t n = left < MOST_THREADS ? left : MOST_THREADS;
		struct pp_build b;

		pp_build(&b, buf, PP_RECORD_MAX + 1, PP_REC_THREAD_MAP, 0, NULL);
		pp_build_u64(&b, "nr", n);
		for (size_t i = at; i < at + n; i++) {
			const bool command = t->command && t->threads[i].tid == t->command;
			char name[16];

			if (command)
				(void)snprintf(name, sizeof(name), "%s", base_name(t->options.command[0]));
			pp_build_open(&b, "entries");
			pp_build_u64(&b, "pid", (uint64_t)(int64_t)t->threads[i].tid);
			pp_build_text(&b, "comm", command ? name : t->threads[i].comm);
			pp_build_close(&b);
		}
		if (put_whole(c, &b, buf, error))
			return -1;
		at += n;
	}
	return 0;
}

static int cpus(struct pp_counting *c, uint8_t *buf, struct pp_error *error)
{
	const struct pp_target *const t = c->counters->target;
	struct pp_build b;

	pp_build(&b, buf, PP_RECORD_MAX + 1, PP_REC_CPU_MAP, 0, NULL);
	pp_header_cpus(&b, "map", t->cpus, t->n_cpus);
	return put_whole(c, &b, buf, error);
}

static int config(struct pp_counting *c, uint8_t *buf, struct pp_error *error)
{
	/* Numbers of aggregations differ from perf to perf, but for this one: over all. */
	enum { AGGR_MODE, INTERVAL, SCALE, SETTINGS, OVER_ALL = 1 };
	const uint64_t values[SETTINGS] = {
		[AGGR_MODE] = OVER_ALL, [INTERVAL] = c->options.interval / 1000000, [SCALE] = 1,
	};
	struct pp_build b;

	pp_build(&b, buf, PP_RECORD_MAX + 1, PP_REC_STAT_CONFIG, 0, NULL);
	pp_build_u64(&b, "nr", SETTINGS);
	for (uint64_t tag = 0; tag < SETTINGS; tag++) {
		pp_build_open(&b, "data");
		pp_build_u64(&b, "tag", tag);
		pp_build_u64(&b, "val", values[tag]);
		pp_build_close(&b);
	}
	return put_whole(c, &b, buf, error);
}

/* What the machine is, for who adds up by its cores or nodes elsewhere. */
static int features(struct pp_counting *c, uint8_t *buf, struct pp_error *error)
{
	static const uint32_t numbers[] = {
		PP_FEAT_HOSTNAME, PP_FEAT_OSRELEASE, PP_FEAT_VERSION, PP_FEAT_ARCH, PP_FEAT_NRCPUS,
		PP_FEAT_CPUDESC, PP_FEAT_CPUID, PP_FEAT_TOTAL_MEM, PP_FEAT_CMDLINE, PP_FEAT_CPU_TOPOLOGY,
		PP_FEAT_NUMA_TOPOLOGY, PP_FEAT_PMU_MAPPINGS, PP_FEAT_GROUP_DESC, PP_FEAT_CACHE,
		PP_FEAT_HYBRID_TOPOLOGY,
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct pp_build b;
		bool filled;

		pp_build_feature(&b, buf, PP_RECORD_MAX + 1, numbers[i]);
		errno = 0;
		if (numbers[i] == PP_FEAT_CMDLINE)
			filled = pp_header_cmdline(&b, c->options.cmdline);
		else if (numbers[i] == PP_FEAT_GROUP_DESC)
			filled = pp_header_groups(&b, &c->shown);
		else if (numbers[i] == PP_FEAT_CACHE)
			filled = pp_counting_caches(&b);
		else
			filled = pp_machine_feature(&b, numbers[i]);
		if (pp_looked(&c->options.say, pp_feature(numbers[i])->name, error) ||
		    (filled && put(c, &b, buf, error)))
			return -1;
	}
	return 0;
}

int pp_counting_preface(struct pp_counting *c, struct pp_error *error)
{
	uint8_t *const buf = malloc(PP_RECORD_MAX + 1);
	int status;

	if (!buf)
		return pp_fail(error, PP_E_NOMEM, NULL);
	status = pp_writer_note(c->out, "count", c->note, c->note_size, error) ||
		 note_events(c, error) || attributes(c, buf, error);
	for (size_t i = 0; i < c->counters->events->n && !status; i++)
		if (c->first_ids[i])
			status = update(c, i, buf, error);
	status = status || features(c, buf, error) || threads(c, buf, error) || cpus(c, buf, error) ||
		 config(c, buf, error) || pp_writer_flush(c->out, error);
	free(buf);
	return status ? -1 : 0;
}
