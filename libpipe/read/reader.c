/*
 * reader.c - records in place, out of one large buffer: framing, tails, seals, and the joins of
 * source, expander, byte order and attributes.  What a record says is the tables' business.
 *
 * Two windows hold bytes: `raw`, filled from the source, and `out`, filled by the expander.
 * A record is handed out of the one in use.  Between a window's `at` and `limit` lie bytes that
 * need nothing but walking; whatever asks for more care (a refill, a tail, a seal that covers
 * what comes, the other byte order) sets limit to at, and the slow path looks after it.
 */
#include "base/options.h"
#include "read/reader.h"
#include "base/byte_order.h"
#include "format/seal.h"
#include "read/container.h"
#include "read/dialect.h"
#include "read/expand.h"
#include "read/folder.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	ROOM = 1 << 20,               /* of a window; it never grows */
	OUT_LEAST = 1 << 18,          /* room that the expander should have */
	TIES = 8,
	TRAITS = 128,                 /* types of which something is known */
};

/* What the reader does with a type beside handing it out. */
enum { TAIL = 1, CARRIER = 2, ATTRS = 4, ROUND = 8 };

/* What a step of the slow path found. */
enum { FOUND_END, FOUND_RECORD, FOUND_NOTHING };

struct window {
	uint8_t *buf, *at, *limit, *end;
};

struct pp_reader {
	struct window *cur;
	struct window raw, out;
	uint64_t base;                /* stream offset of raw.buf */
	uint64_t index;               /* of the next record of the input */
	struct pp_stream stream;
	bool raw_mode, verify;
	bool eof;
	bool after_end;               /* the next byte would lie behind the END seal */
	uint64_t told;                /* offset of the seal whose damage was told, or 0 */
	uint64_t tail_left, tail;     /* of the last record */
	uint64_t behind_tail;         /* bytes to be passed over when it is through */
	enum pp_dialect dialect;
	uint8_t *made;                /* room for a record that a dialect has otherwise */
	struct pp_record last;        /* whose tail is read: place and type */
	struct pp_record packed;      /* the carrier that is being expanded, or was last */
	struct pp_carrier carrier;
	struct pp_expand *expand;
	struct pp_sum sum;
	uint8_t *scratch;             /* room for a record to convert beside its place */
	uint8_t traits[TRAITS];
	bool stuck;
	struct pp_error stuck_error;
	struct pp_source source;
	struct pp_dir *dir;           /* the input is a folder: all is read by readers of its files */
	char *part;                   /* this is one of those: its path */
	bool own_attrs;
	pp_tail_fn *watch;            /* is told the tails of records of `watched` */
	void *watch_arg;
	uint32_t watched;
	size_t n_ties;
	struct tie {
		int (*flush)(void *arg);
		void *arg;
		const struct pp_writer *writer;
	} ties[TIES];
};

/* The stream offset of the next byte of the raw window. */
static inline uint64_t place(const struct pp_reader *r)
{
	return r->base + (uint64_t)(r->raw.at - r->raw.buf);
}

/* ---- Errors ---- */

static int locate(struct pp_reader *r, struct pp_error *error, const struct pp_record *rec,
		  bool fatal)
{
	uint64_t offset = rec->offset;

	if (r->source.pieces.count && offset >= r->source.pieces.data)
		offset += r->source.pieces.shift;             /* where the file has it */
	pp_error_at(error, offset, rec->index, rec->type);
	pp_error_fatal(error, fatal);
	if (fatal) {
		r->stream.bytes = place(r);
		r->stuck = true;
		r->stuck_error = *error;
	}
	return -1;
}

__attribute__((format(printf, 6, 7)))
static int damage(struct pp_reader *r, struct pp_error *error, const struct pp_record *rec,
		  bool fatal, enum pp_code code, const char *detail, ...)
{
	char text[sizeof(error->detail)] = "";
	va_list args;

	va_start(args, detail);
	if (detail)
		vsnprintf(text, sizeof(text), detail, args);
	va_end(args);
	pp_fail(error, code, "%s", text);
	return locate(r, error, rec, fatal);
}

/* Ends reading: need and have say what is missing. */
static int cut(struct pp_reader *r, struct pp_error *error, const struct pp_record *rec,
	       enum pp_code code, uint64_t need, uint64_t have)
{
	pp_fail(error, code, NULL);
	pp_error_room(error, NULL, need, have);
	return locate(r, error, rec, true);
}

static int give_up(struct pp_reader *r, struct pp_error *error)
{
	pp_error_fatal(error, true);
	r->stuck = true;
	r->stuck_error = *error;
	return -1;
}

static int out_of_memory(struct pp_reader *r, struct pp_error *error)
{
	pp_fail(error, PP_E_NOMEM, NULL);
	return give_up(r, error);
}

/* ---- The raw window ---- */

static int flush_ties(struct pp_reader *r, struct pp_error *error)
{
	/* the last tied is the first: what it lets go may go into a writer tied before it */
	for (size_t i = r->n_ties; i--;) {
		if (!r->ties[i].flush(r->ties[i].arg))
			continue;
		pp_fail_output(error);
		return give_up(r, error);
	}
	return 0;
}

