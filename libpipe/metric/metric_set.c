/* metric_set.c - the metrics that were asked for, and those that they refer to, each after what it needs. */
#include "base/array.h"
#include "metric/metric.h"

#include <perfpipe/suggest.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Linking --------------------------------------------------------------------------------- */

struct linking {
	struct pp_metric_set *set;
	struct pp_error *error;
	const char *path[PP_METRIC_REFS + 1];         /* which metrics led here */
	unsigned depth;
};

static int link_metric(struct linking *, const struct pp_metric_stored *, unsigned run, uint32_t *member);

/* The place in a text of the operation that first asks for this name. */
static size_t name_at(const struct pp_metric_expression *e, uint32_t name)
{
	for (size_t i = 0; i < e->n_ops; i++)
		if (e->ops[i].kind >= PP_MO_VALUE && e->ops[i].kind <= PP_MO_HAS &&
		    e->ops[i].name == name)
			return e->ops[i].at;
	return 0;
}

/* Whether its value is asked for, not only whether it exists. */
static bool is_value(const struct pp_metric_expression *e, uint32_t name)
{
	for (size_t i = 0; i < e->n_ops; i++)
		if (e->ops[i].kind >= PP_MO_VALUE && e->ops[i].kind <= PP_MO_PARTS &&
		    e->ops[i].name == name)
			return true;
	return false;
}

/* An error in one metric's text, with the text, and a caret below the place. */
static int wrong_in(struct linking *l, const char *name, const char *text)
{
	const struct pp_error why = *l->error;
	size_t at = why.at;
	size_t from = at > 60 ? at - 60 : 0, length = strlen(text + from);

	if (why.code != PP_E_USE)
		return -1;
	(void)pp_metric_fail(l->error, at, "%s%.40s%s%.70s\n%.*s\n%*s^", name ? "metric " : "",
			     name ? name : "", name ? ": " : "", why.detail, (int)(length > 76 ? 76 : length),
			     text + from, (int)(at - from), "");
	return -1;
}

/* What a text is linked for: the metric that it is of, if it has a name, and what "?" stands for. */
struct of {
	const char *self, *pmu;
	unsigned run;
	bool is_threshold;
};

static int link_names(struct linking *l, struct pp_metric_linked *to, const struct of *of, const char *text)
{
	struct pp_metric_set *const set = l->set;

	to->refs = calloc(to->code.n_names + 1, sizeof(*to->refs));
	to->bound = calloc(to->code.n_names + 1, sizeof(*to->bound));
	if (!to->refs || !to->bound)
		return pp_metric_no_memory(l->error);
	if (set->names_most < to->code.n_names)
		set->names_most = to->code.n_names;
	for (uint32_t i = 0; i < to->code.n_names; i++) {
		const char *const name = to->code.names[i];
		const struct pp_metric_stored *const metric =
			*name != '#' && is_value(&to->code, i) ? pp_metrics_find(set->all, name, of->pmu) :
								 NULL;
		uint32_t member;

		/* A file may call an event and a metric of it alike. */
		if (!metric || (!of->is_threshold && of->self && !strcasecmp(name, of->self) &&
				pp_metrics_event(set->all, name)))
			continue;
		for (unsigned k = 0; k < l->depth; k++)
			if (!strcasecmp(l->path[k], metric->is.name)) {
				(void)pp_metric_fail(l->error, name_at(&to->code, i),
						     "'%.40s' refers to itself", name);
				return wrong_in(l, of->self, text);
			}
		if (link_metric(l, metric, of->run, &member))
			return -1;
		to->refs[i] = member + 1;
	}
	return 0;
}

static int link_text(struct linking *l, struct pp_metric_linked *to, const struct of *of, const char *text)
{
	if (pp_metric_compile(&to->code, text, of->run, l->error))
		return wrong_in(l, of->self, text);
	return link_names(l, to, of, text);
}

static void free_linked(struct pp_metric_linked *linked)
{
	pp_metric_expression_free(&linked->code);
	free(linked->refs);
	free(linked->bound);
}

static void free_member(struct pp_metric_member *m)
{
	free_linked(&m->value);
	free_linked(&m->threshold);
	free(m->run_name);
}

static bool has_runs(const struct pp_metric_stored *metric)
{
	return metric && strchr(metric->is.expression, '?');
}

/* perf's arch_get_runtimeparam(): one, where it is not known. */
static unsigned runs_of(const struct pp_metrics *all, const struct pp_metric_stored *metric)
{
	const char *const mode = metric->is.aggregation;
	uint32_t n = mode && !strcmp(mode, "PerChip") ? all->chips : all->chip_cores;

	n = n < PP_METRIC_RUNS ? n : PP_METRIC_RUNS;
	return has_runs(metric) && n ? n : 1;
}

static struct pp_metric_member *find_member(const struct pp_metric_set *set,
					    const struct pp_metric_stored *metric, unsigned run)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->members[i].metric == metric && set->members[i].run == run)
			return &set->members[i];
	return NULL;
}

