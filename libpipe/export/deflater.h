/* deflater.h - deflate (RFC 1951), where speed counts more than the last percent. */
#ifndef PP_DEFLATER_H
#define PP_DEFLATER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * By ISA-L where it is installed, which takes a quarter of the time that zlib's level 1 does, for as many
 * bytes; else by zlib.  What is read back is the same.  A gzip file (RFC 1952; no name and no time are in it)
 * is zlib's level 1 then, and raw deflate has no matches.  NULL: no memory.
 */
struct pp_deflater *pp_deflater_new(bool gzip);
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
