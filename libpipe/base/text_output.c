/*
 * text_output.c - text into one large buffer, and from there to a descriptor; the formatting of single
 * values.
 */
#include <perfpipe/bytes.h>
#include <perfpipe/output.h>

#include "base/format_number.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	BUFFER = 512 * 1024,          /* at least twice what pp_out_room() may be asked for */
	PIPE   = 1024 * 1024,
	PIECE  = 16 * 1024,           /* text is escaped in pieces: at most 6 times as long */
};

const char pp_two_digits[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

#define HEX_ROW(h) \
	h "0" h "1" h "2" h "3" h "4" h "5" h "6" h "7" h "8" h "9" h "a" h "b" h "c" h "d" h "e" h "f"
const char pp_hex_pairs[513] =
	HEX_ROW("0") HEX_ROW("1") HEX_ROW("2") HEX_ROW("3") HEX_ROW("4") HEX_ROW("5") HEX_ROW("6")
	HEX_ROW("7") HEX_ROW("8") HEX_ROW("9") HEX_ROW("a") HEX_ROW("b") HEX_ROW("c") HEX_ROW("d")
	HEX_ROW("e") HEX_ROW("f");

int pp_out_open(struct pp_out *o, int fd)
{
	*o = (struct pp_out){ .fd = fd };
	o->buf = malloc(BUFFER);
	if (!o->buf)
		return -1;
	o->room = BUFFER;
	return 0;
}

void pp_enlarge_pipe(int fd)
{
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE);
}

bool pp_try_again(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	if (errno == EINTR)
		return true;
	if (errno != EAGAIN)
		return false;
	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

int pp_out_flush(struct pp_out *o)
{
	size_t done = 0;

	while (done < o->at && !o->os) {
		ssize_t n = write(o->fd, o->buf + done, o->at - done);

		if (n >= 0)
			done += (size_t)n;
		else if (!pp_try_again(o->fd, POLLOUT))
			o->os = errno;
	}
	o->at = 0;                    /* after a failure there is no place for more */
	return o->os ? -1 : 0;
}

int pp_out_close(struct pp_out *o)
{
	int failed = pp_out_flush(o);

	free(o->buf);
	o->buf = NULL;
	o->room = 0;
	return failed;
}

/* The same as pp_out_room(), without a call. */
static inline char *room(struct pp_out *o, size_t n)
{
	if (o->room - o->at < n)
		(void)pp_out_flush(o);
	return o->buf + o->at;
}

char *pp_out_room(struct pp_out *o, size_t n)
{
	return room(o, n);
}

/* What was written after pp_out_room() ends at `end`. */
static void took(struct pp_out *o, const char *end)
{
	o->at = (size_t)(end - o->buf);
}

void pp_out_bytes(struct pp_out *o, const void *data, size_t size)
{
	const char *p = data;

	if (size <= o->room - o->at) {
		memcpy(o->buf + o->at, p, size);
		o->at += size;
		return;
	}
	while (size) {
		size_t n = size < BUFFER / 2 ? size : BUFFER / 2;

		memcpy(room(o, n), p, n);
		o->at += n;
		p += n;
		size -= n;
	}
}

void pp_out_text(struct pp_out *o, const char *text)
{
	pp_out_bytes(o, text, strlen(text));
}

void pp_out_char(struct pp_out *o, char c)
{
	*room(o, 1) = c;
	o->at++;
}

void pp_out_dec(struct pp_out *o, uint64_t v)
{
	took(o, pp_put_dec(room(o, PP_DEC_MAX), v));
}

static inline void put_int(struct pp_out *o, int64_t v)
{
	char *const p = room(o, 1 + PP_DEC_MAX);

	*p = '-';
	took(o, pp_put_dec(p + (v < 0), v < 0 ? -(uint64_t)v : (uint64_t)v));
}

void pp_out_int(struct pp_out *o, int64_t v)
{
	put_int(o, v);
}

void pp_out_hex(struct pp_out *o, uint64_t v)
{
	took(o, pp_put_hex(room(o, PP_HEX_MAX), v));
}

void pp_out_hex_bytes(struct pp_out *o, const void *data, size_t size)
{
	const uint8_t *p = data;

	while (size) {
		size_t n = size < PIECE ? size : PIECE;

		took(o, pp_put_hex_bytes(room(o, 2 * n), p, n));
		p += n;
		size -= n;
	}
}

void pp_out_time(struct pp_out *o, uint64_t ns)
{
	took(o, pp_put_time(room(o, PP_TIME_MAX), ns));
}

void pp_out_blanks(struct pp_out *o, size_t n)
{
	enum { FEW = 64 };

	if (n <= FEW) {
		memset(room(o, FEW), ' ', FEW);       /* more than counts: no call */
		o->at += n;
		return;
	}
	while (n) {
		const size_t some = n < BUFFER / 2 ? n : BUFFER / 2;

		memset(room(o, some), ' ', some);
		o->at += some;
		n -= some;
	}
}

/* A caller may have set a locale. */
static void with_point(char *text)
{
	char *const comma = strchr(text, ',');

	if (comma)
		*comma = '.';
}

void pp_out_double(struct pp_out *o, double v)
{
	char text[40];

	/* most are whole */
	if (v > -1e15 && v < 1e15 && (double)(int64_t)v == v && (v < 0 || !signbit(v))) {
		put_int(o, (int64_t)v);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v || isnan(v))
			break;
	}
	with_point(text);
	pp_out_text(o, text);
}

