/* deflater.h - deflate (RFC 1951), with care or fast. */
#ifndef PP_DEFLATER_H
#define PP_DEFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ISA-L does what is to be fast where it is installed: it takes a quarter of the time of zlib's level 1, for
 * as many bytes.  Without it zlib does.  What is read back is the same.
 */
enum pp_deflate_kind {
	PP_DEFLATE_GZIP,              /* fast, as a file (RFC 1952) without a name and a time */
	PP_DEFLATE_FAST,              /* by zlib without matches */
	PP_DEFLATE_NEAR,              /* fast, with near matches alone: a short one from far away takes more
				       * bytes than it saves */
	PP_DEFLATE_CAREFUL,           /* zlib's level 4 */
	PP_DEFLATE_STORED,            /* the bytes as they are */
	PP_DEFLATE_KINDS
};

/* Loads ISA-L now; without this call it is loaded when it is first needed. */
void pp_deflater_load(void);
/* NULL: no memory. */
struct pp_deflater *pp_deflater_new(enum pp_deflate_kind);
void pp_deflater_free(struct pp_deflater *);            /* NULL is fine */
/* Begins anew, after pp_deflate() with PP_DEFLATE_FLUSH. */
void pp_deflater_reset(struct pp_deflater *);

/* Bytes that wait, less than 2 GiB, and room for what they become: at least 64 bytes, as each call
 * adds some to what is flushed. */
struct pp_deflating {
	const uint8_t *in;
	size_t n;
	uint8_t *out;
	size_t room;
};
enum pp_deflate_until {
	PP_DEFLATE_TAKEN,             /* all is taken; some of it may yet have to come out */
	PP_DEFLATE_FLUSH,             /* it has come out, to a whole byte, and could be read */
	PP_DEFLATE_END,               /* and the stream has ended */
};
/* Takes bytes and fills room, until then: false; or until the room is used up: true, and it is to be called
 * again with more. */
bool pp_deflate(struct pp_deflater *, struct pp_deflating *, enum pp_deflate_until);

#endif
