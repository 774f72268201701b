/*
 * fold.c - samples into a profile.  fold_frames.c makes frames of their addresses, the tree is call_tree.c's.
 */
#include "profile/fold_state.h"

#include <perfpipe/callchain.h>

#include "base/array.h"
#include "format/event_ids.h"
#include "format/format.h"
#include "pattern/glob.h"
#include "profile/call_tree.h"
#include "symbol/passing.h"
#include "symbol/places.h"
#include "text/span_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With `places`, the kind of a frame that is no place: the number of a run. */
#define OF_RUN UINT32_C(0x80000000)
#define NO_FRAME UINT32_MAX
/* What is called again and again is few; a table that grew would take more than the stacks. */
enum { ADDRESSES = 1 << 17 };

struct pp_fold *pp_fold_new(const struct pp_fold_options *how, struct pp_tasks *tasks,
			    struct pp_symbols *symbols, struct pp_profile *profile)
{
	struct pp_fold *const f = tasks && symbols && profile ? calloc(1, sizeof(*f)) : NULL;

	if (!f)
		return NULL;
	f->how = *how;
	f->tasks = tasks;
	f->symbols = symbols;
	f->profile = profile;
	f->addresses.most = ADDRESSES;
	if (pp_named_stack_open(&f->stack, &f->how, profile)) {
		free(f);
		return NULL;
	}
	return f;
}

void pp_fold_free(struct pp_fold *f)
{
	if (!f)
		return;
	pp_fold_forget(f);
	free(f->threads);
	free(f->frames);
	pp_strings_close(&f->seen);
	pp_strings_close(&f->sources);
	free(f->lines);
	free(f->of_place);
	free(f->runs);
	free(f->times);
	pp_idmap_close(&f->by_run);
	pp_unresolved_close(&f->late);
	pp_strings_close(&f->late_dsos);
	pp_group_deltas_close(&f->since);
	pp_buffer_free(&f->text);
	pp_named_stack_close(&f->stack);
	free(f);
}

void pp_fold_stats(const struct pp_fold *f, struct pp_fold_stats *stats)
{
	*stats = f->stats;
	stats->event = f->event ? f->event->name : NULL;
}

void pp_fold_forget(struct pp_fold *f)
{
	pp_stack_cache_close(&f->stacks);
	pp_address_cache_close(&f->addresses);
	f->n_frames = 0;
	pp_idmap_close(&f->tids);
	f->n_threads = 0;
}

const char *pp_fold_object(const struct pp_fold *f, unsigned kind, unsigned *flame_kind)
{
	const struct pp_text *const object = kind && kind <= f->stack.objects.n ?
					     &f->stack.objects.items[kind - 1] : NULL;

	*flame_kind = object ? object->kind : PP_FLAME_GROUP;
	return object ? object->text : NULL;
}

uint32_t pp_fold_place(const struct pp_fold *f, unsigned kind, uint32_t *thread, uint32_t *cpu)
{
	if (!(kind & OF_RUN))
		return kind;
	*thread = f->runs[kind & ~OF_RUN].thread;
	*cpu = f->runs[kind & ~OF_RUN].cpu;
	return 0;
}

const char *pp_fold_thread(const struct pp_fold *f, uint32_t number, uint32_t *pid, uint32_t *tid)
{
	char *end;

	if (number >= f->seen.n)
		return NULL;
	*pid = (uint32_t)strtoul(f->seen.items[number].text, &end, 10);
	*tid = (uint32_t)strtoul(end + 1, &end, 10);
	return end + 1;
}

const char *pp_fold_source(const struct pp_fold *f, uint32_t frame, uint32_t *line)
{
	const struct source_line none = { 0, 0 }, known = frame < f->n_lines ? f->lines[frame] : none;

	*line = known.line;
	return known.source ? f->sources.items[known.source - 1].text : NULL;
}

/* ---- stacks ---- */

static int name_frame(struct pp_fold *f, uint32_t pid, uint32_t tid, uint32_t *frame,
		      struct pp_error *error)
{
	const char *const comm = pp_tasks_comm(f->tasks, pid, tid);
	char of_process[16], of_thread[16];

	snprintf(of_process, sizeof(of_process), "%d", (int)pid);
	snprintf(of_thread, sizeof(of_thread), "%d", (int)tid);
	return pp_named_stack_task(&f->stack, comm, strlen(comm), of_process, of_thread, frame, error);
}

