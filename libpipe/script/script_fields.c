/*
 * script_fields.c - the fields of samples under perf's names, and which of them are printed: perf's
 * own choice, and what -F says.
 */
#include "script/script.h"

#include <string.h>

#include "base/log.h"

#define BIT(name) PP_SAMPLE_##name
#define IN(member) .at = offsetof(struct line, member)
const struct pp_script_row pp_script_rows[FIELDS] = {
	[F_COMM] = { "comm", .print = pp_print_comm, .cell = pp_cell_of_comm },
	[F_PID] = { "pid", BIT(TID), "TID", .print = pp_print_pid, .cell = pp_cell_of_task, IN(pid) },
	[F_TID] = { "tid", BIT(TID), "TID", .print = pp_print_tid, .cell = pp_cell_of_task, IN(tid) },
	[F_CPU] = { "cpu", BIT(CPU), "CPU", .print = pp_print_cpu, .cell = pp_cell_of_task, IN(cpu) },
	[F_MISC] = { "misc", .print = pp_print_misc, .cell = pp_cell_of_printed },
	[F_TOD] = { "tod", .print = pp_print_tod, .cell = pp_cell_of_printed },
	[F_TIME] = { "time", BIT(TIME), "TIME", .print = pp_print_time, .cell = pp_cell_of_time },
	[F_PERIOD] = { "period", .print = pp_print_period, .cell = pp_cell_of_number, IN(period) },
	[F_EVENT] = { "event", .print = pp_print_event, .cell = pp_cell_of_event },
	[F_TRACE] = { "trace", .print = pp_print_trace, .cell = pp_cell_of_printed },
	[F_ADDR] = { "addr", BIT(ADDR), "ADDR", .print = pp_print_addr, .cell = pp_cell_of_addr },
	[F_DATA_SRC] = { "data_src", BIT(DATA_SRC), "DATA_SRC", .print = pp_print_data_src, .rest = true,
			 .cell = pp_cell_of_data_src },
	[F_WEIGHT] = { "weight", BIT(WEIGHT) | BIT(WEIGHT_STRUCT), "WEIGHT", .print = pp_print_weight,
		       .rest = true, .cell = pp_cell_of_number, IN(details.weight) },
	[F_INS_LAT] = { "ins_lat", BIT(WEIGHT_STRUCT), "WEIGHT_STRUCT", .print = pp_print_ins_lat,
			.rest = true, .cell = pp_cell_of_number, IN(details.ins_lat) },
	[F_RETIRE_LAT] = { "retire_lat", BIT(WEIGHT_STRUCT), "WEIGHT_STRUCT", .print = pp_print_retire_lat,
			   .rest = true, .cell = pp_cell_of_number, IN(details.retire_lat) },
	[F_CGROUP] = { "cgroup", BIT(CGROUP), "CGROUP", .print = pp_print_cgroup, .rest = true,
		       .cell = pp_cell_of_cgroup },
	[F_IP] = { "ip", BIT(IP), "IP", .print = pp_print_ip, .cell = pp_cell_of_place },
	[F_SYM] = { .name = "sym" },
	[F_SYMOFF] = { .name = "symoff" },
	[F_DSO] = { .name = "dso" },
	[F_DSOFF] = { .name = "dsoff" },
	[F_SRCLINE] = { .name = "srcline" },
	[F_IREGS] = { "iregs", BIT(REGS_INTR), "IREGS", .print = pp_print_iregs, .rest = true,
		      .cell = pp_cell_of_regs, IN(details.iregs) },
	[F_UREGS] = { "uregs", BIT(REGS_USER), "UREGS", .print = pp_print_uregs, .rest = true,
		      .cell = pp_cell_of_regs, IN(details.uregs) },
	[F_BRSTACK] = { "brstack", .print = pp_print_brstack, .rest = true, .cell = pp_cell_of_branches },
	[F_BRSTACKSYM] = { "brstacksym", .print = pp_print_brstacksym, .rest = true,
			   .cell = pp_cell_of_branches },
	[F_BRSTACKOFF] = { "brstackoff", .print = pp_print_brstackoff, .rest = true,
			   .cell = pp_cell_of_branches },
	[F_BPF_OUTPUT] = { "bpf-output", .print = pp_print_bpf_output, .cell = pp_cell_of_bytes },
	[F_PHYS_ADDR] = { "phys_addr", BIT(PHYS_ADDR), "PHYS_ADDR", .print = pp_print_phys_addr,
			  .rest = true, .cell = pp_cell_of_hex, IN(details.phys_addr) },
	[F_DATA_PAGE_SIZE] = { "data_page_size", BIT(DATA_PAGE_SIZE), "DATA_PAGE_SIZE",
			       .print = pp_print_data_page_size, .rest = true, .cell = pp_cell_of_number,
			       IN(details.data_page_size) },
	[F_CODE_PAGE_SIZE] = { "code_page_size", BIT(CODE_PAGE_SIZE), "CODE_PAGE_SIZE",
			       .print = pp_print_code_page_size, .rest = true, .cell = pp_cell_of_number,
			       IN(details.code_page_size) },
};

