/*
 * merge_queue.c - from an input to its queue: ordered by its own rounds, rewritten, and held until it
 * is due.
 */
#include "merge/merge.h"

#include <stdlib.h>

enum {
	RECORD_ROOM = PP_RECORD_MAX + 64,
	QUEUE_ENOUGH = 1 << 18,       /* bytes that are queued at a time, where more are due */
};

/* A copy of a record, with the numbers that keep its host apart.  0, -1: out of memory, or 1 and
 * *why: it cannot be. */
static int move_copy(struct pp_merge_input *in, struct pp_record *rec, struct pp_error *why)
{
	uint8_t *to = pp_buffer_room(&in->moved, RECORD_ROOM, NULL);

	if (!to)
		return -1;
	memcpy(to, rec->data, rec->size);
	rec->data = to;
	return pp_host_move(&in->host, false, rec, RECORD_ROOM, why) != 0;
}

static int enqueue(void *arg, struct pp_record *rec, struct pp_error *error);

/*
 * A build-id that is given for a name alone would mean files of that name that other inputs have: it says
 * of which it is before it goes among their maps.  0: *rec goes on, 1: it does not, -1 and *error.
 */
static int attribute(struct pp_merge_input *in, struct pp_record *rec, struct pp_error *error)
{
	const bool map = pp_type_is(rec->type, PP_MAPS);
	struct pp_record made;
	uint8_t *room;
	int got;

	if (in->merge->count == 1 || (!map && rec->type != PP_REC_HEADER_BUILD_ID))
		return 0;
	room = pp_buffer_room(&in->made, PP_RECORD_MAX + 1, NULL);
	if (!room)
		return pp_merge_no_memory(error);
	if (map) {
		got = pp_attribution_map(&in->files, rec, room, &made, error);
		if (got == 1 && enqueue(in, &made, error) < 0)
			got = -1;
		return got < 0 ? -1 : 0;
	}
	got = pp_attribution_build_id(&in->files, rec, room, &made, error);
	if (got == 1) {
		made.attrs = rec->attrs;
		made.attr = rec->attr;
		*rec = made;
	}
	if (got == 2)
		return 1;
	return got < 0 ? -1 : 0;
}

/* What pp_rounds releases: rewritten, and queued. */
static int enqueue(void *arg, struct pp_record *rec, struct pp_error *error)
{
	struct pp_merge_input *const in = arg;
	struct pp_queued head = { .size = 0 };
	struct pp_error why = { .code = PP_OK };
	int moved = attribute(in, rec, error);
	uint8_t *to;

	if (moved)
		return moved < 0 ? -1 : PP_DROP;
	to = pp_buffer_room(&in->queue, sizeof(head) + RECORD_ROOM, NULL);
	head.type = rec->type;
	if (in->host.apart)
		moved = move_copy(in, rec, &why);
	if (!to || moved < 0)
		return pp_merge_no_memory(error);
	if (!moved)
		head.size = (uint32_t)pp_union_rewrite(&in->merge->events, &in->member, rec,
						       to + sizeof(head), &why);
	if (!head.size) {
		pp_merge_damaged(in, &why);
		return PP_DROP;
	}
	if (rec->type < PP_USER_TYPES && pp_time(rec, &head.time))
		head.time = pp_member_time(&in->member, head.time);
	else
		head.time = 0;
	if (rec->type < PP_USER_TYPES && !in->timed && in->merge->count > 1) {
		if (!head.time && pp_type_is(rec->type, PP_SIDE_BAND))
			return pp_merge_input_keep_state(in, to + sizeof(head), head.size, error) ?
				       -1 : PP_DROP;
		in->timed = true;
	}
	if (rec->type == PP_REC_AUXTRACE && !pp_find_u64(rec, PP_IS_TAIL, &head.tail))
		head.tail = 0;
	memcpy(to, &head, sizeof(head));
	in->queue.size += sizeof(head) + pp_align8(head.size);
	return PP_DROP;
}

bool pp_merge_input_peek(const struct pp_merge_input *in, struct pp_queued *head, const uint8_t **data)
{
	if (in->at == in->queue.size)
		return false;
	memcpy(head, in->queue.data + in->at, sizeof(*head));
	*data = in->queue.data + in->at + sizeof(*head);
	return true;
}

/* ---- Tails ---- */

/* The tail waits in a file while its record is held: 0, 1: it is not whole, PP_NOT_YET, -1. */
static int spill_tail(struct pp_merge_input *in, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_reader_tail(in->reader, &piece, &size, error)) > 0) {
		in->progress = true;
		if (pp_spool_write(&in->spill.spool, piece, size, error))
			return -1;
	}
	got = pp_merge_input_tail_ended(in, got, error);
	if (got == 1)
		pp_spool_cut(&in->spill.spool, in->spill.start);
	return got;
}

