/* file_events.c - what an entry of perf's JSON says of an event, as the grammar of -e has it. */
#include "base/array.h"
#include "metric/metric.h"
#include "text/json_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Entries --------------------------------------------------------------------------------- */

/* The text of a node, terminated where its closing quote was; NULL: it is no text, or has a zero byte. */
static const char *text_of(const struct json *n)
{
	if (n->kind != JSON_TEXT || memchr(n->text, '\0', n->length))
		return NULL;
	((char *)(uintptr_t)n->text)[n->length] = '\0';
	return n->text;
}

const char *pp_metric_entry_own(const struct pp_metric_entry *e, const char *key)
{
	for (uint32_t i = e->object->length ? (uint32_t)(e->object - e->nodes) + 1 : 0; i;
	     i = e->nodes[i].next) {
		const struct json *const n = &e->nodes[i];

		if (n->key_length == strlen(key) && !memcmp(n->key, key, n->key_length))
			return text_of(n);
	}
	return NULL;
}

const char *pp_metric_entry_text(const struct pp_metric_entry *e, const char *key)
{
	const char *const own = pp_metric_entry_own(e, key);

	return own || !e->standard ? own : pp_metric_entry_own(e->standard, key);
}

/* ---- Encodings ------------------------------------------------------------------------------- */

/* The name that sysfs has for a PMU of the files (perf's jevents.py); an asterisk stands for the number of
 * one of several. */
static void pmu_name(char *to, size_t size, const char *unit)
{
	static const struct { const char *unit, *pmu; } names[] = {
		{ "CBO", "uncore_cbox" }, { "QPI LL", "uncore_qpi" }, { "SBO", "uncore_sbox" },
		{ "iMPH-U", "uncore_arb" }, { "CPU-M-CF", "cpum_cf" }, { "CPU-M-SF", "cpum_sf" },
		{ "PAI-CRYPTO", "pai_crypto" }, { "PAI-EXT", "pai_ext" }, { "UPI LL", "uncore_upi" },
		{ "hisi_sicl,cpa", "hisi_sicl*_cpa*" }, { "hisi_sccl,ddrc", "hisi_sccl*_ddrc*" },
		{ "hisi_sccl,hha", "hisi_sccl*_hha*" }, { "hisi_sccl,l3c", "hisi_sccl*_l3c*" },
		{ "L3PMC", "amd_l3" }, { "DFPMC", "amd_df" }, { "UMCPMC", "amd_umc" },
	};
	/* and those that both call alike */
	static const char *const same[] = {
		"cpu", "cpu_core", "cpu_atom", "imx8_ddr", "imx9_ddr", "ali_drw", "arm_cmn", "software",
		"tool",
	};
	char *p;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i].unit, unit)) {
			(void)snprintf(to, size, "%s", names[i].pmu);
			return;
		}
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		if (!strcmp(same[i], unit)) {
			(void)snprintf(to, size, "%s", unit);
			return;
		}
	(void)snprintf(to, size, "uncore_%s", unit);
	for (p = to; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p |= 0x20;
}

/* Whether a value says nothing: absent, or 0 in any notation. */
static bool is_zero(const char *value)
{
	return !value || !*value || !value[strspn(value, "0xX")];
}

/* Appends ",TEXT"; false: no room. */
static bool put_text(char *to, size_t size, const char *text)
{
	const size_t at = strlen(to);

	return (size_t)snprintf(to + at, size - at, "%s%s", at ? "," : "", text) < size - at;
}

/* Appends ",NAME=VALUE", of several values the first.  False: no room, or no number. */
static bool put_term(char *to, size_t size, const char *name, const char *value)
{
	const size_t length = strspn(value, "0123456789abcdefABCDEFxX");
	char term[128];

	if (!length || (value[length] && !strchr(", ", value[length])))
		return false;
	return (size_t)snprintf(term, sizeof(term), "%s=%.*s", name, (int)length, value) < sizeof(term) &&
	       put_text(to, size, term);
}

/* The event's code, with the bits above it that Intel calls ExtSel.  0 is one, too: of clocks, and if a mask
 * alone tells events apart. */
