/* scrub.c - records field by field, as the tables say what becomes of each, into records that are written. */
#include "scrub/scrub_state.h"

#include "base/byte_order.h"
#include "base/sized_options.h"
#include "format/format.h"
#include "format/payload.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_ALIGN = 64 };       /* perf rounds the texts in features up to this */

const char pp_scrub_excepted[] =
	"libc.so*,libc-[0-9]*,ld-linux*,ld-musl-*,ld-[0-9]*,libstdc++.so*,libm.so*,libm-[0-9]*,"
	"libpthread.so*,libpthread-[0-9]*,libgcc_s.so*,libgcc_s-[0-9]*,kernel";

/* A record that is walked: what of it is in ->out already, and whether anything was changed. */
struct scrub_walk {
	struct pp_scrub *s;
	const struct pp_record *rec;
	struct pp_cursor c;
	size_t copied;                /* bytes of the record that were taken or passed over */
	bool changed, cut;
};

/* ---- The bytes ---- */

/* Takes all bytes up to a place as they are. */
static int take_up_to(struct scrub_walk *w, size_t to, struct pp_error *error)
{
	if (to > w->copied && pp_buffer_add(&w->s->out, w->rec->data + w->copied, to - w->copied, error))
		return -1;
	w->copied = to;
	return 0;
}

/* Puts other bytes in the place of the field at hand, and zeros after them. */
static int put_field(struct scrub_walk *w, const void *data, size_t size, size_t width,
		     struct pp_error *error)
{
	const size_t at = (size_t)(w->c.data - w->rec->data), was = (size_t)w->c.count * w->c.width;
	uint8_t *to;

	if (take_up_to(w, at, error))
		return -1;
	to = pp_buffer_room(&w->s->out, width, error);
	if (!to)
		return -1;
	memcpy(to, data, size);
	memset(to + size, 0, width - size);
	w->changed |= width != was || memcmp(to, w->c.data, was) != 0;
	w->s->out.size += width;
	w->copied = at + was;
	return 0;
}

static int put_zeros(struct scrub_walk *w, struct pp_error *error)
{
	return put_field(w, "", 0, (size_t)w->c.count * w->c.width, error);
}

/* ---- Texts ---- */

/* The room for a text of this length in the place of one of another, in ->out from its end on. */
static size_t width_of_text(const struct scrub_walk *w, size_t length, size_t was)
{
	const size_t at = w->s->out.size;

	if (length == was || w->c.field->kind == PP_CHARS)
		return w->c.count;
	if (w->c.field->kind == PP_STR || w->c.field->kind == PP_STR8)
		return (size_t)pp_align8(at + length + 1) - at;
	return length < w->c.count ? w->c.count : (length + NAME_ALIGN) / NAME_ALIGN * NAME_ALIGN;
}

static int put_text(struct scrub_walk *w, struct pp_error *error)
{
	struct pp_scrub *const s = w->s;
	size_t was, width;
	const char *const text = pp_walk_text(&w->c, &was);

	s->text.size = 0;
	if (pp_scrub_text(s, w->c.field->hide, text, was, error) ||
	    take_up_to(w, (size_t)(w->c.data - w->rec->data), error))
		return -1;
	width = width_of_text(w, s->text.size, was);
	if (w->c.field->kind == PP_CHARS && s->text.size >= width && s->text.size != was) {
		s->text.size = 0;
		if (pp_scrub_text(s, PP_HIDE_TEXT, text, was, error))
			return -1;
		if (s->text.size >= width)
			s->text.size = width ? width - 1 : 0;
	}
	if (w->c.field->kind == PP_LSTR || w->c.field->kind == PP_STRS)
		pp_store32(s->out.data + s->out.size - sizeof(uint32_t), (uint32_t)width);
	return put_field(w, s->text.size ? (const void *)s->text.data : "", s->text.size, width, error);
}

/* ---- Numbers ---- */

static int put_number(struct scrub_walk *w, uint64_t value, struct pp_error *error)
{
	uint8_t bytes[8];

	pp_store_width(bytes, w->c.width, value);
	return put_field(w, bytes, w->c.width, w->c.width, error);
}

static int put_pseudonym(struct scrub_walk *w, struct pp_error *error)
{
	const unsigned width = w->c.field->is == PP_IS_GENERATION ? 4 : w->c.width;
	uint64_t value = w->c.value;

	return pp_pseudonym_number(&w->s->names, &value, width, error) ? -1 : put_number(w, value, error);
}

