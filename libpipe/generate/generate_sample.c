/* generate_sample.c - builds the forms of samples, and finds in each the places of the values that
 * differ from one sample to the next. */
#include "generate/generate.h"

#include <stdlib.h>

enum {
	FORMS_MAX = 256, FORMS_MIN = 8,
	FORMS_BYTES = 4 << 20,        /* of all events, about */
	DEPTH_MAX = 4096,             /* of call chains */
	RAW_MIN = 20,                 /* of a tracepoint: the fields of its format */
};
#define MARK_KERNEL ((uint64_t)-128)
#define MARK_USER   ((uint64_t)-512)

/* An address that every process maps, if it maps any; or one in the kernel. */
static uint64_t address(struct pp_gen *g, bool kernel)
{
	const uint64_t maps = g->o.maps ? g->o.maps : 1;

	if (kernel)
		return GEN_KERNEL_START + pp_gen_below(g, GEN_KERNEL_SIZE);
	return GEN_MAP_START + pp_gen_below(g, maps) * GEN_MAP_STEP + pp_gen_below(g, GEN_MAP_SIZE);
}

/* From the kernel out to the process, as the kernel writes it. */
static void callchain(struct pp_gen *g, struct pp_build *b, uint64_t ip, bool kernel)
{
	const uint64_t depth = g->o.callchain ? 1 + pp_gen_below(g, g->o.callchain) : 0;
	const uint64_t inside = kernel && depth ? 1 + pp_gen_below(g, depth) : 0;
	uint64_t ips[DEPTH_MAX + 2], n = 0;

	for (uint64_t i = 0; i < depth; i++) {
		if (!i && inside)
			ips[n++] = MARK_KERNEL;
		if (i == inside)
			ips[n++] = MARK_USER;
		ips[n++] = i ? address(g, i < inside) : ip;
	}
	pp_build_u64(b, "nr", n);
	pp_build_bytes(b, "callchain", ips, (size_t)n * sizeof(*ips));
}

static void fill_random(struct pp_gen *g, uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[i] = (uint8_t)pp_gen_draw(g);
}

/* Raw data lie in the producer's byte order and are not turned around later. */
static void store_raw(const struct pp_gen *g, uint8_t *p, uint16_t type, uint64_t value)
{
	pp_store64(p, 0);
	pp_store_order16(p, type, g->swap);
	pp_store_order64(p + 8, value, g->swap);
}

static void raw(struct pp_gen *g, struct pp_build *b, const struct pp_gen_event *e)
{
	const bool tracepoint = e->type == PP_TYPE_TRACEPOINT;
	const uint32_t asked = tracepoint && g->o.raw < RAW_MIN ? RAW_MIN : g->o.raw;
	/* the kernel pads it, and counts the padding */
	const size_t size = (size_t)pp_align8((uint64_t)asked + 4) - 4;
	uint8_t *const data = g->scratch;

	if (!pp_fits(size, sizeof(g->scratch))) {
		b->failed = true;
		return;
	}
	fill_random(g, data, asked);
	memset(data + asked, 0, size - asked);
	if (tracepoint)
		store_raw(g, data, (uint16_t)e->config, pp_gen_below(g, 1000));
	pp_build_u64(b, "size", size);
	pp_build_bytes(b, "raw", data, size);
}

static void branches(struct pp_gen *g, struct pp_build *b)
{
	pp_build_open(b, "branch_stack");
	pp_build_u64(b, "nr", g->o.branches);
	for (uint32_t i = 0; i < g->o.branches && !b->failed; i++) {
		pp_build_open(b, "entries");
		pp_build_u64(b, "from", address(g, false));
		pp_build_u64(b, "to", address(g, false));
		pp_build_u64(b, "flags", 1 + pp_gen_below(g, 2));  /* (mis)predicted */
		pp_build_close(b);
	}
	pp_build_close(b);
}

static void registers(struct pp_gen *g, struct pp_build *b, const char *name, uint64_t mask)
{
	const size_t n = (size_t)__builtin_popcountll(mask);
	uint64_t regs[64];

	for (size_t i = 0; i < n; i++)
		regs[i] = address(g, false);
	pp_build_open(b, name);
	pp_build_u64(b, "abi", 2);
	pp_build_bytes(b, "regs", regs, n * sizeof(*regs));
	pp_build_close(b);
}

static void stack(struct pp_gen *g, struct pp_build *b)
{
	const uint64_t size = pp_align8(g->o.stack);

	if (!pp_fits(size, sizeof(g->scratch))) {
		b->failed = true;
		return;
	}
	fill_random(g, g->scratch, (size_t)size);
	pp_build_open(b, "stack_user");
	pp_build_u64(b, "size", size);
	pp_build_bytes(b, "data", g->scratch, (size_t)size);
	if (size)
		pp_build_u64(b, "dyn_size", size);
	pp_build_close(b);
}

