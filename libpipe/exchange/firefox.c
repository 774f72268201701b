/*
 * firefox.c - a recording as a processed profile of the Firefox Profiler, version 66 of its format
 * (https://github.com/firefox-devtools/profiler, docs-developer/CHANGELOG-formats.md).  Samples are whole
 * columns there: they come from the file that they wait in once for each.
 */
#include "exchange/firefox.h"

#include "base/format_number.h"
#include "base/sized_options.h"
#include "exchange/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION_OF_FORMAT = 66, VERSION_OF_GECKO = 36, THREADS = 2000 };

enum { MS_MOST = PP_DEC_MAX + 9 };     /* bytes that put_ms_text() may touch */

/* Milliseconds of ns, as they are. */
static inline char *put_ms_text(char *p, uint64_t ns)
{
	/* the first two of eight digits are 0 */
	const uint64_t digits = pp_digits_word((uint32_t)(ns % 1000000)) >> 16;

	p = pp_put_dec(p, ns / 1000000);
	if (!digits)
		return p;
	*p = '.';
	pp_put_word(p + 1, digits | PP_ZERO_DIGITS);
	return p + 1 + 8 - __builtin_clzll(digits) / 8;
}

static void put_ms(struct firefox *f, const char *name, uint64_t ns)
{
	struct pp_out *const out = firefox_next(f, name);

	out->at = (size_t)(put_ms_text(pp_out_room(out, MS_MOST), ns) - out->buf);
}

/* From where the profile begins. */
static uint64_t since_zero(const struct firefox *f, uint64_t time)
{
	return time > f->zero ? time - f->zero : 0;
}

static struct pp_thread_times times_of_thread(const struct firefox *f, const struct pp_export_thread *thread)
{
	struct pp_thread_times all = { .samples = 0 };

	for (size_t event = 0; event < f->all.n_events; event++) {
		const struct pp_thread_times one = pp_thread_samples_of(&f->threads, thread, event);

		if (one.first && (!all.first || one.first < all.first))
			all.first = one.first;
		all.last = one.last > all.last ? one.last : all.last;
	}
	return all;
}

static void put_word(struct firefox *f, const char *name, const char *word)
{
	pp_out_text(firefox_next(f, name), word);
}

/* ---- about the whole ---- */

static void put_categories(struct firefox *f)
{
	static const char categories[] =
		"[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"User\",\"color\":\"yellow\","
		"\"subcategories\":[\"Other\",\"Program\",\"Library\"]},"
		"{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"JIT\",\"color\":\"magenta\",\"subcategories\":[\"Other\"]},"
		"{\"name\":\"Inlined\",\"color\":\"lightblue\",\"subcategories\":[\"Other\"]}]";

	put_word(f, "categories", categories);
}

/* What each kind of marker has. */
static void put_marker_schema(struct firefox *f)
{
	static const char schema[] =
		"[{\"name\":\"Lost\",\"tableLabel\":\"{marker.data.count} events lost\","
		"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		"\"fields\":[{\"key\":\"count\",\"label\":\"Events\",\"format\":\"integer\"}]},"
		"{\"name\":\"Throttled\",\"tableLabel\":\"held back {marker.data.count} times\","
		"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		"\"fields\":[{\"key\":\"count\",\"label\":\"Times\",\"format\":\"integer\"}]},"
		"{\"name\":\"Note\",\"tableLabel\":\"{marker.data.text}\","
		"\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
		"\"fields\":[{\"key\":\"text\",\"label\":\"Note\",\"format\":\"string\"}]},"
		"{\"name\":\"OffCPU\",\"tableLabel\":\"{marker.data.event}\","
		"\"display\":[\"marker-chart\",\"marker-table\"],"
		"\"fields\":[{\"key\":\"event\",\"label\":\"Event\",\"format\":\"string\"}]}]";

	put_word(f, "markerSchema", schema);
}

static int put_extra_line(void *arg, const char *key, const char *value, struct pp_error *error)
{
	struct firefox *const f = arg;

	(void)error;
	pp_json_open(&f->json, NULL, '{');
	if (pp_firefox_text(f, "label", key))
		return -1;
	put_word(f, "format", "\"string\"");
	if (pp_firefox_text(f, "value", value))
		return -1;
	pp_json_close(&f->json, '}');
	return 0;
}

