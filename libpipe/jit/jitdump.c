/*
 * jitdump.c - reads a jitdump file: finds its records, puts those of code in the order of their times,
 * and loads what belongs to one piece.  Its layout is in the kernel's jitdump-specification.txt.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfpipe/bytes.h>

#include "base/byte_order.h"
#include "base/array.h"
#include "base/heap.h"
#include "base/spool.h"
#include "jit/jit.h"

enum {
	MAGIC = 0x4a695444, HEADER = 40, FORMAT = 1,
	PREFIX = 16, LOAD = 40, MOVE = 48, LINES = 16, FRAMES = 24,
	FLAG_CYCLES = 1,
	WINDOW = 4096,                  /* records that are put in order */
	NAME_MOST = 1 << 16,
	PART_MOST = 16 << 20,           /* of the code, lines or frames of one piece */
	POLL = 10000000,                /* ns of the stream, between looks at a file that ended */
	SPARSE = 8,                     /* a file may have so many times the bytes that it takes on disk */
};

enum record { CODE_LOAD, CODE_MOVE, DEBUG_INFO, CLOSE, UNWINDING_INFO };

/* A record of code that waits for its turn. */
struct waiting_code {
	uint64_t time, seq;
	uint64_t at, lines, frames;     /* where the records are in the file; 0: none */
};

struct pp_jit {
	int fd;
	bool known, foreign, cycles, over;
	struct pp_jit_clock clock;
	uint32_t machine, pid;
	uint64_t at, left;              /* where the next record begins; bytes of one that is not whole */
	uint64_t seq, damaged;
	uint64_t polled;                /* `until` when the file ended */
	bool ended;
	uint64_t lines, frames;         /* of the code that comes next */
	uint64_t loaded;                /* bytes of all pieces so far */
	struct waiting_code *heap;           /* WINDOW */
	size_t count;
	char *name;
	struct pp_buffer image, parts;
};

#define BEFORE(unused, a, b) \
	((void)(unused), (a)->time < (b)->time || ((a)->time == (b)->time && (a)->seq < (b)->seq))
PP_HEAP(sink, struct waiting_code, const void *, BEFORE)

/* ---- the file ---- */

/* 1; 0: the file is shorter; -1 and *error. */
static int read_at(const struct pp_jit *jit, void *to, size_t size, uint64_t at, struct pp_error *error)
{
	const ssize_t got = at > INT64_MAX ? 0 : pp_read_up_to(jit->fd, to, size, at);

	if (got < 0)
		return pp_fail_os(error, "cannot read a jitdump file");
	return (size_t)got == size;
}

static uint32_t word(const struct pp_jit *jit, const uint8_t *at)
{
	return pp_in_order32(at, jit->foreign);
}

static uint64_t wide(const struct pp_jit *jit, const uint8_t *at)
{
	return pp_in_order64(at, jit->foreign);
}

/* 1; 0: it is not there yet; -1 and *error. */
static int read_header(struct pp_jit *jit, struct pp_error *error)
{
	uint8_t header[HEADER];
	const int got = read_at(jit, header, sizeof(header), 0, error);
	uint64_t flags;

	if (got <= 0)
		return got;
	jit->foreign = pp_load32(header) == __builtin_bswap32(MAGIC);
	if (word(jit, header) != MAGIC)
		return pp_fail(error, PP_E_CONTAINER, "no jitdump file");
	flags = wide(jit, header + 32);
	if (word(jit, header + 4) != FORMAT || word(jit, header + 8) < HEADER ||
	    flags & ~(uint64_t)FLAG_CYCLES)
		return pp_fail(error, PP_E_VALUE, "a jitdump file of another version");
	jit->at = word(jit, header + 8);
	jit->machine = word(jit, header + 12);
	jit->pid = word(jit, header + 20);
	jit->cycles = flags & FLAG_CYCLES;
	jit->known = true;
	return 1;
}

struct pp_jit *pp_jit_open(int fd, struct pp_error *error)
{
	struct pp_jit *const jit = calloc(1, sizeof(*jit));

	if (jit)
		jit->fd = fd;
	if (!jit || !(jit->heap = malloc(WINDOW * sizeof(*jit->heap))) ||
	    !(jit->name = malloc(NAME_MOST))) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		if (!jit)
			close(fd);
		pp_jit_close(jit);
		return NULL;
	}
	if (read_header(jit, error) >= 0)
		return jit;
	pp_jit_close(jit);
	return NULL;
}