/* Nothing borrows from the window any more: what is left in it goes to its front. */
static void move_to_front(struct window *w)
{
	size_t left = (size_t)(w->end - w->at);

	if (w->at != w->buf)
		memmove(w->buf, w->at, left);
	w->at = w->limit = w->buf;
	w->end = w->buf + left;
}

/* Makes sure of `need` bytes in the raw window: 1, 0 where the input ends before, -1. */
static int fill(struct pp_reader *r, size_t need, struct pp_error *error)
{
	struct window *w = &r->raw;

	while ((size_t)(w->end - w->at) < need) {
		enum pp_source_got got;
		size_t n;

		if (r->eof)
			return 0;
		r->stream.bytes = place(r);
		if (flush_ties(r, error))
			return -1;
		r->base = place(r);
		move_to_front(w);
		move_to_front(&r->out);
		*error = (struct pp_error){ .code = PP_OK };
		got = pp_source_read(&r->source, w->end, (size_t)(w->buf + ROOM - w->end), &n, error);
		if (got == PP_SOURCE_FAILED)
			return give_up(r, error);
		if (got == PP_SOURCE_NOT_YET)
			return pp_fail(error, PP_E_AGAIN, NULL);
		r->eof = got == PP_SOURCE_END;
		w->end += n;
	}
	return 1;
}

/* What is known of the bytes that follow decides how they are walked. */
static inline void set_limit(struct pp_reader *r)
{
	const struct pp_stream *s = &r->stream;

	r->raw.limit = s->foreign || s->sealed || r->tail_left || r->after_end || r->carrier.chain ?
		       r->raw.at : r->raw.end;
}

static inline unsigned traits_of(const struct pp_reader *r, uint32_t type)
{
	return type < TRAITS ? r->traits[type] : 0;
}

/* The bytes of whole kernel records that follow the first one: they can be hashed in one go, and
 * be walked without looking. */
static size_t plain_span(const struct pp_reader *r, size_t first)
{
	const uint8_t *p = r->raw.at + first;

	while (r->raw.end - p >= PP_HEADER_SIZE) {
		size_t size = pp_load16(p + 6);

		if (size < PP_HEADER_SIZE || size > (size_t)(r->raw.end - p) ||
		    pp_load32(p) >= PP_USER_TYPES)
			break;
		p += size;
	}
	return (size_t)(p - r->raw.at) - first;
}

/* ---- Seals ---- */

/* The stream header, which seal 0 covers, is no longer in the window. */
static void sum_header(struct pp_reader *r)
{
	uint8_t header[PP_PIPE_HEADER];

	memcpy(header, r->stream.big_endian ? "2ELIFREP" : "PERFILE2", 8);
	pp_store64(header + 8, r->stream.foreign ? __builtin_bswap64(PP_PIPE_HEADER) :
		   PP_PIPE_HEADER);
	pp_sum_start(&r->sum, 0, 0, 0);
	pp_sum_add(&r->sum, header, sizeof(header));
}

/* A seal that is not right is told once, and then handed out as the round that it is. */
static int meet_seal(struct pp_reader *r, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_seal seal;

	if (!r->verify || !pp_seal_load(&seal, rec->data, rec->size, r->stream.foreign))
		return 0;
	if (!r->stream.rewritten && r->told != rec->offset) {
		int altered;

		if (rec->offset == PP_PIPE_HEADER)
			sum_header(r);
		*error = (struct pp_error){ .code = PP_OK };
		altered = pp_sum_check(&r->sum, &r->stream, rec, &seal, error);
		pp_sum_start(&r->sum, seal.xxh3, seal.number + 1, rec->offset + rec->size);
		if (altered) {
			r->told = rec->offset;
			return locate(r, error, rec, false);
		}
	}
	r->stream.flags |= seal.flags;
	if (seal.flags & PP_SEAL_END) {
		r->stream.ended = true;
		r->after_end = !r->stream.rewritten;
	}
	return 0;
}

/* ---- Taking a record ---- */

static const struct pp_attr *find_foreign(struct pp_reader *r, uint8_t *data, uint32_t type,
					  uint16_t size)
{
	const struct pp_attr *first = pp_attrs_at(r->stream.attrs, 0);
	const struct pp_attr *attr;
	size_t at;
	uint64_t id;

	if (!first)
		return NULL;
	at = type == PP_REC_SAMPLE ? first->plan.id : first->plan.t_id;
	if (!at || !pp_fits(at + (type == PP_REC_SAMPLE ? 8 : PP_HEADER_SIZE), size))
		return pp_attrs_find(r->stream.attrs, data, type, size);
	data += type == PP_REC_SAMPLE ? at : size - at;
	/* the id is turned around for as long as it is looked up */
	id = pp_load64(data);
	pp_store64(data, __builtin_bswap64(id));
	attr = pp_attrs_find(r->stream.attrs, data - (type == PP_REC_SAMPLE ? at : size - at),
			     type, size);
	pp_store64(data, id);
	return attr;
}

