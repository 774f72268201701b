/* metric.c - asks the library for metrics, by its public headers alone: what the tests compare.
 *
 *	metric value WORD...            each WORD an EXPRESSION, or NAME=VALUE of what comes after it
 *	metric list FROM CPUID          metrics of FROM: name, expression, groups, unit
 *	metric event FROM CPUID NAME    what FROM says of the event; -: of each that standard input names
 *	metric check FROM CPUID         links every metric, prints what is wrong, files that were passed
 *	                                over, and how many metrics are right
 *	metric events FROM CPUID NAMES [no-group] [no-merge] [no-threshold] [has=EVENT]...
 *	metric set FROM CPUID NAMES [mixed] [EVENT=VALUE[/RUNNING[/GROUP]]]...    values of the metrics
 *
 * FROM is a file or a folder, - for none; CPUID is -, or that of a machine that is otherwise known, too.
 * Where RUNNING is of 100 ns; events of one GROUP, a number, were counted together.
 */
#include <perfpipe/metric.h>
#include <perfpipe/roots.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static struct pp_metric_machine machine;
static struct pp_metrics *metrics;
static struct pp_error wrong;

static struct pp_metric_event events[MOST];
static struct pp_metric_count counts[MOST];
static size_t n_events;
static struct pp_metric_facts facts = { .duration = 2, .user = 1.5, .system = 0.25 };

static int refuse(void)
{
	printf("%zu: %s\n", wrong.at, wrong.detail);
	return 2;
}

static void know_machine(const char *id)
{
	pp_metric_machine_clear(&machine);
	if (!strcmp(id, "here")) {
		pp_metric_machine_here(&machine, true);
		return;
	}
	machine.smt_on = 1;
	machine.num_cpus = 32;
	machine.num_cpus_online = 30;
	machine.num_cores = 16;
	machine.num_dies = 4;
	machine.num_packages = 2;
	machine.system_tsc_freq = 2.5e9;
	machine.slots = 5;
	machine.has_pmem = 0;
	machine.core_wide = 1;
	machine.target_cpu = 1;
	machine.chips = 2;
	machine.chip_cores = 3;
	if (strcmp(id, "-") != 0)
		snprintf(machine.cpuid, sizeof(machine.cpuid), "%s", id);
}

static int open_metrics(const char *from)
{
	metrics = pp_metrics_new(&wrong);
	if (!metrics || (strcmp(from, "-") != 0 && pp_metrics_read(metrics, from, &machine, &wrong)))
		return -1;
	return 0;
}

/* "EVENT=VALUE[/RUNNING[/GROUP]]"; the last = counts. */
static void add_count(char *word)
{
	char *const equals = strrchr(word, '='), *rest;

	*equals = '\0';
	events[n_events].name = word;
	counts[n_events] = (struct pp_metric_count){ strtod(equals + 1, &rest), 100, 100, true, 0, 0 };
	if (!strcmp(equals + 1, "no"))
		counts[n_events].known = false;
	if (*rest == '/')
		counts[n_events].running = strtoull(rest + 1, &rest, 10);
	if (*rest == '/') {
		events[n_events].grouped = true;
		events[n_events].group = strtoull(rest + 1, NULL, 10);
	}
	if (n_events + 1 < MOST)
		n_events++;
}

static const char *const states[] = { "known", "missing", "apart", "undefined" };

static int print_values(struct pp_metric_set *set)
{
	const struct pp_metric *metric;
	struct pp_metric_value v;

	facts.size = sizeof(facts);
	facts.counts = counts;
	facts.machine = &machine;
	if (pp_metric_set_bind(set, events, n_events))
		return 4;
	for (size_t i = 0; (metric = pp_metric_set_at(set, i)); i++) {
		const enum pp_metric_state state = pp_metric_set_value(set, i, &facts, &v);

		if (metric->name)
			printf("%s\t", metric->name);
		if (state == PP_METRIC_KNOWN)
			printf("%.10g%s%s%s", v.value, *v.unit ? "\t" : "", v.unit,
			       v.over < 0 ? "" : v.over ? "\tover" : "\tfine");
		else
			printf("%s%s%s%s%s", states[state], v.event ? "\t" : "", v.event ? v.event : "",
			       v.other ? "\t" : "", v.other ? v.other : "");
		putchar('\n');
	}
	return 0;
}

