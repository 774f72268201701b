/*
 * merge.c - several streams as one: each is read, ordered by its own rounds and queued; the oldest
 * record of all goes next.  What becomes of events and ids is left to merge_events.c.
 */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <xxhash.h>

enum {
	ROUND_BYTES = 1 << 22,        /* so many bytes end a round, whatever the inputs say */
	PIECE       = 1 << 16,
	HEAD_MOST   = 1 << 28,        /* bytes kept of what stands before an input's first record */
	SAME_MOST   = 64,             /* records of one time that are remembered */
	SEEN_MOST   = 1 << 18,        /* records without a time that are remembered */
};

/* Bytes that grow. */
struct heap_bytes { uint8_t *data; size_t size, room; };

/* The head of a record in a queue; its bytes follow, in a multiple of 8. */
struct queued {
	uint64_t time;                /* 0: none */
	uint64_t tail;                /* bytes that wait in the input's file */
	uint32_t type, size;
};

struct input {
	struct pp_merge *merge;
	size_t index;
	struct pp_reader *reader;
	const struct pp_stream *stream;
	struct pp_rounds *rounds;
	struct pp_member member;
	struct pp_record first;       /* behind the head; read already */
	bool has_first;
	bool read;                    /* to its end */
	bool passed;                  /* a round since the last one that was written */
	bool begun;                   /* its FINISHED_INIT, or what comes behind it */
	bool shifted;                 /* by the caller */
	struct heap_bytes notes, features, old_names, tracing;
	struct heap_bytes queue, copy;
	size_t at;                    /* of the queue */
	int spill;                    /* tails, or -1 */
	uint64_t spill_at, spill_end;
};

struct pp_merge {
	struct pp_merge_options options;
	struct pp_merge_stats stats;
	struct pp_writer *writer;
	struct input **inputs;
	size_t count;
	struct pp_union events;
	struct input **heap;          /* of those that have something queued, the oldest first */
	size_t waiting;
	uint64_t in_round;            /* bytes since the last round */
	bool rounds;                  /* an input had one */
	bool init_seen, init_written;
	bool tracing_written;
	uint64_t now;                 /* time of the record written last that has one */
	struct same { XXH128_hash_t hash; size_t input; } same[SAME_MOST];   /* of that time */
	size_t n_same;
	struct seen { XXH128_hash_t hash; size_t input; } *seen;   /* input + 1; 0: free */
	size_t n_seen, seen_room;
	uint8_t *piece;
};

/* ---- Opening ---- */

struct pp_merge *pp_merge_new(const struct pp_merge_options *options)
{
	struct pp_merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->options = *options;
	m->piece = malloc(PIECE);
	if (!m->piece || pp_union_open(&m->events)) {
		pp_merge_free(m);
		return NULL;
	}
	return m;
}

static void close_input(struct input *in)
{
	pp_rounds_close(in->rounds);
	pp_reader_close(in->reader);
	pp_member_close(&in->member);
	free(in->notes.data);
	free(in->features.data);
	free(in->old_names.data);
	free(in->tracing.data);
	free(in->queue.data);
	free(in->copy.data);
	if (in->spill >= 0)
		close(in->spill);
	free(in);
}

void pp_merge_free(struct pp_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++)
		close_input(m->inputs[i]);
	pp_union_close(&m->events);
	free(m->inputs);
	free(m->heap);
	free(m->seen);
	free(m->piece);
	free(m);
}

