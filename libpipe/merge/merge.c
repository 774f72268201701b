/*
 * merge.c - several streams as one: the oldest record that the inputs have queued is written next, and
 * no input is waited for longer than allowed.  merge_input.c and merge_queue.c fill the queues,
 * merge_heads.c makes the head, merge_events.c one list of events.
 */
#include "base/sized_options.h"
#include "base/array.h"
#include "base/heap.h"
#include "merge/merge.h"
#include "read/reader_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	ROUND_BYTES = 1 << 22,        /* so many bytes end a round, whatever the inputs say */
	LOOK_BYTES  = 1 << 16,        /* and after so many, idle ones are asked */
	SAME_MOST   = sizeof(((struct pp_merge *)0)->same) / sizeof(struct pp_same),
};

/* ---- Opening ---- */

struct pp_merge *pp_merge_new(const struct pp_merge_options *options, struct pp_error *error)
{
	struct pp_merge *m = calloc(1, sizeof(*m));

	if (!m) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (pp_options_take(&m->options, sizeof(m->options), options, error)) {
		free(m);
		return NULL;
	}
	m->piece = malloc(PP_PIECE);
	if (!m->piece || pp_union_open(&m->events)) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		pp_merge_free(m);
		return NULL;
	}
	return m;
}

void pp_merge_free(struct pp_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++)
		pp_merge_input_close(m->inputs[i]);
	pp_union_close(&m->events);
	pp_begins_close(m);
	free(m->inputs);
	pp_buffer_free(&m->names);
	free(m->members);
	free(m->hosts);
	free(m->heap);
	free(m->polls);
	free(m->piece);
	free(m);
}

int pp_merge_add(struct pp_merge *m, const char *path, struct pp_error *error)
{
	const struct pp_reader_options options = {
		.size = sizeof(options), .no_verify = m->options.no_verify,
	};
	struct pp_reader *const reader = pp_reader_open(path, &options, error);

	if (!reader)
		return -1;
	if (!pp_merge_add_reader(m, reader, error))
		return 0;
	pp_reader_close(reader);
	return -1;
}

int pp_merge_add_reader(struct pp_merge *m, struct pp_reader *reader, struct pp_error *error)
{
	const size_t count = m->count + 1;
	struct pp_merge_input *in;

	if (PP_GROW(&m->inputs, &m->inputs_room, count, error) ||
	    PP_GROW(&m->heap, &m->heap_room, count, error) ||
	    PP_GROW(&m->polls, &m->polls_room, count, error))
		return -1;
	in = pp_merge_input_new(m, reader, error);
	if (!in)
		return -1;
	m->inputs[m->count++] = in;
	return 0;
}

void pp_merge_shift(struct pp_merge *m, size_t input, int64_t ns)
{
	m->inputs[input]->member.offset = ns;
	m->inputs[input]->shifted = true;
}

/* ---- The oldest first ---- */

/* The turn of an input: the time of what it has queued first. */
static struct pp_turn turn_of(struct pp_merge_input *in)
{
	struct pp_queued head;

	memcpy(&head, in->queue.data + in->at, sizeof(head));
	return (struct pp_turn){ head.time, in };
}

static inline bool before(const void *of, const struct pp_turn *a, const struct pp_turn *b)
{
	(void)of;
	if (a->time != b->time)
		return a->time < b->time;
	/* readers take the first map of threads, and of processors: that of the counts */
	return a->in->counts != b->in->counts ? a->in->counts : a->in->index < b->in->index;
}

PP_HEAP(sift_down, struct pp_turn, const void *, before)

static void push(struct pp_merge *m, struct pp_merge_input *in)
{
	const struct pp_turn turn = turn_of(in);
	size_t at = m->waiting++;

	for (; at && before(NULL, &turn, &m->heap[(at - 1) / 2]); at = (at - 1) / 2)
		m->heap[at] = m->heap[(at - 1) / 2];
	m->heap[at] = turn;
}

/* ---- What several inputs say alike ---- */

/* Whether it is a record that another input has too: the pieces of one recording share what is no
 * sample.  1, 0, or -1: out of memory. */
