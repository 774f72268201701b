/*
 * unwind.c - samples with registers and stacks become samples with call chains, and their attributes
 * say so; how a stack is unwound is build_chain.c's, and chains that come later are deferred.c's.
 */
#include <perfpipe/perfpipe.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/sized_options.h"
#include "elf/elfutils.h"
#include "format/note.h"
#include "lookup/isolated.h"
#include "unwind/build_chain.h"
#include "unwind/deferred.h"
#include "unwind/outcomes.h"

enum { FRAMES = 127, FRAMES_MOST = 8000, BUFFER = 1 << 18, GROWN_MOST = 65528 };
static const uint64_t IMAGES = UINT64_C(256) << 20;
/* Numbers that nothing else at the end of a record is likely to be. */
static const uint64_t FIRST_GROWN = UINT64_C(0x9e3779b97f4a7c15);

struct pp_unwind {
	struct pp_unwind_options options;
	struct pp_unwind_stats stats;
	struct pp_isolated_finder *finder;        /* NULL: files are found here */
	struct modules modules;
	struct deferred deferred;
	struct chain chain;
	char arch[64], osrelease[128];
	const struct machine *machines[3];      /* by abi, as far as known */
	bool sought[3];
	bool noted;                   /* an earlier stage wrote the notes */
	/* Records that were given room: their size, by a number that is at the end of it.  Those that come of
	 * one compressed record have the same index and place. */
	struct pp_idmap grown;
	uint64_t last_grown;
	uint8_t *buffer, *room;       /* of BUFFER bytes: what is made; what has room */
};

/* ---- Opening ---- */

int pp_unwind_load(struct pp_error *error)
{
	return pp_elfutils_load(error);
}

struct pp_unwind *pp_unwind_new(const struct pp_unwind_options *options, struct pp_error *error)
{
	struct pp_unwind *const u = calloc(1, sizeof(*u));
	struct pp_finder_options places;

	error->code = PP_OK;
	if (!u) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (pp_options_take(&u->options, sizeof(u->options), options, error) || pp_elfutils_load(error)) {
		free(u);
		return NULL;
	}
	u->chain.most = u->options.max_stack ? u->options.max_stack : FRAMES;
	if (u->chain.most > FRAMES_MOST)
		u->chain.most = FRAMES_MOST;
	places = (struct pp_finder_options){ .root = u->options.root, .debuginfod = u->options.debuginfod,
					      .sought = "unwind information", .say = u->options.say };
	if (u->options.isolate) {
		u->finder = u->options.finder ? pp_isolated_finder_at(u->options.finder, &places.say, error) :
						pp_isolated_finder_new(&places, error);
		places.ask = pp_isolated_finder_ask;
		places.ask_arg = u->finder;
	}
	u->last_grown = FIRST_GROWN;
	u->modules.limit = IMAGES;
	u->modules.osrelease = u->osrelease;
	u->modules.finder = error->code ? NULL : pp_finder_new(&places);
	u->modules.tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, u->options.budget);
	u->chain.frames = calloc(u->chain.most, sizeof(*u->chain.frames));
	u->buffer = malloc(BUFFER);
	u->room = malloc(BUFFER);
	if (u->modules.finder && u->modules.tasks && u->chain.frames && u->buffer && u->room)
		return u;
	pp_unwind_free(u);
	if (!error->code)
		(void)pp_fail(error, PP_E_NOMEM, NULL);
	return NULL;
}

void pp_unwind_free(struct pp_unwind *u)
{
	if (!u)
		return;
	pp_unwind_modules_close(&u->modules);
	pp_isolated_finder_free(u->finder);
	pp_tasks_free(u->modules.tasks);
	pp_unwind_deferred_close(&u->deferred);
	pp_idmap_close(&u->grown);
	free(u->chain.frames);
	free(u->buffer);
	free(u->room);
	free(u);
}

const struct pp_unwind_stats *pp_unwind_stats(const struct pp_unwind *u)
{
	return &u->stats;
}

/* ---- Samples ---- */

