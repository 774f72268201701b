/* attr_words.c - parts of attributes, put in and taken out, also those that the headers which this is
 * built with do not know. */
#include "attr/event_list.h"

#include <string.h>

/* The attribute as 64-bit words: parts of it are added and dropped whole. */
static void combine(struct perf_event_attr *a, const struct perf_event_attr *part, bool drop)
{
	uint64_t to[PP_ATTR_SIZE / 8], bits[PP_ATTR_SIZE / 8];

	memcpy(to, a, PP_ATTR_SIZE);
	memcpy(bits, part, PP_ATTR_SIZE);
	for (size_t i = 0; i < PP_ATTR_SIZE / 8; i++)
		to[i] = drop ? to[i] & ~bits[i] : to[i] | bits[i];
	memcpy(a, to, PP_ATTR_SIZE);
}

void pp_attr_add(struct perf_event_attr *a, const struct perf_event_attr *what)
{
	combine(a, what, false);
}

void pp_attr_drop(struct perf_event_attr *a, const struct perf_event_attr *what)
{
	combine(a, what, true);
}

static const size_t words_at[PP_CONFIG_WORDS] = {
	PP_AT_config / 8, PP_AT_config1 / 8, PP_AT_config2 / 8, PP_AT_config3 / 8, PP_AT_config4 / 8,
};

uint64_t pp_attr_word(const struct pp_event *e, unsigned n)
{
	return e->words[words_at[n]];
}

void pp_attr_set_word(struct pp_event *e, unsigned n, uint64_t value)
{
	const uint32_t end = (uint32_t)(words_at[n] + 1) * 8;

	e->words[words_at[n]] = value;
	if (value && e->attr.size < end)
		e->attr.size = end;
}

void pp_attr_set_flag(struct perf_event_attr *a, int flag, bool on)
{
	/* bitfields begin at the other end where bytes do */
	const int at = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? flag : 63 - flag;
	char *const place = (char *)a + PP_AT_flags;
	uint64_t flags;

	memcpy(&flags, place, sizeof(flags));
	flags = on ? flags | UINT64_C(1) << at : flags & ~(UINT64_C(1) << at);
	memcpy(place, &flags, sizeof(flags));
}

void pp_attr_set_aux_action(struct pp_event *e, uint32_t action)
{
	memcpy((char *)e->words + PP_AT_aux_action, &action, sizeof(action));
}
