/*
 * container_file.c - the on-disk perf.data file, handed on as a pipe stream: a header, an
 * attribute record for each entry of its table, a feature record for each of its sections, then
 * its data as they lie.  All in the file's own byte order; records are not looked into.
 */
#include "read/container.h"
#include "base/byte_order.h"
#include "read/dialect.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	ATTR_LEAST = 64,              /* struct perf_event_attr of 2.6.31 */
	ATTR_MOST = 4096,
	EVENTS_MOST = 1 << 20,
	SECTION = 16,                 /* u64 offset, u64 size */
	HEADER_V1 = 72,               /* without features */
	FEATURES = 256,
	NOTES = 4 << 20,
};

/* Offsets in the file's header. */
enum { AT_SIZE = 8, AT_ATTR_SIZE = 16, AT_ATTRS = 24, AT_DATA = 40, AT_TYPES = 56, AT_FEATURES = 72 };

struct section { uint64_t offset, size; };

/* One file being turned into pieces. */
struct file {
	struct pp_source *source;
	struct pp_pieces *pieces;
	bool foreign;
	uint64_t length;              /* of the file */
	uint64_t header_size, attr_size;
	struct section attrs, data, types;
	uint64_t features[FEATURES / 64];
	struct pp_error *error;
};

/* ---- reading ---- */

/* Whether the file has these bytes; else *error says that it ends too early. */
static int check_inside(struct file *f, uint64_t offset, uint64_t size, const char *what)
{
	if (pp_fits(offset, f->length) && pp_fits(size, f->length - offset))
		return 0;
	pp_fail(f->error, PP_E_CUT, "the file ends before its %s", what);
	return pp_error_room(f->error, NULL, size, offset < f->length ? f->length - offset : 0);
}

static int get(struct file *f, void *buf, size_t size, uint64_t offset, const char *what)
{
	ssize_t n;

	if (check_inside(f, offset, size, what))
		return -1;
	n = pp_source_pread(f->source, buf, size, offset);
	if (n < 0)
		return pp_fail_os(f->error, "cannot read");
	if ((size_t)n != size)
		return pp_fail(f->error, PP_E_CUT, "the file ends before its %s", what);
	return 0;
}

static uint64_t u64_at(const struct file *f, const uint8_t *p)
{
	return pp_in_order64(p, f->foreign);
}

static struct section section_at(const struct file *f, const uint8_t *p)
{
	return (struct section){ u64_at(f, p), u64_at(f, p + 8) };
}

/* ---- writing, in the file's byte order ---- */

static void put16(const struct file *f, uint8_t *p, uint16_t v)
{
	pp_store16(p, f->foreign ? __builtin_bswap16(v) : v);
}

static void put32(const struct file *f, uint8_t *p, uint32_t v)
{
	pp_store32(p, f->foreign ? __builtin_bswap32(v) : v);
}

static void put64(const struct file *f, uint8_t *p, uint64_t v)
{
	pp_store64(p, f->foreign ? __builtin_bswap64(v) : v);
}

static uint8_t *room(struct file *f, size_t size)
{
	uint8_t *p = pp_pieces_room(f->pieces, size);

	if (!p)
		pp_fail(f->error, PP_E_NOMEM, NULL);
	return p;
}

static void head(const struct file *f, uint8_t *p, uint32_t type, uint16_t misc, size_t size)
{
	put32(f, p, type);
	put16(f, p + 4, misc);
	put16(f, p + 6, (uint16_t)size);
}

/* ---- the header ---- */

/*
 * Version 1 has the same magic in either byte order; attr_size tells.  The bitmap of features
 * is an array of unsigned long: of a 32-bit producer of the other order its halves change
 * places.  HOSTNAME is always there.
 */
