/* sample_options.c - the values of those options of pp-record that say what samples carry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/option_values.h"
#include <perfpipe/perfpipe.h>

enum {
	USER_STACK = 8192,            /* as perf takes it */
	USER_STACK_MOST = 65528,      /* a multiple of 8 that the kernel accepts */
};

/* fp; fp,defer; dwarf; dwarf,SIZE; lbr: as perf record has them. */
const char *parse_call_graph(void *target, const char *value)
{
	static const char none[] =
		"is not a way to record call chains: use fp, fp,defer, dwarf, dwarf,SIZE or lbr";
	struct pp_sampling *const s = target;
	uint64_t size = USER_STACK;
	const char *wrong;

	s->asks &= ~(uint64_t)(PP_ASK_DEFERRED | PP_ASK_LBR_CHAIN);
	s->asks |= PP_ASK_CALLCHAIN;
	s->user_stack = 0;
	if (!strcmp(value, "fp"))
		return NULL;
	if (!strcmp(value, "lbr") || !strcmp(value, "fp,defer") || !strcmp(value, "defer")) {
		s->asks |= *value == 'l' ? PP_ASK_LBR_CHAIN : PP_ASK_DEFERRED;
		return NULL;
	}
	if (strncmp(value, "dwarf", 5) || (value[5] && value[5] != ','))
		return none;
	wrong = value[5] ? cli_size(&size, value + 6) : NULL;
	if (wrong)
		return wrong;
	size = (size + 7) & ~UINT64_C(7);
	if (!size || size > USER_STACK_MOST)
		return "needs a SIZE from 8 to 65528";
	s->user_stack = (uint32_t)size;
	return NULL;
}

/* Adds a word to the end of a sentence. */
static void add_word(char *text, size_t size, const char *word, bool first)
{
	const size_t n = strlen(text);

	(void)snprintf(text + n, size - n, "%s%s", first ? "" : ", ", word);
}

const char *parse_branches(void *target, const char *value)
{
	static char text[512] = "is not a list of branch filters: use ";
	uint64_t bits;

	if (!pp_branches_named(value, &bits, NULL)) {
		*(uint64_t *)target |= bits;
		return NULL;
	}
	for (size_t i = 0; pp_branches_at(i); i++)
		add_word(text, sizeof(text), pp_branches_at(i), !i);
	return text;
}

static const char *registers(uint64_t *bits, const char *value, bool user)
{
	static char text[512] = "is not a list of registers: use ";

	if (value && !strcmp(value, "?")) {
		for (size_t i = 0; pp_registers_at(i, user); i++)
			(void)printf("%s\n", pp_registers_at(i, user));
		exit(fflush(stdout) ? EXIT_SYSTEM : EXIT_DONE);
	}
	if (!pp_registers_named(value, bits, NULL))
		return NULL;
	if (!pp_registers_at(0, user))
		return "is not possible: registers are not supported on this architecture";
	for (size_t i = 0; pp_registers_at(i, user); i++)
		add_word(text, sizeof(text), pp_registers_at(i, user), !i);
	return text;
}

const char *parse_user_registers(void *target, const char *value)
{
	uint64_t bits = UINT64_MAX;
	const char *const wrong = value ? registers(&bits, value, true) : NULL;

	*(uint64_t *)target = bits;
	return wrong;
}

const char *parse_registers(void *target, const char *value)
{
	uint64_t bits = UINT64_MAX;
	const char *const wrong = value ? registers(&bits, value, false) : NULL;

	*(uint64_t *)target = bits;
	return wrong;
}
