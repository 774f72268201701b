/* chosen.c - which columns a report has, and which decide its order; which samples are in it.  Values are
 * columns.c's. */
#include "profile/hist.h"

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
	char pid[16], tid[16];

	if (!r->only.comms && !r->only.pids && !r->only.tids)
		return false;
	snprintf(pid, sizeof(pid), "%d", (int)s->pid);
	snprintf(tid, sizeof(tid), "%d", (int)s->tid);
	return (r->only.comms && !pp_hist_listed(r->only.comms, r->places.texts.items[s->comm].text)) ||
	       (r->only.pids && !pp_hist_listed(r->only.pids, pid)) ||
	       (r->only.tids && !pp_hist_listed(r->only.tids, tid));
}

size_t pp_hist_key(const struct pp_report *r, const struct pp_column *column)
{
	for (size_t i = 0; i < r->n_keys; i++)
		if (r->keys[i] == column)
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
	add_once(list, n, pp_column_find(name, strlen(name)));
}

/* Adds those of "name,name".  0, or -1 and *error. */
static int add_all(const struct pp_column **list, size_t *n, const char *names, struct pp_error *error)
{
	while (names && *names) {
		const size_t length = strcspn(names, ", ");
		const struct pp_column *const column = pp_column_find(names, length);

		if (length && !column)
			return pp_fail(error, PP_E_USE, "no key '%.*s'", (int)(length < 64 ? length : 64),
				       names);
		if (length)
			add_once(list, n, column);
		names += length + (names[length] != '\0');
	}
	return 0;
}

static bool has(const struct pp_column *const *list, size_t n, const char *name)
{
	const struct pp_column *const column = pp_column_find(name, strlen(name));

	for (size_t i = 0; i < n; i++)
		if (list[i] == column)
			return true;
	return false;
}

int pp_hist_choose_keys(struct pp_report *r, struct pp_error *error)
{
	const struct pp_column *all[PP_COLUMNS_MOST];
	size_t n = 0;

	if (add_all(all, &n, r->fields, error) || add_all(all, &n, r->sort, error))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (all[i]->shown.key)
			r->keys[r->n_keys++] = all[i];
	r->lines = has(all, n, "srcline");
	r->parents = has(all, n, "parent");
	return 0;
}

/* As setup_overhead(), perf_hpp__init() and perf_hpp__setup_output_field() of perf have it. */
void pp_hist_lay_out(struct pp_report *r)
{
	const struct pp_column *sorts[PP_COLUMNS_MOST];
	size_t n_sorts = 0;

	r->n_shown = r->n_order = 0;
	(void)add_all(sorts, &n_sorts, r->sort, NULL);
	if (!r->fields) {
		if (r->children)
			add_named(r->shown, &r->n_shown, "overhead_children");
		add_named(r->shown, &r->n_shown, "overhead");
		if (r->how.sys_us) {
			add_named(r->shown, &r->n_shown, "overhead_sys");
			add_named(r->shown, &r->n_shown, "overhead_us");
		}
		if (r->how.samples)
			add_named(r->shown, &r->n_shown, "sample");
		if (r->how.period)
			add_named(r->shown, &r->n_shown, "period");
		if (r->children && !has(sorts, n_sorts, "overhead_children"))
			add_named(r->order, &r->n_order, "overhead_children");
		if (!has(sorts, n_sorts, "overhead"))
			add_named(r->order, &r->n_order, "overhead");
	}
	(void)add_all(r->shown, &r->n_shown, r->fields, NULL);
	for (size_t i = 0; i < n_sorts; i++) {
		add_once(r->order, &r->n_order, sorts[i]);
		add_once(r->shown, &r->n_shown, sorts[i]);
	}
	for (size_t i = 0; i < r->n_shown; i++)
		add_once(r->order, &r->n_order, r->shown[i]);
}