/* The number of a thread's name. */
static int number_thread(struct pp_fold *f, uint32_t pid, uint32_t tid, uint32_t *number,
			 struct pp_error *error)
{
	const char *const comm = pp_tasks_comm(f->tasks, pid, tid);
	char numbers[32];
	const int length = snprintf(numbers, sizeof(numbers), "%" PRIu32 "/%" PRIu32 " ", pid, tid);

	f->text.size = 0;
	return pp_buffer_add(&f->text, numbers, (size_t)length, error) ||
	       pp_buffer_add(&f->text, comm, strlen(comm), error) ?
	       -1 : pp_strings_number(&f->seen, (const char *)f->text.data, f->text.size, 0, number, error);
}

/* Where frames are places also that of the first thread of its process, whose name the process has. */
static int number_task(struct pp_fold *f, uint32_t pid, uint32_t tid, uint32_t *number,
		       struct pp_error *error)
{
	if (number_thread(f, pid, tid, number, error))
		return -1;
	return f->how.places && tid != pid ? number_thread(f, pid, pid, &(uint32_t){ 0 }, error) : 0;
}

/* The frame that all stacks of a thread begin with; where frames are places it has none. */
static int first_frame(struct pp_fold *f, uint32_t pid, uint32_t tid, uint32_t *frame,
		       struct pp_error *error)
{
	const uint64_t changes = pp_stack_cache_changes(&f->stacks, pid);
	const uint64_t *const known = pp_idmap_find(&f->tids, tid);
	struct task *task = known ? &f->threads[*known] : NULL;
	uint32_t number = 0;

	*frame = 0;
	f->task = known ? *known : f->n_threads;
	if (task && task->pid == pid && task->changes == changes) {
		*frame = task->frame;
		return 0;
	}
	if ((f->how.threads && number_task(f, pid, tid, &number, error)) ||
	    (!f->how.places && name_frame(f, pid, tid, frame, error)))
		return -1;
	if (!task) {
		if (PP_GROW(&f->threads, &f->threads_room, f->n_threads + 1, error))
			return -1;
		if (pp_idmap_set(&f->tids, tid, f->n_threads))
			return pp_fail(error, PP_E_NOMEM, NULL);
		task = &f->threads[f->n_threads++];
		task->last = (struct pp_folded){ 0 };
	}
	task->pid = pid;
	task->frame = *frame;
	task->changes = changes;
	task->number = number;
	task->run = 0;
	return 0;
}

/* Adds the frames of what is left of a chain. */
static int add_chain(struct pp_fold *f, struct pp_chain chain, uint32_t pid, struct pp_error *error)
{
	uint64_t address;

	while (pp_chain_next(&chain, &address))
		if (pp_fold_add_address(f, pid, chain.mode, address, error))
			return -1;
	return 0;
}

/* The frame of the task, but where frames are places. */
static void begin_with(struct pp_fold *f, uint32_t outermost)
{
	if (!f->how.places)
		f->stack.frames[f->stack.n++] = outermost;
}

/* What is shown of places is looked for at other addresses only once this process did not have it at these:
 * no name is asked for where it had. */
static bool find_callers(struct pp_fold *f, const struct pp_chain *chain, uint32_t pid, uint32_t outermost,
			 uint32_t *node)
{
	const bool own = pp_fold_by_process(f);

	if ((own || f->how.places) && pp_stack_cache_find_callers(&f->stacks, chain, pid, outermost, node))
		return true;
	return !own && pp_stack_cache_find_placed(&f->stacks, f->tasks, chain, pid, outermost, f->how.places,
						  node);
}

static int keep_callers(struct pp_fold *f, uint32_t node, struct pp_error *error)
{
	const bool own = pp_fold_by_process(f);

	return ((own || f->how.places) && pp_stack_cache_keep_callers(&f->stacks, node, error)) ||
	       (!own && pp_stack_cache_keep_placed(&f->stacks, node, error)) ? -1 : 0;
}

/* The node of the callers of the address that was read last from a chain.  1; 0: they are too many to be put
 * apart from it; -1 and *error. */
