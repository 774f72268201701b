/*
 * map_ids.c - learns the build-ids of files that are mapped, and puts them into MMAP2 records.
 *
 * A file may have been written to since it was mapped.  What a pass reads was recorded after the pass
 * before it began: a file that has not changed since then is what was mapped.  Where it has changed, or
 * is gone, the record keeps device, inode and generation.  A file is looked at once a pass, and read
 * only if it has changed.
 */
#include "capture/capture.h"
#include "model/elf.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MOST_FILES = 16384,           /* that are remembered */
	SECOND = 1000 * 1000 * 1000,
};

struct pp_map_id {
	uint64_t ino, generation;     /* ino 0: the slot is free */
	uint32_t maj, min;
	uint8_t build_id[20], size;   /* 0: it has none */
	bool sure;                    /* it had not changed since the pass before */
	uint64_t looked;              /* in this pass */
	int64_t changed;              /* ns since 1970 */
};

static int64_t ns_of(const struct timespec *t)
{
	return (int64_t)t->tv_sec * SECOND + t->tv_nsec;
}

static int64_t now(void)
{
	struct timespec t = { 0, 0 };

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return ns_of(&t);
}

/* ---- what is remembered ---- */

static struct pp_map_id *slot_of(const struct pp_map_ids *k, const struct pp_mapped_file *m)
{
	uint64_t h = (m->ino ^ m->generation << 32 ^ (uint64_t)m->maj << 40 ^ (uint64_t)m->min << 52) *
		     UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = (size_t)(h >> 32);; i++) {
		struct pp_map_id *const f = &k->slots[i & (k->room - 1)];

		if (!f->ino || (f->ino == m->ino && f->generation == m->generation &&
				f->maj == m->maj && f->min == m->min))
			return f;
	}
}

static bool make_room(struct pp_map_ids *k)
{
	struct pp_map_ids bigger = *k;

	if (k->n >= MOST_FILES) {
		memset(k->slots, 0, k->room * sizeof(*k->slots));
		k->n = 0;
	}
	if (k->n < k->room / 2)
		return true;
	bigger.room = k->room ? 2 * k->room : 256;
	bigger.slots = calloc(bigger.room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < k->room; i++) {
		const struct pp_map_id *const f = &k->slots[i];
		const struct pp_mapped_file m = { .ino = f->ino, .generation = f->generation,
						  .maj = f->maj, .min = f->min };

		if (f->ino)
			*slot_of(&bigger, &m) = *f;
	}
	free(k->slots);
	*k = bigger;
	return true;
}

void pp_map_ids_free(struct pp_map_ids *k)
{
	free(k->slots);
	k->slots = NULL;
	k->n = k->room = 0;
}

/* ---- looking ---- */

/* When a file changed last, at the latest: the kernel's clock for this ticks, and some file systems
 * keep seconds, or two. */
static bool changed_at(int fd, int64_t *changed)
{
	struct timespec tick = { 0, 0 };
	struct stat st;

	if (fstat(fd, &st))
		return false;
	(void)clock_getres(CLOCK_REALTIME_COARSE, &tick);
	*changed = ns_of(&st.st_ctim) + (st.st_ctim.tv_nsec ? ns_of(&tick) : INT64_C(2) * SECOND);
	return true;
}

/* It is read before it is asked when it changed: a change while it is read is seen. */
static bool look(const struct pp_map_ids *k, struct pp_map_id *f, int fd)
{
	int64_t changed;

	if (!changed_at(fd, &changed))
		return false;
	if (!f->sure || f->changed != changed) {
		if (pp_elf_read_build_id(fd, f->build_id, &f->size) != PP_ELF_FOUND)
			f->size = 0;
		if (!changed_at(fd, &changed))
			return false;
	}
	f->changed = changed;
	f->sure = changed < k->before;
	f->looked = k->pass;
	return true;
}

/* What is known of a file in this pass; NULL: it cannot be opened, or is another file by now. */
static const struct pp_map_id *find(struct pp_map_ids *k, const struct pp_mapped_file *m)
{
	struct pp_map_id *f;
	bool looked;
	int fd;

	if (!m->ino || *m->path != '/' || !make_room(k))
		return NULL;
	f = slot_of(k, m);
	if (f->ino && f->looked == k->pass)
		return f;
	fd = pp_keeper_mapped(k->keeper, m);
	/* by another's map it may be found: this process may have ended */
	if (fd < 0)
		return NULL;
	looked = look(k, f, fd);
	(void)close(fd);
	if (!looked)
		return NULL;
	k->n += !f->ino;
	f->ino = m->ino;
	f->generation = m->generation;
	f->maj = m->maj;
	f->min = m->min;
	return f;
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
	k->before = now();
}

void pp_map_ids_begin(struct pp_map_ids *k)
{
	k->pass++;
	k->begun = now();
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