static int put_digest(struct scrub_walk *w, struct pp_error *error)
{
	uint8_t bytes[PP_PSEUDONYM_MAC];

	if (w->c.field->is == PP_IS_BUILD_ID && w->s->file_stays)
		return pp_scrub_keep_bytes(&w->s->verify, w->c.data, w->c.count, error);
	if (w->c.count > sizeof(bytes))
		return put_zeros(w, error);
	memcpy(bytes, w->c.data, w->c.count);
	return pp_pseudonym_bytes(&w->s->names, bytes, w->c.count, error) ? -1 :
		put_field(w, bytes, w->c.count, w->c.count, error);
}

/* A number that no row hides, but by what it means. */
static int put_plain(struct scrub_walk *w, struct pp_error *error)
{
	const struct pp_field *const field = w->c.field;
	uint64_t value = w->c.value;

	if (field == &pp_field_rest || field->quiet)
		return put_zeros(w, error);
	if (field->kept == offsetof(struct pp_attr, type))
		w->s->event_type = (uint32_t)value;
	if (field->is == PP_IS_SAMPLE_TYPE)
		return put_number(w, value & ~w->s->removed, error);
	if (w->c.count != 1)
		return 0;
	if (w->s->moved && pp_scrub_moved(w->s, w->rec, field, value) != value)
		return put_number(w, pp_scrub_moved(w->s, w->rec, field, value), error);
	if (!w->s->options.pids || !pp_is_task(field->is))
		return 0;
	return pp_pseudonym_pid(&w->s->names, &value, error) ? -1 : put_number(w, value, error);
}

/* ---- Fields ---- */

static bool holds_address(uint32_t event_type)
{
	return event_type >= 5;       /* PERF_TYPE_BREAKPOINT, and PMUs such as kprobe and uprobe */
}

/* Takes the field at hand out, a structure with all that is in it. */
static int take_out(struct scrub_walk *w, int token, struct pp_error *error)
{
	const size_t from = token == PP_OPEN ? (size_t)(w->c.own.at - w->rec->data) :
					       (size_t)(w->c.data - w->rec->data);

	if (take_up_to(w, from, error))
		return -1;
	for (int depth = token == PP_OPEN; depth;) {
		token = pp_walk_next(&w->c);
		if (token < 0)
			return 0;
		depth += token == PP_OPEN || token == PP_LIST_OPEN;
		depth -= token == PP_CLOSE || token == PP_LIST_CLOSE;
	}
	w->copied = (size_t)(w->c.own.at - w->rec->data);
	w->changed = w->cut = true;
	return 0;
}

static int refuse(struct scrub_walk *w, int token, struct pp_error *error)
{
	if (!w->s->options.drop_aux) {
		(void)pp_fail(error, PP_E_USE, "AUX traces cannot be scrubbed, and can be left out");
		return pp_error_at(error, w->rec->offset, w->rec->index, w->rec->type);
	}
	if (w->rec->type == PP_REC_SAMPLE)
		return take_out(w, token, error);
	w->s->drop = true;
	return 0;
}

static int scrub_field(struct scrub_walk *w, int token, struct pp_error *error)
{
	struct pp_scrub *const s = w->s;

	const enum pp_hide how = w->c.field->hide;

	if (how == PP_HIDE_REMOVE)
		return take_out(w, token, error);
	if (how == PP_HIDE_REFUSE)
		return refuse(w, token, error);
	if (token != PP_VALUE)
		return 0;
	switch (how) {
	case PP_HIDE_TEXT: case PP_HIDE_HOST: case PP_HIDE_PATH: case PP_HIDE_WORDS: case PP_HIDE_ARGUMENT:
	case PP_HIDE_SYMBOL: case PP_HIDE_KEEP:
		return put_text(w, error);
	case PP_HIDE_MACHINE:
		if (s->options.machine) {
			s->stats.machine += !s->drop;
			s->drop = true;
		} else if (pp_is_text(w->c.field) || w->c.field->kind == PP_STRS) {
			return put_text(w, error);
		}
		return 0;
	case PP_HIDE_NUMBER:  return put_pseudonym(w, error);
	case PP_HIDE_DIGEST:  return put_digest(w, error);
	case PP_HIDE_POINTER: return holds_address(s->event_type) ? put_zeros(w, error) : 0;
	case PP_HIDE_ZERO:    return put_zeros(w, error);
	case PP_HIDE_DROP:
		s->stats.dropped += !s->drop;
		s->drop = true;
		return 0;
	default:
		return put_plain(w, error);
	}
}

