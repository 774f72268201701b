/*
 * needed_names.c - of the names that a stream has, those that the samples of an output need.
 *
 * Names are kept as they come, by file and offset, and each output knows which places its samples hit.
 * What is named of these waits until the output has room for it: where a round is due, or its end.  A name
 * that comes after the samples, or says more than one that came before, is handed on to the outputs that
 * hit the place.
 *
 * Records are shown in the order of their times, two rounds after they were read.  Where no name has been
 * read by the first that has a time nothing is kept any more: most streams have none, and all that can be
 * mapped takes memory.  Names that come later go whole to every output.
 */
#include <perfpipe/callchain.h>
#include <perfpipe/prune.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "model/mapped_files.h"
#include "model/record_store.h"
#include "symbol/passing.h"

enum { PIDS = 1024, CACHED = 1 << 15 };

struct pp_names_kept {
	struct pp_budget *budget;
	struct pp_tasks *tasks;
	struct pp_symbols *symbols;
	bool any;                     /* the stream has names */
	bool begun;                   /* a record with a time was shown */
	bool whole;                   /* which names an output needs is not known: all stay */
	bool full;                    /* there was no room for all of them */
	struct pp_names_share *shares;
	uint32_t numbers;             /* of shares */
	/* Places that are known to be hit, while nothing new is mapped. */
	uint32_t changes[PIDS];
	struct { uint64_t address; uint32_t owner, change, share; } cached[CACHED];
};

struct name_place { uint64_t offset; uint32_t file; };

struct pp_names_share {
	struct pp_names_kept *of;
	struct pp_names_share *next, **link;
	uint32_t number;
	struct hits {
		struct pp_idmap offsets;      /* that samples hit */
		bool due;             /* one of them is to be written */
	} *hits;                      /* by file */
	size_t n_hits;
	struct name_place *due;            /* what is to be written of them */
	size_t n_due, due_room;
	uint64_t due_bytes, waiting_bytes;    /* of records of that, at most; of those that wait */
	struct { size_t n_due; uint64_t due_bytes; } before;  /* what was taken last */
	struct pp_names_waiting *waiting;     /* NULL: none have */
};

static void take_full(void *arg, const char *text, enum pp_hint hint)
{
	struct pp_names_kept *const k = arg;

	(void)text;
	(void)hint;
	k->full = true;
}

struct pp_names_kept *pp_names_kept_new(struct pp_budget *budget)
{
	struct pp_names_kept *const k = calloc(1, sizeof(*k));

	if (k)
		k->budget = budget;
	return k;
}

static int open_symbols(struct pp_names_kept *k, struct pp_error *error)
{
	const struct pp_symbols_options how = {
		.size = sizeof(how), .no_files = true, .no_inline = true, .memory = k->budget->limit,
		.say = { .line = take_full, .arg = k },
	};

	if (k->symbols)
		return 0;
	if (!k->tasks)
		k->tasks = pp_tasks_new(PP_TASKS_MAPS | PP_TASKS_BUILD_IDS, k->budget);
	if (!k->tasks)
		return pp_fail(error, PP_E_NOMEM, NULL);
	k->symbols = pp_symbols_new(&how, k->tasks, error);
	return k->symbols ? 0 : -1;
}

void pp_names_kept_free(struct pp_names_kept *k)
{
	if (!k)
		return;
	while (k->shares)
		pp_names_share_free(k->shares);
	pp_symbols_free(k->symbols);
	pp_tasks_free(k->tasks);
	free(k);
}

/* ---- Outputs ---- */

struct pp_names_share *pp_names_share_new(struct pp_names_kept *k)
{
	struct pp_names_share *const s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->of = k;
	s->number = ++k->numbers;
	s->next = k->shares;
	s->link = &k->shares;
	if (s->next)
		s->next->link = &s->next;
	k->shares = s;
	return s;
}

void pp_names_share_free(struct pp_names_share *s)
{
	if (!s)
		return;
	*s->link = s->next;
	if (s->next)
		s->next->link = s->link;
	for (size_t i = 0; i < s->n_hits; i++)
		pp_idmap_close(&s->hits[i].offsets);
	pp_give_back(s->of->budget, s->hits, s->n_hits * sizeof(*s->hits));
	pp_give_back(s->of->budget, s->due, s->due_room * sizeof(*s->due));
	pp_names_waiting_free(s->waiting);
	free(s);
}