#define USUAL (FIELD(COMM) | FIELD(TID) | FIELD(CPU) | FIELD(TIME) | FIELD(EVENT) | FIELD(IP) | \
	       FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO) | FIELD(PERIOD))
#define MEMORY (FIELD(ADDR) | FIELD(DATA_SRC) | FIELD(WEIGHT) | FIELD(PHYS_ADDR) | FIELD(DATA_PAGE_SIZE) | \
		FIELD(CODE_PAGE_SIZE) | FIELD(INS_LAT) | FIELD(RETIRE_LAT))
#define NO_TRACE (FIELD(TRACE) | FIELD(BPF_OUTPUT))

/* perf's own choice, and what makes no sense of such events, by type. */
static const struct {
	const char *name, *events;    /* of the type, in "sw:..."; what perf calls its events */
	uint64_t fields, invalid;
} types[PP_SCRIPT_TYPES] = {
	{ "hw", "hardware", USUAL, NO_TRACE },
	{ "sw", "software", USUAL | FIELD(BPF_OUTPUT), FIELD(TRACE) },
	{ "trace", "tracepoint", FIELD(COMM) | FIELD(TID) | FIELD(CPU) | FIELD(TIME) | FIELD(EVENT) |
	  FIELD(TRACE), 0 },
	{ NULL, "cache", USUAL, NO_TRACE },
	{ "raw", "raw", USUAL | MEMORY, NO_TRACE },
	{ "break", "breakpoint", USUAL, NO_TRACE },
	{ "synth", "synth", USUAL & ~FIELD(PERIOD), NO_TRACE },
	{ NULL, "other", USUAL, NO_TRACE },
};

/* Fields of perf that are not shown here, and why: the end of a sentence that begins with the fields. */
#define DISASSEMBLER "has a field that needs a disassembler: only perf script shows it", PP_HINT_NONE
#define DECODER "has a field that is only in decoded AUX data: perf script shows it, of a perf.data file", \
	PP_HINT_NONE
#define GUESTS "has a field of guests, whose recordings only perf script reads with their hosts'", \
	PP_HINT_NONE
static const struct { const char *name, *why; enum pp_hint hint; } missing[] = {
	{ "insn", DISASSEMBLER }, { "insnlen", DISASSEMBLER }, { "disasm", DISASSEMBLER },
	{ "brstackinsn", DISASSEMBLER }, { "brstackinsnlen", DISASSEMBLER }, { "brstackdisasm", DISASSEMBLER },
	{ "callindent", DECODER }, { "flags", DECODER }, { "ipc", DECODER }, { "synth", DECODER },
	{ "machine_pid", GUESTS }, { "vcpu", GUESTS },
	{ "metric", "has a field that is computed from counts", PP_HINT_METRICS },
	{ "brcntr", "has a field of counters in branches, which is not known here", PP_HINT_DUMP },
	{ "srccode", "has a field that shows files of sources: `srcline' shows their lines' numbers",
	  PP_HINT_NONE },
};

unsigned pp_script_type(const struct pp_attr *attr)
{
	return attr->type <= PP_TYPE_BREAKPOINT ? attr->type : TYPE_OTHER;
}

void pp_script_defaults(struct pp_script_fields *f)
{
	if (f->made)
		return;
	for (size_t i = 0; i < PP_SCRIPT_TYPES; i++)
		f->of[i].fields = types[i].fields;
	f->made = true;
}

/* ---- what -F says ---- */

static int field_named(const char *name, size_t length)
{
	for (int i = 0; i < FIELDS; i++)
		if (strlen(pp_script_rows[i].name) == length && !memcmp(pp_script_rows[i].name, name, length))
			return i;
	return -1;
}

const char *pp_script_field(size_t i)
{
	return i < FIELDS ? pp_script_rows[i].name : NULL;
}

uint64_t pp_script_field_needs(size_t i)
{
	const bool of_branches = i == F_BRSTACK || i == F_BRSTACKSYM || i == F_BRSTACKOFF;

	return of_branches ? PP_SAMPLE_BRANCH_STACK : i < FIELDS ? pp_script_rows[i].needs : 0;
}