static int convert(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	*error = (struct pp_error){ .code = PP_OK };
	if (pp_convert(rec, PP_TO_HOST, error)) {
		r->stream.dropped++;
		return locate(r, error, rec, false);
	}
	if (rec->type == PP_REC_FINISHED_ROUND)
		pp_seal_swap(rec->data, rec->size, true);
	return 0;
}

static inline void note_time(struct pp_stream *s, const struct pp_record *rec)
{
	uint64_t ns;

	if (!pp_time(rec, &ns))
		return;
	if (ns > s->last_time)
		s->last_time = ns;
	if (ns < s->first_time || !s->first_time)
		s->first_time = ns;
}

static inline void take_kernel(struct pp_reader *r, struct pp_record *rec)
{
	struct pp_stream *s = &r->stream;

	rec->attr = pp_attrs_find(s->attrs, rec->data, rec->type, rec->size);
	if (rec->attr)
		note_time(s, rec);
	else if (rec->type == PP_REC_SAMPLE && pp_attrs_count(s->attrs))
		s->orphans++;
}

static int take_foreign_kernel(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	rec->attr = find_foreign(r, rec->data, rec->type, rec->size);
	if (r->raw_mode) {
		rec->foreign = true;
		return FOUND_RECORD;
	}
	if (rec->type == PP_REC_SAMPLE && !rec->attr && pp_attrs_count(r->stream.attrs))
		r->stream.orphans++;
	if (convert(r, rec, error))
		return -1;
	if (rec->attr)
		note_time(&r->stream, rec);
	return FOUND_RECORD;
}

/* In raw mode a foreign record stays as it is: what has to be known of it is read from a copy. */
static int in_host_order(struct pp_reader *r, const struct pp_record *rec, struct pp_record *copy,
			 struct pp_error *error)
{
	*copy = *rec;
	if (!rec->foreign)
		return 0;
	if (!r->scratch)
		r->scratch = malloc(PP_RECORD_MAX);
	if (!r->scratch)
		return out_of_memory(r, error);
	memcpy(r->scratch, rec->data, rec->size);
	copy->data = r->scratch;
	copy->foreign = false;
	if (pp_convert(copy, PP_TO_HOST, error))
		return locate(r, error, rec, traits_of(r, rec->type) & TAIL);
	return 0;
}

/*
 * Without its tail's length nobody knows where the next record begins: this is fatal.  Before
 * any attribute there is nothing to trace: such a record means something else (old ChromeOS
 * perf put strings there), and has no tail.
 */
static int begin_tail(struct pp_reader *r, struct pp_record *rec, const struct pp_record *host,
		      struct pp_error *error)
{
	struct pp_cursor c;
	int token;

	if (!pp_attrs_count(r->stream.attrs))
		return damage(r, error, rec, false, PP_E_ATTR,
			      "it is not interpreted");
	pp_walk(&c, host);
	while ((token = pp_walk_next(&c)) > PP_END)
		;
	if (token < 0) {
		*error = c.error;
		return locate(r, error, rec, true);
	}
	rec->tail = r->tail = r->tail_left = c.own.reg[PP_R_TAIL];
	r->last = *rec;
	return 0;
}

static bool is_compressed_feature(const struct pp_record *rec)
{
	return rec->type == PP_REC_HEADER_FEATURE && pp_fits(PP_HEADER_SIZE + 8, rec->size) &&
	       pp_load64(rec->data + PP_HEADER_SIZE) == PP_FEAT_COMPRESSED;
}

/* A record of which only the place is kept. */
static struct pp_record place_of(const struct pp_record *rec)
{
	return (struct pp_record){ .offset = rec->offset, .index = rec->index, .type = rec->type,
				   .size = rec->size };
}

static int note_attrs(struct pp_reader *r, const struct pp_record *rec,
		      const struct pp_record *host, struct pp_error *error)
{
	*error = (struct pp_error){ .code = PP_OK };
	if (!pp_attrs_note(r->stream.attrs, host, error))
		return 0;
	if (pp_error_status(error) != 3)
		return give_up(r, error);
	return locate(r, error, rec, false);
}

/* Tails and attributes: FOUND_RECORD, FOUND_NOTHING or -1. */
static int take_known(struct pp_reader *r, struct pp_record *rec, unsigned traits,
		      struct pp_error *error)
{
	struct pp_record host;

	if (!(traits & (TAIL | ATTRS)))
		return FOUND_RECORD;
	if (in_host_order(r, rec, &host, error))
		return !r->stuck && !(traits & TAIL) ? FOUND_RECORD : -1;
	if (traits & TAIL && begin_tail(r, rec, &host, error))
		return -1;
	/* in raw mode the record itself shows its damage to whoever walks it */
	if (traits & ATTRS && note_attrs(r, rec, &host, error) && (r->stuck || !r->raw_mode))
		return -1;
	if (r->raw_mode || !is_compressed_feature(&host))
		return FOUND_RECORD;
	if (!r->stream.promise.size)
		r->stream.promise = place_of(rec);
	return FOUND_NOTHING;
}