static int add_due_name(struct pp_names_share *s, uint32_t file, uint64_t offset)
{
	if (PP_TAKE_GROW(s->of->budget, &s->due, &s->due_room, s->n_due + 1))
		return -1;
	s->due[s->n_due++] = (struct name_place){ offset, file };
	s->due_bytes += pp_symbols_bytes(s->of->symbols, file, offset) +
			(s->hits[file].due ? 0 : pp_symbols_file_bytes(s->of->symbols, file));
	s->hits[file].due = true;
	return 0;
}

/* 0, or -1: memory. */
static int add_hit(struct pp_names_share *s, uint32_t file, uint64_t offset)
{
	const size_t before = s->n_hits;
	int got;

	if (PP_TAKE_GROW(s->of->budget, &s->hits, &s->n_hits, (size_t)file + 1))
		return -1;
	for (size_t i = before; i < s->n_hits; i++)
		s->hits[i] = (struct hits){ .offsets.budget = s->of->budget };
	got = pp_idmap_add(&s->hits[file].offsets, offset);
	return got > 0 && pp_symbols_bytes(s->of->symbols, file, offset) ? add_due_name(s, file, offset) :
	       got < 0 ? -1 : 0;
}

static int take_hit(struct pp_names_share *s, uint32_t pid, unsigned mode, uint64_t address,
		    struct pp_error *error)
{
	struct pp_names_kept *const k = s->of;
	const uint32_t owner = mode == PP_MISC_KERNEL ? UINT32_MAX : pid;
	const uint32_t change = k->changes[owner % PIDS] + 1;
	const uint64_t of = (owner + s->number) * UINT64_C(40503);
	const size_t slot = (size_t)((address ^ address >> 15 ^ of) % CACHED);
	struct pp_location place;

	if (k->cached[slot].address == address && k->cached[slot].owner == owner &&
	    k->cached[slot].change == change && k->cached[slot].share == s->number)
		return 0;
	if (pp_symbols_at(k->symbols, pid, mode, address, &place, error) < 0 ||
	    (place.file && add_hit(s, place.file, place.offset)))
		return error->code ? -1 : pp_budget_fail(k->budget, error);
	k->cached[slot].address = address;
	k->cached[slot].owner = owner;
	k->cached[slot].change = change;
	k->cached[slot].share = s->number;
	return 0;
}

static int take_hits(void *arg, uint32_t pid, unsigned mode, const void *addresses, size_t n,
		     struct pp_error *error)
{
	for (size_t i = 0; i < n; i++)
		if (take_hit(arg, pid, mode, pp_chain_address(addresses, i), error))
			return -1;
	return 0;
}

static void give_up(struct pp_names_kept *k)
{
	k->whole = true;
	pp_symbols_free(k->symbols);
	pp_tasks_free(k->tasks);
	k->symbols = NULL;
	k->tasks = NULL;
}

/* Whether there is nothing to be kept, as the first record with a time shows. */
static bool is_whole(struct pp_names_kept *k, const struct pp_record *rec)
{
	uint64_t time;

	if (!k->begun && (rec->type == PP_REC_SAMPLE || pp_time(rec, &time))) {
		k->begun = true;
		if (!k->any)
			give_up(k);
	}
	return k->whole;
}

int pp_names_share_take(struct pp_names_share *s, const struct pp_record *rec, struct pp_error *error)
{
	if (is_whole(s->of, rec))
		return 0;
	error->code = PP_OK;
	s->before.n_due = s->n_due;
	s->before.due_bytes = s->due_bytes;
	return pp_symbols_hits(rec, take_hits, s, error);
}

void pp_names_share_untake(struct pp_names_share *s)
{
	s->n_due = s->before.n_due;
	s->due_bytes = s->before.due_bytes;
}

uint64_t pp_names_share_bytes(const struct pp_names_share *s)
{
	return s->due_bytes + s->waiting_bytes;
}

bool pp_names_kept_whole(const struct pp_names_kept *k)
{
	return k->whole;
}

