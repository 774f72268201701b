/* build.c - makes one record field by field in the order of its rows, as walk.c reads it. */
#include "format/format.h"

enum { NAME_ALIGN = 64 };       /* perf rounds the texts in features up to this */

typedef const struct pp_field row_t;

static void skip_row(struct pp_build *);

static struct pp_build_frame *top(struct pp_build *b)
{
	return &b->frame[b->depth];
}

/* Room for `n` more bytes, all zero; NULL where they do not fit. */
static uint8_t *reserve(struct pp_build *b, uint64_t n)
{
	const size_t most = b->room < PP_RECORD_MAX ? b->room : PP_RECORD_MAX;
	uint8_t *p;

	if (b->failed || b->at > most || !pp_fits(n, most - b->at)) {
		b->failed = true;
		return NULL;
	}
	p = b->buf + b->at;
	memset(p, 0, (size_t)n);
	b->at += (size_t)n;
	return p;
}

static void pad_to_8(struct pp_build *b)
{
	(void)reserve(b, pp_align8(b->at) - b->at);
}

/* ---- Which rows are there, and how often ------------------------------------------------------ */

/* What only a reader knows makes a row be there if the caller names it. */
static bool condition(const struct pp_build *b, const struct pp_when *w, bool named)
{
	return pp_is_readers(w->reg) ? named : pp_holds(w, b->reg);
}

static bool is_row_built(const struct pp_build *b, row_t *row, bool named)
{
	return condition(b, &row->when, named) && condition(b, &row->also, named);
}

/* How many elements a row has, or UINT64_MAX: as many as the caller gives. */
static uint64_t elements_to_build(const struct pp_build *b, row_t *row)
{
	return pp_is_readers(row->by) ? UINT64_MAX : pp_row_count(row, b->reg, UINT64_MAX);
}

static bool is_list(row_t *row)
{
	return row->kind == PP_LIST || row->kind == PP_STRS;
}

static void next_row(struct pp_build *b)
{
	top(b)->row++;
	top(b)->done = 0;
}

/* ---- One field -------------------------------------------------------------------------------- */

static void put_scalar(struct pp_build *b, row_t *row, uint64_t value)
{
	struct pp_build_frame *f = top(b);
	uint8_t *p = reserve(b, pp_kind_width[row->kind]);

	if (!p)
		return;
	pp_store_width(p, pp_kind_width[row->kind], value);
	if (row->set)
		b->reg[row->set] = value;
	if (row->spans && value && !f->limit)
		f->limit = value;
	if (row->spans && !value) {
		f->span = row;
		f->span_at = b->at - pp_kind_width[row->kind];
	}
}

static void put_text(struct pp_build *b, row_t *row, const char *text)
{
	uint64_t length = strlen(text), width = length + 1;
	uint8_t *p;

	if (row->kind == PP_CHARS && !row->rest)
		width = elements_to_build(b, row);
	if (row->kind == PP_LSTR) {
		width = (width + NAME_ALIGN - 1) / NAME_ALIGN * NAME_ALIGN;
		p = reserve(b, sizeof(uint32_t));
		if (p)
			pp_store32(p, (uint32_t)width);
	}
	p = reserve(b, width);
	if (p)
		memcpy(p, text, (size_t)(length < width ? length : width));
	if (row->kind == PP_STR8)
		pad_to_8(b);
}

static void push_rows(struct pp_build *b, row_t *row)
{
	row_t *rows = row->of;

	if (row->feature) {
		const struct pp_type *feature = pp_feature((uint32_t)b->reg[PP_R_FEATURE]);

		rows = feature && b->reg[PP_R_FEATURE] <= UINT32_MAX ? feature->fields : NULL;
	}
	if (!rows || b->depth == PP_DEPTH - 1) {
		b->failed = true;
		return;
	}
	b->depth++;
	*top(b) = (struct pp_build_frame){ .row = rows, .start = b->at };
	if (row->kind == PP_ONE && row->by)
		top(b)->limit = b->reg[row->by];
}

/* Fills in what the struct lacks, and stores its size if it has a field for that. */
static void finish_struct(struct pp_build *b)
{
	struct pp_build_frame *f = top(b);

	while (f->row->name && !b->failed && (!f->limit || b->at - f->start < f->limit))
		skip_row(b);
	if (f->limit && !b->failed) {
		if (b->at - f->start > f->limit)
			b->failed = true;
		else
			(void)reserve(b, f->limit - (b->at - f->start));
	}
	if (f->span_at && !b->failed)
		pp_store_width(b->buf + f->span_at, pp_kind_width[f->span->kind], b->at - f->start);
}

