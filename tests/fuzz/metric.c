/*
 * metric.c - fuzzes metrics: any text is an expression or is refused with a place inside of it, and any
 * file is read or refused; what is linked names its events, is bound to some of them, and has a value.
 *
 * The input is an expression, in which bytes from 0x80 on stand for words of the language, and after a
 * zero a file of metrics.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <perfpipe/metric.h>

#include "words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const words[] = {
	"min(", "max(", "d_ratio(", "source_count(", "aggr_nr(", "has_event(", "strcmp_cpuid_str(", " if ",
	" else ", "#smt_on", "#num_cpus", "#core_wide", "(", ")", ", ", " + ", " - ", " * ", " / ", " % ",
	" | ", " & ", " ^ ", " < ", " > ", " == ", "cycles", "instructions", "insn_per_cycle", "a", "b",
	"cpu@event\\=0x1\\,umask\\=?@", "duration_time", "cycles:u", "1e9", "0", "0.5", "7", "retiring",
	"{\"MetricName\":\"", "\",\"MetricExpr\":\"", "\",\"MetricThreshold\":\"", "\"},", "[", "]",
	"\",\"ScaleUnit\":\"", "\",\"MetricGroup\":\"", "{\"EventName\":\"", "\",\"EventCode\":\"0x",
	"\",\"MetricConstraint\":\"NO_GROUP_EVENTS", "\",\"Unit\":\"", "\",\"UMask\":\"", ";",
};
enum { WORDS = sizeof(words) / sizeof(words[0]) };

static bool has_event(void *arg, const char *name)
{
	(void)arg;
	return strlen(name) % 2;
}

static void use(struct pp_metric_set *set, const struct pp_metric_machine *machine)
{
	const struct pp_metric_ask how = { .size = sizeof(how), .machine = machine, .has_event = has_event };
	const struct pp_metric_event events[] = {
		{ .name = "cycles:u", .grouped = true }, { .name = "instructions", .grouped = true },
		{ .name = "cpu/event=0x1,umask=0/", .alias = "a" }, { .name = "b", .alias = "a" },
		{ .name = NULL },
	};
	const struct pp_metric_count counts[] = {
		{ 200, 9, 9, true, 1, 0 }, { 300, 9, 9, true, 2, 4 }, { 1e300, 9, 1, true, 0, 1 },
		{ -1, 9, 1, true, 0, 0 }, { 0, 0, 0, false, 0, 0 },
	};
	const struct pp_metric_facts facts = {
		.size = sizeof(facts), .counts = counts, .duration = 1, .user = -1, .machine = machine,
	};
	struct pp_error error;
	struct pp_metric_value value;
	char *const text = pp_metric_set_events(set, &how, &error);

	check(text != NULL);
	free(text);
	check(!pp_metric_set_bind(set, events, sizeof(events) / sizeof(events[0])));
	for (size_t i = 0; i < 50 && pp_metric_set_at(set, i); i++) {
		(void)pp_metric_set_need(set, i, 0);
		if (pp_metric_set_value(set, i, &facts, &value) == PP_METRIC_KNOWN)
			check(isfinite(value.value) && value.unit);
		else
			check(isnan(value.value));
	}
	pp_metric_set_free(set);
}

static void read_text(struct pp_metrics *all, const char *text, const struct pp_metric_machine *machine)
{
	struct pp_error error = { .code = PP_OK };
	const int fd = memfd_create("metrics", 0);
	char path[64];

	check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (pp_metrics_read(all, path, machine, &error))
		check(error.code);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *const zero = size ? memchr(data, 0, size) : NULL;
	const size_t length = zero ? (size_t)(zero - data) : size;
	char *const text = expand(words, WORDS, data, length);
	char *const file = zero ? expand(words, WORDS, zero + 1, size - length - 1) : NULL;
	struct pp_error error = { .code = PP_OK };
	struct pp_metrics *const all = pp_metrics_new(&error);
	struct pp_metric_machine machine;
	struct pp_metric_set *set;

	check(all != NULL);
	pp_metric_machine_clear(&machine);
	machine.smt_on = 1;
	strcpy(machine.cpuid, "GenuineIntel-6-55-4");
	if (file)
		read_text(all, file, &machine);
	set = pp_metric_set_of(all, text, &error);
	if (set)
		use(set, &machine);
	else
		check(error.code);
	set = pp_metric_set_new(all, "all", &error);
	if (set)
		use(set, &machine);
	else
		check(error.code);
	pp_metrics_free(all);
	free(text);
	free(file);
	return 0;
}
