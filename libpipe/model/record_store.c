/*
 * record_store.c - records that are kept for later: in memory, and beyond a limit in a temporary file.
 *
 * Places in the file are multiples of SLOT; those of records that are no more form a list for each
 * size, whose links lie in the places themselves, so that the file grows only by what is held.
 */
#include "model/record_store.h"
#include "base/spool.h"
#include "model/map_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOT = 64, CLASSES = PP_RECORD_MAX / SLOT + 1 };

static const uint64_t NONE = UINT64_MAX;

struct pp_stored_file {
	int fd;
	uint64_t end, records;
	uint64_t unused[CLASSES];     /* the last place that became free, or NONE */
};

void pp_record_store_close(struct pp_record_store *keep)
{
	if (!keep->file)
		return;
	close(keep->file->fd);
	pp_give_back(keep->budget, keep->file, sizeof(*keep->file));
	keep->file = NULL;
}

/* ---- The file ---- */

static int fail(struct pp_error *error, const char *verb)
{
	return pp_fail_os(error, "cannot %s a file in %s that holds side-band", verb,
			  pp_temporary_folder());
}

static int open_file(struct pp_record_store *keep, struct pp_error *error)
{
	struct pp_stored_file *const file = pp_take(keep->budget, sizeof(*file));

	if (!file)
		return pp_budget_fail(keep->budget, error);
	file->fd = pp_temporary();
	if (file->fd < 0) {
		const int os = errno;

		pp_give_back(keep->budget, file, sizeof(*file));
		errno = os;
		return fail(error, "make");
	}
	for (size_t i = 0; i < CLASSES; i++)
		file->unused[i] = NONE;
	keep->file = file;
	return 0;
}

static int write_at(const struct pp_stored_file *file, const void *data, size_t size, uint64_t at,
		    struct pp_error *error)
{
	return pp_write_at(file->fd, data, size, at) ? fail(error, "write to") : 0;
}

static int read_at(const struct pp_stored_file *file, void *data, size_t size, uint64_t at,
		   struct pp_error *error)
{
	return pp_read_at(file->fd, data, size, at) ? fail(error, "read") : 0;
}

static int spill(struct pp_record_store *keep, const struct pp_record *rec, uint64_t *place,
		 struct pp_error *error)
{
	const size_t slots = (rec->size + SLOT - 1) / SLOT;
	struct pp_stored_file *file;

	if (!keep->file && open_file(keep, error))
		return -1;
	file = keep->file;
	*place = file->unused[slots - 1];
	if (*place == NONE) {
		*place = file->end;
		file->end += slots * SLOT;
	} else if (read_at(file, &file->unused[slots - 1], sizeof(*place), *place, error)) {
		return -1;
	}
	if (write_at(file, rec->data, rec->size, *place, error))
		return -1;
	file->records++;
	return 0;
}

/* A link that cannot be written costs the place, no more. */
static void unspill(struct pp_record_store *keep, size_t size, uint64_t place)
{
	struct pp_stored_file *const file = keep->file;
	uint64_t *const unused = &file->unused[(size + SLOT - 1) / SLOT - 1];

	if (!--file->records && !ftruncate(file->fd, 0)) {
		file->end = 0;
		for (size_t i = 0; i < CLASSES; i++)
			file->unused[i] = NONE;
	} else if (!write_at(file, unused, sizeof(*unused), place, NULL)) {
		*unused = place;
	}
}

/* ---- Records ---- */

/* Bytes of a record that is kept. */
static size_t room_of(const struct pp_stored *k)
{
	return sizeof(*k) + (k->spilled ? sizeof(uint64_t) : k->size);
}

struct pp_stored *pp_stored_new(struct pp_record_store *keep, const struct pp_record *rec,
				struct pp_error *error)
{
	const struct pp_stored head = {
		.attrs = rec->attrs, .users = 1, .attr = rec->attr ? rec->attr->index + 1 : 0,
		.size = rec->size, .spilled = pp_budget_spills(keep->budget, sizeof(head) + rec->size),
	};
	uint64_t place = 0;
	struct pp_stored *k;

	if (head.spilled && spill(keep, rec, &place, error))
		return NULL;
	k = pp_take(keep->budget, room_of(&head));
	if (!k) {
		if (head.spilled)
			unspill(keep, rec->size, place);
		pp_budget_fail(keep->budget, error);
		return NULL;
	}
	*k = head;
	k->seq = ++keep->seq;
	if (!pp_time(rec, &k->time))
		k->time = 0;
	if (k->spilled)
		pp_store64(k->data, place);
	else
		memcpy(k->data, rec->data, rec->size);
	return k;
}

struct pp_stored *pp_stored_share(struct pp_stored *k)
{
	if (k)
		k->users++;
	return k;
}

void pp_stored_drop(struct pp_record_store *keep, struct pp_stored *k)
{
	if (!k || --k->users)
		return;
	if (k->spilled)
		unspill(keep, k->size, pp_load64(k->data));
	pp_give_back(keep->budget, k, room_of(k));
}

int pp_stored_replace(struct pp_record_store *keep, struct pp_stored **place, const struct pp_record *rec,
		      struct pp_error *error)
{
	struct pp_stored *const k = pp_stored_new(keep, rec, error);

	if (!k)
		return -1;
	pp_stored_drop(keep, *place);
	*place = k;
	return 0;
}