int pp_merge_add(struct pp_merge *m, const char *path, struct pp_error *error)
{
	const struct pp_reader_options options = { .no_verify = m->options.no_verify };
	struct input **inputs = reallocarray(m->inputs, m->count + 1, sizeof(struct input *));
	struct input **heap = reallocarray(m->heap, m->count + 1, sizeof(struct input *));
	struct input *in = calloc(1, sizeof(*in));

	m->inputs = inputs ? inputs : m->inputs;
	m->heap = heap ? heap : m->heap;
	if (!inputs || !heap || !in) {
		free(in);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	in->spill = -1;
	in->merge = m;
	in->index = m->count;
	in->reader = pp_reader_open(path, &options, error);
	if (!in->reader) {
		free(in);
		return -1;
	}
	in->stream = pp_reader_stream(in->reader);
	in->member.attrs = in->stream->attrs;
	m->inputs[m->count++] = in;
	return 0;
}

void pp_merge_shift(struct pp_merge *m, size_t input, int64_t ns)
{
	m->inputs[input]->member.offset = ns;
	m->inputs[input]->shifted = true;
}

static void say(const struct pp_merge *m, size_t input, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void say(const struct pp_merge *m, size_t input, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!m->options.say)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	m->options.say(m->options.arg, input, text);
}

static void damaged(const struct input *in, const struct pp_error *error)
{
	if (in->merge->options.damaged)
		in->merge->options.damaged(in->merge->options.arg, in->index, error);
}

static int no_memory(struct pp_error *error)
{
	error->fatal = true;
	return pp_fail(error, PP_E_NOMEM, NULL);
}

static int cannot_write(const struct pp_merge *m, struct pp_error *error)
{
	errno = pp_writer_os(m->writer);
	return pp_fail_os(error, "cannot write");
}

/* Room for `size` more bytes; NULL: out of memory. */
static uint8_t *room(struct heap_bytes *b, size_t size)
{
	size_t wanted = b->room ? b->room : 4096;
	uint8_t *data;

	while (wanted - b->size < size)
		wanted *= 2;
	if (wanted != b->room) {
		data = realloc(b->data, wanted);
		if (!data)
			return NULL;
		b->data = data;
		b->room = wanted;
	}
	return b->data + b->size;
}

static int keep(struct heap_bytes *b, const void *data, size_t size, struct pp_error *error)
{
	uint8_t *to;

	if (!pp_fits(size, HEAD_MOST - b->size))
		return pp_fail(error, PP_E_VALUE, "more than %d bytes before the first record",
			       HEAD_MOST);
	to = room(b, size);
	if (!to)
		return no_memory(error);
	memcpy(to, data, size);
	b->size += size;
	return 0;
}

/* ---- Reading ---- */

/* Reads a record: 1, 0 at the end of what can be read, -1 where the whole merge has to end.  Damage
 * is told and passed over. */
static int next(struct input *in, struct pp_record *rec, struct pp_error *error)
{
	int got;

	while ((got = pp_reader_next(in->reader, rec, error)) < 0) {
		if (in->merge->writer && pp_writer_os(in->merge->writer))
			return -1;
		damaged(in, error);
		if (error->fatal || pp_error_status(error) != 3)
			break;
		*error = (struct pp_error){ .code = PP_OK };
	}
	if (got < 0)
		*error = (struct pp_error){ .code = PP_OK };
	in->read = got <= 0;
	return got > 0;
}

/* Copies the last record's tail: 0, 1: it is not whole, as was told, -1. */
static int read_tail(struct input *in, struct heap_bytes *to, struct pp_error *error)
{
	const void *piece;
	size_t size;
	int got;

	while ((got = pp_reader_tail(in->reader, &piece, &size, error)) > 0)
		if (keep(to, piece, size, error))
			return -1;
	if (!got)
		return 0;
	if (pp_writer_os(in->merge->writer))
		return -1;
	damaged(in, error);
	*error = (struct pp_error){ .code = PP_OK };
	return 1;
}

/* What of an input is kept until all inputs have come so far.  1: this record, 0: it is the first
 * that is not, -1. */
static int take_head(struct input *in, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_seal seal;

	if (rec->type == PP_REC_FINISHED_ROUND && pp_is_note(rec))
		return keep(&in->notes, rec->data, rec->size, error) ? -1 : 1;
	if (rec->type == PP_REC_FINISHED_ROUND)
		return pp_is_seal(rec, &seal) && !seal.number;
	if (rec->type == PP_REC_HEADER_ATTR)
		return pp_member_attr(&in->member, rec, error) ? -1 : 1;
	if (rec->type == PP_REC_HEADER_FEATURE)
		return keep(&in->features, rec->data, rec->size, error) ? -1 : 1;
	if (rec->type == PP_REC_HEADER_EVENT_TYPE)
		return keep(&in->old_names, rec->data, rec->size, error) ? -1 : 1;
	if (rec->type != PP_REC_HEADER_TRACING_DATA)
		return 0;
	in->tracing.size = 0;
	switch (read_tail(in, &in->tracing, error)) {
	case 0: return 1;
	case 1: in->tracing.size = 0; return 1;
	default: return -1;
	}
}

static int read_head(struct input *in, struct pp_error *error)
{
	int got, taken = 1;

	while (taken > 0) {
		got = next(in, &in->first, error);
		if (got <= 0)
			return got;
		taken = take_head(in, &in->first, error);
	}
	in->has_first = !taken;
	return taken;
}

/* ---- The head of the output ---- */

/* Steps through records that were kept; false at the end. */
static bool each(const struct heap_bytes *b, size_t *at, struct pp_record *rec)
{
	if (*at >= b->size || pp_record_at(rec, b->data + *at, b->size - *at, NULL))
		return false;
	*at += rec->size;
	return true;
}

static bool find_feature(const struct input *in, uint64_t wanted, struct pp_record *rec)
{
	uint64_t number;

	for (size_t at = 0; each(&in->features, &at, rec);)
		if (pp_get_u64(rec, "feat_id", &number) && number == wanted && rec->size > 16)
			return true;
	return false;
}

static bool same_feature(const struct input *a, const struct input *b, uint64_t number)
{
	struct pp_record x, y;

	return !find_feature(a, number, &x) || !find_feature(b, number, &y) ||
	       (x.size == y.size && !memcmp(x.data, y.data, x.size));
}

/* The input whose features are told: the first that has any. */
static struct input *teller(const struct pp_merge *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (m->inputs[i]->features.size)
			return m->inputs[i];
	return m->inputs[0];
}

/* What the features of the output say and this input does not. */
static void compare_features(const struct pp_merge *m, const struct input *base,
			     const struct input *in)
{
	static const uint32_t telling[] = {
		PP_FEAT_HOSTNAME, PP_FEAT_OSRELEASE, PP_FEAT_ARCH, PP_FEAT_NRCPUS, PP_FEAT_CPUID,
	};
	char names[160] = "";

	for (size_t i = 0; i < sizeof(telling) / sizeof(*telling); i++) {
		const size_t at = strlen(names);

		if (!same_feature(base, in, telling[i]))
			snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "",
				 pp_feature(telling[i])->name);
	}
	if (*names)
		say(m, in->index, "%s not as in %s, whose header stays", names, base->stream->name);
}

