/*
 * capture.c - a recording from start to end: opens, writes what comes before the first sample, passes
 * over the buffers, drains them.
 */
#include "base/sized_options.h"
#include "counter/permissions.h"
#include "record/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <time.h>
#include <unistd.h>

enum {
	DEFAULT_BUFFER = 512 * 1024,
	ALL_BUFFERS = 256 * 1024 * 1024,   /* of many threads together, by default */
};

static bool is_waking(const struct pp_event *e)
{
	return e->system && !strcmp(e->system, "sched") && !strcmp(e->point, "sched_waking");
}

/* One that was asked for by its name becomes the one of waits. */
static int add_wakings(struct pp_events *events, struct pp_error *error)
{
	struct pp_event *e;
	size_t i = 0;

	while (i < events->n && !is_waking(&events->items[i]))
		i++;
	if (i == events->n && pp_events_add(events, "sched:sched_waking", error))
		return -1;
	e = &events->items[i];
	e->with_chain = true;
	if (!e->own_rate)
		e->attr.sample_period = 1;
	e->own_rate = true;
	return 0;
}

/* SWITCH records, which everybody may have of their own tasks, are enough to tell how long waits were. */
static int add_waits(struct pp_capture *c, struct pp_error *error)
{
	struct pp_powers powers;

	if (!(c->sampling.asks & PP_ASK_OFF_CPU))
		return 0;
	if (!(c->sampling.asks & PP_ASK_WAKERS))
		return pp_events_add_switches(&c->events, error);
	pp_powers_read(&powers);
	if (!pp_powers_sample(&powers, PP_PARANOID_KERNEL)) {
		pp_say(&c->options.say, "waits without stacks: samples of switches and wakings need root or "
					"CAP_PERFMON");
		c->sampling.asks &= ~(uint64_t)PP_ASK_OFF_CPU;
		c->sampling.asks |= PP_ASK_SWITCHES;
		return 0;
	}
	if (pp_events_add_switches(&c->events, error))
		return -1;
	if (pp_powers_sample(&powers, PP_PARANOID_TRACEPOINTS) && (pp_tracefs() || errno != EACCES))
		return add_wakings(&c->events, error);
	pp_say(&c->options.say, "waits without wakers: tracepoints need root, or CAP_PERFMON and a tracefs "
				"that can be read");
	return 0;
}

static int find_events(struct pp_capture *c, struct pp_error *error)
{
	const struct pp_capture_options *const o = &c->options;
	const struct pp_event_texts asked = {
		o->events, o->n_events, o->pfm, o->n_pfm, o->filters, o->n_filters,
	};

	if (pp_events_add_texts(&c->events, &asked, error))
		return -1;
	if (!o->n_events && (pp_events_add(&c->events, "cycles:P", error) ||
			     pp_event_rename(&c->events.items[0], "cycles", error)))
		return -1;
	if (pp_events_have_counters(&c->events, error))
		return -1;
	return add_waits(c, error);
}

/* What traces by itself has its own clock, by which its decoders know when. */
static int find_aux(struct pp_capture *c, struct pp_error *error)
{
	struct pp_aux *const aux = &c->rings.aux;

	if (pp_options_take(&aux->options, sizeof(aux->options), c->options.aux, error))
		return -1;
	aux->system_wide = c->target.system_wide;
	if (pp_aux_find(aux, &c->events, error))
		return -1;
	if (!aux->kind || !(c->sampling.asks & PP_ASK_CLOCK))
		return 0;
	if (c->sampling.clockid != CLOCK_MONOTONIC) {
		(void)pp_fail(error, PP_E_USE, "events of %s cannot be recorded with another clock than "
			      "the kernel's own", aux->pmu);
		return pp_error_hint(error, PP_HINT_NO_CLOCK);
	}
	c->sampling.asks &= ~(uint64_t)PP_ASK_CLOCK;
	return 0;
}

