/* required_events.c - which events metrics need, as text for -e: grouped weakly, those shared that can be. */
#include "base/array.h"
#include "base/sized_options.h"
#include "base/procfs.h"
#include "metric/metric.h"

#include <perfpipe/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct events_asked {
	struct pp_metric_set *set;
	const struct pp_metric_ask *how;
	const struct pp_metric_machine *machine;
	struct pp_error *error;
	struct pp_buffer text;
};

/* ---- Texts of events ------------------------------------------------------------------------- */

/* The terms between the slashes of "cpu/event=0xc2/", and their length. */
static const char *terms_of(const char *event, size_t *length)
{
	const char *const first = strchr(event, '/'), *const last = first ? strrchr(event, '/') : NULL;

	if (!first || last == first)
		return NULL;
	*length = (size_t)(last - first - 1);
	return first + 1;
}

static int copy(char **text, const char *from)
{
	*text = strdup(from);
	return *text ? 0 : -1;
}

/* "cpu/NAME,cmask=8/" where a file says what NAME is: its terms take its place. */
static int expand_terms(const struct pp_metrics *all, const char *name, char **text)
{
	size_t length, n, before;
	const char *const terms = terms_of(name, &length), *what = NULL, *its;
	char *word;

	if (!terms)
		return 0;
	before = (size_t)(terms - name);
	n = strcspn(terms, ",/");
	word = strndup(terms, n);
	if (!word)
		return -1;
	if (!strchr(word, '='))
		what = pp_metrics_event_on(all, word, name, before - 1);
	free(word);
	its = what ? terms_of(what, &length) : NULL;
	if (!its || asprintf(text, "%.*s%.*s%s", (int)before, name, (int)length, its, terms + n) >= 0)
		return 0;
	*text = NULL;
	return -1;
}

int pp_metric_terms(const struct pp_metrics *all, const char *name, char **text)
{
	const char *known = pp_metrics_event(all, name);
	const char *const colon = strrchr(name, ':');
	char *base;

	*text = NULL;
	if (known)
		return copy(text, known);
	if (!colon || !colon[1])
		return expand_terms(all, name, text);
	base = strndup(name, (size_t)(colon - name));
	if (!base)
		return -1;
	known = pp_metrics_event(all, base);
	free(base);
	if (!known)
		return expand_terms(all, name, text);
	if (asprintf(text, "%s%s%s", known, strchr(known, '/') ? "" : ":", colon + 1) >= 0)
		return 0;
	*text = NULL;
	return -1;
}

/* The event as -e takes it, under the name that the metric has for it.  NULL: no memory. */
static char *event_text(const struct pp_metrics *all, const char *name)
{
	const char *const known = pp_metrics_event(all, name), *terms;
	char *text = NULL;
	size_t length;

	if (known && (terms = terms_of(known, &length))) {
		if (strpbrk(name, ",/:") || strstr(terms, "name="))
			return strdup(known);
		if (asprintf(&text, "%.*s,name=%s%s", (int)(terms - known + (long)length), known, name,
			     terms + length) < 0)
			return NULL;
		return text;
	}
	if (pp_metric_terms(all, name, &text))
		return NULL;
	return text ? text : strdup(name);
}

/* ---- Needs ----------------------------------------------------------------------------------- */

/* 0, or -1: there is no memory to find out. */
static int exists(const struct events_asked *a, const char *name, bool *is)
{
	struct pp_error why = { .code = PP_OK };
	char *text;

	if (a->how->has_event) {
		*is = a->how->has_event(a->how->arg, name);
		return 0;
	}
	text = event_text(a->set->all, name);
	if (!text)
		return -1;
	*is = !pp_event_check(text, &why);
	free(text);
	return !*is && why.code == PP_E_NOMEM ? -1 : 0;
}

static int add_need(struct pp_metric_need *need, const char *name)
{
	size_t i = 0;

	while (i < need->n && strcmp(need->names[i], name) < 0)
		i++;
	if (i < need->n && !strcmp(need->names[i], name))
		return 0;
	if (PP_GROW(&need->names, &need->room, need->n + 1, NULL))
		return -1;
	memmove(&need->names[i + 1], &need->names[i], (need->n - i) * sizeof(*need->names));
	need->names[i] = name;
	need->n++;
	return 0;
}

