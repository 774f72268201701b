/*
 * record_from_json.h - what the two halves of the way back from JSON share: record_from_json.c, which
 * looks at lines, and fields_from_json.c, which looks at the fields of one record.
 */
#ifndef PP_RECORD_FROM_JSON_H
#define PP_RECORD_FROM_JSON_H

#include <locale.h>

#include "format/format.h"
#include "text/json_parse.h"

typedef const struct pp_field row_t;

enum { PP_PARSE_MEMORY = 16 };          /* names of types that were found last */

/* The members of an object, taken one by one; mostly in the order of the rows. */
struct members {
	struct json *first, *next;    /* NULL: there are none */
	uint32_t count, used;
};

/* A place in the tree of fields, for messages. */
struct place {
	const char *name;
	uint32_t element;             /* of a list, from 0; UINT32_MAX: not in a list */
};

struct pp_parse {
	struct json_doc doc;
	struct pp_attrs *attrs;
	bool foreign, begun;
	locale_t c;
	struct pp_error *error;
	/* the record that is being made */
	const struct pp_type *type;
	const struct pp_attr *attr;
	const struct members *body;   /* its fields, while the trailer is made */
	uint64_t default_id;          /* of its event */
	uint64_t new_id, last_id;     /* of a HEADER_ATTR without any, or 0; of the last one */
	bool is_named;                /* a HEADER_ATTR with the name of a generic event: */
	uint32_t named_type;
	uint64_t named_config;
	uint64_t reg[PP_R_COUNT];
	size_t at, limit;             /* in buf; `limit` is never crossed */
	bool known;                   /* the structure, or one around it, ends at `limit` */
	bool open_ended;              /* a BYTES was given that fills the rest */
	size_t tail_unsaid;           /* where the length of the tail belongs, if it was not given */
	unsigned depth;
	struct place place[PP_DEPTH + 2];
	struct {
		char name[24];
		uint32_t length;
		const struct pp_type *type;
	} memory[PP_PARSE_MEMORY];
	uint8_t buf[PP_RECORD_MAX + 1];
};

/* ---- members ---- */

static inline struct members members_of(struct json *object)
{
	if (!object || !object->length)
		return (struct members){ 0 };
	return (struct members){ .first = object + 1, .next = object + 1, .count = object->length };
}

static inline struct json *sibling(struct pp_parse *p, const struct json *node)
{
	return node->next ? &p->doc.nodes[node->next] : NULL;
}

static inline bool is_text(const struct json *node, const char *text)
{
	return node->kind == JSON_TEXT && strlen(text) == node->length &&
	       !memcmp(node->text, text, node->length);
}

/* The first member that was not taken and is called `name`, or `name` and `suffix`; or NULL. */
struct json *pp_parse_peek(struct pp_parse *, const struct members *, const char *name,
			   const char *suffix);
struct json *pp_parse_take(struct pp_parse *, struct members *, const char *name,
			   const char *suffix);
/* All members have to be fields of `whose`: 0, or -1 if one was not taken. */
int pp_parse_used(struct pp_parse *, const struct members *, const char *whose);

/* ---- failing: these return -1, and fill p->error ---- */

static inline void enter(struct pp_parse *p, const char *name, uint32_t element)
{
	p->place[p->depth++] = (struct place){ name, element };
}

/* `name` may be NULL: what was entered last. */
int pp_parse_fail(struct pp_parse *, const char *name, const char *expected, ...)
	__attribute__((format(printf, 3, 4)));
int pp_parse_need(struct pp_parse *, const char *name, const char *kind, const struct json *have);

/* ---- values ---- */

static inline void store(uint8_t *to, unsigned width, uint64_t v)
{
	if (width == 8)
		pp_store64(to, v);
	else if (width == 4)
		pp_store32(to, (uint32_t)v);
	else if (width == 2)
		pp_store16(to, (uint16_t)v);
	else
		*to = (uint8_t)v;
}

/* Bytes of a text of hex digits, or -1. */
int64_t pp_parse_hex(struct pp_parse *, const char *name, const struct json *);
/* `n` bytes from 2 * n digits; `to` may be the same place.  False: some are not digits. */
bool pp_parse_unhex(uint8_t *to, const char *from, size_t n);
bool pp_parse_dec(const struct json *, uint64_t *v, bool *negative);
/* The value of a row, as it is stored in the row's width: 0 or -1. */
int pp_parse_number(struct pp_parse *, row_t *, struct json *, uint64_t *v);

/* ---- what is appended to the record: 0 or -1 ---- */

int pp_parse_zeros(struct pp_parse *, const char *name, uint64_t n);
/* Bytes of hex digits, and zeros up to `width`. */
int pp_parse_put_hex(struct pp_parse *, const char *name, const struct json *, uint64_t width);
int pp_parse_put_number(struct pp_parse *, row_t *, struct members *);
/* The rows of a structure whose end, where `spans`, is p->limit: then what no row covers, too. */
int pp_parse_put_rows(struct pp_parse *, row_t *rows, struct members *, bool spans);
/* Bytes that no row covers, where they are given. */
int pp_parse_put_rest(struct pp_parse *, struct members *);

#endif
