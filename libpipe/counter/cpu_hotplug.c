/*
 * cpu_hotplug.c - CPUs that go off line while they are measured: the kernel takes their counters away, for
 * good and without a word.  Those that were gone before are left out by open_counters.c.
 */
#include "base/procfs.h"
#include "counter/counter.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char online[] = "/sys/devices/system/cpu/online";

void pp_cpu_hotplug_open(struct pp_cpu_hotplug *o, const struct pp_target *t)
{
	char elsewhere[PP_PATH];

	*o = (struct pp_cpu_hotplug){ .fd = -1, .measured = "recorded" };
	if (!t->system_wide)
		return;
	o->gone = calloc(t->n_cpus, sizeof(*o->gone));
	if (o->gone)
		o->fd = open(pp_rooted(elsewhere, online), O_RDONLY | O_CLOEXEC);
}

void pp_cpu_hotplug_close(struct pp_cpu_hotplug *o)
{
	if (o->gone && o->fd >= 0)
		(void)close(o->fd);
	free(o->gone);
	*o = (struct pp_cpu_hotplug){ .fd = -1 };
}

static bool is_listed(const uint32_t *cpus, long n, uint32_t cpu)
{
	for (long i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

void pp_cpu_hotplug_look(struct pp_cpu_hotplug *o, const struct pp_target *t, const struct pp_say *say)
{
	uint32_t *cpus;
	char text[4096];
	ssize_t length;
	long n;

	if (!o->gone || o->fd < 0)
		return;
	length = pread(o->fd, text, sizeof(text) - 1, 0);
	/* a list that was cut does not say who is gone */
	if (length <= 0 || text[length - 1] != '\n')
		return;
	text[length] = '\0';
	n = pp_list_parse(text, &cpus);
	if (n < 0)
		return;
	for (size_t i = 0; i < t->n_cpus; i++) {
		if (!t->selected[i] || o->gone[i] || is_listed(cpus, n, t->cpus[i]))
			continue;
		o->gone[i] = true;
		pp_say(say, "CPU %u has gone off line: nothing more of it is %s, even when it "
		       "returns", t->cpus[i], o->measured);
	}
	free(cpus);
}