/* What pp_recording_about() says, and what only this format needs to say. */
static int put_extra(struct firefox *f)
{
	char joined[32];

	pp_json_open(&f->json, "extra", '[');
	pp_json_open(&f->json, NULL, '{');
	put_word(f, "label", "\"Recording\"");
	pp_json_open(&f->json, "entries", '[');
	if (pp_recording_about(&f->all, put_extra_line, f, f->error))
		return -1;
	snprintf(joined, sizeof(joined), "%" PRIu64, f->threads.joined);
	if ((f->threads.joined && put_extra_line(f, "threads that are joined", joined, f->error)) ||
	    (!f->all.facts->start &&
	     put_extra_line(f, "clock", "the recording does not say when it began", f->error)) ||
	    (f->all.events[f->main].name &&
	     put_extra_line(f, "event", f->all.events[f->main].name, f->error)))
		return -1;
	pp_json_close(&f->json, ']');
	pp_json_close(&f->json, '}');
	pp_json_close(&f->json, ']');
	return 0;
}

static int put_machine(struct firefox *f)
{
	const struct pp_flame_facts *const facts = f->all.facts;

	if ((facts->system && pp_firefox_text(f, "oscpu", facts->system)) ||
	    (facts->cpu && pp_firefox_text(f, "CPUName", facts->cpu)) ||
	    (facts->command && pp_firefox_text(f, "arguments", facts->command)))
		return -1;
	if (facts->cpus)
		firefox_number(f, "logicalCPUs", facts->cpus);
	return 0;
}

/* From where the profile begins. */
static uint64_t time_of_count(const struct firefox *f, const struct pp_export_counter *counter, size_t i)
{
	return counter->since_start ? counter->counts[i].time : since_zero(f, counter->counts[i].time);
}

/* The last sample or count, from there. */
static uint64_t last_time(const struct firefox *f)
{
	uint64_t last = f->all.duration, time;

	for (size_t i = 0; i < f->threads.n; i++) {
		time = since_zero(f, times_of_thread(f, &f->threads.items[i]).last);
		last = time > last ? time : last;
	}
	for (size_t i = 0; i < f->all.n_counters; i++) {
		const struct pp_export_counter *const counter = &f->all.counters[i];

		time = counter->n_counts ? time_of_count(f, counter, counter->n_counts - 1) : 0;
		last = time > last ? time : last;
	}
	return last;
}

/* Where the profile begins, by the wall clock. */
static uint64_t wall_zero(const struct firefox *f)
{
	const struct pp_flame_facts *const facts = f->all.facts;

	return facts->start ? facts->start - (facts->first - f->zero) : 0;
}

static int put_meta(struct firefox *f)
{
	const struct pp_export_event *const main = &f->all.events[f->main];

	pp_json_open(&f->json, "meta", '{');
	firefox_number(f, "preprocessedProfileVersion", VERSION_OF_FORMAT);
	firefox_number(f, "version", VERSION_OF_GECKO);
	put_word(f, "product", "\"perfpipe " VERSION "\"");
	put_word(f, "importedFrom", "\"perfpipe " VERSION "\"");
	put_ms(f, "interval", main->times && main->period ? main->period : 1000000);
	put_ms(f, "startTime", wall_zero(f));
	if (f->all.monotonic)
		firefox_number(f, "startTimeAsClockMonotonicNanosecondsSinceBoot", f->zero);
	put_ms(f, "profilingStartTime", 0);
	/* the end of a range is not in it */
	put_ms(f, "profilingEndTime", last_time(f) + 1);
	firefox_number(f, "processType", 0);
	firefox_number(f, "stackwalk", 1);
	put_word(f, "debug", "false");
	put_word(f, "symbolicated", "true");
	put_word(f, "usesOnlyOneStackType", "true");
	put_word(f, "sourceCodeIsNotOnSearchfox", "true");
	put_word(f, "keepProfileThreadOrder", "true");
	put_word(f, "sampleUnits", "{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}");
	put_word(f, "extensions", "{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]}");
	put_categories(f);
	put_marker_schema(f);
	if (put_machine(f) || put_extra(f))
		return -1;
	pp_json_close(&f->json, '}');
	return 0;
}

/* ---- samples ---- */