/* A whole COMPRESSED or COMPRESSED2 record: what it holds comes next. */
static int open_carrier(struct pp_reader *r, const struct pp_record *rec, struct pp_error *error)
{
	if (rec->type == PP_REC_COMPRESSED) {
		r->carrier.at = PP_HEADER_SIZE;
		r->carrier.length = rec->size - PP_HEADER_SIZE;
	} else if (r->carrier.damaged || rec->size < PP_CARRIER_HEAD) {
		return damage(r, error, rec, false, PP_E_VALUE, "more compressed bytes than the "
			      "record has");
	}
	if (!r->expand)
		r->expand = pp_expand_new();
	if (!r->expand)
		return out_of_memory(r, error);
	if (!r->stream.promise.size && !r->stream.unpromised.size)
		r->stream.unpromised = place_of(rec);
	pp_expand_feed(r->expand, rec->data + r->carrier.at, r->carrier.length);
	r->stream.compressed_bytes += r->carrier.length;
	r->packed = *rec;
	r->cur = &r->out;
	r->out.limit = r->stream.foreign ? r->out.at : r->out.end;
	return FOUND_NOTHING;
}

/* A user record that lies in a compressed one. */
static int check_nested(struct pp_reader *r, const struct pp_record *rec, unsigned traits,
			struct pp_error *error)
{
	if (r->cur == &r->out && traits & (TAIL | CARRIER))
		return damage(r, error, rec, false, PP_E_VALUE,
			      "a record of this type cannot be in a compressed one");
	return 0;
}

/* ---- Dialects ---- */

static void speak(struct pp_reader *r, enum pp_dialect dialect)
{
	r->dialect = dialect;
	r->stream.dialect = pp_dialect_name(dialect);
}

/* A record that is made may be borrowed until the next one is. */
static int room_to_make(struct pp_reader *r, struct pp_error *error)
{
	if (r->made)
		return flush_ties(r, error);
	r->made = malloc(PP_RECORD_MAX);
	return r->made ? 0 : out_of_memory(r, error);
}

static int from_google(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	size_t size;

	if (room_to_make(r, error))
		return -1;
	size = pp_google_feature(r->made, rec->data, rec->type, rec->size, r->stream.foreign);
	if (!size)
		return 0;
	rec->data = r->made;
	rec->type = PP_REC_HEADER_FEATURE;
	rec->size = (uint16_t)size;
	return 0;
}

/* The data that are in the record become its tail. */
static int from_simpleperf(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	uint32_t length;

	if (rec->type != PP_REC_HEADER_TRACING_DATA || r->cur != &r->raw)
		return 0;
	if (room_to_make(r, error))
		return -1;
	length = pp_simpleperf_tracing(r->made, rec->data, rec->size, r->stream.foreign);
	if (!length)
		return 0;
	r->raw.at = rec->data + 12;
	r->behind_tail = rec->size - 12 - length;
	rec->data = r->made;
	rec->size = 16;
	return 0;
}

static int translate(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	if (r->raw_mode)
		return 0;
	return r->dialect == PP_DIALECT_GOOGLE ? from_google(r, rec, error) :
	       r->dialect == PP_DIALECT_SIMPLEPERF ? from_simpleperf(r, rec, error) : 0;
}

static int another_stream(struct pp_reader *r, const struct pp_record *rec, struct pp_error *error)
{
	return damage(r, error, rec, true, PP_E_VALUE,
		      "another stream begins here, which is not read: pp-merge combines several");
}

static int take_user(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	unsigned traits;

	if (rec->type >= TRAITS && r->cur == &r->raw && pp_is_stream_magic(rec->data)) {
		r->raw.at = rec->data;
		r->index--;
		rec->type = 0;
		return another_stream(r, rec, error);
	}
	if (r->dialect && translate(r, rec, error))
		return -1;
	traits = traits_of(r, rec->type);

	if (traits && check_nested(r, rec, traits, error))
		return -1;
	if (traits & CARRIER && !r->raw_mode)
		return open_carrier(r, rec, error);
	if (traits & ROUND) {
		if (r->cur == &r->raw && meet_seal(r, rec, error)) {
			/* the round itself is fine: it comes with the next call */
			r->raw.at = rec->data;
			r->index--;
			return -1;
		}
		r->stream.rounds += pp_is_round(rec);
	}
	if (r->stream.foreign) {
		rec->foreign = r->raw_mode;
		if (!r->raw_mode && convert(r, rec, error))
			return -1;
	}
	return take_known(r, rec, traits, error);
}

static int take(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	const bool raw = r->cur == &r->raw;
	int found = FOUND_RECORD;

	if (rec->type >= PP_USER_TYPES)
		found = take_user(r, rec, error);
	else if (r->stream.foreign)
		found = take_foreign_kernel(r, rec, error);
	else
		take_kernel(r, rec);
	if (raw)
		set_limit(r);
	r->stream.records += found == FOUND_RECORD;
	return found;
}

