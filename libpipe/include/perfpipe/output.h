/* output.h - text into one large buffer, without stdio. */
#ifndef PERFPIPE_OUTPUT_H
#define PERFPIPE_OUTPUT_H

#include <perfpipe/api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_out {
	int fd;
	int os;                       /* first errno of a failed write, 0 while healthy */
	char *buf;
	size_t at, room;
};
/* After a read or write that failed: whether to try again.  A non-blocking descriptor is waited
 * for: `events` is POLLIN or POLLOUT. */
PP_API bool pp_try_again(int fd, short events);
/* Makes a pipe larger, up to 1 MiB if the system allows: its two ends switch less often.  Whatever
 * else the descriptor is stays as it is. */
PP_API void pp_enlarge_pipe(int fd);
PP_API PP_MUST_CHECK int pp_out_open(struct pp_out *, int fd);       /* 0, or -1: out of memory */
/* Makes sure that there are `n` free bytes and returns where they start; never NULL (n <= 256
 * KiB). */
PP_API char *pp_out_room(struct pp_out *, size_t n);
PP_API void pp_out_bytes(struct pp_out *, const void *, size_t);
PP_API void pp_out_text(struct pp_out *, const char *);
PP_API void pp_out_char(struct pp_out *, char);
PP_API void pp_out_dec(struct pp_out *, uint64_t);
PP_API void pp_out_int(struct pp_out *, int64_t);
PP_API void pp_out_hex(struct pp_out *, uint64_t);                     /* "0x1f" */
PP_API void pp_out_hex_bytes(struct pp_out *, const void *, size_t);   /* "00ff" */
PP_API void pp_out_time(struct pp_out *, uint64_t ns);                 /* "12.345678901" */
/* Shortest that reads back */
PP_API void pp_out_double(struct pp_out *, double);
PP_API void pp_out_blanks(struct pp_out *, size_t n);
/* A text with so many digits after the point, at most 64, as printf() makes it in the C locale, and its
 * length.  No end is marked. */
#define PP_FIXED_MOST 400
PP_API size_t pp_fixed(char text[PP_FIXED_MOST], double, unsigned digits);
/* "text" with JSON escapes, also of what is not printable; false and nothing written if it is not
 * UTF-8. */
PP_API bool pp_out_json_string(struct pp_out *, const char *, size_t);
/* Bytes of the character that `text`, of `size` bytes, begins with; 0 where there is none of UTF-8, or a
 * control character, those of two bytes (U+0080 to U+009F) too, which a terminal obeys; or one that changes
 * the direction of text or ends a line (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069), so that
 * a name would look like another.  It needs no more than PP_CHARACTER_MOST bytes. */
#define PP_CHARACTER_MOST 4
PP_API size_t pp_printable(const char *text, size_t size);
/* Any text made printable: control characters and bytes that are not UTF-8 as \xNN. */
PP_API void pp_out_printable(struct pp_out *, const char *, size_t);
/* A cell of CSV as in RFC 4180, printable, in quotes where it needs them; a ' precedes a text that a
 * spreadsheet would take for a formula (it begins with =, +, - or @, and is no number).  And a part of a cell
 * whose quotes the caller writes. */
PP_API void pp_out_csv(struct pp_out *, const char *, size_t);
PP_API void pp_out_csv_quoted(struct pp_out *, const char *, size_t);
PP_API int pp_out_flush(struct pp_out *);              /* 0, or -1 and ->os */
PP_API int pp_out_close(struct pp_out *);              /* flushes and frees; does not close fd */

/*
 * JSON, value after value: { .out = out } begins.  `name` is that of a member, of characters that
 * need no escapes, or NULL in an array and for the outermost value.  Numbers beyond 2^53-1, which
 * many readers would round, are written as text.
 */
struct pp_json {
	struct pp_out *out;
	bool more;                    /* a comma is due before the next */
};
PP_API void pp_json_open(struct pp_json *, const char *name, char bracket);    /* '{' or '[' */
PP_API void pp_json_close(struct pp_json *, char bracket);                     /* '}' or ']' */
/* The name alone: the value is written by the caller. */
PP_API void pp_json_key(struct pp_json *, const char *name);
PP_API void pp_json_number(struct pp_json *, const char *name, uint64_t);
PP_API void pp_json_int(struct pp_json *, const char *name, int64_t);
PP_API void pp_json_hex(struct pp_json *, const char *name, uint64_t);         /* "0x1f" */
PP_API void pp_json_bytes(struct pp_json *, const char *name, const void *, size_t size); /* "00ff" */
/* False, and nothing written: it is not UTF-8. */
PP_API bool pp_json_text(struct pp_json *, const char *name, const char *, size_t length);

#ifdef __cplusplus
}
#endif

#endif
