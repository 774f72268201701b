/* describe.h - what the files of this room share: what was kept of a stream's head. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <perfpipe/perfpipe.h>

enum { PP_FEATURES_KEPT = 64 };       /* those that are known by number, and some to come */

/* A record in host order. */
struct pp_head_copy {
	uint8_t *data;
	uint32_t size, beyond;        /* as a record has them */
};
struct pp_head_list {
	struct pp_head_copy *items;
	size_t count, room;
};
struct pp_features {
	struct pp_head_copy feature[PP_FEATURES_KEPT];  /* the last record of each */
	struct pp_head_list attrs;    /* HEADER_ATTRs, in the order of the stream */
	struct pp_head_list notes;    /* their records */
	struct pp_head_list names;    /* likewise */
	uint64_t of_file;             /* features that the file has, a bit for each, of whatever payload */
};

static inline void pp_head_record(struct pp_record *rec, const struct pp_head_copy *copy,
				  const struct pp_attrs *attrs)
{
	*rec = (struct pp_record){ .data = copy->data, .size = (uint16_t)copy->size, .attrs = attrs,
				    .beyond = copy->beyond };
	rec->type = pp_load32(copy->data);
	rec->misc = pp_load16(copy->data + 4);
}
/* Whose words: our own, or perf's to the letter. */
enum pp_words_of { PP_WORDS, PP_WORDS_7_3, PP_WORDS_6_1 };
/* One feature, whose record this is; `full`: whatever its length. */
void pp_head_feature(const struct pp_record *, uint64_t number, enum pp_words_of, bool full, struct pp_out *);
/* The same of one that has no payload. */
void pp_head_empty_feature(uint64_t number, struct pp_out *);
/* How the records came compressed. */
void pp_head_compression(const struct pp_compression *, struct pp_out *);
/* The name of the event of ordinal `i`, as far as `attrs`, which may be NULL, have it. */
const char *pp_head_event(const struct pp_attrs *, size_t i);

/* Those with this key, or all: `key` NULL.  How many there were. */
size_t pp_head_notes_text(const struct pp_features *, const char *key, struct pp_out *);
void pp_head_notes_json(const struct pp_features *, struct pp_json *);
/* A line for each file that has names; and all of them. */
void pp_head_names_text(const struct pp_features *, struct pp_out *);
void pp_head_names_json(const struct pp_features *, struct pp_json *);
/* A text, or what is not UTF-8 as {"hex":"00ff"}. */
void pp_head_json_text(struct pp_json *, const char *name, const char *text, size_t length);

#endif
