/* protobuf.c - messages of protocol buffers (https://protobuf.dev/programming-guides/encoding), in memory. */
#include "exchange/protobuf.h"

#include "base/varint.h"

#include <string.h>

enum { VARINT = 0, LENGTH = 2 };

/* Room for two numbers, and `more` bytes; NULL: there is none. */
static uint8_t *message_room(struct pp_protobuf *m, size_t more)
{
	uint8_t *const room = pp_buffer_room(&m->bytes, 2 * PP_VARINT_MOST + more, NULL);

	m->failed |= !room;
	return room;
}

static void end_at(struct pp_protobuf *m, const uint8_t *end)
{
	m->bytes.size = (size_t)(end - m->bytes.data);
}

void pp_protobuf_long(struct pp_protobuf *m, uint64_t v)
{
	uint8_t *const room = message_room(m, 0);

	if (room)
		end_at(m, pp_put_varint(room, v));
}

void pp_protobuf_number(struct pp_protobuf *m, unsigned field, uint64_t v)
{
	uint8_t *const room = v ? message_room(m, 0) : NULL;

	if (room)
		end_at(m, pp_put_varint(pp_put_varint(room, (uint64_t)field << 3 | VARINT), v));
}

void pp_protobuf_bytes(struct pp_protobuf *m, unsigned field, const void *bytes, size_t n)
{
	uint8_t *to = message_room(m, n);

	if (!to)
		return;
	to = pp_put_varint(pp_put_varint(to, (uint64_t)field << 3 | LENGTH), n);
	if (n)
		memcpy(to, bytes, n);
	end_at(m, to + n);
}

void pp_protobuf_message(struct pp_protobuf *m, unsigned field, const struct pp_protobuf *nested)
{
	m->failed |= nested->failed;
	pp_protobuf_bytes(m, field, nested->bytes.data, nested->bytes.size);
}

void pp_protobuf_free(struct pp_protobuf *m)
{
	pp_buffer_free(&m->bytes);
}
