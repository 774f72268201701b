/* attribution.c - reads records that give build-ids, and finds out which file one is of that is given for a
 * name alone, by the maps around it. */
#include "model/attribution.h"
#include "format/field_query.h"

/* ---- What records give ---- */

/* Of one whose length is not said: what perf inject writes is filled with zeros.  They are of 8, 16 or 20
 * bytes, which is why some zeros at the end of those are their own. */
static uint8_t length_of(const uint8_t id[20])
{
	uint8_t size = 20;

	while (size > 4 && !pp_load32(id + size - 4))
		size -= 4;
	return size;
}

static void take_value(struct pp_given_id *g, const struct pp_cursor *c)
{
	switch (c->field->is) {
	case PP_IS_BUILD_ID_SIZE:
		if (c->value && c->value < sizeof(g->id))
			g->size = (uint8_t)c->value;
		break;
	case PP_IS_PATH:
		g->name = pp_walk_text(c, &g->length);
		break;
	case PP_IS_MAJOR:
		g->file.maj = (uint32_t)c->value;
		break;
	case PP_IS_MINOR:
		g->file.min = (uint32_t)c->value;
		break;
	case PP_IS_INODE:
		g->file.ino = c->value;
		break;
	case PP_IS_GENERATION:
		g->file.generation = c->value;
		break;
	case PP_IS_FLAGS:
		g->file.of_name = c->value & PP_BUILD_ID_OF_NAME;
		break;
	default:
		break;
	}
}

int pp_given_each(const struct pp_record *rec, int (*each)(void *arg, const struct pp_given_id *), void *arg)
{
	struct pp_given_id g = { .size = 0 };
	uint64_t feature = PP_FEAT_BUILD_ID;
	struct pp_cursor c;
	int result = 0;

	if ((rec->type == PP_REC_HEADER_FEATURE && !pp_find_feature(rec, &feature)) ||
	    feature != PP_FEAT_BUILD_ID)
		return 0;
	pp_walk(&c, rec);
	for (int token; !result && (token = pp_walk_next(&c)) > PP_END;) {
		if (token != PP_VALUE)
			continue;
		if (c.field->is != PP_IS_BUILD_ID) {
			take_value(&g, &c);
			continue;
		}
		/* the next begins */
		if (g.size && g.name)
			result = each(arg, &g);
		g = (struct pp_given_id){ .size = 0 };
		if (c.count == sizeof(g.id)) {
			memcpy(g.id, c.data, sizeof(g.id));
			g.size = length_of(g.id);
		}
	}
	return result || !g.size || !g.name ? result : each(arg, &g);
}

/* ---- Which file ---- */

void pp_attribution_close(struct pp_attribution *a)
{
	pp_files_free(a->files);
	pp_spaces_close(&a->spaces);
	pp_buffer_free(&a->waiting);
}

static int no_memory(const struct pp_attribution *a, struct pp_error *error)
{
	return pp_budget_fail(&a->budget, error);
}

/* 0, or -1: memory. */
static int begin_attribution(struct pp_attribution *a)
{
	if (a->files)
		return 0;
	a->spaces.budget = &a->budget;
	a->files = pp_files_new(&a->spaces);
	return a->files ? 0 : -1;
}

size_t pp_map_build_id(const struct pp_map *map, uint8_t made[PP_RECORD_MAX + 1])
{
	const bool has_file = map->ino && !map->kernel;
	struct pp_build b;

	pp_build(&b, made, PP_RECORD_MAX + 1, PP_REC_HEADER_BUILD_ID,
		 (uint16_t)((map->kernel ? PP_MISC_KERNEL : PP_MISC_USER) | PP_MISC_BUILD_ID_SIZE |
			    (has_file ? PP_MISC_BUILD_ID_FILE : 0)), NULL);
	pp_build_u64(&b, "pid", UINT32_MAX);
	pp_build_bytes(&b, "build_id", map->build_id, sizeof(map->build_id));
	pp_build_u64(&b, "size", map->build_id_size);
	pp_build_text(&b, "filename", map->filename);
	if (has_file) {
		pp_build_open(&b, "identity");
		pp_build_u64(&b, "maj", map->maj);
		pp_build_u64(&b, "min", map->min);
		pp_build_u64(&b, "ino", map->ino);
		pp_build_u64(&b, "ino_generation", map->ino_generation);
		pp_build_u64(&b, "flags", map->id_of_name ? PP_BUILD_ID_OF_NAME : 0);
		pp_build_close(&b);
	}
	return pp_build_end(&b);
}