enum sample_column { STACK, TIME_DELTAS, WEIGHT, CPU_DELTA };

/* Whether weights are time on a CPU.  A sample's is that since the one before, so that there is one without a
 * stack before them, and the first one's is not lost. */
static bool has_cpu_time(const struct firefox *f)
{
	return f->all.events[f->main].times && !f->all.events[f->main].waits;
}

/* How far a column is written. */
struct sample_values {
	enum sample_column column;
	uint64_t time;                /* of the sample before */
	uint64_t weight;              /* and its text and a comma, several times: most weigh the same */
	char text[2 * (MS_MOST + 1)];
	size_t length, times;         /* length 0: there is none yet */
};

/* "1,null,3," of the stacks of samples. */
static char *put_stack_numbers(const struct firefox *f, char *p, const struct pp_sample_time *samples,
			       size_t n)
{
	const uint32_t *const stacks = f->of_node[f->main];

	for (size_t i = 0; i < n; i++) {
		const uint32_t stack = stacks[samples[i].node];

		if (stack) {
			p = pp_put_dec(p, stack - 1);
		} else {
			memcpy(p, "null", 4);
			p += 4;
		}
		*p++ = ',';
	}
	return p;
}

/* Times never go back, and samples without any come where they are. */
static char *put_deltas(const struct firefox *f, struct sample_values *v, char *p,
			const struct pp_sample_time *samples, size_t n)
{
	uint64_t before = v->time;

	for (size_t i = 0; i < n; i++) {
		const uint64_t now = since_zero(f, samples[i].time);

		p = put_ms_text(p, now > before ? now - before : 0);
		*p++ = ',';
		before = now > before ? now : before;
	}
	v->time = before;
	return p;
}

static void take_weight(const struct firefox *f, struct sample_values *v, uint64_t weight)
{
	const bool ms = v->column == WEIGHT && f->all.events[f->main].times;
	char *const end = ms ? put_ms_text(v->text, weight) : pp_put_dec(v->text, weight);

	*end = ',';
	v->weight = weight;
	v->length = (size_t)(end + 1 - v->text);
	v->times = sizeof(v->text) / v->length;
	for (size_t i = 1; i < v->times; i++)
		memcpy(v->text + i * v->length, v->text, v->length);
}

/* Samples that weigh the same as those before them. */
static char *put_weight_again(const struct sample_values *v, char *p, size_t n)
{
	for (; n > v->times; n -= v->times) {
		memcpy(p, v->text, sizeof(v->text));
		p += v->times * v->length;
	}
	memcpy(p, v->text, sizeof(v->text));
	return p + n * v->length;
}

static char *put_sample_weights(const struct firefox *f, struct sample_values *v, char *p,
				const struct pp_sample_time *samples, size_t n)
{
	for (size_t i = 0, first; i < n;) {
		if (!v->length || samples[i].weight != v->weight)
			take_weight(f, v, samples[i].weight);
		for (first = i++; i < n && samples[i].weight == v->weight;)
			i++;
		p = put_weight_again(v, p, i - first);
	}
	return p;
}

/* Values of a block of samples. */
static void put_sample_values(struct firefox *f, struct sample_values *v,
			      const struct pp_sample_time *samples, size_t n)
{
	struct pp_out *const out = firefox_next(f, NULL);
	/* a weight is copied with those that would follow */
	char *p = pp_out_room(out, (n + 2) * (MS_MOST + 1));

	if (v->column == STACK)
		p = put_stack_numbers(f, p, samples, n);
	else if (v->column == TIME_DELTAS)
		p = put_deltas(f, v, p, samples, n);
	else
		p = put_sample_weights(f, v, p, samples, n);
	/* the next call has a comma of its own */
	out->at = (size_t)(p - out->buf) - 1;
}

/* The sample before the first: as long before as that one weighs. */
static struct pp_sample_time sample_before(const struct firefox *f, const struct pp_sample_time *first)
{
	const uint64_t since = since_zero(f, first->time);

	return (struct pp_sample_time){
		.time = f->zero + (since > first->weight ? since - first->weight : 0),
	};
}

