/* protobuf.h - messages of protocol buffers, field after field. */
#ifndef EXCHANGE_PROTOBUF_H
#define EXCHANGE_PROTOBUF_H

#include "base/array.h"

/* A message that is being made; all zero is empty.  That there was no memory is remembered, so that it need
 * be asked once. */
struct pp_protobuf {
	struct pp_buffer bytes;
	bool failed;
};

static inline void pp_protobuf_clear(struct pp_protobuf *m)
{
	m->bytes.size = 0;
}
void pp_protobuf_free(struct pp_protobuf *);
/* Add a field: a number, which is left out if it is 0 (proto3), as one of any integer type but sint;
 * bytes, text, or a message. */
void pp_protobuf_number(struct pp_protobuf *, unsigned field, uint64_t);
void pp_protobuf_bytes(struct pp_protobuf *, unsigned field, const void *, size_t);
void pp_protobuf_message(struct pp_protobuf *, unsigned field, const struct pp_protobuf *);
/* Adds a number alone: of those that are packed into the bytes of a field. */
void pp_protobuf_long(struct pp_protobuf *, uint64_t);
static inline void pp_protobuf_packed(struct pp_protobuf *m, uint64_t v)
{
	/* most are short */
	if (v < 1 << 14 && m->bytes.room - m->bytes.size >= 2) {
		m->bytes.data[m->bytes.size++] = (uint8_t)(v < 0x80 ? v : v | 0x80);
		if (v >= 0x80)
			m->bytes.data[m->bytes.size++] = (uint8_t)(v >> 7);
	} else {
		pp_protobuf_long(m, v);
	}
}

#endif