/* As it was read; its bytes are at `data`: those of one that is in memory at its own. */
static struct pp_record stored_record(const struct pp_stored *k, uint8_t *data)
{
	return (struct pp_record){
		.data = data, .type = pp_load32(data), .misc = pp_load16(data + 4), .size = k->size,
		.attrs = k->attrs, .attr = k->attr ? pp_attrs_at(k->attrs, k->attr - 1) : NULL,
	};
}

int pp_stored_read(const struct pp_record_store *keep, const struct pp_stored *k, uint8_t *buf,
		   struct pp_record *rec, struct pp_error *error)
{
	if (!k->spilled)
		memcpy(buf, k->data, k->size);
	else if (read_at(keep->file, buf, k->size, pp_load64(k->data), error))
		return -1;
	*rec = stored_record(k, buf);
	return 0;
}

/* ---- Changes ---- */

static void set_number(struct pp_record *rec, enum pp_meaning is, uint64_t value)
{
	size_t size;
	uint8_t *const at = pp_find_bytes(rec, is, &size);

	if (at && size == sizeof(uint32_t))
		pp_store32(at, (uint32_t)value);
	else if (at && size == sizeof(uint64_t))
		pp_store64(at, value);
}

static bool is_bare_code(const struct pp_record *rec, const char *name, size_t length)
{
	uint64_t prot;

	return (pp_find_u64(rec, PP_IS_PROT, &prot) ? prot & PROT_EXEC : !(rec->misc & PP_MISC_MMAP_DATA)) &&
	       pp_map_in_perf_map(name, length);
}

/*
 * Perf has the symbols of code without a file from /tmp/perf-PID.map of the process that mapped it,
 * and so for all who inherit it.  An heir's own map has to name that file.  Perf then counts places
 * from its beginning, where it takes addresses of what has no file as they are: so it begins there.
 */
static void name_symbols(struct pp_record *rec, uint32_t pid)
{
	const uint32_t trailer = rec->attr ? rec->attr->plan.trailer : 0;
	uint64_t start, room;
	char symbols[40] = { 0 };
	const char *name;
	size_t length, at;

	if (!rec->attr || !pp_find_text(rec, PP_IS_PATH, &name, &length) ||
	    !is_bare_code(rec, name, length) || !pp_find_u64(rec, PP_IS_START, &start))
		return;
	at = (size_t)((const uint8_t *)name - rec->data);
	snprintf(symbols, sizeof(symbols), "/tmp/perf-%" PRIu32 ".map", pid);
	room = pp_align8(strlen(symbols) + 1);
	if (!pp_fits(trailer, rec->size - at) || !pp_fits(room, PP_RECORD_MAX - at - trailer))
		return;
	set_number(rec, PP_IS_OFFSET, start);
	memmove(rec->data + at + room, rec->data + rec->size - trailer, trailer);
	memcpy(rec->data + at, symbols, room);
	rec->size = (uint16_t)(at + room + trailer);
	pp_store16(rec->data + 6, rec->size);
}

void pp_record_give(struct pp_record *rec, uint32_t pid, uint32_t tid)
{
	const struct pp_plan *const plan = rec->attr ? &rec->attr->plan : NULL;
	uint64_t from;

	if (pp_find_u64(rec, PP_IS_PID, &from) && from != pid)
		name_symbols(rec, (uint32_t)from);
	set_number(rec, PP_IS_PID, pid);
	set_number(rec, PP_IS_TID, tid);
	if (rec->type == PP_REC_COMM)
		rec->misc &= (uint16_t)~PP_MISC_COMM_EXEC;
	pp_store16(rec->data + 4, rec->misc);
	if (!plan || !plan->t_tid || !pp_fits((uint64_t)plan->trailer + PP_HEADER_SIZE, rec->size))
		return;
	pp_store32(rec->data + rec->size - plan->t_tid, pid);
	pp_store32(rec->data + rec->size - plan->t_tid + 4, tid);
}

void pp_record_date(struct pp_record *rec, uint64_t time)
{
	const struct pp_plan *const plan = rec->attr ? &rec->attr->plan : NULL;

	if (plan && plan->t_time && pp_fits((uint64_t)plan->trailer + PP_HEADER_SIZE, rec->size))
		pp_store64(rec->data + rec->size - plan->t_time, time);
}

/* ---- a map's file ---- */

int pp_map_identify(struct pp_record *rec, const uint8_t id[20], uint8_t size, struct pp_error *error)
{
	enum { MINOR_BITS = 20, SURE = 9, MOST = 20, PLACE = 4 + MOST };
	uint8_t *at;
	size_t width;

	/* the device, the inode and its generation lie where a build-id would */
	at = pp_find_bytes(rec, PP_IS_MAJOR, &width);
	if (rec->type != PP_REC_MMAP2 || !at ||
	    !pp_fits(PLACE, (uint64_t)(rec->data + rec->size - at)))
		return pp_fail(error, PP_E_FIELD, NULL);
	if (size < SURE && (!size || !(pp_load32(id) >> MINOR_BITS)))
		return 0;
	memset(at, 0, PLACE);
	*at = size < MOST ? size : MOST;
	memcpy(at + 4, id, *at);
	rec->misc |= PP_MISC_MMAP_BUILD_ID;
	pp_store16(rec->data + 4, rec->misc);
	return 0;
}
