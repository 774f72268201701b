/* format_number.h - numbers and bytes to text at a pointer, for text_output.c and the pens of text/: room
 * is theirs. */
#ifndef PP_FORMAT_NUMBER_H
#define PP_FORMAT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PP_DEC_MAX = 24, PP_HEX_MAX = 24, PP_TIME_MAX = 24 };   /* bytes that each may touch */

extern const char pp_two_digits[201];         /* "000102...99" */
extern const char pp_hex_pairs[513];          /* "000102...ff" */

/* Whether readers that take all numbers for doubles have it as it is. */
static inline bool pp_is_exact(uint64_t value)
{
	return !(value >> 53);
}

/* Bytes of the UTF-8 character at `text`, or 0 where there is none. */
size_t pp_utf8(const char *text, size_t size);
/* Whether a spreadsheet takes a cell of this text for a formula, which may start programs. */
bool pp_is_formula(const char *text, size_t size);
/* Whether all of it is UTF-8. */
bool pp_is_utf8(const char *text, size_t size);
/* Whether it is ASCII that is written as it is in JSON and in our quotes: no escapes needed. */
bool pp_is_plain(const char *text, size_t size);

/* Exactly 4 digits. */
static inline char *pp_put_4(char *p, uint32_t v)
{
	memcpy(p, pp_two_digits + (size_t)(v / 100) * 2, 2);
	memcpy(p + 2, pp_two_digits + (size_t)(v % 100) * 2, 2);
	return p + 4;
}

/* Exactly 8 digits. */
static inline char *pp_put_8(char *p, uint32_t v)
{
	p = pp_put_4(p, v / 10000);
	return pp_put_4(p, v % 10000);
}

/* The eight digits of a number below 10^8, a byte each, the first in the lowest one. */
static inline uint64_t pp_digits_word(uint32_t v)
{
	uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, tens;

	/* each part is divided where it is: by 100, and by 10 */
	tens = (x * 10486 >> 20) & 0x0000007f0000007f;
	x = tens | (x - 100 * tens) << 16;
	tens = (x * 103 >> 10) & 0x000f000f000f000f;
	return tens | (x - 10 * tens) << 8;
}
#define PP_ZERO_DIGITS UINT64_C(0x3030303030303030)

/* Eight bytes of text, the first in the lowest one. */
static inline void pp_put_word(char *p, uint64_t text)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	text = __builtin_bswap64(text);
#endif
	memcpy(p, &text, sizeof(text));
}

/* Below 10^8, without leading zeros. */
static inline char *pp_put_short(char *p, uint32_t v)
{
	uint64_t digits;
	unsigned zeros;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	/* no branch by their number, which no processor foresees */
	digits = pp_digits_word(v);
	zeros = (unsigned)__builtin_ctzll(digits) / 8;
	pp_put_word(p, (digits | PP_ZERO_DIGITS) >> 8 * zeros);
	return p + 8 - zeros;
}

/* "18446744073709551615" */
static inline char *pp_put_dec(char *p, uint64_t v)
{
	const uint64_t e8 = 100000000;

	if (v < e8)
		return pp_put_short(p, (uint32_t)v);
	if (v < e8 * e8) {
		p = pp_put_short(p, (uint32_t)(v / e8));
		return pp_put_8(p, (uint32_t)(v % e8));
	}
	p = pp_put_short(p, (uint32_t)(v / (e8 * e8)));
	v %= e8 * e8;
	p = pp_put_8(p, (uint32_t)(v / e8));
	return pp_put_8(p, (uint32_t)(v % e8));
}

/* "12.345678901": seconds with nine digits after the point. */
static inline char *pp_put_time(char *p, uint64_t ns)
{
	uint32_t rest = (uint32_t)(ns % 1000000000);

	p = pp_put_dec(p, ns / 1000000000);
	*p++ = '.';
	*p++ = (char)('0' + rest / 100000000);
	return pp_put_8(p, rest % 100000000);
}

/* The eight digits of 32 bits, most significant first, in a word that is stored as it is. */
static inline uint64_t pp_hex_word(uint32_t v)
{
	uint64_t x = v, letters;

	/* Spread the nibbles, one a byte, the first digit lowest in memory. */
	x = (x & 0xffff) << 32 | x >> 16;
	x = (x & 0x000000ff000000ff) << 16 | (x & 0x0000ff000000ff00) >> 8;
	x = (x & 0x000f000f000f000f) << 8 | (x & 0x00f000f000f000f0) >> 4;
	/* 6 carries a digit above 9 into the next nibble: 'a' is 39 after '9' + 1. */
	letters = (x + 0x0606060606060606) >> 4 & 0x0101010101010101;
	x += 0x3030303030303030 + letters * 39;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return x;
}

/* "0x1f" */
static inline char *pp_put_hex(char *p, uint64_t v)
{
	char digits[32] = { 0 };
	uint64_t w = pp_hex_word((uint32_t)(v >> 32));
	unsigned zeros = (unsigned)__builtin_clzll(v | 1) / 4;

	memcpy(digits, &w, 8);
	w = pp_hex_word((uint32_t)v);
	memcpy(digits + 8, &w, 8);
	memcpy(p, "0x", 2);
	memcpy(p + 2, digits + zeros, 16);    /* more than counts: no loop, no length */
	return p + 2 + 16 - zeros;
}

/* "00ff", in the order of memory. */
static inline char *pp_put_hex_bytes(char *p, const uint8_t *data, size_t size)
{
	for (; size >= 4; size -= 4, data += 4, p += 8) {
		uint32_t v;
		uint64_t w;

		memcpy(&v, data, 4);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		v = __builtin_bswap32(v);
#endif
		w = pp_hex_word(v);
		memcpy(p, &w, 8);
	}
	for (; size; size--, data++, p += 2)
		memcpy(p, pp_hex_pairs + 2 * (size_t)*data, 2);
	return p;
}

/* The greatest number of which both are multiples; of 0 and another, that. */
static inline uint64_t pp_common_part(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

#endif
