/* modifiers.c - modifiers, the letters after an event's last colon: what each does to its attribute. */
#include "attr/parser.h"

#include <string.h>

static const char letters[] = "ukhGHIPpSDWebRX";

bool pp_modes_right(struct pp_slice modes)
{
	unsigned precise = 0;

	for (const char *c = modes.at; c < modes.end; c++) {
		if (!strchr(letters, *c))
			return false;
		if (*c == 'p' ? ++precise > 3 : memchr(c + 1, *c, (size_t)(modes.end - c - 1)) != NULL)
			return false;
	}
	return modes.at < modes.end;
}

/* As perf has it: the first of u, k and h leaves out the other two, the first of G and H the other.
 * u and p leave guests alone unless these are asked for; the other modifiers do not. */
static void apply_levels(struct pp_event *e, char letter, bool *levels)
{
	struct perf_event_attr *const a = &e->attr;

	if (!*levels)
		a->exclude_user = a->exclude_kernel = a->exclude_hv = 1;
	*levels = true;
	e->asked_modes = true;
	if (letter == 'u' && !e->asked_guest)
		a->exclude_guest = 1;
	if (letter == 'u')
		a->exclude_user = 0;
	else if (letter == 'k')
		a->exclude_kernel = 0;
	else
		a->exclude_hv = 0;
}

static void apply_guests(struct pp_event *e, char letter)
{
	struct perf_event_attr *const a = &e->attr;

	if (!e->asked_guest)
		a->exclude_guest = a->exclude_host = 1;
	e->asked_guest = true;
	if (letter == 'G')
		a->exclude_guest = 0;
	else
		a->exclude_host = 0;
}

static void apply(struct pp_event *e, char letter, bool *levels)
{
	struct perf_event_attr *const a = &e->attr;

	switch (letter) {
	case 'u': case 'k': case 'h': apply_levels(e, letter, levels); break;
	case 'G': case 'H': apply_guests(e, letter); break;
	case 'I': a->exclude_idle = 1; break;
	case 'P': e->any_precision = true; break;
	case 'p':
		a->precise_ip += a->precise_ip < 3;
		if (!e->asked_guest)
			a->exclude_guest = 1;
		break;
	case 'S': e->reads_group = true; break;
	case 'D': a->pinned = 1; break;
	case 'e': a->exclusive = 1; break;
	case 'W': e->weak = true; break;
	default: break;               /* of counting alone */
	}
}

void pp_modes_apply(struct pp_event *e, struct pp_slice modes, bool more)
{
	struct perf_event_attr *const a = &e->attr;
	bool levels = more && (a->exclude_user || a->exclude_kernel || a->exclude_hv);

	if (modes.at == modes.end)
		return;
	if (!more)
		a->exclude_guest = 0;
	for (const char *c = modes.at; c < modes.end; c++)
		apply(e, *c, &levels);
	if (e->any_precision)
		a->precise_ip = 3;
}