static const struct machine *machine_for(struct pp_unwind *u, uint64_t abi)
{
	if (abi >= sizeof(u->machines) / sizeof(*u->machines))
		return NULL;
	if (!u->sought[abi])
		u->machines[abi] = pp_unwind_machine_of(u->arch, abi);
	u->sought[abi] = true;
	return u->machines[abi];
}

static int unwind(struct pp_unwind *u, const struct pp_record *rec, const struct sample *s,
		  struct pp_error *error)
{
	const struct machine *const m = machine_for(u, s->abi);
	uint32_t pid, tid;

	u->chain.count = 0;
	u->chain.at = NULL;
	u->chain.end = PP_UNWOUND_UNKNOWN;
	if (m && pp_task(rec, &pid, &tid)) {
		if (pid != u->modules.pid)
			pp_unwind_modules_turn(&u->modules, pid);
		if (pp_unwind_chain_make(&u->chain, &u->modules, m, s, rec->attr->regs_user,
					 u->options.foreign, error))
			return -1;
	}
	u->stats.stacks++;
	u->stats.frames += u->chain.count;
	u->stats.ends[u->chain.end]++;
	if (u->chain.at)
		u->chain.at->ends[u->chain.end]++;
	return 0;
}

/* The kernel's part of a chain: how many of its numbers. */
static uint64_t kernel_part(const uint8_t *ips, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t ip = pp_load64(ips + 8 * i);

		if (ip == PP_CHAIN_USER || ip == PP_CHAIN_USER_DEFERRED)
			return i;
	}
	return n;
}

static size_t append(uint8_t *to, size_t at, const uint8_t *data, size_t size)
{
	memcpy(to + at, data, size);
	return at + size;
}

/* A sample with a chain of `user` addresses in the place of its own, in u->buffer: its size. */
static size_t compose(struct pp_unwind *u, const struct pp_record *rec, const struct sample *s,
		      const uint64_t *user, size_t n_user, bool keep)
{
	const size_t room = rec->size;
	const uint64_t mark = PP_CHAIN_USER, none = 0;
	const uint8_t *const ips = rec->data + s->chain + (s->has_chain ? 8 : 0);
	const uint64_t kernel = !s->has_chain ? 0 : n_user ? kernel_part(ips, s->n_chain) : s->n_chain;
	const uint64_t n = kernel + (n_user ? n_user + 1 : 0);
	uint8_t *const to = u->buffer;
	size_t at = append(to, 0, rec->data, s->chain);

	pp_store64(to + at, n);
	at = append(to, at + 8, ips, (size_t)kernel * 8);
	if (n_user) {
		at = append(to, at, (const uint8_t *)&mark, sizeof(mark));
		at = append(to, at, (const uint8_t *)user, n_user * 8);
	}
	if (!s->stack_end)
		return append(to, at, rec->data + s->chain_end, s->end - s->chain_end);
	at = append(to, at, rec->data + s->chain_end, s->regs - s->chain_end);
	if (keep)
		at = append(to, at, rec->data + s->regs, s->stack - s->regs);
	/* one that finds no room is one that was not copied */
	if (keep && at + (s->end - s->stack) > room) {
		u->stats.left_out++;
		at = append(to, at, (const uint8_t *)&none, sizeof(none));
	} else if (keep) {
		at = append(to, at, rec->data + s->stack, s->stack_end - s->stack);
	}
	return append(to, at, rec->data + s->stack_end, s->end - s->stack_end);
}

/* Puts what was composed into the record's place: a verdict, or -1. */
static int settle(struct pp_unwind *u, struct pp_record *rec, size_t size, struct pp_writer *out,
		  struct pp_error *error)
{
	pp_store16(u->buffer + 6, (uint16_t)size);
	/* one without a time did not wait, and where it is will be used again */
	if (rec->data == u->room || size > rec->size)
		return pp_writer_copy(out, u->buffer, size, error) ? -1 : PP_DROP;
	memcpy(rec->data, u->buffer, size);
	rec->size = (uint16_t)size;
	return PP_KEEP;
}

/* The size that a record had before it was given room. */
static void take_size(struct pp_unwind *u, struct pp_record *rec)
{
	const uint64_t number = pp_load64(rec->data + rec->size - sizeof(number));
	const uint64_t *const size = pp_idmap_find(&u->grown, number);

	if (!size)
		return;
	rec->size = (uint16_t)*size;
	pp_idmap_drop(&u->grown, number);
}