static int put_sample_column(struct firefox *f, const struct pp_export_thread *thread,
			     enum sample_column column)
{
	static const char *const names[] = {
		[STACK] = "stack", [TIME_DELTAS] = "timeDeltas", [WEIGHT] = "weight",
		[CPU_DELTA] = "threadCPUDelta",
	};
	struct sample_values values = { .column = column };
	struct pp_thread_samples samples;
	const struct pp_sample_time *some;
	bool first = has_cpu_time(f);
	size_t n;
	int got = pp_thread_samples_open(&samples, &f->threads, thread, f->main, f->error);

	pp_json_open(&f->json, names[column], '[');
	while (!f->out->os && !got && (got = pp_thread_samples_next(&samples, &some, &n, f->error)) > 0) {
		if (first) {
			const struct pp_sample_time before = sample_before(f, some);

			put_sample_values(f, &values, &before, 1);
		}
		first = false;
		put_sample_values(f, &values, some, n);
		got = 0;
	}
	pp_json_close(&f->json, ']');
	pp_thread_samples_close(&samples);
	return got < 0 ? -1 : 0;
}

static int put_samples_of(struct firefox *f, const struct pp_export_thread *thread)
{
	const enum sample_column last = has_cpu_time(f) ? CPU_DELTA : WEIGHT;
	struct pp_thread_times all = { .samples = 0 };

	if (thread)
		all = pp_thread_samples_of(&f->threads, thread, f->main);
	pp_json_open(&f->json, "samples", '{');
	firefox_number(f, "length", all.samples + (all.samples && has_cpu_time(f)));
	put_word(f, "weightType", f->all.events[f->main].times ? "\"tracing-ms\"" : "\"samples\"");
	for (unsigned column = STACK; column <= last && thread; column++)
		if (put_sample_column(f, thread, column))
			return -1;
	if (!thread)
		put_word(f, "stack", "[],\"timeDeltas\":[],\"weight\":[]");
	pp_json_close(&f->json, '}');
	return 0;
}

/* ---- markers ---- */

enum marker_column { NAME, START, END, PHASE, CATEGORY_OF, DATA };
enum { INSTANT = 0, INTERVAL = 1 };
/* Their names are the first strings. */
enum { NAME_OF_WAIT = PP_FLAME_MARKS };

static int name_markers(struct firefox *f)
{
	static const char *const names[] = {
		[PP_FLAME_LOST] = "Lost", [PP_FLAME_THROTTLED] = "Throttled", [PP_FLAME_NOTE] = "Note",
		[NAME_OF_WAIT] = "Off CPU",
	};
	uint32_t number;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (pp_strings_number(&f->texts, names[i], strlen(names[i]), 0, &number, f->error))
			return -1;
	return 0;
}

static int put_mark_data(struct firefox *f, const struct pp_flame_mark *mark)
{
	static const char *const types[] = {
		[PP_FLAME_LOST] = "\"Lost\"", [PP_FLAME_THROTTLED] = "\"Throttled\"",
		[PP_FLAME_NOTE] = "\"Note\"",
	};

	pp_json_open(&f->json, NULL, '{');
	put_word(f, "type", types[mark->kind]);
	if (mark->kind != PP_FLAME_NOTE)
		firefox_number(f, "count", mark->number);
	else if (mark->text && pp_firefox_text(f, "text", mark->text))
		return -1;
	pp_json_close(&f->json, '}');
	return 0;
}

static int put_mark_value(struct firefox *f, enum marker_column column, const struct pp_flame_mark *mark)
{
	const bool instant = mark->to <= mark->from;

	switch (column) {
	case NAME:
		firefox_number(f, NULL, mark->kind);
		break;
	case START:
		put_ms(f, NULL, since_zero(f, mark->from));
		break;
	case END:
		if (instant)
			put_word(f, NULL, "null");
		else
			put_ms(f, NULL, since_zero(f, mark->to));
		break;
	case PHASE:
		firefox_number(f, NULL, instant ? INSTANT : INTERVAL);
		break;
	case CATEGORY_OF:
		firefox_number(f, NULL, FIREFOX_OTHER);
		break;
	case DATA:
		return put_mark_data(f, mark);
	}
	return 0;
}