static int value(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		struct pp_metric_set *set;

		if (strchr(argv[i], '=') && !strpbrk(argv[i], " \\(")) {
			add_count(argv[i]);
			continue;
		}
		set = pp_metric_set_of(metrics, argv[i], &wrong);
		if (!set || print_values(set))
			return refuse();
		pp_metric_set_free(set);
		n_events = 0;
	}
	return 0;
}

static int list(void)
{
	const struct pp_metric *m;

	for (size_t i = 0; (m = pp_metrics_at(metrics, i)); i++)
		printf("%s\t%s\t%s\t%s\n", m->name, m->expression, m->groups ? m->groups : "",
		       m->unit ? m->unit : "");
	return 0;
}

static int check(void)
{
	const struct pp_metric *m;
	const char *refused;
	size_t right = 0, all = 0;

	for (size_t i = 0; (refused = pp_metrics_refused(metrics, i)); i++)
		printf("%s: passed over\n", refused);
	for (; (m = pp_metrics_at(metrics, all)); all++) {
		struct pp_metric_set *const set = pp_metric_set_new(metrics, m->name, &wrong);

		right += set != NULL;
		if (!set)
			printf("%s\n", wrong.detail);
		pp_metric_set_free(set);
	}
	printf("%zu of %zu\n", right, all);
	return right < all;
}

static char *given[MOST];
static size_t n_given;

static bool has_event(void *arg, const char *name)
{
	(void)arg;
	for (size_t i = 0; i < n_given; i++)
		if (!strcmp(given[i], name))
			return true;
	return false;
}

static int ask(int argc, char **argv)
{
	struct pp_metric_ask how = { .size = sizeof(how), .machine = &machine, .has_event = has_event };
	struct pp_metric_set *const set = pp_metric_set_new(metrics, argv[0], &wrong);
	char *text;

	for (int i = 1; i < argc; i++) {
		how.no_group |= !strcmp(argv[i], "no-group");
		how.no_merge |= !strcmp(argv[i], "no-merge");
		how.no_threshold |= !strcmp(argv[i], "no-threshold");
		if (!strcmp(argv[i], "here"))
			how.has_event = NULL;
		if (!strncmp(argv[i], "has=", 4) && n_given < MOST)
			given[n_given++] = argv[i] + 4;
	}
	text = set ? pp_metric_set_events(set, &how, &wrong) : NULL;
	if (!text)
		return refuse();
	puts(text);
	free(text);
	pp_metric_set_free(set);
	return 0;
}

static int values_of(int argc, char **argv)
{
	struct pp_metric_set *const set = pp_metric_set_new(metrics, argv[0], &wrong);
	int status;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "mixed"))
			facts.mixed = true;
		else
			add_count(argv[i]);
	status = set ? print_values(set) : refuse();
	pp_metric_set_free(set);
	return status;
}

static int print_event(const char *name)
{
	const char *const terms = pp_metrics_event(metrics, name);

	return puts(terms ? terms : "-") < 0 ? 4 : 0;
}

static int print_events(void)
{
	char line[512];
	int status = 0;

	while (!status && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		status = print_event(line);
	}
	return status;
}

int main(int argc, char **argv)
{
	const bool plain = argc > 2 && !strcmp(argv[1], "value");
	int status = 2;

	pp_roots_from_environment();
	if (argc < 3 + !plain)
		return 2;
	know_machine(plain ? "-" : argv[3]);
	if (open_metrics(plain ? "-" : argv[2]))
		return refuse();
	if (plain)
		status = value(argc - 2, argv + 2);
	else if (!strcmp(argv[1], "list"))
		status = list();
	else if (!strcmp(argv[1], "check"))
		status = check();
	else if (!strcmp(argv[1], "event") && argc > 4)
		status = strcmp(argv[4], "-") != 0 ? print_event(argv[4]) : print_events();
	else if (!strcmp(argv[1], "events") && argc > 4)
		status = ask(argc - 4, argv + 4);
	else if (!strcmp(argv[1], "set") && argc > 4)
		status = values_of(argc - 4, argv + 4);
	pp_metrics_free(metrics);
	return status;
}
