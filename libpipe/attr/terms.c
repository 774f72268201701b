/*
 * terms.c - what stands between an event's slashes: taken apart, and what means the same for every
 * event.  Terms of one PMU are in pmu.c.
 */
#include "attr/parser.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USER_STACK = 8192, USER_STACK_MOST = 65528 };

bool pp_number_of(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno;
}

int pp_terms_split(struct pp_parser *w, struct pp_slice all, const char *at, struct pp_term_list *list)
{
	list->n = 0;
	while (all.at < all.end) {
		const char *const comma = memchr(all.at, ',', (size_t)(all.end - all.at));
		const char *const end = comma ? comma : all.end;
		const char *const equals = memchr(all.at, '=', (size_t)(end - all.at));
		const struct pp_slice before = { all.at, equals ? equals : end };
		const struct pp_slice after = { equals ? equals + 1 : end, end };
		const struct pp_slice name = pp_piece_trim(before), value = pp_piece_trim(after);
		struct pp_term *const term = &list->items[list->n];
		const char *const place = at ? at : name.at;

		if (list->n == PP_TERMS_MOST)
			return pp_words_fail(w, place, "more than %d terms", PP_TERMS_MOST);
		*term = (struct pp_term){ .at = place, .valued = equals != NULL };
		if (!pp_piece_text(name, term->name, sizeof(term->name)) ||
		    (equals && !pp_piece_text(value, term->value, sizeof(term->value))))
			return pp_words_fail(w, place, "this term is too long");
		if (*term->name)
			list->n++;
		else if (equals)
			return pp_words_fail(w, place, "a term has no name");
		all.at = comma ? comma + 1 : all.end;
	}
	return 0;
}

/* ---- values ---- */

struct setting {
	struct pp_parser *words;
	struct pp_event *event;
	const struct pp_term *term;
	uint64_t number;              /* of those that take one */
};

static int bad_value(const struct setting *s, const char *takes)
{
	return pp_words_fail(s->words, s->term->at, "%s takes %s", s->term->name, takes);
}

static int set_text(const struct setting *s, char **to)
{
	if (!*s->term->value)
		return bad_value(s, "a name");
	free(*to);
	*to = strdup(s->term->value);
	return *to ? 0 : pp_words_no_memory(s->words);
}

static int set_name(const struct setting *s)
{
	s->event->named = true;
	return set_text(s, &s->event->name);
}

static int set_cgroup(const struct setting *s) { return set_text(s, &s->event->cgroup); }
static int set_metric(const struct setting *s) { return set_text(s, &s->event->metric_id); }

static int set_rate(const struct setting *s, bool frequency)
{
	if (!s->number)
		return bad_value(s, "a number above 0");
	s->event->attr.sample_period = s->number;
	s->event->attr.freq = frequency;
	s->event->own_rate = true;
	s->event->own.given &= ~(uint32_t)(frequency ? PP_TERM_PERIOD : PP_TERM_FREQUENCY);
	return 0;
}

static int set_period(const struct setting *s) { return set_rate(s, false); }
static int set_frequency(const struct setting *s) { return set_rate(s, true); }

static int set_config(const struct setting *s)
{
	const char digit = s->term->name[strlen("config")];

	pp_attr_set_word(s->event, digit ? (unsigned)(digit - '0') : 0, s->number);
	return 0;
}

static int set_time(const struct setting *s) { s->event->own.time = s->number; return 0; }
static int set_inherit(const struct setting *s) { s->event->own.inherit = s->number; return 0; }
static int set_no_inherit(const struct setting *s) { s->event->own.inherit = !s->number; return 0; }
static int set_overwrite(const struct setting *s) { s->event->own.overwrite = s->number; return 0; }
static int set_no_overwrite(const struct setting *s) { s->event->own.overwrite = !s->number; return 0; }
static int set_percore(const struct setting *s) { s->event->own.percore = s->number; return 0; }
static int set_aux_output(const struct setting *s) { s->event->own.aux_output = s->number; return 0; }
static int set_most(const struct setting *s) { s->event->own.most = s->number; return 0; }

static int set_aux_sample(const struct setting *s)
{
	if (s->number > UINT32_MAX)
		return bad_value(s, "a size in bytes");
	s->event->own.aux_sample = (uint32_t)s->number;
	return 0;
}

