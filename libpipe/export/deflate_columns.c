/*
 * deflate_columns.c - raw deflate (RFC 1951) of columns of numbers, each in the way that suits it: with care;
 * fast, which takes a part of the time, with all matches or those that are near; or stored as they are.  Each
 * has to gain something over those after it.
 * A thread may deflate the second half of many bytes meanwhile; what they become is the same without it.
 */
#include "export/deflate_columns.h"

#include "base/quiet_thread.h"
#include "export/deflater.h"

enum {
	SAMPLE = 1 << 15,             /* bytes of a column on which all ways are tried */
	MANY = 1 << 20,               /* bytes that are worth a thread */
};

enum { CAREFUL, FAST, NEAR, STORED, WAYS };

/* Columns that follow each other, and what is made of them. */
struct deflate_part {
	const struct pp_buffer *columns;
	size_t n, most;
	struct pp_deflater *by[WAYS];
	struct pp_buffer *to;
	int status;
	struct pp_error error;
};

/* Room for what n bytes mostly become. */
static size_t bound_of(size_t n)
{
	return n + n / 6 + 1024;
}

/* Adds some bytes, which end at a full one, as long as there are no more than `most` then. */
static int add_bytes(struct deflate_part *part, unsigned way, const uint8_t *bytes, size_t n, size_t most)
{
	struct pp_deflating some = { .in = bytes, .n = n };
	struct pp_buffer *const to = part->to;
	bool more = true;

	if (n > UINT32_MAX / 2)
		return pp_fail(&part->error, PP_E_NOMEM, NULL);
	pp_deflater_reset(part->by[way]);
	while (more && to->size <= most) {
		const size_t bound = bound_of(some.n), left = most - to->size + 64;
		const size_t room = bound < left ? bound : left;

		some.out = pp_buffer_room(to, room, &part->error);
		if (!some.out)
			return -1;
		some.room = room;
		more = pp_deflate(part->by[way], &some, PP_DEFLATE_FLUSH);
		to->size += room - some.room;
	}
	return 0;
}

/* A way that takes more time than another has to make the middle of a column smaller by 1/32 at least. */
static int choose_way(struct deflate_part *part, const struct pp_buffer *column, unsigned *way)
{
	const size_t before = part->to->size;
	size_t sizes[WAYS];

	*way = CAREFUL;
	if (column->size < 2 * SAMPLE)
		return 0;
	for (unsigned i = 0; i < WAYS; i++) {
		if (add_bytes(part, i, column->data + column->size / 2, SAMPLE, SIZE_MAX / 2))
			return -1;
		sizes[i] = part->to->size - before;
		part->to->size = before;
	}
	*way = STORED;
	for (unsigned i = STORED; i-- > CAREFUL;)
		if (sizes[i] < sizes[*way] - sizes[*way] / 32)
			*way = i;
	return 0;
}

static int add_columns(struct deflate_part *part)
{
	unsigned way;

	for (const struct pp_buffer *c = part->columns; c < part->columns + part->n; c++)
		if (c->size && part->to->size <= part->most &&
		    (choose_way(part, c, &way) || add_bytes(part, way, c->data, c->size, part->most)))
			return -1;
	return 0;
}

static void *deflate_part(void *arg)
{
	struct deflate_part *const part = arg;

	part->status = add_columns(part);
	return NULL;
}

/* With all memory that it needs, so that no thread asks for any. */
static int open_part(struct deflate_part *part, struct pp_error *error)
{
	static const enum pp_deflate_kind kinds[WAYS] = {
		[CAREFUL] = PP_DEFLATE_CAREFUL, [FAST] = PP_DEFLATE_FAST, [NEAR] = PP_DEFLATE_NEAR,
		[STORED] = PP_DEFLATE_STORED,
	};
	size_t room = 0;

	for (unsigned i = 0; i < WAYS; i++)
		if (!(part->by[i] = pp_deflater_new(kinds[i])))
			return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < part->n; i++)
		room += bound_of(part->columns[i].size);
	room = (room < part->most ? room : part->most) + bound_of(SAMPLE);
	return pp_buffer_room(part->to, room, error) ? 0 : -1;
}

static void close_part(struct deflate_part *part)
{
	for (unsigned i = 0; i < WAYS; i++)
		pp_deflater_free(part->by[i]);
}

/* How many columns have half of the bytes; all, unless there are many. */
static size_t half_of(const struct pp_buffer *columns, size_t n)
{
	size_t all = 0, some = 0, half = 0;

	for (size_t i = 0; i < n; i++)
		all += columns[i].size;
	while (half < n && (some < all / 2 || all < MANY))
		some += columns[half++].size;
	return half;
}

/* Where no thread can be made, one part after the other. */
static int deflate_both(struct deflate_part parts[2], struct pp_error *error)
{
	pthread_t thread;
	const bool apart = parts[1].n && !pp_quiet_thread(&thread, NULL, deflate_part, &parts[1]);

	(void)deflate_part(&parts[0]);
	if (apart)
		(void)pthread_join(thread, NULL);
	else
		(void)deflate_part(&parts[1]);
	for (unsigned i = 0; i < 2; i++)
		if (parts[i].status) {
			*error = parts[i].error;
			return -1;
		}
	return pp_buffer_add(parts[0].to, parts[1].to->data, parts[1].to->size, error);
}

int pp_deflate_columns(const struct pp_buffer *columns, size_t n, size_t most, bool apart,
		       struct pp_buffer *to, struct pp_error *error)
{
	static const uint8_t end[] = { 3, 0 };  /* a last block of nothing */
	const size_t half = apart ? half_of(columns, n) : n;
	struct pp_buffer rest = { .data = NULL };
	struct deflate_part parts[] = {
		{ .columns = columns, .n = half, .most = most, .to = to },
		{ .columns = columns + half, .n = n - half, .most = most, .to = &rest },
	};
	int status;

	to->size = 0;
	status = open_part(&parts[0], error) || (half < n && open_part(&parts[1], error)) ||
		 deflate_both(parts, error) ? -1 : 0;
	close_part(&parts[0]);
	close_part(&parts[1]);
	pp_buffer_free(&rest);
	return status ? status : pp_buffer_add(to, end, sizeof(end), error);
}
