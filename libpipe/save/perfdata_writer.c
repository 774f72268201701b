/*
 * perfdata_writer.c - records of a stream to an on-disk perf.data file: which section each goes to,
 * and where the sections lie.
 *
 * The file grows in the order of the stream: 104 bytes for the header, the tracing data if they
 * come first as perf sends them, ids and attributes, data, the table of features, the features,
 * and ids and attributes once more if some came late.  The header is written last, so that a file
 * which is not whole is no perf.data file.
 */
#include <perfpipe/perfpipe.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/spool.h"
#include "model/attribution.h"
#include "input/detect_format.h"
#include "write/writer_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

enum {
	FILE_HEADER = 104,
	FEATURES = 256,               /* bits in the header */
	ATTR_LEAST = 64,              /* PERF_ATTR_SIZE_VER0 */
	ATTR_KEPT = 128,              /* perf before 6.3 reads no larger one */
	ATTR_MOST = 4096,             /* of a kernel's page: none is larger */
	NAME_ALIGN = 64,              /* as perf pads names */
	FEATURE_HEAD = 16,            /* of a HEADER_FEATURE: header, number */
	BUILD_ID_HEAD = 36,           /* of an entry of BUILD_ID */
	ID_SIZE = 20,
	EVENT_UPDATE_NAME = 2,
	HARDWARE = 0, SOFTWARE = 1, HARDWARE_CACHE = 3,              /* enum perf_type_id */
	BRANCH_CALL_STACK = 1 << 11,
	/* What may be kept in memory. */
	LATE_TRACING = 64 << 20,
	BUILD_IDS = 16 << 20,
	NOTES = 4 << 20,
	AUX_INDEX = 1 << 20,          /* entries */
};

struct saved_section {
	bool there;
	uint64_t offset;              /* 0: not written yet */
	struct pp_buffer bytes;
	uint64_t size;                /* of one that is in the file already */
};

struct saved_event {
	struct pp_buffer bytes;           /* its attribute, without zeros at the end */
	const struct pp_attr *attr;   /* the stream's, for ids and name */
};

/* Where the bytes go that follow a record. */
enum saved_tail { NOWHERE, TO_FILE, TO_TRACING };

struct pp_save {
	int fd;
	struct pp_writer *out;
	struct pp_compressor *z;      /* NULL: records are stored as they are */
	uint64_t raw, packed;         /* bytes that were compressed, and the carriers of them */
	uint64_t undone;              /* bytes that were taken back from the file */
	bool in_data;
	uint64_t data_at, data_end;
	struct saved_event *events;
	size_t n_events, events_room;
	size_t attr_size;             /* of each in the file */
	size_t events_saved;          /* how many the section in front has */
	uint64_t attrs_at;
	bool named, typed;            /* the stream had names; as in old ones, by type */
	bool stat;
	bool damaged;                 /* what was read for it was, or was left out for damage */
	uint64_t first, last;         /* times of samples */
	struct pp_buffer notes;           /* for the beginning of the data, or their end */
	struct saved_section sections[FEATURES];
	struct pp_idmap seen;         /* hashes of the build-ids */
	/* They go to the front, before the maps that would say of which files those are that name a path. */
	struct pp_attribution files;
	enum saved_tail tail;
	uint64_t tail_left, tail_from;/* tail_from: where the file ends without what is not whole */
	struct pp_save_stats stats;
};

/* ---- Bytes that are kept ---- */

static int no_memory(struct pp_error *error)
{
	pp_fail(error, PP_E_NOMEM, NULL);
	return pp_error_fatal(error, true);
}

/* `size` more bytes (not 0), zeroed, or NULL. */
static uint8_t *grow(struct pp_buffer *b, size_t size)
{
	uint8_t *const to = pp_buffer_room(b, size, NULL);

	b->size += to ? size : 0;
	return to ? memset(to, 0, size) : NULL;
}