/* As many of the frames as the record has room for. */
static size_t that_fit(const struct sample *s, size_t room, size_t n, bool keep)
{
	/* what stays, the count and the mark; with --keep the stack goes first */
	const size_t rest = s->end - (keep ? s->stack_end - s->stack : s->stack_end - s->regs) + 32;
	const size_t most = room > rest ? (room - rest) / 8 : 0;

	return n < most ? n : most;
}

/* As it was, but for the room that it was given. */
static int leave(struct pp_unwind *u, struct pp_record *rec, uint16_t room, struct pp_writer *out,
		 struct pp_error *error)
{
	if (rec->size == room)
		return PP_KEEP;
	pp_store16(rec->data + 6, rec->size);
	if (rec->data != u->room)
		return PP_KEEP;
	return pp_writer_copy(out, rec->data, rec->size, error) ? -1 : PP_DROP;
}

static int judge_stack(struct pp_unwind *u, struct pp_record *rec, struct pp_writer *out,
		       struct pp_error *error)
{
	const uint16_t room = rec->size;
	const bool keep = u->options.keep;
	struct sample s;
	size_t n;

	take_size(u, rec);
	u->stats.samples++;
	if (!pp_unwind_sample_open(&s, rec) || !s.regs_end)
		return pp_check(rec, error) ? -1 : leave(u, rec, room, out, error);
	u->chain.count = 0;
	/* as in perf, where nothing was copied nothing is known */
	if (s.abi && s.n_valid && unwind(u, rec, &s, error))
		return -1;
	n = that_fit(&s, room, u->chain.count, keep);
	rec->size = room;
	return settle(u, rec, compose(u, rec, &s, u->chain.frames, n, keep), out, error);
}

/* A sample whose user chain comes later gets it, if it came in time. */
static int judge_deferred(struct pp_unwind *u, struct pp_record *rec, uint64_t cookie,
			  struct pp_writer *out, struct pp_error *error)
{
	const uint16_t room = rec->size;
	const struct deferred_chain *chain;
	uint32_t pid, tid;
	struct sample s;
	bool marked;

	take_size(u, rec);
	chain = pp_task(rec, &pid, &tid) ? pp_unwind_deferred_find(&u->deferred, tid, cookie) : NULL;
	(void)pp_unwind_sample_open(&s, rec);
	marked = chain && chain->n && chain->ips[0] == PP_CHAIN_USER;
	/* the mark and the cookie go */
	if (!chain || !s.has_chain || rec->size + (chain->n - marked) * 8 > room + 8u) {
		u->stats.waiting++;
		return leave(u, rec, room, out, error);
	}
	u->stats.joined++;
	rec->size = room;
	s.stack_end = 0;
	return settle(u, rec, compose(u, rec, &s, chain->ips + marked, (size_t)chain->n - marked, false),
		      out, error);
}

/* ---- Other records ---- */

/* Says before an attribute which samples have chains of ours: the event's ids. */
static int write_note(struct pp_unwind *u, const struct pp_record *rec, struct pp_writer *out,
		      struct pp_error *error)
{
	enum { DIGITS = 20 };
	char key[32], *value;
	struct pp_cursor c;
	size_t length = 0;
	uint32_t n = 0;
	int result;

	(void)snprintf(key, sizeof(key), PP_NOTE_UNWOUND ".%u", (unsigned)u->stats.events);
	pp_walk(&c, rec);
	if (pp_walk_find(&c, PP_IS_EVENT_ID) == PP_MORE)
		n = c.count;
	value = malloc((size_t)n * (DIGITS + 1) + 1);
	if (!value)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (uint32_t i = 0; i < n; i++)
		length += (size_t)sprintf(value + length, "%s%" PRIu64, i ? " " : "", pp_walk_u64(&c, i));
	result = pp_writer_note(out, key, n ? value : "all", n ? length : strlen("all"), error);
	free(value);
	return result;
}

