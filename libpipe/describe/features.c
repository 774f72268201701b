/*
 * features.c - what a stream says of itself: host, events, topology, notes; kept as it comes, and as
 * JSON.  header_text.c puts them into words.
 */
#include "describe/describe.h"

#include "base/array.h"
#include "text/print_internal.h"

#include <stdlib.h>

struct pp_features *pp_features_new(void)
{
	return calloc(1, sizeof(struct pp_features));
}

static void free_list(struct pp_head_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].data);
	free(list->items);
}

void pp_features_free(struct pp_features *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < PP_FEATURES_KEPT; i++)
		free(f->feature[i].data);
	free_list(&f->attrs);
	free_list(&f->notes);
	free_list(&f->names);
	free(f);
}

/* ---- taking records in ---- */

/* 1 and a copy in host order; 0: the record says nothing that can be read; -1 and *error. */
static int copy_record(struct pp_head_copy *copy, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_record mine = *rec;

	copy->size = rec->size;
	copy->beyond = rec->beyond;
	copy->data = malloc((size_t)rec->size + rec->beyond);
	if (!copy->data)
		return pp_fail(error, PP_E_NOMEM, NULL);
	memcpy(copy->data, rec->data, (size_t)rec->size + rec->beyond);
	mine.data = copy->data;
	mine.foreign = false;
	if (!rec->foreign || !pp_convert(&mine, PP_TO_HOST, NULL))
		return 1;
	free(copy->data);
	return 0;
}

static int append(struct pp_head_list *list, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_head_copy copy;
	int got;

	if (PP_GROW(&list->items, &list->room, list->count + 1, error))
		return -1;
	got = copy_record(&copy, rec, error);
	if (got > 0)
		list->items[list->count++] = copy;
	return got < 0 ? -1 : 0;
}

static int note_feature(struct pp_features *f, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_record mine;
	struct pp_head_copy copy;
	uint64_t number;
	int got;

	if (rec->size <= PP_HEADER_SIZE + sizeof(number))
		return 0;             /* the mark after the last one */
	got = copy_record(&copy, rec, error);
	if (got <= 0)
		return got;
	pp_head_record(&mine, &copy, NULL);
	if (!pp_find_feature(&mine, &number) || number >= PP_FEATURES_KEPT) {
		free(copy.data);
		return 0;
	}
	free(f->feature[number].data);
	f->feature[number] = copy;
	return 0;
}

int pp_features_note_long(struct pp_features *f, const struct pp_stream *stream, struct pp_error *error)
{
	f->of_file = stream->features;
	for (size_t i = 0; i < stream->n_long_features; i++)
		if (note_feature(f, &stream->long_features[i], error))
			return -1;
	return 0;
}

int pp_features_note(struct pp_features *f, const struct pp_record *rec, struct pp_error *error)
{
	if (rec->type == PP_REC_HEADER_FEATURE)
		return note_feature(f, rec, error);
	if (rec->type == PP_REC_HEADER_ATTR)
		return append(&f->attrs, rec, error);
	if (pp_is_note(rec))
		return append(&f->notes, rec, error);
	if (pp_is_names(rec))
		return append(&f->names, rec, error);
	return 0;
}

/* ---- JSON ---- */

const char *pp_head_event(const struct pp_attrs *attrs, size_t i)
{
	const struct pp_attr *attr = attrs ? pp_attrs_at(attrs, i) : NULL;

	return attr ? attr->name : "?";
}

static void json_event(const struct pp_features *f, const struct pp_attrs *attrs, size_t i,
		       struct pp_json *j)
{
	const char *const name = pp_head_event(attrs, i);
	struct pp_record rec;
	struct pp_cursor c;

	pp_head_record(&rec, &f->attrs.items[i], attrs);
	pp_json_open(j, NULL, '{');
	pp_head_json_text(j, "name", name, strlen(name));
	pp_json_open(j, "id", '[');
	pp_walk(&c, &rec);
	if (pp_walk_find(&c, PP_IS_EVENT_ID) == 1)
		for (uint32_t n = 0; n < c.count; n++)
			pp_json_hex(j, NULL, pp_walk_u64(&c, n));
	pp_json_close(j, ']');
	pp_json_key(j, "attr");
	(void)pp_print_json_struct(j->out, &rec, "attr");
	pp_json_close(j, '}');
}

void pp_features_json(const struct pp_features *f, const struct pp_attrs *attrs, struct pp_out *out)
{
	struct pp_json json = { .out = out }, *const j = &json;

	pp_json_open(j, NULL, '{');
	pp_json_open(j, "features", '{');
	for (uint32_t i = 0; i < PP_FEATURES_KEPT; i++) {
		const struct pp_type *type = pp_feature(i);
		struct pp_record rec;

		if (!type)
			continue;
		if (!f->feature[i].data) {
			if (f->of_file >> i & 1 && !type->fields->name) {
				pp_json_open(j, type->name, '{');
				pp_json_close(j, '}');
			}
			continue;
		}
		pp_json_key(j, type->name);
		pp_head_record(&rec, &f->feature[i], attrs);
		(void)pp_print_json_struct(out, &rec, "data");
	}
	pp_json_close(j, '}');
	pp_json_open(j, "events", '[');
	for (size_t i = 0; i < f->attrs.count; i++)
		json_event(f, attrs, i, j);
	pp_json_close(j, ']');
	pp_head_notes_json(f, j);
	pp_head_names_json(f, j);
	pp_json_close(j, '}');
}