/* Fields that differ from sample to sample stay zero, and so does what is zero as a rule. */
static void fill_sample(struct pp_gen *g, struct pp_build *b, const struct pp_gen_event *e,
			uint64_t ip, bool kernel)
{
	const uint64_t bits = e->attr->sample_type;

	if (bits & PP_SAMPLE_IP)
		pp_build_u64(b, "ip", ip);
	if (bits & PP_SAMPLE_ADDR)
		pp_build_u64(b, "addr", address(g, false));
	if (bits & PP_SAMPLE_PERIOD)
		pp_build_u64(b, "period", e->attr->sample_period);
	if (bits & PP_SAMPLE_CALLCHAIN)
		callchain(g, b, ip, kernel);
	if (bits & PP_SAMPLE_RAW)
		raw(g, b, e);
	if (bits & PP_SAMPLE_BRANCH_STACK)
		branches(g, b);
	if (bits & PP_SAMPLE_REGS_USER)
		registers(g, b, "regs_user", e->attr->regs_user);
	if (bits & PP_SAMPLE_STACK_USER)
		stack(g, b);
	if (bits & (PP_SAMPLE_WEIGHT | PP_SAMPLE_WEIGHT_STRUCT))
		pp_build_u64(b, "weight", 1 + pp_gen_below(g, 500));
	if (bits & PP_SAMPLE_REGS_INTR)
		registers(g, b, "regs_intr", e->attr->regs_intr);
	if (bits & PP_SAMPLE_PHYS_ADDR)
		pp_build_u64(b, "phys_addr", pp_gen_below(g, UINT64_C(1) << 36));
	if (bits & PP_SAMPLE_CGROUP)
		pp_build_u64(b, "cgroup", 1);
	if (bits & PP_SAMPLE_DATA_PAGE_SIZE)
		pp_build_u64(b, "data_page_size", 4096);
	if (bits & PP_SAMPLE_CODE_PAGE_SIZE)
		pp_build_u64(b, "code_page_size", 4096);
	if (bits & PP_SAMPLE_AUX) {
		fill_random(g, g->scratch, GEN_AUX_BYTES);
		pp_build_u64(b, "aux_size", GEN_AUX_BYTES);
		pp_build_bytes(b, "aux", g->scratch, GEN_AUX_BYTES);
	}
}

static void note_place(struct pp_gen_form *f, const struct pp_gen_event *e, const struct pp_cursor *c,
		       uint16_t at)
{
	switch (c->field->is) {
	case PP_IS_IDENTIFIER: case PP_IS_EVENT_ID: case PP_IS_STREAM_ID:
		f->ids[f->n_ids++] = at;
		break;
	case PP_IS_PID:  f->tid = at; break;
	case PP_IS_TIME: f->time = at; break;
	case PP_IS_CPU:  f->cpu = at; break;
	case PP_IS_RAW:
		if (e->type == PP_TYPE_TRACEPOINT)
			f->raw_pid = (uint16_t)(at + 4);
		break;
	default:
		if (!strcmp(c->field->name, "value"))
			f->value = at;
	}
}

/* Where a sample has what differs. */
static int find_places(struct pp_gen *g, struct pp_gen_form *f, const struct pp_gen_event *e,
		       const struct pp_record *rec)
{
	struct pp_cursor c;
	int token;

	pp_walk(&c, rec);
	while ((token = pp_walk_next(&c)) > PP_END) {
		if (token == PP_VALUE)
			note_place(f, e, &c, (uint16_t)(c.data - rec->data));
	}
	if (token < 0)
		*g->error = c.error;
	return token < 0 ? -1 : 0;
}

static int build_form(struct pp_gen *g, struct pp_gen_form *f, const struct pp_gen_event *e)
{
	const bool kernel = !pp_gen_below(g, 4);
	const uint64_t ip = address(g, kernel);
	struct pp_record rec;
	struct pp_build b;
	size_t size;

	pp_build(&b, g->buf, sizeof(g->buf), PP_REC_SAMPLE,
		 kernel ? PP_MISC_KERNEL : PP_MISC_USER, e->attr);
	fill_sample(g, &b, e, ip, kernel);
	size = pp_build_end(&b);
	if (!size)
		return pp_fail(g->error, PP_E_USE, "such a sample does not fit in a record");
	if (pp_record_at(&rec, g->buf, size, g->error))
		return -1;
	rec.attr = e->attr;
	if (find_places(g, f, e, &rec) || (g->swap && pp_convert(&rec, PP_FROM_HOST, g->error)))
		return -1;
	f->data = malloc(size);
	if (!f->data)
		return pp_fail(g->error, PP_E_NOMEM, NULL);
	memcpy(f->data, g->buf, size);
	f->size = (uint16_t)size;
	return 0;
}

/* As many as are worth their memory. */
static uint32_t count_forms(const struct pp_gen *g)
{
	const uint64_t each = 256 + 8 * (uint64_t)g->o.callchain + g->o.raw + g->o.stack +
			      24 * (uint64_t)g->o.branches;
	uint32_t n = FORMS_MAX;

	while (n > FORMS_MIN && n * each * g->n_events > FORMS_BYTES)
		n /= 2;
	return n;
}

int pp_gen_forms(struct pp_gen *g)
{
	if (g->o.sample_type & PP_SAMPLE_CALLCHAIN && g->o.callchain > DEPTH_MAX)
		return pp_fail(g->error, PP_E_USE, "a call chain has at most %d addresses",
			       DEPTH_MAX);
	g->n_forms = count_forms(g);
	for (uint32_t i = 0; i < g->n_events; i++) {
		g->events[i].forms = calloc(g->n_forms, sizeof(*g->events[i].forms));
		if (!g->events[i].forms)
			return pp_fail(g->error, PP_E_NOMEM, NULL);
		for (uint32_t k = 0; k < g->n_forms; k++)
			if (build_form(g, &g->events[i].forms[k], &g->events[i]))
				return -1;
	}
	return 0;
}