static bool clock_data(const struct input *in, uint64_t *clock, int64_t *to_wall)
{
	struct pp_record rec;

	return find_feature(in, PP_FEAT_CLOCK_DATA, &rec) && pp_clock_data(&rec, clock, to_wall);
}

/* Another host has another clock: the wall clock of both tells how far apart they are. */
static void align_clock(const struct pp_merge *m, const struct input *base, struct input *in)
{
	uint64_t one, other;
	int64_t there, here;

	if (in->shifted || same_feature(base, in, PP_FEAT_HOSTNAME))
		return;
	if (!clock_data(base, &one, &there) || !clock_data(in, &other, &here)) {
		say(m, in->index, "from another host, whose clock may be another one: "
		    "--offset moves it");
		return;
	}
	in->member.offset = here - there + base->member.offset;
	say(m, in->index, "from another host: its times are moved by %" PRId64
	    " ns, as the wall clocks tell", in->member.offset);
}

static int write_copy(struct pp_merge *m, const void *data, size_t size, struct pp_error *error)
{
	m->stats.records++;
	m->stats.bytes += size;
	return pp_writer_copy(m->writer, data, size) ? cannot_write(m, error) : 0;
}

static int write_desc(struct pp_merge *m, struct pp_error *error)
{
	const size_t size = pp_union_desc(&m->events);

	if (size)
		return write_copy(m, m->events.record, size, error);
	say(m, 0, "the list of all events does not fit in a record: it is left out");
	return 0;
}

