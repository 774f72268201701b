/* kept_texts.c - what functions, lines and instructions say, for as long as these are there. */
#include "annotate/annotate_state.h"

#include <stdlib.h>
#include <string.h>

const char *pp_annotate_text(struct pp_annotate *a, const char *text, size_t length)
{
	char *const copy = strndup(text, length);

	if (copy && !PP_GROW(&a->texts, &a->room_texts, a->n_texts + 1, NULL)) {
		a->texts[a->n_texts++] = copy;
		return copy;
	}
	free(copy);
	return NULL;
}
