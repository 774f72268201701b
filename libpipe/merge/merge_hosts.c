/*
 * merge_hosts.c - which host each input of a merge is from, and by what numbers processes and
 * processors of several are kept apart.  model/host_numbers.c writes and applies the numbers.
 */
#include "merge/merge.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	PIDS = 1 << 22,               /* more than a kernel lets be: PID_MAX_LIMIT */
	PIDS_MOST = INT32_MAX,
	CPUS_UNKNOWN = 1024,          /* room for processors of a host that does not say */
	CPUS_MOST = 1 << 15,          /* a CPU_MAP numbers no more */
	CPUS_STEP = 64,               /* a mask grows by words */
};

/* What an input says of its hosts: those in its notes, by number, or it is from one. */
struct host_table {
	struct pp_host *hosts;
	size_t count;                 /* 0: no notes */
	bool apart;                   /* all of them */
};

/* ---- What inputs say ---- */

bool pp_is_host_note(const struct pp_record *rec)
{
	struct pp_host host;
	struct pp_note note;
	size_t at = 0, n, hosts = 0;

	for (; pp_note_next(rec, &at, &note); hosts++)
		if (!pp_host_parse(&note, &n, &host))
			return false;
	return hosts != 0;
}

/* 0, or -1: out of memory. */
static int read_table(const struct pp_merge_input *in, struct host_table *t)
{
	struct pp_host host;
	struct pp_record rec;
	struct pp_note note;
	size_t n;

	*t = (struct host_table){ .hosts = calloc(PP_HOSTS_MOST, sizeof(*t->hosts)) };
	if (!t->hosts)
		return -1;
	for (size_t at = 0; pp_head_each(&in->notes, &at, &rec);)
		for (size_t next = 0; pp_note_next(&rec, &next, &note);)
			if (pp_host_parse(&note, &n, &host))
				t->hosts[n] = host;
	while (t->count < PP_HOSTS_MOST && *t->hosts[t->count].name)
		t->count++;
	t->apart = t->count != 0;
	for (size_t i = 0; i < t->count; i++)
		t->apart &= t->hosts[i].apart;
	return 0;
}

static bool same_table(const struct host_table *a, const struct host_table *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = !strcmp(a->hosts[i].name, b->hosts[i].name) &&
		       a->hosts[i].apart == b->hosts[i].apart &&
		       a->hosts[i].pid == b->hosts[i].pid && a->hosts[i].cpu == b->hosts[i].cpu;
	return same;
}

static uint64_t cpus_of(const struct pp_merge_input *in, const char *which, uint64_t otherwise)
{
	struct pp_record rec;
	uint64_t cpus;

	if (!pp_merge_input_feature(in, PP_FEAT_NRCPUS, &rec) || !pp_get_u64(&rec, which, &cpus))
		return otherwise;
	return cpus;
}

/* By what they say: the same name, and nothing else that is not the same of one host. */
static bool same_host(const struct pp_merge_input *a, const struct pp_merge_input *b)
{
	static const uint32_t deciding[] = { PP_FEAT_OSRELEASE, PP_FEAT_ARCH, PP_FEAT_CPUID };
	struct pp_record rec;

	if (!pp_merge_input_feature(a, PP_FEAT_HOSTNAME, &rec) ||
	    !pp_merge_input_feature(b, PP_FEAT_HOSTNAME, &rec) ||
	    !pp_merge_input_same_feature(a, b, PP_FEAT_HOSTNAME) ||
	    cpus_of(a, "nr_cpus_avail", 0) != cpus_of(b, "nr_cpus_avail", 0))
		return false;
	for (size_t i = 0; i < sizeof(deciding) / sizeof(*deciding); i++)
		if (!pp_merge_input_same_feature(a, b, deciding[i]))
			return false;
	return true;
}