static int find_overwritten(struct pp_capture *c, struct pp_error *error)
{
	c->overwrite = pp_overwrite_choose(&c->events, c->options.overwrite);
	if (c->overwrite && c->rings.aux.kind) {
		(void)pp_fail(error, PP_E_USE, "events of %s cannot be recorded beside buffers that are "
			      "overwritten: AUX areas have snapshots of their own", c->rings.aux.pmu);
		return pp_error_hint(error, PP_HINT_SNAPSHOT);
	}
	if (c->overwrite && c->options.adapt) {
		(void)pp_fail(error, PP_E_USE, "rates cannot adapt to losses where buffers are overwritten, "
			      "which lose nothing");
		return pp_error_hint(error, PP_HINT_ADAPT_OR_OVERWRITE);
	}
	if (c->options.overwrite && !c->overwrite)
		return pp_fail(error, PP_E_USE, "there is nothing to overwrite: no event is sampled");
	return 0;
}

/*
 * Tasks and maps are reported by an event of their own where the first event would not see all of
 * them: on other CPUs (its PMU may not be on all), during a delay or a pause, and while /proc is
 * read, when nothing is sampled yet; and where what the first event writes is overwritten.
 */
static int find_teller(struct pp_capture *c, struct pp_error *error)
{
	const struct pp_target *const t = &c->target;
	const bool elsewhere = t->n_selected < t->n_cpus, alone = pp_target_command_alone(t);
	/* or in none of the control groups */
	const bool pauses = c->options.delayed || c->options.paused || t->options.n_cgroups;

	if (!elsewhere && !pauses && !c->events.items[0].cpus && !c->rings.aux.kind && !c->overwrite) {
		if (alone)
			return 0;
		/* One event can do without ids; two cannot, and there is no room for them. */
		if (c->events.n == 1 && t->n_threads > pp_header_max_ids(&c->events) / t->n_cpus) {
			pp_say(&c->options.say,
			       "so many threads on so many CPUs: tasks that start while the "
			       "recording begins may lack names and maps");
			return 0;
		}
	}
	c->early = !alone;
	return pp_events_add_dummy(&c->events, elsewhere, error);
}

/* Leaders start the members of their group: by exec where all is ready before it. */
static void choose_start(struct pp_capture *c)
{
	const struct pp_event *const teller = pp_events_tracking(&c->events);
	const bool on_exec = pp_target_command_alone(&c->target);

	for (size_t i = 0; i < c->events.n; i++) {
		struct pp_event *const e = &c->events.items[i];

		e->attr.disabled = e->leader == i;
		e->attr.enable_on_exec =
			on_exec && e->leader == i && (!c->options.delayed || e == teller);
	}
}

/* Several events are distinguished by their ids, so all ids have to be in the stream. */
static int check_ids(const struct pp_capture *c, struct pp_error *error)
{
	const struct pp_target *const t = &c->target;
	const uint64_t ids = (uint64_t)t->n_threads * t->n_selected;

	if (c->events.n == 1 || ids <= pp_header_max_ids(&c->events))
		return 0;
	(void)pp_fail(error, PP_E_USE,
		      "each of %zu events would have %llu ids (%zu threads on %zu CPUs), but a stream "
		      "has room for %zu: record one event, or fewer threads%s",
		      c->events.n, (unsigned long long)ids, t->n_threads, t->n_selected,
		      pp_header_max_ids(&c->events), pp_target_any_cpu(t) ? "" : ", or fewer CPUs");
	return pp_error_hint(error, pp_target_any_cpu(t) ? PP_HINT_NONE : PP_HINT_CPUS_OR_THREADS);
}

/* Less where each of thousands of threads has one. */
static uint64_t default_buffer(const struct pp_target *t)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = DEFAULT_BUFFER;

	while (pp_target_any_cpu(t) && bytes > page && bytes * t->n_threads > ALL_BUFFERS)
		bytes /= 2;
	return bytes;
}

/* One may be small to keep few samples, but tasks are not to be lost. */
static void choose_buffers(struct pp_capture *c)
{
	const struct pp_capture_options *const o = &c->options;
	const uint64_t usual = default_buffer(&c->target);

	c->rings.bytes = o->buffer ? o->buffer : usual;
	c->rings.most = c->overwrite ? 0 : o->buffer_most;
	if (c->overwrite)
		c->rings.beside = c->rings.bytes > usual ? c->rings.bytes : usual;
}