/* What is given for a name, as what is given for this file: 1, 2: that is too long, or -1 and *error. */
static int make(const struct pp_given_id *g, const struct pp_identity *is, uint8_t *made,
		struct pp_record *to, struct pp_error *error)
{
	char name[PP_RECORD_MAX + 1];
	struct pp_map map = {
		.filename = name, .maj = is->maj, .min = is->min, .ino = is->ino,
		.ino_generation = is->generation, .id_of_name = is->of_name, .build_id_size = g->size,
	};
	size_t size;

	memcpy(name, g->name, g->length);
	name[g->length] = '\0';
	memcpy(map.build_id, g->id, sizeof(map.build_id));
	size = pp_map_build_id(&map, made);
	return !size ? 2 : pp_record_at(to, made, size, error) ? -1 : 1;
}

static int copy_given(void *arg, const struct pp_given_id *given)
{
	*(struct pp_given_id *)arg = *given;
	return 1;
}

/* Whether it is of a name alone, of what has an inode. */
static bool is_of_name(const struct pp_record *rec, struct pp_given_id *g)
{
	return (rec->misc & PP_MISC_CPUMODE) == PP_MISC_USER && pp_given_each(rec, copy_given, g) &&
	       !g->file.ino && g->length && *g->name == '/';
}

int pp_attribution_build_id(struct pp_attribution *a, const struct pp_record *rec, uint8_t *made,
			    struct pp_record *to, struct pp_error *error)
{
	struct pp_given_id g;
	struct pp_identity is;

	if (!is_of_name(rec, &g))
		return 0;
	if (begin_attribution(a) || pp_files_identify(a->files, &g))
		return no_memory(a, error);
	switch (pp_files_whose(a->files, &g, &is)) {
	case PP_WHOSE_FILE:
		return make(&g, &is, made, to, error);
	case PP_WHOSE_UNKNOWN:
		return pp_buffer_add(&a->waiting, rec->data, rec->size, error) ? -1 : 2;
	default:
		return 2;
	}
}

/* The map that a record tells of, as far as it says which file it is of. */
static bool map_of(const struct pp_record *rec, struct pp_map *map, const char **name, size_t *length)
{
	struct pp_field_query w[] = {
		{ .is = PP_IS_PATH }, { .is = PP_IS_MAJOR }, { .is = PP_IS_MINOR }, { .is = PP_IS_INODE },
		{ .is = PP_IS_GENERATION }, { .is = PP_IS_BUILD_ID_SIZE }, { .is = PP_IS_BUILD_ID },
	};

	if ((rec->misc & PP_MISC_CPUMODE) != PP_MISC_USER)
		return false;
	pp_lookup_fields(rec, w, sizeof(w) / sizeof(*w));
	*name = w[0].bytes;
	*length = w[0].length;
	*map = (struct pp_map){
		.maj = (uint32_t)w[1].value, .min = (uint32_t)w[2].value, .ino = w[3].value,
		.ino_generation = w[4].value, .has_build_id = w[6].there && w[6].length == 20,
		.build_id_size = (uint8_t)(w[5].value < 20 ? w[5].value : 20),
	};
	if (map->has_build_id)
		memcpy(map->build_id, w[6].bytes, sizeof(map->build_id));
	return *name != NULL;
}

/* Takes the first that waits for a file of this name and is of it by now: as pp_attribution_map(). */
static int take_waiting(struct pp_attribution *a, const char *name, size_t length, uint8_t *made,
			struct pp_record *to, struct pp_error *error)
{
	struct pp_record rec;
	int result = 0;

	for (size_t at = 0; at < a->waiting.size; at += rec.size) {
		struct pp_given_id g;
		struct pp_identity is;

		if (pp_record_at(&rec, a->waiting.data + at, a->waiting.size - at, error))
			return -1;
		if (!is_of_name(&rec, &g) || g.length != length || memcmp(g.name, name, length) != 0)
			continue;
		if (pp_files_whose(a->files, &g, &is) == PP_WHOSE_FILE)
			result = make(&g, &is, made, to, error);
		a->waiting.size -= rec.size;
		memmove(a->waiting.data + at, a->waiting.data + at + rec.size, a->waiting.size - at);
		break;
	}
	return result == 2 ? 0 : result;
}

int pp_attribution_map(struct pp_attribution *a, const struct pp_record *rec, uint8_t *made,
		       struct pp_record *to, struct pp_error *error)
{
	struct pp_map map;
	const char *name;
	size_t length;

	if (!map_of(rec, &map, &name, &length))
		return 0;
	if (begin_attribution(a) || pp_files_note(a->files, &map, name, length))
		return no_memory(a, error);
	return a->waiting.size ? take_waiting(a, name, length, made, to, error) : 0;
}
