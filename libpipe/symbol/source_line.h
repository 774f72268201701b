/* source_line.h - what the line of an address is called where it is shown: one rule for all that show it. */
#ifndef PP_SOURCE_LINE_H
#define PP_SOURCE_LINE_H

#include <perfpipe/symbol.h>

#include <stdio.h>
#include <string.h>

/* The last part of a path. */
static inline const char *pp_source_base(const char *file)
{
	const char *const slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/*
 * "FILE:LINE" of a frame of a place; or what perf has in its stead: "SYMBOL+BYTES", "DSO[OFFSET]", where
 * `dso` is what its file is called, or NULL, or "??:0".  *text, which the caller frees, and its length, or
 * -1: no memory.
 */
static inline int pp_source_line(const struct pp_location *at, size_t frame, const char *dso, char **text)
{
	const struct pp_named_frame *const f = frame < at->count ? &at->frames[frame] : NULL;
	const struct pp_named_frame *const last = at->count ? &at->frames[at->count - 1] : NULL;

	if (f && *f->file)
		return asprintf(text, "%s:%u", pp_source_base(f->file), f->line);
	if (last && *last->symbol)
		return asprintf(text, "%s+%llu", last->symbol, (unsigned long long)at->into);
	if (dso)
		return asprintf(text, "%s[%llx]", dso, (unsigned long long)at->offset);
	return asprintf(text, "??:0");
}

#endif
