/* scrub_verify.c - what goes out, cut into words, beside all that was replaced before and after. */
#include "scrub/scrub_verify.h"

#include "base/array.h"
#include "base/byte_order.h"
#include "base/format_number.h"
#include "format/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/*
 * A text is words with whatever lies between them, and is found wherever it begins and ends with a word.
 * Shorter ones, and numbers, are anywhere.  Of long ones the first words are looked for.
 */
enum { LEAST = 4, WORDS = 8, DIGEST = 8 };
enum { BYTE_BITS = 16 };              /* of a place in ->written */

/* ---- Words ---- */

/* Bytes of a letter, a digit or such at the beginning; 0: what lies between words. */
static size_t length_of_letter(const char *text, size_t length)
{
	if ((uint8_t)*text < 0x80)
		return isalnum((uint8_t)*text) || *text == '_';
	return pp_utf8(text, length);
}

/* Where the next word in a text is, from a place on; false: a byte that is no text, at *from, or the end
 * comes first. */
static bool next_word(const char *text, size_t length, size_t at, size_t *from, size_t *to)
{
	size_t letter;

	for (*from = at; at < length && !length_of_letter(text + at, length - at); *from = ++at)
		if ((uint8_t)text[at] < ' ' || (uint8_t)text[at] >= 0x7f)
			return false;
	for (; at < length && (letter = length_of_letter(text + at, length - at)); at += letter)
		;
	*to = at;
	return *to > *from;
}

static uint64_t hash_of_words(const char *text, size_t length)
{
	return XXH3_64bits(text, length);
}

static bool is_decimal(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isdigit((uint8_t)text[i]))
			return false;
	return true;
}

/* Shows the word at a place, and that with those after it, each as one text. */
static int each_from(const char *text, size_t length, size_t from,
		     int (*take)(void *arg, uint64_t hash, size_t at, struct pp_error *), void *arg,
		     struct pp_error *error)
{
	size_t start = from, end = from, word;

	for (unsigned n = 0; n < WORDS && next_word(text, length, end, &word, &end); n++) {
		if (end - start >= LEAST && take(arg, hash_of_words(text + start, end - start), start, error))
			return -1;
	}
	return 0;
}

/* The same from each word of some bytes, texts among others. */
static int each_text(const char *bytes, size_t size,
		     int (*take)(void *arg, uint64_t hash, size_t at, struct pp_error *), void *arg,
		     struct pp_error *error)
{
	for (size_t at = 0, from, to; at < size; at = to) {
		if (!next_word(bytes, size, at, &from, &to)) {
			to = from + 1;
			continue;
		}
		if (each_from(bytes, size, from, take, arg, error))
			return -1;
	}
	return 0;
}

/* What a text that was replaced is looked for by: the hash of its first words; UINT64_MAX: by nothing. */
static uint64_t hash_of_text(const char *text, size_t length)
{
	size_t start = 0, end = 0, from, to;

	for (unsigned n = 0; n < WORDS && next_word(text, length, end, &from, &to); n++) {
		start = n ? start : from;
		end = to;
	}
	return end < start + LEAST || is_decimal(text + start, end - start) ? UINT64_MAX :
		hash_of_words(text + start, end - start);
}

/* ---- What stays ---- */

