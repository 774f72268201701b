/*
 * capture.c - a recording from start to end: opens, writes what comes before the first sample,
 * passes over the buffers, drains them.  When to stop is left to the tool.
 */
#include "capture/capture.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEFAULT_HZ = 4000,
	DEFAULT_BUFFER = 512 * 1024,
	FLUSH_AT = 1024 * 1024,       /* bytes lent before a pass flushes and gives rings back */
};

void pp_capture_say(const struct pp_capture *c, const char *format, ...)
{
	char text[256];
	va_list args;

	if (!c->options.say)
		return;
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	c->options.say(c->options.arg, text);
}

int pp_capture_looked(const struct pp_capture *c, const char *at, struct pp_error *error)
{
	char reason[128];

	if (errno != EIO && pp_lacking(errno))
		return pp_fail_os(error, "cannot read %s", at);
	if (errno == EIO)
		pp_capture_say(c, "cannot read %s: %s", at, strerror_r(EIO, reason, sizeof(reason)));
	return 0;
}

/* The kernel refuses more samples a second than kernel.perf_event_max_sample_rate. */
static void limit_frequency(struct pp_capture *c)
{
	const uint64_t asked = c->options.frequency;
	const uint64_t most =
		pp_file_u64(UINT64_MAX, "/proc/sys/kernel/perf_event_max_sample_rate");

	if (!asked)
		c->options.frequency = most < DEFAULT_HZ ? most : DEFAULT_HZ;
	if (c->options.frequency <= most)
		return;
	c->options.frequency = most;
	if (asked != UINT64_MAX)
		pp_capture_say(c,
			       "recording %llu samples a second, not %llu: more is not permitted "
			       "(kernel.perf_event_max_sample_rate)",
			       (unsigned long long)most, (unsigned long long)asked);
}

static int find_events(struct pp_capture *c, struct pp_error *error)
{
	const struct pp_capture_options *const o = &c->options;

	for (size_t i = 0; i < o->n_events; i++)
		if (pp_events_add(&c->events, o->events[i], error))
			return -1;
	if (!o->n_events && (pp_events_add(&c->events, "cycles:P", error) ||
			     pp_event_rename(&c->events.items[0], "cycles", error)))
		return -1;
	return 0;
}

/* Only the command is recorded: it starts when all is ready, so nothing can be missed before. */
static bool command_alone(const struct pp_capture *c)
{
	const struct pp_capture_options *const o = &c->options;

	return o->command && !c->target.system_wide && !o->n_pids && !o->n_tids;
}

/*
 * Tasks and maps are reported by an event of their own where the first event would not see all of
 * them: on other CPUs (its PMU may not be on all), during a delay, and while /proc is read, when
 * nothing is sampled yet.
 */
static int find_teller(struct pp_capture *c, struct pp_error *error)
{
	const struct pp_target *const t = &c->target;
	const bool elsewhere = t->n_selected < t->n_cpus;

	if (!elsewhere && !c->options.delayed && !c->events.items[0].cpus) {
		if (command_alone(c))
			return 0;
		/* One event needs no ids to be told apart; two do, and there is no room for them. */
		if (c->events.n == 1 && t->n_threads > pp_counters_max_ids() / t->n_cpus) {
			pp_capture_say(c, "so many threads on so many CPUs: tasks that start while the "
				       "recording begins may lack names and maps");
			return 0;
		}
	}
	c->early = !command_alone(c);
	return pp_events_add_dummy(&c->events, elsewhere, error);
}