static int keep32(struct pp_buffer *b, uint32_t value, struct pp_error *error)
{
	return pp_buffer_add(b, &value, sizeof(value), error);
}

static int keep64(struct pp_buffer *b, uint64_t value, struct pp_error *error)
{
	return pp_buffer_add(b, &value, sizeof(value), error);
}

/* Text as perf has it in features: length, then text in zeros up to a multiple of 64. */
static int keep_name(struct pp_buffer *b, const char *text, struct pp_error *error)
{
	const size_t length = strlen(text);
	const size_t width = (length + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;
	uint8_t *to;

	if (keep32(b, (uint32_t)width, error))
		return -1;
	to = grow(b, width);
	if (!to)
		return no_memory(error);
	memcpy(to, text, length);
	return 0;
}

/* ---- Bytes that are written ---- */

/* Where in the file the next byte goes. */
static uint64_t position(const struct pp_save *s)
{
	return pp_writer_bytes(s->out) - s->undone;
}

static int align(struct pp_save *s, struct pp_error *error)
{
	static const uint8_t zeros[8];
	const uint64_t at = position(s);

	return pp_writer_copy(s->out, zeros, pp_align8(at) - at, error);
}

/* Takes back what was written from `offset` on. */
static int undo(struct pp_save *s, uint64_t offset, struct pp_error *error)
{
	if (pp_writer_flush(s->out, error))
		return -1;
	s->undone += position(s) - offset;
	if (lseek(s->fd, (off_t)offset, SEEK_SET) < 0)
		return pp_fail_output(error);
	/* a device has no length */
	if (ftruncate(s->fd, (off_t)offset) && errno != EINVAL)
		return pp_fail_output(error);
	return 0;
}

/* ---- Records that are compressed ---- */

/* Before anything in the data that is not compressed. */
static int end_carrier(struct pp_save *s, struct pp_error *error)
{
	const uint64_t from = position(s);
	const int status = s->z ? pp_compressor_flush(s->z, error) : 0;

	s->packed += position(s) - from;
	return status;
}

/* A record of the kernel. */
static int store(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	const uint64_t from = position(s);
	int status;

	if (!s->z)
		return pp_writer_put(s->out, rec->data, rec->size, error);
	status = pp_compressor_put(s->z, rec->data, rec->size, error);
	s->raw += rec->size;
	s->packed += position(s) - from;
	return status;
}

/* The section COMPRESSED.  How much smaller the records became is rounded, as perf does it. */
static int describe_compression(struct pp_save *s, struct pp_error *error)
{
	struct saved_section *section = &s->sections[PP_FEAT_COMPRESSED];
	uint8_t made[PP_COMPRESSOR_FEATURE];
	size_t size;

	if (!s->packed)
		return 0;
	size = pp_compressor_announce(s->z, (uint32_t)((s->raw + s->packed / 2) / s->packed), made);
	section->there = true;
	return pp_buffer_add(&section->bytes, made + FEATURE_HEAD, size - FEATURE_HEAD, error);
}

int pp_save_compress(struct pp_save *s, int level, struct pp_error *error)
{
	if (s->in_data || s->z)
		return pp_fail(error, PP_E_USE, "what is compressed is chosen once, before the first record");
	s->z = pp_compressor_open(1, level, s->out);
	return s->z ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* ---- Attributes and ids ---- */

/* perf reads each attribute in the length that it states and continues after it, so all are written
 * in one length; and none longer than it knows, so zeros at the end are left out. */
static size_t image_size(const struct pp_buffer *attr)
{
	return attr->size > ATTR_LEAST ? pp_align8(attr->size) : ATTR_LEAST;
}

static int take_attr(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	const uint8_t *attr = rec->data + PP_HEADER_SIZE;
	const size_t count = rec->attrs ? pp_attrs_count(rec->attrs) : 0;
	struct saved_event *added;
	size_t size;

	size = pp_fits(PP_HEADER_SIZE + 8, rec->size) ? pp_load32(attr + 4) : SIZE_MAX;
	size = size ? size : ATTR_LEAST;
	if (!count || size > ATTR_MOST || !pp_fits(size, rec->size - PP_HEADER_SIZE)) {
		pp_fail(error, PP_E_VALUE, "its size");
		return pp_error_room(error, "attr", 0, 0);
	}
	while (size > ATTR_KEPT && !attr[size - 1])
		size--;
	if (PP_GROW(&s->events, &s->events_room, s->n_events + 1, error))
		return -1;
	added = &s->events[s->n_events];
	*added = (struct saved_event){ .attr = pp_attrs_at(rec->attrs, count - 1) };
	if (pp_buffer_add(&added->bytes, attr, size, error))
		return -1;
	s->n_events++;
	if (image_size(&added->bytes) > s->attr_size)
		s->attr_size = image_size(&added->bytes);
	return 0;
}

/* Appends the attribute as it is in the file. */
static int keep_image(const struct pp_save *s, const struct saved_event *event, struct pp_buffer *to,
		      struct pp_error *error)
{
	uint8_t *image = grow(to, s->attr_size);

	if (!image)
		return no_memory(error);
	memcpy(image, event->bytes.data, event->bytes.size);
	pp_store32(image + 4, (uint32_t)s->attr_size);
	return 0;
}

/* Ids, then attributes with the places of their ids, as perf record has them. */
static int write_attrs(struct pp_save *s, struct pp_error *error)
{
	struct pp_buffer section = { .data = NULL };
	int status = align(s, error);

	for (size_t i = 0; i < s->n_events && !status; i++) {
		const struct saved_event *event = &s->events[i];
		const size_t size = event->attr->n_ids * sizeof(uint64_t);

		status = keep_image(s, event, &section, error) ||
			 keep64(&section, position(s), error) || keep64(&section, size, error) ||
			 pp_writer_copy(s->out, event->attr->ids, size, error) ? -1 : 0;
	}
	s->attrs_at = position(s);
	s->events_saved = s->n_events;
	if (!status)
		status = pp_writer_copy(s->out, section.data, section.size, error);
	pp_buffer_free(&section);
	return status;
}

static int write_notes(struct pp_save *s, struct pp_error *error)
{
	const int status = pp_writer_copy(s->out, s->notes.data, s->notes.size, error);

	s->notes.size = 0;
	return status;
}

static int begin_data(struct pp_save *s, struct pp_error *error)
{
	if (s->in_data)
		return 0;
	if (write_attrs(s, error) || align(s, error))
		return -1;
	s->in_data = true;
	s->data_at = position(s);
	return write_notes(s, error);
}

/* perf looks for ids of all records where the first event has its own, and checks it in files. */
static bool unlike(const struct pp_save *s)
{
	const struct pp_attr *first = s->n_events ? s->events[0].attr : NULL;

	for (size_t i = 0; i < s->n_events && s->n_events > 1 && !s->stat; i++) {
		const struct pp_attr *attr = s->events[i].attr;

		if (!attr->plan.id || attr->plan.id != first->plan.id ||
		    attr->plan.t_id != first->plan.t_id ||
		    pp_attr_flag(attr, PP_FLAG_sample_id_all) !=
		    pp_attr_flag(first, PP_FLAG_sample_id_all))
			return true;
	}
	return false;
}

/* ---- Features ---- */

/* Made anew from what the stream holds, or true of streams only. */
static bool is_rebuilt(uint64_t number)
{
	return number == PP_FEAT_TRACING_DATA || number == PP_FEAT_BUILD_ID ||
	       number == PP_FEAT_EVENT_DESC || number == PP_FEAT_AUXTRACE ||
	       number == PP_FEAT_DIR_FORMAT || number == PP_FEAT_COMPRESSED;
}

static int take_feature(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	struct saved_section *section;
	uint64_t number;

	/* perf does not read what comes after a damaged feature */
	if (pp_check(rec, error))
		return -1;
	number = pp_load64(rec->data + PP_HEADER_SIZE);
	if (number == PP_FEAT_EVENT_DESC)
		s->named = true;
	/* an empty one is the mark after the last, except for those that are flags */
	if (is_rebuilt(number) || (rec->size == FEATURE_HEAD && number != PP_FEAT_BRANCH_STACK &&
				   number != PP_FEAT_STAT))
		return 0;
	if (!number || number >= FEATURES) {
		s->stats.features_dropped++;
		return 0;
	}
	section = &s->sections[number];
	section->there = true;
	section->bytes.size = 0;
	return pp_buffer_add(&section->bytes, rec->data + FEATURE_HEAD,
			     (size_t)rec->size + rec->beyond - FEATURE_HEAD, error);
}

/* Whether the stream has a name that perf would not find by itself: it names events of these types
 * by their config, and does not look at names by type. */
static bool has_names(const struct pp_save *s)
{
	bool other = false;

	for (size_t i = 0; i < s->n_events; i++)
		other |= s->events[i].attr->type != HARDWARE &&
			 s->events[i].attr->type != SOFTWARE &&
			 s->events[i].attr->type != HARDWARE_CACHE;
	return s->n_events && (s->named || (s->typed && other));
}

/* EVENT_DESC, with the names from all sources. */
static int describe_events(struct pp_save *s, struct pp_error *error)
{
	struct saved_section *section = &s->sections[PP_FEAT_EVENT_DESC];
	struct pp_buffer *b = &section->bytes;

	if (!has_names(s))
		return 0;
	section->there = true;
	if (keep32(b, (uint32_t)s->n_events, error) || keep32(b, (uint32_t)s->attr_size, error))
		return -1;
	for (size_t i = 0; i < s->n_events; i++) {
		const struct pp_attr *attr = s->events[i].attr;

		if (keep_image(s, &s->events[i], b, error) ||
		    keep32(b, (uint32_t)attr->n_ids, error) || keep_name(b, attr->name, error) ||
		    pp_buffer_add(b, attr->ids, attr->n_ids * sizeof(uint64_t), error))
			return -1;
	}
	return 0;
}

/* What is known only at the end of a pipe, and flags that only files have. */
static int describe_samples(struct pp_save *s, struct pp_error *error)
{
	struct saved_section *times = &s->sections[PP_FEAT_SAMPLE_TIME];

	for (size_t i = 0; i < s->n_events; i++) {
		const struct pp_attr *attr = s->events[i].attr;

		if (attr->sample_type & PP_SAMPLE_BRANCH_STACK &&
		    !(attr->branch_type & BRANCH_CALL_STACK))
			s->sections[PP_FEAT_BRANCH_STACK].there = true;
	}
	if (s->stat)
		s->sections[PP_FEAT_STAT].there = true;
	if (!s->last)
		return 0;
	times->there = true;
	times->bytes.size = 0;
	return keep64(&times->bytes, s->first, error) || keep64(&times->bytes, s->last, error) ?
	       -1 : 0;
}

/* ---- Build-ids ---- */

/* Adds an entry, whose size is not said in it yet, unless there is one like it. */
static int add_entry(struct pp_save *s, uint8_t *entry, size_t size, struct pp_error *error)
{
	struct saved_section *section = &s->sections[PP_FEAT_BUILD_ID];
	int added;

	if (!pp_fits(size, BUILD_IDS - section->bytes.size)) {
		s->stats.build_ids_dropped++;
		return 0;
	}
	pp_store16(entry + 6, (uint16_t)size);
	added = pp_idmap_add(&s->seen, XXH3_64bits(entry, size) >> 1);
	if (added <= 0)
		return added ? no_memory(error) : 0;
	if (pp_buffer_add(&section->bytes, entry, size, error))
		return pp_error_fatal(error, true);
	section->there = true;
	s->stats.build_ids++;
	return 0;
}

/* As perf writes it: a name in zeros. */
static int add_build_id(struct pp_save *s, const uint8_t head[BUILD_ID_HEAD], const char *name, size_t length,
			struct pp_error *error)
{
	const size_t size = BUILD_ID_HEAD + (length + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;
	uint8_t entry[PP_RECORD_MAX] = { 0 };

	if (!length || size > sizeof(entry))
		return 0;
	memcpy(entry, head, BUILD_ID_HEAD);
	memcpy(entry + BUILD_ID_HEAD, name, length);
	return add_entry(s, entry, size, error);
}

/* The head of an entry: type (perf writes 0), misc, size, pid, id, its length. */
static void build_id_head(uint8_t head[BUILD_ID_HEAD], unsigned misc, uint32_t pid,
			  const uint8_t *id, uint8_t size)
{
	memset(head, 0, BUILD_ID_HEAD);
	pp_store16(head + 4, (uint16_t)(misc | (size ? PP_MISC_BUILD_ID_SIZE : 0)));
	pp_store32(head + 8, pid);
	memcpy(head + 12, id, ID_SIZE);
	head[32] = size;
}

/* One for a file of a name has all that the record says; perf reads no further than the name. */
static int add_file(struct pp_save *s, const uint8_t head[BUILD_ID_HEAD], const struct pp_record *rec,
		    struct pp_error *error)
{
	uint8_t entry[PP_RECORD_MAX];

	memcpy(entry, rec->data, rec->size);
	memcpy(entry, head, BUILD_ID_HEAD);
	return add_entry(s, entry, rec->size, error);
}

/* The record may be padded, and may end in a trailer: an entry for a name has neither. */
static int add_record(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	const unsigned kept = PP_MISC_CPUMODE | PP_MISC_BUILD_ID_FILE;
	uint8_t head[BUILD_ID_HEAD];
	uint64_t size = 0, pid;
	struct pp_cursor c;
	const char *name;
	size_t length;

	if (pp_check(rec, error))
		return -1;
	if (rec->misc & PP_MISC_BUILD_ID_SIZE && !pp_find_u64(rec, PP_IS_BUILD_ID_SIZE, &size))
		return 0;
	size = size < ID_SIZE ? size : ID_SIZE;
	if (!pp_find_u64(rec, PP_IS_PID, &pid))
		return 0;
	pp_walk(&c, rec);
	if (pp_walk_find(&c, PP_IS_BUILD_ID) <= 0 || c.count != ID_SIZE)
		return 0;
	build_id_head(head, rec->misc & kept, (uint32_t)pid, c.data, (uint8_t)size);
	if (!pp_find_text(rec, PP_IS_PATH, &name, &length) || !length)
		return 0;
	return size && rec->misc & PP_MISC_BUILD_ID_FILE ? add_file(s, head, rec, error) :
							   add_build_id(s, head, name, length, error);
}

static int take_build_id(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	uint8_t bytes[PP_RECORD_MAX + 1];
	struct pp_record made;
	int got;

	/* one whose length is not said would get one, which perf shows */
	if (!(rec->misc & PP_MISC_BUILD_ID_SIZE))
		return add_record(s, rec, error);
	got = pp_attribution_build_id(&s->files, rec, bytes, &made, error);
	return got < 0 ? pp_error_fatal(error, true) : add_record(s, got == 1 ? &made : rec, error);
}

/* Of a mapping with its file's build-id, as present kernels record it. */
static int note_mapping(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	uint8_t bytes[PP_RECORD_MAX + 1], size;
	uint8_t head[BUILD_ID_HEAD];
	struct pp_record made;
	struct pp_cursor c;
	const char *name;
	size_t length;
	const int got = pp_attribution_map(&s->files, rec, bytes, &made, error);

	if (got)
		return got < 0 ? pp_error_fatal(error, true) : add_record(s, &made, error);
	pp_walk(&c, rec);
	if (pp_walk_find(&c, PP_IS_BUILD_ID_SIZE) <= 0 || !c.value || c.value > ID_SIZE)
		return 0;
	size = (uint8_t)c.value;
	if (pp_walk_find(&c, PP_IS_BUILD_ID) <= 0 || c.count != ID_SIZE)
		return 0;
	build_id_head(head, rec->misc & PP_MISC_CPUMODE, UINT32_MAX, c.data, size);
	if (pp_walk_find(&c, PP_IS_PATH) <= 0)
		return 0;
	name = pp_walk_text(&c, &length);
	/* the kernel's map is named for a symbol too: "[kernel.kallsyms]_text" */
	if (length && *name == '[' && memchr(name, ']', length))
		length = (size_t)((const char *)memchr(name, ']', length) - name) + 1;
	return add_build_id(s, head, name, length, error);
}

/* ---- Records with a tail ---- */

static int take_tracing(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	struct saved_section *section = &s->sections[PP_FEAT_TRACING_DATA];

	(void)error;
	if (!rec->tail)
		return 0;
	if (section->there || (s->in_data && rec->tail > LATE_TRACING)) {
		s->stats.tracing_dropped++;
		return 0;
	}
	section->there = true;
	s->tail = s->in_data ? TO_TRACING : TO_FILE;
	s->tail_from = position(s);
	if (!s->in_data) {
		section->offset = position(s);
		section->size = rec->tail;
	}
	return 0;
}

static int take_aux(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_buffer *index = &s->sections[PP_FEAT_AUXTRACE].bytes;

	if (begin_data(s, error) || end_carrier(s, error))
		return -1;
	s->tail = TO_FILE;
	s->tail_from = position(s);
	if (s->stats.aux == AUX_INDEX) {
		s->stats.aux_dropped = true;
		return pp_writer_put(s->out, rec->data, rec->size, error);
	}
	/* their number comes first; it is filled in at the end */
	if (!s->stats.aux++ && keep64(index, 0, error))
		return -1;
	if (keep64(index, position(s), error) || keep64(index, rec->size, error))
		return -1;
	return pp_writer_put(s->out, rec->data, rec->size, error);
}

/* The input ended before what it promised. */
static int drop_cut_record(struct pp_save *s, struct pp_error *error)
{
	struct saved_section *aux = &s->sections[PP_FEAT_AUXTRACE];

	if (!s->tail_left || s->tail == NOWHERE)
		return 0;
	if (!s->in_data || s->tail == TO_TRACING)
		s->sections[PP_FEAT_TRACING_DATA].there = false;
	if (s->tail != TO_FILE)
		return 0;
	if (s->in_data && !s->stats.aux_dropped && s->stats.aux) {
		aux->bytes.size -= 2 * sizeof(uint64_t);
		s->stats.aux--;
	}
	return undo(s, s->tail_from, error);
}

int pp_save_tail(struct pp_save *s, const void *piece, size_t size, struct pp_error *error)
{
	s->tail_left -= size < s->tail_left ? size : s->tail_left;
	if (s->tail == TO_FILE)
		return pp_writer_put(s->out, piece, size, error);
	if (s->tail == TO_TRACING)
		return pp_buffer_add(&s->sections[PP_FEAT_TRACING_DATA].bytes, piece, size, error);
	return 0;
}

/* ---- Records ---- */

static int pass(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	return begin_data(s, error) || end_carrier(s, error) ||
	       pp_writer_put(s->out, rec->data, rec->size, error) ? -1 : 0;
}

/* A note is one more round to perf: that harms nothing only before all records, and after them. */
static int take_note(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	if (!pp_fits(rec->size, NOTES - s->notes.size)) {
		s->stats.notes_dropped++;
		return 0;
	}
	return pp_buffer_add(&s->notes, rec->data, rec->size, error);
}

/* A file has its sizes instead of seals, but no place of its own for what a seal says of damage. */
static int take_round(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_seal seal;

	if (pp_is_note(rec))
		return take_note(s, rec, error);
	if (!pp_is_seal(rec, &seal))
		return pass(s, rec, error);
	pp_save_flags(s, seal.flags);
	if (!seal.number || seal.flags & PP_SEAL_END)
		return 0;
	if (begin_data(s, error) || end_carrier(s, error))
		return -1;
	return pp_writer_round(s->out, error);
}

static int take_update(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t type;

	if (!pp_find_u64(rec, PP_IS_KIND, &type) || type != EVENT_UPDATE_NAME)
		return pass(s, rec, error);
	s->named = true;
	return 0;
}

static int take_event_type(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	(void)rec;
	(void)error;
	s->typed = true;
	return 0;
}

static int take_stat(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	s->stat = true;
	return pass(s, rec, error);
}

static const struct taker {
	uint32_t type;
	int (*take)(struct pp_save *, const struct pp_record *, struct pp_error *);
} takers[] = {
	{ PP_REC_HEADER_ATTR, take_attr },
	{ PP_REC_HEADER_EVENT_TYPE, take_event_type },
	{ PP_REC_HEADER_TRACING_DATA, take_tracing },
	{ PP_REC_HEADER_BUILD_ID, take_build_id },
	{ PP_REC_FINISHED_ROUND, take_round },
	{ PP_REC_AUXTRACE, take_aux },
	{ PP_REC_STAT_CONFIG, take_stat },
	{ PP_REC_STAT, take_stat },
	{ PP_REC_STAT_ROUND, take_stat },
	{ PP_REC_EVENT_UPDATE, take_update },
	{ PP_REC_HEADER_FEATURE, take_feature },
};

static int take_user(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	s->tail = NOWHERE;
	s->tail_left = rec->tail;
	for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++)
		if (takers[i].type == rec->type)
			return takers[i].take(s, rec, error);
	return pass(s, rec, error);
}

static void note_time(struct pp_save *s, const struct pp_record *rec)
{
	uint64_t ns;

	if (!pp_time(rec, &ns))
		return;
	if (ns > s->last)
		s->last = ns;
	if (ns < s->first || !s->first)
		s->first = ns;
}

static int take(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	if (rec->type >= PP_USER_TYPES)
		return take_user(s, rec, error);
	if (rec->type == PP_REC_SAMPLE)
		note_time(s, rec);
	else if (rec->type == PP_REC_MMAP2 && !(rec->misc & PP_MISC_MMAP_DATA) &&
		 note_mapping(s, rec, error))
		return -1;
	if (!s->in_data && begin_data(s, error))
		return -1;
	return store(s, rec, error);
}

void pp_save_flags(struct pp_save *s, uint32_t flags)
{
	s->damaged |= (flags & PP_SEAL_DAMAGED) != 0;
}

int pp_save_record(struct pp_save *s, const struct pp_record *rec, struct pp_error *error)
{
	const int status = take(s, rec, error);

	s->damaged |= status < 0;
	return status;
}

/* ---- The end ---- */

/* The table of features, then those that are not in the file yet, in the same order. */
static int write_features(struct pp_save *s, struct pp_error *error)
{
	struct saved_section *section, *end = s->sections + FEATURES;
	uint64_t at = position(s);

	for (section = s->sections; section < end; section++)
		at += section->there ? 2 * sizeof(uint64_t) : 0;
	for (section = s->sections; section < end; section++) {
		uint64_t entry[2];

		if (!section->there)
			continue;
		s->stats.features++;
		if (!section->offset)
			section->size = section->bytes.size;
		entry[0] = section->offset ? section->offset : at;
		entry[1] = section->size;
		at += section->bytes.size;
		if (pp_writer_copy(s->out, entry, sizeof(entry), error))
			return -1;
	}
	for (section = s->sections; section < end; section++)
		if (section->there && pp_writer_put(s->out, section->bytes.data, section->bytes.size, error))
			return -1;
	return 0;
}

static int write_header(const struct pp_save *s, struct pp_error *error)
{
	uint8_t header[FILE_HEADER] = { 0 };
	size_t done = 0;

	pp_store64(header, PP_MAGIC);
	pp_store64(header + 8, sizeof(header));
	pp_store64(header + 16, s->attr_size + 2 * sizeof(uint64_t));
	pp_store64(header + 24, s->attrs_at);
	pp_store64(header + 32, s->n_events * (s->attr_size + 2 * sizeof(uint64_t)));
	pp_store64(header + 40, s->data_at);
	pp_store64(header + 48, s->data_end - s->data_at);
	for (size_t i = 0; i < FEATURES; i++) {
		uint8_t *word = header + 72 + i / 64 * 8;

		if (s->sections[i].there)
			pp_store64(word, pp_load64(word) | UINT64_C(1) << i % 64);
	}
	while (done < sizeof(header)) {
		const ssize_t n = pwrite(s->fd, header + done, sizeof(header) - done, (off_t)done);

		if (n < 0 && errno != EINTR) {
			pp_fail_output(error);
			return pp_error_fatal(error, true);
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* perf takes a file without data for one that was not finished, and reads on to its end. */
static int end_data(struct pp_save *s, struct pp_error *error)
{
	if (drop_cut_record(s, error) || begin_data(s, error) || end_carrier(s, error) ||
	    write_notes(s, error))
		return -1;
	/* it is not sealed: an END comes after damage alone */
	if (pp_writer_end(s->out, s->damaged ? PP_SEAL_DAMAGED : 0, error))
		return -1;
	if (position(s) == s->data_at && pp_writer_round(s->out, error))
		return -1;
	s->data_end = position(s);
	s->stats.data = s->data_end - s->data_at;
	return 0;
}

int pp_save_end(struct pp_save *s, struct pp_error *error)
{
	struct saved_section *aux = &s->sections[PP_FEAT_AUXTRACE];

	if (end_data(s, error) || describe_events(s, error) || describe_samples(s, error) ||
	    describe_compression(s, error))
		return -1;
	/* perf looks for AUX traces itself if there is no index, but believes one that is there */
	aux->there = s->stats.aux && !s->stats.aux_dropped;
	if (aux->there)
		pp_store64(aux->bytes.data, s->stats.aux);
	if (write_features(s, error))
		return -1;
	if (s->events_saved != s->n_events && write_attrs(s, error))
		return -1;
	s->stats.events = (uint32_t)s->n_events;
	s->stats.unlike = unlike(s);
	if (pp_writer_flush(s->out, error))
		return -1;
	return write_header(s, error);
}

const struct pp_save_stats *pp_save_stats(const struct pp_save *s)
{
	return &s->stats;
}

int pp_save_flush(struct pp_save *s, struct pp_error *error)
{
	return pp_writer_flush(s->out, error);
}

/* ---- From open to close ---- */

struct pp_save *pp_save_open(int fd, struct pp_error *error)
{
	static const uint8_t header[FILE_HEADER];
	struct pp_save *s;

	if (lseek(fd, 0, SEEK_CUR) < 0) {
		if (errno != ESPIPE)
			pp_fail_output(error);
		else
			pp_fail(error, PP_E_USE, "a perf.data file can only be written where "
				"seeking is possible");
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		no_memory(error);
		return NULL;
	}
	s->fd = fd;
	s->attr_size = ATTR_LEAST;
	s->out = pp_writer_open(fd, PP_SEAL_NO);
	if (!s->out)
		no_memory(error);
	if (!s->out || pp_writer_put(s->out, header, sizeof(header), error)) {
		pp_save_close(s);
		return NULL;
	}
	return s;
}

void pp_save_close(struct pp_save *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_events; i++)
		pp_buffer_free(&s->events[i].bytes);
	for (size_t i = 0; i < FEATURES; i++)
		pp_buffer_free(&s->sections[i].bytes);
	free(s->events);
	pp_idmap_close(&s->seen);
	pp_attribution_close(&s->files);
	pp_buffer_free(&s->notes);
	pp_compressor_close(s->z);
	pp_writer_close(s->out);
	free(s);
}