static void read_features(struct file *f, const uint8_t *p)
{
	static const uint64_t hostname = UINT64_C(1) << PP_FEAT_HOSTNAME;

	for (size_t i = 0; i < FEATURES / 64; i++)
		f->features[i] = u64_at(f, p + 8 * i);
	if (!f->foreign || f->features[0] & hostname)
		return;
	for (size_t i = 0; i < FEATURES / 64; i++)
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

static int read_header(struct file *f)
{
	uint8_t h[AT_FEATURES + FEATURES / 8];
	const size_t least = HEADER_V1;

	if (get(f, h, least, 0, "header is whole"))
		return -1;
	if (!memcmp(h, "PERFFILE", 8))
		f->foreign = !sane_attr_size(pp_load64(h + AT_ATTR_SIZE));
	else
		f->foreign = memcmp(h, "PERFILE2", 8) != 0;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	if (memcmp(h, "PERFFILE", 8))
		f->foreign = !f->foreign;
#endif
	f->header_size = u64_at(f, h + AT_SIZE);
	f->attr_size = u64_at(f, h + AT_ATTR_SIZE);
	if (!sane_attr_size(f->attr_size))
		return pp_fail(f->error, PP_E_CONTAINER, "a perf.data file with attributes of %llu bytes",
			       (unsigned long long)f->attr_size);
	f->attrs = section_at(f, h + AT_ATTRS);
	f->data = section_at(f, h + AT_DATA);
	f->types = section_at(f, h + AT_TYPES);
	if (f->header_size < sizeof(h))
		return 0;
	if (get(f, h, sizeof(h), 0, "header is whole"))
		return -1;
	read_features(f, h + AT_FEATURES);
	memcpy(f->pieces->features, f->features, sizeof(f->features));
	return 0;
}

/* ---- attributes ---- */

static int add_attr(struct file *f, const uint8_t *entry)
{
	const size_t have = f->attr_size - SECTION;
	const struct section ids = section_at(f, entry + have);
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
		uint8_t *p = room(f, whole);

		if (!p)
			return -1;
		head(f, p, PP_REC_HEADER_ATTR, 0, whole);
		memcpy(p + PP_HEADER_SIZE, entry, size);
		put32(f, p + PP_HEADER_SIZE + 4, size);
		if (n && get(f, p + PP_HEADER_SIZE + size, 8 * n, at, "event ids"))
			return -1;
		at += 8 * n;
		left -= n;
	} while (left);
	return 0;
}

static int add_attrs(struct file *f)
{
	const uint64_t n = f->attrs.size / f->attr_size;
	uint8_t entry[ATTR_MOST];

	if (n > EVENTS_MOST)
		return pp_fail(f->error, PP_E_CONTAINER, "a perf.data file with %llu events",
			       (unsigned long long)n);
	for (uint64_t i = 0; i < n; i++)
		if (get(f, entry, f->attr_size, f->attrs.offset + i * f->attr_size, "attributes") ||
		    add_attr(f, entry))
			return -1;
	return 0;
}

/* Names of events in files of perf before 3.0: u64 event id, char name[64]. */
static int add_event_types(struct file *f)
{
	enum { ENTRY = 72 };
	const uint64_t n = f->types.size / ENTRY;

	if (!pp_fits(f->types.offset, f->length) || !pp_fits(f->types.size, f->length - f->types.offset))
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *p = room(f, PP_HEADER_SIZE + ENTRY);

		if (!p)
			return -1;
		head(f, p, PP_REC_HEADER_EVENT_TYPE, 0, PP_HEADER_SIZE + ENTRY);
		if (get(f, p + PP_HEADER_SIZE, ENTRY, f->types.offset + i * ENTRY, "event names"))
			return -1;
	}
	return 0;
}

/* ---- feature sections ---- */

static int add_tracing_data(struct file *f, struct section s)
{
	uint8_t *p;
	const uint64_t padded = pp_align8(s.size);

	if (!s.size || s.size > UINT32_MAX - 8)
		return 0;
	if (check_inside(f, s.offset, s.size, "tracing data"))
		return -1;
	p = room(f, 16);
	if (!p)
		return -1;
	head(f, p, PP_REC_HEADER_TRACING_DATA, 0, 16);
	put32(f, p + 8, (uint32_t)padded);
	put32(f, p + 12, 0);
	if (pp_pieces_file(f->pieces, s.offset, s.size))
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	if (padded > s.size && !(p = room(f, padded - s.size)))
		return -1;
	if (padded > s.size)
		memset(p, 0, padded - s.size);
	return 0;
}

/*
 * Entries are HEADER_BUILD_ID records whose type is not set and whose size is not padded.
 * Before 2.6.35 they had no pid: then the name of the kernel's entry begins 4 bytes early.
 */
static bool without_pid(const uint8_t *entries, size_t length)
{
	static const char kernel[] = "[kernel.kallsyms]";

	return length >= 32 + sizeof(kernel) && !memcmp(entries + 32, kernel, sizeof(kernel) - 1);
}

static int add_build_id(struct file *f, const uint8_t *entry, size_t size, bool no_pid)
{
	const size_t whole = pp_align8(size + (no_pid ? 4 : 0));
	uint8_t *p = room(f, whole);

	if (!p)
		return -1;
	memset(p, 0, whole);
	head(f, p, PP_REC_HEADER_BUILD_ID, pp_in_order16(entry + 4, f->foreign), whole);
	if (no_pid)
		put32(f, p + 8, UINT32_MAX);
	memcpy(p + 8 + (no_pid ? 4 : 0), entry + 8, size - 8);
	return 0;
}

