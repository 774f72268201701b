/*
 * fold.c - samples into a profile.  Names come from symbol/, named_stack.c makes frames of them, the tree is
 * call_tree.c's.
 */
#include <perfpipe/fold.h>

#include <perfpipe/callchain.h>

#include "base/array.h"
#include "format/format.h"
#include "stat/group_deltas.h"
#include "profile/address_cache.h"
#include "profile/named_stack.h"
#include "profile/unresolved.h"
#include "profile/stack_cache.h"
#include "profile/call_tree.h"
#include "symbol/passing.h"
#include "symbol/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With `places`, the kind of a frame that is no place: the number of a run. */
#define OF_RUN UINT32_C(0x80000000)
#define NO_FRAME UINT32_MAX
/* What is called again and again is few; a table that grew would take more than the stacks. */
enum { ADDRESSES = 1 << 17 };

/* A thread: the frame that its stacks begin with, for as long as its process does not change, and its last
 * sample, where they weigh time. */
struct task {
	uint32_t pid, frame;
	uint32_t number;              /* among those that were seen */
	uint64_t changes;
	struct pp_folded last;
};

struct pp_fold {
	struct pp_fold_options how;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	struct pp_profile *profile;
	const struct pp_attr *event;
	const struct pp_attr *passed; /* one that is not wanted */
	const struct pp_attr *weighed;   /* the event that `leaves` is about */
	bool leaves;                  /* its samples are of threads that leave their CPU */
	bool bare;                    /* the stack at hand has no chain */
	bool anew;                    /* the sample at hand is the first of another event */
	struct pp_fold_stats stats;
	struct pp_group_deltas since;        /* values of groups */
	struct pp_stack_cache stacks;      /* the nodes of those that were there before, and BARE */
	struct pp_address_cache addresses; /* and their frames: ->inlined is how many, ->left_out whether
					    * they have no name, ->place the one, or the first of */
	uint32_t *frames;             /* those of addresses that have several */
	size_t n_frames, frames_room;
	struct pp_idmap tids;         /* which of `threads` */
	struct task *threads;
	size_t n_threads, threads_room;
	size_t task;                  /* which of them has the sample at hand */
	struct pp_strings seen;       /* threads: "PID/TID NAME" */
	struct pp_strings sources;
	struct source_line {
		uint32_t source;      /* 1 + its number; 0: not known */
		uint32_t line;
	} *lines;                     /* by frame of the profile */
	size_t n_lines, lines_room;
	uint32_t *of_place;           /* 1 + the frame of each place; 0: none yet */
	size_t of_place_room;
	struct run_of { uint32_t thread, cpu, frame; } *runs;      /* with `places`: what stacks end in */
	size_t n_runs, runs_room;
	struct pp_idmap by_run;       /* which of them: thread << 32 | cpu */
	struct pp_unresolved late;          /* frames that wait for a name */
	struct pp_strings late_dsos;  /* and what those of memory without a file are in: "/tmp/perf-7.map" */
	struct pp_buffer text;
	struct pp_named_stack stack;    /* the one at hand */
};

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