static inline void describe(const struct pp_reader *r, struct pp_record *rec, uint8_t *at,
			    uint32_t type, uint16_t misc, size_t size)
{
	rec->data = at;
	rec->type = type;
	rec->misc = misc;
	rec->size = (uint16_t)size;
	rec->foreign = false;
	rec->tail = 0;
	rec->attr = NULL;
	rec->attrs = r->stream.attrs;
}

/* ---- The end ---- */

static int at_end(struct pp_reader *r, struct pp_error *error)
{
	struct pp_record here = { .offset = place(r), .index = r->index };

	r->stream.bytes = here.offset;
	if (r->out.end != r->out.at) {
		damage(r, error, &r->packed, true, PP_E_CUT, "its contents end too early");
		pp_error_room(error, NULL, r->out.end - r->out.at < PP_HEADER_SIZE ? PP_HEADER_SIZE :
			      pp_in_order16(r->out.at + 6, r->stream.foreign),
			      (uint64_t)(r->out.end - r->out.at));
		return give_up(r, error);
	}
	if (!r->index)
		return damage(r, error, &here, true, PP_E_CUT_END,
			      "there is no record after its header");
	if (r->stream.sealed && !r->stream.ended)
		return damage(r, error, &here, true, PP_E_CUT_END,
			      "its last seal is missing");
	return FOUND_END;
}

/* ---- Finding a record, the slow way ---- */

/* A record of simpleperf's own that is too long for a stream. */
static int pass_over(struct pp_reader *r, struct pp_record *rec, size_t size, struct pp_error *error)
{
	r->last = *rec;
	r->tail = r->tail_left = size;
	r->index++;
	r->stream.left_out++;
	(void)error;
	return FOUND_NOTHING;
}

/* Fills *rec from the header at raw.at, sizes it up, and has all of it in the window.
 * FOUND_RECORD, FOUND_END, -1. */
static int frame(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	const bool foreign = r->stream.foreign;
	const struct pp_carrier before = r->carrier;
	struct window *w = &r->raw;
	size_t size;
	int got = fill(r, PP_HEADER_SIZE, error);

	describe(r, rec, w->at, 0, 0, 0);
	rec->offset = place(r);
	rec->index = r->index;
	if (got < 0)
		return -1;
	if (!got && w->end == w->at)
		return at_end(r, error);
	if (!got)
		return cut(r, error, rec, PP_E_CUT, PP_HEADER_SIZE, (uint64_t)(w->end - w->at));
	if (pp_is_stream_magic(w->at))
		return another_stream(r, rec, error);
	if (r->after_end) {
		r->after_end = false;
		return damage(r, error, rec, false, PP_E_SEAL, "bytes follow the last seal");
	}
	rec->type = pp_in_order32(w->at, foreign);
	rec->misc = pp_in_order16(w->at + 4, foreign);
	size = pp_in_order16(w->at + 6, foreign);
	if (r->dialect == PP_DIALECT_SIMPLEPERF && pp_simpleperf_size(rec->type, rec->misc, size) != size)
		return pass_over(r, rec, pp_simpleperf_size(rec->type, rec->misc, size), error);
	if (rec->type == PP_REC_COMPRESSED2) {
		got = fill(r, PP_CARRIER_HEAD, error);
		if (got < 0)
			return -1;
		if (got) {
			pp_carrier_size2(&r->carrier, w->at, foreign);
			size = r->carrier.size;
		}
	} else if (r->carrier.chain) {
		r->carrier.chain = 0;
		return damage(r, error, rec, false, PP_E_VALUE,
			      "a COMPRESSED2 record should follow");
	}
	if (size < PP_HEADER_SIZE) {
		cut(r, error, rec, PP_E_SIZE, PP_HEADER_SIZE, size);
		return -1;
	}
	got = fill(r, size, error);
	if (got < 0) {
		/* it is sized up once more, should the rest have come later */
		r->carrier = before;
		return -1;
	}
	if (!got)
		return cut(r, error, rec, PP_E_CUT, size, (uint64_t)(w->end - w->at));
	rec->data = w->at;
	rec->size = (uint16_t)size;
	if (!rec->index && pp_is_google(w->at, rec->type, size, foreign))
		speak(r, PP_DIALECT_GOOGLE);
	return FOUND_RECORD;
}

static int raw_step(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	struct pp_seal seal;
	size_t span = 0;
	int found = frame(r, rec, error);

	if (found != FOUND_RECORD)
		return found;
	if (r->stream.sealed && !(rec->type == PP_REC_FINISHED_ROUND &&
	    pp_seal_load(&seal, rec->data, rec->size, r->stream.foreign))) {
		if (!r->stream.foreign && !traits_of(r, rec->type))
			span = plain_span(r, rec->size);
		pp_sum_add(&r->sum, rec->data, rec->size + span);
	}
	r->raw.at += rec->size;
	r->index++;
	found = take(r, rec, error);
	if (span)
		r->raw.limit = r->raw.at + span;
	return found;
}

