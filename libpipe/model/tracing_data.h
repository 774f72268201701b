/* tracing_data.h - the tracing data that follow a HEADER_TRACING_DATA record, taken apart; nothing
 * outside of the library includes it. */
#ifndef TRACING_DATA_H
#define TRACING_DATA_H

#include <perfpipe/perfpipe.h>

/* A piece of the data, borrowed. */
struct pp_span { const uint8_t *data; size_t size; };

static inline bool pp_span_same(struct pp_span a, struct pp_span b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* The format of a tracepoint of a system; of ftrace itself where `system` is empty. */
struct pp_format {
	struct pp_span system, text;
	struct pp_span name, digits;  /* in the text; of the id */
	uint64_t id;
	uint8_t *made;                /* the text, if not part of the data; or NULL */
};

/* Finds name, digits and id in the text. */
void pp_format_read(struct pp_format *);

struct pp_tracing {
	struct pp_span head;          /* magic to page size */
	struct pp_span header_page, header_event, kallsyms, printk, cmdlines;
	bool foreign;                 /* its numbers, and raw data of samples, are not of the host's order */
	uint8_t long_size;            /* of the recorded kernel */
	bool has_cmdlines;
	struct pp_format *formats;
	size_t n_formats, room;
};

/* Takes `size` bytes apart, into a struct of zeros.  0; 1: they are damaged, or none that we know,
 * what was found before that is there; -1: out of memory. */
int pp_tracing_take(struct pp_tracing *, const void *data, size_t size);
void pp_tracing_free(struct pp_tracing *);

/* How the kernel says that the tracepoint is shown: what follows "print fmt:" in its format; or NULL. */
const char *pp_tracepoint_shown_as(const struct pp_tracepoint *);

#endif
