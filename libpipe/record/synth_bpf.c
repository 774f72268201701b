/*
 * synth_bpf.c - BPF programs that are loaded already, as the kernel reports those that are loaded
 * later: their symbols, what the kernel knows of them, and the types that their names are in.
 */
#include "base/array.h"
#include "record/capture.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	KSYMBOL_BPF = 1,              /* PERF_RECORD_KSYMBOL_TYPE_BPF */
	PROGRAM_LOADED = 1,           /* PERF_BPF_EVENT_PROG_LOAD */
	FEATURE_MOST = PP_RECORD_MAX - 64,
};

/* Arrays that the kernel fills in if bpf_prog_info points to them: the bits of `arrays` in feature
 * BPF_PROG_INFO count them as perf does (bpf-utils.c). */
#define INFO(member) offsetof(struct bpf_prog_info, member)
static const struct bpf_array {
	uint32_t bit;
	size_t at, count, record;     /* the pointer, the count, the size of each or 0 ... */
	uint32_t fixed;               /* ... then this one */
} arrays[] = {
	{ 0, INFO(jited_prog_insns), INFO(jited_prog_len), 0, 1 },
	{ 3, INFO(jited_ksyms), INFO(nr_jited_ksyms), 0, 8 },
	{ 4, INFO(jited_func_lens), INFO(nr_jited_func_lens), 0, 4 },
	{ 5, INFO(func_info), INFO(nr_func_info), INFO(func_info_rec_size), 0 },
	{ 6, INFO(line_info), INFO(nr_line_info), INFO(line_info_rec_size), 0 },
	{ 7, INFO(jited_line_info), INFO(nr_jited_line_info), INFO(jited_line_info_rec_size), 0 },
	{ 8, INFO(prog_tags), INFO(nr_prog_tags), 0, BPF_TAG_SIZE },
};
enum { N_ARRAYS = sizeof(arrays) / sizeof(arrays[0]) };

struct program {
	struct bpf_prog_info info;    /* its pointers are offsets into `data` */
	uint32_t info_size, data_size;
	uint64_t arrays;
	uint8_t *data;
};
struct bpf_types {
	uint32_t id, size;
	uint8_t *data;
};
struct pp_programs {
	struct program *items;
	size_t n, room;
	struct bpf_types *types;
	size_t n_types, types_room;
};

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int fd_of(int command, uint32_t id)
{
	union bpf_attr attr = { .prog_id = id };

	return bpf(command, &attr);
}

static int info_of(int fd, void *info, uint32_t *size)
{
	union bpf_attr attr = { .info = { (uint32_t)fd, *size, (uintptr_t)info } };
	const int status = bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);

	*size = attr.info.info_len;
	return status;
}

static uint64_t number_at(const struct bpf_prog_info *info, size_t at, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)info + at, size);
	return value;
}

static void set_pointer(struct bpf_prog_info *info, size_t at, uint64_t value)
{
	memcpy((uint8_t *)info + at, &value, sizeof(value));
}

static uint32_t record_size(const struct bpf_prog_info *info, const struct bpf_array *a)
{
	return a->record ? (uint32_t)number_at(info, a->record, 4) : a->fixed;
}

/* Asks again, with room for the arrays that there are.  What an older kernel does not know of is
 * zero, and so are the counts of what this user may not see. */