/* Links a text and makes a member of it, after all that it refers to. */
static int add_member(struct linking *l, const struct pp_metric_stored *metric, unsigned run,
		      const char *text, uint32_t *member)
{
	struct pp_metric_set *const set = l->set;
	struct pp_metric_member new = { .metric = metric, .run = run };
	struct of of = { .run = run };

	if (metric) {
		new.is = metric->is;
		of.self = metric->is.name;
		of.pmu = metric->is.pmu;
	}
	if (link_text(l, &new.value, &of, text)) {
		free_member(&new);
		return -1;
	}
	if ((has_runs(metric) && asprintf(&new.run_name, "%s_%u", metric->is.name, run) < 0) ||
	    PP_GROW(&set->members, &set->room, set->n + 1, NULL)) {
		free_member(&new);
		return pp_metric_no_memory(l->error);
	}
	if (new.run_name)
		new.is.name = new.run_name;
	*member = (uint32_t)set->n;
	set->members[set->n++] = new;
	return 0;
}

static int link_metric(struct linking *l, const struct pp_metric_stored *metric, unsigned run,
		       uint32_t *member)
{
	struct pp_metric_member *const old = find_member(l->set, metric, run);
	int status;

	if (old) {
		*member = (uint32_t)(old - l->set->members);
		return 0;
	}
	if (l->depth == PP_METRIC_REFS) {
		(void)pp_metric_fail(l->error, 0, "metrics refer to metrics more than %d deep",
				     PP_METRIC_REFS);
		return wrong_in(l, metric->is.name, metric->is.expression);
	}
	l->path[l->depth++] = metric->is.name;
	status = add_member(l, metric, run, metric->is.expression, member);
	l->depth--;
	return status;
}