static int refuse_field(const char *name, size_t length, struct pp_error *error)
{
	(void)pp_fail(error, PP_E_USE, "has a field that is not known");
	for (size_t i = 0; i < sizeof(missing) / sizeof(*missing); i++) {
		if (strlen(missing[i].name) != length || memcmp(missing[i].name, name, length))
			continue;
		(void)pp_fail(error, PP_E_USE, "%s", missing[i].why);
		(void)pp_error_hint(error, missing[i].hint);
	}
	return -1;
}

enum change { SET, ADD, REMOVE };

static void apply(struct pp_script_fields *f, size_t type, uint64_t field, enum change change, bool all)
{
	f->of[type].chosen = true;
	f->of[type].all = all;
	if (change == REMOVE)
		f->of[type].fields &= ~field;
	else
		f->of[type].fields |= field;
	/* perf does not hold to what is said of one type alone: it drops, and adds, as if that were its own
	 * choice */
	if (!all)
		return;
	if (change == REMOVE) {
		f->of[type].set &= ~field;
		f->of[type].unset |= field;
	} else {
		f->of[type].set |= field;
		f->of[type].unset &= ~field;
	}
}

/* One of the fields, for one type or (-1) for all. */
static int choose(struct pp_script_fields *f, int type, const char *name, size_t length, enum change change,
		  const struct pp_say *say, struct pp_error *error)
{
	const int i = field_named(name, length);
	const uint64_t field = i < 0 ? 0 : UINT64_C(1) << i;

	if (i < 0)
		return refuse_field(name, length, error);
	if (type >= 0 && types[type].invalid & field)
		return pp_fail(error, PP_E_USE, "has a field that such events do not have");
	for (size_t t = 0; t < PP_SCRIPT_TYPES; t++) {
		if (type >= 0 && t != (size_t)type)
			continue;
		if (types[t].invalid & field) {
			if (change == ADD)
				pp_say(say, "'%s' not valid for %s events. Ignoring.", pp_script_rows[i].name,
				       types[t].events);
			continue;
		}
		apply(f, t, field, change, type < 0);
	}
	return 0;
}

/* The type before the colon: 0 and *type, -1 for all, and where the fields begin; or -1 and *error. */
static int take_type(const char *text, int *type, const char **fields, struct pp_error *error)
{
	const char *const colon = strchr(text, ':');

	*type = -1;
	*fields = colon ? colon + 1 : text;
	for (int i = 0; colon && i < PP_SCRIPT_TYPES; i++)
		if (types[i].name && strlen(types[i].name) == (size_t)(colon - text) &&
		    !memcmp(types[i].name, text, (size_t)(colon - text)))
			*type = i;
	if (colon && *type < 0)
		return pp_fail(error, PP_E_USE, "has no type of events before its colon: hw, sw, trace, raw, "
			       "break, synth");
	return colon || *text ? 0 :
	       pp_fail(error, PP_E_USE, "is empty: no fields at all are only for one type of events");
}

static void clear(struct pp_script_fields *f, int type)
{
	for (int t = 0; t < PP_SCRIPT_TYPES; t++) {
		if (type >= 0 && t != type)
			continue;
		f->of[t].fields = f->of[t].set = 0;
		f->of[t].chosen = true;
		f->of[t].all = type < 0;
	}
}

int pp_script_choose(struct pp_script_fields *f, const char *text, const struct pp_say *say,
		     struct pp_error *error)
{
	const char *at;
	bool set = false, changed = false;
	int type;

	pp_script_defaults(f);
	if (take_type(text, &type, &at, error))
		return -1;
	/* perf looks for the signs anywhere, so that "comm,bpf-output" adds to its own choice, too */
	if (!strpbrk(at, "+-"))
		clear(f, type);
	while (*at) {
		const size_t length = strcspn(at, ",");
		const bool sign = *at == '+' || *at == '-';

		if (length && (sign ? set : changed))
			return pp_fail(error, PP_E_USE, "mixes fields that are added or removed with "
				       "such that are set");
		*(sign ? &changed : &set) |= length != 0;
		if (length && choose(f, type, at + sign, length - sign,
				     *at == '-' ? REMOVE : sign ? ADD : SET, say, error))
			return -1;
		at += length + (at[length] == ',');
	}
	return 0;
}

static bool asks_for(const struct pp_script_fields *f, uint64_t field)
{
	uint64_t fields = 0;

	for (size_t i = 0; i < PP_SCRIPT_TYPES; i++)
		fields |= f->of[i].fields;
	return fields & field;
}

bool pp_script_wants_lines(const struct pp_script_fields *f)
{
	return asks_for(f, FIELD(SRCLINE));
}

