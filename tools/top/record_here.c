/* record_here.c - starts pp-record, which records what is to be shown, and waits for its stream. */
#include "top/record_here.h"

#include <stdlib.h>
#include <unistd.h>

#include "top/earlier_stage.h"

struct record_here record_here;

/* Options of pp-record that take what was given here. */
static const struct { const char *name; const char **value; } given[] = {
	{ "--pid", &record_here.pids }, { "--tid", &record_here.tids }, { "--cpu", &record_here.cpus },
	{ "--freq", &record_here.rate }, { "--call-graph", &record_here.chains },
};

enum { GIVEN = sizeof(given) / sizeof(given[0]) };

/* The first of the options that was given, as it is named; NULL: none. */
static const char *first_given(void)
{
	for (size_t i = 0; i < GIVEN; i++)
		if (*given[i].value)
			return given[i].name;
	return record_here.all ? "--all-cpus" : record_here.callchains ? "--callchains" :
	       common.command ? "COMMAND" : NULL;
}

bool record_here_is_asked(void)
{
	const char *const option = first_given();

	if (option && common.input)
		cli_misuse("%s is for recording, and %s is a recording: use one of the two", option,
			   common.input);
	return option || (!common.input && isatty(STDIN_FILENO));
}

void record_here_start(const char *events, bool screen)
{
	size_t count = 0, command = 0;
	char **words;

	while (common.command && common.command[command])
		command++;
	words = cli_grow(NULL, GIVEN + command + 8, sizeof(*words));
	words[count++] = cli_text("pp-record");
	for (size_t i = 0; i < GIVEN; i++)
		if (*given[i].value)
			words[count++] = cli_text("%s=%s", given[i].name, *given[i].value);
	if (events)
		words[count++] = cli_text("--event=%s", events);
	if (record_here.all)
		words[count++] = cli_text("--all-cpus");
	if (record_here.callchains)
		words[count++] = cli_text("--callchains");
	if (messages.quiet)
		words[count++] = cli_text("--quiet");
	words[count++] = cli_text("--");
	for (size_t i = 0; i < command; i++)
		words[count++] = common.command[i];
	words[count] = NULL;
	earlier_stage_start(words, screen);
	for (size_t i = 0; i < count - command; i++)
		free(words[i]);
	free(words);
}