/* The digits of a number, if it is so small, and so far from the middle between two such texts, that no
 * rounding of ours could be another than printf()'s.  Returns their end, or NULL. */
static char *put_fixed(char *to, double v, unsigned digits)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	double scaled, rest;
	uint32_t after;
	uint64_t n;

	if (digits >= sizeof(powers) / sizeof(powers[0]))
		return NULL;
	scaled = fabs(v) * powers[digits];
	if (!(scaled < 1e12))
		return NULL;
	n = (uint64_t)scaled;
	rest = scaled - (double)n;
	if (rest > 0.499 && rest < 0.501)
		return NULL;
	n += rest > 0.5;
	if (signbit(v))
		*to++ = '-';
	if (!digits)
		return pp_put_dec(to, n);
	to = pp_put_dec(to, n / powers[digits]);
	*to = '.';
	after = (uint32_t)(n % powers[digits]);
	for (unsigned i = digits; i; i--, after /= 10)
		to[i] = (char)('0' + after % 10);
	return to + 1 + digits;
}

size_t pp_fixed(char text[PP_FIXED_MOST], double v, unsigned digits)
{
	const char *const end = put_fixed(text, v, digits);

	if (end)
		return (size_t)(end - text);
	(void)snprintf(text, PP_FIXED_MOST, "%.*f", (int)(digits < 64 ? digits : 64), v);
	with_point(text);
	return strlen(text);
}