/* Has more of the carrier expanded: 1, 0 where it is used up, -1. */
static int expand_more(struct pp_reader *r, struct pp_error *error)
{
	struct window *w = &r->out;
	ssize_t n;

	if (!pp_expand_pending(r->expand))
		return 0;
	if (w->buf + ROOM - w->end < OUT_LEAST) {
		if (flush_ties(r, error))
			return -1;
		move_to_front(w);
	}
	*error = (struct pp_error){ .code = PP_OK };
	n = pp_expand_more(r->expand, w->end, (size_t)(w->buf + ROOM - w->end), error);
	if (n < 0) {
		w->at = w->limit = w->end;
		return locate(r, error, &r->packed, false);
	}
	w->end += n;
	r->stream.expanded_bytes += (uint64_t)n;
	return 1;
}

static int out_step(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	const bool foreign = r->stream.foreign;
	struct window *w = &r->out;
	uint8_t *at = w->at;
	size_t have = (size_t)(w->end - at), size = 0;
	int more;

	if (have >= PP_HEADER_SIZE) {
		size = pp_in_order16(at + 6, foreign);
		if (size < PP_HEADER_SIZE) {
			cut(r, error, &r->packed, PP_E_SIZE, PP_HEADER_SIZE, size);
			return -1;
		}
	}
	if (have >= PP_HEADER_SIZE && size <= have) {
		describe(r, rec, at, pp_in_order32(at, foreign), pp_in_order16(at + 4, foreign),
			 size);
		rec->offset = r->packed.offset;
		rec->index = r->packed.index;
		w->at += size;
		w->limit = foreign ? w->at : w->end;
		return take(r, rec, error);
	}
	more = expand_more(r, error);
	if (more <= 0) {
		r->cur = &r->raw;
		set_limit(r);
	}
	return more < 0 ? -1 : FOUND_NOTHING;
}

static int skip_tail(struct pp_reader *r, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_reader_tail(r, &piece, &size, error)) > 0)
		;
	return got;
}

static int dir_step(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	struct pp_stream *s = &r->stream;
	const int found = pp_dir_next(r->dir, rec, error);

	if (found != FOUND_RECORD)
		return found;
	s->records++;
	s->bytes += rec->size;
	s->rounds += rec->type == PP_REC_FINISHED_ROUND;
	s->orphans += rec->type == PP_REC_SAMPLE && !rec->attr;
	note_time(s, rec);
	return FOUND_RECORD;
}

static int step(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	int found = FOUND_NOTHING;

	if (r->dir)
		return dir_step(r, rec, error);
	while (found == FOUND_NOTHING) {
		if (r->stuck) {
			*error = r->stuck_error;
			return -1;
		}
		if (r->tail_left && skip_tail(r, error))
			return -1;
		found = r->cur == &r->out ? out_step(r, rec, error) : raw_step(r, rec, error);
	}
	return found;
}

enum pp_status pp_reader_next(struct pp_reader *r, struct pp_record *rec, struct pp_error *error)
{
	struct window *w = r->cur;
	uint8_t *at = w->at;
	size_t have = (size_t)(w->limit - at);
	struct pp_error ignored;
	int found;
	size_t size;

	if (!error)
		error = &ignored;
	if (have < PP_HEADER_SIZE || (size = pp_load16(at + 6)) > have || size < PP_HEADER_SIZE)
		return step(r, rec, error);
	describe(r, rec, at, pp_load32(at), pp_load16(at + 4), size);
	if (w == &r->raw) {
		if (rec->type == PP_REC_COMPRESSED2)
			return step(r, rec, error);
		rec->offset = place(r);
		rec->index = r->index++;
	} else {
		rec->offset = r->packed.offset;
		rec->index = r->packed.index;
	}
	w->at = at + size;
	if (rec->type < PP_USER_TYPES) {
		take_kernel(r, rec);
		r->stream.records++;
		return 1;
	}
	found = take(r, rec, error);
	return found == FOUND_NOTHING ? step(r, rec, error) : found;
}

static int next_piece(struct pp_reader *r, const void **piece, size_t *size, struct pp_error *error)
{
	struct window *w = &r->raw;
	uint64_t have;
	int got;

	if (r->dir)
		return pp_dir_tail(r->dir, piece, size, error);
	if (!r->tail_left)
		return 0;
	got = r->stuck ? -1 : fill(r, 1, error);
	if (got < 0) {
		if (r->stuck)
			*error = r->stuck_error;
		return -1;
	}
	if (!got)
		return cut(r, error, &r->last, PP_E_CUT_TAIL, r->tail, r->tail - r->tail_left);
	have = (uint64_t)(w->end - w->at);
	*size = (size_t)(have < r->tail_left ? have : r->tail_left);
	*piece = w->at;
	w->at += *size;
	r->tail_left -= *size;
	if (!r->tail_left && r->behind_tail) {
		/* all of it lies in the window: the record was there as a whole */
		w->at += r->behind_tail;
		r->behind_tail = 0;
	}
	if (r->stream.sealed)
		pp_sum_add(&r->sum, *piece, *size);
	set_limit(r);
	return 1;
}

enum pp_status pp_reader_tail(struct pp_reader *r, const void **piece, size_t *size, struct pp_error *error)
{
	struct pp_error ignored;
	int got;

