/*
 * deflate_columns.c - raw deflate (RFC 1951) of columns of numbers, each in the way that suits it: with care
 * for what was there before; fast (deflater.h), which takes a part of the time; or stored as they are.  Each
 * has to gain something over the next.
 * A thread may deflate the second half of many bytes meanwhile; what they become is the same without it.
 */
#include "export/deflate_columns.h"

#include "base/quiet_thread.h"
#include "export/deflater.h"

#include <string.h>
#include <zlib.h>

enum {
	SAMPLE = 1 << 15,             /* bytes of a column on which all ways are tried */
	MANY = 1 << 20,               /* bytes that are worth a thread */
};

enum deflate_way { MATCHES, FAST, AS_THEY_ARE, WAYS };

/* Columns that follow each other, and what is made of them. */
struct deflate_part {
	const struct pp_buffer *columns;
	size_t n, most;
	z_stream z[WAYS];             /* but of FAST */
	unsigned ready;
	struct pp_deflater *fast;
	struct pp_buffer *to;
	int status;
	struct pp_error error;
};

/* What so many bytes become at most, of zlib; or mostly, where there is to be room to spare. */
static size_t bound_of(z_stream *z, size_t n)
{
	return deflateBound(z, n) + 16;
}

static size_t fast_bound(size_t n)
{
	return n + n / 8 + 1024;
}

/* Adds some bytes, which end at a full one. */
static int add_careful(z_stream *z, uint8_t *bytes, size_t n, size_t most, struct pp_buffer *to,
		       struct pp_error *error)
{
	const size_t bound = bound_of(z, n), left = most - to->size + 1;
	const size_t room = bound < left ? bound : left;
	int status;

	if (deflateReset(z) != Z_OK)
		return pp_fail(error, PP_E_NOMEM, NULL);
	z->next_out = pp_buffer_room(to, room, error);
	if (!z->next_out)
		return -1;
	z->avail_out = (uInt)room;
	z->next_in = bytes;
	z->avail_in = (uInt)n;
	status = deflate(z, Z_SYNC_FLUSH);
	to->size += room - z->avail_out;
	return status == Z_OK || status == Z_BUF_ERROR ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

/* The same, as long as there are no more than `most` then. */
static int add_fast(struct pp_deflater *fast, const uint8_t *bytes, size_t n, size_t most,
		    struct pp_buffer *to, struct pp_error *error)
{
	struct pp_deflating some = { .in = bytes, .n = n };
	bool more = true;

	pp_deflater_reset(fast);
	while (more && to->size <= most) {
		const size_t bound = fast_bound(some.n), left = most - to->size + 1;
		const size_t room = bound < left ? bound : left;

		some.out = pp_buffer_room(to, room, error);
		if (!some.out)
			return -1;
		some.room = room;
		more = pp_deflate(fast, &some, PP_DEFLATE_FLUSH);
		to->size += room - some.room;
	}
	return 0;
}

static int add_bytes(struct deflate_part *part, enum deflate_way way, uint8_t *bytes, size_t n, size_t most)
{
	if (n > UINT32_MAX / 2)
		return pp_fail(&part->error, PP_E_NOMEM, NULL);
	return way == FAST ? add_fast(part->fast, bytes, n, most, part->to, &part->error) :
			     add_careful(&part->z[way], bytes, n, most, part->to, &part->error);
}

/* Each way has to make the middle of a column smaller, by a part that is worth the time, than the next. */
static int choose_way(struct deflate_part *part, const struct pp_buffer *column, enum deflate_way *way)
{
	const size_t before = part->to->size;
	size_t sizes[WAYS];

	*way = MATCHES;
	if (column->size < 2 * SAMPLE)
		return 0;
	for (unsigned i = 0; i < WAYS; i++) {
		if (add_bytes(part, i, column->data + column->size / 2, SAMPLE, SIZE_MAX / 2))
			return -1;
		sizes[i] = part->to->size - before;
		part->to->size = before;
	}
	for (*way = MATCHES; *way < AS_THEY_ARE; ++*way)
		if (sizes[*way] < sizes[*way + 1] - sizes[*way + 1] / 32)
			break;
	return 0;
}

static int add_columns(struct deflate_part *part)
{
	enum deflate_way way;

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
	static const int levels[WAYS] = { [MATCHES] = 4, [AS_THEY_ARE] = Z_NO_COMPRESSION };
	size_t room = 0;

	part->fast = pp_deflater_new(false);
	if (!part->fast)
		return pp_fail(error, PP_E_NOMEM, NULL);
	for (; part->ready < WAYS; part->ready++)
		if (part->ready != FAST &&
		    deflateInit2(&part->z[part->ready], levels[part->ready], Z_DEFLATED, -MAX_WBITS,
				 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
			return pp_fail(error, PP_E_NOMEM, NULL);
	for (size_t i = 0; i < part->n; i++)
		room += bound_of(part->z, part->columns[i].size) + fast_bound(part->columns[i].size);
	room = (room < part->most ? room : part->most) + bound_of(part->z, SAMPLE) + fast_bound(SAMPLE);
	return pp_buffer_room(part->to, room, error) ? 0 : -1;
}

static void close_part(struct deflate_part *part)
{
	while (part->ready)
		if (--part->ready != FAST)
			(void)deflateEnd(&part->z[part->ready]);
	pp_deflater_free(part->fast);
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