static int callers_node_of(struct pp_fold *f, const struct pp_chain *chain, uint32_t pid, uint32_t outermost,
			   uint32_t *node, struct pp_error *error)
{
	if (find_callers(f, chain, pid, outermost, node))
		return 1;
	f->stack.n = 0;
	if (add_chain(f, *chain, pid, error))
		return -1;
	if (f->stack.n > PP_PROFILE_DEEPEST / 2)
		return 0;
	begin_with(f, outermost);
	*node = PP_PROFILE_ROOT;
	return pp_named_stack_call(&f->stack, node, error) ||
	       keep_callers(f, *node, error) ? -1 : 1;
}

/* From the node of its callers on, which many stacks share, if the chain has any address. */
static int walk_from_callers(struct pp_fold *f, struct pp_chain chain, uint32_t pid, uint32_t outermost,
			     uint32_t *node, struct pp_error *error)
{
	uint64_t address;
	unsigned mode;
	int got;

	if (f->how.reversed || f->profile->in_order || !pp_chain_next(&chain, &address))
		return 0;
	mode = chain.mode;
	got = callers_node_of(f, &chain, pid, outermost, node, error);
	if (got <= 0)
		return got;
	f->stack.n = 0;
	return pp_fold_add_address(f, pid, mode, address, error) ||
	       pp_named_stack_call(&f->stack, node, error) ? -1 : 1;
}

static int walk(struct pp_fold *f, const struct pp_record *rec, uint32_t pid, uint32_t outermost,
		uint32_t *node, struct pp_error *error)
{
	struct pp_chain chain;
	uint64_t address;
	int walked;

	if (!pp_chain_open(&chain, rec))
		chain.left = 0;
	walked = walk_from_callers(f, chain, pid, outermost, node, error);
	if (walked)
		return walked < 0 ? -1 : 0;
	f->stack.n = 0;
	if (add_chain(f, chain, pid, error))
		return -1;
	if (!f->stack.n) {
		f->bare = true;
		if (!pp_attr_has_chain(rec->attr) && pp_ip(rec, &address) &&
		    pp_fold_add_address(f, pid, rec->misc & PP_MISC_CPUMODE, address, error))
			return -1;
	}
	begin_with(f, outermost);
	*node = PP_PROFILE_ROOT;
	return pp_named_stack_call(&f->stack, node, error) || pp_tree_end(f->profile, node, error) ? -1 : 0;
}

/* Where order is kept, a stack that was there before goes on only if nothing came after it. */
static int come_again(struct pp_fold *f, uint32_t *node, struct pp_error *error)
{
	f->stack.n = 0;
	for (uint32_t at = *node; at != PP_PROFILE_ROOT; at = f->profile->nodes[at].parent)
		f->stack.frames[f->stack.n++] = f->profile->nodes[at].frame;
	*node = PP_PROFILE_ROOT;
	return pp_named_stack_call(&f->stack, node, error);
}

/* Which run it is that a thread begins: not inlined, as every sample would save the registers for it. */
static __attribute__((noinline))
int begin_run(struct pp_fold *f, struct task *task, uint32_t cpu, uint32_t *number, struct pp_error *error)
{
	const struct run_of run = { .thread = task->number, .cpu = cpu, .frame = NO_FRAME };
	const uint64_t key = (uint64_t)run.thread << 32 | run.cpu;
	const uint64_t *const known = pp_idmap_find(&f->by_run, key);

	*number = (uint32_t)(known ? *known : f->n_runs);
	task->run = *number + 1;
	if (known)
		return 0;
	if (f->n_runs >= OF_RUN || PP_GROW(&f->runs, &f->runs_room, f->n_runs + 1, error) ||
	    pp_idmap_set(&f->by_run, key, f->n_runs))
		return pp_fail(error, PP_E_NOMEM, NULL);
	f->runs[f->n_runs++] = run;
	return 0;
}

/* Which run a sample is of: its thread, on its CPU.  0, or -1 and *error. */
static inline int find_run(struct pp_fold *f, const struct pp_record *rec, uint32_t *number,
			   struct pp_error *error)
{
	struct task *const task = &f->threads[f->task];
	uint32_t cpu = UINT32_MAX;

	if (f->how.cpus)
		(void)pp_cpu(rec, &cpu);
	/* threads mostly stay on their CPU */
	if (!task->run || f->runs[task->run - 1].cpu != cpu)
		return begin_run(f, task, cpu, number, error);
	*number = task->run - 1;
	return 0;
}

