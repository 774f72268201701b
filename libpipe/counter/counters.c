/*
 * counters.c - counters as an object of their own: opened for events and a target, walked, closed.
 * open_counters.c opens each, enable_counters.c starts and stops them, read_counters.c reads them.
 */
#include "base/sized_options.h"
#include "counter/counter.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- opening ---- */

static int find_events(struct pp_events *events, const struct pp_counters_options *o,
		       struct pp_error *error)
{
	if (!o->n_events)
		return pp_fail(error, PP_E_USE, "there is no event to count");
	for (size_t i = 0; i < o->n_events; i++)
		if (pp_events_add(events, o->events[i], error))
			return -1;
	if (pp_events_have_counters(events, error))
		return -1;
	pp_events_count(events, (o->asks & PP_COUNTERS_INHERIT) != 0);
	return 0;
}

/* Nothing has to be reported from elsewhere: what was not asked for is no place. */
static void leave_out_cpus(struct pp_target *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_cpus; i++)
		if (t->selected[i]) {
			t->cpus[n] = t->cpus[i];
			t->selected[n++] = true;
		}
	t->n_cpus = n;
}

/* Without a target it is the caller; a thread needs no counter for each CPU. */
static int find_target(struct pp_counters_own *own, const struct pp_counters_options *o,
		       struct pp_error *error)
{
	struct pp_target_options whom;

	if (pp_options_take(&whom, sizeof(whom), o->target, error))
		return -1;
	whom.size = sizeof(whom);
	whom.self |= !o->target;
	whom.per_thread = true;
	if (pp_target_open(&own->target, &whom, error) ||
	    pp_cgroups_pair(&own->events, &own->target.options, error))
		return -1;
	leave_out_cpus(&own->target);
	return 0;
}

/* The pages of the calling thread's counters; where memory for them is refused, read(2) does.  What is
 * sampled has a ring, which is the caller's: beside a page that is mapped the kernel maps no ring, and it
 * sends no samples to another one. */
static void map_pages(struct pp_counters *c)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);

	c->own->reader = pthread_self();
	for (size_t i = 0; i < c->events->n; i++) {
		const bool counts = c->of[i].fds[0] >= 0 && !c->events->items[i].attr.sample_period;
		void *const page = !counts ? MAP_FAILED :
			mmap(NULL, size, PROT_READ, MAP_SHARED, c->of[i].fds[0], 0);

		c->of[i].page = page == MAP_FAILED ? NULL : page;
	}
}

/* What a group counts is of one moment only if it is started and stopped as one. */
static bool are_apart(const struct pp_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->items[i].leader != i)
			return false;
	return true;
}

static int fill_near(struct pp_counters *c, struct pp_error *error)
{
	struct pp_counters_own *const own = c->own;
	int status;

	c->near = pp_open_on_cpu_begin(&own->target);
	status = pp_counters_fill(c, &own->events, &own->target, &own->say, error);
	pp_open_on_cpu_end(c->near);
	c->near = NULL;
	return status;
}

static int open_all(struct pp_counters *c, const struct pp_counters_options *o, bool may_run,
		    struct pp_error *error)
{
	struct pp_counters_own *const own = c->own;

	if (find_target(own, o, error))
		return -1;
	if (pp_target_command_alone(&own->target) && !(o->asks & PP_COUNTERS_DELAYED))
		for (size_t i = 0; i < own->events.n; i++)
			own->events.items[i].attr.enable_on_exec = own->events.items[i].attr.disabled;
	own->say = o->say;
	c->only_counts = true;
	c->lenient = (o->asks & PP_COUNTERS_LENIENT) != 0;
	c->from_opening = may_run && pp_target_is_crowd(&own->target) && are_apart(&own->events);
	for (size_t i = 0; c->from_opening && i < own->events.n; i++)
		own->events.items[i].attr.disabled = 0;
	if (fill_near(c, error))
		return -1;
	/* The kernel has no page for what is inherited. */
	if (own->target.options.self && !(o->asks & (PP_COUNTERS_READ | PP_COUNTERS_INHERIT)))
		map_pages(c);
	return 0;
}