static int add_build_ids(struct file *f, struct section s)
{
	enum { MOST = 1 << 26, LEAST = 36 };
	uint8_t *entries;
	size_t at = 0;
	int status = 0;
	bool no_pid;

	if (s.size > MOST)
		return pp_fail(f->error, PP_E_CONTAINER, "a perf.data file with %llu bytes of build-ids",
			       (unsigned long long)s.size);
	entries = malloc(s.size ? s.size : 1);
	if (!entries)
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	status = get(f, entries, s.size, s.offset, "build-ids");
	no_pid = !status && without_pid(entries, s.size);
	while (!status && pp_fits(PP_HEADER_SIZE, s.size - at)) {
		const size_t size = pp_in_order16(entries + at + 6, f->foreign);

		if (size < LEAST || !pp_fits(size, s.size - at) || !pp_fits(size, PP_RECORD_MAX - 8))
			break;
		status = add_build_id(f, entries + at, size, no_pid);
		at += size;
	}
	free(entries);
	return status;
}

/* hiperf has the command line as one text, where perf has a list of them; a file that was made of
 * such a stream has the list.  No list is as long as its number of texts. */
static bool is_one_text(struct file *f, struct section s)
{
	uint8_t length[4];

	return pp_dialect_of(f->features) == PP_DIALECT_HIPERF && s.size > sizeof(length) &&
	       !get(f, length, sizeof(length), s.offset, "feature sections") &&
	       pp_in_order32(length, f->foreign) == s.size - sizeof(length);
}

static int add_feature(struct file *f, unsigned number, struct section s)
{
	const size_t more = number == PP_FEAT_CMDLINE && is_one_text(f, s) ? 4 : 0;
	const size_t whole = PP_HEADER_SIZE + 8 + more + s.size;
	uint8_t *p;

	/* In a stream a feature with nothing in it is the end of features. */
	if (!s.size)
		return 0;
	/* It cannot be said in a stream; perf leaves such out as well. */
	if (s.size > PP_RECORD_MAX - PP_HEADER_SIZE - 8 - 4)
		return pp_pieces_left_out(f->pieces, number);
	if (check_inside(f, s.offset, s.size, "feature sections"))
		return -1;
	p = room(f, whole);
	if (!p)
		return -1;
	head(f, p, PP_REC_HEADER_FEATURE, 0, whole);
	put64(f, p + 8, number);
	if (more)
		put32(f, p + 16, 1);
	return get(f, p + 16 + more, s.size, s.offset, "feature sections");
}

/* ---- names of events ---- */

static int add_name(struct file *f, uint64_t id, const char *name)
{
	uint8_t buf[PP_HEADER_SIZE + 16 + 4096];
	struct pp_record rec;
	struct pp_build b;
	size_t size;
	uint8_t *p;

	pp_build(&b, buf, sizeof(buf), PP_REC_EVENT_UPDATE, 0, NULL);
	pp_build_u64(&b, "type", 2);
	pp_build_u64(&b, "id", id);
	pp_build_text(&b, "name", name);
	size = pp_build_end(&b);
	/* a name that no record can hold is in EVENT_DESC still */
	if (!size)
		return 0;
	if (pp_record_at(&rec, buf, size, f->error) ||
	    (f->foreign && pp_convert(&rec, PP_FROM_HOST, f->error)))
		return -1;
	p = room(f, size);
	if (!p)
		return -1;
	memcpy(p, buf, size);
	return 0;
}

static int add_names_of(struct file *f, const struct pp_record *rec)
{
	char name[4096] = "";
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token != PP_VALUE)
			continue;
		if (c.field->is == PP_IS_EVENT_NAME) {
			size_t length;
			const char *text = pp_walk_text(&c, &length);

			snprintf(name, sizeof(name), "%.*s", (int)length, text);
		} else if (c.field->is == PP_IS_EVENT_ID && c.count && *name) {
			if (add_name(f, pp_walk_u64(&c, 0), name))
				return -1;
			*name = 0;
		}
	}
	return 0;
}

/* perf takes the names of a stream's events from EVENT_UPDATE records, not from EVENT_DESC. */
static int add_names(struct file *f, struct section s)
{
	uint8_t *buf;
	struct pp_record rec;
	const size_t whole = PP_HEADER_SIZE + 8 + s.size;
	int status;

	if (!s.size || s.size > PP_RECORD_MAX - PP_HEADER_SIZE - 8)
		return 0;
	buf = malloc(whole);
	if (!buf)
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	pp_store32(buf, PP_REC_HEADER_FEATURE);
	pp_store16(buf + 4, 0);
	pp_store16(buf + 6, (uint16_t)whole);
	put64(f, buf + 8, PP_FEAT_EVENT_DESC);
	status = get(f, buf + 16, s.size, s.offset, "feature sections") ||
		 pp_record_at(&rec, buf, whole, f->error) ? -1 : 0;
	/* one that cannot be read names nothing: whoever reads the feature will say so */
	if (!status && !(f->foreign && pp_convert(&rec, PP_TO_HOST, NULL)))
		status = add_names_of(f, &rec);
	free(buf);
	return status;
}