/* Where frames are places, a stack goes on to that. */
static int call_run(struct pp_fold *f, uint32_t run, uint32_t *node, struct pp_error *error)
{
	uint32_t *const frame = &f->runs[run].frame;

	if (*frame == NO_FRAME && pp_profile_frame(f->profile, "", 0, OF_RUN | run, frame, error))
		return -1;
	return pp_profile_call(f->profile, *node, *frame, node, error);
}

/* A stack without frames ends in a run in any case: nothing ends in the root. */
static int call_nothing(struct pp_fold *f, const struct pp_record *rec, uint32_t *node,
			struct pp_error *error)
{
	uint32_t run;

	return find_run(f, rec, &run, error) || call_run(f, run, node, error) ? -1 : 0;
}

/* Whether the stack cache has numbers of weights, which know their nodes, so that no weights are looked for:
 * where a sample adds to its own stack. */
static bool remembers_weights(const struct pp_fold *f)
{
	return !f->how.unweighed && f->how.weight != PP_FOLD_TIME && !f->profile->in_order && !f->how.wakers;
}

/* With what is remembered of a stack: it has no chain. */
#define BARE PP_TREE_MOST

/* The node of a stack that was there before, of which this is remembered. */
static int know_again(struct pp_fold *f, uint32_t number, uint32_t *node, struct pp_error *error)
{
	f->stats.no_chain += (number & BARE) != 0;
	*node = f->at.weights = number & ~BARE;
	if (f->profile->in_order)
		return come_again(f, node, error);
	if (remembers_weights(f))
		*node = f->profile->weights[f->at.weights].node;
	return 0;
}

static int remember(struct pp_fold *f, uint32_t node, struct pp_error *error)
{
	uint32_t number = node;

	if (remembers_weights(f) && pp_tree_weights_at(f->profile, node, &number, error))
		return -1;
	f->at.weights = number;
	return pp_stack_cache_keep(&f->stacks, number | (f->bare ? BARE : 0), error);
}

static int find_node(struct pp_fold *f, const struct pp_record *rec, uint32_t *node,
		     struct pp_error *error)
{
	const bool places = f->how.places, in_run = places && !f->how.frames_only;
	uint32_t pid = 0, tid = 0, end, known;

	(void)pp_task(rec, &pid, &tid);
	if (first_frame(f, pid, tid, &end, error) || (in_run && find_run(f, rec, &end, error)))
		return -1;
	if (pp_stack_cache_find(&f->stacks, rec, pid, end, &known))
		return know_again(f, known, node, error);
	f->stack.cut = f->bare = false;
	if (walk(f, rec, pid, places ? 0 : end, node, error) || (in_run && call_run(f, end, node, error)) ||
	    (places && *node == PP_PROFILE_ROOT && call_nothing(f, rec, node, error)) ||
	    remember(f, *node, error))
		return -1;
	f->stats.no_chain += f->bare;
	f->profile->cut += f->stack.cut;
	return 0;
}

/* ---- names that are missing ---- */

/* How many frames of functions a stack has from its outermost one up to here, and how many have no name. */
struct path { uint32_t frames, unnamed; };

/* One more; what has no name is called by its file, "[libc.so.6]". */
static struct path longer(const struct pp_fold *f, struct path path, uint32_t node)
{
	const struct pp_profile *const p = f->profile;
	const struct pp_text *const text = pp_tree_text(p, node);
	const bool late = p->nodes[node].frame & PP_LATE;

	if (f->how.places) {
		path.frames += !f->how.frames_only || !(text->kind & OF_RUN);
		path.unnamed += !(text->kind & OF_RUN) && !pp_places_named(f->how.places, text->kind);
		return path;
	}
	path.frames += late || text->kind != PP_PROFILE_END;
	path.unnamed += late || *text->text == '[';
	return path;
}

static void count_stacks(const struct path *path, uint64_t times, uint64_t *stacks, uint64_t *nameless)
{
	*stacks += path->frames > 1 ? times : 0;
	*nameless += path->frames > 1 && 2 * (uint64_t)path->unnamed > path->frames - 1 ? times : 0;
}