static bool asks_has(const struct pp_metric_expression *e, size_t name)
{
	for (size_t i = 0; i < e->n_ops; i++)
		if (e->ops[i].kind == PP_MO_HAS && e->ops[i].name == name)
			return true;
	return false;
}

/* Adds what an expression needs.  Metrics that it refers to are marked as wanted. */
static int collect(struct events_asked *a, const struct pp_metric_linked *linked, struct pp_metric_need *need)
{
	const struct pp_metric_expression *const e = &linked->code;
	bool *const needed = calloc(e->n_names + 1, sizeof(*needed));
	bool *const has = calloc(e->n_names + 1, sizeof(*has));
	int status = needed && has ? 0 : -1;

	for (size_t i = 0; i < e->n_names && !status; i++)
		status = asks_has(e, i) ? exists(a, e->names[i], &has[i]) : 0;
	if (!status)
		status = pp_metric_needs(e, has, a->machine, needed);
	for (size_t i = 0; i < e->n_names && !status; i++) {
		if (!needed[i])
			continue;
		if (linked->refs[i])
			a->set->wanted[linked->refs[i] - 1] = true;
		else if (!pp_metric_time(e->names[i]))
			status = add_need(need, e->names[i]);
	}
	free(needed);
	free(has);
	return status;
}

static bool nmi_watchdog(void)
{
	return pp_file_u64(0, "/proc/sys/kernel/nmi_watchdog") != 0;
}

static bool wants_threshold(const struct events_asked *a, const struct pp_metric_member *m)
{
	const char *const constraint = m->metric ? m->metric->is.constraint : NULL;

	return m->threshold.refs && !a->how->no_threshold &&
	       !(constraint && !strcmp(constraint, "NO_THRESHOLD_AND_NMI") && nmi_watchdog());
}