/* The index of AUX traces points into the file, and DIR_FORMAT speaks of a folder: neither is
 * true of a stream. */
static int add_section(struct file *f, unsigned number, struct section s)
{
	switch (number) {
	case PP_FEAT_TRACING_DATA: return add_tracing_data(f, s);
	case PP_FEAT_BUILD_ID:     return add_build_ids(f, s);
	case PP_FEAT_AUXTRACE:
	case PP_FEAT_DIR_FORMAT:   return 0;
	default:                   return add_feature(f, number, s);
	}
}

/* In the order of a stream: what perf record writes as features, then the tracing data, then
 * build-ids, which belong to maps. */
static int add_features(struct file *f)
{
	static const unsigned late[] = { PP_FEAT_TRACING_DATA, PP_FEAT_BUILD_ID };
	uint64_t at = f->data.offset + f->data.size;
	struct section after[2] = { { 0, 0 }, { 0, 0 } }, names = { 0, 0 };

	for (unsigned i = 0; i < FEATURES; i++) {
		uint8_t entry[SECTION];
		struct section s;

		if (!(f->features[i / 64] >> i % 64 & 1))
			continue;
		if (get(f, entry, sizeof(entry), at, "table of features"))
			return -1;
		at += SECTION;
		s = section_at(f, entry);
		if (i == PP_FEAT_EVENT_DESC)
			names = s;
		if (i == late[0] || i == late[1])
			after[i == late[1]] = s;
		else if (add_section(f, i, s))
			return -1;
	}
	for (size_t i = 0; i < 2; i++)
		if (after[i].size && add_section(f, late[i], after[i]))
			return -1;
	return add_names(f, names);
}

/* perf inject from a stream to a file leaves the stream's own attributes and features in the
 * data: told twice, each event would be two. */
static bool tells_itself(struct file *f)
{
	uint8_t first[PP_HEADER_SIZE];

	return pp_source_pread(f->source, first, sizeof(first), f->data.offset) == sizeof(first) &&
	       pp_in_order32(first, f->foreign) == PP_REC_HEADER_ATTR;
}

/*
 * Notes that the data begin with, where pp-save put them: in a stream they come first of all.
 * What follows them are the data.
 */
static int add_notes(struct file *f)
{
	uint8_t start[PP_HEADER_SIZE + 8];
	struct pp_record rec = { .data = start };
	uint64_t size = 0;

	while (size < NOTES && size < f->data.size &&
	       pp_source_pread(f->source, start, sizeof(start), f->data.offset + size) == sizeof(start)) {
		rec.type = pp_in_order32(start, f->foreign);
		rec.size = pp_in_order16(start + 6, f->foreign);
		if (!pp_is_note(&rec) || !pp_fits(rec.size, f->data.size - size))
			break;
		size += rec.size;
	}
	if (size && pp_pieces_file(f->pieces, f->data.offset, size))
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	f->data.offset += size;
	f->data.size -= size;
	return 0;
}

/* What stands before the data. */
static int add_prelude(struct file *f)
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

int pp_container_file(struct pp_source *source, struct pp_error *error)
{
	struct pp_pieces *pieces = &source->pieces;
	struct file f = { .source = source, .pieces = pieces, .error = error };
	uint8_t *p;

	if (pp_source_length(source, &f.length))
		return pp_fail_os(error, "cannot read");
	if (read_header(&f) || !(p = room(&f, PP_PIPE_HEADER)))
		return -1;
	put64(&f, p, pp_load64("PERFILE2"));
	put64(&f, p + 8, PP_PIPE_HEADER);
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
	if (pp_pieces_file(pieces, f.data.offset, f.data.size))
		return pp_fail(error, PP_E_NOMEM, NULL);
	return 0;
}

int pp_container_bare(struct pp_source *source, bool foreign, struct pp_error *error)
{
	const struct file f = { .foreign = foreign };
	uint64_t length;
	uint8_t *p = pp_pieces_room(&source->pieces, PP_PIPE_HEADER);

	if (pp_source_length(source, &length))
		return pp_fail_os(error, "cannot read");
	if (!p || pp_pieces_file(&source->pieces, 0, length))
		return pp_fail(error, PP_E_NOMEM, NULL);
	put64(&f, p, pp_load64("PERFILE2"));
	put64(&f, p + 8, PP_PIPE_HEADER);
	source->pieces.data = PP_PIPE_HEADER;
	source->pieces.shift = -(uint64_t)PP_PIPE_HEADER;
	return 0;
}