int pp_fold_nameless(const struct pp_fold *f, uint64_t *stacks, uint64_t *nameless, struct pp_error *error)
{
	const struct pp_profile *const p = f->profile;
	struct path *const paths = calloc(p->n_nodes, sizeof(*paths));

	*stacks = *nameless = 0;
	if (!paths)
		return pp_fail(error, PP_E_NOMEM, NULL);
	/* in the place of the thread */
	paths[PP_PROFILE_ROOT].frames = f->how.places && f->how.frames_only;
	for (uint32_t i = 1; i < p->n_nodes; i++)
		paths[i] = longer(f, paths[p->nodes[i].parent], i);
	for (size_t i = 0; i < p->n_weights; i++)
		count_stacks(&paths[p->weights[i].node], p->weights[i].times[f->how.side], stacks, nameless);
	for (size_t i = 0; i < f->times_room && i < p->n_nodes; i++)
		count_stacks(&paths[i], f->times[i], stacks, nameless);
	free(paths);
	return 0;
}

/* ---- records ---- */

/* Whether an event is described before the one whose samples were taken so far. */
static bool is_earlier(const struct pp_fold *f, const struct pp_attrs *attrs, const struct pp_attr *attr)
{
	for (size_t i = 0; i < pp_attrs_count(attrs) && pp_attrs_at(attrs, i) != f->event; i++)
		if (pp_attrs_at(attrs, i) == attr)
			return true;
	return false;
}

/* Takes back what was folded: it was of another event than that which is meant. */
static void take_back(struct pp_fold *f)
{
	pp_profile_clear(f->profile, f->how.side);
	for (size_t i = 0; i < f->n_threads; i++)
		f->threads[i].last.node = 0;
	f->stats = (struct pp_fold_stats){ .others = f->stats.others + f->stats.samples };
	f->anew = true;
}

bool pp_fold_of_clock(const struct pp_attr *attr)
{
	enum { CPU_CLOCK = 0, TASK_CLOCK = 1 };

	return attr->type == PP_TYPE_SOFTWARE && (attr->config == CPU_CLOCK || attr->config == TASK_CLOCK);
}

bool pp_fold_of_waits(const struct pp_attr *attr)
{
	enum { BPF_OUTPUT = 10 };
	static const char prefix[] = "offcpu-";

	return pp_attr_is_off_cpu(attr) ||
	       (attr->type == PP_TYPE_SOFTWARE && attr->config == BPF_OUTPUT && attr->plan.period &&
		!strncmp(attr->name, prefix, sizeof(prefix) - 1));
}

bool pp_fold_of_wakers(const struct pp_attr *attr)
{
	return pp_span_is_of_wakers(attr);
}

/* Whether the periods of an event are ns. */
static bool counts_time(const struct pp_attr *attr)
{
	return pp_fold_of_clock(attr) || pp_fold_of_waits(attr);
}

static bool have_one_unit(const struct pp_attr *a, const struct pp_attr *b)
{
	if (counts_time(a) || counts_time(b))
		return counts_time(a) && counts_time(b);
	return a->type == b->type && (a->type == PP_TYPE_TRACEPOINT || a->config == b->config);
}

bool pp_fold_is_asked(const char *asked, const char *name)
{
	return !strcmp(asked, name) || (strpbrk(asked, "*?") && pp_query_glob(asked, name));
}

static bool is_asked(const struct pp_fold *f, const struct pp_attr *attr)
{
	if (f->event && !strcmp(attr->name, f->event->name))
		return true;
	return f->how.event ? pp_fold_is_asked(f->how.event, attr->name) : !f->event;
}

/* Takes an event that is asked for, unless its periods cannot be added to those of the first. */
static bool join_event(struct pp_fold *f, const struct pp_attr *attr)
{
	if (f->event && f->how.weight == PP_FOLD_PERIOD && strcmp(attr->name, f->event->name) != 0 &&
	    !have_one_unit(f->event, attr)) {
		f->other.unlike = attr;
		return false;
	}
	f->event = f->event ? f->event : attr;
	f->other.joined = attr;
	return true;
}

static bool is_wanted(struct pp_fold *f, const struct pp_record *rec, const struct pp_attr *attr)
{
	if (!attr)
		return false;
	if (attr == f->event || attr == f->other.joined)
		return true;
	if (attr == f->other.passed)
		return false;
	if (is_asked(f, attr))
		return join_event(f, attr);
	/* perf, and users, mean the first that is described and has samples, whose samples may come late */
	if (!f->how.event && rec->attrs && is_earlier(f, rec->attrs, attr)) {
		take_back(f);
		f->event = f->other.joined = attr;
		return true;
	}
	f->other.passed = attr;
	return false;
}