static int write_features(struct pp_merge *m, const struct input *base, struct pp_error *error)
{
	bool described = find_feature(base, PP_FEAT_EVENT_DESC, &(struct pp_record){ 0 });
	struct pp_record rec;
	uint64_t number;

	for (size_t i = 0; i < m->count && !described; i++) {
		if (find_feature(m->inputs[i], PP_FEAT_EVENT_DESC, &rec)) {
			described = true;
			if (write_desc(m, error))
				return -1;
		}
	}
	for (size_t at = 0; each(&base->features, &at, &rec);) {
		/* what it said of its events stands while they are all that there are */
		if (m->count > 1 && pp_get_u64(&rec, "feat_id", &number) &&
		    number == PP_FEAT_EVENT_DESC && rec.size > 16) {
			if (write_desc(m, error))
				return -1;
		} else if (write_copy(m, rec.data, rec.size, error)) {
			return -1;
		}
	}
	return 0;
}

static int write_tracing(struct pp_merge *m, const uint8_t *data, size_t size,
			 struct pp_error *error)
{
	struct pp_build b;
	uint8_t record[32];
	size_t made;

	pp_build(&b, record, sizeof(record), PP_REC_HEADER_TRACING_DATA, 0, NULL);
	pp_build_u64(&b, "size", size);
	pp_build_u64(&b, "pad", 0);
	made = pp_build_end(&b);
	m->tracing_written = true;
	if (write_copy(m, record, made, error))
		return -1;
	return pp_writer_copy(m->writer, data, size) ? cannot_write(m, error) : 0;
}

/* One blob of all: *data is NULL where there is none. */
static int join_tracing(struct pp_merge *m, uint8_t **data, size_t *size, struct pp_error *error)
{
	struct pp_blob *blobs = calloc(m->count, sizeof(*blobs));
	size_t *whose = calloc(m->count, sizeof(*whose));
	size_t n = 0, culprit = 0;
	int status = 0;

	*data = NULL;
	for (size_t i = 0; blobs && whose && i < m->count; i++) {
		const struct heap_bytes *t = &m->inputs[i]->tracing;
		bool known = !t->size;

		for (size_t k = 0; k < n && !known; k++)
			known = blobs[k].size == t->size &&
				!memcmp(blobs[k].data, t->data, t->size);
		if (known)
			continue;
		whose[n] = i;
		blobs[n++] = (struct pp_blob){ t->data, t->size };
	}
	if (!blobs || !whose) {
		status = no_memory(error);
	} else if (n > 1) {
		status = pp_tracing_join(blobs, n, data, size, &culprit, error);
		if (status && error->code == PP_E_USE)
			say(m, whose[culprit], "cannot be merged with %s: %s",
			    m->inputs[whose[0]]->stream->name, error->detail);
	} else if (n) {
		*size = blobs[0].size;
		*data = malloc(*size);
		if (*data)
			memcpy(*data, blobs[0].data, *size);
		else
			status = no_memory(error);
	}
	free(blobs);
	free(whose);
	return status;
}

static int write_kept(struct pp_merge *m, const struct heap_bytes *b, struct pp_error *error)
{
	struct pp_record rec;

	for (size_t at = 0; each(b, &at, &rec);)
		if (write_copy(m, rec.data, rec.size, error))
			return -1;
	return 0;
}

static int write_head(struct pp_merge *m, const uint8_t *tracing, size_t tracing_size,
		      struct pp_error *error)
{
	const struct input *base = teller(m);
	bool sealed = false;

	for (size_t i = 0; i < m->count; i++)
		sealed |= m->inputs[i]->stream->sealed ||
			  strcmp(m->inputs[i]->stream->container, "stream");
	if (pp_writer_header(m->writer, sealed))
		return cannot_write(m, error);
	/* of equal keys the last counts: the first input's */
	for (size_t i = m->count; i--;)
		if (write_kept(m, &m->inputs[i]->notes, error))
			return -1;
	for (size_t i = 0; i < m->events.n_events; i++) {
		const size_t size = pp_union_attr(&m->events, i);

		if (write_copy(m, m->events.record, size, error))
			return -1;
	}
	if (write_features(m, base, error))
		return -1;
	for (size_t i = 0; i < m->count; i++)
		if (write_kept(m, &m->inputs[i]->old_names, error))
			return -1;
	return tracing ? write_tracing(m, tracing, tracing_size, error) : 0;
}

