/* parser.c - pieces of the words after -e, and mistakes in them. */
#include "attr/parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int pp_words_fail(struct pp_parser *w, const char *at, const char *format, ...)
{
	char text[sizeof(w->error->detail)];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	w->at = at;
	return pp_fail(w->error, PP_E_USE, "%s", text);
}

int pp_words_no_memory(struct pp_parser *w)
{
	return pp_fail(w->error, PP_E_NOMEM, NULL);
}

bool pp_piece_text(struct pp_slice piece, char *text, size_t size)
{
	const size_t n = (size_t)(piece.end - piece.at);
	const size_t fits = n < size ? n : size - 1;

	memcpy(text, piece.at, fits);
	text[fits] = '\0';
	return n < size;
}

struct pp_slice pp_piece_trim(struct pp_slice piece)
{
	while (piece.at < piece.end && isspace((unsigned char)*piece.at))
		piece.at++;
	while (piece.end > piece.at && isspace((unsigned char)piece.end[-1]))
		piece.end--;
	return piece;
}

struct pp_event *pp_words_event(struct pp_parser *w, struct pp_slice name)
{
	char *const text = strndup(name.at, (size_t)(name.end - name.at));
	struct pp_event *const e = text ? pp_events_append(w->events, text, w->error) : NULL;

	if (!text)
		(void)pp_words_no_memory(w);
	free(text);
	/* As for perf: who wants guests asks for them. */
	if (e)
		e->attr.exclude_guest = 1;
	return e;
}