/* Whether a sample is one of the event that is asked for, and its period.  0, 1, or -1 and *error: memory. */
static int take_event(struct pp_fold *f, const struct pp_record *rec, uint64_t *period,
		      struct pp_error *error)
{
	struct pp_group_deltas_walk events;
	int got, rest;

	if (!rec->attr || !pp_group_deltas_is_for(rec->attr)) {
		(void)pp_sample_period(rec, period);
		return is_wanted(f, rec, rec->attr);
	}
	pp_group_deltas_open(&events, &f->since, rec);
	while ((got = pp_group_deltas_next(&events, error)) > 0 && !is_wanted(f, rec, events.attr))
		;
	*period = events.period;
	/* what is not looked at counts as seen, too */
	for (rest = got; rest > 0;)
		rest = pp_group_deltas_next(&events, error);
	return rest < 0 ? rest : got;
}

/* ---- time ---- */

/* Whether samples of an event are taken where a thread leaves its CPU: until the next it is away, and then
 * it runs. */
static bool leaves_cpu(const struct pp_attr *attr)
{
	enum { SOFTWARE = 1, TRACEPOINT, CONTEXT_SWITCHES = 3, CGROUP_SWITCHES = 11 };
	static const char point[] = "sched:sched_switch";
	const size_t length = sizeof(point) - 1;

	if (attr->type == SOFTWARE)
		return attr->config == CONTEXT_SWITCHES || attr->config == CGROUP_SWITCHES;
	return attr->type == TRACEPOINT && !strncmp(attr->name, point, length) &&
	       (!attr->name[length] || attr->name[length] == ':' || attr->name[length] == '/');
}

static int choose_end(struct pp_fold *f, const struct pp_record *rec, struct pp_error *error)
{
	if (f->weighed == f->event)
		return 0;
	f->weighed = f->event;
	f->leaves = leaves_cpu(f->event);
	if (!f->leaves || pp_attrs_any(rec->attrs, PP_FLAG_context_switch))
		return 0;
	(void)pp_fail(error, PP_E_USE, "samples of %.80s cannot be weighed by time: a thread leaves its CPU "
		      "there, and SWITCH records, which say when it runs again, were not recorded",
		      f->event->name);
	return pp_error_hint(error, PP_HINT_SPANS);
}

/* How long the sample before lasted is known now; *folded becomes that one. */
static void weigh_time(struct pp_fold *f, const struct pp_record *rec, struct pp_folded *folded)
{
	struct pp_folded *const last = &f->threads[f->task].last;
	const struct pp_folded now = *folded;
	uint32_t pid, tid;

	if (f->leaves) {
		/* the idle tasks are no thread that waits */
		f->stats.endless += last->node && pp_task(rec, &pid, &tid) && tid;
		folded->weight = 0;
	} else {
		*folded = last->node ? *last : now;
		folded->weight = now.time > folded->time ? now.time - folded->time : 0;
	}
	*last = now;
}

/* Adds a sample to its stack; `unweighed`: it is only counted there. */
static inline int weigh_sample(struct pp_fold *f, const struct pp_folded *folded, struct pp_error *error)
{
	if (f->how.unweighed) {
		if (PP_GROW_ZEROED(&f->times, &f->times_room, (size_t)folded->node + 1, error))
			return -1;
		f->times[folded->node] += f->times[folded->node] < UINT32_MAX;
		return 0;
	}
	if (!remembers_weights(f))
		return pp_profile_weigh(f->profile, folded->node, f->how.side, folded->weight, error);
	pp_tree_weigh_at(f->profile, f->at.weights, f->how.side, folded->weight);
	return 0;
}

/* Whether a thread runs again, and *folded is the sample of when it left its CPU. */
static int note_switch(struct pp_fold *f, const struct pp_record *rec, struct pp_folded *folded,
		       struct pp_error *error)
{
	uint32_t pid, tid;
	const uint64_t *const known = !(rec->misc & PP_MISC_SWITCH_OUT) && pp_task(rec, &pid, &tid) && tid ?
				      pp_idmap_find(&f->tids, tid) : NULL;
	struct pp_folded *const last = known ? &f->threads[*known].last : NULL;
	uint64_t time;