static int join_heads(struct pp_merge *m, struct pp_error *error)
{
	struct pp_member **members = calloc(m->count, sizeof(*members));
	struct input *const base = teller(m);
	uint8_t *tracing = NULL;
	size_t size = 0;
	int status;

	if (!members)
		return no_memory(error);
	for (size_t i = 0; i < m->count; i++) {
		members[i] = &m->inputs[i]->member;
		if (m->inputs[i] == base)
			continue;
		compare_features(m, base, m->inputs[i]);
		align_clock(m, base, m->inputs[i]);
	}
	status = pp_union_join(&m->events, members, m->count, error);
	free(members);
	for (size_t i = 0; i < m->count; i++)
		m->stats.renamed += m->inputs[i]->member.renamed.count;
	m->stats.identified = m->events.identified;
	if (!status)
		status = join_tracing(m, &tracing, &size, error);
	if (!status)
		status = write_head(m, tracing, size, error);
	free(tracing);
	for (size_t i = 0; i < m->count; i++) {
		free(m->inputs[i]->tracing.data);
		m->inputs[i]->tracing = (struct heap_bytes){ .data = NULL };
	}
	return status;
}

/* ---- Queues ---- */

static bool has_tail(uint32_t type)
{
	return type == PP_REC_AUXTRACE;
}

/* What pp_rounds lets go: rewritten, and queued. */
static int enqueue(void *arg, struct pp_record *rec, struct pp_error *error)
{
	struct input *const in = arg;
	struct queued head = { .type = rec->type };
	struct pp_error why = { .code = PP_OK };
	uint8_t *to = room(&in->queue, sizeof(head) + PP_RECORD_MAX + 64);

	if (!to)
		return no_memory(error);
	head.size = (uint32_t)pp_union_rewrite(&in->merge->events, &in->member, rec,
					       to + sizeof(head), &why);
	if (!head.size) {
		damaged(in, &why);
		return PP_DROP;
	}
	if (rec->type < PP_USER_TYPES && pp_time(rec, &head.time))
		head.time = pp_member_time(&in->member, head.time);
	else
		head.time = 0;
	if (has_tail(rec->type) && !pp_get_u64(rec, "size", &head.tail))
		head.tail = 0;
	memcpy(to, &head, sizeof(head));
	in->queue.size += sizeof(head) + pp_align8(head.size);
	return PP_DROP;
}

static bool peek(const struct input *in, struct queued *head, const uint8_t **data)
{
	if (in->at == in->queue.size)
		return false;
	memcpy(head, in->queue.data + in->at, sizeof(*head));
	*data = in->queue.data + in->at + sizeof(*head);
	return true;
}

/* ---- Tails ---- */

static int open_spill(struct input *in, struct pp_error *error)
{
	const char *folder = getenv("TMPDIR");

	if (!folder || !*folder)
		folder = "/tmp";
	in->spill = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return in->spill < 0 ? pp_fail_os(error, "cannot hold a tail in a file in %s", folder) : 0;
}

static int spill(struct input *in, const uint8_t *piece, size_t size, struct pp_error *error)
{
	while (size) {
		const ssize_t n = pwrite(in->spill, piece, size, (off_t)in->spill_end);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return pp_fail_os(error, "cannot hold a tail in a file");
		piece += n;
		size -= (size_t)n;
		in->spill_end += (uint64_t)n;
	}
	return 0;
}

/* The tail waits in a file while its record is held: 0, 1: it is not whole, -1. */
static int spill_tail(struct input *in, struct pp_error *error)
{
	const uint64_t start = in->spill_end;
	const void *piece;
	size_t size;
	int got;

	if (in->spill < 0 && open_spill(in, error))
		return -1;
	while ((got = pp_reader_tail(in->reader, &piece, &size, error)) > 0)
		if (spill(in, piece, size, error))
			return -1;
	if (!got)
		return 0;
	if (pp_writer_os(in->merge->writer))
		return -1;
	damaged(in, error);
	*error = (struct pp_error){ .code = PP_OK };
	in->spill_end = start;
	return 1;
}

