/* escape.c - text of others, safe in markup and in scripts. */
#include "export/flame_layout.h"

#include <perfpipe/output.h>

#include "base/format_number.h"

#include <string.h>

enum { LONGEST = 2048 };              /* bytes of a name that are shown */
static const char ellipsis[] = "\xe2\x80\xa6";

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

/* What stands for the character at `at`, of a text of `size` bytes: itself, or \xNN in `room`.  How many
 * bytes of the text it takes, and *length of what stands for it. */
static size_t shown(const char *text, size_t size, size_t at, const char *backslash, char room[8],
		    const char **piece, size_t *length)
{
	const size_t n = pp_printable(text + at, size - at);

	if (n && !is_nothing(text + at, n)) {
		*piece = text + at;
		*length = n;
		return n;
	}
	*piece = room;
	*length = strlen(backslash) + 3;
	memcpy(stpcpy(stpcpy(room, backslash), "x"), pp_hex_pairs + 2 * (size_t)(unsigned char)text[at], 2);
	return 1;
}

static void write_escaped(struct pp_out *out, const char *text, size_t size, escape_fn *escape)
{
	const char *const backslash = escape('\\') ? escape('\\') : "\\";
	const size_t most = size < LONGEST ? size : LONGEST;
	const char *piece;
	char room[8];
	size_t at = 0, length;

	while (at < most) {
		const char *const instead = escape(text[at]);
		const size_t n = shown(text, size, at, backslash, room, &piece, &length);

		if (instead)
			pp_out_text(out, instead);
		else
			pp_out_bytes(out, piece, length);
		at += n;
	}
	if (at < size)
		pp_out_text(out, ellipsis);
}

int pp_add_name(struct pp_buffer *to, const char *text, size_t size, struct pp_error *error)
{
	const size_t most = size < LONGEST ? size : LONGEST;
	const char *piece;
	char room[8];
	size_t at = 0, length;

	while (at < most) {
		at += shown(text, size, at, "\\", room, &piece, &length);
		if (pp_buffer_add(to, piece, length, error))
			return -1;
	}
	return at < size ? pp_buffer_add(to, ellipsis, strlen(ellipsis), error) : 0;
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
