/* spans.c - which spans are made of a stream, by the names of presets. */
#include "span/waits.h"

#include "base/sized_options.h"

#include <stdlib.h>
#include <string.h>

static const char *const presets[] = { "off-cpu" };

struct pp_spans {
	struct pp_waits *waits;
};

const char *pp_spans_preset(size_t i)
{
	return i < sizeof(presets) / sizeof(*presets) ? presets[i] : NULL;
}

static bool is_preset(const char *name)
{
	const char *preset;

	for (size_t i = 0; name && (preset = pp_spans_preset(i)); i++)
		if (!strcmp(preset, name))
			return true;
	return false;
}

struct pp_spans *pp_spans_new(const struct pp_span_options *given, struct pp_reader *in,
			      struct pp_error *error)
{
	struct pp_span_options how;
	struct pp_spans *s;

	if (pp_options_take(&how, sizeof(how), given, error))
		return NULL;
	if (!is_preset(how.preset)) {
		(void)pp_fail(error, PP_E_USE, "there are no spans of that name");
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	s->waits = pp_waits_new(&how, in, error);
	if (s->waits)
		return s;
	free(s);
	return NULL;
}

void pp_spans_free(struct pp_spans *s)
{
	if (s)
		pp_waits_free(s->waits);
	free(s);
}

int pp_spans_admit(struct pp_spans *s, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	return pp_waits_admit(s->waits, rec, out, error);
}

int pp_spans_judge(struct pp_spans *s, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	return pp_waits_judge(s->waits, rec, out, error);
}

int pp_spans_end(struct pp_spans *s, struct pp_writer *out, struct pp_error *error)
{
	return pp_waits_end(s->waits, out, error);
}

const struct pp_span_stats *pp_spans_stats(const struct pp_spans *s)
{
	return pp_waits_stats(s->waits);
}
