/* escape.c - text of others, safe in markup and in scripts. */
#include "export/flame_layout.h"

#include <perfpipe/output.h>

#include "base/format_number.h"

#include <string.h>

enum { LONGEST = 2048 };              /* bytes of a name that are shown */

/* What a character is written as that means something where it is written; NULL: as it is. */
typedef const char *escape_fn(char);

static const char *in_markup(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

/* In JSON that stands in a <script>, which a '<' could end. */
static const char *in_script(char c)
{
	switch (c) {
	case '"': return "\\\"";
	case '\\': return "\\\\";
	case '<': return "\\u003c";
	default: return NULL;
	}
}

/* U+FFFE and U+FFFF, which XML may not contain. */
static bool is_nothing(const char *text, size_t size)
{
	return size == 3 && !memcmp(text, "\xef\xbf", 2) && (unsigned char)text[2] >= 0xbe;
}

static void write_escaped(struct pp_out *out, const char *text, size_t size, escape_fn *escape)
{
	const char *const backslash = escape('\\') ? escape('\\') : "\\";
	const size_t most = size < LONGEST ? size : LONGEST;
	size_t at = 0, n;

	for (; at < most; at += n ? n : 1) {
		const char *const instead = escape(text[at]);

		n = pp_printable(text + at, size - at);
		if (!n || is_nothing(text + at, n)) {
			pp_out_text(out, backslash);
			pp_out_char(out, 'x');
			pp_out_bytes(out, pp_hex_pairs + 2 * (size_t)(unsigned char)text[at], 2);
			n = 1;
		} else if (instead) {
			pp_out_text(out, instead);
		} else {
			pp_out_bytes(out, text + at, n);
		}
	}
	if (at < size)
		pp_out_text(out, "\xe2\x80\xa6");
}

void pp_write_markup(struct pp_out *out, const char *text, size_t size)
{
	write_escaped(out, text, size, in_markup);
}

void pp_write_json(struct pp_out *out, const char *text, size_t size)
{
	pp_out_char(out, '"');
	write_escaped(out, text, size, in_script);
	pp_out_char(out, '"');
}