static int set_aux_action(const struct setting *s)
{
	static const struct { const char *name; uint32_t bit; } actions[] = {
		{ "start-paused", PP_AUX_START_PAUSED }, { "pause", PP_AUX_PAUSE },
		{ "resume", PP_AUX_RESUME },
	};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(s->term->value, actions[i].name) != 0)
			continue;
		s->event->own.aux_action = actions[i].bit;
		return 0;
	}
	return bad_value(s, "start-paused, pause or resume");
}

/* The term may be repeated: then it is on all of them. */
static int set_cpus(const struct setting *s)
{
	struct pp_event *const e = s->event;
	uint32_t *more, *all;
	const long n = pp_list_parse(s->term->value, &more);

	if (n <= 0) {
		free(n < 0 ? NULL : more);
		return bad_value(s, "a number, or numbers as in 0-3");
	}
	all = realloc(e->own_cpus, (size_t)(e->n_own_cpus + n) * sizeof(*all));
	if (!all) {
		free(more);
		return pp_words_no_memory(s->words);
	}
	memcpy(all + e->n_own_cpus, more, (size_t)n * sizeof(*all));
	free(more);
	e->own_cpus = all;
	e->n_own_cpus += n;
	return 0;
}

static int set_depth(const struct setting *s)
{
	if (!s->number || s->number > UINT16_MAX)
		return bad_value(s, "a number of frames, from 1 to 65535");
	s->event->own.depth = (uint16_t)s->number;
	return 0;
}

static int set_stack(const struct setting *s)
{
	const uint64_t size = (s->number + 7) & ~UINT64_C(7);

	if (!s->number || size > USER_STACK_MOST)
		return bad_value(s, "a size from 8 to 65528");
	s->event->own.stack = (uint32_t)size;
	return 0;
}

static int set_chain(const struct setting *s)
{
	static const char *const names[] = {
		[PP_CHAIN_NO] = "no", [PP_CHAIN_FP] = "fp", [PP_CHAIN_DWARF] = "dwarf",
		[PP_CHAIN_LBR] = "lbr",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(s->term->value, names[i]) != 0)
			continue;
		s->event->own.chain = i;
		return 0;
	}
	return bad_value(s, "fp, dwarf, lbr or no");
}

enum {
	LBR_CHAIN = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
		    PERF_SAMPLE_BRANCH_NO_CYCLES | PERF_SAMPLE_BRANCH_NO_FLAGS |
		    PERF_SAMPLE_BRANCH_HW_INDEX,
};

static int set_branch(const struct setting *s)
{
	if (!strcmp(s->term->value, "no"))
		return 0;
	if (!pp_branches_named(s->term->value, &s->event->own.branch, NULL))
		return 0;
	return bad_value(s, "a kind of branch, such as any, any_call, u or no");
}

static const struct {
	const char *name;
	uint32_t given;
	enum { NUMBER, TEXT } takes;  /* NUMBER: or nothing, for 1 */
	int (*set)(const struct setting *);
} general[] = {
	{ "config", 0, NUMBER, set_config },
	{ "config1", 0, NUMBER, set_config },
	{ "config2", 0, NUMBER, set_config },
	{ "config3", 0, NUMBER, set_config },
	{ "config4", 0, NUMBER, set_config },
	{ "name", 0, TEXT, set_name },
	{ "period", PP_TERM_PERIOD, NUMBER, set_period },
	{ "freq", PP_TERM_FREQUENCY, NUMBER, set_frequency },
	{ "branch_type", PP_TERM_BRANCH, TEXT, set_branch },
	{ "time", PP_TERM_TIME, NUMBER, set_time },
	{ "call-graph", PP_TERM_CHAIN, TEXT, set_chain },
	{ "stack-size", PP_TERM_STACK, NUMBER, set_stack },
	{ "max-stack", PP_TERM_DEPTH, NUMBER, set_depth },
	{ "nr", PP_TERM_MOST, NUMBER, set_most },
	{ "inherit", PP_TERM_INHERIT, NUMBER, set_inherit },
	{ "no-inherit", PP_TERM_INHERIT, NUMBER, set_no_inherit },
	{ "overwrite", PP_TERM_OVERWRITE, NUMBER, set_overwrite },
	{ "no-overwrite", PP_TERM_OVERWRITE, NUMBER, set_no_overwrite },
	{ "percore", PP_TERM_PERCORE, NUMBER, set_percore },
	{ "aux-output", PP_TERM_AUX_OUTPUT, NUMBER, set_aux_output },
	{ "aux-action", PP_TERM_AUX_ACTION, TEXT, set_aux_action },
	{ "aux-sample-size", PP_TERM_AUX_SAMPLE, NUMBER, set_aux_sample },
	{ "cpu", 0, TEXT, set_cpus },
	{ "cgroup", 0, TEXT, set_cgroup },
	{ "metric-id", 0, TEXT, set_metric },
};

