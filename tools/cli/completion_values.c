/*
 * completion_values.c - what may be given for the argument of an option, by the name that the option
 * tables give the argument: one table, which the completions of all shells ask by --list-values.
 */
#include "cli/completion_values.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perfpipe/perfpipe.h>

static void print_name(void *unused, const struct pp_known_event *known)
{
	(void)unused;
	puts(known->name);
}

static void print_events(void)
{
	pp_known_events(print_name, NULL);
}

static void print_types(void)
{
	const struct pp_type *type;

	/* in lower case, as they are typed: shells compare letter by letter */
	for (size_t i = 0; (type = pp_type_at(i)); i++) {
		for (const char *c = type->name; *c; c++)
			putchar(tolower((unsigned char)*c));
		printf("\t%s\n", type->doc ? type->doc : "");
	}
}

static void print_versions(void)
{
	const struct pp_version *version;

	for (size_t i = 0; (version = pp_version_at(i)); i++)
		puts(pp_version_name(version));
}

static void print_cpus(void)
{
	const long n = sysconf(_SC_NPROCESSORS_CONF);

	for (long i = 0; i < n; i++)
		printf("%ld\n", i);
}

/* The name in /proc/ID/comm ends in a line feed; a task that is gone has none. */
static void print_task(const char *folder, const char *id)
{
	char path[300], name[64] = "\n";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/comm", folder, id);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(name, sizeof(name), file))
		printf("%s\t%s", id, name);
	fclose(file);
}

static void print_numbered(const char *folder, void (*print)(const char *folder, const char *id))
{
	DIR *const dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			print(folder, entry->d_name);
	if (dir)
		closedir(dir);
}

static void print_processes(void)
{
	print_numbered("/proc", print_task);
}

static void print_threads_of(const char *folder, const char *pid)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s/task", folder, pid);
	print_numbered(path, print_task);
}

static void print_threads(void)
{
	print_numbered("/proc", print_threads_of);
}

void values_print(const char *arg)
{
	static const struct { const char *arg; void (*print)(void); } lists[] = {
		{ "EVENT", print_events }, { "TYPES", print_types }, { "READER", print_versions },
		{ "CPUS", print_cpus }, { "PIDS", print_processes }, { "TIDS", print_threads },
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (!strcmp(lists[i].arg, arg))
			lists[i].print();
}
