/* json_parse.h - a JSON text as an array of nodes, for record_from_json.c. */
#ifndef PP_JSON_PARSE_H
#define PP_JSON_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_TEXT, JSON_LIST, JSON_OBJECT };

/*
 * A value.  Those within a list or an object follow it in the array, the first directly after it,
 * and each says where its next sibling is.
 */
struct json {
	const char *key;              /* in an object: its name, `key_length` bytes */
	const char *text;             /* of a TEXT, escapes undone; of a NUMBER, as written */
	uint64_t value;               /* of a NUMBER that is `whole`: its magnitude */
	uint32_t length;              /* bytes of text, or members */
	uint32_t next;                /* index of the next sibling, 0 after the last */
	uint32_t key_length;
	uint8_t kind;
	bool negative, whole;         /* NUMBER: below zero; an integer that fits in 64 bits */
	bool used;                    /* for those who use it */
};

/* The nodes of one text at a time; the room is used again for the next. */
struct json_doc {
	struct json *nodes;           /* [0] is the text's own value */
	size_t count, room;
	const char *wrong;            /* of a text that is not JSON: what was expected ... */
	size_t at;                    /* ... and at which byte */
	bool no_memory;
};

/*
 * Parses `length` bytes, in place: escapes are undone in `text`, and the byte after it is
 * overwritten.  Strings are checked to be UTF-8.  0, or -1 and ->wrong, or ->no_memory.
 */
int pp_json_parse(struct json_doc *, char *text, size_t length);
void pp_json_free(struct json_doc *);
/* "an object", "a text" ... */
const char *pp_json_kind_name(const struct json *);

#endif