static void pop(struct pp_build *b)
{
	finish_struct(b);
	b->depth--;
	if (top(b)->row->kind == PP_LIST)
		top(b)->done++;
	else
		next_row(b);
}

/* Zeros, for a row that is there and was not given. */
static void fill_row(struct pp_build *b, row_t *row)
{
	uint64_t n = elements_to_build(b, row);

	if (n == UINT64_MAX)
		n = top(b)->done;               /* a list that ends where the caller stops */
	if (is_list(row)) {
		if (top(b)->done && top(b)->done != n)
			b->failed = true;
		while (!b->failed && top(b)->done < n) {
			if (row->kind == PP_LIST) {
				push_rows(b, row);
				if (!b->failed)
					pop(b);
			} else {
				put_text(b, row, "");
				top(b)->done++;
			}
		}
	} else if (row->kind == PP_ONE) {
		push_rows(b, row);
		if (!b->failed)
			finish_struct(b);
		if (!b->failed)
			b->depth--;
	} else if (pp_is_text(row)) {
		put_text(b, row, "");
	} else if (row->kind == PP_BYTES || row->by || row->n || row->rest) {
		(void)reserve(b, pp_fits_n(n, pp_kind_width[row->kind], PP_RECORD_MAX) ?
			      n * pp_kind_width[row->kind] : UINT64_MAX);
	} else {
		put_scalar(b, row, 0);
	}
}

static void skip_row(struct pp_build *b)
{
	row_t *row = top(b)->row;

	if (row->kind == PP_LOOK)
		b->reg[row->set] = 0;
	else if (top(b)->done || is_row_built(b, row, false))
		fill_row(b, row);
	next_row(b);
}

/*
 * A row that looks at the next byte, before that is written: if the field that the caller gives
 * now is the next one under this value of its first byte, that is the byte.
 */
static void look_ahead(struct pp_build *b, row_t *row, const char *name, uint64_t value)
{
	b->reg[row->set] = (uint8_t)value;
	for (row_t *r = row + 1; r->name; r++) {
		if (!is_row_built(b, r, true))
			continue;
		if (!strcmp(r->name, name))
			return;
		break;
	}
	b->reg[row->set] = 0;
}

/* Goes on to the row of this name and returns it; NULL: there is none from here on. */
static row_t *seek(struct pp_build *b, const char *name, uint64_t value)
{
	while (!b->failed && !b->trailed) {
		row_t *row = top(b)->row;

		if (!row->name)
			break;
		if (row->kind == PP_LOOK) {
			if (is_row_built(b, row, true))
				look_ahead(b, row, name, value);
			next_row(b);
		} else if (!strcmp(row->name, name) && is_row_built(b, row, true)) {
			return row;
		} else {
			skip_row(b);
		}
	}
	b->failed = true;
	return NULL;
}

static bool is_scalar(row_t *row)
{
	return row->kind <= PP_PARTS && !pp_is_array(row);
}

/* ---- The interface ---------------------------------------------------------------------------- */

void pp_build(struct pp_build *b, void *buf, size_t room, uint32_t type, uint16_t misc,
	      const struct pp_attr *attr)
{
	*b = (struct pp_build){ .buf = buf, .room = room, .type = pp_type(type), .attr = attr,
				.padded = type != PP_REC_HEADER_FEATURE };
	b->reg[PP_R_MISC] = misc;
	if (attr)
		pp_event_registers(b->reg, attr);
	if (!b->type) {
		b->failed = true;
		return;
	}
	top(b)->row = b->type->fields;
	(void)reserve(b, PP_HEADER_SIZE);
}

void pp_build_feature(struct pp_build *b, void *buf, size_t room, uint32_t feature)
{
	pp_build(b, buf, room, PP_REC_HEADER_FEATURE, 0, NULL);
	pp_build_u64(b, "feat_id", feature);
	pp_build_open(b, "data");
}

void pp_build_u64(struct pp_build *b, const char *name, uint64_t value)
{
	row_t *row = seek(b, name, value);

	if (!row)
		return;
	if (!is_scalar(row)) {
		b->failed = true;
		return;
	}
	put_scalar(b, row, value);
	next_row(b);
}

