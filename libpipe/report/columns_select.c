/* columns_select.c - which columns a report has, and which decide its order; which samples are in it.
 * Values are columns.c's. */
#include "report/hist.h"

#include <perfpipe/suggest.h>

#include <stdio.h>
#include <string.h>

bool pp_hist_listed(const char *list, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = list; length && *at;) {
		const size_t n = strcspn(at, ",");

		if (n == length && !memcmp(at, name, n))
			return true;
		at += n + (at[n] != '\0');
	}
	return false;
}

bool pp_hist_thread_left_out(const struct pp_report *r, const struct pp_sampled *s)
{
	bool runs = !r->machine.parallelism;
	char pid[16], tid[16];

	for (size_t i = 0; !runs && i < r->machine.n_parallelism; i++)
		runs = r->machine.parallelism[i] == pp_hist_parallelism(r);
	if (!runs || (!r->only.comms && !r->only.pids && !r->only.tids))
		return !runs;
	snprintf(pid, sizeof(pid), "%d", (int)s->pid);
	snprintf(tid, sizeof(tid), "%d", (int)s->tid);
	return (r->only.comms && !pp_hist_listed(r->only.comms, r->places.texts.items[s->comm].text)) ||
	       (r->only.pids && !pp_hist_listed(r->only.pids, pid)) ||
	       (r->only.tids && !pp_hist_listed(r->only.tids, tid));
}

size_t pp_hist_key(const struct pp_report *r, const struct pp_column *column)
{
	for (size_t i = 0; i < r->columns.n_keys; i++)
		if (r->columns.keys[i] == column)
			return i;
	return 0;
}

static void add_once(const struct pp_column **list, size_t *n, const struct pp_column *column)
{
	for (size_t i = 0; i < *n; i++)
		if (list[i] == column)
			return;
	if (*n < PP_COLUMNS_MOST)
		list[(*n)++] = column;
}

static void add_named(const struct pp_column **list, size_t *n, const char *name)
{
	const char *why;

	add_once(list, n, pp_column_find(name, strlen(name), false, &why));
}

static int no_such_key(const char *name, int length, struct pp_error *error)
{
	char wanted[65], meant[PP_NEAREST_TEXT];
	struct pp_nearest near = { .wanted = wanted };

	(void)snprintf(wanted, sizeof(wanted), "%.*s", length, name);
	for (size_t i = 0; pp_report_key(i); i++)
		pp_nearest_consider(&near, pp_report_key(i), NULL);
	pp_nearest_question(&near, meant, sizeof(meant));
	return pp_fail(error, PP_E_USE, "no key '%s'%s", wanted, meant);
}

/* Adds those of "name,name", of -F or of -s.  0, or -1 and *error. */
static int add_all(const struct pp_column **list, size_t *n, const char *names, bool fields,
		   struct pp_error *error)
{
	while (names && *names) {
		const size_t length = strcspn(names, ", ");
		const int shown = (int)(length < 64 ? length : 64);
		const char *why;
		const struct pp_column *const column = pp_column_find(names, length, fields, &why);

		if (why)
			return pp_fail(error, PP_E_USE, "the key '%.*s' of perf is not here: %s", shown,
				       names, why);
		if (length && !column)
			return no_such_key(names, shown, error);
		if (length)
			add_once(list, n, column);
		names += length + (names[length] != '\0');
	}
	return 0;
}

static bool has(const struct pp_column *const *list, size_t n, const char *name)
{
	const char *why;
	const struct pp_column *const column = pp_column_find(name, strlen(name), false, &why);

	for (size_t i = 0; i < n; i++)
		if (list[i] == column)
			return true;
	return false;
}

/* What is sorted by: perf's own choice is another for what a report is of. */
static const char *sort_of(const struct pp_report *r)
{
	static const char *const own[] = {
		[PP_REPORT_AUTO] = "comm,dso,symbol",
		[PP_REPORT_PLAIN] = "comm,dso,symbol",
		[PP_REPORT_BRANCHES] = "comm,dso_from,symbol_from,symbol_to,cycles",
		[PP_REPORT_MEMORY] = ("local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,"
				      "blocked,local_ins_lat,local_p_stage_cyc"),
	};

	return r->sort || r->fields ? r->sort : r->traced ? "trace" : own[r->mode];
}

/* All that is sorted by.  As in perf, who says which callers are meant asks for them, too.  0, or -1 and
 * *error. */
static int add_sorts(const struct pp_report *r, const struct pp_column **list, size_t *n,
		     struct pp_error *error)
{
	if (add_all(list, n, sort_of(r), false, error))
		return -1;
	if (r->how.parent)
		add_named(list, n, "parent");
	return 0;
}

/* Whether a report of this kind has what a column needs. */
static int check_needs(const struct pp_report *r, const struct pp_column *column, struct pp_error *error)
{
	if (column->needs == BRANCHES && r->mode != PP_REPORT_BRANCHES && r->mode != PP_REPORT_AUTO)
		return pp_fail(error, PP_E_USE, "the key '%s' is of branches, and this is no report of them",
			       column->shown.name);
	if (column->needs == MEMORY && r->mode != PP_REPORT_MEMORY) {
		(void)pp_fail(error, PP_E_USE, "the key '%s' is of memory accesses", column->shown.name);
		return pp_error_hint(error, PP_HINT_MEMORY_REPORT);
	}
	if ((column->needs == SWITCHES || pp_hist_is_of_latency(column)) &&
	    (r->how.no_latency || (r->settled && !r->latency)))
		return pp_fail(error, PP_E_USE, "the key '%s' needs context switches, as perf record "
			       "--latency has them", column->shown.name);
	return 0;
}