/* A threshold may ask for metrics that come later, so it is linked when all are there. */
static int link_thresholds(struct linking *l)
{
	const size_t n = l->set->n_asked;

	for (size_t i = 0; i < n; i++) {
		const uint32_t m = l->set->asked[i];
		const struct pp_metric_stored *const metric = l->set->members[m].metric;
		struct pp_metric_linked threshold = { .refs = NULL };

		if (!metric || !metric->is.threshold || l->set->members[m].threshold.refs)
			continue;
		if (link_text(l, &threshold, &(struct of){ metric->is.name, metric->is.pmu,
							    l->set->members[m].run, true },
			      metric->is.threshold)) {
			free_linked(&threshold);
			return -1;
		}
		l->set->members[m].threshold = threshold;
	}
	return 0;
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static int ask_run(struct linking *l, const struct pp_metric_stored *metric, unsigned run, bool ungrouped)
{
	struct pp_metric_set *const set = l->set;
	uint32_t member;

	if (link_metric(l, metric, run, &member))
		return -1;
	set->members[member].ungrouped |= ungrouped;
	for (size_t i = 0; i < set->n_asked; i++)
		if (set->asked[i] == member)
			return 0;
	if (PP_GROW(&set->asked, &set->asked_room, set->n_asked + 1, NULL))
		return pp_metric_no_memory(l->error);
	set->asked[set->n_asked++] = member;
	return 0;
}

static int ask(struct linking *l, const struct pp_metric_stored *metric, bool ungrouped)
{
	const unsigned n = runs_of(l->set->all, metric);

	for (unsigned run = 0; run < n; run++)
		if (ask_run(l, metric, run, ungrouped))
			return -1;
	return 0;
}

/* A name is a list in some files, too: "Miss_Ratio;l1d_cache_read_miss". */
static bool is_named(const struct pp_metric *m, const char *word, size_t length)
{
	return (length == 3 && !strncasecmp(word, "all", 3)) || pp_metric_list_has(m->name, word, length) ||
	       (strlen(m->name) == length && !strncasecmp(m->name, word, length));
}

/* Whether a file has metrics of this group: then it says what is in the group, and ours are not. */
static bool files_have_group(const struct pp_metrics *all, const char *group, size_t length)
{
	for (size_t i = 0; i < all->n; i++)
		if (!all->items[i].ours && pp_metric_list_has(all->items[i].is.groups, group, length))
			return true;
	return false;
}

static void consider_groups(struct pp_nearest *near, const char *groups)
{
	char name[PP_NEAREST_NAME];

	for (size_t n; groups && *groups; groups += n + (groups[n] == ';')) {
		n = strcspn(groups, ";");
		(void)snprintf(name, sizeof(name), "%.*s", n < sizeof(name) ? (int)n : 0, groups);
		if (*name)
			pp_nearest_consider(near, name, NULL);
	}
}

static int no_such_metric(struct linking *l, const char *names, size_t at, size_t length)
{
	const struct pp_metrics *const all = l->set->all;
	char wanted[61], meant[120];
	struct pp_nearest near = { .wanted = wanted };

	(void)snprintf(wanted, sizeof(wanted), "%.*s", length < 60 ? (int)length : 60, names + at);
	for (size_t i = 0; i < all->n; i++) {
		pp_nearest_consider(&near, all->items[i].is.name, NULL);
		consider_groups(&near, all->items[i].is.groups);
	}
	pp_nearest_question(&near, meant, sizeof(meant));
	return pp_metric_fail(l->error, at, "there is no metric and no group of metrics '%s'%s", wanted,
			      meant);
}

/* One word of the list. */
static int ask_word(struct linking *l, const char *names, size_t at, size_t length)
{
	const struct pp_metrics *const all = l->set->all;
	const bool filed = files_have_group(all, names + at, length);
	bool any = false;

	for (size_t i = 0; i < all->n; i++) {
		const struct pp_metric_stored *const m = &all->items[i];
		const bool in_group = !(filed && m->ours) &&
				      pp_metric_list_has(m->is.groups, names + at, length);

		if (m->hidden || !(in_group || is_named(&m->is, names + at, length)))
			continue;
		any = true;
		if (ask(l, m, pp_metric_list_has(m->is.ungrouped, names + at, length)))
			return -1;
	}
	if (any)
		return 0;
	return no_such_metric(l, names, at, length);
}

/* Names are between commas; a few of perf's have a blank: "power_channel_ppd %". */
static int ask_names(struct linking *l, const char *names)
{
	for (size_t at = 0;; at++) {
		size_t length;

		at += strspn(names + at, " ");
		length = strcspn(names + at, ",");
		const char end = names[at + length];

		while (length && names[at + length - 1] == ' ')
			length--;
		if (!length)
			return pp_metric_fail(l->error, at, "the name of a metric is missing");
		if (ask_word(l, names, at, length))
			return -1;
		if (!end)
			return link_thresholds(l);
		at += strcspn(names + at, ",");
	}
}

/* Room for values, of each member and of each name of one expression. */
static int make_room(struct pp_metric_set *set)
{
	set->values = calloc(set->n + 1, sizeof(*set->values));
	set->wanted = calloc(set->n + 1, sizeof(*set->wanted));
	set->named = calloc(set->names_most + 1, sizeof(*set->named));
	set->sources = calloc(set->names_most + 1, sizeof(*set->sources));
	set->parts = calloc(set->names_most + 1, sizeof(*set->parts));
	set->has = calloc(set->names_most + 1, sizeof(*set->has));
	return set->values && set->wanted && set->named && set->sources && set->parts &&
	       set->has ? 0 : -1;
}

static struct pp_metric_set *begin(struct linking *l, const struct pp_metrics *all,
				   struct pp_error *error)
{
	*l = (struct linking){ .set = calloc(1, sizeof(*l->set)), .error = error };
	if (l->set)
		l->set->all = all;
	else
		(void)pp_metric_no_memory(error);
	return l->set;
}

static struct pp_metric_set *finish(struct linking *l, int status)
{
	if (!status && !make_room(l->set))
		return l->set;
	if (!status)
		(void)pp_metric_no_memory(l->error);
	pp_metric_set_free(l->set);
	return NULL;
}

struct pp_metric_set *pp_metric_set_new(const struct pp_metrics *all, const char *names,
					struct pp_error *error)
{
	struct linking l;

	return begin(&l, all, error) ? finish(&l, ask_names(&l, names)) : NULL;
}

struct pp_metric_set *pp_metric_set_of(const struct pp_metrics *all, const char *expression,
				       struct pp_error *error)
{
	struct linking l;
	uint32_t member;
	int status;

	if (!begin(&l, all, error))
		return NULL;
	status = add_member(&l, NULL, 0, expression, &member);
	if (!status && PP_GROW(&l.set->asked, &l.set->asked_room, 1, NULL))
		status = pp_metric_no_memory(error);
	if (!status)
		l.set->asked[l.set->n_asked++] = member;
	return finish(&l, status);
}

const struct pp_metric *pp_metric_set_at(const struct pp_metric_set *set, size_t i)
{
	return i < set->n_asked ? &set->members[set->asked[i]].is : NULL;
}

void pp_metric_needs_free(struct pp_metric_set *set)
{
	for (size_t i = 0; set->needs && i < set->n_asked; i++)
		free(set->needs[i].names);
	free(set->needs);
	set->needs = NULL;
}

void pp_metric_bound_free(struct pp_metric_set *set)
{
	for (size_t i = 0; set->bound && i < set->n_bound; i++)
		free(set->bound[i].name);
	free(set->bound);
	free(set->used);
	free(set->uses);
	free(set->events);
	set->bound = NULL;
	set->used = NULL;
	set->uses = NULL;
	set->events = NULL;
	set->n_bound = set->n_events = set->event_room = 0;
}

void pp_metric_set_free(struct pp_metric_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n; i++)
		free_member(&set->members[i]);
	pp_metric_needs_free(set);
	pp_metric_bound_free(set);
	free(set->members);
	free(set->asked);
	free(set->values);
	free(set->wanted);
	free(set->named);
	free(set->sources);
	free(set->parts);
	free(set->has);
	free(set);
}