	if (!last || !last->node || !pp_time(rec, &time))
		return 0;
	*folded = *last;
	folded->weight = time > last->time ? time - last->time : 0;
	last->node = 0;
	return weigh_sample(f, folded, error) ? -1 : 1;
}

static int note_other(struct pp_fold *f, const struct pp_record *rec, struct pp_folded *folded,
		      struct pp_error *error)
{
	if (f->leaves && pp_type_is(rec->type, PP_SWITCHES))
		return note_switch(f, rec, folded, error);
	return pp_stack_cache_note(&f->stacks, rec, error);
}

int pp_fold_note_waker(struct pp_fold *f, const struct pp_record *rec, struct pp_error *error)
{
	return find_node(f, rec, &f->at.waker, error);
}

int pp_fold_note(struct pp_fold *f, const struct pp_record *rec, struct pp_folded *folded,
		 struct pp_error *error)
{
	uint64_t period = 1;
	int wanted;

	if (rec->type != PP_REC_SAMPLE)
		return note_other(f, rec, folded, error);
	f->anew = false;
	wanted = take_event(f, rec, &period, error);
	if (f->other.unlike)
		return pp_fail(error, PP_E_USE, "%.80s and %.80s count different things: their periods "
			       "cannot be added up", f->event->name, f->other.unlike->name);
	if (wanted <= 0) {
		f->at.waker = 0;
		f->stats.others += !wanted;
		return wanted;
	}
	*folded = (struct pp_folded){ .weight = f->how.weight == PP_FOLD_PERIOD ? period : 1 };
	if (!pp_time(rec, &folded->time) && f->how.weight == PP_FOLD_TIME)
		return pp_fail(error, PP_E_USE, "samples without times cannot be weighed by time");
	if (f->how.weight == PP_FOLD_TIME && choose_end(f, rec, error))
		return -1;
	if (find_node(f, rec, &folded->node, error) ||
	    (f->at.waker && pp_fold_call_waker(f, &folded->node, error)))
		return -1;
	f->at.waker = 0;
	folded->thread = f->threads[f->task].number;
	if (f->how.frames_only && !pp_cpu(rec, &folded->cpu))
		folded->cpu = UINT32_MAX;
	if (f->how.cgroups)
		(void)pp_find_u64(rec, PP_IS_CGROUP, &folded->cgroup);
	if (f->how.weight == PP_FOLD_TIME)
		weigh_time(f, rec, folded);
	if (weigh_sample(f, folded, error))
		return -1;
	folded->anew = f->anew;
	f->stats.samples++;
	return 1;
}

/* ---- less memory ---- */

uint64_t pp_fold_size(const struct pp_fold *f)
{
	return pp_profile_size(f->profile) + pp_stack_cache_size(&f->stacks) + pp_unresolved_size(&f->late) +
	       f->times_room * sizeof(*f->times) + f->addresses.room * sizeof(*f->addresses.items) +
	       f->frames_room * sizeof(*f->frames) +
	       pp_strings_size(&f->stack.objects) + pp_strings_size(&f->seen) +
	       pp_strings_size(&f->sources) + f->lines_room * sizeof(*f->lines) +
	       f->n_threads * sizeof(*f->threads) + f->of_place_room * sizeof(*f->of_place) +
	       f->runs_room * sizeof(*f->runs) + f->by_run.room * 2 * sizeof(uint64_t) +
	       f->tids.room * 2 * sizeof(uint64_t);
}

/* Keeps those that are still in the profile. */
static int drop_late(struct pp_fold *f, struct pp_error *error)
{
	struct pp_profile *const p = f->profile;
	struct pp_unresolved kept = { 0 };
	uint32_t number;

	for (size_t i = 1; f->late.count && i < p->n_nodes; i++) {
		const uint32_t frame = p->nodes[i].frame;
		struct pp_unresolved_frame late;

		if (!(frame & PP_LATE))
			continue;
		late = pp_unresolved_at(&f->late, frame & ~PP_LATE);
		if (pp_unresolved_number(&kept, &late, &number, error)) {
			pp_unresolved_close(&kept);
			return -1;
		}
		p->nodes[i].frame = PP_LATE | number;
	}
	/* what finds nodes has their old frames */
	pp_tree_rest(p);
	pp_unresolved_close(&f->late);
	f->late = kept;
	return 0;
}

