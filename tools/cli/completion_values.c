/*
 * completion_values.c - what may be given for the argument of an option, by the name that the option
 * tables give the argument: one table, which the completions of all shells ask by --list-values.
 */
#include "cli/completion_values.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perfpipe/perfpipe.h>

/* What the recording that is named on the command line says before its first sample; or nothing. */
static struct {
	char **events;                  /* their names; NULL: there is no recording */
	size_t n;
	uint64_t samples;               /* PP_SAMPLE_ bits of all of them */
} seen;

/* Bytes before the first sample that are looked at: completion is to be quick. */
enum { HEAD_MOST = 64 << 20 };

static int confine(void *arg, int fd, struct pp_error *error)
{
	static const struct pp_sandbox_options reads = { .size = sizeof(reads), .does = PP_STAGE_SPOOLS };
	unsigned holds;

	(void)arg, (void)fd;
	return pp_sandbox_enter(&reads, &holds, error);
}

/* In a process of its own, which can do nothing else: the PP_SAMPLE_ bits, and names that end in a zero byte.
 * Whatever is wrong with the recording, it has no values then: the tool will say what. */
static _Noreturn void read_recording(const char *path, FILE *to)
{
	static const struct pp_reader_options options = { .size = sizeof(options), .opened = confine };
	struct pp_error error;
	struct pp_record record;
	struct pp_reader *const in = pp_reader_open(path, &options, &error);
	const struct pp_stream *stream;
	uint64_t samples = 0;

	if (!in)
		_exit(EXIT_DAMAGED);
	stream = pp_reader_stream(in);
	while (stream->bytes < HEAD_MOST && pp_reader_next(in, &record, &error) == PP_MORE &&
	       record.type != PP_REC_SAMPLE && record.type != PP_REC_STAT)
		continue;
	for (size_t i = 0; i < pp_attrs_count(stream->attrs); i++)
		samples |= pp_attrs_at(stream->attrs, i)->sample_type;
	fwrite(&samples, sizeof(samples), 1, to);
	for (size_t i = 0; i < pp_attrs_count(stream->attrs); i++) {
		const char *const name = pp_attrs_at(stream->attrs, i)->name;

		fwrite(name, strlen(name) + 1, 1, to);
	}
	_exit(fflush(to) ? EXIT_SYSTEM : EXIT_DONE);
}

static void take_recording(FILE *from)
{
	char *name = NULL;
	size_t room = 0;

	if (fread(&seen.samples, sizeof(seen.samples), 1, from) != 1)
		return;
	do {
		seen.events = cli_grow(seen.events, seen.n + 1, sizeof(*seen.events));
		seen.events[seen.n] = NULL;
		if (getdelim(&name, &room, '\0', from) > 0)
			seen.events[seen.n] = cli_text("%s", name);
	} while (seen.events[seen.n] && ++seen.n);
	free(name);
}

