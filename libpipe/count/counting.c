/*
 * counting.c - counters, run after run, and the records of each round.  count_loop.c decides how long
 * a run lasts.
 */
#include "base/clock.h"
#include "base/array.h"
#include "base/sized_options.h"
#include "count/counting.h"
#include "write/writer_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum {
	PATIENCE_MS = 1000,           /* for a command that was sent SIGTERM */
	OFTEN_NS = 50000000,          /* what is read is written at least this often, */
	SELDOM_NS = 1000000000,       /* and to a file, for which no one waits */
};

/* ---- opening ---- */

/* Events as they were asked for: which of them are read together, and from when, is not of the stream. */
static int show_events(struct pp_counting *c, struct pp_error *error)
{
	const struct pp_events *const events = c->counters->events;
	struct pp_events *const shown = &c->shown;

	shown->items = malloc((events->n + 1) * sizeof(*shown->items));
	if (!shown->items)
		return pp_fail(error, PP_E_NOMEM, NULL);
	shown->n = events->n;
	for (size_t i = 0; i < events->n; i++) {
		struct pp_event *const e = &shown->items[i];
		const bool leads = i + 1 < events->n && events->items[i + 1].joined;

		*e = events->items[i];
		e->attr.disabled |= c->counters->from_opening;
		if (!e->joined && !(leads && e->leader == i))
			continue;
		e->leader = i;
		e->attr.disabled = 1;
		e->attr.enable_on_exec = events->items[events->items[i].leader].attr.enable_on_exec;
		e->attr.read_format &= ~(uint64_t)(PERF_FORMAT_GROUP | PERF_FORMAT_ID);
	}
	return 0;
}

/* The first id of each event, and how many counters there are. */
static int find_slots(struct pp_counting *c, struct pp_error *error)
{
	const struct pp_counters *const k = c->counters;

	c->n_slots = k->events->n * k->each;
	c->slots = calloc(c->n_slots + 1, sizeof(*c->slots));
	c->counts = calloc(c->n_slots + 1, sizeof(*c->counts));
	c->first_ids = calloc(k->events->n + 1, sizeof(*c->first_ids));
	if (!c->slots || !c->counts || !c->first_ids)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < c->n_slots; i++) {
		const size_t event = i / k->each, place = i % k->each;

		c->slots[i].used = k->of[event].fds[place] >= 0;
		if (c->slots[i].used && !c->first_ids[event])
			c->first_ids[event] = k->of[event].ids[place];
	}
	return 0;
}

/* A STAT without its numbers, and where they are in it: made once, as there may be thousands. */
struct stat_form {
	uint8_t bytes[64];
	size_t size, id, cpu, thread;
};

static void make_form(struct stat_form *form, size_t *numbers)
{
	struct pp_build b;

	pp_build(&b, form->bytes, sizeof(form->bytes), PP_REC_STAT, 0, NULL);
	form->id = b.at;
	pp_build_u64(&b, "id", 0);
	form->cpu = b.at;
	pp_build_u64(&b, "cpu", 0);
	form->thread = b.at;
	pp_build_u64(&b, "thread", 0);
	*numbers = b.at;
	form->size = pp_build_end(&b);
}

static void put_stat(const struct stat_form *form, const struct pp_target *t, size_t place, uint64_t id,
		     uint8_t *to)
{
	const uint32_t cpu = t->cpus[place / t->n_threads], thread = (uint32_t)(place % t->n_threads);

	memcpy(to, form->bytes, form->size);
	memcpy(to + form->id, &id, sizeof(id));
	memcpy(to + form->cpu, &cpu, sizeof(cpu));
	memcpy(to + form->thread, &thread, sizeof(thread));
}

static size_t put_round(bool last, uint64_t time, uint8_t *to, size_t room)
{
	struct pp_build b;

	pp_build(&b, to, room, PP_REC_STAT_ROUND, 0, NULL);
	pp_build_u64(&b, "type", last);
	pp_build_u64(&b, "time", time);
	return pp_build_end(&b);
}

/* Makes the records of a round once: what changes are three numbers of each.  An id says which event it is,
 * and no more: those beyond what the header has room for go by the first. */
