/* spans.c - which spans are made of a stream, by the names of presets. */
#include "span/pairs.h"
#include "span/waits.h"

#include "base/sized_options.h"

#include <stdlib.h>
#include <string.h>

struct pp_spans {
	struct pp_waits *waits;       /* or */
	struct pp_pairs *pairs;
};

static const struct pp_pair_preset *preset_of_pairs(size_t i)
{
	return i < WAITS_PRESETS ? NULL : pp_pair_preset_at(i - WAITS_PRESETS);
}

const char *pp_spans_preset(size_t i)
{
	const struct pp_pair_preset *const preset = preset_of_pairs(i);

	return i < WAITS_PRESETS ? pp_waits_presets[i] : preset ? preset->name : NULL;
}

const char *pp_spans_event(size_t i, unsigned end)
{
	const struct pp_pair_preset *const preset = preset_of_pairs(i);

	if (i == WAITS_OF_WAKEUPS && !end)
		return "sched:sched_waking";
	return !preset ? NULL : end ? preset->to : preset->from;
}

static bool are_waits(const char *preset)
{
	size_t i = 0;

	while (preset && i < WAITS_PRESETS && strcmp(preset, pp_waits_presets[i]) != 0)
		i++;
	return preset && i < WAITS_PRESETS;
}

static int open_spans(struct pp_spans *s, const struct pp_span_options *how, struct pp_reader *in,
		      struct pp_error *error)
{
	if (are_waits(how->preset)) {
		s->waits = pp_waits_new(how, in, error);
		return s->waits ? 0 : -1;
	}
	if (how->preset && !pp_pair_preset(how->preset))
		return pp_fail(error, PP_E_USE, "there are no spans of that name");
	s->pairs = pp_pairs_new(how, in, error);
	return s->pairs ? 0 : -1;
}

struct pp_spans *pp_spans_new(const struct pp_span_options *given, struct pp_reader *in,
			      struct pp_error *error)
{
	struct pp_span_options how;
	struct pp_spans *s;

	if (pp_options_take(&how, sizeof(how), given, error))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	if (!open_spans(s, &how, in, error))
		return s;
	free(s);
	return NULL;
}

void pp_spans_free(struct pp_spans *s)
{
	if (s) {
		pp_waits_free(s->waits);
		pp_pairs_free(s->pairs);
	}
	free(s);
}

int pp_spans_admit(struct pp_spans *s, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	return s->waits ? pp_waits_admit(s->waits, rec, out, error) :
			  pp_pairs_admit(s->pairs, rec, out, error);
}

int pp_spans_judge(struct pp_spans *s, const struct pp_record *rec, struct pp_writer *out,
		   struct pp_error *error)
{
	return s->waits ? pp_waits_judge(s->waits, rec, out, error) :
			  pp_pairs_judge(s->pairs, rec, out, error);
}

int pp_spans_end(struct pp_spans *s, struct pp_writer *out, struct pp_error *error)
{
	return s->waits ? pp_waits_end(s->waits, out, error) :
			  pp_pairs_end(s->pairs, out, error);
}

const struct pp_span_stats *pp_spans_stats(const struct pp_spans *s)
{
	return s->waits ? pp_waits_stats(s->waits) : pp_pairs_stats(s->pairs);
}