bool pp_script_wants_registers(const struct pp_script_fields *f)
{
	return asks_for(f, FIELD(UREGS));
}

/* ---- what samples have ---- */

static int lacks(const struct pp_attr *attr, const char *what, unsigned field, struct pp_error *error)
{
	return pp_fail(error, PP_E_USE, "samples of %.60s have no %s: field '%s' cannot be shown", attr->name,
		       what, pp_script_rows[field].name);
}

/* Fields that there is nothing for are dropped, or refused where they were asked for. */
static int check(const struct pp_script_fields *f, unsigned type, uint64_t *fields,
		 const struct pp_attr *attr, struct pp_error *error)
{
	const uint64_t places = PP_SAMPLE_IP | PP_SAMPLE_ADDR;

	for (unsigned i = 0; i < FIELDS; i++) {
		const uint64_t field = UINT64_C(1) << i, needs = pp_script_rows[i].needs;

		if (!(*fields & field) || !needs || attr->sample_type & needs)
			continue;
		if (f->of[type].set & field)
			return lacks(attr, pp_script_rows[i].need, i, error);
		*fields &= ~field;
	}
	if (*fields & (FIELD(SYM) | FIELD(DSO)) && !(attr->sample_type & places)) {
		if (f->of[type].set & (FIELD(SYM) | FIELD(DSO)))
			return lacks(attr, "address", f->of[type].set & FIELD(SYM) ? F_SYM : F_DSO, error);
		*fields &= ~(FIELD(SYM) | FIELD(DSO));
	}
	if (*fields & FIELD(SYMOFF) && !(*fields & FIELD(SYM))) {
		if (f->of[type].set & FIELD(SYMOFF))
			return pp_fail(error, PP_E_USE, "field 'symoff' needs field 'sym'");
		*fields &= ~FIELD(SYMOFF);
	}
	if (*fields & FIELD(SRCLINE) && !(*fields & FIELD(IP)))
		return pp_fail(error, PP_E_USE, "field 'srcline' needs field 'ip'");
	return 0;
}

/* What perf adds where there are call chains. */
static void add_chain(const struct pp_script *s, unsigned type, uint64_t *fields, uint64_t sample_types,
		      const struct pp_attr *attr)
{
	const struct pp_script_fields *const f = &s->how.fields;
	const uint64_t copies = PP_SAMPLE_REGS_USER | PP_SAMPLE_STACK_USER;

	if (s->how.no_chain)
		return;
	if (!s->how.of_file && (sample_types & (PP_SAMPLE_CALLCHAIN | PP_SAMPLE_BRANCH_STACK) ||
				(sample_types & copies) == copies)) {
		*fields |= FIELD(IP) & ~f->of[type].unset;
		*fields |= FIELD(SYM) & ~f->of[type].unset;
	}
	if (s->how.of_file && type == PP_TYPE_TRACEPOINT && !f->of[type].chosen &&
	    pp_attr_has_chain(attr))
		*fields |= FIELD(IP) | FIELD(SYM) | FIELD(SYMOFF) | FIELD(DSO);
}

int pp_script_check(const struct pp_script *s, uint64_t fields[PP_SCRIPT_TYPES],
		    uint64_t bare[PP_SCRIPT_TYPES], const struct pp_attrs *attrs, struct pp_error *error)
{
	const struct pp_script_fields *const f = &s->how.fields;
	uint64_t sample_types = 0;
	bool seen[PP_SCRIPT_TYPES] = { false };

	for (unsigned t = 0; t < PP_SCRIPT_TYPES; t++) {
		fields[t] = f->of[t].fields;
		bare[t] = !s->how.of_file && t == TYPE_OTHER;
	}
	for (size_t i = 0; i < pp_attrs_count(attrs); i++) {
		const struct pp_attr *const attr = pp_attrs_at(attrs, i);
		const unsigned type = pp_script_type(attr);

		sample_types |= attr->sample_type | (pp_attr_has_chain(attr) ? PP_SAMPLE_CALLCHAIN : 0);
		if (seen[type]) {
			if (s->how.of_file)
				add_chain(s, type, &fields[type], sample_types, attr);
			continue;
		}
		seen[type] = true;
		if (fields[type] && attr->sample_type && !bare[type] &&
		    check(f, type, &fields[type], attr, error))
			return -1;
		if (!bare[type])
			add_chain(s, type, &fields[type], sample_types, attr);
		/* of a stream perf shows no offset where there is no file before it */
		if (s->how.of_file && fields[type] & FIELD(DSOFF))
			fields[type] |= FIELD(DSO);
	}
	return 0;
}