size_t pp_utf8(const char *text, size_t size)
{
	const uint8_t *p = (const uint8_t *)text;
	uint8_t low = 0x80, high = 0xbf;
	size_t n;

	if (!size)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		n = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		n = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (p[0] == 0xe0)
		low = 0xa0;           /* shorter forms exist */
	else if (p[0] == 0xed)
		high = 0x9f;          /* surrogates */
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;          /* beyond U+10FFFF */
	if (!pp_fits(n, size) || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

#define EACH_BYTE(c) ((uint64_t)(unsigned char)(c) * 0x0101010101010101)

/* Not 0 where one of 8 bytes is no printable ASCII, or is `a` or `b`. */
static inline uint64_t special_bytes(uint64_t x, char a, char b)
{
	const uint64_t is_a = x ^ EACH_BYTE(a), is_b = x ^ EACH_BYTE(b);

	return (((x - EACH_BYTE(' ')) & ~x) | (x + EACH_BYTE(1)) | x |
		((is_a - EACH_BYTE(1)) & ~is_a) | ((is_b - EACH_BYTE(1)) & ~is_b)) & EACH_BYTE(0x80);
}

/* Up to 8 bytes of a text in a word, some of them twice, and blanks. */
static inline uint64_t short_word(const char *text, size_t size)
{
	if (size >= 4)
		return pp_load32(text) | (uint64_t)pp_load32(text + size - 4) << 32;
	if (!size)
		return EACH_BYTE(' ');
	return EACH_BYTE(' ') << 24 | (uint64_t)(unsigned char)text[size - 1] << 16 |
	       (uint64_t)(unsigned char)text[size / 2] << 8 | (unsigned char)text[0];
}

/* Whether a text is printable ASCII without `a` and `b`. */
static inline bool is_ordinary(const char *text, size_t size, char a, char b)
{
	for (; size > 8; text += 8, size -= 8)
		if (special_bytes(pp_load64(text), a, b))
			return false;
	return !special_bytes(short_word(text, size), a, b);
}

bool pp_is_plain(const char *text, size_t size)
{
	return is_ordinary(text, size, '"', '\\');
}

bool pp_is_utf8(const char *text, size_t size)
{
	while (size) {
		size_t n = size >= 8 && !(pp_load64(text) & EACH_BYTE(0x80)) ? 8 : pp_utf8(text, size);

		if (!n)
			return false;
		text += n;
		size -= n;
	}
	return true;
}

static char *put_escape(char *p, unsigned char c)
{
	static const char letter[32] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r',
	};

	*p++ = '\\';
	if (c == '"' || c == '\\') {
		*p++ = (char)c;
	} else if (c < sizeof(letter) && letter[c]) {
		*p++ = letter[c];
	} else {
		memcpy(p, "u00", 3);
		memcpy(p + 3, pp_hex_pairs + 2 * (size_t)c, 2);
		p += 5;
	}
	return p;
}

/* Whether a character beyond ASCII is a command: U+0080 to U+009F, U+061C, U+200E, U+200F, U+2028 to
 * U+202E, or U+2066 to U+2069. */
static bool commands(const unsigned char *c)
{
	const bool marks = c[0] == 0xe2 && c[1] == 0x80 &&
			   (c[2] == 0x8e || c[2] == 0x8f || (c[2] >= 0xa8 && c[2] <= 0xae));
	const bool isolates = c[0] == 0xe2 && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9;

	return (c[0] == 0xc2 && c[1] < 0xa0) || (c[0] == 0xd8 && c[1] == 0x9c) || marks || isolates;
}

size_t pp_printable(const char *text, size_t size)
{
	const size_t n = pp_utf8(text, size);
	const unsigned char c = n ? (unsigned char)text[0] : 0;

	return c < ' ' || c == 0x7f || (n > 1 && commands((const unsigned char *)text)) ? 0 : n;
}

/* The character of two or three bytes. */
static char *put_escaped(char *p, const unsigned char *c)
{
	const unsigned code = c[0] < 0xe0 ? (c[0] & 0x1fu) << 6 | (c[1] & 0x3f) :
			      (c[0] & 0xfu) << 12 | (c[1] & 0x3fu) << 6 | (c[2] & 0x3f);

	memcpy(p, "\\u", 2);
	memcpy(p + 2, pp_hex_pairs + (size_t)2 * (code >> 8), 2);
	memcpy(p + 4, pp_hex_pairs + (size_t)2 * (code & 0xff), 2);
	return p + 6;
}

bool pp_out_json_string(struct pp_out *o, const char *text, size_t size)
{
	if (size <= PIECE && pp_is_plain(text, size)) {
		char *const p = room(o, size + 2);

		p[0] = p[size + 1] = '"';
		memcpy(p + 1, text, size);
		o->at += size + 2;
		return true;
	}
	if (!pp_is_utf8(text, size))
		return false;
	pp_out_char(o, '"');
	while (size) {
		size_t n = size < PIECE ? size : PIECE, length;
		char *p = room(o, 6 * n);

		for (size_t i = 0; i < n; i += length) {
			const unsigned char *const c = (const unsigned char *)text + i;

			length = 1;
			if (*c < ' ' || *c == '"' || *c == '\\' || *c == 0x7f) {
				p = put_escape(p, *c);
			} else if (*c >= 0xc2 && commands(c)) {
				p = put_escaped(p, c);
				length = *c < 0xe0 ? 2 : 3;
			} else {
				*p++ = (char)*c;
			}
			n = i + length > n ? i + length : n;
		}
		took(o, p);
		text += n;
		size -= n;
	}
	pp_out_char(o, '"');
	return true;
}

/* How many bytes of ASCII a text begins with that are shown as they are. */
static size_t printable_ascii(const char *text, size_t size)
{
	size_t n = 0;

	/* DEL is special in any case */
	while (size - n >= 8 && !special_bytes(pp_load64(text + n), 0x7f, 0x7f))
		n += 8;
	while (n < size && text[n] >= ' ' && text[n] <= '~')
		n++;
	return n;
}

void pp_out_printable(struct pp_out *o, const char *text, size_t size)
{
	if (size <= 64 && is_ordinary(text, size, 0x7f, 0x7f)) {
		pp_out_bytes(o, text, size);
		return;
	}
	for (;;) {
		size_t n = printable_ascii(text, size);
		char *p;

		pp_out_bytes(o, text, n);
		text += n;
		size -= n;
		if (!size)
			return;
		n = pp_printable(text, size);
		p = room(o, 16);
		if (n) {
			memcpy(p, text, n);
			p += n;
		} else {
			memcpy(p, "\\x", 2);
			memcpy(p + 2, pp_hex_pairs + 2 * (size_t)(unsigned char)*text, 2);
			p += 4;
			n = 1;
		}
		took(o, p);
		text += n;
		size -= n;
	}
}

void pp_out_csv_quoted(struct pp_out *o, const char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		const char *const quote = memchr(text + at, '"', size - at);
		const size_t n = quote ? (size_t)(quote - text) - at + 1 : size - at;

		pp_out_printable(o, text + at, n);
		pp_out_text(o, quote ? "\"" : "");
		at += n;
	}
}

bool pp_is_formula(const char *text, size_t size)
{
	const bool signs = size > 1 && (*text == '+' || *text == '-');
	size_t at = 1;

	/* a signed number is no formula */
	while (signs && at < size && ((text[at] >= '0' && text[at] <= '9') || text[at] == '.'))
		at++;
	return signs ? at < size : size && (*text == '=' || *text == '+' || *text == '-' || *text == '@');
}

void pp_out_csv(struct pp_out *o, const char *text, size_t size)
{
	bool quoted;

	if (!pp_is_formula(text, size) && is_ordinary(text, size, ',', '"')) {
		pp_out_bytes(o, text, size);
		return;
	}
	quoted = memchr(text, ',', size) || memchr(text, '"', size);
	pp_out_text(o, quoted ? "\"" : "");
	pp_out_text(o, pp_is_formula(text, size) ? "'" : "");
	pp_out_csv_quoted(o, text, size);
	pp_out_text(o, quoted ? "\"" : "");
}
