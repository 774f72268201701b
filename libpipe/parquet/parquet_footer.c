/* parquet_footer.c - makes what Parquet says of a file and its row groups: schema, places, statistics. */
#include "parquet/parquet_footer.h"
#include "parquet/parquet_thrift.h"

#include "base/format_number.h"

enum {
	FORMAT     = 2,               /* the first that has these encodings */
	BOUND_MOST = 128,             /* bytes of a least or greatest text */
};

static int footer_made(const struct thrift_pen *pen, struct pp_error *error)
{
	return pen->failed ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

static int physical_type(enum pp_parquet_kind kind)
{
	return kind == PP_PARQUET_INT32 ? PARQUET_INT32 :
	       kind == PP_PARQUET_TEXT ? PARQUET_BYTE_ARRAY : PARQUET_INT64;
}

/* ---- Statistics ---- */

/* How much of a text its beginning may be: whole characters. */
static size_t bound_size(const struct pp_buffer *text)
{
	size_t size = text->size < BOUND_MOST ? text->size : BOUND_MOST;

	while (size < text->size && size && (text->data[size] & 0xc0) == 0x80)
		size--;
	return size;
}

/* Makes a greatest text that was cut greater than it was: its last character of ASCII becomes the one after
 * that.  How much of it is left, or 0. */
static size_t raise_text(uint8_t *text, size_t size)
{
	while (size && text[size - 1] >= 0x7f)
		size--;
	if (size)
		text[size - 1]++;
	return size;
}

static void put_text_bounds(struct thrift_pen *pen, const struct chunk_bounds *bounds)
{
	const size_t least = bound_size(&bounds->least_text), whole = bound_size(&bounds->most_text);
	const bool cut = whole < bounds->most_text.size;
	uint8_t most[BOUND_MOST];
	size_t size = whole;

	if (whole)
		memcpy(most, bounds->most_text.data, whole);
	if (cut)
		size = raise_text(most, whole);
	if (cut && !size)
		return;
	pp_thrift_bytes(pen, PARQUET_Statistics_max_value, most, size);
	pp_thrift_bytes(pen, PARQUET_Statistics_min_value, bounds->least_text.data, least);
	pp_thrift_bool(pen, PARQUET_Statistics_is_max_value_exact, !cut);
	pp_thrift_bool(pen, PARQUET_Statistics_is_min_value_exact, least == bounds->least_text.size);
}

static void put_number_bounds(struct thrift_pen *pen, const struct chunk_bounds *bounds, size_t width)
{
	uint8_t least[8], most[8];

	pp_store_order64(least, (uint64_t)bounds->least, PP_HOST_BIG);
	pp_store_order64(most, (uint64_t)bounds->most, PP_HOST_BIG);
	pp_thrift_bytes(pen, PARQUET_Statistics_max_value, most, width);
	pp_thrift_bytes(pen, PARQUET_Statistics_min_value, least, width);
	pp_thrift_bool(pen, PARQUET_Statistics_is_max_value_exact, true);
	pp_thrift_bool(pen, PARQUET_Statistics_is_min_value_exact, true);
}

static void put_statistics(struct thrift_pen *pen, const struct parquet_chunk *c)
{
	pp_thrift_struct(pen, PARQUET_ColumnMetaData_statistics);
	pp_thrift_number(pen, PARQUET_Statistics_null_count, (int64_t)c->pages.nulls);
	if (c->pages.bounds.any && c->column.kind == PP_PARQUET_TEXT)
		put_text_bounds(pen, &c->pages.bounds);
	else if (c->pages.bounds.any)
		put_number_bounds(pen, &c->pages.bounds, c->column.kind == PP_PARQUET_INT32 ? 4 : 8);
	pp_thrift_end(pen);
}

/* ---- Row groups ---- */

/* The pages that there are, by type and encoding: the dictionary's first. */
static const struct page_sort {
	int type, encoding;
	enum chunk_way way;
} page_sorts[] = {
	{ PARQUET_DICTIONARY_PAGE, PARQUET_PLAIN,               CHUNK_DICTIONARY },
	{ PARQUET_DATA_PAGE,       PARQUET_RLE_DICTIONARY,      CHUNK_DICTIONARY },
	{ PARQUET_DATA_PAGE,       PARQUET_PLAIN,               CHUNK_PLAIN },
	{ PARQUET_DATA_PAGE,       PARQUET_DELTA_BINARY_PACKED, CHUNK_DELTA },
};
enum { PAGE_SORTS = sizeof(page_sorts) / sizeof(page_sorts[0]) };

static void put_encodings(struct thrift_pen *pen, const struct parquet_chunk *c)
{
	const unsigned *const count = c->pages.count;
	const bool plain = count[CHUNK_DICTIONARY] || count[CHUNK_PLAIN];

	pp_thrift_list(pen, PARQUET_ColumnMetaData_encodings, THRIFT_I32,
		       1U + plain + (count[CHUNK_DICTIONARY] > 0) + (count[CHUNK_DELTA] > 0));
	pp_thrift_number(pen, THRIFT_ITEM, PARQUET_RLE);
	if (plain)
		pp_thrift_number(pen, THRIFT_ITEM, PARQUET_PLAIN);
	if (count[CHUNK_DICTIONARY])
		pp_thrift_number(pen, THRIFT_ITEM, PARQUET_RLE_DICTIONARY);
	if (count[CHUNK_DELTA])
		pp_thrift_number(pen, THRIFT_ITEM, PARQUET_DELTA_BINARY_PACKED);
}

static void put_page_counts(struct thrift_pen *pen, const struct parquet_chunk *c)
{
	size_t sorts = 0;

	for (size_t i = 0; i < PAGE_SORTS; i++)
		sorts += c->pages.count[page_sorts[i].way] > 0;
	pp_thrift_list(pen, PARQUET_ColumnMetaData_encoding_stats, THRIFT_STRUCT, sorts);
	for (const struct page_sort *sort = page_sorts; sort < page_sorts + PAGE_SORTS; sort++) {
		const unsigned count = c->pages.count[sort->way];

		if (!count)
			continue;
		pp_thrift_struct(pen, THRIFT_ITEM);
		pp_thrift_number(pen, PARQUET_PageEncodingStats_page_type, sort->type);
		pp_thrift_number(pen, PARQUET_PageEncodingStats_encoding, sort->encoding);
		pp_thrift_number(pen, PARQUET_PageEncodingStats_count,
				 sort->type == PARQUET_DICTIONARY_PAGE ? 1 : (int64_t)count);
		pp_thrift_end(pen);
	}
}

static void put_path(struct thrift_pen *pen, const struct pp_parquet_column *column)
{
	const bool is_list = column->kind == PP_PARQUET_LIST;

	pp_thrift_list(pen, PARQUET_ColumnMetaData_path_in_schema, THRIFT_BYTES, is_list ? 3 : 1);
	pp_thrift_text(pen, THRIFT_ITEM, column->name);
	if (is_list) {
		pp_thrift_text(pen, THRIFT_ITEM, "list");
		pp_thrift_text(pen, THRIFT_ITEM, "element");
	}
}

static uint64_t chunk_bytes(const struct parquet_chunk *c)
{
	return c->pages.first.size + c->pages.data.size;
}

static void put_chunk(struct thrift_pen *pen, const struct parquet_chunk *c, uint64_t start)
{
	pp_thrift_struct(pen, THRIFT_ITEM);
	pp_thrift_number(pen, PARQUET_ColumnChunk_file_offset, 0);
	pp_thrift_struct(pen, PARQUET_ColumnChunk_meta_data);
	pp_thrift_number(pen, PARQUET_ColumnMetaData_type, physical_type(c->column.kind));
	put_encodings(pen, c);
	put_path(pen, &c->column);
	pp_thrift_number(pen, PARQUET_ColumnMetaData_codec, PARQUET_ZSTD);
	pp_thrift_number(pen, PARQUET_ColumnMetaData_num_values, (int64_t)c->pages.entries);
	pp_thrift_number(pen, PARQUET_ColumnMetaData_total_uncompressed_size, (int64_t)c->pages.uncompressed);
	pp_thrift_number(pen, PARQUET_ColumnMetaData_total_compressed_size, (int64_t)chunk_bytes(c));
	pp_thrift_number(pen, PARQUET_ColumnMetaData_data_page_offset,
			 (int64_t)(start + c->pages.first.size));
	if (c->pages.first.size)
		pp_thrift_number(pen, PARQUET_ColumnMetaData_dictionary_page_offset, (int64_t)start);
	put_statistics(pen, c);
	put_page_counts(pen, c);
	pp_thrift_end(pen);
	pp_thrift_end(pen);
}

int pp_footer_group(struct parquet_footer *footer, const struct parquet_group *group,
		    const struct parquet_chunk *chunks, size_t count, struct pp_error *error)
{
	struct thrift_pen pen = { .to = &footer->groups };
	uint64_t at = group->start, uncompressed = 0;

	pp_thrift_struct(&pen, THRIFT_ITEM);
	pp_thrift_list(&pen, PARQUET_RowGroup_columns, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		put_chunk(&pen, &chunks[i], at);
		at += chunk_bytes(&chunks[i]);
		uncompressed += chunks[i].pages.uncompressed;
	}
	pp_thrift_number(&pen, PARQUET_RowGroup_total_byte_size, (int64_t)uncompressed);
	pp_thrift_number(&pen, PARQUET_RowGroup_num_rows, (int64_t)group->rows);
	pp_thrift_number(&pen, PARQUET_RowGroup_file_offset, (int64_t)group->start);
	pp_thrift_number(&pen, PARQUET_RowGroup_total_compressed_size, (int64_t)(at - group->start));
	if (group->ordinal <= INT16_MAX)
		pp_thrift_number(&pen, PARQUET_RowGroup_ordinal, group->ordinal);
	pp_thrift_end(&pen);
	footer->group_count++;
	return footer_made(&pen, error);
}

/* ---- The file ---- */

int pp_footer_metadata(struct parquet_footer *footer, const struct pp_buffer *key,
		       const struct pp_buffer *value, struct pp_error *error)
{
	struct thrift_pen pen = { .to = &footer->metadata };

	pp_thrift_struct(&pen, THRIFT_ITEM);
	pp_thrift_bytes(&pen, PARQUET_KeyValue_key, key->data, key->size);
	pp_thrift_bytes(&pen, PARQUET_KeyValue_value, value->data, value->size);
	pp_thrift_end(&pen);
	footer->metadata_count++;
	return footer_made(&pen, error);
}

static void put_leaf(struct thrift_pen *pen, int type, int repetition, const char *name)
{
	pp_thrift_struct(pen, THRIFT_ITEM);
	pp_thrift_number(pen, PARQUET_SchemaElement_type, type);
	pp_thrift_number(pen, PARQUET_SchemaElement_repetition_type, repetition);
	pp_thrift_text(pen, PARQUET_SchemaElement_name, name);
}

static void put_logical_type(struct thrift_pen *pen, int converted, enum parquet_field logical)
{
	pp_thrift_number(pen, PARQUET_SchemaElement_converted_type, converted);
	pp_thrift_struct(pen, PARQUET_SchemaElement_logicalType);
	pp_thrift_struct(pen, logical);
	pp_thrift_end(pen);
	pp_thrift_end(pen);
}

/* A group of fields, which follow. */
static void put_fields(struct thrift_pen *pen, int repetition, const char *name, size_t count)
{
	pp_thrift_struct(pen, THRIFT_ITEM);
	if (repetition >= 0)
		pp_thrift_number(pen, PARQUET_SchemaElement_repetition_type, repetition);
	pp_thrift_text(pen, PARQUET_SchemaElement_name, name);
	pp_thrift_number(pen, PARQUET_SchemaElement_num_children, (int64_t)count);
}

static void put_schema_column(struct thrift_pen *pen, const struct pp_parquet_column *column)
{
	const int repetition = column->optional ? PARQUET_OPTIONAL : PARQUET_REQUIRED;

	if (column->kind != PP_PARQUET_LIST) {
		put_leaf(pen, physical_type(column->kind), repetition, column->name);
		if (column->kind == PP_PARQUET_TEXT)
			put_logical_type(pen, PARQUET_UTF8, PARQUET_LogicalType_STRING);
		pp_thrift_end(pen);
		return;
	}
	put_fields(pen, repetition, column->name, 1);
	put_logical_type(pen, PARQUET_LIST, PARQUET_LogicalType_LIST);
	pp_thrift_end(pen);
	put_fields(pen, PARQUET_REPEATED, "list", 1);
	pp_thrift_end(pen);
	put_leaf(pen, PARQUET_INT64, PARQUET_REQUIRED, "element");
	pp_thrift_end(pen);
}

static void put_schema(struct thrift_pen *pen, const struct parquet_chunk *chunks, size_t count)
{
	size_t elements = 1;

	for (size_t i = 0; i < count; i++)
		elements += chunks[i].column.kind == PP_PARQUET_LIST ? 3 : 1;
	pp_thrift_list(pen, PARQUET_FileMetaData_schema, THRIFT_STRUCT, elements);
	put_fields(pen, -1, "schema", count);
	pp_thrift_end(pen);
	for (size_t i = 0; i < count; i++)
		put_schema_column(pen, &chunks[i].column);
}

/* Bounds are in the order of the types themselves. */
static void put_orders(struct thrift_pen *pen, size_t count)
{
	pp_thrift_list(pen, PARQUET_FileMetaData_column_orders, THRIFT_STRUCT, count);
	for (size_t i = 0; i < count; i++) {
		pp_thrift_struct(pen, THRIFT_ITEM);
		pp_thrift_struct(pen, PARQUET_ColumnOrder_TYPE_ORDER);
		pp_thrift_end(pen);
		pp_thrift_end(pen);
	}
}

int pp_footer_make(const struct parquet_footer *footer, const struct parquet_chunk *chunks, size_t count,
		   struct pp_buffer *to, struct pp_error *error)
{
	struct thrift_pen pen = { .to = to };
	const size_t before = to->size;
	uint8_t end[4];

	pp_thrift_struct(&pen, THRIFT_ITEM);
	pp_thrift_number(&pen, PARQUET_FileMetaData_version, FORMAT);
	put_schema(&pen, chunks, count);
	pp_thrift_number(&pen, PARQUET_FileMetaData_num_rows, (int64_t)footer->rows);
	pp_thrift_list(&pen, PARQUET_FileMetaData_row_groups, THRIFT_STRUCT, footer->group_count);
	pp_thrift_made(&pen, &footer->groups);
	if (footer->metadata_count) {
		pp_thrift_list(&pen, PARQUET_FileMetaData_key_value_metadata, THRIFT_STRUCT,
			       footer->metadata_count);
		pp_thrift_made(&pen, &footer->metadata);
	}
	pp_thrift_text(&pen, PARQUET_FileMetaData_created_by, "perfpipe version " VERSION);
	put_orders(&pen, count);
	pp_thrift_end(&pen);
	if (footer_made(&pen, error))
		return -1;
	if (to->size - before > UINT32_MAX)
		return pp_fail(error, PP_E_LIMIT, "the footer of a Parquet file");
	pp_store_order32(end, (uint32_t)(to->size - before), PP_HOST_BIG);
	return pp_buffer_add(to, end, sizeof(end), error) ||
	       pp_buffer_add(to, PARQUET_MAGIC, strlen(PARQUET_MAGIC), error) ? -1 : 0;
}

void pp_footer_close(struct parquet_footer *footer)
{
	pp_buffer_free(&footer->groups);
	pp_buffer_free(&footer->metadata);
}
