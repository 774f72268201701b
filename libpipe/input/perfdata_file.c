/*
 * perfdata_file.c - the on-disk perf.data file, handed on as a pipe stream: a header, an
 * attribute record for each entry of its table, records for each of its sections as
 * perfdata_sections.c makes them, then its data as they lie.  All in the file's own byte order;
 * records are not looked into.
 */
#include "input/perfdata_file.h"

enum {
	ATTR_LEAST = 64,              /* struct perf_event_attr of 2.6.31 */
	ATTR_MOST = 4096,
	EVENTS_MOST = 1 << 20,
	SECTION = 16,                 /* u64 offset, u64 size */
	HEADER_V1 = 72,               /* without features */
	NOTES = 4 << 20,
};

/* Offsets in the file's header. */
enum { AT_SIZE = 8, AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_TYPES = 56, AT_FEATURES = 72 };

static uint64_t u64_at(const struct pp_file *f, const uint8_t *p)
{
	return pp_in_order64(p, f->foreign);
}

static struct pp_section section_at(const struct pp_file *f, const uint8_t *p)
{
	return (struct pp_section){ u64_at(f, p), u64_at(f, p + 8) };
}

/* ---- the header ---- */

/*
 * Version 1 has the same magic in either byte order; attr_size shows which.  The bitmap of features
 * is an array of unsigned long: of a 32-bit producer of the other order its halves change places.
 * HOSTNAME is always there.
 */
static void read_features(struct pp_file *f, const uint8_t *p)
{
	static const uint64_t hostname = UINT64_C(1) << PP_FEAT_HOSTNAME;

	for (size_t i = 0; i < PP_FILE_FEATURES / 64; i++)
		f->features[i] = u64_at(f, p + 8 * i);
	if (!f->foreign || f->features[0] & hostname)
		return;
	for (size_t i = 0; i < PP_FILE_FEATURES / 64; i++)
		f->features[i] = f->features[i] << 32 | f->features[i] >> 32;
	if (f->features[0] & hostname)
		return;
	memset(f->features, 0, sizeof(f->features));
	f->features[0] = UINT64_C(1) << PP_FEAT_BUILD_ID;
}

static bool sane_attr_size(uint64_t size)
{
	return size >= ATTR_LEAST + SECTION && size <= ATTR_MOST;
}

static int read_header(struct pp_file *f)
{
	uint8_t h[AT_FEATURES + PP_FILE_FEATURES / 8];
	const size_t least = HEADER_V1;

	if (pp_file_get(f, h, least, 0, "header is whole"))
		return -1;
	f->foreign = memcmp(h, PP_MAGIC_V1, 8) ? pp_load64(h) != PP_MAGIC :
						 !sane_attr_size(pp_load64(h + AT_ATTR_SIZE));
	f->header_size = u64_at(f, h + AT_SIZE);
	f->attr_size = u64_at(f, h + AT_ATTR_SIZE);
	if (!sane_attr_size(f->attr_size))
		return pp_fail(f->error, PP_E_CONTAINER, "a perf.data file with attributes of %llu bytes",
			       (unsigned long long)f->attr_size);
	f->attrs = section_at(f, h + AT_ATTRS);
	f->data = section_at(f, h + AT_DATA);
	f->types = section_at(f, h + AT_TYPES);
	f->pieces->data_offset = f->data.offset;
	f->pieces->data_size = f->data.size;
	if (f->header_size < sizeof(h))
		return 0;
	if (pp_file_get(f, h, sizeof(h), 0, "header is whole"))
		return -1;
	read_features(f, h + AT_FEATURES);
	memcpy(f->pieces->features, f->features, sizeof(f->features));
	return 0;
}

/* ---- attributes ---- */

static int add_attr(struct pp_file *f, const uint8_t *entry)
{
	const size_t have = f->attr_size - SECTION;
	const struct pp_section ids = section_at(f, entry + have);
	uint32_t size = pp_in_order32(entry + 4, f->foreign);
	const size_t most = (PP_RECORD_MAX - PP_HEADER_SIZE - have) / 8;
	uint64_t left = ids.size / 8, at = ids.offset;

	if (!size)
		size = ATTR_LEAST;
	if (size > have)
		size = (uint32_t)have;
	/* More ids than one record holds go into another of the same attribute. */
	do {
		const size_t n = left < most ? (size_t)left : most;
		const size_t whole = PP_HEADER_SIZE + size + 8 * n;
		uint8_t *p = pp_file_room(f, whole);

		if (!p)
			return -1;
		pp_file_head(f, p, PP_REC_HEADER_ATTR, 0, whole);
		memcpy(p + PP_HEADER_SIZE, entry, size);
		pp_store_order32(p + PP_HEADER_SIZE + 4, size, f->foreign);
		if (n && pp_file_get(f, p + PP_HEADER_SIZE + size, 8 * n, at, "event ids"))
			return -1;
		at += 8 * n;
		left -= n;
	} while (left);
	return 0;
}

static int add_attrs(struct pp_file *f)
{
	const uint64_t n = f->attrs.size / f->attr_size;
	uint8_t entry[ATTR_MOST];

	if (n > EVENTS_MOST)
		return pp_fail(f->error, PP_E_CONTAINER, "a perf.data file with %llu events",
			       (unsigned long long)n);
	for (uint64_t i = 0; i < n; i++)
		if (pp_file_get(f, entry, f->attr_size, f->attrs.offset + i * f->attr_size, "attributes") ||
		    add_attr(f, entry))
			return -1;
	return 0;
}