static int read_arrays(int fd, struct program *p)
{
	const struct bpf_prog_info first = p->info;
	uint64_t at = 0;

	memset(&p->info, 0, sizeof(p->info));
	for (size_t i = 0; i < N_ARRAYS; i++) {
		const struct bpf_array *const a = &arrays[i];
		const uint32_t count = (uint32_t)number_at(&first, a->count, 4);
		const uint32_t each = record_size(&first, a);

		if (!count || !each || (uint64_t)count * each > UINT32_MAX / 16)
			continue;
		memcpy((uint8_t *)&p->info + a->count, &count, 4);
		if (a->record)
			memcpy((uint8_t *)&p->info + a->record, &each, 4);
		set_pointer(&p->info, a->at, at);
		p->arrays |= UINT64_C(1) << a->bit;
		at += ((uint64_t)count * each + 7) & ~UINT64_C(7);
	}
	p->data_size = (uint32_t)at;
	p->data = calloc(1, at + 1);
	if (!p->data)
		return -1;
	for (size_t i = 0; i < N_ARRAYS; i++)
		if (p->arrays >> arrays[i].bit & 1)
			set_pointer(&p->info, arrays[i].at,
				    (uintptr_t)(p->data + number_at(&p->info, arrays[i].at, 8)));
	if (info_of(fd, &p->info, &p->info_size))
		return -1;
	for (size_t i = 0; i < N_ARRAYS; i++)
		if (p->arrays >> arrays[i].bit & 1)
			set_pointer(&p->info, arrays[i].at,
				    number_at(&p->info, arrays[i].at, 8) - (uintptr_t)p->data);
	return 0;
}

static const uint8_t *array(const struct program *p, uint32_t bit, uint32_t *n)
{
	*n = 0;
	for (size_t i = 0; i < N_ARRAYS; i++) {
		if (arrays[i].bit != bit || !(p->arrays >> bit & 1))
			continue;
		*n = (uint32_t)number_at(&p->info, arrays[i].count, 4);
		return p->data + number_at(&p->info, arrays[i].at, 8);
	}
	return NULL;
}

/* Once for each id; one that is gone is left out. */
static int read_types(struct pp_programs *all, uint32_t id, struct pp_error *error)
{
	struct bpf_btf_info info = { .btf_size = 0 };
	uint32_t size = sizeof(info);
	struct bpf_types *t;
	int fd;

	for (size_t i = 0; i < all->n_types; i++)
		if (all->types[i].id == id)
			return 0;
	if (!id || (fd = fd_of(BPF_BTF_GET_FD_BY_ID, id)) < 0)
		return 0;
	if (PP_GROW(&all->types, &all->types_room, all->n_types + 1, error)) {
		(void)close(fd);
		return -1;
	}
	t = &all->types[all->n_types];
	*t = (struct bpf_types){ .id = id };
	if (!info_of(fd, &info, &size) && info.btf_size && (t->data = malloc(info.btf_size))) {
		t->size = info.btf_size;
		info = (struct bpf_btf_info){ .btf = (uintptr_t)t->data, .btf_size = t->size };
		size = sizeof(info);
		if (info_of(fd, &info, &size) || info.btf_size > t->size)
			t->size = 0;
	}
	all->n_types++;
	(void)close(fd);
	return 0;
}

/* One that is gone by now, or that this user may not see, is left out. */
static int read_program(struct pp_programs *all, uint32_t id, struct pp_error *error)
{
	const int fd = fd_of(BPF_PROG_GET_FD_BY_ID, id);
	struct program p = { .info_size = sizeof(p.info) };
	int status = 0;

	if (fd < 0)
		return 0;
	if (info_of(fd, &p.info, &p.info_size) || read_arrays(fd, &p)) {
		free(p.data);
		(void)close(fd);
		return 0;
	}
	(void)close(fd);
	if (PP_GROW(&all->items, &all->room, all->n + 1, error)) {
		free(p.data);
		return -1;
	}
	all->items[all->n++] = p;
	status = read_types(all, p.info.btf_id, error);
	return status;
}

struct pp_programs *pp_programs_read(int *os, struct pp_error *error)
{
	struct pp_programs *const all = calloc(1, sizeof(*all));
	union bpf_attr attr = { .start_id = 0 };