static int by_place(const void *a, const void *b)
{
	const struct name_place *const x = a, *const y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int put(void *arg, const void *record, size_t size, struct pp_error *error)
{
	struct pp_names_share *const s = arg;

	if (!s->waiting)
		s->waiting = pp_names_waiting_new(s->of->budget);
	if (!s->waiting)
		return pp_fail(error, PP_E_NOMEM, NULL);
	s->waiting_bytes += size;
	return pp_names_waiting_put(s->waiting, record, size, error);
}

/* Puts what is due into records. */
static int pack(struct pp_names_share *s, struct pp_error *error)
{
	struct pp_packing packing = { .put = put, .arg = s };
	int status = 0;

	if (s->n_due)
		qsort(s->due, s->n_due, sizeof(*s->due), by_place);
	for (size_t i = 0; i < s->n_due; i++)
		s->hits[s->due[i].file].due = false;
	/* where all names pass, nothing is due any more */
	s->n_due = s->of->whole ? 0 : s->n_due;
	for (size_t i = 0; i < s->n_due && !status; i++)
		if (!i || by_place(&s->due[i - 1], &s->due[i]))
			status = pp_symbols_pass(s->of->symbols, s->due[i].file, s->due[i].offset, &packing,
						 error);
	if (!status)
		status = pp_packing_flush(&packing, error);
	pp_packing_free(&packing);
	s->n_due = s->before.n_due = 0;
	s->due_bytes = s->before.due_bytes = 0;
	return status;
}

bool pp_names_share_any(const struct pp_names_share *s)
{
	return s->n_due || (s->waiting && pp_names_waiting_any(s->waiting));
}

int pp_names_share_next(struct pp_names_share *s, const void **record, size_t *size, struct pp_error *error)
{
	const int got = pack(s, error) ? -1 :
			s->waiting ? pp_names_waiting_next(s->waiting, record, size, error) : 0;

	s->waiting_bytes = got > 0 && pp_names_waiting_any(s->waiting) && *size < s->waiting_bytes ?
			   s->waiting_bytes - *size : 0;
	return got;
}

/* ---- Records ---- */

/* Names of places that were hit already. */
static int hand_on(struct pp_names_kept *k, const struct pp_named_file *names)
{
	uint32_t file;

	if (pp_symbols_file(k->symbols, names, &file))
		return -1;
	for (struct pp_names_share *s = k->shares; s; s = s->next)
		for (uint32_t i = 0; file < s->n_hits && i < names->count; i++) {
			struct pp_named named;

			pp_names_at(names, i, &named);
			if (pp_idmap_has(&s->hits[file].offsets, named.offset) &&
			    add_due_name(s, file, named.offset))
				return -1;
		}
	return 0;
}

int pp_names_kept_learn(struct pp_names_kept *k, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_named_file names;
	int more;

	if (rec->type != PP_REC_FINISHED_ROUND || !pp_is_names(rec))
		return 0;
	if (k->whole)
		return 0;
	k->any = true;
	if (open_symbols(k, error) || pp_symbols_learn(k->symbols, rec, error) ||
	    pp_names_open(&names, rec, error))
		return -1;
	if (k->full) {
		(void)pp_fail(error, PP_E_LIMIT, "names in the stream");
		return pp_error_hint(error, PP_HINT_MEMORY);
	}
	do {
		if (hand_on(k, &names))
			return pp_budget_fail(k->budget, error);
		more = pp_names_next(&names, error);
	} while (more > 0);
	return more;
}

int pp_names_kept_note(struct pp_names_kept *k, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t pid;

	if (rec->type == PP_REC_SAMPLE || rec->type == PP_REC_FINISHED_ROUND || is_whole(k, rec))
		return 0;
	/* a decoder makes samples of AUX traces that cannot be seen here */
	if (rec->type == PP_REC_AUXTRACE_INFO)
		give_up(k);
	if (k->whole || open_symbols(k, error))
		return k->whole ? 0 : -1;
	if (pp_type_is(rec->type, PP_MAPS | PP_TASK) && pp_find_u64(rec, PP_IS_PID, &pid) &&
	    (rec->misc & PP_MISC_CPUMODE) != PP_MISC_KERNEL)
		k->changes[(uint32_t)pid % PIDS]++;
	else
		for (size_t i = 0; i < PIDS; i++)
			k->changes[i]++;
	return pp_tasks_note(k->tasks, rec, error) || pp_symbols_note(k->symbols, rec, error) ? -1 : 0;
}
