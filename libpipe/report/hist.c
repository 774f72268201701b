/*
 * hist.c - adds up samples that have the same keys and the same stack.  resolve_frames.c makes stacks,
 * columns.c the keys' values, report_entries.c the entries that are shown.
 */
#include "report/hist.h"

#include <perfpipe/walk.h>

#include "base/byte_order.h"
#include "base/sized_options.h"
#include "base/procfs.h"
#include "format/format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- from new to free ---- */

static const char default_parent[] = "^sys_|^do_page_fault";

static int copy(char **to, const char *text, struct pp_error *error)
{
	*to = text ? strdup(text) : NULL;
	return text && !*to ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

static int take_numbers(char **to, const char *list, struct pp_error *error)
{
	if (list && list[strspn(list, "0123456789,")])
		return pp_fail(error, PP_E_USE, "'%.64s' is not a list of numbers", list);
	return copy(to, list, error);
}

static int take_parallelism(struct pp_report *r, struct pp_error *error)
{
	const char *const list = r->how.parallelism;
	long n;

	errno = 0;
	n = list ? pp_list_parse(list, &r->machine.parallelism) : 0;
	if (n < 0 && errno == ENOMEM)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (n < 0 || (list && !n))
		return pp_fail(error, PP_E_USE, "'%.64s' is not a list of numbers", list);
	r->machine.n_parallelism = (size_t)n;
	return 0;
}

static int take_options(struct pp_report *r, const struct pp_report_options *how, struct pp_error *error)
{
	const char *why;

	if (pp_options_take(&r->how, sizeof(r->how), how, error))
		return -1;
	if (copy(&r->fields, r->how.fields, error) ||
	    copy(&r->sort, r->how.sort, error) ||
	    copy(&r->only.comms, r->how.comms, error) || take_numbers(&r->only.pids, r->how.pids, error) ||
	    take_numbers(&r->only.tids, r->how.tids, error) || copy(&r->only.dsos, r->how.dsos, error) ||
	    copy(&r->only.symbols, r->how.symbols, error) || take_parallelism(r, error))
		return -1;
	r->mode = r->how.mode;
	if (pp_hist_choose_keys(r, error))
		return -1;
	if (!r->how.max_stack)
		r->how.max_stack = 127;
	if (!r->how.time_quantum)
		r->how.time_quantum = 100000000;
	if (!r->asked.parents)
		return 0;
	r->parent = pp_regex_new(r->how.parent ? r->how.parent : default_parent, &why);
	if (!r->parent && !why)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return r->parent ? 0 : pp_fail(error, PP_E_USE, "%s", why);
}

struct pp_report *pp_report_new(const struct pp_report_options *how, struct pp_tasks *tasks,
				struct pp_symbols *symbols, struct pp_error *error)
{
	struct pp_report *const r = calloc(1, sizeof(*r));
	uint32_t none;

	if (!r) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	r->tasks = tasks;
	r->symbols = symbols;
	r->parts = r->machine.running = 1;
	if (take_options(r, how, error) || pp_frame_table_text(&r->places, "", 0, &none, error)) {
		pp_report_free(r);
		return NULL;
	}
	pp_hist_lay_out(r);
	return r;
}

void pp_report_free(struct pp_report *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->tables.n_events; i++) {
		pp_hist_forget(&r->tables.events[i]);
		free(r->tables.events[i].name);
	}
	free(r->tables.events);
	free(r->tables.order);
	pp_hist_forget_groups(r);
	free(r->tables.recorded);
	pp_hist_forget_trees(r);
	free(r->names.now);
	free(r->sort);
	free(r->fields);
	pp_call_names_free(r->calls);
	free(r->only.comms);
	free(r->only.pids);
	free(r->only.tids);
	free(r->only.dsos);
	free(r->only.symbols);
	free(r->chains.stacks);
	free(r->chains.frames);
	free(r->chains.callers);
	free(r->chains.inlined);
	free(r->chain);
	pp_group_deltas_close(&r->since);
	free(r->groups.items);
	free(r->groups.values);
	free(r->groups.costs);
	pp_hist_close_distributions(&r->distributions);
	free(r->kept.items);
	free(r->machine.sockets);
	free(r->machine.parallelism);
	pp_idmap_close(&r->kept.by_number);
	pp_regex_free(r->parent);
	pp_frame_table_close(&r->places);
	pp_stack_cache_close(&r->known);
	pp_hash_set_close(&r->by_sample);
	pp_index_close(&r->groups.by_values);
	pp_index_close(&r->chains.by_stack);
	pp_index_close(&r->chains.by_callers);
	pp_index_close(&r->chains.by_inlined);
	pp_address_cache_close(&r->addresses);
	pp_idmap_close(&r->names.comms);
	pp_idmap_close(&r->names.renamed);
	pp_idmap_close(&r->tables.by_attr);
	free(r);
}

