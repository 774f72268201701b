/*
 * time_order.c - the records of a session in the order of their times, one after the other.
 *
 * struct pp_rounds shows what is due to a judge; here that copies it, some at a time, so that a loop can ask
 * for the next one.
 */
#include "session/session_internal.h"

#include <perfpipe/batch.h>

#include <stdlib.h>

enum {
	ENOUGH = 32 << 10,      /* bytes of records that are copied at once */
	PIECE  = 64 << 10,
};

/* ---- what is due ---- */

static int copy_tail(struct pp_session *s, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_rounds_tail(s->rounds, &piece, &size, error)) > 0)
		if (pp_spool_write(&s->due.tails, piece, size, error))
			return -1;
	return got;
}

static int copy_due(void *session, struct pp_record *rec, struct pp_error *error)
{
	struct pp_session *const s = session;
	struct pp_due_records *const due = &s->due;
	struct pp_due_record *item;

	if (PP_GROW(&due->items, &due->room, due->count + 1, error))
		return -1;
	item = &due->items[due->count];
	*item = (struct pp_due_record){ *rec, due->bytes.size, pp_spool_end(&due->tails) };
	if (pp_buffer_add(&due->bytes, rec->data, rec->size, error) ||
	    (rec->tail && due->tails.room && copy_tail(s, error)))
		return -1;
	due->count++;
	return PP_DROP;
}

/* All that was due was handed out. */
static void empty_due(struct pp_session *s)
{
	struct pp_due_records *const due = &s->due;

	due->next = due->count = due->bytes.size = 0;
	due->tail_at = due->tail_end = 0;
	pp_spool_cut(&due->tails, 0);
}

/* ---- reading on ---- */

static bool learn(struct pp_session *s, const struct pp_record *rec)
{
	struct pp_error error;

	error.code = PP_OK;
	return !pp_session_learn(s, rec, &error) || pp_session_fail(s, &error, rec);
}

/* The next record, or samples, wait for their time. */
static enum pp_status hold_next(struct pp_session *s)
{
	struct pp_batch batch;
	struct pp_record rec;
	struct pp_error error;
	enum pp_status got;
	uint32_t from = 0;

	error.code = PP_OK;
	if (s->begun && pp_reader_batch(s->in, &batch))
		return pp_rounds_put_batch(s->rounds, &batch, &from, &error) < 0 &&
		       !pp_session_fail(s, &error, NULL) ? PP_FAILED : PP_MORE;
	got = pp_session_read(s, &rec);
	if (got != PP_MORE)
		return got;
	if (!learn(s, &rec))
		return PP_FAILED;
	return pp_rounds_put(s->rounds, &rec, &error) < 0 && !pp_session_fail(s, &error, &rec) ? PP_FAILED :
												 PP_MORE;
}

/* Copies some of what is due.  False: nothing was. */
static bool release_some(struct pp_session *s)
{
	struct pp_error error;
	const enum pp_status got = pp_rounds_more(s->rounds, ENOUGH, &error);

	if (got == PP_FAILED)
		(void)pp_session_fail(s, &error, NULL);
	return s->due.count;
}

/* Nothing more can be read: all that waits is due, also after a failure, which counts after that. */
static void end_reading(struct pp_session *s)
{
	struct pp_error error;

	s->due.all_read = true;
	s->due.cut = s->failed;
	s->failed = false;
	if (pp_rounds_end(s->rounds, &error))
		(void)pp_session_fail(s, &error, NULL);
}

/* Reads until something is due. */
static enum pp_status fill_due(struct pp_session *s)
{
	enum pp_status got = PP_MORE;

	empty_due(s);
	while (!release_some(s)) {
		if (s->due.all_read || s->failed) {
			s->failed |= s->due.cut;
			return s->failed ? PP_FAILED : PP_END;
		}
		got = hold_next(s);
		if (got == PP_AGAIN)
			return got;
		if (got != PP_MORE)
			end_reading(s);
	}
	return PP_MORE;
}

enum pp_status pp_session_next_by_time(struct pp_session *s, struct pp_record *rec)
{
	struct pp_due_records *const due = &s->due;
	const struct pp_due_record *item;
	const enum pp_status got = due->next == due->count ? fill_due(s) : PP_MORE;

	if (got != PP_MORE)
		return got;
	item = &due->items[due->next++];
	*rec = item->record;
	rec->data = due->bytes.data + item->at;
	due->tail_at = item->tail_at;
	due->tail_end = item->tail_at + (due->tails.room ? rec->tail : 0);
	return PP_MORE;
}

enum pp_status pp_session_held_tail(struct pp_session *s, const void **piece, size_t *size,
				    struct pp_error *error)
{
	struct pp_due_records *const due = &s->due;
	const uint64_t left = due->tail_end - due->tail_at;

	if (!left)
		return PP_END;
	if (!due->piece && !(due->piece = malloc(PIECE)))
		return pp_fail(error, PP_E_NOMEM, NULL);
	*size = left < PIECE ? (size_t)left : PIECE;
	if (pp_spool_read(&due->tails, due->tail_at, due->piece, *size, error))
		return PP_FAILED;
	due->tail_at += *size;
	*piece = due->piece;
	return PP_MORE;
}

/* ---- opening, closing ---- */

int pp_session_open_order(struct pp_session *s, struct pp_error *error)
{
	const bool needed = s->tasks && s->in && s->options.order == PP_SESSION_AS_NEEDED;
	const struct pp_rounds_options options = {
		.size = sizeof(options), .order = PP_ROUNDS_TIME, .limit = s->options.limit,
		.budget = s->options.budget, .lazy = true, .judge = copy_due, .arg = s,
	};

	if (!needed && s->options.order != PP_SESSION_BY_TIME)
		return 0;
	if ((s->out || s->options.tails) && pp_spool_open(&s->due.tails, PIECE))
		return pp_fail(error, PP_E_NOMEM, NULL);
	s->rounds = pp_rounds_open(&options, s->in, NULL, error);
	return s->rounds ? 0 : -1;
}

void pp_session_close_order(struct pp_session *s)
{
	pp_rounds_close(s->rounds);
	free(s->due.items);
	free(s->due.piece);
	pp_buffer_free(&s->due.bytes);
	pp_spool_close(&s->due.tails);
}