static int put_wait_data(struct firefox *f, size_t event, const struct pp_sample_time *wait)
{
	const uint32_t stack = f->of_node[event][wait->node];

	pp_json_open(&f->json, NULL, '{');
	put_word(f, "type", "\"OffCPU\"");
	if (f->all.events[event].name && pp_firefox_text(f, "event", f->all.events[event].name))
		return -1;
	if (stack) {
		pp_json_open(&f->json, "cause", '{');
		put_ms(f, "time", since_zero(f, wait->time));
		firefox_number(f, "stack", stack - 1);
		pp_json_close(&f->json, '}');
	}
	pp_json_close(&f->json, '}');
	return 0;
}

static int put_wait_value(struct firefox *f, enum marker_column column, size_t event,
			  const struct pp_sample_time *wait)
{
	const uint64_t from = since_zero(f, wait->time);

	switch (column) {
	case NAME:
		firefox_number(f, NULL, NAME_OF_WAIT);
		break;
	case START:
		put_ms(f, NULL, from);
		break;
	case END:
		put_ms(f, NULL, wait->weight > UINT64_MAX - from ? UINT64_MAX : from + wait->weight);
		break;
	case PHASE:
		firefox_number(f, NULL, INTERVAL);
		break;
	case CATEGORY_OF:
		firefox_number(f, NULL, FIREFOX_OTHER);
		break;
	case DATA:
		return put_wait_data(f, event, wait);
	}
	return 0;
}

/* Times that are lengths, as those are of threads that waited. */
static bool has_spans(const struct pp_export_event *event)
{
	return event->waits && event->times;
}

static int put_waits(struct firefox *f, enum marker_column column, const struct pp_export_thread *thread,
		     size_t event)
{
	struct pp_thread_samples samples;
	const struct pp_sample_time *some;
	size_t n;
	int got = pp_thread_samples_open(&samples, &f->threads, thread, event, f->error);

	while (!got && !f->out->os && (got = pp_thread_samples_next(&samples, &some, &n, f->error)) > 0) {
		got = 0;
		for (size_t i = 0; i < n && !got; i++)
			got = put_wait_value(f, column, event, &some[i]);
	}
	pp_thread_samples_close(&samples);
	return got < 0 ? -1 : 0;
}

/* What concerns all of the recording is with the first thread. */
static int put_marker_column(struct firefox *f, const struct pp_export_thread *thread, bool first,
			     enum marker_column column)
{
	static const char *const names[] = {
		[NAME] = "name", [START] = "startTime", [END] = "endTime", [PHASE] = "phase",
		[CATEGORY_OF] = "category", [DATA] = "data",
	};
	const struct pp_flame_facts *const facts = f->all.facts;

	pp_json_open(&f->json, names[column], '[');
	for (size_t i = 0; first && i < facts->n_marks; i++)
		if (put_mark_value(f, column, &facts->marks[i]))
			return -1;
	for (size_t event = 0; thread && event < f->all.n_events; event++)
		if (has_spans(&f->all.events[event]) && put_waits(f, column, thread, event))
			return -1;
	pp_json_close(&f->json, ']');
	return 0;
}

static int put_markers(struct firefox *f, const struct pp_export_thread *thread, bool first)
{
	uint64_t n = first ? f->all.facts->n_marks : 0;

	for (size_t event = 0; thread && event < f->all.n_events; event++)
		if (has_spans(&f->all.events[event]))
			n += pp_thread_samples_of(&f->threads, thread, event).samples;
	if (n)
		put_word(f, "showMarkersInTimeline", "true");
	pp_json_open(&f->json, "markers", '{');
	firefox_number(f, "length", n);
	for (unsigned column = NAME; column <= DATA; column++)
		if (put_marker_column(f, thread, first, column))
			return -1;
	pp_json_close(&f->json, '}');
	return 0;
}

/* ---- threads ---- */

static int put_thread_names(struct firefox *f, const struct pp_export_thread *thread)
{
	char others[96];

	if (thread->several)
		snprintf(others, sizeof(others), "%" PRIu32 " other threads", thread->several);
	if (pp_firefox_text(f, "name", thread->several ? others : thread->name) ||
	    pp_firefox_text(f, "processName", thread->process))
		return -1;
	put_word(f, "isMainThread", thread->pid == thread->tid && !thread->several ? "true" : "false");
	snprintf(others, sizeof(others), "\"%" PRIu32 "\"", thread->pid);
	put_word(f, "pid", others);
	if (thread->several)
		snprintf(others, sizeof(others), "\"others of %" PRIu32 "\"", thread->pid);
	else
		snprintf(others, sizeof(others), "%" PRIu32, thread->tid);
	put_word(f, "tid", others);
	return 0;
}

