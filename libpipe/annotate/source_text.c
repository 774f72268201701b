/* source_text.c - the lines of a source: read as a whole, one file at a time. */
#include "annotate/annotate_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_reader.h"

enum { SOURCE_MOST = 64 << 20 };

void pp_source_text_free(struct pp_source_text *t)
{
	free(t->file);
	free(t->bytes);
	free(t->starts);
	*t = (struct pp_source_text){ .file = NULL };
}

/* 1, 0: it cannot be read, or is too long, -1: memory. */
static int read_source(struct pp_source_text *t, int fd)
{
	struct pp_elf_source source;
	int64_t n;

	if (pp_elf_source_of(&source, fd) || !source.size || source.size > SOURCE_MOST)
		return 0;
	t->bytes = calloc(1, (size_t)source.size);
	if (!t->bytes)
		return -1;
	n = pp_elf_source_read(&source, t->bytes, source.size, 0);
	t->size = n > 0 ? (size_t)n : 0;
	return n > 0;
}

static int find_lines(struct pp_source_text *t)
{
	const uint8_t *const end = t->bytes + t->size;

	for (const uint8_t *at = t->bytes; at < end;) {
		const uint8_t *const lf = memchr(at, '\n', (size_t)(end - at));

		if (PP_GROW(&t->starts, &t->room, t->n + 2, NULL))
			return -1;
		t->starts[t->n++] = (uint32_t)(at - t->bytes);
		at = lf ? lf + 1 : end;
	}
	/* as if the last line had an end */
	t->starts[t->n] = (uint32_t)t->size + (end[-1] != '\n');
	return 0;
}

static int open_source(struct pp_source_text *t, struct pp_finder *finder, const char *file,
		       struct pp_error *error)
{
	struct pp_found_file found;
	int got;

	pp_source_text_free(t);
	t->file = strdup(file);
	if (!t->file)
		return pp_fail(error, PP_E_NOMEM, NULL);
	got = pp_finder_source(finder, file, &found, error);
	if (got != PP_FILE_FOUND)
		return got < 0 ? -1 : 0;
	got = read_source(t, found.fd);
	pp_found_close(&found);
	return got < 0 || (got && find_lines(t)) ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

const char *pp_source_line(struct pp_source_text *t, struct pp_finder *finder, const char *file,
			   uint32_t line, size_t *length, struct pp_error *error)
{
	const char *text;

	if ((!t->file || strcmp(t->file, file) != 0) && open_source(t, finder, file, error))
		return NULL;
	if (!line || line > t->n)
		return NULL;
	text = (const char *)t->bytes + t->starts[line - 1];
	*length = t->starts[line] - t->starts[line - 1] - 1;
	if (*length && text[*length - 1] == '\r')
		--*length;
	return text;
}