/* Members come after what they refer to, but for what their thresholds refer to. */
static int collect_all(struct events_asked *a, uint32_t asked, struct pp_metric_need *need)
{
	struct pp_metric_set *const set = a->set;
	const struct pp_metric_member *const m = &set->members[asked];

	memset(set->wanted, 0, set->n * sizeof(*set->wanted));
	set->wanted[asked] = true;
	if (wants_threshold(a, m) && collect(a, &m->threshold, need))
		return -1;
	for (size_t i = set->n; i-- > 0;)
		if (set->wanted[i] && collect(a, &set->members[i].value, need))
			return -1;
	return 0;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static bool is_grouped(const struct events_asked *a, const struct pp_metric_member *m)
{
	const char *const constraint = m->metric ? m->metric->is.constraint : NULL;

	if (a->how->no_group || m->ungrouped)
		return false;
	if (!constraint)
		return true;
	if (!strcmp(constraint, "NO_GROUP_EVENTS"))
		return false;
	if (!strcmp(constraint, "NO_GROUP_EVENTS_NMI") || !strcmp(constraint, "NO_NMI_WATCHDOG"))
		return !nmi_watchdog();
	if (!strcmp(constraint, "NO_GROUP_EVENTS_SMT"))
		return a->machine->smt_on == 0;
	return true;
}

static bool has_all(const struct pp_metric_need *of, const struct pp_metric_need *some)
{
	size_t k = 0;

	for (size_t i = 0; i < some->n; i++) {
		while (k < of->n && strcmp(of->names[k], some->names[i]) < 0)
			k++;
		if (k == of->n || strcmp(of->names[k], some->names[i]) != 0)
			return false;
	}
	return true;
}

static int put(struct events_asked *a, const char *text)
{
	return pp_buffer_add(&a->text, text, strlen(text), NULL);
}

static int put_event(struct events_asked *a, const char *name, bool first)
{
	char *const text = event_text(a->set->all, name);
	const int status = !text || (!first && put(a, ",")) || put(a, text);

	free(text);
	return status;
}

static int put_group(struct events_asked *a, const struct pp_metric_need *need, bool grouped)
{
	const bool braces = grouped && need->n > 1;

	if (braces && put(a, a->text.size ? ",{" : "{"))
		return -1;
	for (size_t i = 0; i < need->n; i++)
		if (put_event(a, need->names[i], braces ? !i : !a->text.size))
			return -1;
	return braces ? put(a, "}:W") : 0;
}

/* What of the needs of a metric no group has that was put; each alone. */
static int put_rest(struct events_asked *a, const struct pp_metric_need *need, struct pp_metric_need *alone)
{
	for (size_t i = 0; i < need->n; i++) {
		const size_t before = alone->n;

		if (add_need(alone, need->names[i]))
			return -1;
		if (alone->n > before && put_event(a, need->names[i], !a->text.size))
			return -1;
	}
	return 0;
}

struct rank { size_t asked, n; };

static int by_most(const void *a, const void *b)
{
	const struct rank *const x = a, *const y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return x->asked < y->asked ? -1 : x->asked > y->asked;
}

/* Whether a group that was put has all that this one asks for. */
static bool is_shared(const struct events_asked *a, const struct rank *ranks, size_t upto)
{
	const struct pp_metric_set *const set = a->set;

	for (size_t i = 0; !a->how->no_merge && i < upto; i++)
		if (is_grouped(a, &set->members[set->asked[ranks[i].asked]]) &&
		    has_all(&set->needs[ranks[i].asked], &set->needs[ranks[upto].asked]))
			return true;
	return false;
}

static int put_all(struct events_asked *a, struct rank *ranks, struct pp_metric_need *alone)
{
	struct pp_metric_set *const set = a->set;

	for (size_t i = 0; i < set->n_asked; i++)
		ranks[i] = (struct rank){ i, set->needs[i].n };
	/* The largest groups come first, so that others find what they need in them. */
	qsort(ranks, set->n_asked, sizeof(*ranks), by_most);
	for (size_t i = 0; i < set->n_asked; i++) {
		const struct pp_metric_need *const need = &set->needs[ranks[i].asked];
		const bool grouped = is_grouped(a, &set->members[set->asked[ranks[i].asked]]);

		if (is_shared(a, ranks, i) || !need->n)
			continue;
		if (grouped ? put_group(a, need, true) : put_rest(a, need, alone))
			return -1;
	}
	/* as perf: what needs no event, such as a constant, is shown beside this one */
	if (set->n_asked && !a->text.size && put_event(a, "duration_time", true))
		return -1;
	return put(a, "") || pp_buffer_add(&a->text, "", 1, NULL) ? -1 : 0;
}

char *pp_metric_set_events(struct pp_metric_set *set, const struct pp_metric_ask *how,
			   struct pp_error *error)
{
	struct pp_metric_ask taken;
	struct pp_metric_machine here;
	struct pp_metric_need alone = { .n = 0 };
	struct events_asked a = { .set = set, .how = &taken, .error = error };
	struct rank *const ranks = calloc(set->n_asked + 1, sizeof(*ranks));
	int status;

	if (pp_options_take(&taken, sizeof(taken), how, error)) {
		free(ranks);
		return NULL;
	}
	a.machine = a.how->machine ? a.how->machine : &here;
	if (!a.how->machine)
		pp_metric_machine_here(&here, false);
	pp_metric_needs_free(set);
	set->needs = calloc(set->n_asked + 1, sizeof(*set->needs));
	status = ranks && set->needs ? 0 : -1;
	for (size_t i = 0; i < set->n_asked && !status; i++)
		status = collect_all(&a, set->asked[i], &set->needs[i]);
	if (!status)
		status = put_all(&a, ranks, &alone);
	free(ranks);
	free(alone.names);
	if (!status)
		return (char *)a.text.data;
	pp_buffer_free(&a.text);
	(void)pp_metric_no_memory(error);
	return NULL;
}

const char *pp_metric_set_need(const struct pp_metric_set *set, size_t metric, size_t i)
{
	if (!set->needs || metric >= set->n_asked || i >= set->needs[metric].n)
		return NULL;
	return set->needs[metric].names[i];
}