void pp_build_text(struct pp_build *b, const char *name, const char *text)
{
	row_t *row = seek(b, name, (uint8_t)*text);

	if (!row)
		return;
	if (!pp_is_text(row)) {
		b->failed = true;
		return;
	}
	put_text(b, row, text);
	next_row(b);
}

void pp_build_bytes(struct pp_build *b, const char *name, const void *data, size_t size)
{
	row_t *row = seek(b, name, 0);
	const bool fixed = row && row->n;
	uint64_t n, width;
	uint8_t *p;

	if (!row)
		return;
	n = elements_to_build(b, row);
	width = row->kind == PP_ONE ? 1 : pp_kind_width[row->kind];
	if (row->kind == PP_ONE && !row->by)
		n = size;
	if (is_list(row) || row->kind == PP_STR || row->kind == PP_STR8 || row->kind == PP_LSTR ||
	    size % width || (n != UINT64_MAX && (fixed ? size / width > n : size / width != n))) {
		b->failed = true;
		return;
	}
	p = reserve(b, fixed ? n * width : size);
	if (p && size)
		memcpy(p, data, size);
	/* what fills the rest has the length that it was given */
	if (row->kind == PP_BYTES && row->rest)
		b->padded = false;
	next_row(b);
}

void pp_build_open(struct pp_build *b, const char *name)
{
	row_t *row = seek(b, name, 0);

	if (!row)
		return;
	if ((row->kind != PP_ONE && row->kind != PP_LIST) ||
	    (row->kind == PP_LIST && top(b)->done >= elements_to_build(b, row))) {
		b->failed = true;
		return;
	}
	push_rows(b, row);
}

void pp_build_close(struct pp_build *b)
{
	if (!b->depth)
		b->failed = true;
	if (!b->failed)
		pop(b);
}

void pp_build_item(struct pp_build *b, const char *name, const char *text)
{
	row_t *row = seek(b, name, 0);

	if (!row)
		return;
	if (row->kind != PP_STRS || top(b)->done >= elements_to_build(b, row)) {
		b->failed = true;
		return;
	}
	put_text(b, &(row_t){ .kind = PP_LSTR }, text);
	top(b)->done++;
}

/* All rows through, and the record padded as its kind asks. */
static void finish_body(struct pp_build *b)
{
	if (b->depth == 1 && b->frame[0].row->feature && !b->failed)
		pop(b);
	if (b->depth)
		b->failed = true;
	while (!b->failed && top(b)->row->name)
		skip_row(b);
	if (b->padded)
		pad_to_8(b);
}

static bool wants_trailer(const struct pp_build *b)
{
	return b->type && (b->type->words & (PP_OF_KERNEL | PP_TRAILS)) && b->attr &&
	       b->type->number != PP_REC_SAMPLE && b->attr->plan.trailer;
}

void pp_build_trailer(struct pp_build *b, uint32_t pid, uint32_t tid, uint64_t time, uint64_t id,
		      uint32_t cpu)
{
	const uint64_t values[] = {
		[PP_IS_PID] = pid, [PP_IS_TID] = tid, [PP_IS_TIME] = time, [PP_IS_EVENT_ID] = id,
		[PP_IS_STREAM_ID] = id, [PP_IS_CPU] = cpu, [PP_IS_IDENTIFIER] = id,
	};

	if (b->failed || b->trailed || !wants_trailer(b))
		return;
	finish_body(b);
	b->trailed = true;
	for (row_t *row = b->attr->trailer_fields; row->name; row++) {
		uint8_t *p = is_row_built(b, row, false) ? reserve(b, pp_kind_width[row->kind]) : NULL;

		if (p && row->is < sizeof(values) / sizeof(*values))
			pp_store_width(p, pp_kind_width[row->kind], values[row->is]);
	}
}

size_t pp_build_end(struct pp_build *b)
{
	/* the event has one: then a record without it would be read wrongly */
	if (!b->failed && b->type->words & PP_OF_KERNEL)
		pp_build_trailer(b, 0, 0, 0, 0, 0);
	if (!b->failed && !b->trailed)
		finish_body(b);
	if (b->failed)
		return 0;
	pp_store32(b->buf, b->type->number);
	pp_store16(b->buf + 4, (uint16_t)b->reg[PP_R_MISC]);
	pp_store16(b->buf + 6, (uint16_t)b->at);
	return b->at;
}
