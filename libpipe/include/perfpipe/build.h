/*
 * build.h - makes a record field by field: the walk, backwards.
 *
 * Fields are given in the order of their rows; those that are left out become zero, and lengths and
 * counts are filled in.  A failure sticks, and is reported at the end.  A stream of one record:
 *
 *	#include <perfpipe/build.h>
 *	#include <perfpipe/writer.h>
 *
 *	int main(void)
 *	{
 *		struct pp_error error;
 *		struct pp_writer *out = pp_writer_open(1, PP_SEAL_YES);
 *		struct pp_build b;
 *		unsigned char record[256];
 *		size_t size;
 *
 *		pp_build(&b, record, sizeof(record), PP_REC_COMM, 0, NULL);
 *		pp_build_u64(&b, "pid", 1);
 *		pp_build_u64(&b, "tid", 1);
 *		pp_build_text(&b, "comm", "init");
 *		size = pp_build_end(&b);
 *		if (!out || !size || pp_writer_header(out, true, &error) ||
 *		    pp_writer_put(out, record, size, &error) || pp_writer_end(out, 0, &error))
 *			return 4;
 *		pp_writer_close(out);
 *		return 0;
 *	}
 */
#ifndef PERFPIPE_BUILD_H
#define PERFPIPE_BUILD_H

#include <perfpipe/api.h>
#include <perfpipe/walk.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Builds one record field by field in the order of its rows.  Fields left out become zero
 * (empty where text).  Usage:
 *
 *	struct pp_build b;
 *	pp_build(&b, buf, sizeof(buf), PP_REC_COMM, 0, attr);
 *	pp_build_u64(&b, "pid", 1);
 *	pp_build_u64(&b, "tid", 1);
 *	pp_build_text(&b, "comm", "init");
 *	pp_build_trailer(&b, 1, 1, 0, 0, 0);      only where the event has one
 *	size = pp_build_end(&b);                  0: it does not fit, or a name is not of this type
 *
 * The header is filled in; all records except HEADER_FEATURE are padded with zeros to a multiple of
 * 8 (before the trailer).  A failure sticks and is reported by pp_build_end().  The members are
 * private; like a cursor it is a value on the caller's stack, since a record must not cost an
 * allocation, and its size is part of the ABI.
 */
struct pp_build {
	uint8_t *buf;
	size_t room, at;
	const struct pp_type *type;
	const struct pp_attr *attr;
	bool failed, trailed, padded;
	int depth;
	uint64_t reg[PP_R_COUNT];
	struct pp_build_frame {
		const struct pp_field *row;     /* the next to be written */
		size_t start;
		uint64_t limit;                 /* bytes the struct must have; 0: what its rows need */
		size_t span_at;                 /* where its size is to be stored; 0: nowhere */
		const struct pp_field *span;
		uint64_t done;                  /* elements of `row` written so far */
	} frame[PP_DEPTH];
};

PP_API void pp_build(struct pp_build *, void *buf, size_t room, uint32_t type, uint16_t misc,
		     const struct pp_attr *attr);
/* HEADER_FEATURE with this number; its payload's fields follow. */
PP_API void pp_build_feature(struct pp_build *, void *buf, size_t room, uint32_t feature);
PP_API void pp_build_u64(struct pp_build *, const char *name, uint64_t value);      /* any scalar */
/* CHARS STR STR8 LSTR */
PP_API void pp_build_text(struct pp_build *, const char *name, const char *text);
/* BYTES, an array of scalars in host order (size in bytes), or a whole struct's bytes. */
PP_API void pp_build_bytes(struct pp_build *, const char *name, const void *data, size_t size);
/* ONE: opens its struct.  LIST: opens its next element (call it again for each).  Close each. */
PP_API void pp_build_open(struct pp_build *, const char *name);
PP_API void pp_build_close(struct pp_build *);
/* The next text of a STRS list `name`. */
PP_API void pp_build_item(struct pp_build *, const char *name, const char *text);
/* The sample_id trailer as the event has it; nothing if it has none. */
PP_API void pp_build_trailer(struct pp_build *, uint32_t pid, uint32_t tid, uint64_t time,
			     uint64_t id,
			     uint32_t cpu);
/* Size of the finished record, or 0. */
PP_API size_t pp_build_end(struct pp_build *);

#ifdef __cplusplus
}
#endif

#endif
