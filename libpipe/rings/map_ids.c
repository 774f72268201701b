/*
 * map_ids.c - learns the build-ids of files that are mapped, and puts them into MMAP2 records.
 *
 * A file may have been written to since it was mapped.  What a pass reads was recorded after the pass
 * before it began: a file that has not changed since then is what was mapped.  Where it has changed, or
 * is gone, the record keeps device, inode and generation.  A file is looked at once a pass, and read
 * only if it has changed.
 */
#include "base/changed.h"
#include "base/clock.h"
#include "base/array.h"
#include "rings/rings.h"
#include "elf/build_id.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST_FILES = 16384 };          /* that are remembered */

struct pp_map_id {
	uint64_t ino, generation;
	uint32_t maj, min;
	uint8_t build_id[20], size;   /* 0: it has none */
	bool sure;                    /* it had not changed since the pass before */
	uint64_t looked;              /* in this pass */
	uint64_t changed;             /* ns since 1970; 0: not known */
};

/* ---- what is remembered ---- */

static uint64_t hash_of(uint64_t ino, uint64_t generation, uint32_t maj, uint32_t min)
{
	return pp_hash_number(ino ^ generation << 32 ^ (uint64_t)maj << 40 ^ (uint64_t)min << 52);
}

static uint64_t hash_at(const void *things, uint64_t place)
{
	const struct pp_map_id *const f = &((const struct pp_map_id *)things)[place - 1];

	return hash_of(f->ino, f->generation, f->maj, f->min);
}

static bool is_it(const struct pp_map_id *f, const struct pp_mapped_file *m)
{
	return f->ino == m->ino && f->generation == m->generation && f->maj == m->maj && f->min == m->min;
}

void pp_map_ids_free(struct pp_map_ids *k)
{
	pp_numbers_close(&k->by_file);
	free(k->items);
	k->items = NULL;
	k->n = k->room = 0;
}

/* Where the number of a file is, or belongs; NULL: memory. */
static uint32_t *place_of(struct pp_map_ids *k, const struct pp_mapped_file *m)
{
	size_t at;

	if (k->n >= MOST_FILES)
		pp_map_ids_free(k);
	if (pp_numbers_reserve(&k->by_file, k->n + 1, hash_at, k->items) ||
	    PP_GROW(&k->items, &k->room, k->n + 1, NULL))
		return NULL;
	at = pp_numbers_first(&k->by_file, hash_of(m->ino, m->generation, m->maj, m->min));
	while (k->by_file.places[at] && !is_it(&k->items[k->by_file.places[at] - 1], m))
		at = pp_numbers_next(&k->by_file, at);
	return &k->by_file.places[at];
}

/* ---- looking ---- */

/* It is read before it is asked when it changed: a change while it is read is seen. */
static void look(const struct pp_map_ids *k, struct pp_map_id *f, int fd)
{
	uint64_t changed = pp_changed_anything(fd);

	if (!f->sure || f->changed != changed) {
		if (pp_elf_read_build_id(fd, f->build_id, &f->size) != PP_ELF_FOUND)
			f->size = 0;
		changed = pp_changed_anything(fd);
	}
	f->changed = changed;
	f->sure = changed && changed < k->before;
	f->looked = k->pass;
}

/* What is known of a file in this pass; NULL: it cannot be opened, or is another file by now. */
static const struct pp_map_id *find(struct pp_map_ids *k, const struct pp_mapped_file *m)
{
	uint32_t *const place = m->ino && *m->path == '/' ? place_of(k, m) : NULL;
	int fd;

	if (!place)
		return NULL;
	if (*place && k->items[*place - 1].looked == k->pass)
		return &k->items[*place - 1];
	fd = pp_keeper_mapped(k->keeper, m);
	/* by another's map it may be found: this process may have ended */
	if (fd < 0)
		return NULL;
	if (!*place) {
		k->items[k->n] = (struct pp_map_id){
			.ino = m->ino, .generation = m->generation, .maj = m->maj, .min = m->min,
		};
		*place = (uint32_t)++k->n;
	}
	look(k, &k->items[*place - 1], fd);
	(void)close(fd);
	return &k->items[*place - 1];
}

const uint8_t *pp_map_id_of(struct pp_map_ids *k, const struct pp_mapped_file *m, uint8_t *size)
{
	const struct pp_map_id *const f = find(k, m);

	*size = f ? f->size : 0;
	return *size ? f->build_id : NULL;
}

/* ---- passes ---- */

void pp_map_ids_since_now(struct pp_map_ids *k)
{
	k->before = pp_clock_ns(CLOCK_REALTIME);
}

void pp_map_ids_begin(struct pp_map_ids *k)
{
	k->pass++;
	k->begun = pp_clock_ns(CLOCK_REALTIME);
}

void pp_map_ids_end(struct pp_map_ids *k)
{
	k->before = k->begun;
}

static uint64_t number(const struct pp_record *rec, enum pp_meaning is)
{
	uint64_t value;

	return pp_find_u64(rec, is, &value) ? value : 0;
}

bool pp_map_ids_learn(struct pp_map_ids *k, struct pp_record *rec)
{
	size_t length;
	struct pp_mapped_file file;
	const struct pp_map_id *f;

	if (!pp_find_text(rec, PP_IS_PATH, &file.path, &length))
		return false;
	file.pid = (int32_t)number(rec, PP_IS_PID);
	file.start = number(rec, PP_IS_START);
	file.end = file.start + number(rec, PP_IS_LENGTH);
	file.maj = (uint32_t)number(rec, PP_IS_MAJOR);
	file.min = (uint32_t)number(rec, PP_IS_MINOR);
	file.ino = number(rec, PP_IS_INODE);
	file.generation = number(rec, PP_IS_GENERATION);
	f = find(k, &file);
	return f && f->size && f->sure && !pp_map_identify(rec, f->build_id, f->size, NULL) &&
	       rec->misc & PP_MISC_MMAP_BUILD_ID;
}