/* HOSTNAME, or the last part of the input's path. */
static void name_host(const struct pp_merge_input *in, struct pp_host *host)
{
	const char *slash = strrchr(in->stream->name, '/');
	const char *text = slash && slash[1] ? slash + 1 : in->stream->name;
	size_t length = strlen(text);
	struct pp_record rec;

	if (pp_merge_input_feature(in, PP_FEAT_HOSTNAME, &rec))
		(void)pp_get_text(&rec, "hostname", &text, &length);
	pp_host_name(host, text, length);
}

/* ---- The hosts of the output ---- */

static bool is_taken(const struct pp_merge *m, const char *name)
{
	for (size_t i = 0; i < m->n_hosts; i++)
		if (!strcmp(m->hosts[i].name, name))
			return true;
	return false;
}

/* A name that another host has already gets a number. */
static void make_unique(const struct pp_merge *m, struct pp_host *host)
{
	char own[PP_HOST_NAME];

	memcpy(own, host->name, sizeof(own));
	for (unsigned i = 2; is_taken(m, host->name); i++)
		snprintf(host->name, sizeof(host->name), "%.*s~%u", PP_HOST_NAME - 16, own, i);
}

static int too_many(const struct pp_merge *m, struct pp_error *error, const char *what)
{
	pp_merge_say(m, 0, "hosts cannot be kept apart: there are more %s than can be numbered", what);
	return pp_fail(error, PP_E_USE, "hosts");
}

/* One more group of inputs: the hosts of its table, or the one that it is from. */
static int add_host_group(struct pp_merge *m, const struct pp_merge_input *in, const struct host_table *t,
			  struct pp_host base, struct pp_error *error)
{
	for (size_t i = 0; i < (t->apart ? t->count : 1); i++) {
		struct pp_host host = base;

		if (t->apart) {
			host = t->hosts[i];
			host.pid += base.pid;
			host.cpu += base.cpu;
		} else {
			name_host(in, &host);
		}
		make_unique(m, &host);
		if (m->n_hosts == PP_HOSTS_MOST)
			return too_many(m, error, "hosts");
		m->hosts[m->n_hosts++] = host;
	}
	return 0;
}

/* How many numbers an input needs: those of the last host in its table included. */
static void span(const struct pp_merge_input *in, const struct host_table *t, uint64_t *pids, uint64_t *cpus)
{
	*pids = PIDS;
	*cpus = cpus_of(in, "nr_cpus_avail", CPUS_UNKNOWN);
	for (size_t i = 0; i < t->count && t->apart; i++) {
		if (t->hosts[i].pid + (uint64_t)PIDS > *pids)
			*pids = t->hosts[i].pid + (uint64_t)PIDS;
		if (t->hosts[i].cpu + (uint64_t)CPUS_STEP > *cpus)
			*cpus = t->hosts[i].cpu + (uint64_t)CPUS_STEP;
	}
	*cpus = *cpus > CPUS_MOST ? *cpus : (*cpus + CPUS_STEP - 1) / CPUS_STEP * CPUS_STEP;
	*cpus = *cpus ? *cpus : CPUS_STEP;
}

/* Whether two inputs are from one host, or from the same ones.  If hosts are not kept apart, an
 * input without a host may be from any. */
static bool together(const struct pp_merge *m, const struct host_table *tables, size_t i, size_t k)
{
	const struct pp_merge_input *a = m->inputs[i], *b = m->inputs[k];
	struct pp_record rec;

	if (tables[i].apart || tables[k].apart)
		return same_table(&tables[i], &tables[k]);
	return same_host(a, b) ||
	       (!m->options.hosts && (!pp_merge_input_feature(a, PP_FEAT_HOSTNAME, &rec) ||
				      !pp_merge_input_feature(b, PP_FEAT_HOSTNAME, &rec)));
}

/* Ids of events are a host's own: two of one number are two. */
static void number_hosts(struct pp_merge *m, const struct host_table *tables)
{
	for (size_t i = 0; i < m->count; i++) {
		size_t same = 0;

		while (same < i && !together(m, tables, i, same))
			same++;
		m->inputs[i]->member.host = (uint32_t)same;
	}
}