static int make_block(struct pp_counting *c, struct pp_error *error)
{
	enum { ROUND_MOST = 64 };
	const struct pp_counters *const k = c->counters;
	struct stat_form form;
	size_t room;
	const size_t most = pp_header_max_ids(&c->shown);
	size_t *n;

	make_form(&form, &c->numbers_at);
	room = c->n_slots * form.size + ROUND_MOST;
	if (room > UINT32_MAX)
		return pp_fail(error, PP_E_USE, "%zu counters are too many", c->n_slots);
	c->block = malloc(room);
	n = calloc(k->events->n + 1, sizeof(*n));      /* counters of each event so far */
	if (!c->block || !n) {
		free(n);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	for (size_t place = 0; place < k->each; place++)
		for (size_t event = 0; event < k->events->n; event++) {
			struct pp_slot *const slot = &c->slots[event * k->each + place];
			uint64_t id;

			if (!slot->used)
				continue;
			id = n[event]++ < most ? k->of[event].ids[place] : c->first_ids[event];
			slot->at = (uint32_t)c->round_at;
			put_stat(&form, k->target, place, id, c->block + c->round_at);
			c->round_at += form.size;
		}
	free(n);
	c->block_size = c->round_at + put_round(false, 0, c->block + c->round_at, room - c->round_at);
	return 0;
}

/* Very short intervals are written several at once: to write each would take as long as to read it. */
static bool are_gathered(const struct pp_counting *c)
{
	return c->options.interval && c->options.interval < OFTEN_NS;
}

static int open_counters(struct pp_counting *c, const struct pp_counting_options *o,
			 struct pp_error *error)
{
	static const struct pp_target_options everything = { .size = sizeof(everything) };
	const struct pp_counters_options how = {
		.size = sizeof(how), .target = o->target ? o->target : &everything, .say = o->say,
		.asks = PP_COUNTERS_LENIENT | PP_COUNTERS_READ |
			(o->asks & PP_COUNTING_DELAYED ? PP_COUNTERS_DELAYED : 0),
	};
	struct pp_events events = { .n = 0 };

	if (pp_counting_events(&events, o, error)) {
		pp_events_free(&events);
		return -1;
	}
	c->counters = pp_counters_over(&events, &how, !(o->asks & (PP_COUNTING_DELAYED | PP_COUNTING_APART)),
				       error);
	if (!c->counters)
		return -1;
	c->per_run = pp_target_command_alone(c->counters->target);
	for (size_t i = 0; i < c->counters->events->n; i++)
		c->has_times |= c->counters->events->items[i].time != PP_TIME_NONE;
	pp_cpu_hotplug_open(&c->online, c->counters->target);
	c->online.measured = "counted";
	if (pp_counting_describe(c, o, error) || show_events(c, error) || find_slots(c, error) ||
	    make_block(c, error) ||
	    pp_readers_open(&c->readers, c->counters, are_gathered(c) && !c->has_times, error))
		return -1;
	if (o->asks & PP_COUNTING_WHY)
		pp_counting_say_why(c);
	return 0;
}

struct pp_counting *pp_counting_open(const struct pp_counting_options *options,
				     struct pp_error *error)
{
	struct pp_counting *const c = calloc(1, sizeof(*c));
	struct pp_counting_options *o;

	if (!c) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	o = &c->options;
	c->control = -1;
	c->online.fd = -1;
	if (pp_options_take(o, sizeof(*o), options, error) ||
	    (o->asks & PP_COUNTING_SMI && pp_smi_freeze(&c->smi, error)) ||
	    open_counters(c, o, error)) {
		pp_counting_close(c);
		return NULL;
	}
	return c;
}

void pp_counting_close(struct pp_counting *c)
{
	if (!c)
		return;
	pp_readers_close(c->readers);
	pp_cpu_hotplug_close(&c->online);
	pp_counters_close(c->counters);
	pp_smi_release(&c->smi);
	free(c->shown.items);
	free(c->note);
	free(c->slots);
	free(c->counts);
	free(c->first_ids);
	free(c->block);
	free(c);
}

int pp_counting_begin(struct pp_counting *c, struct pp_writer *out, struct pp_error *error)
{
	c->out = out;
	c->often = pp_writer_fills_file(out) ? SELDOM_NS : OFTEN_NS;
	if (pp_writer_header(out, true, error))
		return -1;
	return pp_counting_preface(c, error);
}

/* ---- a run ---- */

static void begin(struct pp_counting *c)
{
	c->begun = pp_now_ns();
	pp_counting_begin_times(c);
}

int pp_counting_switch(struct pp_counting *c, bool on, struct pp_error *error)
{
	if (on && !c->begun)
		begin(c);
	c->enabled = on;
	return pp_counters_switch(c->counters, on, PP_ALL_EVENTS, error);
}

static void take_counts(struct pp_counting *c)
{
	for (size_t event = 0; event < c->counters->events->n; event++) {
		const size_t first = event * c->counters->each;

		/* one that has failed, or whose CPU is gone, keeps what it had */
		for (size_t i = 0; !c->counters->events->items[event].time && i < c->counters->each; i++)
			if (c->counts[first + i].state != PP_COUNT_ERROR)
				c->slots[first + i].now = c->counts[first + i];
	}
}

static int read_all(struct pp_counting *c, struct pp_error *error)
{
	if (c->readers ? pp_readers_read(c->readers, c->counts, error) :
			 pp_counters_read_all(c->counters, c->counts, c->n_slots, error))
		return -1;
	take_counts(c);
	if (c->has_times)
		pp_counting_take_times(c, pp_now_ns());
	return 0;
}

/* Counters of the command alone start with it; perf stat takes the time from then, too.  Those that count
 * since they were opened are read first: --pre may have run meanwhile, or a slow reader taken the header. */
int pp_counting_start(struct pp_counting *c, struct pp_error *error)
{
	const bool delayed = c->options.asks & PP_COUNTING_DELAYED;
	const bool from_opening = c->counters->from_opening;

	c->cut = false;
	c->begun = 0;
	c->first_round = c->rounds;
	if (from_opening && read_all(c, error))
		return pp_error_fatal(error, true);
	for (size_t i = 0; i < c->n_slots; i++)
		c->slots[i].from = c->per_run ? (struct pp_count){ 0 } : c->slots[i].now;
	if (!delayed && !c->per_run && !from_opening && pp_counting_switch(c, true, error))
		return pp_error_fatal(error, true);
	if (!delayed)
		begin(c);
	c->enabled = !delayed;
	return pp_counters_start(c->counters, error);
}

/* Of this run and of those before it. */
static struct pp_count total(const struct pp_slot *slot)
{
	struct pp_count sum = slot->now;

	sum.value += slot->done.value - slot->from.value;
	sum.enabled += slot->done.enabled - slot->from.enabled;
	sum.running += slot->done.running - slot->from.running;
	return sum;
}

/* Writes the counts that were read last. */
static int put_counts(struct pp_counting *c, bool last, uint64_t time, struct pp_error *error)
{
	for (size_t i = 0; i < c->n_slots; i++) {
		const struct pp_slot *const slot = &c->slots[i];
		struct pp_count sum;

		if (!slot->used)
			continue;
		sum = total(slot);
		memcpy(c->block + slot->at + c->numbers_at,
		       (const uint64_t[]){ sum.value, sum.enabled, sum.running }, 3 * sizeof(uint64_t));
	}
	(void)put_round(last, time, c->block + c->round_at, c->block_size - c->round_at);
	c->rounds++;
	return are_gathered(c) ? pp_writer_copy(c->out, c->block, c->block_size, error) :
				 pp_writer_put(c->out, c->block, c->block_size, error);
}

static int put_interval(struct pp_counting *c, uint64_t time, struct pp_error *error)
{
	return put_counts(c, false, c->before + time - c->begun, error) ||
	       pp_writer_round(c->out, error) ? -1 : 0;
}

/* Writes out what there is, and says what has happened meanwhile. */
static int write_out(struct pp_counting *c, struct pp_error *error)
{
	pp_cpu_hotplug_look(&c->online, c->counters->target, &c->options.say);
	return pp_writer_flush(c->out, error);
}

/* What comes meanwhile has to wait: where it comes as fast as it is written, there would be no end. */
static int put_ticks(struct pp_counting *c, struct pp_error *error)
{
	const uint64_t now = pp_now_ns();
	uint64_t time = 0;
	int got = 0;

	while (time < now && (got = pp_readers_next(c->readers, c->counts, &time, error)) > 0) {
		take_counts(c);
		if (put_interval(c, time, error))
			return -1;
	}
	return got < 0 ? -1 : write_out(c, error);
}

int pp_counting_interval(struct pp_counting *c, struct pp_error *error)
{
	uint64_t now;

	if (c->ticks)
		return put_ticks(c, error);
	if (read_all(c, error))
		return -1;
	now = pp_now_ns();
	if (put_interval(c, now, error))
		return -1;
	if (are_gathered(c) && now - c->flushed < c->often)
		return 0;
	c->flushed = now;
	return write_out(c, error);
}

uint64_t pp_counting_tick(struct pp_counting *c)
{
	const uint64_t interval = c->options.interval;
	const uint64_t kept = are_gathered(c) ? pp_readers_tick(c->readers, c->begun, interval) : 0;

	c->ticks = kept > 0;
	return c->ticks ? (kept < c->often ? kept : c->often) / interval : 1;
}

int pp_counting_be_still(struct pp_counting *c, struct pp_error *error)
{
	if (!c->ticks)
		return 0;
	c->ticks = false;
	pp_readers_be_still(c->readers);
	return put_ticks(c, error);
}

bool pp_counting_alive(struct pp_counting *c)
{
	const struct pp_target *const t = c->counters->target;
	const size_t tasks = t->n_threads;

	if (t->system_wide || t->options.command)
		return true;
	for (size_t i = 0; i < tasks; i++)
		if (!kill(t->threads[i].tid, 0) || errno != ESRCH)
			return true;
	return false;
}

static uint64_t ns_of_timeval(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

/* Whether the command has ended, which it was asked for, after a while at most. */
static bool await_command(struct pp_counting *c)
{
	const struct timespec while_ms = { .tv_nsec = 2000000 };
	bool ended = pp_counters_command(c->counters, NULL) > 0;

	if (!c->counters->target->command && !ended)
		return false;
	c->cut |= !ended;
	if (!ended)
		pp_counters_signal(c->counters, SIGTERM);
	for (int ms = 0; !ended && ms < PATIENCE_MS; ms += 2) {
		(void)nanosleep(&while_ms, NULL);
		ended = pp_counters_command(c->counters, NULL) > 0;
	}
	return ended;
}

int pp_counting_stop(struct pp_counting *c, struct pp_counting_result *result,
		     struct pp_error *error)
{
	const struct pp_target *const t = c->counters->target;
	struct pp_counting_result *const r = &c->result;
	const size_t size = result->size;

	*r = (struct pp_counting_result){ .size = sizeof(*r) };
	/* Counters end together, and those of a group agree, only if they stand still. */
	if (!c->per_run && !c->counters->from_opening && pp_counting_switch(c, false, error))
		return -1;
	pp_cpu_hotplug_look(&c->online, t, &c->options.say);
	r->elapsed = c->begun ? pp_now_ns() - c->begun : 0;
	if (read_all(c, error))
		return -1;
	r->has_command = await_command(c);
	if (r->has_command) {
		r->status = t->status;
		r->user = ns_of_timeval(t->usage.ru_utime);
		r->system = ns_of_timeval(t->usage.ru_stime);
	}
	pp_counting_take_times(c, c->begun + r->elapsed);
	memcpy(result, r, size < sizeof(*r) ? size : sizeof(*r));
	result->size = size;
	return 0;
}

bool pp_counting_value(const struct pp_counting *c, const char *event, double *value)
{
	const struct pp_counters *const k = c->counters;
	double scale, sum = 0;
	bool found = false;

	for (size_t i = 0; i < c->n_slots; i++) {
		const struct pp_slot *const s = &c->slots[i];

		if (!s->used || strcmp(k->events->items[i / k->each].name, event) != 0)
			continue;
		(void)pp_counters_unit(k, i / k->each, &scale);
		found |= s->now.running > s->from.running;
		sum += scale * ((double)pp_count_scaled(&s->now) - (double)pp_count_scaled(&s->from));
	}
	*value = sum;
	return found;
}

int pp_counting_write(struct pp_counting *c, bool last, struct pp_error *error)
{
	const bool final = last && !c->options.interval;

	if (put_counts(c, final, c->before + c->result.elapsed, error) ||
	    pp_counting_note_run(c, error))
		return -1;
	for (size_t i = 0; i < c->n_slots; i++)
		c->slots[i].done = total(&c->slots[i]);
	c->before += c->result.elapsed;
	return pp_writer_flush(c->out, error);
}

int pp_counting_again(struct pp_counting *c, char *const *command, size_t side,
		      struct pp_error *error)
{
	c->side = side;
	return pp_counters_again(c->counters, command, error);
}
