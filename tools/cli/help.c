/* help.c - what a tool says about itself: --help, --version, and its options for the shells. */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "cli/completion_values.h"

enum {
	WIDTH  = 80,
	COLUMN = 28,	/* where the texts of the options begin */
};

static const struct tool *current;

static const char *show_help(void *unused, const char *value);
static const char *show_version(void *unused, const char *value);
static const char *list_options(void *unused, const char *value);
static const char *list_values(void *unused, const char *arg);

/* What every tool has.  A row without help is hidden: it is neither listed nor abbreviated. */
static const struct option_spec builtin[] = {
	OPT_CALL('h', "help", NULL, NULL, show_help, "show this help and exit"),
	OPT_CALL('V', "version", NULL, NULL, show_version, "show the version and exit"),
	OPT_CALL(0, "list-options", NULL, NULL, list_options, NULL),
	OPT_CALL(0, "list-values", "ARG", NULL, list_values, NULL),
	OPT_END
};

void help_for(const struct tool *tool)
{
	current = tool;
}

const struct option_spec *help_next_row(const struct option_spec *spec)
{
	spec = spec ? spec + 1 : current->options;
	if (spec->kind != OPTION_END)
		return spec;
	return spec == builtin + sizeof(builtin) / sizeof(*builtin) - 1 ? NULL : builtin;
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

static const char *show_help(void *unused, const char *value)
{
	const struct option_spec *spec = help_next_row(NULL);

	(void)unused;
	(void)value;
	printf("Usage: %s [OPTIONS]%s%s\n", current->name, *current->operands ? " " : "",
	       current->operands);
	print_wrapped(current->summary, 0, 0);
	if (spec->kind != OPTION_GROUP)
		printf("\nOptions:\n");
	for (; spec; spec = help_next_row(spec)) {
		int column;

		if (spec->kind == OPTION_GROUP)
			printf("\n%s:\n", spec->name);
		if (!spec->help)
			continue;
		column = print_option(spec);
		if (column > COLUMN - 2) {
			putchar('\n');
			column = 0;
		}
		printf("%*s", COLUMN - column, "");
		print_wrapped(spec->help, COLUMN, COLUMN);
	}
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

static const char *list_options(void *unused, const char *value)
{
	(void)unused;
	(void)value;
	for (const struct option_spec *spec = help_next_row(NULL); spec; spec = help_next_row(spec)) {
		const bool optional = spec->kind == OPTION_OPTIONAL;

		if (!spec->help)
			continue;
		if (spec->kind == OPTION_LEVEL)
			printf("-%s", spec->arg);
		else if (spec->letter)
			printf("-%c", spec->letter);
		printf("\t%s%s\t%s%s%s\t%s\n", spec->name ? "--" : "",
		       spec->name ? spec->name : "", optional ? "[" : "",
		       spec->arg ? spec->arg : "", optional ? "]" : "", spec->help);
	}
	printf("\t\t%s\t\n", current->operands);
	finish();
	return NULL;
}

static const char *list_values(void *unused, const char *arg)
{
	(void)unused;
	values_print(arg);
	finish();
	return NULL;
}