static int add_kept(void *arg, uint64_t hash, size_t at, struct pp_error *error)
{
	struct pp_scrub_verify *const v = arg;

	(void)at;
	return pp_idmap_add(&v->kept, hash) < 0 ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

int pp_scrub_keep_text(struct pp_scrub_verify *v, const char *text, size_t length, struct pp_error *error)
{
	return v->on ? each_text(text, length, add_kept, v, error) : 0;
}

int pp_scrub_keep_bytes(struct pp_scrub_verify *v, const uint8_t *bytes, size_t size, struct pp_error *error)
{
	return v->on && size >= DIGEST ? add_kept(v, pp_load64(bytes), 0, error) : 0;
}

/* ---- What goes out ---- */

/* A record that is looked at; its place is added once something in it is new. */
struct looked_at {
	struct pp_scrub_verify *v;
	const struct pp_record *rec;
	bool has_place;
};

static int add_written(void *arg, uint64_t hash, size_t at, struct pp_error *error)
{
	struct looked_at *const is = arg;
	struct pp_scrub_verify *const v = is->v;

	if (pp_idmap_has(&v->written, hash))
		return 0;
	if (!is->has_place) {
		if (PP_GROW(&v->places, &v->room, v->n_places + 1, error))
			return -1;
		v->places[v->n_places++] = (struct pp_scrub_place){ is->rec->offset, is->rec->index,
								     is->rec->type };
		is->has_place = true;
	}
	return pp_idmap_set(&v->written, hash, (v->n_places - 1) << BYTE_BITS | (at + PP_HEADER_SIZE)) ?
		pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* The hash by which bytes are found where they are written in hex. */
static uint64_t hash_of_hex(const uint8_t *bytes, size_t size)
{
	char hex[2 * PP_PSEUDONYM_MAC];

	for (size_t i = 0; i < size; i++)
		memcpy(hex + 2 * i, pp_hex_pairs + (size_t)bytes[i] * 2, 2);
	return hash_of_words(hex, 2 * size);
}

static int learn_digests(struct pp_scrub_verify *v, const struct pp_pseudonyms *p, struct pp_error *error)
{
	for (; v->digests_of < p->known.n; v->digests_of++) {
		const struct pp_text *const is = &p->known.items[v->digests_of];

		if (is->kind == PP_CODED_BYTES && is->length >= DIGEST &&
		    pp_idmap_set(&v->digests, pp_load64((const uint8_t *)is->text), v->digests_of))
			return pp_fail(error, PP_E_NOMEM, NULL);
	}
	return 0;
}

/* Digests, such as build-ids, are found as bytes, too. */
static int look_for_digests(struct looked_at *is, const struct pp_pseudonyms *p, const uint8_t *bytes,
			    size_t size, struct pp_error *error)
{
	for (size_t at = 0; at + DIGEST <= size; at++) {
		const uint64_t *const number = pp_idmap_find(&is->v->digests, pp_load64(bytes + at));
		const struct pp_text *digest;

		if (!number || pp_idmap_has(&is->v->kept, pp_load64(bytes + at)))
			continue;
		digest = &p->known.items[*number];
		if (digest->length <= size - at && !memcmp(bytes + at, digest->text, digest->length) &&
		    add_written(is, hash_of_hex((const uint8_t *)digest->text, digest->length), at, error))
			return -1;
	}
	return 0;
}

static bool has_hidden(const struct pp_field *rows)
{
	for (; rows && rows->name; rows++)
		if (rows->hide || rows->feature || has_hidden(rows->of))
			return true;
	return false;
}

int pp_scrub_look(struct pp_scrub_verify *v, const struct pp_pseudonyms *p, const struct pp_record *rec,
		  const uint8_t *written, size_t size, struct pp_error *error)
{
	const struct pp_type *const type = pp_type(rec->type);
	struct looked_at is = { .v = v, .rec = rec };

	if (!v->on || size <= PP_HEADER_SIZE || (type && !has_hidden(type->fields)) ||
	    (rec->type == PP_REC_SAMPLE && !(rec->attr && rec->attr->sample_type & v->bytes_of_samples)))
		return 0;
	written += PP_HEADER_SIZE;
	size -= PP_HEADER_SIZE;
	return each_text((const char *)written, size, add_written, &is, error) ||
	       learn_digests(v, p, error) || look_for_digests(&is, p, written, size, error) ? -1 : 0;
}

/* ---- What was found ---- */

bool pp_scrub_found(struct pp_scrub_verify *v, const struct pp_pseudonyms *p, size_t *number,
		    struct pp_scrub_place *place, uint32_t *byte)
{
	while (v->on && v->next < p->known.n) {
		const struct pp_text *const is = &p->known.items[v->next++];
		const uint64_t hash = is->kind == PP_CODED_TEXT ? hash_of_text(is->text, is->length) :
			is->kind != PP_CODED_BYTES ? UINT64_MAX :
			hash_of_hex((const uint8_t *)is->text, is->length);
		const uint64_t *const at = pp_idmap_find(&v->written, hash);

		if (!at || pp_idmap_has(&v->kept, hash))
			continue;
		*number = v->next - 1;
		*place = v->places[*at >> BYTE_BITS];
		*byte = (uint32_t)(*at & ((1U << BYTE_BITS) - 1));
		return true;
	}
	return false;
}

void pp_scrub_verify_close(struct pp_scrub_verify *v)
{
	pp_idmap_close(&v->written);
	pp_idmap_close(&v->kept);
	pp_idmap_close(&v->digests);
	free(v->places);
}