static int open_readers(struct pp_capture *c, struct pp_error *error)
{
	struct pp_rings *const r = &c->rings;

	if (pp_places_open(&r->affinity, c->options.affinity, &c->target, error))
		return -1;
	for (size_t i = 0; i < r->n; i++)
		r->items[i].place = pp_places_of(&r->affinity, r->items[i].first / c->target.n_threads);
	return pp_ring_threads_open(r, &c->options, error);
}

static int open_all(struct pp_capture *c, struct pp_error *error)
{
	struct pp_capture_options *const o = &c->options;

	if (pp_options_take(&c->sampling, sizeof(c->sampling), o->sampling, error) ||
	    pp_sampling_check(&c->sampling, error))
		return -1;
	pp_sampling_limit(&c->sampling, &o->say);
	if (find_events(c, error) || pp_target_open(&c->target, o->target, error) ||
	    pp_cgroups_pair(&c->events, &c->target.options, error) || find_aux(c, error) ||
	    find_overwritten(c, error) || find_teller(c, error))
		return -1;
	/* There is no buffer for counters of a thread on any CPU that are inherited. */
	if (pp_target_any_cpu(&c->target))
		c->sampling.asks |= PP_ASK_NO_INHERIT;
	if (o->adapt)
		c->sampling.asks |= PP_ASK_VARYING;
	pp_events_sample(&c->events, &c->sampling, c->target.system_wide);
	if (pp_aux_sample(&c->rings.aux, &c->events, error))
		return -1;
	pp_cpu_hotplug_open(&c->online, &c->target);
	choose_start(c);
	c->attrs = pp_attrs_new();
	if (!c->attrs)
		return pp_fail(error, PP_E_NOMEM, NULL);
	choose_buffers(c);
	c->rings.build_ids = (c->sampling.asks & PP_ASK_BUILD_ID) != 0;
	c->rings.learns = !(c->sampling.asks & (PP_ASK_BUILD_ID | PP_ASK_NO_BUILD_ID));
	c->rings.ids.keeper = &c->keeper;
	return check_ids(c, error) || pp_adapt_open(c, error) ||
	       pp_counters_fill(&c->counters, &c->events, &c->target, &o->say, error) ||
	       pp_rings_open(&c->rings, &c->counters, error) || open_readers(c, error) ||
	       pp_overwrite_open(&c->rings, error) ||
	       pp_tracing_read(&c->events, &c->tracing, &c->tracing_size, error) ? -1 : 0;
}

struct pp_capture *pp_capture_open(const struct pp_capture_options *options, struct pp_error *error)
{
	struct pp_capture *const c = calloc(1, sizeof(*c));

	if (!c) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	c->control = c->met.stat = -1;
	if (pp_options_take(&c->options, sizeof(c->options), options, error) || open_all(c, error)) {
		pp_capture_close(c);
		return NULL;
	}
	pp_cost_begin(c);
	return c;
}

void pp_capture_close(struct pp_capture *c)
{
	if (!c)
		return;
	pp_lazy_close(c->lazy);
	pp_keeper_stop(&c->keeper);
	pp_programs_free(c->programs);
	pp_rings_end_moves(&c->rings);
	pp_counters_empty(&c->counters);
	pp_adapt_close(c);
	pp_ring_threads_close(&c->rings);
	pp_rings_close(&c->rings);
	pp_places_close(&c->rings.affinity);
	pp_cpu_hotplug_close(&c->online);
	pp_surroundings_close(c);
	pp_target_close(&c->target);
	pp_events_free(&c->events);
	pp_attrs_free(c->attrs);
	free(c->tracing);
	free(c->lost_on);
	free(c);
}

static int finished_init(struct pp_synth_out *made, struct pp_error *error)
{
	struct pp_build b;

	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_FINISHED_INIT, 0, NULL);
	return pp_synth_out_put(made, &b, error);
}

