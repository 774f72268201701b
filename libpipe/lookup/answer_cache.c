/*
 * answer_cache.c - what files said, kept in a file of its own for each of them.  With the answers are kept
 * all questions for files that led to them, and which files were found.  These are asked again, and only
 * where the same files are found, unchanged, do the answers hold: then a reader would give the same ones.
 */
#include "lookup/answer_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

#include "format/names_record.h"
#include "elf/build_id.h"
#include "image/cache_file.h"
#include "lookup/isolated.h"

enum {
	STEPS_MOST = 64, LOOKS_MOST = 256, ANSWERS_MOST = 4 << 20,     /* of one file: bytes */
	FILE_MOST = 16 << 20, HELD_MOST = 64 << 20, FOLDER_MOST = 64 << 20,
	KEPT_NAME = 48,
};
/* Where a file comes to have other names the number has to be another. */
static const char magic[8] = "PPNAME6", prefix[] = "names-";

/* A file as it was: another one, or another content, has another. */
struct cache_mark { uint64_t dev, ino, size; int64_t changed, changed_ns, written, written_ns; };
/* The build-id of a file. */
struct cache_look {
	struct cache_mark mark;
	int32_t result;               /* of pp_elf_read_build_id() */
	struct pp_id id;
	uint8_t zero[7];
};
/* A question, and what was found. */
struct kept_step {
	uint32_t what, crc;
	uint32_t of;                  /* the one that found what it is about, and 1; 0: none */
	int32_t result;               /* an enum pp_find_result */
	uint32_t path;                /* in the texts */
	struct pp_id wanted, found;
	uint8_t zero[2];
	struct cache_mark mark;             /* of what was FOUND */
};
/* An extent, and where in the answers is its own. */
struct kept_place { uint64_t first, last, at; };

/* After it come the key, and all these things. */
struct answers_head {
	char magic[8];
	uint64_t sum;                 /* of all that comes after */
	uint64_t key, looks, steps, places, texts, answers;     /* bytes or how many */
};

/* A step as it went in this run.  Texts that are the path of the object are that one. */
struct went { struct kept_step step; const char *path, *found; };

struct cached_object {
	bool tried, spoilt, noted;
	bool is_vdso;                 /* no file is asked for it */
	bool read;                    /* by a reader in this run, and this is the file: */
	struct cache_mark file;
	struct pp_named_file of;      /* as it was tried; ->path is its own */
	char name[KEPT_NAME];
	/* what is known from another run: in the file that was kept, or in a copy, where it is little */
	void *mapped, *copy;
	size_t size;
	const struct kept_place *known;
	size_t n_known;
	struct pp_buffer known_answers;
	/* what is known in this one */
	struct went *steps;
	struct cache_look *looks;
	struct kept_place *places;
	struct pp_buffer answers;
	size_t n_steps, steps_room, n_looks, looks_room, n_places, places_room;
};

struct pp_answer_cache {
	const struct pp_symbols_options *options;
	struct pp_finder *finder;
	struct cached_object *objects;
	size_t n_objects;
	size_t at_work;               /* which, and 1; 0: one of which nothing is kept */
	bool asks;                    /* whether what is kept of it holds */
	bool strange;                 /* and a file was looked at that was not there before */
	uint64_t *offsets;
	size_t offsets_room, held;
	struct pp_buffer key;         /* of the object that is read or written */
};

static void watch(void *, const struct pp_question *, int result, const struct pp_found_file *);

struct pp_answer_cache *pp_answer_cache_new(const struct pp_symbols_options *options,
					    struct pp_finder *finder)
{
	struct pp_answer_cache *const k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	*k = (struct pp_answer_cache){ .options = options, .finder = finder };
	if (options->cache)
		pp_finder_watch(finder, watch, k);
	return k;
}

/* ---- Marks ---- */