static int open_all(struct pp_capture *c, struct pp_error *error)
{
	const struct pp_capture_options *const o = &c->options;

	if (o->frequency && o->period)
		return pp_fail(error, PP_E_USE, "a frequency and a period cannot both be given");
	if (o->all_cpus && (o->n_pids || o->n_tids))
		return pp_fail(error, PP_E_USE,
			       "all CPUs cannot be combined with processes or threads");
	if (o->user_stack && pp_events_can_unwind(error))
		return -1;
	limit_frequency(c);
	c->rings.bytes = o->buffer ? o->buffer : DEFAULT_BUFFER;
	if (find_events(c, error) || pp_target_open(&c->target, o, error) || find_teller(c, error))
		return -1;
	pp_events_configure(&c->events, o, command_alone(c));
	c->attrs = pp_attrs_new();
	if (!c->attrs)
		return pp_fail(error, PP_E_NOMEM, NULL);
	return pp_counters_open(c, error) || pp_tracing_read(c, error) ? -1 : 0;
}

struct pp_capture *pp_capture_open(const struct pp_capture_options *options, struct pp_error *error)
{
	struct pp_capture *const c = calloc(1, sizeof(*c));

	if (!c) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	c->options = *options;
	if (open_all(c, error)) {
		pp_capture_close(c);
		return NULL;
	}
	return c;
}

void pp_capture_close(struct pp_capture *c)
{
	if (!c)
		return;
	pp_counters_close(c);
	pp_rings_free(&c->rings);
	pp_target_close(&c->target);
	pp_events_free(&c->events);
	pp_attrs_free(c->attrs);
	free(c->rings.items);
	free(c->polls);
	free(c->tracing);
	free(c);
}

static int finished_init(struct pp_made *made, struct pp_error *error)
{
	struct pp_build b;

	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_FINISHED_INIT, 0, NULL);
	return pp_made_put(made, &b, error);
}

/* A task that starts while /proc is read is found there, or reported by its event, or both. */
static int write_tasks(struct pp_capture *c, struct pp_made *made, struct pp_compressor *z,
		       struct pp_error *error)
{
	if (c->early && pp_counters_switch(c, true, true, error))
		return -1;
	return pp_synth_tasks(c, made, z, error);
}

/* In the order in which perf writes it. */
static int write_start(struct pp_capture *c, struct pp_made *made, struct pp_compressor *z,
		       struct pp_error *error)
{
	if (pp_writer_header(made->out, true, error) || pp_header_attrs(c, made, error) ||
	    pp_header_features(c, made, z, error) || pp_tracing_write(c, made, error) || pp_header_maps(c, made, error) ||
	    pp_kernel_maps(c, made, error) || pp_header_names(c, made, error) ||
	    write_tasks(c, made, z, error) || finished_init(made, error))
		return -1;
	return pp_writer_flush(made->out, error);
}

int pp_capture_begin(struct pp_capture *c, struct pp_writer *w, struct pp_compressor *z,
		     struct pp_error *error)
{
	struct pp_made *const made = malloc(sizeof(*made));
	int status;

	if (!made)
		return pp_fail(error, PP_E_NOMEM, NULL);
	made->out = w;
	made->attr = NULL;
	status = write_start(c, made, z, error);
	free(made);
	if (status)
		return -1;
	if (!command_alone(c) && !c->options.delayed && pp_counters_switch(c, true, false, error))
		return -1;
	return 0;
}

int pp_capture_start(struct pp_capture *c, struct pp_error *error)
{
	return pp_target_start(&c->target, &c->options, error);
}

int pp_capture_enable(struct pp_capture *c, struct pp_error *error)
{
	return pp_counters_switch(c, true, false, error);
}

int pp_capture_wait(struct pp_capture *c, int ms, const void *mask)
{
	const struct timespec timeout = { ms / 1000, ms % 1000 * 1000000L };

	if (ppoll(c->polls, c->n_polls, &timeout, mask) <= 0)
		return c->n_alive > 0;
	for (size_t i = 0; i < c->n_polls; i++) {
		if (c->polls[i].fd < 0 || !(c->polls[i].revents & (POLLHUP | POLLERR | POLLNVAL)))
			continue;
		c->polls[i].fd = -1;
		c->n_alive--;
	}
	return c->n_alive > 0;
}

/* Lets go of what the writer borrowed, then of the room in the rings. */
static int give_back(struct pp_capture *c, struct pp_writer *w, struct pp_error *error)
{
	if (pp_writer_flush(w, error))
		return -1;
	for (size_t i = 0; i < c->rings.n; i++)
		pp_ring_release(&c->rings.items[i]);
	return 0;
}