static void look_at(const char *path)
{
	struct stat status;
	FILE *to, *from;
	int ends[2];
	pid_t child;

	if (!path || stat(path, &status) || !S_ISREG(status.st_mode) || pipe2(ends, O_CLOEXEC))
		return;
	child = fork();
	to = child ? NULL : fdopen(ends[1], "w");
	if (to)
		read_recording(path, to);
	if (!child)
		_exit(EXIT_SYSTEM);
	(void)close(ends[1]);
	from = child > 0 ? fdopen(ends[0], "r") : NULL;
	if (from)
		take_recording(from);
	if (from)
		(void)fclose(from);
	else
		(void)close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static void forget_recording(void)
{
	for (size_t i = 0; i < seen.n; i++)
		free(seen.events[i]);
	free(seen.events);
}

static void print_name(void *unused, const struct pp_known_event *known)
{
	(void)unused;
	puts(known->name);
}

/* Those of the recording, where the tool reads one; otherwise those that this machine has. */
static void print_events(void)
{
	for (size_t i = 0; i < seen.n; i++)
		puts(seen.events[i]);
	if (!seen.events)
		pp_known_events(print_name, NULL);
}

/* Whether the recording counts an event that the metric asks for; without a recording: yes. */
static bool is_counted(const struct pp_metrics *all, const char *name)
{
	struct pp_metric_event *const events = calloc(seen.n + 1, sizeof(*events));
	struct pp_error error;
	struct pp_metric_set *const set = seen.events ? pp_metric_set_new(all, name, &error) : NULL;
	bool counted = !seen.events;

	if (!events)
		cli_no_memory();
	for (size_t i = 0; i < seen.n; i++)
		events[i].name = seen.events[i];
	if (set && !pp_metric_set_bind(set, events, seen.n))
		counted = pp_metric_set_bound(set, 0);
	pp_metric_set_free(set);
	free(events);
	return counted;
}

/* The groups of a metric that none before the i-th is in. */
static void print_groups(const struct pp_metrics *all, size_t i, const char *groups)
{
	for (size_t n; groups && *groups; groups += n + (groups[n] == ';')) {
		bool known = false;

		n = strcspn(groups, ";");
		for (size_t k = 0; k < i && !known; k++) {
			const char *const others = pp_metrics_at(all, k)->groups;
			const char *const at = others ? memmem(others, strlen(others), groups, n) : NULL;

			known = at && (at == others || at[-1] == ';') && (!at[n] || at[n] == ';');
		}
		if (n && !known)
			printf("%.*s\ta group of metrics\n", (int)n, groups);
	}
}

static void print_metrics(void)
{
	struct pp_error error;
	struct pp_metrics *const all = pp_metrics_new(&error);
	struct pp_metric_machine machine;
	const struct pp_metric *metric;

	if (!all)
		cli_no_memory();
	pp_metric_machine_clear(&machine);
	pp_metric_machine_here(&machine, false);
	if (!access(VALUES_METRICS_INSTALLED, R_OK) &&
	    pp_metrics_read(all, VALUES_METRICS_INSTALLED, &machine, &error) && error.code == PP_E_NOMEM)
		cli_no_memory();
	for (size_t i = 0; (metric = pp_metrics_at(all, i)); i++) {
		if (is_counted(all, metric->name))
			printf("%s\t%s\n", metric->name, metric->brief ? metric->brief : "");
		if (!seen.events)
			print_groups(all, i, metric->groups);
	}
	pp_metrics_free(all);
}

static void print_branches(void)
{
	for (size_t i = 0; pp_branches_at(i); i++)
		puts(pp_branches_at(i));
}

static void print_cgroup(void *unused, const char *name)
{
	(void)unused;
	puts(name);
}

static void print_cgroups(void)
{
	struct pp_error error;

	/* without a mount there are none */
	if (pp_counting_each_cgroup(print_cgroup, NULL, &error) && error.code == PP_E_NOMEM)
		cli_no_memory();
}

static void print_users(void)
{
	const struct passwd *user;

	setpwent();
	while ((user = getpwent()))
		printf("%s\t%u\n", user->pw_name, (unsigned)user->pw_uid);
	endpwent();
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

/* Those that the tool has a list of: all, or what samples of the recording can have. */
static void print_own(const struct tool *tool, const char *arg)
{
	const char *value;
	uint64_t needs = 0;

	for (size_t i = 0; tool->value && (value = tool->value(arg, i, &needs)); i++, needs = 0)
		if (!seen.events || !needs || needs & seen.samples)
			puts(value);
}

void values_print(const struct tool *tool, const char *arg, const char *recording)
{
	static const struct { const char *arg; void (*print)(void); } lists[] = {
		{ "EVENT", print_events }, { "TYPES", print_types }, { "READER", print_versions },
		{ "CPUS", print_cpus }, { "PIDS", print_processes }, { "TIDS", print_threads },
		{ "METRIC,GROUP|DIR", print_metrics }, { "FILTERS", print_branches },
		{ "GROUPS", print_cgroups }, { "USERS", print_users },
	};

	look_at(recording);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (!strcmp(lists[i].arg, arg))
			lists[i].print();
	print_own(tool, arg);
	forget_recording();
}