/* False: it may change without another mark, as files that changed in this tick of the clock. */
static bool mark_of(int fd, struct cache_mark *mark)
{
	struct timespec now;
	struct stat st;

	if (fstat(fd, &st) || clock_gettime(CLOCK_REALTIME_COARSE, &now))
		return false;
	*mark = (struct cache_mark){
		.dev = st.st_dev, .ino = st.st_ino, .size = (uint64_t)st.st_size,
		.changed = st.st_ctim.tv_sec, .changed_ns = st.st_ctim.tv_nsec,
		.written = st.st_mtim.tv_sec, .written_ns = st.st_mtim.tv_nsec,
	};
	/* where a file system has whole seconds, or two of them */
	if (!mark->changed_ns)
		return mark->changed + 2 < now.tv_sec;
	return mark->changed < now.tv_sec || (mark->changed == now.tv_sec && mark->changed_ns < now.tv_nsec);
}

static bool same_mark(const struct cache_mark *a, const struct cache_mark *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* ---- What is noted of an object ---- */

static struct cached_object *at_work(const struct pp_answer_cache *k)
{
	return k->at_work ? &k->objects[k->at_work - 1] : NULL;
}

/* A text of a step; NULL: memory. */
static const char *keep_text(const struct cached_object *o, const char *text)
{
	return strcmp(text, o->of.path) ? strdup(text) : o->of.path;
}

static void drop_text(const struct cached_object *o, const char *text)
{
	if (text != o->of.path)
		free((char *)(uintptr_t)text);
}

static void forget_noted(struct pp_answer_cache *k, struct cached_object *o)
{
	for (size_t i = 0; i < o->n_steps; i++) {
		drop_text(o, o->steps[i].path);
		drop_text(o, o->steps[i].found);
	}
	free(o->steps);
	free(o->looks);
	free(o->places);
	k->held -= o->answers.size;
	pp_buffer_free(&o->answers);
	o->steps = NULL;
	o->looks = NULL;
	o->places = NULL;
	o->n_steps = o->steps_room = o->n_looks = o->looks_room = o->n_places = o->places_room = 0;
	o->noted = false;
}

static void spoil(struct pp_answer_cache *k, struct cached_object *o)
{
	forget_noted(k, o);
	o->spoilt = true;
}

void pp_answer_cache_spoil(struct pp_answer_cache *k)
{
	struct cached_object *const o = at_work(k);

	if (o)
		spoil(k, o);
}

static bool add_look(struct cached_object *o, const struct cache_look *look)
{
	for (size_t i = 0; i < o->n_looks; i++)
		if (same_mark(&o->looks[i].mark, &look->mark))
			return o->looks[i].result == look->result &&
			       !memcmp(&o->looks[i].id, &look->id, sizeof(look->id));
	if (o->n_looks >= LOOKS_MOST || PP_GROW(&o->looks, &o->looks_room, o->n_looks + 1, NULL))
		return false;
	o->looks[o->n_looks++] = *look;
	return true;
}

void pp_answer_cache_identified(struct pp_answer_cache *k, int fd, int result, const struct pp_id *id)
{
	struct cached_object *const o = at_work(k);
	struct cache_look look = { .result = result, .id.size = id->size };

	memcpy(look.id.bytes, id->bytes, id->size);
	if (o && !o->spoilt && (result < 0 || !mark_of(fd, &look.mark) || !add_look(o, &look)))
		spoil(k, o);
}

static bool add_step(struct cached_object *o, const struct kept_step *step, const char *path,
		     const char *found)
{
	const struct went went = { *step, keep_text(o, path), keep_text(o, found ? found : "") };

	if (went.path && went.found && o->n_steps < STEPS_MOST &&
	    !PP_GROW(&o->steps, &o->steps_room, o->n_steps + 1, NULL)) {
		o->steps[o->n_steps++] = went;
		return true;
	}
	drop_text(o, went.path);
	drop_text(o, went.found);
	return false;
}

static bool same_step(const struct went *a, const struct kept_step *b, const char *path)
{
	return a->step.what == b->what && a->step.crc == b->crc && a->step.of == b->of &&
	       !memcmp(&a->step.wanted, &b->wanted, sizeof(b->wanted)) && !strcmp(a->path, path);
}

static bool same_outcome(const struct kept_step *a, const struct kept_step *b)
{
	return a->result == b->result && !memcmp(&a->found, &b->found, sizeof(a->found)) &&
	       same_mark(&a->mark, &b->mark);
}

static void copy_id(struct pp_id *to, const struct pp_id *id)
{
	to->size = id->size;
	memcpy(to->bytes, id->bytes, id->size);
}

/* What came of a question; false: it is not known. */
static bool settle(struct kept_step *step, int result, const struct pp_found_file *found)
{
	step->result = result;
	if (result != PP_FILE_FOUND)
		return result >= 0;
	copy_id(&step->found, &found->id);
	return mark_of(found->fd, &step->mark);
}

/* The question as a step; false: what it is about was not found by one of them. */
static bool step_of(const struct cached_object *o, const struct pp_question *q, struct kept_step *step)
{
	if (q->what == PP_ASK_CODE)
		return false;
	step->what = (uint32_t)q->what;
	step->crc = q->crc;
	copy_id(&step->wanted, &q->wanted.id);
	for (size_t i = 0; q->what != PP_ASK_FILE && !step->of && i < o->n_steps; i++)
		if (o->steps[i].step.result == PP_FILE_FOUND && !strcmp(o->steps[i].found, q->of.path))
			step->of = (uint32_t)i + 1;
	return (q->what == PP_ASK_FILE) == !step->of;
}

/* What a reader has open for another is not asked for again: its questions are the other's. */
static bool may_share(struct pp_answer_cache *k, struct cached_object *o, const struct kept_step *step)
{
	if (step->what != PP_ASK_FILE || step->result != PP_FILE_FOUND)
		return false;
	o->read = true;
	o->file = step->mark;
	for (size_t i = 0; i < k->n_objects; i++)
		if (&k->objects[i] != o && k->objects[i].read && same_mark(&k->objects[i].file, &o->file))
			return true;
	return false;
}

static void watch(void *arg, const struct pp_question *q, int result, const struct pp_found_file *found)
{
	struct pp_answer_cache *const k = arg;
	struct cached_object *const o = at_work(k);
	struct kept_step step = { .what = 0 };

	if (!o || k->asks)
		return;
	if (!step_of(o, q, &step) || !settle(&step, result, found) || may_share(k, o, &step)) {
		spoil(k, o);
		return;
	}
	if (o->spoilt)
		return;
	for (size_t i = 0; i < o->n_steps; i++)
		if (same_step(&o->steps[i], &step, q->wanted.path)) {
			if (!same_outcome(&o->steps[i].step, &step))
				spoil(k, o);
			return;
		}
	if (!add_step(o, &step, q->wanted.path, found->path))
		spoil(k, o);
}

void pp_answer_cache_note(struct pp_answer_cache *k, const struct pp_named *named,
			  const struct pp_named_frame *frames, uint32_t flags,
			  const struct pp_address_range *extent)
{
	struct cached_object *const o = at_work(k);
	const size_t before = o ? o->answers.size : 0;

	if (!o || o->spoilt)
		return;
	if (PP_GROW(&o->places, &o->places_room, o->n_places + 1, NULL) ||
	    pp_ipc_put(&o->answers, named, frames, flags, extent)) {
		spoil(k, o);
		return;
	}
	o->places[o->n_places++] = (struct kept_place){ extent->first, extent->last, before };
	o->noted = true;
	k->held += o->answers.size - before;
	if (o->answers.size > ANSWERS_MOST || k->held > HELD_MOST)
		spoil(k, o);
}

/* ---- What an object is called ---- */

static int add_text(struct pp_buffer *to, const char *text)
{
	return pp_buffer_add(to, text ? text : "", text ? strlen(text) + 1 : 1, NULL);
}

/* Whether it is this kernel's, which is the only one that is read. */
static bool is_own_vdso(const struct pp_named_file *of)
{
	struct pp_id id;

	return pp_vdso_build_id(id.bytes, &id.size) == 1 && id.size == of->id_size &&
	       !memcmp(id.bytes, of->id, id.size);
}

/* All that an answer depends on, but for files. */
static bool make_key(struct pp_answer_cache *k, const struct cached_object *o)
{
	const struct pp_symbols_options *const how = k->options;
	const struct pp_named_file *const of = &o->of;
	struct pp_buffer *const key = &k->key;
	const struct {
		uint64_t ino, ino_generation;
		uint32_t maj, min, no_inline, lines, demangle, id_size, own, id_of_name;
	} what = { of->ino, of->ino_generation, of->maj, of->min, how->no_inline,
		   how->lines + 2U * how->whole_paths,
		   (uint32_t)how->demangle, of->id_size, o->is_vdso && is_own_vdso(of), of->id_of_name };
	static const char zero[8];
	int failed;

	key->size = 0;
	failed = add_text(key, VERSION) || pp_buffer_add(key, &what, sizeof(what), NULL) ||
		 pp_buffer_add(key, of->id, of->id_size, NULL) || add_text(key, of->path) ||
		 add_text(key, how->root);
	for (size_t i = 0; !failed && how->strip && how->strip[i]; i++)
		failed = add_text(key, how->strip[i]);
	return !failed && !pp_buffer_add(key, zero, 8 - key->size % 8, NULL);
}

static void make_name(struct cached_object *o, const struct pp_buffer *key)
{
	const XXH128_hash_t hash = XXH3_128bits(key->data, key->size);

	(void)snprintf(o->name, sizeof(o->name), "%s%016llx%016llx", prefix, (unsigned long long)hash.high64,
		       (unsigned long long)hash.low64);
}

/* ---- Reading ---- */

/* What is in a file that was kept. */
struct cached_parts {
	const struct cache_look *looks;
	const struct kept_step *steps;
	const char *texts;
	struct answers_head head;
};

static uint64_t sum_of(const uint8_t *bytes, size_t size)
{
	const size_t after = offsetof(struct answers_head, sum) + sizeof(uint64_t);

	return XXH3_64bits(bytes + after, size - after);
}

/* Takes `n` things of a size from what is left. */
static const void *take(const uint8_t **at, size_t *left, uint64_t n, size_t size)
{
	const uint8_t *const things = *at;

	if (n > *left / size)
		return NULL;
	*at += n * size;
	*left -= n * size;
	return things;
}

static bool are_sound(const struct cached_object *o, const struct cached_parts *p)
{
	if (p->head.steps > STEPS_MOST || p->head.looks > LOOKS_MOST ||
	    (p->head.texts && p->texts[p->head.texts - 1]))
		return false;
	for (size_t i = 0; i < p->head.looks; i++)
		if (p->looks[i].id.size > sizeof(p->looks[i].id.bytes))
			return false;
	for (size_t i = 0; i < p->head.steps; i++) {
		const struct kept_step *const s = &p->steps[i];

		if (s->of > i || s->path >= p->head.texts || s->what >= PP_ASK_CODE ||
		    (s->what == PP_ASK_FILE) != !s->of || s->wanted.size > sizeof(s->wanted.bytes) ||
		    s->found.size > sizeof(s->found.bytes))
			return false;
	}
	for (size_t i = 0; i < o->n_known; i++)
		if (o->known[i].at >= p->head.answers || o->known[i].first > o->known[i].last ||
		    (i && o->known[i].first <= o->known[i - 1].last))
			return false;
	return true;
}

/* Whether it is whole, and of the object with this key. */
static bool open_parts(struct cached_object *o, const struct pp_buffer *its, struct cached_parts *p)
{
	const uint8_t *at = o->mapped;
	size_t left = o->size;
	const void *key, *answers;

	memcpy(&p->head, take(&at, &left, 1, sizeof(p->head)), sizeof(p->head));
	if (memcmp(p->head.magic, magic, sizeof(magic)) != 0 || p->head.sum != sum_of(o->mapped, o->size))
		return false;
	key = take(&at, &left, p->head.key, 1);
	if (!key || p->head.key != its->size || memcmp(key, its->data, its->size) != 0)
		return false;
	p->looks = take(&at, &left, p->head.looks, sizeof(*p->looks));
	p->steps = take(&at, &left, p->head.steps, sizeof(*p->steps));
	o->known = take(&at, &left, p->head.places, sizeof(*o->known));
	p->texts = take(&at, &left, p->head.texts, 1);
	answers = take(&at, &left, p->head.answers, 1);
	if (!p->looks || !p->steps || !o->known || !p->texts || !answers || left)
		return false;
	o->n_known = p->head.places;
	o->known_answers.data = (uint8_t *)(uintptr_t)answers;
	o->known_answers.size = p->head.answers;
	return are_sound(o, p);
}

static void close_known(struct cached_object *o)
{
	if (o->mapped)
		(void)munmap(o->mapped, o->size);
	free(o->copy);
	o->mapped = o->copy = NULL;
	o->n_known = 0;
}

/* Of a file that is not there, most of what was kept are its paths. */
static void copy_little(struct cached_object *o)
{
	const size_t places = o->n_known * sizeof(*o->known), size = places + o->known_answers.size;
	uint8_t *const copy = size <= o->size / 2 ? malloc(size) : NULL;

	if (!copy)
		return;
	memcpy(copy, o->known, places);
	memcpy(copy + places, o->known_answers.data, o->known_answers.size);
	(void)munmap(o->mapped, o->size);
	o->mapped = NULL;
	o->copy = copy;
	o->known = (const struct kept_place *)(const void *)copy;
	o->known_answers.data = copy + places;
}

bool pp_answer_cache_at_work(const struct pp_answer_cache *k)
{
	return k->asks;
}

int pp_answer_cache_identify(struct pp_answer_cache *k, int fd, struct pp_id *id)
{
	const struct cached_object *const o = at_work(k);
	struct cache_mark mark;

	*id = (struct pp_id){ .size = 0 };
	if (mark_of(fd, &mark))
		for (size_t i = 0; i < o->n_looks; i++)
			if (same_mark(&o->looks[i].mark, &mark)) {
				*id = o->looks[i].id;
				return o->looks[i].result;
			}
	k->strange = true;
	errno = EPIPE;
	return -1;
}

/* Asks one question again: whether the same is found. */
static bool asks_again(struct pp_answer_cache *k, struct cached_object *o, const struct kept_step *step,
		       const char *path, const struct pp_asked *asked)
{
	struct pp_question q = { .what = step->what, .crc = step->crc, .of.fd = -1,
				 .wanted = { .path = path, .id = step->wanted } };
	struct kept_step now = *step;
	struct pp_found_file found;
	struct pp_error error;
	bool same;

	if (q.what == PP_ASK_FILE) {
		q.wanted.path = asked->of.path;
		q.wanted.pid = asked->pid;
		q.wanted.ino = asked->of.ino;
		q.wanted.ino_generation = asked->of.ino_generation;
		q.wanted.recorded_by = asked->recorded_by;
		q.wanted.id_of_name = asked->of.id_of_name;
		q.wanted.maj = asked->of.maj;
		q.wanted.min = asked->of.min;
	} else {
		q.of.id = o->steps[step->of - 1].step.found;
		q.of.path = (char *)(uintptr_t)o->steps[step->of - 1].found;
	}
	now.found = (struct pp_id){ .size = 0 };
	now.mark = (struct cache_mark){ .dev = 0 };
	same = settle(&now, pp_finder_answer(k->finder, &q, &found, &error), &found) &&
	       same_outcome(&now, step) && add_step(o, step, path, found.path);
	pp_found_close(&found);
	return same;
}

/* Whether the same files are found for it, which did not change. */
static bool holds(struct pp_answer_cache *k, struct cached_object *o, const struct cached_parts *p,
		  const struct pp_asked *asked)
{
	bool same = true;

	for (size_t i = 0; same && i < p->head.looks; i++)
		same = add_look(o, &p->looks[i]);
	k->asks = true;
	k->strange = false;
	for (size_t i = 0; same && i < p->head.steps; i++)
		same = asks_again(k, o, &p->steps[i], p->texts + p->steps[i].path, asked);
	k->asks = false;
	return same && !k->strange;
}

static void try_kept_answers(struct pp_answer_cache *k, struct cached_object *o, const struct pp_asked *asked)
{
	struct cached_parts parts;

	o->tried = true;
	o->of = asked->of;
	/* that of a question may be in a message, which the next one takes the place of */
	o->of.path = strdup(asked->of.path);
	o->is_vdso = !strcmp(asked->of.path, "[vdso]");
	if (!o->of.path || !make_key(k, o)) {
		o->spoilt = true;
		return;
	}
	make_name(o, &k->key);
	o->mapped = pp_cache_file_map(k->options->cache, o->name, sizeof(parts.head), FILE_MOST, &o->size);
	if (o->mapped && open_parts(o, &k->key, &parts) && (parts.head.steps || o->is_vdso) &&
	    holds(k, o, &parts, asked)) {
		copy_little(o);
		return;
	}
	close_known(o);
	forget_noted(k, o);
}

/* The one at or before an offset, if it has it. */
static const struct kept_place *place_at(const struct cached_object *o, uint64_t offset)
{
	const size_t n = pp_after(o->known, o->n_known, sizeof(*o->known), offset);

	return n && o->known[n - 1].last >= offset ? &o->known[n - 1] : NULL;
}

int pp_answer_cache_names(struct pp_answer_cache *k, const struct pp_asked *asked,
			  const struct pp_answered *to, struct pp_asked *rest, struct pp_error *error)
{
	const struct kept_place *last = NULL;
	struct cached_object *o;

	*rest = *asked;
	k->at_work = 0;
	if (!k->options->cache || k->options->data || asked->of.kind != PP_NAMES_FILE || asked->named)
		return 0;
	if (PP_GROW_ZEROED(&k->objects, &k->n_objects, asked->number + 1, error) ||
	    PP_GROW(&k->offsets, &k->offsets_room, asked->n, error))
		return -1;
	k->at_work = asked->number + 1;
	o = at_work(k);
	if (!o->tried)
		try_kept_answers(k, o, asked);
	rest->n = 0;
	rest->offsets = k->offsets;
	for (size_t i = 0; i < asked->n; i++) {
		const struct kept_place *const p = place_at(o, asked->offsets[i]);
		struct pp_named_frame frames[PP_NAMES_FRAMES];
		struct pp_address_range extent;
		struct pp_named named;
		uint32_t flags;
		size_t at;

		if (p && p == last)
			continue;
		at = p ? p->at : 0;
		if (!p || !pp_ipc_take(&o->known_answers, &at, &named, frames, &flags, &extent)) {
			k->offsets[rest->n++] = asked->offsets[i];
			continue;
		}
		last = p;
		if (to->put(to->arg, &named, frames, flags, &extent, error))
			return -1;
	}
	return 0;
}

/* ---- Writing ---- */

static int by_first(const void *a, const void *b)
{
	const struct kept_place *const x = a, *const y = b;

	return x->first != y->first ? (x->first > y->first) - (x->first < y->first) :
				      (x->at > y->at) - (x->at < y->at);
}

/* Those of other runs and of this one, whose answers come after theirs.  0, or -1: memory. */
static int join(struct cached_object *o)
{
	const size_t own = o->n_places;
	size_t kept = 0;

	if (PP_GROW(&o->places, &o->places_room, own + o->n_known, NULL))
		return -1;
	for (size_t i = 0; i < own; i++)
		o->places[i].at += o->n_known ? o->known_answers.size : 0;
	if (o->n_known)
		memcpy(&o->places[own], o->known, o->n_known * sizeof(*o->known));
	qsort(o->places, own + o->n_known, sizeof(*o->places), by_first);
	for (size_t i = 0; i < own + o->n_known; i++)
		if (!kept || o->places[i].first > o->places[kept - 1].last)
			o->places[kept++] = o->places[i];
	o->n_places = kept;
	return 0;
}

static void write_object(struct pp_answer_cache *k, struct cached_object *o)
{
	const size_t known = o->n_known ? o->known_answers.size : 0;
	struct kept_step steps[STEPS_MOST];
	struct answers_head head = { .looks = o->n_looks, .steps = o->n_steps,
			     .answers = known + o->answers.size };
	struct pp_buffer texts = { .size = 0 }, all = { .size = 0 };
	int failed = join(o) || !make_key(k, o);

	for (size_t i = 0; !failed && i < o->n_steps; i++) {
		steps[i] = o->steps[i].step;
		steps[i].path = (uint32_t)texts.size;
		failed = add_text(&texts, o->steps[i].path);
	}
	head.key = k->key.size;
	head.places = o->n_places;
	head.texts = texts.size;
	memcpy(head.magic, magic, sizeof(magic));
	failed = failed || pp_buffer_add(&all, &head, sizeof(head), NULL) ||
		 pp_buffer_add(&all, k->key.data, k->key.size, NULL) ||
		 pp_buffer_add(&all, o->looks, o->n_looks * sizeof(*o->looks), NULL) ||
		 pp_buffer_add(&all, steps, o->n_steps * sizeof(*steps), NULL) ||
		 pp_buffer_add(&all, o->places, o->n_places * sizeof(*o->places), NULL) ||
		 pp_buffer_add(&all, texts.data, texts.size, NULL) ||
		 pp_buffer_add(&all, o->known_answers.data, known, NULL) ||
		 pp_buffer_add(&all, o->answers.data, o->answers.size, NULL);
	if (!failed) {
		head.sum = sum_of(all.data, all.size);
		memcpy(all.data, &head, sizeof(head));
		(void)pp_cache_file_write(k->options->cache, o->name,
					  &(const struct pp_cache_file_part){ all.data, all.size }, 1,
					  FILE_MOST);
	}
	pp_buffer_free(&texts);
	pp_buffer_free(&all);
}

static bool is_worth_it(const struct cached_object *o)
{
	return !o->spoilt && o->noted && (o->n_steps || o->is_vdso) &&
	       o->answers.size + (o->n_known ? o->known_answers.size : 0) <= ANSWERS_MOST;
}

void pp_answer_cache_free(struct pp_answer_cache *k)
{
	bool wrote = false;

	if (!k)
		return;
	pp_finder_watch(k->finder, NULL, NULL);
	for (size_t i = 0; i < k->n_objects; i++)
		if (is_worth_it(&k->objects[i])) {
			write_object(k, &k->objects[i]);
			wrote = true;
		}
	if (wrote)
		pp_cache_file_trim(k->options->cache, prefix, FOLDER_MOST);
	for (size_t i = 0; i < k->n_objects; i++) {
		forget_noted(k, &k->objects[i]);
		close_known(&k->objects[i]);
		free((char *)(uintptr_t)k->objects[i].of.path);
	}
	pp_buffer_free(&k->key);
	free(k->objects);
	free(k->offsets);
	free(k);
}