/* Fills ->out with what becomes of the record: a pp_verdict, or -1 and *error. */
static int scrub_fields(struct scrub_walk *w, struct pp_error *error)
{
	int token;

	pp_walk(&w->c, w->rec);
	while ((token = pp_walk_next(&w->c)) > PP_END)
		if (scrub_field(w, token, error))
			return -1;
	if (token < 0) {
		*error = w->c.error;
		return -1;
	}
	return take_up_to(w, w->rec->size, error) ? -1 : w->s->drop ? PP_DROP : PP_KEEP;
}

/* ---- Records ---- */

static bool is_known(const struct pp_record *rec)
{
	uint64_t feature;

	return pp_type(rec->type) && (rec->type != PP_REC_HEADER_FEATURE || rec->size <= PP_HEADER_SIZE + 8 ||
				      (pp_find_feature(rec, &feature) && feature <= UINT32_MAX &&
				       pp_feature((uint32_t)feature)));
}

/* Where a record's event is not known, neither is where it ends and the trailer begins. */
static bool is_nameless(const struct pp_record *rec)
{
	return !rec->attr && (rec->type == PP_REC_SAMPLE ||
			      (rec->type < PP_USER_TYPES && rec->attrs && pp_attrs_count(rec->attrs)));
}

/* The misc bits that say how the record is laid out may mislead where a device's number is another now. */
static void mend_misc(struct pp_scrub *s, const struct pp_record *rec)
{
	uint64_t inode;

	if (rec->type == PP_REC_MMAP2 && rec->misc & PP_MISC_MMAP_BUILD_ID &&
	    pp_find_u64(rec, PP_IS_INODE, &inode))
		pp_store16(s->out.data + 4, rec->misc & (uint16_t)~PP_MISC_MMAP_BUILD_ID);
}

static int write_made(struct pp_scrub *s, const struct pp_record *rec, struct pp_writer *out,
		      struct pp_error *error)
{
	if (!pp_fits(s->out.size, PP_RECORD_MAX)) {
		(void)pp_fail(error, PP_E_FULL, NULL);
		(void)pp_error_at(error, rec->offset, rec->index, rec->type);
		return pp_error_room(error, NULL, s->out.size, PP_RECORD_MAX);
	}
	mend_misc(s, rec);
	pp_store16(s->out.data + 6, (uint16_t)s->out.size);
	s->stats.records++;
	if (pp_scrub_look(&s->verify, &s->names, rec, s->out.data, s->out.size, error))
		return -1;
	return pp_writer_copy(out, s->out.data, s->out.size, error);
}

static int write_as_it_is(struct pp_scrub *s, struct pp_record *rec, struct pp_reader *in,
			  struct pp_writer *out, struct pp_error *error)
{
	if (pp_scrub_look(&s->verify, &s->names, rec, rec->data, rec->size, error))
		return -1;
	return s->addresses.tasks ? pp_writer_copy(out, rec->data, rec->size, error) :
		pp_writer_pass(out, in, rec, error);
}

/* What is carried in a round. */
static int scrub_payload(struct pp_scrub *s, struct pp_record *rec, struct pp_reader *in,
			 struct pp_writer *out, struct pp_error *error)
{
	struct pp_seal seal;
	int verdict;

	if (rec->size == PP_HEADER_SIZE || pp_is_seal(rec, &seal))
		return s->addresses.tasks ? pp_writer_round(out, error) : pp_writer_pass(out, in, rec, error);
	if (pp_is_note(rec))
		verdict = pp_scrub_notes(s, rec, error);
	else if (pp_is_names(rec))
		verdict = pp_scrub_names(s, rec, error);
	else {
		s->stats.unknown++;
		return pp_writer_round(out, error);
	}
	if (verdict < 0)
		return pp_error_at(error, rec->offset, rec->index, rec->type);
	return verdict == PP_KEEP ? write_made(s, rec, out, error) : 0;
}

int pp_scrub_record(struct pp_scrub *s, struct pp_record *rec, struct pp_reader *in, struct pp_writer *out,
		    struct pp_error *error)
{
	struct scrub_walk w = { .s = s, .rec = rec };
	const char *path;
	size_t length;
	bool stays_out;
	int verdict;