struct pp_counters *pp_counters_over(struct pp_events *events,
				     const struct pp_counters_options *options, bool may_run,
				     struct pp_error *error)
{
	struct pp_counters *const c = calloc(1, sizeof(*c));
	struct pp_counters_options o;

	if (c)
		c->own = calloc(1, sizeof(*c->own));
	if (!c || !c->own) {
		free(c);
		pp_events_free(events);
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	c->own->events = *events;
	*events = (struct pp_events){ .n = 0 };
	c->own->target.go = c->own->target.failed = -1;
	if (pp_options_take(&o, sizeof(o), options, error) || open_all(c, &o, may_run, error)) {
		pp_counters_close(c);
		return NULL;
	}
	return c;
}

struct pp_counters *pp_counters_open(const struct pp_counters_options *options,
				     struct pp_error *error)
{
	struct pp_events events = { .n = 0 };
	struct pp_counters_options o;

	if (pp_options_take(&o, sizeof(o), options, error) || find_events(&events, &o, error)) {
		pp_events_free(&events);
		return NULL;
	}
	return pp_counters_over(&events, options, false, error);
}

int pp_counters_again(struct pp_counters *c, char *const *command, struct pp_error *error)
{
	struct pp_counters_own *const own = c->own;
	const bool lenient = c->lenient;

	if (pp_target_again(&own->target, command, error))
		return -1;
	if (!pp_target_command_alone(&own->target))
		return 0;
	pp_counters_empty(c);
	c->own = own;
	c->only_counts = true;
	c->lenient = lenient;
	return pp_counters_fill(c, &own->events, &own->target, &own->say, error);
}

void pp_counters_close(struct pp_counters *c)
{
	struct pp_counters_own *own;

	if (!c)
		return;
	own = c->own;
	pp_counters_empty(c);
	pp_target_close(&own->target);
	pp_events_free(&own->events);
	free(own);
	free(c);
}

/* ---- walking ---- */

size_t pp_counters_events(const struct pp_counters *c)
{
	return c->events->n;
}

const char *pp_counters_event(const struct pp_counters *c, size_t event)
{
	return event < c->events->n ? c->events->items[event].name : NULL;
}

const char *pp_counters_unit(const struct pp_counters *c, size_t event, double *scale)
{
	const struct pp_event *const e = event < c->events->n ? &c->events->items[event] : NULL;

	*scale = e && e->scale ? e->scale : 1;
	return e ? e->unit : NULL;
}

size_t pp_counters_leader(const struct pp_counters *c, size_t event)
{
	return event < c->events->n ? c->events->items[event].leader : event;
}

bool pp_counters_percore(const struct pp_counters *c, size_t event)
{
	const struct pp_event_terms *const own = event < c->events->n ? &c->events->items[event].own : NULL;

	return own && own->given & PP_TERM_PERCORE && own->percore;
}

size_t pp_counters_places(const struct pp_counters *c)
{
	return c->each;
}

bool pp_counters_place(const struct pp_counters *c, size_t place, struct pp_counter_place *to)
{
	const struct pp_target *const t = c->target;
	const struct pp_target_thread *thread;

	if (place >= c->each)
		return false;
	thread = &t->threads[place % t->n_threads];
	*to = (struct pp_counter_place){
		.cpu = (int32_t)t->cpus[place / t->n_threads],
		.pid = thread->pid, .tid = thread->tid, .comm = thread->comm,
	};
	return true;
}

int pp_counters_fd(const struct pp_counters *c, size_t event, size_t place)
{
	return event < c->events->n && place < c->each ? c->of[event].fds[place] : -1;
}

uint64_t pp_counters_id(const struct pp_counters *c, size_t event, size_t place)
{
	return pp_counters_fd(c, event, place) >= 0 ? c->of[event].ids[place] : 0;
}

/* ---- the command ---- */

int pp_counters_start(struct pp_counters *c, struct pp_error *error)
{
	return c->own ? pp_target_start(&c->own->target, error) : 0;
}

int pp_counters_command(struct pp_counters *c, int *status)
{
	return c->own ? pp_target_ended(&c->own->target, status) : 0;
}

void pp_counters_signal(struct pp_counters *c, int signal)
{
	if (c->own)
		(void)pp_target_signal(&c->own->target, signal);
}