static int write_tail(struct pp_merge *m, struct input *in, uint64_t left, struct pp_error *error)
{
	while (left) {
		const ssize_t n = pread(in->spill, m->piece, left < PIECE ? left : PIECE,
					(off_t)in->spill_at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return pp_fail_os(error, "cannot read a tail back");
		if (pp_writer_copy(m->writer, m->piece, (size_t)n))
			return cannot_write(m, error);
		in->spill_at += (uint64_t)n;
		left -= (uint64_t)n;
	}
	if (in->spill_at == in->spill_end)
		in->spill_at = in->spill_end = 0;
	return 0;
}

/* ---- From an input to its queue ---- */

/* What came too late to be in the head of the output: 1: it is dealt with, 0: it goes its way. */
static int take_late(struct input *in, const struct pp_record *rec, struct pp_error *error)
{
	struct pp_merge *const m = in->merge;
	struct pp_seal seal;

	if (rec->type == PP_REC_FINISHED_ROUND)
		return pp_is_seal(rec, &seal) && (!seal.number || seal.flags & PP_SEAL_END);
	if (rec->type == PP_REC_HEADER_FEATURE)
		return in != teller(m);
	if (rec->type == PP_REC_HEADER_ATTR) {
		if (pp_member_attr(&in->member, rec, error) ||
		    pp_union_late(&m->events, &in->member, error))
			return -1;
		return write_copy(m, m->events.record,
				  pp_union_attr(&m->events, m->events.n_events - 1), error) ? -1 : 1;
	}
	if (rec->type != PP_REC_HEADER_TRACING_DATA)
		return 0;
	if (m->tracing_written) {
		struct pp_error late = { .located = true, .offset = rec->offset,
					 .index = rec->index, .type = rec->type };

		pp_fail(&late, PP_E_VALUE, "other tracing data were written before: dropped");
		damaged(in, &late);
		return 1;
	}
	in->tracing.size = 0;
	switch (read_tail(in, &in->tracing, error)) {
	case 0: return write_tracing(m, in->tracing.data, in->tracing.size, error) ? -1 : 1;
	case 1: return 1;
	default: return -1;
	}
}

static int put(struct input *in, struct pp_record *rec, struct pp_error *error)
{
	const int late = rec->type >= PP_USER_TYPES ? take_late(in, rec, error) : 0;
	uint8_t *copy;
	int cut;

	if (late)
		return late < 0 ? -1 : 0;
	if (rec->tail) {
		in->copy.size = 0;
		copy = room(&in->copy, rec->size);
		if (!copy)
			return no_memory(error);
		memcpy(copy, rec->data, rec->size);
		rec->data = copy;
		cut = spill_tail(in, error);
		if (cut)
			return cut < 0 ? -1 : 0;
		rec->tail = 0;
	}
	return pp_rounds_put(in->rounds, rec, error) < 0 ? -1 : 0;
}

/* Reads on until something is queued: 1, 0: there is nothing more, -1. */
static int pump(struct input *in, struct pp_error *error)
{
	struct pp_record rec;
	int got;

	in->at = in->queue.size = 0;
	while (!in->queue.size) {
		got = 1;
		rec = in->first;
		if (!in->has_first)
			got = in->read ? 0 : next(in, &rec, error);
		in->has_first = false;
		if (got < 0)
			return -1;
		if (got) {
			if (put(in, &rec, error))
				return -1;
			continue;
		}
		if (pp_rounds_end(in->rounds, error))
			return -1;
		break;
	}
	return in->queue.size != 0;
}

/* ---- The oldest first ---- */

static uint64_t key(const struct input *in)
{
	struct queued head;

	memcpy(&head, in->queue.data + in->at, sizeof(head));
	return head.time;
}

static bool before(const struct input *a, const struct input *b)
{
	const uint64_t x = key(a), y = key(b);

	return x != y ? x < y : a->index < b->index;
}

static void sift_down(struct pp_merge *m, size_t at)
{
	struct input *const moving = m->heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= m->waiting)
			break;
		if (child + 1 < m->waiting && before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m->heap[child], moving))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

/* ---- What several inputs say alike ---- */