/* Reads all rings; what was lent last is not given back yet. */
static int read_rings(struct pp_capture *c, struct pp_writer *w, struct pp_compressor *z,
		      struct pp_error *error)
{
	uint64_t lent = 0;

	for (size_t i = 0; i < c->rings.n; i++) {
		struct pp_ring *const ring = &c->rings.items[i];
		const uint64_t before = ring->tail;
		const int got = pp_ring_read(ring, w, z, &c->stats, error);

		if (got < 0)
			return -1;
		c->wrote |= got > 0;
		lent += ring->tail - before;
		if (lent < FLUSH_AT)
			continue;
		lent = 0;
		if (give_back(c, w, error))
			return -1;
	}
	return 0;
}

int pp_capture_relieve(struct pp_capture *c, struct pp_writer *w, struct pp_compressor *z,
		       struct pp_error *error)
{
	size_t i = 0;

	while (i < c->rings.n && pp_ring_used(&c->rings.items[i]) < c->rings.items[i].size / 4)
		i++;
	if (i == c->rings.n)
		return 0;
	return read_rings(c, w, z, error) || give_back(c, w, error) ? -1 : 0;
}

int pp_capture_pass(struct pp_capture *c, struct pp_writer *w, struct pp_compressor *z,
		    struct pp_error *error)
{
	const bool wrote = c->wrote;

	c->wrote = false;
	if (read_rings(c, w, z, error))
		return -1;
	if (!c->wrote && !wrote)
		return 0;
	/* So that the round before this one is let through although nothing new came. */
	if (z && pp_compressor_flush(z, error))
		return -1;
	if (pp_writer_round(w, error))
		return -1;
	return give_back(c, w, error) ? -1 : c->wrote;
}

/* As perf does at the end: a record for each counter that lost some, after the last round. */
static int tell_lost(struct pp_capture *c, struct pp_writer *w, struct pp_error *error)
{
	const size_t n = c->target.n_cpus * c->target.n_threads;
	uint8_t buf[128];
	uint64_t total = 0;

	for (size_t i = 0; i < c->events.n; i++) {
		for (size_t k = 0; k < n; k++) {
			const struct pp_event *const e = &c->events.items[i];
			const uint64_t lost = pp_counter_lost(e, k);
			struct pp_build b;
			size_t size;

			if (!lost)
				continue;
			total += lost;
			pp_build(&b, buf, sizeof(buf), PP_REC_LOST_SAMPLES, 0,
				 pp_attrs_at(c->attrs, i));
			pp_build_u64(&b, "lost", lost);
			pp_build_trailer(&b, 0, 0, 0, e->ids[k],
					 c->target.cpus[k / c->target.n_threads]);
			size = pp_build_end(&b);
			if (size && pp_writer_copy(w, buf, size, error))
				return -1;
		}
	}
	c->stats.lost = total > c->stats.overruns ? total : c->stats.overruns;
	return 0;
}

int pp_capture_end(struct pp_capture *c, struct pp_writer *w, struct pp_compressor *z,
		   struct pp_error *error)
{
	int got;

	if (pp_counters_switch(c, false, false, error))
		return -1;
	/* The second pass is empty: it ends in the last round. */
	do
		got = pp_capture_pass(c, w, z, error);
	while (got > 0);
	return got < 0 ? -1 : tell_lost(c, w, error);
}

int pp_capture_command(struct pp_capture *c, int *status)
{
	if (!c->target.command || waitpid(c->target.command, status, WNOHANG) != c->target.command)
		return 0;
	c->target.command = 0;
	return 1;
}

void pp_capture_signal(struct pp_capture *c, int signal)
{
	if (c->target.command)
		(void)kill(c->target.command, signal);
}

const struct pp_capture_stats *pp_capture_stats(const struct pp_capture *c)
{
	return &c->stats;
}
