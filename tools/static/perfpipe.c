/*
 * perfpipe.c - all tools in one program: it is the tool whose name it is called by, or the one that its
 * first argument names.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define TOOL(name) int pp_##name##_main(int argc, char **argv);
#include "static/tools.inc"
#undef TOOL

static const struct tool_part {
	const char *name;
	int (*main)(int argc, char **argv);
} parts[] = {
#define TOOL(name) { "pp-" #name, pp_##name##_main },
#include "static/tools.inc"
#undef TOOL
};

enum { PARTS = sizeof(parts) / sizeof(*parts), PREFIX = sizeof("pp-") - 1 };

/* What the tools load where they are installed one by one. */
static const struct cli_lack lacks[] = {
	{ "pfm-events", "libpfm4" },
	{ "debuginfod", "libdebuginfod" },
	{ NULL, NULL },
};

static bool list;
static const char *folder;

static const struct option_spec options[] = {
	OPT_EXAMPLE("perfpipe record -a sleep 10 | perfpipe report", "tools of one file"),
	OPT_EXAMPLE("perfpipe --install ~/bin", "and as if they were many"),
	OPT_SWITCH(0, "list", &list, "print the names of the tools"),
	OPT_STRING(0, "install", "DIR", &folder, "make links in DIR that have the names of the tools"),
	OPT_END
};

static const struct tool tool = {
	.name = "perfpipe",
	.summary = "All tools of perfpipe in one file",
	.purpose = "Runs the tool that is named first, with or without pp-; or the one whose name it is "
		   "called by, through a link.",
	.operands = "[TOOL] [ARGUMENT...]",
	.options = options,
	.posix_order = true,
};

/* NULL: no tool has this name. */
static const struct tool_part *find_part(const char *name)
{
	name += strncmp(name, "pp-", PREFIX) ? 0 : PREFIX;
	for (size_t i = 0; i < PARTS; i++)
		if (!strcmp(parts[i].name + PREFIX, name))
			return &parts[i];
	return NULL;
}

static void list_parts(FILE *to)
{
	for (size_t i = 0; i < PARTS; i++)
		(void)fprintf(to, "%s\n", parts[i].name);
}

static void __attribute__((noreturn)) refuse_name(const char *name)
{
	messages.name = tool.name;
	if (name)
		cli_say("there is no tool '%s', but these:", name);
	else
		cli_say("which tool?  There are:");
	list_parts(stderr);
	exit(EXIT_MISUSE);
}

/* What links in the folder point to: this program, by its name alone if it is there, too. */
static char *link_target(void)
{
	char here[PATH_MAX], there[PATH_MAX], *slash;
	const ssize_t length = readlink("/proc/self/exe", here, sizeof(here) - 1);

	if (length < 0)
		cli_die_os("cannot read /proc/self/exe");
	here[length] = '\0';
	if (!realpath(folder, there))
		cli_die_os("cannot make links in %s", folder);
	slash = strrchr(here, '/');
	if (slash && strlen(there) == (size_t)(slash - here) && !strncmp(here, there, (size_t)(slash - here)))
		return cli_text("%s", slash + 1);
	return cli_text("%s", here);
}

/* Only links are replaced. */
static void install_links(void)
{
	char *const target = link_target();

	for (size_t i = 0; i < PARTS; i++) {
		char *const path = cli_text("%s/%s", folder, parts[i].name);
		struct stat status;

		if (!lstat(path, &status) && S_ISLNK(status.st_mode))
			(void)unlink(path);
		if (symlink(target, path))
			cli_die_os("cannot make the link %s", path);
		free(path);
	}
	free(target);
}

static int run_part(const struct tool_part *part, int argc, char **argv)
{
	/* in recordings it has the name of the tool */
	(void)prctl(PR_SET_NAME, part->name);
	cli_whole.lacks = lacks;
	return part->main(argc, argv);
}

int main(int argc, char **argv)
{
	const char *const path = argc ? argv[0] : "", *const slash = strrchr(path, '/');
	const char *const name = slash ? slash + 1 : path;
	const struct tool_part *part = find_part(name);

	if (part)
		return run_part(part, argc, argv);
	if (!strncmp(name, "pp-", PREFIX))
		refuse_name(name);
	if (argc > 1 && *argv[1] != '-') {
		part = find_part(argv[1]);
		if (!part)
			refuse_name(argv[1]);
		return run_part(part, argc - 1, argv + 1);
	}
	if (cli_parse(&tool, argc, argv) < argc)
		cli_misuse("--list and --install take no tool");
	if (!list && !folder)
		refuse_name(NULL);
	if (list)
		list_parts(stdout);
	if (folder)
		install_links();
	if (fflush(stdout))
		cli_die_os("cannot write standard output");
	return EXIT_DONE;
}