	s->out.size = 0;
	s->drop = false;
	s->event_type = 0;
	if (!is_known(rec)) {
		s->stats.unknown += !s->options.keep_unknown;
		return s->options.keep_unknown ? write_as_it_is(s, rec, in, out, error) : 0;
	}
	if (rec->type == PP_REC_FINISHED_ROUND)
		return scrub_payload(s, rec, in, out, error);
	s->stats.nameless += is_nameless(rec);
	stays_out = rec->beyond || (s->moved && rec->type == PP_REC_TIME_CONV);
	s->stats.dropped += stays_out;
	if (is_nameless(rec) || stays_out)
		return 0;
	if (s->addresses.tasks && pp_scrub_addresses_change(&s->addresses, rec, error))
		return -1;
	s->file_stays = pp_find_text(rec, PP_IS_PATH, &path, &length) && pp_scrub_file_stays(s, path, length);
	verdict = scrub_fields(&w, error);
	if (verdict < 0)
		return -1;
	if (verdict == PP_DROP)
		return 0;
	s->stats.cut += w.cut && rec->type == PP_REC_SAMPLE;
	return w.changed ? write_made(s, rec, out, error) : write_as_it_is(s, rec, in, out, error);
}

/* ---- The whole ---- */

/* The bits of sample_type whose fields are taken out. */
static uint64_t removed_bits(bool aux)
{
	uint64_t bits = 0;

	for (const struct pp_field *row = pp_type(PP_REC_SAMPLE)->fields; row->name; row++)
		if (row->hide == PP_HIDE_REMOVE || (aux && row->hide == PP_HIDE_REFUSE))
			bits |= row->when.value;
	return bits;
}

static int copy_patterns(struct pp_scrub *s, const char *list, struct pp_error *error)
{
	s->patterns = strdup(list);
	if (!s->patterns)
		return pp_fail(error, PP_E_NOMEM, NULL);
	s->patterns_size = strlen(list) + 1;
	for (char *comma = s->patterns; (comma = strchr(comma, ',')); )
		*comma++ = 0;
	return 0;
}

struct pp_scrub *pp_scrub_new(const struct pp_scrub_options *given, struct pp_error *error)
{
	struct pp_scrub *const s = calloc(1, sizeof(*s));

	if (!s) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (pp_options_take(&s->options, sizeof(s->options), given, error) ||
	    copy_patterns(s, s->options.except ? s->options.except : pp_scrub_excepted, error) ||
	    pp_pseudonyms_open(&s->names, s->options.key, s->options.key_size, error)) {
		pp_scrub_free(s);
		return NULL;
	}
	s->removed = removed_bits(s->options.drop_aux);
	if (s->options.addresses && pp_scrub_addresses_open(&s->addresses, &s->names, error)) {
		pp_scrub_free(s);
		return NULL;
	}
	if (s->options.times)
		pp_scrub_find_times(s);
	s->verify.on = s->options.verify;
	s->verify.bytes_of_samples = (PP_SAMPLE_RAW | PP_SAMPLE_STACK_USER | PP_SAMPLE_AUX) & ~s->removed;
	return s;
}

void pp_scrub_free(struct pp_scrub *s)
{
	if (!s)
		return;
	pp_pseudonyms_close(&s->names);
	pp_scrub_verify_close(&s->verify);
	pp_scrub_addresses_close(&s->addresses);
	pp_names_discard(&s->build);
	pp_buffer_free(&s->out);
	pp_buffer_free(&s->text);
	free(s->patterns);
	free(s->part);
	free(s);
}

bool pp_scrub_leak(struct pp_scrub *s, struct pp_scrub_leak *leak)
{
	struct pp_scrub_place place;
	size_t number;

	if (!pp_scrub_found(&s->verify, &s->names, &number, &place, &leak->byte))
		return false;
	leak->text = s->names.known.items[number].text;
	leak->length = s->names.known.items[number].length;
	leak->is_text = s->names.known.items[number].kind == PP_CODED_TEXT;
	leak->offset = place.offset;
	leak->index = place.index;
	leak->type = place.type;
	return true;
}

const struct pp_scrub_stats *pp_scrub_stats(struct pp_scrub *s)
{
	s->stats.texts = s->names.known.n;
	return &s->stats;
}