	if (!all) {
		(void)pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	while (!bpf(BPF_PROG_GET_NEXT_ID, &attr)) {
		const uint32_t id = attr.next_id;

		if (read_program(all, id, error)) {
			pp_programs_free(all);
			return NULL;
		}
		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
	}
	*os = errno == ENOENT ? 0 : errno;
	return all;
}

void pp_programs_free(struct pp_programs *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		free(all->items[i].data);
	for (size_t i = 0; i < all->n_types; i++)
		free(all->types[i].data);
	free(all->items);
	free(all->types);
	free(all);
}

/* ---- names ---- */

/* Bytes of a type's description; 0: unknown. */
static size_t type_size(const struct btf_type *t)
{
	static const uint8_t fixed[32] = {
		[BTF_KIND_INT] = 4, [BTF_KIND_ARRAY] = 12, [14] = 4 /* VAR */, [17] = 4 /* DECL_TAG */,
	};
	static const uint8_t each[32] = {
		[BTF_KIND_STRUCT] = 12, [BTF_KIND_UNION] = 12, [BTF_KIND_ENUM] = 8,
		[BTF_KIND_FUNC_PROTO] = 8, [15] = 12 /* DATASEC */, [19] = 12 /* ENUM64 */,
	};
	const uint32_t kind = BTF_INFO_KIND(t->info);

	if (!kind || kind > 19)
		return 0;
	return sizeof(*t) + fixed[kind] + (size_t)each[kind] * BTF_INFO_VLEN(t->info);
}

/* Name of type `id` in a BTF, or NULL.  What the kernel gave is walked with care all the same. */
static const char *type_name(const struct bpf_types *types, uint32_t id)
{
	struct btf_header h;
	struct btf_type t;
	size_t at, left;

	if (types->size < sizeof(h))
		return NULL;
	memcpy(&h, types->data, sizeof(h));
	left = types->size - sizeof(h);
	if (h.magic != BTF_MAGIC || h.hdr_len != sizeof(h) || h.type_off > left ||
	    h.type_len > left - h.type_off || h.str_off > left || h.str_len > left - h.str_off ||
	    !h.str_len || types->data[sizeof(h) + h.str_off + h.str_len - 1])
		return NULL;
	at = sizeof(h) + h.type_off;
	left = h.type_len;
	for (uint32_t n = 1; left >= sizeof(t); n++) {
		size_t size;

		memcpy(&t, types->data + at, sizeof(t));
		size = type_size(&t);
		if (n == id)
			return t.name_off && t.name_off < h.str_len ?
				(const char *)types->data + sizeof(h) + h.str_off + t.name_off : NULL;
		if (!size || size > left)
			return NULL;
		at += size;
		left -= size;
	}
	return NULL;
}

/* Of the i-th function of a program, by its types. */
static const char *function_name(const struct pp_programs *all, const struct program *p, uint32_t i)
{
	uint32_t n, id;
	const uint8_t *const functions = array(p, 5, &n);

	if (i >= n)
		return NULL;
	/* struct bpf_func_info: the instruction, then the type */
	memcpy(&id, functions + (size_t)i * p->info.func_info_rec_size + 4, sizeof(id));
	for (size_t k = 0; k < all->n_types; k++)
		if (all->types[k].id == p->info.btf_id)
			return type_name(&all->types[k], id);
	return NULL;
}

/* As the kernel names it in kallsyms: bpf_prog_TAG_NAME, "F" where a function has none.  The first
 * function has the program's own tag there; perf gives it that of the function alone. */
static void symbol_name(const struct pp_programs *all, const struct program *p, uint32_t i,
			uint32_t functions, char *text, size_t size)
{
	const char *name = function_name(all, p, i);
	const uint8_t *tags, *tag = p->info.tag;
	char own[BPF_OBJ_NAME_LEN + 1];
	uint32_t n;
	int at;

	tags = array(p, 8, &n);
	if (i && i < n)
		tag = tags + (size_t)i * BPF_TAG_SIZE;
	(void)snprintf(own, sizeof(own), "%.*s", BPF_OBJ_NAME_LEN, p->info.name);
	if (!name && functions == 1)
		name = own;
	at = snprintf(text, size, "bpf_prog_");
	for (size_t k = 0; k < BPF_TAG_SIZE; k++)
		at += snprintf(text + at, size - (size_t)at, "%02x", tag[k]);
	if (!name)
		(void)snprintf(text + at, size - (size_t)at, "_F");
	else if (*name)
		(void)snprintf(text + at, size - (size_t)at, "_%s", name);
}

/* ---- records ---- */

static int put_program(const struct pp_programs *all, const struct program *p,
		       struct pp_synth_out *made, struct pp_error *error)
{
	uint32_t n, lengths;
	const uint8_t *const at = array(p, 3, &n), *const length = array(p, 4, &lengths);
	struct pp_build b;
	char name[256];

