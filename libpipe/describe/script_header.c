/*
 * script_header.c - what perf script --header prints around the features of a recording, and when.
 * header_text.c puts features into words.
 */
#include "describe/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { FEATURES_6_1 = 32, FEATURES_7_3 = 35 };       /* that each version knows, from 1 */

static const char border[] = "# ========\n";

static bool of_file(const struct pp_header_words *h)
{
	return strcmp(h->stream->container, "stream") != 0;
}

static uint64_t features(const struct pp_header_words *h)
{
	return h->old ? FEATURES_6_1 : FEATURES_7_3;
}

void pp_header_words_start(struct pp_header_words *h, struct pp_out *out)
{
	const time_t captured = (time_t)h->captured;
	const struct pp_stream *const s = h->stream;
	char day[32] = "?\n", text[256];

	if (!h->banner)
		return;
	(void)ctime_r(&captured, day);
	(void)snprintf(text, sizeof(text),
		       "# captured on    : %s# header version : %d\n# data offset    : %" PRIu64
		       "\n# data size      : %" PRIu64 "\n# feat offset    : %" PRIu64 "\n",
		       day, !s->version_1, s->data_offset, s->data_size, s->features_offset);
	pp_out_text(out, border);
	pp_out_text(out, text);
	if (of_file(h))
		return;
	pp_out_text(out, border);
	pp_out_text(out, "#\n");
}

/* The reader keeps this feature to itself. */
static void print_compression(struct pp_header_words *h, struct pp_out *out)
{
	if (!h->compression && h->stream->compression.type)
		pp_head_compression(&h->stream->compression, out);
	h->compression |= h->stream->compression.type != 0;
}

/* A feature of a file that no record can hold, or NULL. */
static const struct pp_record *find_long(const struct pp_stream *stream, uint64_t wanted)
{
	uint64_t number;

	for (size_t i = 0; i < stream->n_long_features; i++)
		if (pp_find_feature(&stream->long_features[i], &number) && number == wanted)
			return &stream->long_features[i];
	return NULL;
}

/* Features of a file that have no record, up to this one: without payload, with one that is too long, or that
 * the reader keeps. */
static void print_others(struct pp_header_words *h, uint64_t to, struct pp_out *out)
{
	for (; h->next < to; h->next++) {
		const struct pp_record *const rec = find_long(h->stream, h->next);

		if (rec)
			pp_head_feature(rec, h->next, h->old ? PP_WORDS_6_1 : PP_WORDS_7_3, h->full, out);
		else if (h->next == PP_FEAT_COMPRESSED)
			print_compression(h, out);
		else if (h->stream->features >> h->next & 1)
			pp_head_empty_feature(h->next, out);
	}
}

static void print_feature(struct pp_header_words *h, const struct pp_record *rec, struct pp_out *out)
{
	uint64_t number;

	if (rec->size <= PP_HEADER_SIZE + sizeof(number) || !pp_find_feature(rec, &number) ||
	    number >= features(h))
		return;
	if (of_file(h)) {
		print_others(h, number, out);
		h->next = number + 1;
	}
	pp_head_feature(rec, number, h->old ? PP_WORDS_6_1 : PP_WORDS_7_3, h->full, out);
}

void pp_header_words_note(struct pp_header_words *h, const struct pp_record *rec, struct pp_out *out)
{
	if (!of_file(h))
		print_compression(h, out);
	if (rec->type == PP_REC_HEADER_FEATURE && (h->banner || !of_file(h)))
		print_feature(h, rec, out);
	else if (rec->type < PP_USER_TYPES)
		pp_header_words_end(h, out);
}

void pp_header_words_end(struct pp_header_words *h, struct pp_out *out)
{
	if (h->ended || !h->banner || !of_file(h))
		return;
	h->ended = true;
	print_others(h, features(h), out);
	pp_out_text(out, "# missing features: ");
	for (uint32_t i = 1; i < features(h); i++) {
		if (h->stream->features >> i & 1)
			continue;
		pp_out_text(out, pp_feature(i)->name);
		pp_out_char(out, ' ');
	}
	pp_out_char(out, '\n');
	pp_out_text(out, border);
	pp_out_text(out, "#\n");
}
