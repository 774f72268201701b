/* hold.c - tries the memory for what rounds hold beside copies in an array: records and their tails,
 * taken out in any order, or from the front on. */
#include "order/round_buffer.h"
#include "event.h"
#include "unit.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HELD = 600, SIZES = 7, SINGLE = 16 };

/* Of which there is a copy of the bytes, made of a seed, and the tail's size. */
struct copy {
	struct held *h;
	uint64_t offset, tail;
	uint32_t seed, size, attr, index;
};

static struct copy copies[HELD];      /* in the order in which they came */
static unsigned n_copies;
static struct pp_hold hold;
static uint64_t held_bytes;

/* ---- Bytes ----------------------------------------------------------------------------------- */

static uint8_t pattern[4 * PP_RECORD_MAX];

static void make_pattern(void)
{
	begin_case("a pattern", 0);
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)any_number();
}

static void fill(uint8_t *to, uint32_t seed, size_t size)
{
	memcpy(to, pattern + seed % 1000, size);
}

static bool is_filled(const uint8_t *data, uint32_t seed, uint64_t from, size_t size)
{
	return !memcmp(data, pattern + seed % 1000 + from, size);
}

static uint64_t room_for(const struct copy *copy)
{
	const uint64_t tail = copy->tail > INLINE_TAIL ? 0 : pp_align8(copy->tail);

	return sizeof(struct held) + pp_align8(copy->size) + (copy->tail ? sizeof(struct tail) + tail : 0);
}

/* ---- Holding and taking out ------------------------------------------------------------------ */

static void hold_one(uint32_t number, bool large)
{
	static const uint32_t most[SIZES] = { 8, 16, 64, 200, 3000, 30000, PP_RECORD_MAX };
	static uint8_t data[PP_RECORD_MAX];
	const struct pp_attr attr = { .index = below(5) };
	struct copy copy = { .seed = number, .size = 8 + below(most[large ? SIZES - 1 : below(SIZES)] - 7) };
	struct pp_record rec = { .data = data, .size = (uint16_t)copy.size, .type = PP_REC_SAMPLE };

	CHECK(n_copies < HELD);
	rec.offset = copy.offset = any_number() >> (16 + below(40));
	rec.index = any_number() >> below(64);
	copy.index = (uint32_t)(rec.index & ((1 << 28) - 1));
	if (one_in(2))
		rec.attr = &attr;
	copy.attr = rec.attr ? attr.index + 1 : 0;
	fill(data, copy.seed, copy.size);
	copy.h = hold_record(&hold, &rec, NULL);
	CHECK(copy.h);
	held_bytes += room_for(&copy);
	if (one_in(6)) {
		unhold(&hold, copy.h);
		held_bytes -= room_for(&copy);
		return;
	}
	copies[n_copies++] = copy;
}

static void look_at(const struct copy *copy)
{
	const struct chunk *const chunk = chunk_of(copy->h);
	const uint64_t end = (uint64_t)((uint8_t *)copy->h - (const uint8_t *)chunk) + room_for(copy);

	CHECK((uintptr_t)copy->h % 8 == 0 && (uint8_t *)copy->h >= (const uint8_t *)chunk + CHUNK_START);
	CHECK(end <= chunk->used && chunk->used <= CHUNK && chunk->live);
	CHECK(copy->h->size == copy->size && copy->h->offset == copy->offset && copy->h->attr == copy->attr);
	CHECK(copy->h->index == copy->index && copy->h->tail == (copy->tail != 0));
	CHECK(room_of(copy->h) == room_for(copy));
	CHECK(is_filled(bytes_of(copy->h), copy->seed, 0, copy->size));
}

static void look_at_all(void)
{
	for (unsigned i = 0; i < n_copies; i++) {
		const unsigned other = below(n_copies);

		look_at(&copies[i]);
		CHECK(earlier(copies[i].h, copies[other].h) == (i < other));
	}
	CHECK(hold.bytes == held_bytes);
}

static void take_out(unsigned i)
{
	look_at(&copies[i]);
	held_bytes -= room_for(&copies[i]);
	release(&hold, copies[i].h);
	n_copies--;
	memmove(&copies[i], &copies[i + 1], (n_copies - i) * sizeof(*copies));
}