static int put_thread(struct firefox *f, const struct pp_export_thread *thread, bool first)
{
	const struct pp_thread_times all = times_of_thread(f, thread);

	pp_json_open(&f->json, NULL, '{');
	put_word(f, "processType", "\"default\"");
	put_ms(f, "processStartupTime", 0);
	put_word(f, "processShutdownTime", "null");
	put_ms(f, "registerTime", since_zero(f, all.first));
	put_ms(f, "unregisterTime", since_zero(f, all.last));
	put_word(f, "pausedRanges", "[]");
	if (put_thread_names(f, thread) || put_samples_of(f, thread) || put_markers(f, thread, first))
		return -1;
	pp_json_close(&f->json, '}');
	return 0;
}

/* The front end wants one at least. */
static int put_no_thread(struct firefox *f)
{
	pp_json_open(&f->json, NULL, '{');
	put_word(f, "processType", "\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
		 "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"name\":\"no samples\","
		 "\"processName\":\"no samples\",\"isMainThread\":true,\"pid\":\"0\",\"tid\":0");
	if (put_samples_of(f, NULL) || put_markers(f, NULL, true))
		return -1;
	pp_json_close(&f->json, '}');
	return 0;
}

static int put_threads(struct firefox *f)
{
	pp_json_open(&f->json, "threads", '[');
	for (size_t i = 0; i < f->threads.n && !f->out->os; i++)
		if (put_thread(f, &f->threads.items[i], !i))
			return -1;
	if (!f->threads.n && put_no_thread(f))
		return -1;
	pp_json_close(&f->json, ']');
	return 0;
}

/* ---- counters ---- */

static int put_counter_rows(struct firefox *f, const char *name)
{
	static const struct { const char *source, *label; } rows[] = {
		{ "count", " at this time" }, { "accumulated", " up to this time" },
		{ "committed-range-total", " in all that is shown" },
	};

	pp_json_open(&f->json, "tooltipRows", '[');
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		pp_json_open(&f->json, NULL, '{');
		put_word(f, "type", "\"value\"");
		(void)pp_json_text(&f->json, "source", rows[i].source, strlen(rows[i].source));
		put_word(f, "format", "{\"unit\":\"number\"}");
		f->clean.size = 0;
		if (pp_clean_text(&f->clean, name, f->error) ||
		    pp_clean_text(&f->clean, rows[i].label, f->error))
			return -1;
		(void)pp_json_text(&f->json, "label", (const char *)f->clean.data, f->clean.size);
		pp_json_close(&f->json, '}');
	}
	pp_json_close(&f->json, ']');
	return 0;
}

static int put_counter_display(struct firefox *f, const struct pp_export_counter *counter)
{
	pp_json_open(&f->json, "display", '{');
	put_word(f, "graphType", "\"line-rate\"");
	if (pp_firefox_text(f, "unit", counter->unit))
		return -1;
	put_word(f, "color", "\"blue\",\"markerSchemaLocation\":null,\"sortWeight\":50");
	if (pp_firefox_text(f, "label", counter->name) || put_counter_rows(f, counter->name))
		return -1;
	pp_json_close(&f->json, '}');
	return 0;
}

/* A rate needs the time before it: counting begins where the profile does. */
static void put_counter_samples(struct firefox *f, const struct pp_export_counter *counter)
{
	uint64_t time = 0;

	pp_json_open(&f->json, "samples", '{');
	firefox_number(f, "length", counter->n_counts + 1);
	pp_json_open(&f->json, "timeDeltas", '[');
	put_ms(f, NULL, 0);
	for (size_t i = 0; i < counter->n_counts; i++) {
		const uint64_t now = time_of_count(f, counter, i);

		put_ms(f, NULL, now > time ? now - time : 0);
		time = now > time ? now : time;
	}
	pp_json_close(&f->json, ']');
	pp_json_open(&f->json, "count", '[');
	firefox_number(f, NULL, 0);
	for (size_t i = 0; i < counter->n_counts; i++)
		pp_out_double(firefox_next(f, NULL), counter->counts[i].count);
	pp_json_close(&f->json, ']');
	pp_json_close(&f->json, '}');
}