/* Records that say how things are: said twice they say no more. */
static bool is_state(uint32_t type)
{
	static const uint32_t states[] = {
		PP_REC_MMAP, PP_REC_COMM, PP_REC_FORK, PP_REC_MMAP2, PP_REC_NAMESPACES, PP_REC_KSYMBOL,
		PP_REC_BPF_EVENT, PP_REC_CGROUP, PP_REC_HEADER_BUILD_ID, PP_REC_ID_INDEX,
		PP_REC_AUXTRACE_INFO, PP_REC_THREAD_MAP, PP_REC_CPU_MAP, PP_REC_STAT_CONFIG,
		PP_REC_EVENT_UPDATE, PP_REC_TIME_CONV, PP_REC_BPF_METADATA,
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (states[i] == type)
			return true;
	return false;
}

static struct seen *seen_slot(struct seen *seen, size_t n, XXH128_hash_t hash)
{
	size_t at = hash.low64 & (n - 1);

	while (seen[at].input && !XXH128_isEqual(seen[at].hash, hash))
		at = (at + 1) & (n - 1);
	return &seen[at];
}

static void grow_seen(struct pp_merge *m)
{
	const size_t n = m->seen_room ? m->seen_room * 2 : 1024;
	struct seen *larger = calloc(n, sizeof(*larger));

	if (!larger)
		return;
	for (size_t i = 0; i < m->seen_room; i++)
		if (m->seen[i].input)
			*seen_slot(larger, n, m->seen[i].hash) = m->seen[i];
	free(m->seen);
	m->seen = larger;
	m->seen_room = n;
}

/* Whether another input has said it, at no time. */
static bool is_repeated(struct pp_merge *m, size_t input, XXH128_hash_t hash)
{
	struct seen *slot;

	if (m->n_seen >= m->seen_room / 2 && m->n_seen < SEEN_MOST)
		grow_seen(m);
	if (!m->seen_room)
		return false;
	slot = seen_slot(m->seen, m->seen_room, hash);
	if (slot->input)
		return slot->input != input + 1;
	if (m->n_seen < m->seen_room / 2) {
		*slot = (struct seen){ hash, input + 1 };
		m->n_seen++;
	}
	return false;
}

/* Whether it is a record that another input has too: the pieces of one recording share what is no
 * sample. */
static bool is_double(struct pp_merge *m, const struct input *in, const struct queued *head,
		      const uint8_t *data)
{
	XXH128_hash_t hash;

	if (m->count == 1 || head->type == PP_REC_SAMPLE || (!head->time && !is_state(head->type)))
		return false;
	hash = XXH3_128bits(data, head->size);
	if (!head->time)
		return is_repeated(m, in->index, hash);
	if (head->time != m->now)
		m->n_same = 0;
	for (size_t i = 0; i < m->n_same; i++)
		if (m->same[i].input != in->index && XXH128_isEqual(m->same[i].hash, hash))
			return true;
	if (m->n_same < SAME_MOST)
		m->same[m->n_same++] = (struct same){ hash, in->index };
	return false;
}

/* ---- Writing ---- */

static int write_round(struct pp_merge *m, struct pp_error *error)
{
	m->stats.records++;
	m->stats.bytes += PP_HEADER_SIZE;
	m->in_round = 0;
	for (size_t i = 0; i < m->count; i++)
		m->inputs[i]->passed = false;
	return pp_writer_round(m->writer) ? cannot_write(m, error) : 0;
}

static bool all_passed(const struct pp_merge *m)
{
	for (size_t i = 0; i < m->waiting; i++)
		if (!m->heap[i]->passed)
			return false;
	return true;
}

static int pass_round(struct pp_merge *m, struct input *in, struct pp_error *error)
{
	in->passed = in->begun = m->rounds = true;
	return all_passed(m) ? write_round(m, error) : 0;
}

/* Behind the FINISHED_INIT of the last input that has one. */
static int write_init(struct pp_merge *m, struct pp_error *error)
{
	uint8_t record[PP_HEADER_SIZE];
	struct pp_build b;

	if (!m->init_seen || m->init_written)
		return 0;
	for (size_t i = 0; i < m->waiting; i++)
		if (!m->heap[i]->begun)
			return 0;
	m->init_written = true;
	pp_build(&b, record, sizeof(record), PP_REC_FINISHED_INIT, 0, NULL);
	return write_copy(m, record, pp_build_end(&b), error);
}

static void note_time(struct pp_merge *m, const struct queued *head)
{
	m->now = head->time;
	if (!m->stats.first_time || head->time < m->stats.first_time)
		m->stats.first_time = head->time;
	if (head->time > m->stats.last_time)
		m->stats.last_time = head->time;
}

static int write_record(struct pp_merge *m, struct input *in, const struct queued *head,
			const uint8_t *data, struct pp_error *error)
{
	if (head->type == PP_REC_FINISHED_ROUND && head->size >= PP_HEADER_SIZE) {
		struct pp_record rec;

		if (pp_record_at(&rec, in->queue.data + in->at + sizeof(*head), head->size, error))
			return -1;
		if (pp_is_round(&rec))
			return pass_round(m, in, error);
	}
	if (head->type == PP_REC_FINISHED_INIT) {
		m->init_seen = in->begun = true;
		return write_init(m, error);
	}
	if (is_double(m, in, head, data))
		return 0;
	if (head->time) {
		note_time(m, head);
		if (!in->begun) {
			in->begun = true;
			if (write_init(m, error))
				return -1;
		}
	}
	m->stats.samples += head->type == PP_REC_SAMPLE;
	m->in_round += head->size;
	if (write_copy(m, data, head->size, error) ||
	    (head->tail && write_tail(m, in, head->tail, error)))
		return -1;
	return m->in_round >= ROUND_BYTES && m->count > 1 ? write_round(m, error) : 0;
}

/* Writes the oldest record of all; 0, or -1. */
static int step(struct pp_merge *m, struct pp_error *error)
{
	struct input *const in = m->heap[0];
	struct queued head;
	const uint8_t *data;
	int more = 1;

	if (!peek(in, &head, &data))
		return 0;
	if (write_record(m, in, &head, data, error))
		return -1;
	in->at += sizeof(head) + pp_align8(head.size);
	if (in->at == in->queue.size)
		more = pump(in, error);
	if (more < 0)
		return -1;
	if (!more) {
		m->heap[0] = m->heap[--m->waiting];
		if (write_init(m, error))
			return -1;
	}
	if (m->waiting)
		sift_down(m, 0);
	return 0;
}

static int start(struct pp_merge *m, struct input *in, struct pp_error *error)
{
	const struct pp_rounds_options options = {
		.order = PP_ROUNDS_TIME, .limit = m->options.limit, .judge = enqueue, .arg = in,
	};
	int more;

	in->rounds = pp_rounds_open(&options, in->reader, m->writer);
	if (!in->rounds)
		return no_memory(error);
	more = pump(in, error);
	if (more > 0)
		m->heap[m->waiting++] = in;
	return more < 0 ? -1 : 0;
}

int pp_merge_run(struct pp_merge *m, struct pp_writer *w, struct pp_error *error)
{
	m->writer = w;
	for (size_t i = 0; i < m->count; i++) {
		pp_reader_tie(m->inputs[i]->reader, w);
		if (read_head(m->inputs[i], error) < 0)
			return -1;
	}
	if (join_heads(m, error))
		return -1;
	for (size_t i = 0; i < m->count; i++)
		if (start(m, m->inputs[i], error))
			return -1;
	for (size_t i = m->waiting / 2; i--;)
		sift_down(m, i);
	while (m->waiting)
		if (step(m, error))
			return -1;
	/* what the last round of one input left behind */
	if (m->count > 1 && m->rounds && m->in_round && write_round(m, error))
		return -1;
	for (size_t i = 0; i < m->count; i++)
		if (m->inputs[i]->member.before)
			say(m, i, "%" PRIu64 " times would be before 0: they are 1 ns now",
			    m->inputs[i]->member.before);
	return 0;
}

/* ---- What is known of it ---- */

uint32_t pp_merge_flags(const struct pp_merge *m)
{
	uint32_t flags = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct pp_stream *s = m->inputs[i]->stream;

		flags |= s->flags & (PP_SEAL_UNSEALED | PP_SEAL_DAMAGED);
		if (!s->sealed || s->rewritten)
			flags |= PP_SEAL_UNSEALED;
	}
	return flags;
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