static int is_double(struct pp_merge *m, const struct pp_merge_input *in, const struct pp_queued *head,
		     const uint8_t *data)
{
	XXH128_hash_t hash;

	if (m->count == 1 || head->type == PP_REC_SAMPLE ||
	    (!head->time && !pp_type_is(head->type, PP_SIDE_BAND)))
		return 0;
	if (!head->time)
		return pp_merge_repeated(m, in->index, data, head->size, false);
	hash = XXH3_128bits(data, head->size);
	if (head->time != m->now)
		m->n_same = 0;
	for (size_t i = 0; i < m->n_same; i++)
		if (m->same[i].input != in->index && XXH128_isEqual(m->same[i].hash, hash))
			return 1;
	if (m->n_same < SAME_MOST)
		m->same[m->n_same++] = (struct pp_same){ hash, in->index };
	return 0;
}

/* ---- Writing ---- */

static bool all_passed(const struct pp_merge *m)
{
	for (size_t i = 0; i < m->waiting; i++)
		if (!m->heap[i].in->passed)
			return false;
	return true;
}

static int pass_round(struct pp_merge *m, struct pp_merge_input *in, struct pp_error *error)
{
	in->passed = m->rounds = true;
	return all_passed(m) ? pp_merge_round(m, error) : 0;
}

/* Names are a round of their input, and go where ours are due. */
static int pass_names(struct pp_merge *m, struct pp_merge_input *in, const struct pp_record *rec,
		      struct pp_error *error)
{
	if (!m->newest)
		return pp_merge_write(m, rec->data, rec->size, error);
	return pp_head_keep(&m->names, rec->data, rec->size, error) ? -1 : pass_round(m, in, error);
}

/* After what is said without a time, and before all that has one: 0, or -1. */
static int write_init(struct pp_merge *m, struct pp_error *error)
{
	uint8_t record[PP_HEADER_SIZE];
	struct pp_build b;

	if (!m->init_seen || m->init_written)
		return 0;
	m->init_written = true;
	pp_build(&b, record, sizeof(record), PP_REC_FINISHED_INIT, 0, NULL);
	return pp_merge_write(m, record, pp_build_end(&b), error);
}

static void note_time(struct pp_merge *m, struct pp_merge_input *in, const struct pp_queued *head)
{
	m->now = head->time;
	if (head->time > m->newest)
		m->newest = head->time;
	if (in->skipped && head->time < m->promised) {
		in->late.count++;
		if (m->promised - head->time > in->late.worst)
			in->late.worst = m->promised - head->time;
	}
	if (!m->stats.first_time || head->time < m->stats.first_time)
		m->stats.first_time = head->time;
	if (head->time > m->stats.last_time)
		m->stats.last_time = head->time;
}

/*
 * While not all inputs have begun: writes what one said of its begin before the first record that is
 * not about that, and takes note of what each says of tasks.
 */
static int watch_begins(struct pp_merge *m, struct pp_merge_input *in, const struct pp_queued *head,
			uint8_t *data, struct pp_error *error)
{
	struct pp_record rec;

	if (m->count == 1)
		return 0;
	if (!in->said && pp_merge_begin(m, in, head->time ? head->time : m->newest, error))
		return -1;
	if (head->time && write_init(m, error))
		return -1;
	if (head->type == PP_REC_SAMPLE)
		return 0;
	if (pp_record_at(&rec, data, head->size, error))
		return -1;
	return pp_merge_hear(m, in, &rec) ? pp_merge_no_memory(error) : 0;
}