	for (uint32_t i = 0; i < n && i < lengths; i++) {
		const uint64_t start = pp_load64(at + (size_t)i * 8);

		if (!start)
			continue;
		symbol_name(all, p, i, n, name, sizeof(name));
		pp_build(&b, made->buf, sizeof(made->buf), PP_REC_KSYMBOL, 0, made->attr);
		pp_build_u64(&b, "addr", start);
		pp_build_u64(&b, "len", pp_load32(length + (size_t)i * 4));
		pp_build_u64(&b, "ksym_type", KSYMBOL_BPF);
		pp_build_text(&b, "name", name);
		if (pp_synth_out_put(made, &b, error))
			return -1;
	}
	if (!n)
		return 0;
	pp_build(&b, made->buf, sizeof(made->buf), PP_REC_BPF_EVENT, 0, made->attr);
	pp_build_u64(&b, "type", PROGRAM_LOADED);
	pp_build_u64(&b, "id", p->info.id);
	pp_build_bytes(&b, "tag", p->info.tag, sizeof(p->info.tag));
	return pp_synth_out_put(made, &b, error);
}

int pp_programs_put(const struct pp_programs *all, struct pp_synth_out *made, struct pp_error *error)
{
	for (size_t i = 0; i < all->n; i++)
		if (put_program(all, &all->items[i], made, error))
			return -1;
	return 0;
}

/* How many of the first there is room for in one record, which is all that a feature can have. */
static uint32_t programs_that_fit(const struct pp_programs *all)
{
	uint64_t left = FEATURE_MOST;
	uint32_t n = 0;

	for (; n < all->n; n++) {
		const uint64_t size = 16 + (uint64_t)all->items[n].info_size + all->items[n].data_size;

		if (size > left)
			break;
		left -= size;
	}
	return n;
}

static uint32_t types_that_fit(const struct pp_programs *all)
{
	uint64_t left = FEATURE_MOST;
	uint32_t n = 0;

	for (; n < all->n_types && 8 + (uint64_t)all->types[n].size <= left; n++)
		left -= 8 + (uint64_t)all->types[n].size;
	return n;
}

void pp_programs_say(const struct pp_programs *all, const struct pp_say *say)
{
	const uint32_t programs = programs_that_fit(all), types = types_that_fit(all);

	if (programs < all->n)
		pp_say(say, "the code of %zu of %zu BPF programs is not in the stream, where a record of "
		       "64 KiB has to hold that of all; their names are", all->n - programs, all->n);
	if (types < all->n_types)
		pp_say(say, "%zu of %zu sets of types of BPF programs are not in the stream, where a record "
		       "of 64 KiB has to hold all", all->n_types - types, all->n_types);
}

bool pp_programs_info(struct pp_build *b, const struct pp_programs *all)
{
	const uint32_t n = programs_that_fit(all);

	if (!n)
		return false;
	pp_build_u64(b, "nr", n);
	for (size_t i = 0; i < n; i++) {
		const struct program *const p = &all->items[i];

		pp_build_open(b, "programs");
		pp_build_u64(b, "info_len", p->info_size);
		pp_build_u64(b, "data_len", p->data_size);
		pp_build_u64(b, "arrays", p->arrays);
		pp_build_bytes(b, "info", &p->info, p->info_size);
		pp_build_bytes(b, "data", p->data, p->data_size);
		pp_build_close(b);
	}
	return true;
}

bool pp_programs_types(struct pp_build *b, const struct pp_programs *all)
{
	const uint32_t n = types_that_fit(all);

	if (!n)
		return false;
	pp_build_u64(b, "nr", n);
	for (size_t i = 0; i < n; i++) {
		const struct bpf_types *const t = &all->types[i];

		pp_build_open(b, "btfs");
		pp_build_u64(b, "id", t->id);
		pp_build_u64(b, "size", t->size);
		pp_build_bytes(b, "data", t->data, t->size);
		pp_build_close(b);
	}
	return true;
}
