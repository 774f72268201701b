/* fleet_ids.c - numbers frames and stacks by hashes of their contents. */
#include "fleet/fleet_ids.h"

#include "base/byte_order.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static int add_bytes(struct fleet_ids *ids, const void *data, size_t size)
{
	return pp_buffer_add(&ids->text, data, size, NULL);
}

/* With its end. */
static int add_name(struct fleet_ids *ids, const char *name)
{
	return name ? add_bytes(ids, name, strlen(name) + 1) : add_bytes(ids, "", 1);
}

static int add_le64(struct fleet_ids *ids, uint64_t number)
{
	uint8_t bytes[8];

	pp_store_order64(bytes, number, PP_HOST_BIG);
	return add_bytes(ids, bytes, sizeof(bytes));
}

/* What is in the same file wherever that is: kind, build-id, offset. */
static int add_built(struct fleet_ids *ids, const struct pp_place_file *file, uint64_t offset)
{
	const char kind = file->kind == PP_NAMES_KERNEL ? 'k' : 'f';

	return add_bytes(ids, &kind, 1) || add_bytes(ids, file->build_id, file->build_id_size) ||
	       add_le64(ids, offset) ? -1 : 0;
}

/* A file that only its host has for sure. */
static int add_unbuilt(struct fleet_ids *ids, const struct pp_place_file *file, uint64_t offset,
		       const char *host)
{
	return add_bytes(ids, "p", 1) || add_name(ids, file->dso) || add_le64(ids, file->maj) ||
	       add_le64(ids, file->min) || add_le64(ids, file->ino) || add_le64(ids, file->ino_generation) ||
	       add_name(ids, host) || add_le64(ids, offset) ? -1 : 0;
}

/* Code of a process, or what is mapped nowhere: by its function, or else by its address. */
static int add_code(struct fleet_ids *ids, const struct pp_place_file *file,
		    const struct pp_code_place *place, const char *host)
{
	if (add_bytes(ids, file ? "j" : "u", 1) || add_name(ids, file ? file->dso : NULL))
		return -1;
	if (place->function)
		return add_name(ids, place->function);
	return add_name(ids, host) || add_le64(ids, file ? file->pid : place->cpumode) ||
	       add_le64(ids, place->offset) ? -1 : 0;
}

/* 1: the id of what is in `text` is new; 0: it is known. */
static int give(struct fleet_ids *ids, const char *what, uint32_t *number, struct pp_error *error)
{
	struct fleet_id made = {
		.id = XXH3_64bits(ids->text.data, ids->text.size),
		.other = XXH3_64bits_withSeed(ids->text.data, ids->text.size, 1),
	};
	const uint64_t *known;

	made.id -= made.id == UINT64_MAX;       /* which is no key */
	known = pp_idmap_find(&ids->given, made.id);
	*number = (uint32_t)(known ? *known : ids->n);
	if (known && ids->items[*known].other != made.other)
		return pp_fail(error, PP_E_LIMIT, "two %s have the same number: 0x%llx", what,
			       (unsigned long long)made.id);
	if (known)
		return 0;
	if (ids->n >= UINT32_MAX || PP_GROW(&ids->items, &ids->room, ids->n + 1, NULL) ||
	    pp_idmap_set(&ids->given, made.id, ids->n))
		return pp_fail(error, PP_E_NOMEM, NULL);
	ids->items[ids->n++] = made;
	return 1;
}

int pp_fleet_frame_id(struct fleet_ids *ids, const struct pp_places *places,
		      const struct pp_code_place *place, const char *host, uint32_t *number,
		      struct pp_error *error)
{
	const struct pp_place_file *const file = pp_places_file(places, place->file);
	int failed;

	ids->text.size = 0;
	if (file && file->build_id_size && file->kind != PP_NAMES_PROCESS)
		failed = add_built(ids, file, place->offset);
	else if (file && file->kind != PP_NAMES_PROCESS)
		failed = add_unbuilt(ids, file, place->offset, host);
	else
		failed = add_code(ids, file, place, host);
	return failed ? pp_fail(error, PP_E_NOMEM, NULL) : give(ids, "frames", number, error);
}

int pp_fleet_stack_id(struct fleet_ids *ids, const struct fleet_ids *frames, const uint32_t *numbers,
		      size_t n, uint32_t *number, struct pp_error *error)
{
	uint8_t *to;

	ids->text.size = 0;
	to = pp_buffer_room(&ids->text, n * sizeof(uint64_t), error);
	if (!to)
		return -1;
	for (size_t i = 0; i < n; i++)
		pp_store_order64(to + i * sizeof(uint64_t), frames->items[numbers[i]].id, PP_HOST_BIG);
	ids->text.size = n * sizeof(uint64_t);
	return give(ids, "stacks", number, error);
}

void pp_fleet_ids_close(struct fleet_ids *ids)
{
	free(ids->items);
	pp_idmap_close(&ids->given);
	pp_buffer_free(&ids->text);
}