void pp_jit_close(struct pp_jit *jit)
{
	if (!jit)
		return;
	close(jit->fd);
	pp_buffer_free(&jit->image);
	pp_buffer_free(&jit->parts);
	free(jit->heap);
	free(jit->name);
	free(jit);
}

uint32_t pp_jit_pid(const struct pp_jit *jit)
{
	return jit->pid;
}

static uint64_t time_of(const struct pp_jit *jit, uint64_t time)
{
	const struct pp_jit_clock *const c = &jit->clock;
	uint64_t cycles = time;

	if (!jit->cycles || c->shift > 63)
		return time;
	if (c->wraps)
		cycles = c->cycles + ((time - c->cycles) & c->mask);
	return c->zero + (cycles >> c->shift) * c->mult +
	       (((cycles & ((UINT64_C(1) << c->shift) - 1)) * c->mult) >> c->shift);
}

void pp_jit_set_clock(struct pp_jit *jit, const struct pp_jit_clock *clock)
{
	jit->clock = *clock;
}

uint64_t pp_jit_due(const struct pp_jit *jit)
{
	return jit->count ? jit->heap[0].time : UINT64_MAX;
}

bool pp_jit_counts_cycles(const struct pp_jit *jit)
{
	return jit->cycles;
}

uint64_t pp_jit_damaged(const struct pp_jit *jit)
{
	return jit->damaged;
}

uint64_t pp_jit_left(const struct pp_jit *jit)
{
	return jit->left;
}

/* ---- records ---- */

/* Puts it where its time belongs; there is room. */
static void wait_for_turn(struct pp_jit *jit, const struct waiting_code *waiting)
{
	size_t at = jit->count++;

	for (; at && BEFORE(jit, waiting, &jit->heap[(at - 1) / 2]); at = (at - 1) / 2)
		jit->heap[at] = jit->heap[(at - 1) / 2];
	jit->heap[at] = *waiting;
}

static void take_record(struct pp_jit *jit, uint32_t id, uint64_t time)
{
	struct waiting_code waiting = { .time = time, .seq = jit->seq++, .at = jit->at };

	switch (id) {
	case DEBUG_INFO:
		jit->lines = jit->at;
		break;
	case UNWINDING_INFO:
		jit->frames = jit->at;
		break;
	case CODE_LOAD:
		waiting.lines = jit->lines;
		waiting.frames = jit->frames;
		jit->lines = jit->frames = 0;
		wait_for_turn(jit, &waiting);
		break;
	case CODE_MOVE:
		wait_for_turn(jit, &waiting);
	}
}

/* Reads on until the window is full or the file ends.  0, or -1 and *error. */
static int read_on(struct pp_jit *jit, struct pp_error *error)
{
	uint8_t prefix[PREFIX];
	struct stat st;
	int got;

	if (!jit->known && (got = read_header(jit, error)) <= 0)
		return got;
	if (fstat(jit->fd, &st))
		return pp_fail_os(error, "cannot read a jitdump file");
	while (jit->count < WINDOW) {
		const uint64_t left = jit->at < (uint64_t)st.st_size ? (uint64_t)st.st_size - jit->at : 0;
		uint32_t size;

		jit->left = left;
		jit->ended = true;
		if (!pp_fits(PREFIX, left))
			return 0;
		got = read_at(jit, prefix, sizeof(prefix), jit->at, error);
		if (got <= 0)
			return got;
		size = word(jit, prefix + 4);
		if (size < PREFIX) {    /* nothing says where the next one begins */
			jit->damaged++;
			jit->over = true;
			return 0;
		}
		if (!pp_fits(size, left))
			return 0;
		take_record(jit, word(jit, prefix), time_of(jit, wide(jit, prefix + 8)));
		jit->at += size;
		jit->left = left - size;
		jit->ended = false;
	}
	return 0;
}

/* ---- one piece of code ---- */

/* The size of the record there, its prefix not counted, and the first `most` bytes.  1, 0 or -1. */
static int read_body(const struct pp_jit *jit, uint64_t at, uint8_t *body, size_t most, uint64_t *size,
		     struct pp_error *error)
{
	uint8_t prefix[PREFIX];
	const int got = read_at(jit, prefix, sizeof(prefix), at, error);

