/* help.c - what a tool says about itself: --help, --version, and its options for the shells. */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "cli/completion_values.h"

enum {
	WIDTH  = 80,
	COLUMN = 28,	/* where the texts of the options begin */
	EXAMPLE = 6,	/* and those of the examples */
};

struct cli_whole cli_whole;

static const struct tool *current;
static const char *recording;           /* --values-of */

static const char *show_help(void *unused, const char *value);
static const char *show_version(void *unused, const char *value);
static const char *list_options(void *unused, const char *value);
static const char *list_hidden(void *unused, const char *value);
static const char *list_values(void *unused, const char *arg);

/* What every tool has.  A row without help is for programs: it is neither listed nor abbreviated. */
static const struct option_spec builtin[] = {
	OPT_CALL('h', "help", NULL, NULL, show_help, "show this help and exit"),
	OPT_CALL('V', "version", NULL, NULL, show_version, "show the version and exit"),
	OPT_CALL(0, "list-options", NULL, NULL, list_options, NULL),
	OPT_CALL(0, "list-hidden", NULL, NULL, list_hidden, NULL),
	OPT_STRING(0, "values-of", "FILE", &recording, NULL),
	OPT_CALL(0, "list-values", "ARG", NULL, list_values, NULL),
	OPT_END
};

void help_for(const struct tool *tool)
{
	current = tool;
}

/* The row after `spec`, the first after NULL; NULL after the last. */
static const struct option_spec *next_row(const struct option_spec *spec)
{
	spec = spec ? spec + 1 : current->options;
	if (spec->kind != OPTION_END)
		return spec;
	return spec == builtin + sizeof(builtin) / sizeof(*builtin) - 1 ? NULL : builtin;
}

const struct option_spec *help_next_option(const struct option_spec *spec)
{
	do
		spec = next_row(spec);
	while (spec && spec->kind < OPTION_SWITCH);
	return spec;
}

const char *help_lack(const struct option_spec *spec)
{
	for (const struct cli_lack *l = cli_whole.lacks; l && l->option; l++)
		if (spec->name && !strcmp(spec->name, l->option))
			return l->library;
	return NULL;
}

/* Likewise, among those that are hidden or those that are not; *hidden: whether `spec` is hidden. */
static const struct option_spec *next_listed(const struct option_spec *spec, bool *hidden, bool wanted)
{
	do {
		spec = next_row(spec);
		if (spec && (spec->kind == OPTION_GROUP || spec->kind == OPTION_HIDDEN))
			*hidden = spec->kind == OPTION_HIDDEN;
	} while (spec && (*hidden != wanted || spec->kind == OPTION_HIDDEN ||
			  (spec->kind >= OPTION_SWITCH && !spec->help)));
	return spec;
}

/* What was printed must have arrived: --help > /dev/full is an error too. */
static void finish(void)
{
	if (fflush(stdout) || ferror(stdout))
		cli_die_os("cannot write standard output");
	exit(EXIT_DONE);
}

static void print_wrapped(const char *text, int column, int indent)
{
	while (*text) {
		const int length = (int)strcspn(text, " ");

		if (column > indent && column + 1 + length > WIDTH - 1) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", length, text);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

/* "  -z, --compression-level[=LEVEL]" */
static int print_option(const struct option_spec *spec)
{
	int column;

	if (spec->kind == OPTION_LEVEL)
		column = printf("  -%s, ", spec->arg);
	else if (spec->letter)
		column = printf(spec->name ? "  -%c, " : "  -%c", spec->letter);
	else
		column = printf("      ");
	if (spec->name)
		column += printf("--%s", spec->name);
	if (!spec->arg)
		return column;
	if (spec->kind == OPTION_OPTIONAL)
		return column + printf(spec->name ? "[=%s]" : "[%s]", spec->arg);
	return column + printf(spec->name ? "=%s" : " %s", spec->arg);
}

static void print_examples(const struct option_spec *spec)
{
	for (; spec->kind == OPTION_EXAMPLE; spec++) {
		printf("  %s\n%*s", spec->name, EXAMPLE, "");
		print_wrapped(spec->help, EXAMPLE, EXAMPLE);
	}
}

static void print_options(void)
{
	bool hidden = false, headed = false;

	for (const struct option_spec *spec = next_listed(NULL, &hidden, false); spec;
	     spec = next_listed(spec, &hidden, false)) {
		const char *lack;
		int column;

		if (spec->kind == OPTION_EXAMPLE)
			continue;
		if (spec->kind == OPTION_GROUP || !headed)
			printf("\n%s:\n", spec->kind == OPTION_GROUP ? spec->name : "Options");
		headed = true;
		if (spec->kind == OPTION_GROUP)
			continue;
		column = print_option(spec);
		if (column > COLUMN - 2) {
			putchar('\n');
			column = 0;
		}
		lack = help_lack(spec);
		printf("%*s%s", COLUMN - column, "", lack ? "built without " : "");
		print_wrapped(lack ? lack : spec->help, COLUMN, COLUMN);
	}
}

static const char *show_help(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	printf("Usage: %s [OPTIONS]%s%s\n", current->name, *current->operands ? " " : "",
	       current->operands);
	if (current->takes_command)
		printf("       %s [OPTIONS] -- COMMAND...\n", current->name);
	print_wrapped(current->summary, 0, 0);
	if (current->purpose) {
		putchar('\n');
		print_wrapped(current->purpose, 0, 0);
	}
	if (current->options->kind == OPTION_EXAMPLE) {
		printf("\nExamples:\n");
		print_examples(current->options);
	}
	print_options();
	if (current->details)
		printf("\n%s%s", current->details,
		       current->details[strlen(current->details) - 1] == '\n' ? "" : "\n");
	putchar('\n');
	print_wrapped(current->status ? current->status :
		      "Exit status: 0 done, 1 check failed, 2 misuse, 3 the input is damaged, "
		      "cut or altered, 4 system error (I/O, permission, memory).", 0, 0);
	finish();
	return NULL;
}

static const char *show_version(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	printf("%s (perfpipe) %s\n", current->name, VERSION);
	finish();
	return NULL;
}

static void list_rows(bool wanted)
{
	bool hidden = false;

	for (const struct option_spec *spec = next_listed(NULL, &hidden, wanted); spec;
	     spec = next_listed(spec, &hidden, wanted)) {
		const bool optional = spec->kind == OPTION_OPTIONAL;

		if (spec->kind < OPTION_SWITCH)
			continue;
		if (spec->kind == OPTION_LEVEL)
			printf("-%s", spec->arg);
		else if (spec->letter)
			printf("-%c", spec->letter);
		printf("\t%s%s\t%s%s%s\t%s\n", spec->name ? "--" : "",
		       spec->name ? spec->name : "", optional ? "[" : "",
		       spec->arg ? spec->arg : "", optional ? "]" : "", spec->help);
	}
}

static const char *list_options(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	list_rows(false);
	printf("\t\t%s\t\n", current->operands);
	finish();
	return NULL;
}

static const char *list_hidden(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	list_rows(true);
	finish();
	return NULL;
}

/* Whether the tool reads a recording. */
static bool reads_recording(void)
{
	for (const struct option_spec *spec = help_next_option(NULL); spec; spec = help_next_option(spec))
		if (spec->name && !strcmp(spec->name, "input"))
			return true;
	return false;
}

static const char *list_values(void *unused, const char *arg)
{
	(void)unused;
	values_print(current, arg, reads_recording() ? recording : NULL);
	finish();
	return NULL;
}
