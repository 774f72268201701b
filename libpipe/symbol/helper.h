/* helper.h - a shelf in a process of its own: what both sides say to each other, and how they say it. */
#ifndef SYMBOL_HELPER_H
#define SYMBOL_HELPER_H

#include "symbol/shelf.h"

struct pp_helper;
/* Starts nothing yet.  Options, their strings and the finder outlive it.  NULL: memory. */
struct pp_helper *pp_helper_new(const struct pp_symbols_options *, struct pp_finder *);
void pp_helper_free(struct pp_helper *);        /* NULL is fine */
/* As pp_shelf_names().  A file that ends the process is passed over, which is said once. */
int pp_helper_names(struct pp_helper *, const struct pp_asked *, const struct pp_answered *,
		    struct pp_error *);
unsigned pp_helper_isolated(const struct pp_helper *);

/* ---- apart.c: the process itself ---- */

/* Serves `socket`, its only descriptor, until the other side closes it. */
_Noreturn void pp_apart(int socket, const struct pp_symbols_options *);

/* ---- wire.c: messages ---- */

enum pp_wire {
	PP_WIRE_ASKED,                /* to the process: struct pp_wire_asked, offsets, path */
	PP_WIRE_FOUND,                /* what was asked for: struct pp_wire_found, path; a descriptor */
	PP_WIRE_READY,                /* from it, first: u32 PP_ISOLATED_ */
	PP_WIRE_NAMES,                /* a names record */
	PP_WIRE_SAID,                 /* a line */
	PP_WIRE_QUESTION,             /* struct pp_wire_question, path, path of ->of */
	PP_WIRE_DONE,
	PP_WIRE_FAILED,               /* struct pp_error */
	PP_WIRE_TOO_LARGE,            /* memory was enough, but not for this file */
};
struct pp_wire_asked {
	uint64_t number, ino;
	uint32_t n, kind, pid, of_pid, maj, min;
	struct pp_id id;
};
struct pp_wire_found { int32_t result; struct pp_id id; struct pp_error error; };
struct pp_wire_question {
	uint32_t what, crc, pid, maj, min;
	uint64_t ino;
	struct pp_id id, of_id;
};

struct pp_wire_part { const void *data; size_t size; };
enum { PP_WIRE_PARTS = 3 };
/* A message of up to PP_WIRE_PARTS parts, the first empty one ends them, with a descriptor or -1.
 * 0, or -1 and errno. */
int pp_wire_send(int socket, enum pp_wire, const struct pp_wire_part parts[PP_WIRE_PARTS], int fd);
/* Waits for one: 1, and what it is, its bytes, which a zero byte follows, and its descriptor or -1;
 * 0: the other side is gone, or talks nonsense; -1: memory. */
int pp_wire_receive(int socket, uint32_t *kind, struct pp_buffer *, int *fd);
/* The text at *at of a message; then *at is after its end.  NULL: it has no end. */
const char *pp_wire_text(const struct pp_buffer *, size_t *at);

#endif