/* ---- samples ---- */

static size_t place_in_stream(const struct pp_attrs *attrs, const struct pp_attr *attr)
{
	const size_t n = attrs ? pp_attrs_count(attrs) : 0;

	for (size_t i = 0; i < n; i++)
		if (pp_attrs_at(attrs, i) == attr)
			return i;
	return n;
}

static int add_event(struct pp_report *r, const struct pp_attrs *attrs, const struct pp_attr *attr,
		     uint32_t *number, struct pp_error *error)
{
	struct pp_hist_event event = {
		.attr = attr, .order = place_in_stream(attrs, attr),
		.has_chains = pp_attr_has_chain(attr),
	};

	if (PP_GROW(&r->tables.events, &r->tables.events_room, r->tables.n_events + 1, error) ||
	    PP_GROW(&r->tables.order, &r->tables.order_room, r->tables.n_events + 1, error))
		return -1;
	event.name = strdup(attr->name);
	if (!event.name || pp_idmap_set(&r->tables.by_attr, (uintptr_t)attr, r->tables.n_events)) {
		free(event.name);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	*number = (uint32_t)r->tables.n_events;
	r->tables.events[r->tables.n_events++] = event;
	return 0;
}

static int find_event(struct pp_report *r, const struct pp_attrs *attrs, const struct pp_attr *attr,
		      uint32_t *number, struct pp_error *error)
{
	const uint64_t *at;

	if (attr == r->tables.last_attr) {
		*number = r->tables.last_event;
		return 0;
	}
	at = pp_idmap_find(&r->tables.by_attr, (uintptr_t)attr);
	if (!at && add_event(r, attrs, attr, number, error))
		return -1;
	if (at)
		*number = (uint32_t)*at;
	r->tables.last_attr = attr;
	r->tables.last_event = *number;
	return 0;
}

static uint64_t hash_key(const struct pp_report *r, uint32_t event, uint32_t stack, const uint64_t *values)
{
	return pp_hist_hash(r, values, (uint64_t)event << 32 | stack);
}

static uint64_t hash_group(const void *things, uint64_t place)
{
	const struct pp_report *const r = things;
	const struct pp_hist_group *const g = &r->groups.items[place - 1];

	return hash_key(r, g->event, g->stack, &r->groups.values[(place - 1) * r->columns.n_keys]);
}

/* The last name of a thread, for those who show it. */
static int set_comm(struct pp_report *r, uint32_t tid, uint32_t text, struct pp_error *error)
{
	return pp_idmap_set(&r->names.comms, tid, text) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

static int add_hist_group(struct pp_report *r, const struct pp_hist_group *group, const uint64_t *values,
			  struct pp_error *error)
{
	const size_t n = r->groups.n;

	if (n >= UINT32_MAX || PP_GROW(&r->groups.items, &r->groups.room, n + 1, error) ||
	    PP_GROW(&r->groups.values, &r->groups.values_room, (n + 1) * r->columns.n_keys, error) ||
	    (r->sums && PP_GROW(&r->groups.costs, &r->groups.costs_room, n + 1, error)) ||
	    (r->distributions.asked && pp_hist_new_range(r, n, error)))
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (r->sums)
		r->groups.costs[n] = (struct pp_hist_costs){ 0 };
	r->groups.items[n] = *group;
	if (r->columns.n_keys)
		memcpy(&r->groups.values[n * r->columns.n_keys], values, r->columns.n_keys * sizeof(*values));
	r->groups.n_parts += pp_hist_parts(r, &r->chains.stacks[group->stack]);
	r->groups.n++;
	return 0;
}

int pp_hist_group(struct pp_report *r, const struct pp_hist_group *group, const uint64_t *values,
		  uint32_t *number, struct pp_error *error)
{
	size_t at;

	if (pp_index_reserve(&r->groups.by_values, r->groups.n + 1, hash_group, r))
		return pp_fail(error, PP_E_NOMEM, NULL);
	at = pp_index_first(&r->groups.by_values, hash_key(r, group->event, group->stack, values));
	for (; r->groups.by_values.places[at]; at = pp_index_next(&r->groups.by_values, at)) {
		const uint64_t i = r->groups.by_values.places[at] - 1;
		const struct pp_hist_group *const g = &r->groups.items[i];

		if (g->event == group->event && g->stack == group->stack && g->left_out == group->left_out &&
		    pp_hist_same(r, &r->groups.values[i * r->columns.n_keys], values))
			break;
	}
	if (!r->groups.by_values.places[at]) {
		if (add_hist_group(r, group, values, error))
			return -1;
		r->groups.by_values.places[at] = r->groups.n;
	}
	*number = (uint32_t)r->groups.by_values.places[at] - 1;
	return 0;
}

/* Names of threads are asked for when something of their process has changed. */
static int find_comm(struct pp_report *r, uint32_t pid, uint32_t tid, uint32_t *text, struct pp_error *error)
{
	struct pp_hist_comm *const c = &r->names.named[tid % PP_HIST_NAMED];
	const uint64_t changes = pp_stack_cache_changes(&r->known, pid) + 1;

	if (c->pid != pid || c->tid != tid || c->changes != changes) {
		const char *const comm = pp_tasks_comm(r->tasks, pid, tid);

		c->changes = 0;
		if (pp_frame_table_text(&r->places, comm, strlen(comm), &c->text, error))
			return -1;
		*c = (struct pp_hist_comm){ pid, tid, c->text, changes };
	}
	*text = c->text;
	return 0;
}

static int take_values(const struct pp_report *r, const struct pp_sampled *sampled, uint64_t *values,
		       struct pp_error *error)
{
	for (size_t i = 0; i < r->columns.n_keys; i++)
		if (r->columns.keys[i]->sample && r->columns.keys[i]->sample(sampled, &values[i], error))
			return -1;
	return 0;
}

/* Finds or makes the group of a sample whose stack is known. */
static int add_sampled(struct pp_report *r, const struct pp_sampled *sampled,
		       const struct pp_hist_group *group, uint32_t *number, struct pp_error *error)
{
	uint64_t values[PP_COLUMNS_MOST];

	/* not those that no key has */
	memset(values, 0, r->columns.n_keys * sizeof(*values));
	return take_values(r, sampled, values, error) ||
	       pp_hist_group(r, group, values, number, error) ? -1 : 0;
}

int pp_hist_keep(struct pp_report *r, uint64_t what, uint32_t *number, struct pp_error *error)
{
	const uint64_t *const known = pp_idmap_find(&r->kept.by_number, what);

	if (known) {
		*number = (uint32_t)*known;
		return 0;
	}
	/* the largest number is no key of a map, and has the first place */
	if (!r->kept.n && PP_GROW(&r->kept.items, &r->kept.room, 1, error))
		return -1;
	if (!r->kept.n)
		r->kept.items[r->kept.n++] = UINT64_MAX;
	*number = what == UINT64_MAX ? 0 : (uint32_t)r->kept.n;
	if (what == UINT64_MAX)
		return 0;
	if (r->kept.n >= UINT32_MAX || PP_GROW(&r->kept.items, &r->kept.room, r->kept.n + 1, error) ||
	    pp_idmap_set(&r->kept.by_number, what, r->kept.n))
		return pp_fail(error, PP_E_NOMEM, NULL);
	r->kept.items[r->kept.n++] = what;
	return 0;
}

/* All that tells samples apart. */
struct sample_key {
	uint32_t place, mode, innermost, inlined, callers, count, event, left_out;
	uint64_t values[PP_COLUMNS_MOST];
};

/* The group of a sample whose stack and values were not there before. */
static int new_group(struct pp_report *r, struct pp_sampled *sampled, const struct pp_hist_stack *stack,
		     struct pp_hist_group *group, uint64_t *values, uint32_t *number, struct pp_error *error)
{
	if (pp_hist_number(r, stack, &group->stack, error))
		return -1;
	sampled->parent = r->chains.stacks[group->stack].parent;
	if (r->asked.parents && take_values(r, sampled, values, error))
		return -1;
	/* a sample that was not there before has no group, but where other values show the same: then these
	 * groups become one entry */
	*number = (uint32_t)r->groups.n;
	return set_comm(r, group->tid, sampled->comm, error) || add_hist_group(r, group, values, error) ||
	       pp_hash_set_keep(&r->by_sample, *number, error) ? -1 : 0;
}

/* Whether the stream has branches of which a report can be: perf takes those with copies of stacks for
 * others. */
static bool has_branches(const struct pp_record *rec)
{
	const size_t n = rec->attrs ? pp_attrs_count(rec->attrs) : 0;
	uint64_t types = rec->attr->sample_type;

	for (size_t i = 0; i < n; i++)
		types |= pp_attrs_at(rec->attrs, i)->sample_type;
	return types & PP_SAMPLE_BRANCH_STACK && !(types & PP_SAMPLE_STACK_USER);
}

static bool is_all_tracepoints(const struct pp_record *rec)
{
	const size_t n = rec->attrs ? pp_attrs_count(rec->attrs) : 0;

	for (size_t i = 0; i < n; i++)
		if (pp_attrs_at(rec->attrs, i)->type != PP_TYPE_TRACEPOINT)
			return false;
	return n;
}

/* What a report is of may depend on the events, which come before their samples. */
static int settle(struct pp_report *r, const struct pp_record *rec, struct pp_error *error)
{
	if (r->settled)
		return 0;
	if (r->mode == PP_REPORT_AUTO)
		r->mode = has_branches(rec) ? PP_REPORT_BRANCHES : PP_REPORT_PLAIN;
	r->traced = r->mode == PP_REPORT_PLAIN && r->how.traces && is_all_tracepoints(rec);
	r->latency = !r->how.no_latency && pp_attrs_any(rec->attrs, PP_FLAG_context_switch);
	r->settled = true;
	return pp_hist_choose_keys(r, error);
}

static void add_cost(uint64_t *to, uint64_t cost, uint64_t parts)
{
	*to = cost > (UINT64_MAX - *to) / parts ? UINT64_MAX : *to + cost * parts;
}

/* What up to eight threads can share without a rest. */
enum { LATENCY_PARTS = 840 };

static void add_costs(struct pp_report *r, const struct pp_sampled *sampled, uint32_t group, uint64_t weight)
{
	struct pp_hist_costs *const c = &r->groups.costs[group];

	if (r->latency)
		add_cost(&c->latency, (weight < UINT64_MAX / LATENCY_PARTS ? weight * LATENCY_PARTS :
				       UINT64_MAX) / pp_hist_parallelism(r), 1);
	if (!r->asked.averages)
		return;
	add_cost(&c->cost, pp_hist_cost(sampled), r->parts);
	add_cost(&c->ins_lat, sampled->details.ins_lat, r->parts);
	add_cost(&c->retire_lat, sampled->details.retire_lat, r->parts);
}

/* Adds a sample to the group that has its functions and values. */
static int note_whole(struct pp_report *r, struct pp_sampled *sampled, struct pp_hist_group *group,
		      uint64_t weight, struct pp_error *error)
{
	const size_t size = offsetof(struct sample_key, values[r->columns.n_keys]);
	struct pp_hist_stack stack = { 0 };
	struct sample_key key;
	struct pp_hist_group *found;
	uint32_t number;

	/* not those that no key has */
	memset(key.values, 0, r->columns.n_keys * sizeof(*key.values));
	if (take_values(r, sampled, key.values, error) ||
	    pp_hist_stack(r, sampled->rec, group->pid, &stack, error))
		return -1;
	group->left_out |= stack.left_out;
	key.place = stack.place;
	key.mode = stack.mode;
	key.innermost = stack.innermost;
	key.inlined = stack.inlined;
	key.callers = stack.callers;
	key.count = stack.count;
	key.event = group->event;
	key.left_out = group->left_out;
	if (!pp_hash_set_find(&r->by_sample, &key, size, 0, &number) &&
	    new_group(r, sampled, &stack, group, key.values, &number, error))
		return -1;
	found = &r->groups.items[number];
	pp_hist_add(&found->weight, weight);
	found->samples += r->parts;
	if (r->sums)
		add_costs(r, sampled, number, weight);
	return r->distributions.asked ? pp_hist_note_weight(r, number, weight, error) : 0;
}

/* Each branch of a sample is one of its own. */
static int note_branches(struct pp_report *r, struct pp_sampled *s, const struct pp_hist_group *sample,
			 struct pp_error *error)
{
	struct pp_hist_stack stack = { 0 };
	uint32_t number = 0;

	if (pp_hist_place(r, s->rec, s->pid, &stack, error) || set_comm(r, s->tid, s->comm, error))
		return -1;
	if (!r->how.relative || (!sample->left_out && !stack.left_out))
		r->tables.events[sample->event].noted++;
	for (uint32_t i = 0; i < s->details.n_branches; i++) {
		const struct pp_branch branch = pp_branch_at(&s->details, i);
		struct pp_hist_group group = *sample;

		s->flags = branch.flags;
		s->cycles = i ? s->cycles : PP_BRANCH_CYCLES(s->flags);
		group.left_out |= stack.left_out;
		s->from_address = branch.from;
		s->to_address = branch.to;
		if (pp_hist_end(r, s->pid, s->from_address, PP_END_IN_FILE, &s->from, error) ||
		    pp_hist_end(r, s->pid, s->to_address, PP_END_IN_FILE, &s->to, error) ||
		    pp_hist_end(r, s->pid, s->to_address, PP_END_RAW, &stack.place, error) ||
		    pp_hist_number(r, &stack, &group.stack, error))
			return -1;
		group.from = s->from;
		group.to = s->to;
		if (add_sampled(r, s, &group, &number, error))
			return -1;
		r->groups.items[number].weight++;
		r->groups.items[number].samples += r->parts;
		if (r->sums)
			add_costs(r, s, number, 1);
		if (r->distributions.asked && pp_hist_note_weight(r, number, 1, error))
			return -1;
	}
	return 0;
}

/* A sample as one of this event, and of this period. */
static int note_as(struct pp_report *r, const struct pp_record *rec, const struct pp_attr *attr,
		   uint64_t period, struct pp_error *error)
{
	struct pp_hist_group group = { 0 };
	struct pp_sampled *const sampled = &r->sampled;
	uint64_t weight = r->how.count ? 1 : period;

	(void)pp_task(rec, &group.pid, &group.tid);
	sampled->report = r;
	sampled->rec = rec;
	sampled->attr = attr;
	sampled->pid = group.pid;
	sampled->tid = group.tid;
	sampled->parent = 0;
	if (settle(r, rec, error) || find_event(r, rec->attrs, attr, &group.event, error) ||
	    find_comm(r, group.pid, group.tid, &sampled->comm, error))
		return -1;
	r->n_samples++;
	r->n_alone += r->latency && pp_hist_parallelism(r) <= 1;
	group.left_out = pp_hist_thread_left_out(r, sampled);
	if (r->asked.details)
		pp_details(&sampled->details, rec);
	if (r->mode == PP_REPORT_BRANCHES)
		return note_branches(r, sampled, &group, error);
	if (r->mode == PP_REPORT_MEMORY)
		weight = sampled->details.weight ? sampled->details.weight : 1;
	return note_whole(r, sampled, &group, weight, error);
}

static int note_sample(struct pp_report *r, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_group_deltas_walk events;
	uint64_t period = 1;
	int got;

	if (!pp_group_deltas_is_for(rec->attr)) {
		(void)pp_sample_period(rec, &period);
		return note_as(r, rec, rec->attr, period, error);
	}
	pp_group_deltas_open(&events, &r->since, rec);
	while ((got = pp_group_deltas_next(&events, error)) > 0)
		if (note_as(r, rec, events.attr, events.period, error))
			return -1;
	return got;
}

/* The first name of a thread is that of its earlier samples, too, as in perf. */
static int note_first_comm(struct pp_report *r, uint32_t tid, uint32_t text, struct pp_error *error)
{
	const uint64_t before = *pp_idmap_find(&r->names.comms, tid);
	char none[16];

	snprintf(none, sizeof(none), ":%u", tid);
	if (strcmp(r->places.texts.items[before].text, none) != 0 || pp_idmap_find(&r->names.renamed, before))
		return 0;
	return pp_idmap_set(&r->names.renamed, before, text) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* A thread that may have another name now. */
static int note_comm(struct pp_report *r, uint32_t type, uint32_t pid, uint32_t tid, struct pp_error *error)
{
	const char *const comm = pp_tasks_comm(r->tasks, pid, tid);
	uint32_t text;

	if (pp_frame_table_text(&r->places, comm, strlen(comm), &text, error) ||
	    (type == PP_REC_COMM && note_first_comm(r, tid, text, error)))
		return -1;
	return set_comm(r, tid, text, error);
}

int pp_report_note(struct pp_report *r, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t pid, tid;

	if (r->halfway)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (rec->type == PP_REC_SAMPLE)
		return rec->attr ? note_sample(r, rec, error) : 0;
	if (rec->type == PP_REC_HEADER_FEATURE &&
	    (pp_hist_note_groups(r, rec, error) || pp_hist_note_machine(r, rec, error)))
		return -1;
	pp_hist_note_switch(r, rec);
	if (pp_type_is(rec->type, PP_TASK) && pp_find_u64(rec, PP_IS_TID, &tid) &&
	    pp_find_u64(rec, PP_IS_PID, &pid) && pp_idmap_find(&r->names.comms, tid) &&
	    note_comm(r, rec->type, (uint32_t)pid, (uint32_t)tid, error))
		return -1;
	return pp_stack_cache_note(&r->known, rec, error);
}