static int write_record(struct pp_merge *m, struct pp_merge_input *in, const struct pp_queued *head,
			const uint8_t *data, struct pp_error *error)
{
	int twice;

	if (head->type == PP_REC_FINISHED_ROUND && head->size >= PP_HEADER_SIZE) {
		struct pp_record rec;

		if (pp_record_at(&rec, in->queue.data + in->at + sizeof(*head), head->size, error))
			return -1;
		if (pp_is_names(&rec))
			return pass_names(m, in, &rec, error);
		if (pp_is_round(&rec))
			return pass_round(m, in, error);
	}
	if (head->type == PP_REC_FINISHED_INIT) {
		m->init_seen = true;
		return m->count == 1 || m->newest ? write_init(m, error) : 0;
	}
	if (m->begins.done < m->count && head->type < PP_USER_TYPES &&
	    watch_begins(m, in, head, in->queue.data + in->at + sizeof(*head), error))
		return -1;
	twice = is_double(m, in, head, data);
	if (twice)
		return twice < 0 ? pp_merge_no_memory(error) : 0;
	if (head->time)
		note_time(m, in, head);
	m->stats.samples += head->type == PP_REC_SAMPLE;
	m->in_round += head->size;
	m->looked += head->size;
	if (pp_merge_write(m, data, head->size, error) ||
	    (head->tail && pp_merge_input_write_tail(in, head->tail, error)))
		return -1;
	return m->in_round >= ROUND_BYTES && m->count > 1 ? pp_merge_round(m, error) : 0;
}

/* ---- The pace ---- */

static void set_pace(struct pp_merge *m, struct pp_merge_input *in, enum pp_tempo pace)
{
	m->owing += (pace == PP_OWES) - (in->pace == PP_OWES);
	m->idle += (pace == PP_IDLE) - (in->pace == PP_IDLE);
	in->pace = pace;
}

/* Reads on in an input that has nothing queued and is not in the heap.  0, or -1. */
static int feed(struct pp_merge *m, struct pp_merge_input *in, struct pp_error *error)
{
	const int got = pp_merge_input_pump(in, error);

	if (in->progress) {
		in->since = pp_merge_clock();
		in->quiet = in->progress = false;
	}
	if (got < 0)
		return -1;
	set_pace(m, in, got == 1 ? PP_QUEUED : !got ? PP_OVER : in->quiet ? PP_IDLE : PP_OWES);
	if (got == 1)
		push(m, in);
	/* without a time it began before all others */
	return got || in->said || m->count == 1 ? 0 : pp_merge_begin(m, in, m->newest, error);
}

/* The others no longer wait for it: what it holds goes, what comes later may come too late. */
static int give_up(struct pp_merge *m, struct pp_merge_input *in, struct pp_error *error)
{
	if (pp_merge_input_release(in, error))
		return -1;
	in->quiet = in->skipped = true;
	set_pace(m, in, in->queue.size ? PP_QUEUED : PP_IDLE);
	if (in->queue.size)
		push(m, in);
	return 0;
}

/* ms until patience with the first input that owes a record ends; -1: it never does. */
static int time_left(const struct pp_merge *m)
{
	const uint64_t now = pp_merge_clock(), most = 60 * UINT64_C(1000000000);
	uint64_t least = most;

	if (m->options.patience == UINT64_MAX || !m->owing)
		return -1;
	for (size_t i = 0; i < m->count; i++) {
		const struct pp_merge_input *in = m->inputs[i];
		const uint64_t waited = now - in->since;
		const uint64_t left = waited < m->options.patience ? m->options.patience - waited : 0;

		if (in->pace == PP_OWES && left < least)
			least = left;
	}
	return least ? (int)(least / 1000000) + 1 : 0;
}

/* Asks those that owe and those that are idle whether something has come, and waits for it for at
 * most `ms`. */
static int look(struct pp_merge *m, int ms, struct pp_error *error)
{
	const bool forever = m->options.patience == UINT64_MAX;
	int ready;

	for (size_t i = 0; i < m->count; i++) {
		const struct pp_merge_input *in = m->inputs[i];
		const bool asked = in->pace == PP_OWES || in->pace == PP_IDLE;

		m->polls[i] = (struct pollfd){ .events = POLLIN,
					       .fd = asked ? pp_reader_fd(in->reader) : -1 };
	}
	ready = poll(m->polls, m->count, ms);
	if (ready < 0)
		return errno == EINTR ? 0 : pp_fail_os(error, "cannot wait for input");
	m->looked = 0;
	for (size_t i = 0; i < m->count; i++) {
		struct pp_merge_input *in = m->inputs[i];
		int status = 0;

		if (m->polls[i].revents)
			status = feed(m, in, error);
		else if (in->pace == PP_OWES && !forever &&
			 pp_merge_clock() - in->since >= m->options.patience)
			status = give_up(m, in, error);
		if (status)
			return -1;
	}
	return 0;
}