	if (!error)
		error = &ignored;
	got = next_piece(r, piece, size, error);
	if (got > 0 && r->watch && r->last.type == r->watched &&
	    r->watch(r->watch_arg, *piece, *size, r->tail_left, error))
		got = -1;
	return got;
}

void pp_reader_watch_tail(struct pp_reader *r, uint32_t type, pp_tail_fn *fn, void *arg)
{
	if (r->dir) {
		pp_dir_watch_tail(r->dir, type, fn, arg);
		return;
	}
	r->watch = fn;
	r->watch_arg = arg;
	r->watched = type;
}

/* ---- Opening ---- */

static void learn_traits(struct pp_reader *r)
{
	const struct pp_type *type;

	for (size_t i = 0; (type = pp_type_at(i)); i++) {
		if (type->number >= TRAITS)
			continue;
		for (const struct pp_field *f = type->fields; f && f->name; f++)
			if (f->set == PP_R_TAIL)
				r->traits[type->number] |= TAIL;
	}
	r->traits[PP_REC_COMPRESSED] |= CARRIER;
	r->traits[PP_REC_COMPRESSED2] |= CARRIER;
	r->traits[PP_REC_HEADER_ATTR] |= ATTRS;
	r->traits[PP_REC_HEADER_EVENT_TYPE] |= ATTRS;
	r->traits[PP_REC_EVENT_UPDATE] |= ATTRS;
	r->traits[PP_REC_HEADER_FEATURE] |= ATTRS;
	r->traits[PP_REC_FINISHED_ROUND] |= ROUND;
}

static int make_window(struct window *w)
{
	w->buf = w->at = w->limit = w->end = malloc(ROOM);
	return w->buf ? 0 : -1;
}

static int read_header(struct pp_reader *r, struct pp_error *error);

/* What was read has turned out to be a wrapping: the source now gives what is in it. */
static int begin_again(struct pp_reader *r, struct pp_error *error)
{
	r->raw.at = r->raw.limit = r->raw.end = r->raw.buf;
	r->base = 0;
	r->eof = false;
	return read_header(r, error);
}

static int read_header(struct pp_reader *r, struct pp_error *error)
{
	struct window *w = &r->raw;
	int got = fill(r, PP_PIPE_HEADER, error);
	size_t have = (size_t)(w->end - w->at);

	if (got < 0)
		return -1;
	if (!got) {
		if (have < 4 || memcmp(w->at, have < 8 ? "PERF" : "PERFILE2", have < 8 ? 4 : 8))
			return pp_container_unknown(w->at, have, error);
		pp_fail(error, PP_E_CUT, "its header is not whole");
		return pp_error_room(error, NULL, PP_PIPE_HEADER, have);
	}
	switch (pp_container(w->at, &r->stream.foreign, error)) {
	case PP_CONTAINER_PIPE:
		break;
	case PP_CONTAINER_ZSTD:
		return pp_source_unwrap(&r->source, w->at, have, error) ? -1 : begin_again(r, error);
	case PP_CONTAINER_FILE:
		if (pp_source_seekable(&r->source, w->at, have, error) ||
		    pp_container_file(&r->source, error))
			return -1;
		r->stream.container = "perf.data file";
		r->stream.spooled = r->source.spooled;
		r->stream.killed = r->source.pieces.killed;
		r->stream.features_left_out =
			(uint32_t)__builtin_popcountll(r->source.pieces.left_out);
		speak(r, r->source.pieces.dialect);
		return begin_again(r, error);
	default:
		return -1;
	}
	r->stream.big_endian = r->stream.foreign != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	r->stream.version_1 = !memcmp(w->at, "PERFFILE", 8);
	w->at += PP_PIPE_HEADER;
	r->stream.bytes = PP_PIPE_HEADER;
	return 0;
}

/* Everything but what is read. */
static struct pp_reader *make(const struct pp_reader_options *options, struct pp_attrs *attrs,
			      struct pp_error *error)
{
	struct pp_reader *r = calloc(1, sizeof(*r));

	if (!r) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	r->source.fd = -1;
	r->cur = &r->raw;
	r->raw_mode = options && options->raw;
	r->verify = !r->raw_mode && !(options && options->no_verify);
	learn_traits(r);
	r->stream.container = "stream";
	r->own_attrs = !attrs;
	r->stream.attrs = attrs ? attrs : pp_attrs_new();
	if (!r->stream.attrs || make_window(&r->raw) || make_window(&r->out) ||
	    pp_sum_open(&r->sum)) {
		pp_fail(error, PP_E_NOMEM, NULL);
		pp_reader_close(r);
		return NULL;
	}
	return r;
}

/* A folder has `data` in it where perf record --threads made it. */
static int open_folder(struct pp_reader *r, const char *path, const struct pp_reader_options *options,
		       struct pp_error *error)
{
	char data[PATH_MAX];