/* Names of events in files of perf before 3.0: u64 event id, char name[64]. */
static int add_event_types(struct pp_file *f)
{
	enum { ENTRY = 72 };
	const uint64_t n = f->types.size / ENTRY;

	if (!pp_fits(f->types.offset, f->length) || !pp_fits(f->types.size, f->length - f->types.offset))
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *p = pp_file_room(f, PP_HEADER_SIZE + ENTRY);

		if (!p)
			return -1;
		pp_file_head(f, p, PP_REC_HEADER_EVENT_TYPE, 0, PP_HEADER_SIZE + ENTRY);
		if (pp_file_get(f, p + PP_HEADER_SIZE, ENTRY, f->types.offset + i * ENTRY, "event names"))
			return -1;
	}
	return 0;
}

/* ---- features ---- */

/* In the order of a stream: what perf record writes as features, then the tracing data, then
 * build-ids, which belong to maps. */
static int add_features(struct pp_file *f)
{
	static const unsigned late[] = { PP_FEAT_TRACING_DATA, PP_FEAT_BUILD_ID };
	uint64_t at = f->data.offset + f->data.size;
	struct pp_section after[2] = { { 0, 0 }, { 0, 0 } }, names = { 0, 0 };

	for (unsigned i = 0; i < PP_FILE_FEATURES; i++) {
		uint8_t entry[SECTION];
		struct pp_section s;

		if (!(f->features[i / 64] >> i % 64 & 1))
			continue;
		if (pp_file_get(f, entry, sizeof(entry), at, "table of features"))
			return -1;
		at += SECTION;
		s = section_at(f, entry);
		if (i == PP_FEAT_EVENT_DESC)
			names = s;
		if (i == late[0] || i == late[1])
			after[i == late[1]] = s;
		else if (pp_file_add_section(f, i, s))
			return -1;
	}
	for (size_t i = 0; i < 2; i++)
		if (after[i].size && pp_file_add_section(f, late[i], after[i]))
			return -1;
	return pp_file_add_names(f, names);
}

/* perf inject from a stream to a file leaves the stream's own attributes and features in the data:
 * given twice, each event would be two. */
static bool tells_itself(struct pp_file *f)
{
	uint8_t first[PP_HEADER_SIZE];

	return pp_input_pread(f->source, first, sizeof(first), f->data.offset) == sizeof(first) &&
	       pp_in_order32(first, f->foreign) == PP_REC_HEADER_ATTR;
}

/*
 * Notes that the data begin with, where pp-save put them: in a stream they come first of all.
 * What follows them are the data.
 */
static int add_notes(struct pp_file *f)
{
	uint8_t start[PP_HEADER_SIZE + 8];
	struct pp_record rec = { .data = start };
	uint64_t size = 0;

	while (size < NOTES && size < f->data.size &&
	       pp_input_pread(f->source, start, sizeof(start), f->data.offset + size) == sizeof(start)) {
		rec.type = pp_in_order32(start, f->foreign);
		rec.size = pp_in_order16(start + 6, f->foreign);
		if (!pp_is_note(&rec) || !pp_fits(rec.size, f->data.size - size))
			break;
		size += rec.size;
	}
	if (size && pp_composed_input_file(f->pieces, f->data.offset, size))
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	f->data.offset += size;
	f->data.size -= size;
	return 0;
}

/* What precedes the data. */
static int add_prelude(struct pp_file *f)
{
	if (tells_itself(f))
		return 0;
	if (add_attrs(f) || add_event_types(f))
		return -1;
	if (f->pieces->killed || !add_features(f))
		return 0;
	/* without features the data may still be whole: they are delivered, then it is said */
	if (pp_error_status(f->error) != 3)
		return -1;
	f->pieces->late = *f->error;
	return 0;
}

int pp_container_file(struct pp_input *source, struct pp_error *error)
{
	struct pp_composed_input *pieces = &source->pieces;
	struct pp_file f = { .source = source, .pieces = pieces, .error = error };
	uint8_t *p;

	if (pp_input_length(source, &f.length))
		return pp_fail_os(error, "cannot read");
	if (read_header(&f) || !(p = pp_file_room(&f, PP_PIPE_HEADER)))
		return -1;
	pp_stream_header(p, f.foreign);
	if (!pp_fits(f.data.offset, f.length))
		return pp_fail(error, PP_E_CUT, "the file ends before its data");
	/* A killed recording never learned how long its data are, nor wrote any feature. */
	pieces->killed = !f.data.size && f.length > f.data.offset;
	if (pieces->killed)
		f.data.size = f.length - f.data.offset;
	if (add_notes(&f) || add_prelude(&f))
		return -1;
	pieces->data = pieces->total;
	pieces->shift = f.data.offset - pieces->total;
	if (pp_composed_input_file(pieces, f.data.offset, f.data.size))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

int pp_container_bare(struct pp_input *source, bool foreign, struct pp_error *error)
{
	const struct pp_file f = { .foreign = foreign };
	uint64_t length;
	uint8_t *p = pp_composed_input_room(&source->pieces, PP_PIPE_HEADER);

	if (pp_input_length(source, &length))
		return pp_fail_os(error, "cannot read");
	if (!p || pp_composed_input_file(&source->pieces, 0, length))
		return pp_fail(error, PP_E_NOMEM, NULL);
	pp_stream_header(p, f.foreign);
	source->pieces.data = PP_PIPE_HEADER;
	source->pieces.shift = -(uint64_t)PP_PIPE_HEADER;
	return 0;
}