/* Whether the kernel is asked to report BPF programs: then it also says what there are. */
static bool wants_programs(const struct pp_capture *c)
{
	return pp_events_tracking(&c->events)->attr.bpf_event;
}

/* Those of whom it is known before the first record, for the header. */
static int read_programs(struct pp_capture *c, struct pp_error *error)
{
	int os;

	if (!wants_programs(c))
		return 0;
	c->programs = pp_programs_read(&os, error);
	if (!c->programs)
		return -1;
	pp_programs_say(c->programs, &c->options.say);
	if (os == EPERM && c->target.system_wide && !c->counters.user_only)
		pp_say(&c->options.say,
		       "BPF programs that are loaded already have no names in the recording: "
		       "bpf(2) is not permitted (CAP_BPF and CAP_SYS_ADMIN)");
	return 0;
}

/* Again, since one may have been loaded before those to come were reported. */
static int write_programs(const struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	struct pp_programs *programs;
	int os, status;

	if (!wants_programs(c))
		return 0;
	programs = pp_programs_read(&os, error);
	status = programs ? pp_programs_put(programs, made, error) : -1;
	pp_programs_free(programs);
	return status;
}

/* A task that starts while /proc is read is found there, or reported by its event, or both. */
static int write_tasks(struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	struct pp_synth *synth;
	int status;

	if (c->early && !c->enabled && pp_counters_switch(&c->counters, true, PP_TELLER, error))
		return -1;
	if (write_programs(c, made, error) ||
	    (c->sampling.asks & PP_ASK_CGROUPS && pp_cgroups_put(c, made, error)))
		return -1;
	if (c->options.sideband == PP_SIDEBAND_NONE)
		return 0;
	if (c->lazy)
		return pp_lazy_begin(c->lazy, error);
	synth = pp_synth_open(c, made, error);
	status = synth ? pp_synth_tasks(synth, error) : -1;
	pp_synth_close(synth);
	return status;
}

/* In the order in which perf writes it. */
static int write_notes(const struct pp_capture *c, const struct pp_capture_sink *sink, struct pp_error *error)
{
	for (size_t i = 0; i < c->options.n_notes && sink->note; i++) {
		const char *const note = c->options.notes[i], *const equals = strchr(note, '=');
		char *const key = equals ? strndup(note, (size_t)(equals - note)) : NULL;
		int failed;

		if (!key)
			return equals ? pp_fail(error, PP_E_NOMEM, NULL) :
					pp_fail(error, PP_E_USE, "note '%s': it has no '='", note);
		failed = sink->note(sink->arg, key, equals + 1, strlen(equals + 1), error);
		free(key);
		if (failed)
			return -1;
	}
	return 0;
}

static int write_header(struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	if (read_programs(c, error) ||
	    (made->sink->begin && made->sink->begin(made->sink->arg, error)) ||
	    pp_surroundings_begin(c, made->sink, error) || write_notes(c, made->sink, error))
		return -1;
	return pp_header_attrs(c, made, error) || pp_header_features(c, made, error) ||
	       pp_header_tracing(c, made, error) || pp_header_maps(c, made, error) ||
	       pp_aux_info(&c->rings.aux, c->rings.items[0].page, made, error) ? -1 : 0;
}

static int write_what_is_there(struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	if (pp_kernel_maps(c, made, error) || pp_header_names(c, made, error) ||
	    write_tasks(c, made, error) || finished_init(made, error))
		return -1;
	return made->sink->flush ? made->sink->flush(made->sink->arg, error) : 0;
}

/* Starts what is to start now. */
static int start_events(struct pp_capture *c, struct pp_error *error)
{
	if (c->options.delayed)
		return 0;
	c->enabled = true;
	if (pp_target_command_alone(&c->target))
		return 0;
	return pp_counters_switch(&c->counters, true, PP_ALL_EVENTS, error);
}

/* What has no time may follow the first samples, if it is there before the first round: so nothing
 * that takes long has to come before these where all is read late. */