int pp_hist_choose_keys(struct pp_report *r, struct pp_error *error)
{
	const struct pp_column *all[PP_COLUMNS_MOST];
	size_t n = 0;

	r->columns.n_keys = 0;
	r->asked.exact = r->asked.averages = false;
	r->distributions.asked = r->how.buckets;
	r->asked.details = r->mode == PP_REPORT_BRANCHES || r->mode == PP_REPORT_MEMORY;
	if (add_all(all, &n, r->fields, true, error) || add_sorts(r, all, &n, error))
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (check_needs(r, all[i], error))
			return -1;
		r->asked.averages |= all[i]->shown.kind == PP_REPORT_AVERAGE;
		r->asked.details |= (all[i]->needs != NOTHING && all[i]->needs < SWITCHES) ||
				    r->asked.averages;
		r->distributions.asked |= all[i]->needs == SPREAD;
		r->asked.exact |= all[i]->place && (all[i]->shown.kind == PP_REPORT_ADDRESS ||
						    all[i]->shown.kind == PP_REPORT_INTO);
		if (all[i]->shown.key)
			r->columns.keys[r->columns.n_keys++] = all[i];
	}
	if (r->settled && !r->latency && (r->how.latency || r->machine.parallelism))
		return pp_fail(error, PP_E_USE, "how many threads ran is not known: there are no context "
			       "switches, as perf record --latency has them");
	r->sums = r->asked.averages || r->latency;
	r->asked.lines = has(all, n, "srcline") || has(all, n, "srcline_from") || has(all, n, "srcline_to");
	r->asked.sources = has(all, n, "srcfile");
	r->asked.sizes = has(all, n, "dso_size");
	r->asked.parents = has(all, n, "parent");
	r->asked.files = has(all, n, "dso");
	if (has(all, n, "syscall") && !r->calls && !(r->calls = pp_call_names_new(error)))
		return -1;
	/* perf tells these apart by their files only where those are shown */
	r->asked.bare = has(all, n, "symbol") && !r->asked.files && !r->asked.exact;
	return 0;
}

/* Where there are no children, though they were not refused, perf drops columns of them that -s names. */
static bool drops_children(const struct pp_report *r)
{
	return !r->children && !r->how.no_children;
}

/* As report__collapse_hists() and its caller of perf 7.3 have it: where nearly all samples are of one thread
 * at a time, latency says what is said beside it. */
static bool is_parallel(const struct pp_report *r)
{
	return r->latency && r->n_alone * 100 / (r->n_samples ? r->n_samples : 1) < 99;
}

/* Those that perf shows first, unless the keys name some of them. */
static size_t choose_first(const struct pp_report *r, const struct pp_column *const *sorts, size_t n_sorts,
			   const char *first[4])
{
	static const char *const names[2][4] = {
		{ "overhead_children", "latency_children", "overhead", "latency" },
		{ "latency_children", "overhead_children", "latency", "overhead" },
	};
	bool named = false;
	size_t n = 0;

	for (size_t i = 0; i < n_sorts && !r->how.latency; i++)
		named |= pp_hist_is_of_latency(sorts[i]) || !strncmp(sorts[i]->shown.name, "overhead", 8);
	for (size_t i = 0; i < 4; i++) {
		const char *const name = names[r->how.latency][i];

		if (named ? has(sorts, n_sorts, name) && (!strstr(name, "_children") || !drops_children(r)) :
		    (r->children || !strstr(name, "_children")) &&
		    ((r->how.latency ? r->latency : is_parallel(r)) || !strstr(name, "latency")))
			first[n++] = name;
	}
	return n;
}

/* As setup_overhead(), perf_hpp__init() and perf_hpp__setup_output_field() of perf have it. */
void pp_hist_lay_out(struct pp_report *r)
{
	const struct pp_column *sorts[PP_COLUMNS_MOST];
	const char *first[4];
	size_t n_sorts = 0, n_first;

	r->columns.n_shown = r->columns.n_order = 0;
	(void)add_sorts(r, sorts, &n_sorts, NULL);
	n_first = r->fields ? 0 : choose_first(r, sorts, n_sorts, first);
	for (size_t i = 0; i < n_first; i++) {
		add_named(r->columns.shown, &r->columns.n_shown, first[i]);
		if (!has(sorts, n_sorts, first[i]))
			add_named(r->columns.order, &r->columns.n_order, first[i]);
	}
	if (!r->fields) {
		if (r->how.sys_us) {
			add_named(r->columns.shown, &r->columns.n_shown, "overhead_sys");
			add_named(r->columns.shown, &r->columns.n_shown, "overhead_us");
		}
		if (r->how.samples)
			add_named(r->columns.shown, &r->columns.n_shown, "sample");
		if (r->how.period)
			add_named(r->columns.shown, &r->columns.n_shown, "period");
	}
	(void)add_all(r->columns.shown, &r->columns.n_shown, r->fields, true, NULL);
	for (size_t i = 0; i < n_sorts; i++) {
		add_once(r->columns.order, &r->columns.n_order, sorts[i]);
		if (r->fields || !pp_hist_is_of_children(sorts[i]) || !drops_children(r))
			add_once(r->columns.shown, &r->columns.n_shown, sorts[i]);
	}
	for (size_t i = 0; i < r->columns.n_shown; i++)
		add_once(r->columns.order, &r->columns.n_order, r->columns.shown[i]);
}

enum pp_report_mode pp_report_mode(const struct pp_report *r)
{
	return r->mode;
}

const char *pp_report_sort(const struct pp_report *r)
{
	return sort_of(r);
}
