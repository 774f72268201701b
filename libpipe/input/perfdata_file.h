/* perfdata_file.h - a perf.data file on its way to be a stream. */
#ifndef PP_PERFDATA_FILE_H
#define PP_PERFDATA_FILE_H

#include "base/byte_order.h"
#include "input/detect_format.h"

enum { PP_FILE_FEATURES = 256 };

struct pp_section { uint64_t offset, size; };

/* One file being turned into pieces. */
struct pp_file {
	struct pp_input *source;
	struct pp_composed_input *pieces;
	bool foreign;
	uint64_t length;              /* of the file */
	uint64_t header_size, attr_size;
	struct pp_section attrs, data, types;
	uint64_t features[PP_FILE_FEATURES / 64];
	struct pp_error *error;
};

/* Whether the file has these bytes: 0; else -1 and *error says that it ends before `what`. */
int pp_file_check(struct pp_file *, uint64_t offset, uint64_t size, const char *what);
/* Reads them: 0, or -1 and *error. */
int pp_file_get(struct pp_file *, void *buf, size_t size, uint64_t offset, const char *what);
/* Room for `size` bytes at the end of the stream, to be filled before the next call; NULL and *error. */
uint8_t *pp_file_room(struct pp_file *, size_t size);
/* The header of a record. */
void pp_file_head(const struct pp_file *, uint8_t *p, uint32_t type, uint16_t misc, size_t size);

/* ---- perfdata_sections.c ---- */

/* Adds what a stream has for a feature: 0, or -1 and *error. */
int pp_file_add_section(struct pp_file *, unsigned number, struct pp_section);
/* Adds the names of events that EVENT_DESC has: perf takes those of a stream's from EVENT_UPDATE
 * records alone. */
int pp_file_add_names(struct pp_file *, struct pp_section event_desc);

#endif
