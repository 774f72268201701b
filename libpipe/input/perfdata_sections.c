/* perfdata_sections.c - the feature sections of a perf.data file as the records that a stream has for
 * them. */
#include "input/perfdata_file.h"
#include "input/detect_format.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	LONG_SIZE = PP_RECORD_MAX / 8 * 8,    /* of a feature that goes on beyond its record */
	LONG_MOST = 8 << 20,          /* bytes of such a one: CACHE of some 20,000 CPUs */
};

static int add_tracing_data(struct pp_file *f, struct pp_section s)
{
	uint8_t *p;
	const uint64_t padded = pp_align8(s.size);

	if (!s.size || s.size > UINT32_MAX - 8)
		return 0;
	if (pp_file_check(f, s.offset, s.size, "tracing data"))
		return -1;
	p = pp_file_room(f, 16);
	if (!p)
		return -1;
	pp_file_head(f, p, PP_REC_HEADER_TRACING_DATA, 0, 16);
	pp_store_order32(p + 8, (uint32_t)padded, f->foreign);
	pp_store_order32(p + 12, 0, f->foreign);
	if (pp_composed_input_file(f->pieces, s.offset, s.size))
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	if (padded > s.size && !(p = pp_file_room(f, padded - s.size)))
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

static int add_build_id(struct pp_file *f, const uint8_t *entry, size_t size, bool no_pid)
{
	const size_t whole = pp_align8(size + (no_pid ? 4 : 0));
	uint8_t *p = pp_file_room(f, whole);

	if (!p)
		return -1;
	memset(p, 0, whole);
	pp_file_head(f, p, PP_REC_HEADER_BUILD_ID, pp_in_order16(entry + 4, f->foreign), whole);
	if (no_pid)
		pp_store_order32(p + 8, UINT32_MAX, f->foreign);
	memcpy(p + 8 + (no_pid ? 4 : 0), entry + 8, size - 8);
	return 0;
}

static int add_build_ids(struct pp_file *f, struct pp_section s)
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
	status = pp_file_get(f, entries, s.size, s.offset, "build-ids");
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
static bool is_one_text(struct pp_file *f, struct pp_section s)
{
	uint8_t length[4];

	return pp_dialect_of(f->features) == PP_DIALECT_HIPERF && s.size > sizeof(length) &&
	       !pp_file_get(f, length, sizeof(length), s.offset, "feature sections") &&
	       pp_in_order32(length, f->foreign) == s.size - sizeof(length);
}

/* What no record can hold is beside the stream, as a record that goes on beyond its size. */
static int keep_feature(struct pp_file *f, unsigned number, struct pp_section s)
{
	struct pp_record rec = {
		.type = PP_REC_HEADER_FEATURE, .size = LONG_SIZE, .foreign = f->foreign,
		.beyond = (uint32_t)(PP_HEADER_SIZE + 8 + s.size - LONG_SIZE),
		.data = malloc(PP_HEADER_SIZE + 8 + s.size),
	};

	if (!rec.data)
		return pp_fail(f->error, PP_E_NOMEM, NULL);
	pp_file_head(f, rec.data, PP_REC_HEADER_FEATURE, 0, LONG_SIZE);
	pp_store_order64(rec.data + 8, number, f->foreign);
	if (pp_file_get(f, rec.data + 16, s.size, s.offset, "feature sections")) {
		free(rec.data);
		return -1;
	}
	/* damaged: it is left out alone */
	if (rec.foreign && pp_convert(&rec, PP_TO_HOST, NULL)) {
		free(rec.data);
		return 0;
	}
	rec.foreign = false;
	if (!pp_composed_input_keep(f->pieces, &rec))
		return 0;
	free(rec.data);
	return pp_fail(f->error, PP_E_NOMEM, NULL);
}

static int add_feature(struct pp_file *f, unsigned number, struct pp_section s)
{
	const size_t more = number == PP_FEAT_CMDLINE && is_one_text(f, s) ? 4 : 0;
	const size_t whole = PP_HEADER_SIZE + 8 + more + s.size;
	uint8_t *p;

	/* In a stream a feature with nothing in it is the end of features. */
	if (!s.size)
		return 0;
	if (pp_file_check(f, s.offset, s.size, "feature sections"))
		return -1;
	/* It cannot be said in a stream; perf leaves such out as well. */
	if (s.size > PP_RECORD_MAX - PP_HEADER_SIZE - 8 - 4) {
		(void)pp_composed_input_left_out(f->pieces, number);
		return s.size > LONG_MOST || number >= 64 ? 0 : keep_feature(f, number, s);
	}
	p = pp_file_room(f, whole);
	if (!p)
		return -1;
	pp_file_head(f, p, PP_REC_HEADER_FEATURE, 0, whole);
	pp_store_order64(p + 8, number, f->foreign);
	if (more)
		pp_store_order32(p + 16, 1, f->foreign);
	return pp_file_get(f, p + 16 + more, s.size, s.offset, "feature sections");
}

/* ---- names of events ---- */

static int add_name(struct pp_file *f, uint64_t id, const char *name)
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
	p = pp_file_room(f, size);
	if (!p)
		return -1;
	memcpy(p, buf, size);
	return 0;
}

static int add_names_of(struct pp_file *f, const struct pp_record *rec)
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
int pp_file_add_names(struct pp_file *f, struct pp_section s)
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
	pp_store_order64(buf + 8, PP_FEAT_EVENT_DESC, f->foreign);
	status = pp_file_get(f, buf + 16, s.size, s.offset, "feature sections") ||
		 pp_record_at(&rec, buf, whole, f->error) ? -1 : 0;
	/* one that cannot be read names nothing: reading the feature will report it */
	if (!status && !(f->foreign && pp_convert(&rec, PP_TO_HOST, NULL)))
		status = add_names_of(f, &rec);
	free(buf);
	return status;
}

/* The index of AUX traces points into the file, and DIR_FORMAT speaks of a folder: neither is
 * true of a stream. */
int pp_file_add_section(struct pp_file *f, unsigned number, struct pp_section s)
{
	switch (number) {
	case PP_FEAT_TRACING_DATA: return add_tracing_data(f, s);
	case PP_FEAT_BUILD_ID:     return add_build_ids(f, s);
	case PP_FEAT_AUXTRACE:
	case PP_FEAT_DIR_FORMAT:   return 0;
	default:                   return add_feature(f, number, s);
	}
}