	if (got <= 0)
		return got;
	*size = word(jit, prefix + 4);
	if (*size < PREFIX || !pp_fits(most, *size - PREFIX))
		return 0;
	*size -= PREFIX;
	return read_at(jit, body, most, at + PREFIX, error);
}

static int read_move(struct pp_jit *jit, const struct waiting_code *waiting, struct pp_jit_code *code,
		     struct pp_error *error)
{
	uint8_t body[MOVE];
	uint64_t size;
	const int got = read_body(jit, waiting->at, body, sizeof(body), &size, error);

	if (got <= 0)
		return got;
	*code = (struct pp_jit_code){
		.time = waiting->time, .moved = true,
		.pid = word(jit, body), .tid = word(jit, body + 4),
		.address = wide(jit, body + 24), .size = wide(jit, body + 32),
		.number = wide(jit, body + 40), .offset = pp_jit_offset(jit->machine),
	};
	code->mapped = code->size;
	return code->size != 0;
}

/* The name lies between the fixed fields and the code, which is at the end.  1, 0 or -1. */
static int read_name(struct pp_jit *jit, uint64_t at, uint64_t room, struct pp_error *error)
{
	const size_t most = room < NAME_MOST ? (size_t)room : NAME_MOST;
	const int got = read_at(jit, jit->name, most, at, error);

	return got <= 0 ? got : memchr(jit->name, 0, most) != NULL;
}

/* The bytes that unwinding information takes where the code is mapped, after that; 0: it is not mapped,
 * or there is none. */
static int read_mapped(struct pp_jit *jit, struct waiting_code *waiting, uint64_t *mapped,
		       struct pp_error *error)
{
	uint8_t body[FRAMES];
	uint64_t size, unwinding, header;
	int got;

	*mapped = 0;
	if (!waiting->frames)
		return 0;
	got = read_body(jit, waiting->frames, body, sizeof(body), &size, error);
	if (got < 0)
		return -1;
	unwinding = wide(jit, body);
	header = wide(jit, body + 8);
	*mapped = wide(jit, body + 16);
	if (!got || !pp_fits(unwinding, size - FRAMES) || !pp_fits(unwinding, PART_MOST) ||
	    !pp_fits(header, unwinding) || !pp_fits(*mapped, PART_MOST)) {
		jit->damaged++;
		*mapped = waiting->frames = 0;
	} else if (!unwinding) {
		waiting->frames = 0;    /* V8 writes such for code that needs none */
	}
	return 0;
}

static int read_load(struct pp_jit *jit, struct waiting_code *waiting, struct pp_jit_code *code,
		     struct pp_error *error)
{
	uint8_t body[LOAD];
	uint64_t size, mapped;
	int got = read_body(jit, waiting->at, body, sizeof(body), &size, error);

	if (got <= 0)
		return got;
	*code = (struct pp_jit_code){
		.time = waiting->time,
		.pid = word(jit, body), .tid = word(jit, body + 4),
		.address = wide(jit, body + 16), .size = wide(jit, body + 24),
		.number = wide(jit, body + 32), .name = jit->name, .offset = pp_jit_offset(jit->machine),
	};
	size -= LOAD;
	if (!code->size || !pp_fits(code->size, PART_MOST) || !pp_fits(code->size, size))
		return 0;
	got = read_name(jit, waiting->at + PREFIX + LOAD, size - code->size, error);
	if (got <= 0 || read_mapped(jit, waiting, &mapped, error))
		return got <= 0 ? got : -1;
	code->mapped = mapped ? pp_align8(code->size) + mapped : code->size;
	code->own[0] = waiting->at + PREFIX + LOAD + size - code->size;
	code->own[1] = waiting->lines;
	code->own[2] = waiting->frames;
	return 1;
}

/* As read_load(), of whichever kind it is. */
static int read_code(struct pp_jit *jit, struct waiting_code *waiting, struct pp_jit_code *code,
		     struct pp_error *error)
{
	uint8_t id[4];
	const int got = read_at(jit, id, sizeof(id), waiting->at, error);

	if (got <= 0)
		return got;
	return word(jit, id) == CODE_MOVE ? read_move(jit, waiting, code, error)
					  : read_load(jit, waiting, code, error);
}

static bool is_time_to_read(const struct pp_jit *jit, uint64_t until)
{
	if (jit->over || jit->count == WINDOW)
		return false;
	if (!jit->ended && jit->known)
		return jit->count < WINDOW / 2;
	return until == UINT64_MAX || !jit->polled || until - jit->polled >= POLL;
}