static int judge_attr(struct pp_unwind *u, struct pp_record *rec, struct pp_writer *out,
		      struct pp_error *error)
{
	if (!pp_unwind_attrs_rewrite(rec, u->options.keep))
		return PP_KEEP;
	if (!u->noted && write_note(u, rec, out, error))
		return -1;
	u->stats.events++;
	return PP_KEEP;
}

static int judge_feature(struct pp_unwind *u, struct pp_record *rec, struct pp_error *error)
{
	char host[sizeof(((struct utsname *)0)->nodename)] = "";
	struct utsname here;
	uint64_t number;

	if (!pp_find_feature(rec, &number))
		return PP_KEEP;
	if (number == PP_FEAT_HOSTNAME && pp_copy_text(rec, "hostname", host, sizeof(host)) && !uname(&here))
		u->modules.other_host = strcmp(host, here.nodename) != 0;
	else if (number == PP_FEAT_ARCH)
		(void)pp_copy_text(rec, "arch", u->arch, sizeof(u->arch));
	else if (number == PP_FEAT_OSRELEASE)
		(void)pp_copy_text(rec, "osrelease", u->osrelease, sizeof(u->osrelease));
	else if (number == PP_FEAT_EVENT_DESC)
		(void)pp_unwind_attrs_rewrite(rec, u->options.keep);
	return pp_tasks_note(u->modules.tasks, rec, error) ? -1 : PP_KEEP;
}

int pp_unwind_judge(struct pp_unwind *u, struct pp_record *rec, struct pp_writer *out,
		    struct pp_error *error)
{
	uint64_t cookie;

	if (rec->type == PP_REC_SAMPLE) {
		if (rec->attr && has_stacks(rec->attr->sample_type))
			return judge_stack(u, rec, out, error);
		return pp_unwind_deferred_cookie(rec, &cookie) ? judge_deferred(u, rec, cookie, out, error)
						     : PP_KEEP;
	}
	if (rec->type == PP_REC_CALLCHAIN_DEFERRED)
		return pp_unwind_deferred_needed(&u->deferred, rec) ? PP_KEEP : PP_DROP;
	pp_recorded_note(&u->modules.recorded, rec);
	if (pp_is_note(rec))
		u->noted |= pp_notes_unwound(rec);
	if (rec->type == PP_REC_HEADER_ATTR)
		return judge_attr(u, rec, out, error);
	if (rec->type == PP_REC_HEADER_FEATURE)
		return judge_feature(u, rec, error);
	if (pp_type_is(rec->type, PP_MAPS | PP_TASK))
		u->modules.n_few = u->modules.next_few = 0;
	return pp_tasks_note(u->modules.tasks, rec, error) ? -1 : PP_KEEP;
}

int pp_unwind_admit(struct pp_unwind *u, struct pp_record *rec, struct pp_error *error)
{
	size_t more = 0, size;
	uint64_t cookie;

	if (rec->type == PP_REC_CALLCHAIN_DEFERRED)
		return pp_unwind_deferred_take(&u->deferred, rec, error);
	if (rec->type != PP_REC_SAMPLE || !rec->attr)
		return 0;
	if (has_stacks(rec->attr->sample_type))
		more = u->options.keep ? u->chain.most * 8 + 24 : 0;
	else if (pp_unwind_deferred_cookie(rec, &cookie))
		more = (FRAMES + 8) * 8;
	size = rec->size + more < GROWN_MOST ? rec->size + more : GROWN_MOST;
	if (size < rec->size + sizeof(u->last_grown))
		return 0;
	if (pp_idmap_set(&u->grown, ++u->last_grown, rec->size))
		return pp_fail(error, PP_E_NOMEM, NULL);
	memcpy(u->room, rec->data, rec->size);
	memset(u->room + rec->size, 0, size - rec->size);
	pp_store64(u->room + size - sizeof(u->last_grown), u->last_grown);
	pp_store16(u->room + 6, (uint16_t)size);
	rec->data = u->room;
	rec->size = (uint16_t)size;
	return 0;
}

int pp_unwind_files(struct pp_unwind *u, pp_unwind_file_fn *fn, void *arg, struct pp_error *error)
{
	return pp_unwind_modules_report(&u->modules, fn, arg, error);
}