/* They are of the whole recording, and stand with the first thread's process. */
static int put_counters(struct firefox *f)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "\"%" PRIu32 "\"", f->threads.n ? f->threads.items[0].pid : 0);
	pp_json_open(&f->json, "counters", '[');
	for (size_t i = 0; i < f->all.n_counters; i++) {
		const struct pp_export_counter *const counter = &f->all.counters[i];

		pp_json_open(&f->json, NULL, '{');
		if (pp_firefox_text(f, "name", counter->name))
			return -1;
		put_word(f, "category", "\"perf\"");
		put_word(f, "description", counter->since_start ?
			 "\"counts of each round\"" : "\"counts of threads, when they ended\"");
		put_word(f, "pid", pid);
		put_word(f, "mainThreadIndex", "0");
		if (put_counter_display(f, counter))
			return -1;
		put_counter_samples(f, counter);
		pp_json_close(&f->json, '}');
	}
	pp_json_close(&f->json, ']');
	return 0;
}

/* ---- all of it ---- */

/* The first event that is not of threads that waited. */
static size_t main_event(const struct pp_export *all)
{
	for (size_t i = 0; i < all->n_events; i++)
		if (!all->events[i].waits && all->events[i].samples)
			return i;
	return 0;
}

static uint64_t first_time(const struct firefox *f)
{
	uint64_t first = f->all.facts->first;

	for (size_t i = 0; i < f->threads.n; i++) {
		const uint64_t time = times_of_thread(f, &f->threads.items[i]).first;

		first = time && (!first || time < first) ? time : first;
	}
	for (size_t i = 0; i < f->all.facts->n_marks; i++) {
		const uint64_t time = f->all.facts->marks[i].from;

		first = time && time < first ? time : first;
	}
	for (size_t i = 0; i < f->all.n_counters; i++) {
		const struct pp_export_counter *const counter = &f->all.counters[i];

		if (counter->n_counts && !counter->since_start && counter->counts->time < first)
			first = counter->counts->time;
	}
	return first;
}

static int put_profile_parts(struct firefox *f)
{
	pp_json_open(&f->json, NULL, '{');
	if (put_meta(f) || pp_firefox_put_libs(f))
		return -1;
	pp_json_open(&f->json, "pages", '[');
	pp_json_close(&f->json, ']');
	if (pp_firefox_put_tables(f) || (f->all.n_counters && put_counters(f)) || put_threads(f))
		return -1;
	pp_json_close(&f->json, '}');
	pp_out_char(f->json.out, '\n');
	return 0;
}

static int open_output(struct firefox *f)
{
	if (f->all.plain) {
		f->json.out = f->out;
		return 0;
	}
	f->json.out = &f->text;
	if (pp_gzip_open(&f->gz, f->out, f->error))
		return -1;
	return pp_out_open(&f->text, -1) ? pp_fail(f->error, PP_E_NOMEM, NULL) : 0;
}

static int write_profile_of(struct firefox *f)
{
	f->main = main_event(&f->all);
	if (open_output(f) || pp_export_functions_open(&f->functions, &f->all, f->error) ||
	    pp_export_threads_open(&f->threads, &f->all, f->all.threads ? f->all.threads : THREADS, f->error))
		return -1;
	f->zero = first_time(f);
	if (name_markers(f) || pp_firefox_gather_tables(f) || put_profile_parts(f))
		return -1;
	if (f->all.joined)
		*f->all.joined = f->threads.joined;
	if (!f->all.plain) {
		pp_firefox_compress(f);
		pp_gzip_end(&f->gz);
	}
	return 0;
}

int pp_export_firefox(const struct pp_export *all, struct pp_out *out, struct pp_error *error)
{
	struct firefox f = { .out = out, .error = error };
	int status;

	if (pp_options_take(&f.all, sizeof(f.all), all, error))
		return -1;
	status = write_profile_of(&f);
	f.text.at = 0;
	(void)pp_out_close(&f.text);
	pp_gzip_close(&f.gz);
	pp_export_functions_close(&f.functions);
	pp_export_threads_close(&f.threads);
	pp_firefox_close_tables(&f);
	return status;
}