static bool put_code(const struct pp_metric_entry *e, char *to, size_t size)
{
	static const struct { const char *key, *term; } codes[] = {
		{ "ConfigCode", "config" }, { "EventidCode", "eventid" },
	};
	const char *const code = pp_metric_entry_own(e, "EventCode");
	const char *const above = pp_metric_entry_own(e, "ExtSel");
	char both[32];

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		const char *const value = pp_metric_entry_own(e, codes[i].key);

		if (value)
			return put_term(to, size, codes[i].term, value);
	}
	if (is_zero(above))
		return put_term(to, size, "event", !is_zero(code) ? code : "0");
	(void)snprintf(both, sizeof(both), "0x%llx", strtoull(code ? code : "0", NULL, 0) |
		       strtoull(above, NULL, 0) << 8);
	return put_term(to, size, "event", both);
}

/* "event=0xc2,umask=0x2" from what Intel, AMD and ARM write; false: it is no such event. */
static bool encode(const struct pp_metric_entry *e, char *to, size_t size)
{
	static const struct { const char *key, *term; } terms[] = {
		{ "UMask", "umask" },
		{ "CounterMask", "cmask" }, { "Invert", "inv" }, { "EdgeDetect", "edge" },
		{ "AnyThread", "any" }, { "PortMask", "ch_mask" }, { "FCMask", "fc_mask" },
		{ "NodeType", "type" }, { "RdWrMask", "rdwrmask" }, { "EnAllCores", "enallcores" },
		{ "EnAllSlices", "enallslices" }, { "SliceId", "sliceid" }, { "ThreadMask", "threadmask" },
	};
	static const struct { const char *index, *term; } msrs[] = {
		{ "0x3F6", "ldlat" }, { "0x1A6", "offcore_rsp" }, { "0x1A7", "offcore_rsp" },
		{ "0x3F7", "frontend" },
	};
	const char *const msr = pp_metric_entry_own(e, "MSRIndex");
	const char *const of = pp_metric_entry_own(e, "MSRValue");
	const char *const filter = pp_metric_entry_own(e, "Filter");

	*to = '\0';
	if (!put_code(e, to, size))
		return false;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		const char *const value = pp_metric_entry_own(e, terms[i].key);

		if (!is_zero(value) && !put_term(to, size, terms[i].term, value))
			return false;
	}
	if (filter && *filter && !put_text(to, size, filter))
		return false;
	for (size_t i = 0; msr && !is_zero(of) && i < sizeof(msrs) / sizeof(msrs[0]); i++)
		if (!strncasecmp(msr, msrs[i].index, 5) && !put_term(to, size, msrs[i].term, of))
			return false;
	return true;
}

/* Events of Intel's fixed counters have codes of their own in the files; the kernel knows them by these
 * (jevents.py). */
static const char *fixed_counter(const char *name)
{
	static const struct { const char *name, *terms; } fixed[] = {
		{ "inst_retired.any", "event=0xc0" }, { "inst_retired.any_p", "event=0xc0" },
		{ "cpu_clk_unhalted.ref", "event=0x0,umask=0x03" },
		{ "cpu_clk_unhalted.thread", "event=0x3c" }, { "cpu_clk_unhalted.core", "event=0x3c" },
		{ "cpu_clk_unhalted.thread_any", "event=0x3c,any=1" },
	};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!strcasecmp(name, fixed[i].name))
			return fixed[i].terms;
	return NULL;
}

int pp_metric_entry_event(struct pp_metrics *all, const struct pp_metric_entry *e, const char *name)
{
	const char *const ready = pp_metric_entry_own(e, "Encoding");
	const char *const unit = pp_metric_entry_text(e, "Unit");
	const char *const fixed = fixed_counter(name);
	char terms[512], whole[768], pmu[128] = "cpu";

	if (ready)
		return pp_metrics_add_event(all, name, ready);
	/* only the list that perf prints has these: they do not say how the event is counted */
	if (pp_metric_entry_own(e, "EventType") || pp_metric_entry_own(e, "Topic"))
		return 0;
	if (!fixed && !encode(e->standard ? e->standard : e, terms, sizeof(terms)))
		return 0;
	if (unit && strcmp(unit, "default_core") != 0)
		pmu_name(pmu, sizeof(pmu), unit);
	(void)snprintf(whole, sizeof(whole), "%s/%s/", pmu, fixed ? fixed : terms);
	return pp_metrics_add_event(all, name, whole);
}
