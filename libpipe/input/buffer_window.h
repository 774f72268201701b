/* buffer_window.h - the memory that records lie in, and who borrows from it. */
#ifndef PP_BUFFER_WINDOW_H
#define PP_BUFFER_WINDOW_H

#include <perfpipe/perfpipe.h>

#include <stdlib.h>

enum {
	PP_WINDOW_ROOM = 1 << 20,     /* of a window; it never grows */
	PP_READ_MOST = 1 << 18,       /* bytes read at once: they are in the cache until they are written */
};

/*
 * Bytes that were read or expanded: those not yet handed on lie from `at` to `end`.  Up to `limit` they
 * need no step of the reader, only walking: whole kernel records among them are handed out as they
 * are.  A step that has to see each record keeps `limit` where `at` is.
 */
struct pp_window {
	uint8_t *buf, *at, *limit, *end;
};

static inline int pp_window_open(struct pp_window *w)         /* 0, or -1: out of memory */
{
	w->buf = w->at = w->limit = w->end = malloc(PP_WINDOW_ROOM);
	return w->buf ? 0 : -1;
}

static inline size_t pp_window_have(const struct pp_window *w)
{
	return (size_t)(w->end - w->at);
}

static inline size_t pp_window_room(const struct pp_window *w)
{
	return (size_t)(w->buf + PP_WINDOW_ROOM - w->end);
}

/* How much of it is read at once. */
static inline size_t pp_window_read_room(const struct pp_window *w)
{
	const size_t room = pp_window_room(w);

	return room < PP_READ_MOST ? room : PP_READ_MOST;
}

/* Moves the rest to the front; nothing may borrow from it any more. */
static inline void pp_window_move(struct pp_window *w)
{
	const size_t left = pp_window_have(w);

	if (w->at != w->buf)
		memmove(w->buf, w->at, left);
	w->at = w->limit = w->buf;
	w->end = w->buf + left;
}

/* ---- Who borrows from it ---- */

struct pp_tie {
	bool (*flush)(void *arg);
	void *arg;
	struct pp_writer *writer;     /* NULL: it is not a writer */
};

struct pp_ties {
	size_t count;
	struct pp_tie ties[8];
};

/* Makes all of them release what they borrow.  0, or -1 and a fatal *error. */
static inline int pp_ties_flush(const struct pp_ties *t, struct pp_error *error)
{
	/* the last tied is the first: what it releases may go into a writer tied before it */
	for (size_t i = t->count; i--;) {
		if (t->ties[i].flush(t->ties[i].arg))
			continue;
		pp_fail_output(error);
		return pp_error_fatal(error, true);
	}
	return 0;
}

/* ---- Records in it ---- */

static inline void pp_window_record(struct pp_record *rec, uint8_t *at, uint32_t type, uint16_t misc,
				    size_t size, struct pp_attrs *attrs)
{
	rec->data = at;
	rec->type = type;
	rec->misc = misc;
	rec->size = (uint16_t)size;
	rec->foreign = false;
	rec->tail = 0;
	rec->beyond = 0;
	rec->attr = NULL;
	rec->attrs = attrs;
}

/* Adds to an error which record it is of.  -1. */
static inline int pp_damaged(struct pp_error *error, const struct pp_record *rec, bool fatal)
{
	pp_error_at(error, rec->offset, rec->index, rec->type);
	return pp_error_fatal(error, fatal);
}

#endif