/* Nothing can be written before something comes: so what was written must leave. */
static int await(struct pp_merge *m, struct pp_error *error)
{
	if (pp_writer_flush(m->writer, error))
		return -1;
	return look(m, time_left(m), error);
}

/* Writes the oldest record of all; 0, or -1. */
static int step(struct pp_merge *m, struct pp_error *error)
{
	struct pp_merge_input *const in = m->heap[0].in;
	struct pp_queued head;
	const uint8_t *data;

	if (!pp_merge_input_peek(in, &head, &data))
		return 0;
	if (write_record(m, in, &head, data, error))
		return -1;
	in->at += sizeof(head) + pp_align8(head.size);
	if (in->at < in->queue.size) {
		m->heap[0] = turn_of(in);
		sift_down(m->heap, m->waiting, 0, NULL);
		return 0;
	}
	m->heap[0] = m->heap[--m->waiting];
	if (m->waiting)
		sift_down(m->heap, m->waiting, 0, NULL);
	return feed(m, in, error);
}

static int merge_all(struct pp_merge *m, struct pp_error *error)
{
	int status = 0;

	while (!status && (m->owing || m->idle || m->waiting)) {
		if (m->owing || !m->waiting)
			status = await(m, error);
		else if (m->idle && m->looked >= LOOK_BYTES)
			status = look(m, 0, error);
		else
			status = step(m, error);
	}
	return status;
}

int pp_merge_run(struct pp_merge *m, struct pp_writer *w, struct pp_error *error)
{
	m->writer = w;
	for (size_t i = 0; i < m->count; i++) {
		pp_reader_tie(m->inputs[i]->reader, w);
		pp_reader_never_wait(m->inputs[i]->reader);
	}
	if (pp_merge_heads(m, error))
		return -1;
	m->owing = m->count;
	for (size_t i = 0; i < m->count; i++) {
		m->inputs[i]->since = pp_merge_clock();
		if (pp_merge_input_start(m->inputs[i], error) || feed(m, m->inputs[i], error))
			return -1;
	}
	if (merge_all(m, error))
		return -1;
	if (write_init(m, error))
		return -1;
	/* what the last round of one input left */
	if (m->count > 1 && m->rounds && m->in_round && pp_merge_round(m, error))
		return -1;
	for (int named = 1; named;)
		if ((named = pp_merge_name(m, error)) < 0)
			return -1;
	for (size_t i = 0; i < m->count; i++)
		if (m->inputs[i]->member.before)
			pp_merge_say(m, i, "%" PRIu64 " times would be negative: they are set to 1 "
				     "ns",
				     m->inputs[i]->member.before);
	return 0;
}

/* ---- What is known of it ---- */

uint32_t pp_merge_flags(const struct pp_merge *m)
{
	uint32_t flags = 0;

	for (size_t i = 0; i < m->count; i++)
		flags |= pp_stream_end_flags(m->inputs[i]->stream);
	return flags | (pp_merge_status(m) ? PP_SEAL_DAMAGED : 0);
}

int pp_merge_status(const struct pp_merge *m)
{
	int status = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct pp_merge_input *const in = m->inputs[i];
		const int read = pp_stream_status(in->stream);

		status = in->status > status ? in->status : status;
		status = read > status ? read : status;
	}
	return status;
}

const struct pp_merge_stats *pp_merge_stats(const struct pp_merge *m)
{
	return &m->stats;
}

const struct pp_stream *pp_merge_stream(const struct pp_merge *m, size_t input)
{
	return input < m->count ? m->inputs[input]->stream : NULL;
}

const struct pp_rounds_stats *pp_merge_rounds(const struct pp_merge *m, size_t input)
{
	if (input >= m->count || !m->inputs[input]->rounds)
		return NULL;
	return pp_rounds_stats(m->inputs[input]->rounds);
}

const struct pp_merge_late *pp_merge_late(const struct pp_merge *m, size_t input)
{
	return input < m->count ? &m->inputs[input]->late : NULL;
}