	r->stream.name = path;
	r->stream.container = "perf.data folder";
	if (snprintf(data, sizeof(data), "%s/data", path) >= (int)sizeof(data))
		errno = EISDIR;
	else if (!access(data, F_OK))
		errno = 0;
	else if (errno == ENOENT)
		errno = EISDIR;
	if (errno)
		return pp_fail_os(error, "cannot read");
	r->dir = pp_dir_open(path, options, r->stream.attrs, error);
	if (!r->dir)
		return -1;
	r->stream.big_endian = pp_dir_stream(r->dir, 0)->big_endian;
	r->stream.foreign = pp_dir_stream(r->dir, 0)->foreign;
	return 0;
}

static int open_path(struct pp_reader *r, const char *path, const struct pp_reader_options *options,
		     struct pp_error *error)
{
	struct stat st = { .st_mode = 0 };

	if (path && strcmp(path, "-") && stat(path, &st))
		return pp_fail_os(error, "cannot open");
	if (S_ISDIR(st.st_mode))
		return open_folder(r, path, options, error);
	if (pp_source_open(&r->source, path, error))
		return -1;
	r->stream.name = r->source.name;
	if (options && options->twice && pp_source_mark(&r->source, error))
		return -1;
	return read_header(r, error);
}

struct pp_reader *pp_reader_open(const char *path, const struct pp_reader_options *given,
				 struct pp_error *error)
{
	struct pp_error ignored = { .code = PP_OK };
	struct pp_reader_options options;
	struct pp_reader *r;

	if (!error)
		error = &ignored;
	*error = (struct pp_error){ .code = PP_OK };
	r = pp_options_take(&options, sizeof(options), given, error) ? NULL :
	    make(&options, NULL, error);
	if (r && open_path(r, path, &options, error)) {
		pp_reader_close(r);
		r = NULL;
	}
	if (r)
		set_limit(r);
	else
		pp_error_fatal(error, true);
	return r;
}

struct pp_reader *pp_reader_again(struct pp_reader *first, const struct pp_reader_options *given,
				  struct pp_error *error)
{
	struct pp_reader_options options;
	struct pp_reader *r = pp_options_take(&options, sizeof(options), given, error) ? NULL :
			      make(&options, NULL, error);

	if (r && first->dir ? open_folder(r, first->stream.name, &options, error) :
	    r && (pp_source_again(&r->source, &first->source, error) || read_header(r, error))) {
		pp_reader_close(r);
		r = NULL;
	}
	if (r) {
		if (!r->dir)
			r->stream.name = r->source.name;
		r->stream.spooled = r->source.spooled;
		set_limit(r);
	}
	pp_reader_close(first);
	return r;
}

struct pp_reader *pp_reader_open_part(char *path, const struct pp_reader *first,
				      const struct pp_reader_options *options,
				      struct pp_attrs *attrs, struct pp_error *error)
{
	struct pp_reader *r = make(options, attrs, error);

	if (!r) {
		free(path);
		return NULL;
	}
	r->part = path;
	if (pp_source_open(&r->source, path, error) ||
	    (first && pp_container_bare(&r->source, first->stream.foreign, error)) ||
	    read_header(r, error)) {
		pp_reader_close(r);
		return NULL;
	}
	r->stream.name = path;
	set_limit(r);
	return r;
}

void pp_reader_close(struct pp_reader *r)
{
	if (!r)
		return;
	pp_dir_close(r->dir);
	pp_source_close(&r->source);
	pp_expand_free(r->expand);
	pp_sum_close(&r->sum);
	if (r->own_attrs)
		pp_attrs_free(r->stream.attrs);
	free(r->scratch);
	free(r->made);
	free(r->raw.buf);
	free(r->out.buf);
	free(r->part);
	free(r);
}

uint32_t pp_stream_end_flags(const struct pp_stream *s)
{
	const bool sealed = s->sealed && !s->rewritten;

	return (s->flags & (PP_SEAL_UNSEALED | PP_SEAL_DAMAGED)) | (sealed ? 0 : PP_SEAL_UNSEALED);
}

const struct pp_stream *pp_reader_stream(const struct pp_reader *r)
{
	return &r->stream;
}

bool pp_reader_raw(const struct pp_reader *r)
{
	return r->raw_mode;
}

/* ---- Waiting ---- */

void pp_reader_never_wait(struct pp_reader *r)
{
	r->source.hasty = true;
}

int pp_reader_fd(const struct pp_reader *r)
{
	return r->source.fd;
}

/* ---- Ties ---- */

static int flush_writer(void *arg)
{
	return pp_writer_flush(arg, NULL);
}

static void tie(struct pp_reader *r, struct tie t)
{
	if (r->dir)
		pp_dir_tie_call(r->dir, t.flush, t.arg);
	assert(r->n_ties < TIES);
	r->ties[r->n_ties++] = t;
}

void pp_reader_tie(struct pp_reader *r, struct pp_writer *w)
{
	tie(r, (struct tie){ flush_writer, w, w });
}

void pp_reader_tie_call(struct pp_reader *r, int (*flush)(void *arg), void *arg)
{
	tie(r, (struct tie){ flush, arg, NULL });
}

bool pp_reader_tied(const struct pp_reader *r, const struct pp_writer *w)
{
	for (size_t i = 0; i < r->n_ties; i++)
		if (r->ties[i].writer == w)
			return true;
	return false;
}
