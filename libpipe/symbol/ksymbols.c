/* ksymbols.c - functions that came to the kernel, as an address space: the last that came lies over
 * those before. */
#include "symbol/ksymbols.h"
#include "symbol/shown.h"

#include <stdlib.h>

enum { MOST = 1 << 20, TEXT_MOST = 1 << 28, GONE = 1 };

void pp_ksymbols_free(struct pp_ksymbols *k)
{
	pp_space_drop(&k->spaces, k->space);
	pp_spaces_close(&k->spaces);
	free(k->names);
	pp_buffer_free(&k->text);
}

int pp_ksymbols_note(struct pp_ksymbols *k, const struct pp_record *rec, struct pp_error *error)
{
	uint64_t start, length, flags;
	struct pp_space piece;
	char shown[PP_SHOWN_ROOM];
	const char *name;
	size_t size;

	if (!pp_get_u64(rec, "addr", &start) || !pp_get_u64(rec, "len", &length) ||
	    !pp_get_u64(rec, "flags", &flags) || !pp_get_text(rec, "name", &name, &size))
		return 0;
	k->spaces.budget = &k->budget;
	if (pp_space_cut_out(&k->spaces, &k->space, start))
		return pp_fail(error, PP_E_NOMEM, NULL);
	k->full |= k->n >= MOST || k->text.size + size >= TEXT_MOST;
	if (flags & GONE || k->full)
		return 1;
	if (PP_GROW(&k->names, &k->room, k->n + 1, error))
		return -1;
	piece = (struct pp_space){
		.start = start, .end = start + length < start ? UINT64_MAX : start + length,
		.from = start, .to = start + length, .file = (uint32_t)k->n,
	};
	if (pp_space_put(&k->spaces, &k->space, &piece))
		return pp_fail(error, PP_E_NOMEM, NULL);
	k->names[k->n++] = (uint32_t)k->text.size;
	if (size > PP_SHOWN_MOST) {
		pp_shown_cut(shown, name, size);
		name = shown;
		size = strlen(shown);
	}
	return pp_buffer_add(&k->text, name, size, error) || pp_buffer_add(&k->text, "", 1, error) ? -1 : 1;
}

const char *pp_ksymbols_at(const struct pp_ksymbols *k, uint64_t address, uint64_t *start)
{
	const struct pp_space *const s = k->space ? pp_space_at(k->space, address) : NULL;

	if (!s)
		return NULL;
	*start = s->from;
	return (const char *)k->text.data + k->names[s->file];
}