int pp_fold_lighten(struct pp_fold *f, uint32_t *places, uint64_t *left_out, struct pp_error *error)
{
	memset(places, 0, f->profile->n_nodes * sizeof(*places));
	if (pp_tree_lighten(f->profile, f->how.side == PP_PROFILE_SECOND, pp_profile_nodes(f->profile) / 2,
			    places, left_out, error) || drop_late(f, error))
		return -1;
	pp_stack_cache_forget(&f->stacks);
	/* frames have other numbers */
	pp_fold_forget_frames(f);
	f->n_lines = 0;
	if (f->of_place)
		memset(f->of_place, 0, f->of_place_room * sizeof(*f->of_place));
	for (size_t i = 0; i < f->n_runs; i++)
		f->runs[i].frame = NO_FRAME;
	for (size_t i = 0; i < f->n_threads; i++) {
		f->threads[i].last.node = places[f->threads[i].last.node];
		/* their frames have other numbers */
		f->threads[i].changes = UINT64_MAX;
	}
	return 0;
}

/* ---- names that came later ---- */

/* What frames have become that waited for their names. */
struct settled {
	uint32_t *first;              /* of each late frame: of these, up to those of the next */
	uint32_t *frames;             /* in the order in which they are called */
	size_t n, room;
};

static int settle_frames(struct pp_fold *f, struct settled *s, struct pp_error *error)
{
	s->first = calloc(f->late.count + 1, sizeof(*s->first));
	if (!s->first)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < f->late.count; i++) {
		const struct pp_unresolved_frame late = pp_unresolved_at(&f->late, i);
		const bool turned = f->how.reversed || late.kind & PP_LATE_TURNED;

		if (pp_fold_settle_frame(f, &late, error) ||
		    PP_GROW(&s->frames, &s->room, s->n + f->stack.n, error))
			return -1;
		for (size_t k = 0; k < f->stack.n; k++)
			s->frames[s->n++] = f->stack.frames[turned ? k : f->stack.n - 1 - k];
		if (s->n > UINT32_MAX)
			return pp_fail(error, PP_E_NOMEM, NULL);
		s->first[i + 1] = (uint32_t)s->n;
	}
	return 0;
}

/* Calls what a node calls from where its caller is now. */
static int settle_node(struct pp_profile *p, const struct settled *s, struct node was, uint32_t *node,
		       struct pp_error *error)
{
	const size_t late = was.frame & ~PP_LATE;

	if (!(was.frame & PP_LATE))
		return pp_profile_call(p, *node, was.frame, node, error);
	for (size_t i = s->first[late]; i < s->first[late + 1]; i++)
		if (pp_profile_call(p, *node, s->frames[i], node, error))
			return -1;
	return 0;
}

static int settle_nodes(struct pp_profile *p, const struct settled *s, uint32_t *places,
			struct pp_error *error)
{
	struct pp_profile was;
	int status = pp_tree_begin(p, &was, error);

	for (uint32_t i = 1; i < was.n_nodes && !status; i++) {
		places[i] = places[was.nodes[i].parent];
		status = settle_node(p, s, was.nodes[i], &places[i], error);
	}
	for (size_t i = 0; i < was.n_weights && !status; i++)
		status = pp_tree_weigh_again(p, places[was.weights[i].node], &was.weights[i], error);
	pp_tree_close(&was);
	return status;
}

int pp_fold_settle(struct pp_fold *f, uint32_t *places, struct pp_error *error)
{
	struct settled settled = { 0 };
	int status;

	for (uint32_t i = 0; i < f->profile->n_nodes; i++)
		places[i] = i;
	if (f->how.places)
		return pp_places_settle(f->how.places, f->symbols, f->how.no_inline, error);
	if (!f->late.count)
		return 0;
	pp_fold_forget(f);
	pp_numbers_close(&f->late.by_place);
	status = settle_frames(f, &settled, error);
	pp_unresolved_close(&f->late);
	if (!status)
		status = settle_nodes(f->profile, &settled, places, error);
	free(settled.first);
	free(settled.frames);
	return status;
}