int pp_term_general(struct pp_parser *w, struct pp_event *e, const struct pp_term *term)
{
	struct setting s = { .words = w, .event = e, .term = term, .number = 1 };

	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++) {
		if (strcmp(term->name, general[i].name) != 0)
			continue;
		if (general[i].takes == NUMBER && term->valued && !pp_number_of(term->value, &s.number))
			return bad_value(&s, "a number");
		e->own.given |= general[i].given;
		return general[i].set(&s) ? -1 : 1;
	}
	return 0;
}

void pp_terms_each(pp_term_name_fn *fn, void *arg)
{
	for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++)
		fn(arg, general[i].name);
}

/* ---- what they change ---- */

struct pp_sampling pp_event_terms_sampling(const struct pp_event *e, const struct pp_sampling *all)
{
	const struct pp_event_terms *const o = &e->own;
	struct pp_sampling s = *all;
	bool chain = o->given & (PP_TERM_CHAIN | PP_TERM_STACK | PP_TERM_DEPTH);

	/* A depth alone asks for a chain, a size of the stack alone for none. */
	if (chain && !(o->given & PP_TERM_CHAIN) && !(o->given & PP_TERM_DEPTH))
		chain = s.user_stack > 0;
	if (chain) {
		const enum pp_event_terms_chain how = o->given & PP_TERM_CHAIN ? o->chain :
					  s.user_stack ? PP_CHAIN_DWARF : PP_CHAIN_FP;

		s.asks &= ~(uint64_t)PP_ASK_CALLCHAIN;
		s.asks |= how ? PP_ASK_CALLCHAIN : 0;
		s.user_stack = how != PP_CHAIN_DWARF ? 0 : o->stack ? o->stack :
			       s.user_stack ? s.user_stack : USER_STACK;
	}
	if (o->given & PP_TERM_BRANCH)
		s.branches = o->branch;
	if (o->given & PP_TERM_CHAIN && o->chain == PP_CHAIN_LBR)
		s.branches = LBR_CHAIN;
	if (o->given & PP_TERM_INHERIT) {
		s.asks &= ~(uint64_t)PP_ASK_NO_INHERIT;
		s.asks |= o->inherit ? 0 : PP_ASK_NO_INHERIT;
	}
	return s;
}

static void set_bit(struct perf_event_attr *a, uint64_t bit, bool on)
{
	a->sample_type = on ? a->sample_type | bit : a->sample_type & ~bit;
}

void pp_event_terms_finish(struct pp_event *e)
{
	struct perf_event_attr *const a = &e->attr;
	const struct pp_event_terms *const o = &e->own;

	if (o->given & PP_TERM_PERIOD)
		set_bit(a, PERF_SAMPLE_PERIOD, false);
	if (o->given & PP_TERM_FREQUENCY)
		set_bit(a, PERF_SAMPLE_PERIOD, true);
	if (o->given & PP_TERM_TIME)
		set_bit(a, PERF_SAMPLE_TIME, o->time);
	/* As perf does where an event alone asks for it. */
	if (o->given & PP_TERM_CHAIN && o->chain == PP_CHAIN_DWARF)
		set_bit(a, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC, true);
	if (o->given & PP_TERM_DEPTH)
		a->sample_max_stack = o->depth;
	if (o->given & PP_TERM_OVERWRITE)
		a->write_backward = o->overwrite;
	if (o->given & PP_TERM_AUX_OUTPUT)
		a->aux_output = o->aux_output;
	if (o->given & PP_TERM_AUX_SAMPLE) {
		set_bit(a, PERF_SAMPLE_AUX, o->aux_sample);
		a->aux_sample_size = o->aux_sample;
	}
	if (o->given & PP_TERM_AUX_ACTION)
		pp_attr_set_aux_action(e, o->aux_action);
}