static int write_start(struct pp_capture *c, struct pp_synth_out *made, struct pp_error *error)
{
	const bool at_once = c->options.sideband == PP_SIDEBAND_LATE;

	if (write_header(c, made, error) || (at_once && start_events(c, error)) ||
	    write_what_is_there(c, made, error))
		return -1;
	return at_once ? 0 : start_events(c, error);
}

/* What looks at each record on its way, where that was asked for. */
static int put_between(struct pp_capture *c, const struct pp_capture_sink *sink,
		       struct pp_error *error)
{
	const enum pp_capture_sideband sideband = c->options.sideband;

	if (sideband != PP_SIDEBAND_LAZY && sideband != PP_SIDEBAND_LATE)
		return 0;
	c->lazy = pp_lazy_open(c, sink, sideband == PP_SIDEBAND_LATE, error);
	if (!c->lazy)
		return -1;
	c->rings.sink = pp_lazy_sink(c->lazy);
	c->rings.sink_asks = sideband == PP_SIDEBAND_LATE;
	return 0;
}

int pp_capture_begin(struct pp_capture *c, struct pp_writer *w, struct pp_compressor *z,
		     struct pp_error *error)
{
	struct pp_capture_sink sink;

	c->stream = (struct pp_stream_out){ w, z };
	sink = pp_stream_sink(&c->stream);
	return pp_capture_begin_into(c, &sink, error);
}

int pp_capture_begin_into(struct pp_capture *c, const struct pp_capture_sink *sink,
			  struct pp_error *error)
{
	struct pp_capture_sink direct;
	struct pp_synth_out *made;
	int status;

	if (pp_options_take(&direct, sizeof(direct), sink, error))
		return -1;
	made = malloc(sizeof(*made));
	if (!made)
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_limit_open(&c->rings.limit, &c->options, c->stream.out);
	c->rings.attrs = c->attrs;
	c->rings.sink = direct;
	made->sink = &direct;
	made->attr = NULL;
	status = put_between(c, &direct, error) || write_start(c, made, error) ? -1 : 0;
	free(made);
	return status;
}

int pp_capture_start(struct pp_capture *c, struct pp_error *error)
{
	if (pp_target_command_alone(&c->target))
		pp_map_ids_since_now(&c->rings.ids);
	pp_surroundings_start(c);
	return pp_target_start(&c->target, error);
}

int pp_capture_enable(struct pp_capture *c, struct pp_error *error)
{
	c->enabled = true;
	return pp_counters_switch(&c->counters, true, PP_ALL_EVENTS, error);
}

int pp_capture_disable(struct pp_capture *c, struct pp_error *error)
{
	c->enabled = false;
	return pp_counters_switch(&c->counters, false, PP_ALL_SAMPLED, error);
}

int pp_capture_switch(struct pp_capture *c, const char *event, bool on, struct pp_error *error)
{
	const int got = pp_counters_switch_named(&c->counters, event, on, error);

	c->enabled |= on && got > 0;
	return got > 0 ? 1 : got;
}

static const struct timespec none = { 0, 0 };   /* what was not read yet is not waited for */

/* What came or ended is known to the threads that read, and to them alone. */
static int wait_for_readers(struct pp_capture *c, const struct timespec *timeout, const void *mask)
{
	struct pp_rings *const r = &c->rings;
	struct pollfd polls[] = { { pp_ring_threads_news(r), POLLIN, 0 }, { c->control, POLLIN, 0 } };

	if (ppoll(polls, 2, r->behind ? &none : timeout, mask) > 0 && polls[0].revents)
		pp_ring_threads_heard(r);
	return __atomic_load_n(&r->n_alive, __ATOMIC_RELAXED) > 0;
}