/* The numbers of each group begin where those of the one before end. */
static int keep_apart(struct pp_merge *m, const struct host_table *tables, struct pp_error *error)
{
	uint64_t next_pid = 0, next_cpu = 0, pids, cpus;
	size_t groups = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct pp_merge_input *const in = m->inputs[i];

		if (in->member.host < i) {
			in->host = m->inputs[in->member.host]->host;
			continue;
		}
		span(in, &tables[i], &pids, &cpus);
		if (next_pid + pids > (uint64_t)PIDS_MOST + 1)
			return too_many(m, error, "hosts");
		if (next_cpu + cpus > CPUS_MOST)
			return too_many(m, error, "processors");
		in->host = (struct pp_host){ .apart = true, .pid = (uint32_t)next_pid,
					     .cpu = (uint32_t)next_cpu, .pids = (uint32_t)pids,
					     .cpus = (uint32_t)cpus };
		m->online += cpus_of(in, "nr_cpus_online", 0);
		m->cpus = next_cpu + cpus_of(in, "nr_cpus_avail", cpus);
		next_pid += pids;
		next_cpu += cpus;
		groups++;
		if (add_host_group(m, in, &tables[i], in->host, error))
			return -1;
	}
	if (groups == 1)
		m->cpus = m->online = 0;
	m->renoted = true;
	return 0;
}

/* Names alone; two of one name are one host. */
static void list_names(struct pp_merge *m, const struct host_table *tables)
{
	struct pp_record rec;
	struct pp_host host;
	bool apart = false;

	for (size_t i = 0; i < m->count; i++) {
		const struct host_table *t = &tables[i];
		const bool named = pp_merge_input_feature(m->inputs[i], PP_FEAT_HOSTNAME, &rec);

		apart |= t->apart;
		for (size_t k = 0; k < (t->count ? t->count : named); k++) {
			host = (struct pp_host){ .apart = false };
			if (t->count)
				memcpy(host.name, t->hosts[k].name, sizeof(host.name));
			else
				name_host(m->inputs[i], &host);
			if (!is_taken(m, host.name) && m->n_hosts < PP_HOSTS_MOST)
				m->hosts[m->n_hosts++] = host;
		}
	}
	m->renoted = m->n_hosts > 1;
	if (m->renoted && apart)
		pp_merge_say_hint(m, 0, PP_HINT_KEEP_HOSTS,
				  "the hosts of merged inputs cannot be distinguished any more");
}

static int find_hosts(struct pp_merge *m, const struct host_table *tables, struct pp_error *error)
{
	bool alike = true;

	number_hosts(m, tables);
	for (size_t i = 1; i < m->count; i++)
		alike = alike && same_table(&tables[0], &tables[i]);
	if (m->options.hosts && !(alike && tables[0].apart))
		return keep_apart(m, tables, error);
	if (!alike || !tables[0].count)
		list_names(m, tables);
	return 0;
}

/* Processor 0 is the first host's: a record without a processor stays with its host, or belongs to
 * none if its input is from several. */
static uint32_t untold_cpu(const struct pp_merge_input *in, const struct host_table *t)
{
	return t->apart && t->count > 1 ? UINT32_MAX : in->host.cpu;
}

int pp_merge_hosts(struct pp_merge *m, struct pp_error *error)
{
	struct host_table *tables = calloc(m->count, sizeof(*tables));
	int status = tables ? 0 : pp_merge_no_memory(error);

	m->hosts = calloc(PP_HOSTS_MOST, sizeof(*m->hosts));
	if (!m->hosts)
		status = pp_merge_no_memory(error);
	for (size_t i = 0; !status && i < m->count; i++)
		if (read_table(m->inputs[i], &tables[i]))
			status = pp_merge_no_memory(error);
	if (!status)
		status = find_hosts(m, tables, error);
	for (size_t i = 0; !status && i < m->count; i++)
		m->inputs[i]->member.cpu = untold_cpu(m->inputs[i], &tables[i]);
	for (size_t i = 0; tables && i < m->count; i++)
		free(tables[i].hosts);
	free(tables);
	return status;
}
