/*
 * stream_state.c - notes what records say of the stream: its events, its rounds and times, how long a tail
 * is, and whether the end is one; what a record means beyond that is its readers' business.
 */
#include "read/stream_state.h"
#include "format/format.h"
#include "format/index_record.h"

/*
 * Without its tail's length it is unknown where the next record begins: this is fatal.  Before any
 * attribute there is nothing to trace: such a record means something else (old ChromeOS perf put
 * strings there), and has no tail.
 */
static int begin_tail(struct pp_step_track *n, struct pp_record *rec, const struct pp_record *host,
		      struct pp_error *error)
{
	struct pp_cursor c;
	int token;

	if (!pp_attrs_count(n->stream->attrs)) {
		pp_fail(error, PP_E_ATTR, "it is not interpreted");
		return pp_damaged(error, rec, false);
	}
	pp_walk(&c, host);
	while ((token = pp_walk_next(&c)) > PP_END)
		;
	if (token < 0) {
		*error = c.error;
		return pp_damaged(error, rec, true);
	}
	rec->tail = n->tail = n->tail_left = c.own.reg[PP_R_TAIL];
	n->last = *rec;
	return 1;
}

static int note_events(struct pp_step_track *n, const struct pp_record *rec, const struct pp_record *host,
		       struct pp_error *error)
{
	error->code = PP_OK;
	if (!pp_attrs_note(n->stream->attrs, host, error))
		return 1;
	if (pp_error_status(error) != 3)
		return pp_error_fatal(error, true);
	return n->raw ? 1 : pp_damaged(error, rec, false);
}

static int note_user(struct pp_step_track *n, struct pp_record *rec, struct pp_error *error)
{
	const bool has_tail = pp_has_tail(rec->type);
	struct pp_record host;

	if (rec->type == PP_REC_FINISHED_ROUND)
		n->stream->rounds += pp_is_round(rec);
	if (!has_tail && !pp_attrs_takes(rec->type))
		return 1;
	if (pp_step_swap_copy(n->from, rec, &host, error)) {
		/* its tail is unknown then; other damage is found by walking it */
		pp_error_fatal(error, error->fatal || has_tail);
		return error->fatal ? -1 : 1;
	}
	return has_tail ? begin_tail(n, rec, &host, error) : note_events(n, rec, &host, error);
}

static int end_noting(const struct pp_step_track *n, const struct pp_record *here, struct pp_error *error)
{
	if (!n->stream->sealed || n->stream->ended)
		return 0;
	pp_fail(error, PP_E_CUT_END, "its last seal is missing");
	return pp_damaged(error, here, true);
}

int pp_step_track_next(struct pp_step_track *n, struct pp_record *rec, struct pp_error *error)
{
	int got = pp_step_swap_next(n->from, rec, error);

	/* what is made of a stream is another, of which its index says nothing */
	while (got > 0 && rec->type == PP_REC_FINISHED_ROUND && !n->raw && !n->indexed && pp_is_index(rec))
		got = pp_step_swap_next(n->from, rec, error);
	if (got < 0)
		return -1;
	if (!got)
		return end_noting(n, rec, error);
	if (rec->type < PP_USER_TYPES && !n->stream->foreign) {
		pp_note_kernel(n->stream, rec);
		return 1;
	}
	if (rec->type >= PP_USER_TYPES)
		got = note_user(n, rec, error);
	else if (rec->attr && !rec->foreign)
		pp_note_time(n->stream, rec);
	n->stream->records += got > 0;
	return got;
}

int pp_step_track_tail(struct pp_step_track *n, const void **piece, size_t *size, struct pp_error *error)
{
	int got;

	if (!n->tail_left)
		return 0;
	got = pp_step_dialect_bytes(n->tails, n->tail_left, piece, size, error);
	if (got > 0)
		n->tail_left -= *size;
	if (got)
		return got;
	pp_fail(error, PP_E_CUT_TAIL, NULL);
	pp_error_room(error, NULL, n->tail, n->tail - n->tail_left);
	return pp_damaged(error, &n->last, true);
}