/* From the front on, as rounds.c does it in the order of the stream. */
static void take_front(void)
{
	while (hold.front_at == hold.front->used) {
		struct chunk *const chunk = hold.front;

		hold.front = chunk->next;
		hold.front_at = CHUNK_START;
		pp_hold_free_chunk(&hold, chunk);
	}
	CHECK((uint8_t *)hold.front + hold.front_at == (uint8_t *)copies[0].h);
	hold.front_at += (uint32_t)room_of(copies[0].h);
	take_out(0);
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Chunks: those that were got one by one, and eight at once. */
static size_t chunks(void)
{
	const size_t single = hold.n_blocks < SINGLE || hold.thrifty ? hold.n_blocks : SINGLE;

	return single + 8 * (hold.n_blocks - single);
}

/* No more memory than was needed at once, but for what is left of chunks: in the order of times an old
 * record keeps its chunk from being used again. */
static void records(void)
{
	for (unsigned i = 0; i < 36; i++) {
		const bool in_time_order = i % 3, thrifty = i % 3 == 2;
		unsigned most;
		uint32_t number = 0;

		begin_case("held records", i);
		pp_hold_open(&hold, in_time_order, thrifty, NULL);
		held_bytes = n_copies = 0;
		for (unsigned turn = 0; turn < 6; turn++) {
			most = 1 + below(i < 6 ? HELD - 1 : 60);
			while (n_copies < most)
				hold_one(number++, i < 6);
			look_at_all();
			most = one_in(3) ? 0 : below(most);
			while (n_copies > most && in_time_order)
				take_out(one_in(3) ? below(n_copies) : 0);
			while (n_copies > most && !in_time_order)
				take_front();
			look_at_all();
		}
		while (n_copies && in_time_order)
			take_out(0);
		CHECK(n_copies || !thrifty || chunks() <= SINGLE + 1);
		pp_hold_close(&hold);
	}
}

/* A stream that goes on for long is held in as much memory as a short one. */
static void bounded(void)
{
	for (unsigned i = 0; i < 6; i++) {
		const unsigned most = i < 3 ? 20 : 0;

		begin_case("long streams", i);
		pp_hold_open(&hold, i % 3, i % 3 == 2, NULL);
		held_bytes = n_copies = 0;
		for (uint32_t number = 0; number < 8000; number++) {
			hold_one(number, false);
			while (n_copies > most && i % 3)
				take_out(0);
			while (n_copies > most && i % 3 == 0)
				take_front();
		}
		/* 20 records of 64 KiB at most, and the chunks of the first and the last of them */
		CHECK(chunks() <= 20 * PP_RECORD_MAX / (CHUNK - PP_RECORD_MAX) + 3);
		pp_hold_close(&hold);
	}
}

/* What just fits is held there; for what does not there is another chunk. */
static void full_chunks(void)
{
	static uint8_t data[PP_RECORD_MAX];
	struct pp_record rec = { .data = data, .size = 1024 - sizeof(struct held) };

	for (unsigned more = 0; more < 3; more++) {
		const struct chunk *first;
		struct held *h;

		begin_case("full chunks", more);
		pp_hold_open(&hold, true, false, NULL);
		rec.size = 1024 - sizeof(struct held);
		first = chunk_of(hold_record(&hold, &rec, NULL));
		while (CHUNK - first->used > 4096)
			CHECK(chunk_of(hold_record(&hold, &rec, NULL)) == first);
		rec.size = (uint16_t)(CHUNK - first->used - sizeof(struct held) + more - 1);
		h = hold_record(&hold, &rec, NULL);
		CHECK((chunk_of(h) == first) == (more < 2) && first->used <= CHUNK);
		pp_hold_close(&hold);
	}
}

/* What a writer has borrowed is written before its memory is used again. */
static void borrowed(void)
{
	static struct { uint32_t seed, size; } put[300];
	static uint8_t data[PP_RECORD_MAX];

	for (unsigned i = 0; i < 6; i++) {
		const int out = memfd_create("out", MFD_CLOEXEC);
		struct pp_writer *const writer = pp_writer_open(out, PP_SEAL_NO);
		uint64_t at = PP_PIPE_HEADER;
		unsigned n = 0;

		begin_case("what is borrowed", i);
		CHECK(out >= 0 && writer && !pp_writer_header(writer, false, NULL));
		pp_hold_open(&hold, true, i % 2, writer);
		held_bytes = n_copies = 0;
		for (uint32_t number = 0; number < 300; number++) {
			hold_one(number, false);
			if (n_copies < (i < 2 ? 200 : 20))
				continue;
			put[n].seed = copies[0].seed;
			put[n++].size = copies[0].size;
			hold.borrowed = true;
			CHECK(!pp_writer_put(writer, bytes_of(copies[0].h), copies[0].size, NULL));
			take_out(0);
		}
		CHECK(!pp_writer_end(writer, 0, NULL));
		for (unsigned k = 0; k < n; at += put[k++].size) {
			CHECK(pread(out, data, put[k].size, (off_t)at) == put[k].size);
			CHECK(is_filled(data, put[k].seed, 0, put[k].size));
		}
		pp_hold_close(&hold);
		pp_writer_close(writer);
		close(out);
	}
}

/* ---- Tails ----------------------------------------------------------------------------------- */

static const uint64_t tails[] = {
	8, 16, 1000, INLINE_TAIL - 8, INLINE_TAIL, INLINE_TAIL + 8, 3 * INLINE_TAIL + 24, 0, 8,
	2 * INLINE_TAIL,
};
enum { TAILS = sizeof(tails) / sizeof(*tails) };

/* A stream of an event, and of AUXTRACE records with such tails. */
static struct pp_reader *open_stream(void)
{
	static const struct { char magic[8]; uint64_t size; } header = { "PERFILE2", PP_PIPE_HEADER };
	static uint8_t tail[4 * INLINE_TAIL];
	const int in = memfd_create("in", MFD_CLOEXEC);
	const struct event_record event = event_record((struct perf_event_attr){ .type = 1 });
	struct pp_reader *reader;
	char path[40];

	CHECK(in >= 0 && write(in, &header, sizeof(header)) == sizeof(header));
	CHECK(write(in, event.data, sizeof(event.data)) == sizeof(event.data));
	for (uint32_t i = 0; i < TAILS; i++) {
		uint8_t record[48] = { 0 };

		pp_store32(record, PP_REC_AUXTRACE);
		pp_store16(record + 6, sizeof(record));
		pp_store64(record + 8, tails[i]);
		fill(tail, i, tails[i]);
		CHECK(write(in, record, sizeof(record)) == sizeof(record));
		CHECK(write(in, tail, tails[i]) == (ssize_t)tails[i]);
	}
	sprintf(path, "/proc/self/fd/%d", in);
	reader = pp_reader_open(path, NULL, NULL);
	CHECK(reader);
	close(in);
	return reader;
}

static void look_at_tail(const struct copy *copy)
{
	const void *piece;
	uint64_t done = 0;
	size_t size;
	int got;

	if (!copy->tail)
		return;
	CHECK((tail_of(copy->h)->at != NEVER) == (copy->tail > INLINE_TAIL));
	while ((got = pp_hold_piece(&hold, tail_of(copy->h), done, &piece, &size, NULL)) > 0) {
		CHECK(size && size <= copy->tail - done && is_filled(piece, copy->seed, done, size));
		done += size;
	}
	CHECK(!got && done == copy->tail);
}

/* Their order is as they are needed; the file is empty when the last is gone. */
static void take_out_all(void)
{
	while (n_copies) {
		const unsigned i = below(n_copies);
		struct stat file;

		for (unsigned k = 0; k < n_copies; k++)
			look_at_tail(&copies[k]);
		held_bytes -= room_for(&copies[i]);
		if (copies[i].tail > INLINE_TAIL)
			pp_hold_unspill(&hold, tail_of(copies[i].h));
		release(&hold, copies[i].h);
		memmove(&copies[i], &copies[i + 1], (--n_copies - i) * sizeof(*copies));
		CHECK(hold.bytes == held_bytes);
		CHECK(hold.spilled || (!fstat(hold.spill.fd, &file) && !file.st_size));
	}
}

static void with_tails(void)
{
	for (unsigned i = 0; i < 12; i++) {
		struct pp_reader *const reader = open_stream();
		struct pp_record rec;
		struct pp_error error;

		begin_case("tails", i);
		pp_hold_open(&hold, true, i % 2, NULL);
		held_bytes = n_copies = 0;
		CHECK(pp_reader_next(reader, &rec, &error) == PP_MORE && rec.type == PP_REC_HEADER_ATTR);
		while (pp_reader_next(reader, &rec, &error) == PP_MORE) {
			struct copy *const copy = &copies[n_copies];

			*copy = (struct copy){ .seed = n_copies, .size = rec.size, .tail = rec.tail };
			CHECK(rec.tail == tails[n_copies++]);
			copy->h = hold_record(&hold, &rec, NULL);
			CHECK(copy->h && (!rec.tail || !pp_hold_tail(&hold, copy->h, reader, &error)));
			held_bytes += room_for(copy);
		}
		CHECK(n_copies == TAILS && hold.spilled == 3 && hold.bytes == held_bytes);
		take_out_all();
		pp_hold_close(&hold);
		pp_reader_close(reader);
	}
}

int main(void)
{
	make_pattern();
	records();
	bounded();
	full_chunks();
	borrowed();
	with_tails();
	return 0;
}
