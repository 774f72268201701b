/*
 * adapt_rate.c - fewer samples where records are lost and larger buffers do not help.  Which records are
 * lost is found by ring.c, and what larger buffers can do by enlarge_rings.c.
 */
#include "base/format_number.h"
#include "record/capture.h"

#include <errno.h>
#include <stdlib.h>

enum { SECOND = 1000000000, LONGEST = 3000 };  /* bytes of a note, for which record_limits.c leaves room */

/* What is said of one change, or as much of it as there is room for. */
struct note_words {
	char text[LONGEST];
	size_t n, events, left_out;
};

int pp_adapt_open(struct pp_capture *c, struct pp_error *error)
{
	struct pp_adapt *const a = &c->rings.adapt;

	a->wanted = c->options.adapt;
	if (!a->wanted)
		return 0;
	a->fixed = calloc(c->events.n, sizeof(*a->fixed));
	if (!a->fixed)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < c->events.n; i++)
		a->fixed[i] = pp_event_is_dummy(&c->events.items[i]);
	/* The first event traces by itself. */
	a->fixed[0] |= c->rings.aux.kind != NULL;
	return 0;
}

void pp_adapt_close(struct pp_capture *c)
{
	free(c->rings.adapt.fixed);
}

/* ---- one event ---- */

/* The kernel samples these by a timer, and forgets that a frequency was asked for. */
static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && (a->config == PERF_COUNT_SW_CPU_CLOCK ||
						 a->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Half as often as `rate`, which is a frequency or a period, or 0: that is not possible. */
static uint64_t half(const struct perf_event_attr *a, uint64_t rate)
{
	if (a->freq)
		return rate / 2;
	return rate > INT64_MAX / 2 ? 0 : rate * 2;
}

/* Sets its rate to half of what it is, or to less where the kernel permits no more than that by now.
 * Returns the new one, or 0: none can be had; then *why, unless there is none. */
static uint64_t lower(struct pp_capture *c, size_t event, struct pp_error *why)
{
	const struct perf_event_attr *const a = &c->events.items[event].attr;
	uint64_t rate = half(a, a->sample_period);

	why->code = PP_OK;
	for (; rate; rate = half(a, rate)) {
		const uint64_t value = a->freq && is_clock(a) ? SECOND / rate : rate;

		if (!pp_counters_period(&c->counters, event, value, why))
			return rate;
		if (!a->freq || why->os != EINVAL)
			break;
	}
	return 0;
}

/* ---- all ---- */

static void describe(struct note_words *w, const struct pp_event *e, uint64_t was)
{
	static const char *const formats[] = { "%s%s: period %llu to %llu", "%s%s: %llu to %llu Hz" };
	const uint64_t is = e->attr.sample_period;
	const int n = snprintf(w->text + w->n, sizeof(w->text) - w->n, formats[e->attr.freq],
			       w->events ? "; " : "", e->name, (unsigned long long)was,
			       (unsigned long long)is);

	/* and room for how many there were besides */
	if (w->left_out || n < 0 || (size_t)n + 64 > sizeof(w->text) - w->n) {
		w->left_out++;
		return;
	}
	w->n += (size_t)n;
	w->events++;
}

static void lower_all(struct pp_capture *c, struct note_words *w)
{
	struct pp_adapt *const a = &c->rings.adapt;

	for (size_t i = 0; i < c->events.n; i++) {
		struct pp_event *const e = &c->events.items[i];
		const uint64_t was = e->attr.sample_period;
		struct pp_error why;
		uint64_t rate;

		if (a->fixed[i] || !was)
			continue;
		rate = lower(c, i, &why);
		if (rate) {
			e->attr.sample_period = rate;
			describe(w, e, was);
			continue;
		}
		a->fixed[i] = true;
		if (why.code)
			pp_say(c->counters.say, "%.100s is sampled as often as before: the kernel "
			       "does not let its rate be changed", e->name);
	}
	if (w->left_out)
		(void)snprintf(w->text + w->n, sizeof(w->text) - w->n, "; and %zu more", w->left_out);
	else
		w->text[w->n] = '\0';
}

/* Gives it to the sink; a sink that takes no notes ends a round. */
static int put_rate_note(struct pp_capture *c, const struct note_words *w, struct pp_error *error)
{
	const struct pp_capture_sink *const sink = &c->rings.sink;
	char value[LONGEST + 64], time[PP_TIME_MAX + 1] = "";
	size_t n = 0;

	if (!sink->note)
		return 0;
	if (c->rings.adapt.time) {
		*pp_put_time(time, c->rings.adapt.time) = '\0';
		n = (size_t)snprintf(value, sizeof(value), "at %s s: ", time);
	}
	n += (size_t)snprintf(value + n, sizeof(value) - n, "%s", w->text);
	return sink->note(sink->arg, PP_NOTE_RATE, value, n, error) ? -1 : 1;
}

int pp_adapt(struct pp_capture *c, struct pp_error *error)
{
	struct pp_rings *const r = &c->rings;
	struct note_words w = { .n = 0 };

	if (!r->adapt.wanted || !pp_rings_overrun(r) || r->last || r->limit.full)
		return 0;
	lower_all(c, &w);
	if (!w.events) {
		if (!r->adapt.said_end)
			pp_say(c->counters.say, "records are lost, and no event can be sampled less often");
		r->adapt.said_end = true;
		return 0;
	}
	for (size_t i = 0; i < r->n; i++)
		r->items[i].settles = true;
	r->stats.adapted++;
	pp_say(c->counters.say, "records are lost, so samples are taken less often: %.150s%s", w.text,
	       strlen(w.text) > 150 ? " ..." : "");
	return put_rate_note(c, &w, error);
}