int pp_merge_input_write_tail(struct pp_merge_input *in, uint64_t left, struct pp_error *error)
{
	struct pp_merge *const m = in->merge;

	while (left) {
		const size_t n = left < PP_PIECE ? (size_t)left : PP_PIECE;

		if (pp_spool_read(&in->spill.spool, in->spill.at, m->piece, n, error) ||
		    pp_writer_copy(m->writer, m->piece, n, error))
			return -1;
		in->spill.at += n;
		left -= n;
	}
	if (in->spill.at == pp_spool_end(&in->spill.spool) && !in->in_tail) {
		pp_spool_cut(&in->spill.spool, 0);
		in->spill.at = 0;
	}
	return 0;
}

/* ---- From an input to its queue ---- */

/* The record whose tail is being read, once that is through: 0, PP_NOT_YET, -1. */
static int put_tailed(struct pp_merge_input *in, struct pp_error *error)
{
	const int cut = spill_tail(in, error);

	in->in_tail = cut == PP_NOT_YET;
	if (cut)
		return cut == 1 ? 0 : cut;
	return pp_rounds_put(in->rounds, &in->tailed, error) < 0 ? -1 : 0;
}

/* Takes a record: 0, PP_NOT_YET: its tail is still to come, -1. */
static int queue_record(struct pp_merge_input *in, struct pp_record *rec, struct pp_error *error)
{
	const int late = rec->type >= PP_USER_TYPES ? pp_merge_late_head(in, rec, error) : 0;
	uint8_t *copy;

	if (late)
		return late < 0 ? -1 : 0;
	if (!rec->tail)
		return pp_rounds_put(in->rounds, rec, error) < 0 ? -1 : 0;
	copy = pp_buffer_room(&in->copy, rec->size, error);
	if (!copy)
		return -1;
	memcpy(copy, rec->data, rec->size);
	in->tailed = *rec;
	in->tailed.data = copy;
	in->tailed.tail = 0;
	in->spill.start = pp_spool_end(&in->spill.spool);
	return put_tailed(in, error);
}

int pp_merge_input_start(struct pp_merge_input *in, struct pp_error *error)
{
	const struct pp_rounds_options options = {
		.size = sizeof(options),
		.order = PP_ROUNDS_TIME, .limit = in->merge->options.limit, .lazy = true,
		.judge = enqueue, .arg = in,
	};

	in->rounds = pp_rounds_open(&options, in->reader, in->merge->writer, error);
	return in->rounds ? 0 : -1;
}

/* The next record into the rounds: 1, 0 at the end, PP_NOT_YET, -1. */
static int pump_one(struct pp_merge_input *in, struct pp_error *error)
{
	struct pp_record rec;
	int got = 1;

	if (pp_head_each(&in->updates, &in->updated, &rec)) {
		rec.attrs = in->stream->attrs;
		return queue_record(in, &rec, error) ? -1 : 1;
	}
	if (in->in_tail) {
		got = put_tailed(in, error);
		return got ? got : 1;
	}
	rec = in->first;
	if (!in->has_first)
		got = in->read ? 0 : pp_merge_input_next(in, &rec, error);
	in->has_first = false;
	if (got != 1)
		return got;
	got = queue_record(in, &rec, error);
	return got ? got : 1;
}

/* Queues some of what is due: 1, 0: nothing is, -1. */
static int queue_due(struct pp_merge_input *in, struct pp_error *error)
{
	int more;

	do {
		more = pp_rounds_more(in->rounds, QUEUE_ENOUGH, error);
	} while (more == 1 && !in->queue.size);
	return more < 0 ? -1 : in->queue.size != 0;
}

int pp_merge_input_pump(struct pp_merge_input *in, struct pp_error *error)
{
	int got;

	in->at = in->queue.size = 0;
	while (!(got = queue_due(in, error)) && !in->ended) {
		got = pump_one(in, error);
		in->ended = !got;
		if (!got && pp_rounds_end(in->rounds, error))
			return -1;
		if (got < 0 || (got == PP_NOT_YET && !in->queue.size))
			return got;
	}
	return got;
}

int pp_merge_input_release(struct pp_merge_input *in, struct pp_error *error)
{
	in->at = in->queue.size = 0;
	return pp_rounds_end(in->rounds, error) || queue_due(in, error) < 0 ? -1 : 0;
}