int pp_capture_wait(struct pp_capture *c, int most_ms, const void *mask)
{
	struct pp_rings *const r = &c->rings;
	const struct timespec timeout = pp_rings_wait(r, &r->pace, (uint64_t)most_ms * 1000000);

	if (pp_ring_threads_run(r))
		return wait_for_readers(c, &timeout, mask);
	r->polls[r->n_polls] = (struct pollfd){ c->control, POLLIN, 0 };
	if (ppoll(r->polls, r->n_polls + 1, r->behind ? &none : &timeout, mask) <= 0)
		return r->n_alive > 0;
	for (size_t i = 0; i < r->n_polls; i++) {
		if (r->polls[i].fd < 0 || !(r->polls[i].revents & (POLLHUP | POLLERR | POLLNVAL)))
			continue;
		r->polls[i].fd = -1;
		r->n_alive--;
	}
	return r->n_alive > 0;
}

int pp_capture_pass(struct pp_capture *c, struct pp_error *error)
{
	struct pp_rings *const r = &c->rings;
	const bool gave = r->gave;
	int noted;

	r->gave = false;
	pp_rings_note_moves(r);
	if (pp_rings_read(r, error))
		return -1;
	if (!r->gave && !gave)
		return 0;
	/* So that the round before this one is let through although nothing new came. */
	noted = c->overwrite || r->behind ? 1 : pp_adapt(c, error);
	if (noted < 0 || (!noted && r->sink.round && r->sink.round(r->sink.arg, error)))
		return -1;
	if (pp_rings_release(r, error))
		return -1;
	pp_rings_grow(r);
	return r->gave;
}

int pp_capture_snapshot(struct pp_capture *c, struct pp_error *error)
{
	if (c->overwrite)
		return pp_overwrite_snapshot(&c->rings, error);
	return c->rings.aux.options.snapshots ? pp_aux_snapshot(&c->rings, true, error) : 0;
}

/* All that there was has been passed on by then, but for what only it could read. */
static int check_keeper(const struct pp_capture *c, struct pp_error *error)
{
	const struct pp_keeper *const k = &c->keeper;
	char how[64];

	if (!k->missed)
		return 0;
	if (k->silent)
		(void)snprintf(how, sizeof(how), "did not answer for %d s", PP_KEEPER_SECONDS);
	else if (k->ended < 0)
		(void)snprintf(how, sizeof(how), "ended");
	else
		(void)snprintf(how, sizeof(how), "was ended by %s %d",
			       WIFSIGNALED(k->ended) ? "signal" : "status",
			       WIFSIGNALED(k->ended) ? WTERMSIG(k->ended) : WEXITSTATUS(k->ended));
	if (c->options.sideband == PP_SIDEBAND_LATE)
		return pp_fail(error, PP_E_IO, "pp-keeper, the process that reads what tasks there are, %s: "
			       "%llu of those that were sampled lack names and maps", how,
			       (unsigned long long)c->rings.stats.late_unread);
	pp_say(&c->options.say, "pp-keeper, the process that opens mapped files, %s: maps that were made "
	       "since have no build-ids", how);
	return 0;
}

int pp_capture_end(struct pp_capture *c, struct pp_error *error)
{
	int got;

	if (pp_counters_switch(&c->counters, false, PP_ALL_EVENTS, error))
		return -1;
	c->rings.last = true;
	if (c->rings.aux.options.snapshot_at_end && pp_aux_snapshot(&c->rings, false, error))
		return -1;
	if (c->overwrite && pp_overwrite_snapshot(&c->rings, error))
		return -1;
	/* The second pass is empty: it ends in the last round. */
	do
		got = pp_capture_pass(c, error);
	while (got > 0);
	return got < 0 || pp_cost_end(c, error) || pp_surroundings_end(c, error) ? -1 :
	       check_keeper(c, error);
}

int pp_capture_command(struct pp_capture *c, int *status)
{
	return pp_target_ended(&c->target, status);
}

void pp_capture_signal(struct pp_capture *c, int signal)
{
	if (pp_target_signal(&c->target, signal) && errno == EPERM)
		pp_keeper_signal(&c->keeper, signal);
}

bool pp_capture_full(const struct pp_capture *c)
{
	return c->rings.limit.full;
}

const struct pp_capture_stats *pp_capture_stats(const struct pp_capture *c)
{
	return &c->rings.stats;
}

struct pp_counters *pp_capture_counters(struct pp_capture *c)
{
	return &c->counters;
}