static void forget_frames(struct pp_fold *f)
{
	pp_address_cache_forget(&f->addresses);
	f->n_frames = 0;
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

/* ---- names of frames ---- */

/* Of a function that is in several files, what is inlined into programs, the first that is met. */
static int note_line(struct pp_fold *f, uint32_t frame, const struct pp_named_frame *name,
		     struct pp_error *error)
{
	struct source_line *known;
	uint32_t source;

	if (!f->how.lines || !name->line || !*name->file)
		return 0;
	if (frame >= f->n_lines) {
		if (PP_GROW(&f->lines, &f->lines_room, (size_t)frame + 1, error))
			return -1;
		memset(f->lines + f->n_lines, 0, (frame + 1 - f->n_lines) * sizeof(*f->lines));
		f->n_lines = (size_t)frame + 1;
	}
	known = &f->lines[frame];
	if (known->source && known->line <= name->line)
		return 0;
	if (pp_strings_number(&f->sources, name->file, strlen(name->file), 0, &source, error))
		return -1;
	if (!known->source || known->source == source + 1)
		*known = (struct source_line){ source + 1, name->line };
	return 0;
}

static int add_unnamed(struct pp_fold *f, const char *dso, uint64_t address, unsigned kind,
		       struct pp_error *error)
{
	f->stats.unnamed++;
	f->stack.object = dso;
	return pp_named_stack_add_unnamed(&f->stack, address, kind, error);
}

/* A frame that no other place has, until its name is known or all was read. */
static int add_late(struct pp_fold *f, const struct pp_location *place, uint64_t address, unsigned kind,
		    struct pp_error *error)
{
	struct pp_unresolved_frame late = {
		.file = place->file, .kind = kind, .offset = place->offset, .dso = place->dso,
		/* by which it is known only where it is shown */
		.address = f->how.addresses ? address : place->offset,
	};
	uint32_t number;

	if (f->stack.n >= PP_PROFILE_DEEPEST)
		return 0;
	/* that of code which a process made is not kept by others */
	if (place->dso && !strncmp(place->dso, "/tmp/perf-", strlen("/tmp/perf-"))) {
		if (pp_strings_number(&f->late_dsos, place->dso, strlen(place->dso), 0, &number, error))
			return -1;
		late.dso = f->late_dsos.items[number].text;
	}
	if (pp_unresolved_number(&f->late, &late, &number, error))
		return -1;
	f->stack.frames[f->stack.n++] = PP_LATE | number;
	return 0;
}

static bool has_name(const struct pp_location *place)
{
	return place->count && *place->frames[place->count - 1].symbol;
}

/* A place that has a name, with what is inlined there; the innermost first. */
static int add_place(struct pp_fold *f, const struct pp_location *place, unsigned kind,
		     struct pp_error *error)
{
	for (size_t i = f->how.no_inline ? place->count - 1 : 0; i < place->count; i++) {
		const size_t before = f->stack.n;

		if (pp_named_stack_add(&f->stack, place->frames[i].symbol,
				       i + 1 < place->count ? PP_FLAME_INLINED : kind, error) ||
		    (f->stack.n > before &&
		     note_line(f, f->stack.frames[f->stack.n - 1], &place->frames[i], error)))
			return -1;
	}
	return 0;
}

/* ---- places in code ---- */

/* The frame of a place. */
static int frame_of_place(struct pp_fold *f, uint32_t number, uint32_t *frame, struct pp_error *error)
{
	if (PP_GROW_ZEROED(&f->of_place, &f->of_place_room, (size_t)number + 1, error))
		return -1;
	if (!f->of_place[number]) {
		if (pp_profile_frame(f->profile, "", 0, number, frame, error))
			return -1;
		f->of_place[number] = *frame + 1;
	}
	*frame = f->of_place[number] - 1;
	return 0;
}

/* The names of one that was met before are not asked for again. */
static int meet_place(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address, uint32_t *number,
		      struct pp_error *error)
{
	struct pp_location place;
	const struct pp_place_met met = {
		.pid = pid, .cpumode = mode, .address = address, .is = &place,
		.kind_of = pp_named_stack_kind, .no_inline = f->how.no_inline,
	};
	uint64_t offset;
	uint32_t file;
	const int got = pp_symbols_where(f->symbols, pid, mode, address, &file, &offset);

	if (got < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	*number = got ? pp_places_find(f->how.places, file, mode, offset) : 0;
	if (*number)
		return 0;
	if (pp_symbols_at(f->symbols, pid, mode, address, &place, error) < 0)
		return -1;
	return pp_places_meet(f->how.places, f->symbols, f->tasks, &met, number, error);
}

static int add_code(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address, struct pp_error *error)
{
	uint32_t number;

	f->stats.frames++;
	f->stack.cut |= f->stack.n >= PP_PROFILE_DEEPEST;
	if (f->stack.n >= PP_PROFILE_DEEPEST)
		return 0;
	if (meet_place(f, pid, mode, address, &number, error))
		return -1;
	f->stats.unnamed += !pp_places_named(f->how.places, number);
	return frame_of_place(f, number, &f->stack.frames[f->stack.n++], error);
}

/* ---- addresses ---- */

static int name_address(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address,
			struct pp_error *error)
{
	struct pp_location place;
	const int named = pp_symbols_at(f->symbols, pid, mode, address, &place, error);
	const unsigned kind = named < 0 ? 0 : pp_named_stack_kind(place.dso, mode);

	if (named < 0)
		return -1;
	f->stack.object = place.dso;
	if (has_name(&place))
		return add_place(f, &place, kind, error);
	return f->how.late_names && place.file ? add_late(f, &place, address, kind, error) :
						 add_unnamed(f, place.dso, address, kind, error);
}

/* What the frames of an address depend on: of a process that shows no address, where it is in a file. */
static int find_address(struct pp_fold *f, uint32_t pid, unsigned mode, struct pp_address *of,
			struct pp_error *error)
{
	struct pp_file_place place = { .file = UINT32_MAX };

	if (mode != PP_MISC_USER || f->how.addresses ||
	    pp_tasks_place(f->tasks, pid, of->address, &place) == PP_PLACED_IN_PROCESS)
		return pp_address_cache_in_process(&f->addresses, &f->stacks, pid, mode, 0, of, error);
	/* all that is nowhere is the same, too */
	return pp_address_cache_in_file(&f->addresses, &f->stacks, &place, 0, of, error);
}

/* The last `of->inlined` frames of the stack are those of an address. */
static int keep_frames(struct pp_fold *f, struct pp_address *of, struct pp_error *error)
{
	enum { MOST = 1 << 20 };
	const uint32_t n = of->inlined, *const frames = f->stack.frames + f->stack.n - n;

	if (f->n_frames > MOST)
		forget_frames(f);
	of->place = n == 1 ? *frames : (uint32_t)f->n_frames;
	if (n > 1) {
		if (PP_GROW(&f->frames, &f->frames_room, f->n_frames + n, error))
			return -1;
		memcpy(f->frames + f->n_frames, frames, n * sizeof(*frames));
		f->n_frames += n;
	}
	return pp_address_cache_set(&f->addresses, of, error);
}

static int add_name(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address, struct pp_error *error)
{
	const size_t before = f->stack.n;
	const uint64_t unnamed = f->stats.unnamed;
	struct pp_address of = { .address = address };
	const struct pp_address *known;

	if (find_address(f, pid, mode, &of, error))
		return -1;
	f->stats.frames++;
	known = pp_address_cache_find(&f->addresses, of.address, of.space);
	if (known && known->inlined < PP_PROFILE_DEEPEST - before) {
		memcpy(f->stack.frames + before,
		       known->inlined == 1 ? &known->place : f->frames + known->place,
		       known->inlined * sizeof(*f->frames));
		f->stack.n += known->inlined;
		f->stats.unnamed += known->left_out;
		return 0;
	}
	if (name_address(f, pid, mode, address, error))
		return -1;
	/* where some had no room, it is not known what they are */
	if (f->stack.n == before || f->stack.n >= PP_PROFILE_DEEPEST)
		return 0;
	of.inlined = (uint32_t)(f->stack.n - before);
	of.left_out = f->stats.unnamed > unnamed;
	return keep_frames(f, &of, error);
}

static int add_address(struct pp_fold *f, uint32_t pid, unsigned mode, uint64_t address,
		       struct pp_error *error)
{
	return (f->how.places ? add_code : add_name)(f, pid, mode, address, error);
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
	return 0;
}

/* Adds the frames of what is left of a chain. */
static int add_chain(struct pp_fold *f, struct pp_chain chain, uint32_t pid, struct pp_error *error)
{
	uint64_t address;

	while (pp_chain_next(&chain, &address))
		if (add_address(f, pid, chain.mode, address, error))
			return -1;
	return 0;
}

/* The frame of the task, but where frames are places. */
static void begin_with(struct pp_fold *f, uint32_t outermost)
{
	if (!f->how.places)
		f->stack.frames[f->stack.n++] = outermost;
}

/* Whether frames show what is of a process alone: its addresses. */
static bool by_process(const struct pp_fold *f)
{
	return f->how.addresses || f->how.places;
}

static bool find_callers(struct pp_fold *f, const struct pp_chain *chain, uint32_t pid, uint32_t outermost,
			 uint32_t *node)
{
	return by_process(f) ? pp_stack_cache_find_callers(&f->stacks, chain, pid, outermost, node) :
			       pp_stack_cache_find_placed(&f->stacks, f->tasks, chain, pid, outermost, node);
}

static int keep_callers(struct pp_fold *f, uint32_t node, struct pp_error *error)
{
	return by_process(f) ? pp_stack_cache_keep_callers(&f->stacks, node, error) :
			       pp_stack_cache_keep_placed(&f->stacks, node, error);
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
	return add_address(f, pid, mode, address, error) ||
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
		    add_address(f, pid, rec->misc & PP_MISC_CPUMODE, address, error))
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

/* Which run a sample is of: its thread, on its CPU.  0, or -1 and *error. */
static int find_run(struct pp_fold *f, const struct pp_record *rec, uint32_t *number, struct pp_error *error)
{
	struct run_of run = { .thread = f->threads[f->task].number, .cpu = UINT32_MAX, .frame = NO_FRAME };
	const uint64_t *known;
	uint64_t key;

	if (f->how.cpus)
		(void)pp_cpu(rec, &run.cpu);
	key = (uint64_t)run.thread << 32 | run.cpu;
	known = pp_idmap_find(&f->by_run, key);
	*number = (uint32_t)(known ? *known : f->n_runs);
	if (known)
		return 0;
	if (f->n_runs >= OF_RUN || PP_GROW(&f->runs, &f->runs_room, f->n_runs + 1, error) ||
	    pp_idmap_set(&f->by_run, key, f->n_runs))
		return pp_fail(error, PP_E_NOMEM, NULL);
	f->runs[f->n_runs++] = run;
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

/* With the node of a stack that is remembered: it has no chain. */
#define BARE PP_TREE_MOST

static int find_node(struct pp_fold *f, const struct pp_record *rec, uint32_t *node,
		     struct pp_error *error)
{
	const bool places = f->how.places;
	uint32_t pid = 0, tid = 0, end;

	(void)pp_task(rec, &pid, &tid);
	if (first_frame(f, pid, tid, &end, error) || (places && find_run(f, rec, &end, error)))
		return -1;
	if (pp_stack_cache_find(&f->stacks, rec, pid, end, node)) {
		f->stats.no_chain += (*node & BARE) != 0;
		*node &= ~BARE;
		return f->profile->in_order ? come_again(f, node, error) : 0;
	}
	f->stack.cut = f->bare = false;
	if (walk(f, rec, pid, places ? 0 : end, node, error) || (places && call_run(f, end, node, error)) ||
	    pp_stack_cache_keep(&f->stacks, *node | (f->bare ? BARE : 0), error))
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
		path.frames++;
		path.unnamed += !(text->kind & OF_RUN) && !pp_places_named(f->how.places, text->kind);
		return path;
	}
	path.frames += late || text->kind != PP_PROFILE_END;
	path.unnamed += late || *text->text == '[';
	return path;
}

int pp_fold_nameless(const struct pp_fold *f, uint64_t *stacks, uint64_t *nameless, struct pp_error *error)
{
	const struct pp_profile *const p = f->profile;
	struct path *const paths = calloc(p->n_nodes, sizeof(*paths));

	*stacks = *nameless = 0;
	if (!paths)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 1; i < p->n_nodes; i++)
		paths[i] = longer(f, paths[p->nodes[i].parent], i);
	for (size_t i = 0; i < p->n_weights; i++) {
		const struct path *const path = &paths[p->weights[i].node];
		const uint64_t times = p->weights[i].times[f->how.side];

		/* one frame is the task's */
		*stacks += path->frames > 1 ? times : 0;
		*nameless += path->frames > 1 && 2 * (uint64_t)path->unnamed > path->frames - 1 ? times : 0;
	}
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

static bool is_wanted(struct pp_fold *f, const struct pp_record *rec, const struct pp_attr *attr)
{
	if (!attr)
		return false;
	if (attr == f->event)
		return true;
	if (attr == f->passed)
		return false;
	if (f->event ? !strcmp(attr->name, f->event->name) :
		       !f->how.event || !strcmp(attr->name, f->how.event)) {
		f->event = f->event ? f->event : attr;
		return true;
	}
	/* perf, and users, mean the first that is described and has samples, whose samples may come late */
	if (!f->how.event && rec->attrs && is_earlier(f, rec->attrs, attr)) {
		take_back(f);
		f->event = attr;
		return true;
	}
	f->passed = attr;
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
	return pp_error_hint(error, PP_HINT_SWITCHES);
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
	return pp_profile_weigh(f->profile, folded->node, f->how.side, folded->weight, error) ? -1 : 1;
}

static int note_other(struct pp_fold *f, const struct pp_record *rec, struct pp_folded *folded,
		      struct pp_error *error)
{
	if (f->leaves && (rec->type == PP_REC_SWITCH || rec->type == PP_REC_SWITCH_CPU_WIDE))
		return note_switch(f, rec, folded, error);
	return pp_stack_cache_note(&f->stacks, rec, error);
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
	if (wanted <= 0) {
		f->stats.others += !wanted;
		return wanted;
	}
	*folded = (struct pp_folded){ .weight = f->how.weight == PP_FOLD_PERIOD ? period : 1 };
	if (!pp_time(rec, &folded->time) && f->how.weight == PP_FOLD_TIME)
		return pp_fail(error, PP_E_USE, "samples without times cannot be weighed by time");
	if (f->how.weight == PP_FOLD_TIME && choose_end(f, rec, error))
		return -1;
	if (find_node(f, rec, &folded->node, error))
		return -1;
	folded->thread = f->threads[f->task].number;
	if (f->how.weight == PP_FOLD_TIME)
		weigh_time(f, rec, folded);
	if (pp_profile_weigh(f->profile, folded->node, f->how.side, folded->weight, error))
		return -1;
	folded->anew = f->anew;
	f->stats.samples++;
	return 1;
}

/* ---- less memory ---- */

uint64_t pp_fold_size(const struct pp_fold *f)
{
	return pp_profile_size(f->profile) + pp_stack_cache_size(&f->stacks) + pp_unresolved_size(&f->late) +
	       f->addresses.room * sizeof(*f->addresses.items) + f->frames_room * sizeof(*f->frames) +
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
	forget_frames(f);
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

/* The frames, the innermost first, that one which waited has become. */
static int settle_frame(struct pp_fold *f, const struct pp_unresolved_frame *late, struct pp_error *error)
{
	struct pp_location place;

	f->stack.n = 0;
	f->stack.object = late->dso;
	if (pp_symbols_later(f->symbols, late->file, late->offset, &place) && has_name(&place))
		return add_place(f, &place, late->kind, error);
	return add_unnamed(f, late->dso, late->address, late->kind, error);
}

static int settle_frames(struct pp_fold *f, struct settled *s, struct pp_error *error)
{
	s->first = calloc(f->late.count + 1, sizeof(*s->first));
	if (!s->first)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < f->late.count; i++) {
		const struct pp_unresolved_frame late = pp_unresolved_at(&f->late, i);

		if (settle_frame(f, &late, error) ||
		    PP_GROW(&s->frames, &s->room, s->n + f->stack.n, error))
			return -1;
		for (size_t k = 0; k < f->stack.n; k++)
			s->frames[s->n++] = f->stack.frames[f->how.reversed ? k : f->stack.n - 1 - k];
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