enum pp_status pp_jit_next(struct pp_jit *jit, uint64_t until, struct pp_jit_code *code,
			   struct pp_error *error)
{
	for (;;) {
		struct waiting_code first;
		int got;

		if (is_time_to_read(jit, until)) {
			jit->polled = until ? until : 1;
			if (read_on(jit, error))
				return PP_FAILED;
		}
		if (!jit->count || jit->heap[0].time > until)
			return PP_END;
		first = jit->heap[0];
		jit->heap[0] = jit->heap[--jit->count];
		if (jit->count)
			sink(jit->heap, jit->count, 0, NULL);
		got = read_code(jit, &first, code, error);
		if (got)
			return got < 0 ? PP_FAILED : PP_MORE;
		jit->damaged++;
	}
}

/* ---- its image ---- */

/* A file that claims more than it holds makes images of nothing.  0, or -1 and *error. */
static int count_loaded(struct pp_jit *jit, uint64_t size, struct pp_error *error)
{
	struct stat st;

	if (fstat(jit->fd, &st))
		return pp_fail_os(error, "cannot read a jitdump file");
	jit->loaded += size;
	if (jit->loaded / SPARSE > (uint64_t)st.st_blocks * 512 + PART_MOST)
		return pp_fail(error, PP_E_VALUE, "the jitdump file claims more code than it holds");
	return 0;
}

/* Adds bytes of the file to `parts`.  0, or -1 and *error. */
static int load(struct pp_jit *jit, uint64_t at, uint64_t size, struct pp_error *error)
{
	uint8_t *const to = pp_buffer_room(&jit->parts, (size_t)size, error);
	int got;

	if (!to || count_loaded(jit, size, error))
		return -1;
	got = read_at(jit, to, (size_t)size, at, error);
	if (!got)
		return pp_fail(error, PP_E_CUT, "the jitdump file became shorter");
	jit->parts.size += (size_t)size;
	return got < 0 ? -1 : 0;
}

/* The entries of lines, and how many bytes those are; damaged ones count as none. */
static int load_lines(struct pp_jit *jit, uint64_t at, size_t *size, struct pp_error *error)
{
	uint8_t body[LINES];
	uint64_t room;
	const int got = at ? read_body(jit, at, body, sizeof(body), &room, error) : 0;

	*size = 0;
	if (got < 0)
		return -1;
	if (!got || !pp_fits(room - LINES, PART_MOST)) {
		jit->damaged += at != 0;
		return 0;
	}
	*size = (size_t)(room - LINES);
	return load(jit, at + PREFIX + LINES, *size, error);
}

static int load_frames(struct pp_jit *jit, uint64_t at, struct pp_jit_body *to, struct pp_error *error)
{
	uint8_t body[FRAMES];
	uint64_t room;
	const int got = at ? read_body(jit, at, body, sizeof(body), &room, error) : 0;

	if (got <= 0)
		return got;
	to->frames_size = (size_t)wide(jit, body);
	to->header_size = (size_t)wide(jit, body + 8);
	/* it was found sound, but a file may change */
	if (!pp_fits(to->frames_size, room - FRAMES) || !pp_fits(to->frames_size, PART_MOST) ||
	    !pp_fits(to->header_size, to->frames_size))
		return pp_fail(error, PP_E_CUT, "the jitdump file changed");
	return load(jit, at + PREFIX + FRAMES, to->frames_size, error);
}

int pp_jit_image(struct pp_jit *jit, const struct pp_jit_code *code, int fd, uint8_t id[20],
		 struct pp_error *error)
{
	struct pp_jit_body body = {
		.machine = jit->machine, .big = jit->foreign != PP_HOST_BIG, .name = code->name,
		.address = code->address, .size = (size_t)code->size,
	};

	jit->parts.size = jit->image.size = 0;
	if (load(jit, code->own[0], code->size, error) ||
	    load_lines(jit, code->own[1], &body.lines_size, error) ||
	    load_frames(jit, code->own[2], &body, error))
		return -1;
	body.code = jit->parts.data;
	body.lines = body.code + body.size;
	if (body.frames_size)
		body.frames = body.lines + body.lines_size;
	if (pp_jit_build(&body, &jit->image, id, error))
		return -1;
	if (pp_write_at(fd, jit->image.data, jit->image.size, 0))
		return pp_fail_os(error, "cannot write an image");
	return 0;
}
