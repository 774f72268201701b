/*
 * tracepoint_text.c - what tracepoints say, in the kernel's own formats, which libtraceevent understands
 * as it does for perf.  It is loaded when the first sample of a tracepoint is shown, or before, and gets a
 * format when it is needed and data only whose fields all lie within them.
 */
#include <perfpipe/perfpipe.h>

#include <stdlib.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/array.h"
#include "base/format_number.h"
#include "model/tracing_data.h"

#if __has_include(<traceevent/event-parse.h>)

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <traceevent/event-parse.h>
#include <traceevent/trace-seq.h>

enum {
	TAIL_MOST = 64 << 20,         /* bytes of tracing data that are gathered */
	FORMAT_MOST = 64 << 10,       /* of one format */
	NESTED_MOST = 64,             /* brackets of it: libtraceevent recurses */
	AT_ONCE = 16 << 10,           /* bytes that printing takes, beside those for the data */
	TEXTS_MOST = 1 << 16,         /* that tracepoints point to */
	TEXT_MOST = 4 << 10,          /* of one */
	PADDING = 64,                 /* zeros after the data, where a text has no end of its own */
};

/* row(function): those of libtraceevent that are called */
#define CALLS(row) \
	row(tep_alloc) row(tep_free) row(tep_set_loglevel) row(tep_set_long_size) \
	row(tep_set_file_bigendian) row(tep_set_local_bigendian) row(tep_parse_event) \
	row(tep_find_event) row(tep_print_event) row(tep_set_function_resolver) \
	row(tep_register_print_string) \
	row(trace_seq_init) row(trace_seq_reset) row(trace_seq_terminate) row(trace_seq_destroy)
#define CALL(name) __typeof__(name) *name;

struct pp_trace_texts {
	struct pp_buffer tail;
	bool too_large;
	struct pp_tracing data;
	struct pp_tracepoints *points;        /* where the fields are */
	struct { uint64_t id; bool asked, known; } *formats;    /* of data.formats */
	bool loaded;
	struct { CALLS(CALL) } call;
	struct tep_handle *tep;
	struct trace_seq seq;
	struct pp_buffer raw, name;
	void *guard;                  /* see reserve() */
	struct pp_symbols *symbols;   /* NULL: addresses stay as they are */
	const char *lack;             /* pp_trace_texts_lack() */
	/* while a sample is printed: its process, and what went wrong */
	uint32_t pid;
	struct pp_error *error;
	bool failed;
	struct pp_out line;           /* of pp_trace_text() */
};

struct pp_trace_texts *pp_trace_texts_new(struct pp_symbols *symbols)
{
	struct pp_trace_texts *const t = calloc(1, sizeof(*t));

	if (t)
		t->symbols = symbols;
	return t;
}

static void forget(struct pp_trace_texts *t)
{
	if (t->tep) {
		t->call.trace_seq_destroy(&t->seq);
		t->call.tep_free(t->tep);
	}
	t->tep = NULL;
	t->loaded = false;
	pp_tracepoints_free(t->points);
	t->points = NULL;
	pp_tracing_free(&t->data);
	t->data = (struct pp_tracing){ .foreign = false };
	free(t->formats);
	t->formats = NULL;
	t->tail.size = 0;
	t->too_large = false;
}

void pp_trace_texts_free(struct pp_trace_texts *t)
{
	if (!t)
		return;
	forget(t);
	pp_buffer_free(&t->tail);
	pp_buffer_free(&t->raw);
	pp_buffer_free(&t->name);
	free(t->guard);
	free(t->line.buf);
	free(t);
}

/* ---- formats ---- */

static int gather(void *arg, const void *piece, size_t size, uint64_t left, struct pp_error *error)
{
	struct pp_trace_texts *const t = arg;

	if (t->data.formats || t->formats)
		forget(t);
	t->too_large = t->too_large || size > TAIL_MOST - t->tail.size;
	if (!t->too_large && pp_buffer_add(&t->tail, piece, size, error))
		return -1;
	if (left || t->too_large)
		return 0;
	t->points = pp_tracepoints_new();
	if (!t->points || pp_tracing_take(&t->data, t->tail.data, t->tail.size) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (pp_tracepoints_note(t->points, t->tail.data, t->tail.size, error) && error->code == PP_E_NOMEM)
		return -1;
	t->formats = calloc(t->data.n_formats + 1, sizeof(*t->formats));
	return t->formats ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

void pp_trace_texts_watch(struct pp_trace_texts *t, struct pp_reader *in)
{
	pp_reader_watch_tail(in, PP_REC_HEADER_TRACING_DATA, gather, t);
}

/*
 * libtraceevent, too, says by errno alone that memory was lacking, and mostly goes on with a NULL: what it
 * needs is made sure of before it is called.  0, or -1 and *error.
 */
static int lacked(struct pp_error *error)
{
	return errno == ENOMEM ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
}

/* Memory that is free after this, and not given back to the system, since what follows it is in use. */
static int reserve(struct pp_trace_texts *t, size_t size, struct pp_error *error)
{
	enum { PIECE = 60 << 10, PIECES = 64 };         /* larger pieces would be mappings of their own */
	void *pieces[PIECES], *guard = NULL;
	size_t n = 0, held = 0;

	while (held < size && n < PIECES && (pieces[n] = malloc(PIECE))) {
		n++;
		held += PIECE;
	}
	if (held >= size || n == PIECES)
		guard = malloc(PIECE);
	while (n)
		free(pieces[--n]);
	if (!guard)
		return pp_fail(error, PP_E_NOMEM, NULL);
	free(t->guard);
	t->guard = guard;
	errno = 0;
	return 0;
}

/* What libtraceevent asks for functions of the kernel: the name, and in *address where it begins. */
static char *name_function(void *arg, unsigned long long *address, char **module)
{
	struct pp_trace_texts *const t = arg;
	struct pp_location place;
	const int got = pp_symbols_at(t->symbols, t->pid, PP_MISC_KERNEL, *address, &place, t->error);
	const char *const symbol = got > 0 && place.count ? place.frames[place.count - 1].symbol : "";

	t->name.size = 0;
	if (got < 0 || pp_buffer_add(&t->name, symbol, strlen(symbol) + 1, t->error))
		t->failed = true;
	if (!*symbol || t->failed)
		return NULL;
	*address -= place.into;
	*module = NULL;
	return (char *)t->name.data;
}

/* As libtraceevent reads it from a sample: in the order of this host, whatever the recording's. */
static uint64_t as_it_reads(const struct pp_trace_texts *t, uint64_t address)
{
	return t->data.long_size == 4 ? pp_order32((uint32_t)address, t->data.foreign) :
					pp_order64(address, t->data.foreign);
}

/*
 * Gives libtraceevent a line of printk_formats, `0xADDRESS : "TEXT"`.  It takes quotes and a line
 * feed, written as \n, from the end, and looks for them before a shorter text: so each gets a line
 * feed.
 */
static int teach_text(struct pp_trace_texts *t, struct pp_span line, struct pp_error *error)
{
	const char *const start = (const char *)line.data, *const end = start + line.size;
	const char *text = memchr(start, ':', line.size);
	char digits[24] = { 0 }, *given;
	uint64_t address;
	size_t size;
	int got;

	if (!text || (size_t)(text - start) >= sizeof(digits) || end - text < 2 || text[1] != ' ' ||
	    memchr(text, 0, (size_t)(end - text)))
		return 0;
	memcpy(digits, start, (size_t)(text - start));
	address = as_it_reads(t, strtoull(digits, NULL, 16));
	text += 2;
	text += text < end && *text == '"';
	size = (size_t)(end - text);
	size -= size && text[size - 1] == '"';
	size -= size > 1 && text[size - 1] == 'n' && text[size - 2] == '\\' ? 2 : 0;
	if (size > TEXT_MOST)
		return 0;
	if (asprintf(&given, "\"%.*s\\n\"", (int)size, text) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	got = reserve(t, 2 * size + 256, error);
	if (!got && t->call.tep_register_print_string(t->tep, given, address))
		got = lacked(error);
	free(given);
	return got;
}

/* Texts of the kernel that tracepoints only point to.  0, or -1 and *error. */
static int teach_texts(struct pp_trace_texts *t, struct pp_error *error)
{
	struct pp_span line = t->data.printk;
	size_t left = line.size;

	for (size_t n = 0; left && n < TEXTS_MOST; n++) {
		const uint8_t *const feed = memchr(line.data, '\n', left);

		line.size = feed ? (size_t)(feed - line.data) : left;
		if (teach_text(t, line, error))
			return -1;
		line.data += line.size + (feed != NULL);
		left -= line.size + (feed != NULL);
	}
	return 0;
}

/* It stays for as long as the process. */
static struct { void *handle; int os; } library;

static void open_library(void)
{
	errno = 0;
	library.handle = dlopen("libtraceevent.so.1", RTLD_NOW | RTLD_LOCAL);
	library.os = errno;
}

void pp_trace_texts_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, open_library);
}

/* 1, 0: there is no such library, which t->lack then says, or -1 and *error. */
static int load(struct pp_trace_texts *t, struct pp_error *error)
{
	enum { AT_START = 256 << 10 };
	bool all = true;

	if (t->loaded)
		return t->tep != NULL;
	if (reserve(t, AT_START, error))
		return -1;
	pp_trace_texts_load();
	errno = library.os;
	if (!library.handle && lacked(error))
		return -1;
	t->loaded = true;
	t->lack = "libtraceevent.so.1 cannot be loaded";
	if (!library.handle)
		return 0;
	t->lack = "libtraceevent.so.1 lacks functions that are needed";
#define FIND(name) \
	t->call.name = __extension__ (__typeof__(t->call.name))dlsym(library.handle, #name); \
	all = all && t->call.name;
	CALLS(FIND)
	if (!all)
		return 0;
	t->lack = NULL;
	errno = 0;
	t->tep = t->call.tep_alloc();
	if (!t->tep)
		return pp_fail(error, PP_E_NOMEM, NULL);
	t->call.tep_set_loglevel(TEP_LOG_NONE);
	t->call.trace_seq_init(&t->seq);
	t->call.tep_set_long_size(t->tep, t->data.long_size);
	t->call.tep_set_local_bigendian(t->tep, PP_HOST_BIG ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	t->call.tep_set_file_bigendian(t->tep, t->data.foreign != PP_HOST_BIG ? TEP_BIG_ENDIAN :
				       TEP_LITTLE_ENDIAN);
	if (t->symbols)
		(void)t->call.tep_set_function_resolver(t->tep, name_function, t);
	if (lacked(error) || teach_texts(t, error))
		return -1;
	return 1;
}

/* Whether what follows a sign of division is a number that is not zero: libtraceevent divides by anything. */
static bool divides(const uint8_t *at, const uint8_t *end)
{
	while (at < end && *at == ' ')
		at++;
	while (at < end && *at == '0')
		at++;
	if (at < end && (*at == 'x' || *at == 'X'))
		at++;
	return at < end && *at >= '1' && *at <= '9';
}

/* Whether nothing in it is divided by what may be zero, outside of texts in quotes. */
static bool is_defined(struct pp_span text)
{
	const uint8_t *const end = text.data + text.size;
	bool quoted = false;

	for (const uint8_t *at = text.data; at < end; at++) {
		if (*at == '\\' && quoted && end - at > 1)
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (!quoted && (*at == '/' || *at == '%') && !divides(at + 1, end))
			return false;
	}
	return true;
}

static bool is_harmless(struct pp_span text)
{
	unsigned depth = 0;

	if (text.size > FORMAT_MOST || memchr(text.data, 0, text.size) || !is_defined(text))
		return false;
	for (size_t i = 0; i < text.size; i++) {
		depth += text.data[i] == '(' || text.data[i] == '{' || text.data[i] == '?';
		depth -= depth && (text.data[i] == ')' || text.data[i] == '}' || text.data[i] == ':');
		if (depth > NESTED_MOST)
			return false;
	}
	return true;
}

/* Gives libtraceevent a format.  0, or -1 and *error. */
static int teach(struct pp_trace_texts *t, size_t i, struct pp_error *error)
{
	enum { AT_LEAST = 64 << 10, TIMES = 16 };       /* what a format takes, by its length */
	const struct pp_format *const f = &t->data.formats[i];
	char *const system = strndup((const char *)f->system.data, f->system.size);
	char *const text = strndup((const char *)f->text.data, f->text.size);
	int failed = system && text ? 0 : pp_fail(error, PP_E_NOMEM, NULL);

	if (!failed && is_harmless(f->text)) {
		failed = reserve(t, AT_LEAST + f->text.size * TIMES, error);
		if (!failed) {
			(void)t->call.tep_parse_event(t->tep, text, strlen(text),
						      *system ? system : "ftrace");
			failed = lacked(error);
			t->formats[i].known = !failed && t->call.tep_find_event(t->tep, (int)f->id);
		}
	}
	t->formats[i].asked = !failed;
	free(system);
	free(text);
	return failed;
}

/* Whether libtraceevent knows the format with this id, which it is given when that is first asked: 1, 0, or
 * -1 and *error. */
static int knows(struct pp_trace_texts *t, uint64_t id, struct pp_error *error)
{
	size_t i = 0;
	int got;

	while (i < t->data.n_formats && t->data.formats[i].id != id)
		i++;
	if (i == t->data.n_formats)
		return 0;
	got = load(t, error);
	if (got <= 0)
		return got;
	if (!t->formats[i].asked && teach(t, i, error))
		return -1;
	return t->formats[i].known;
}

/* Whether all fields lie within the data. */
static bool is_whole(const struct pp_trace_texts *t, uint64_t id, const void *raw, size_t size)
{
	const struct pp_tracepoint *const p = pp_tracepoints_by_id(t->points, id);
	const uint8_t *data;
	size_t length;

	for (size_t i = 0; p && i < p->n_fields; i++)
		if (!pp_tracepoint_bytes(&p->fields[i], raw, size, &data, &length))
			return false;
	return p != NULL;
}

/* ---- samples ---- */

/* 0, or -1 and *error. */
static int print_by_format(struct pp_trace_texts *t, const struct pp_record *rec, const void *raw,
			   size_t size, struct pp_out *out, struct pp_error *error)
{
	struct tep_record record = { .size = (int)size };
	uint8_t zeros[PADDING] = { 0 };
	uint32_t tid, cpu = UINT32_MAX;
	size_t length;

	t->pid = UINT32_MAX;
	(void)pp_task(rec, &t->pid, &tid);
	(void)pp_cpu(rec, &cpu);
	t->raw.size = 0;
	if (pp_buffer_add(&t->raw, raw, size, error) || pp_buffer_add(&t->raw, zeros, PADDING, error) ||
	    reserve(t, AT_ONCE + size * 2, error))
		return -1;
	record.data = t->raw.data;
	record.cpu = (int)cpu;
	t->error = error;
	t->failed = false;
	t->call.trace_seq_reset(&t->seq);
	t->call.tep_print_event(t->tep, &t->seq, &record, "%s", TEP_PRINT_INFO);
	t->call.trace_seq_terminate(&t->seq);
	if (t->failed || lacked(error))
		return -1;
	length = strlen(t->seq.buffer);
	if (pp_is_plain(t->seq.buffer, length))
		pp_out_bytes(out, t->seq.buffer, length);
	else
		pp_out_printable(out, t->seq.buffer, length);
	return 0;
}

int pp_trace_text_print(struct pp_trace_texts *t, const struct pp_record *rec, struct pp_out *out,
			struct pp_error *error)
{
	const void *raw;
	uint64_t id;
	size_t size;
	int known;

	if (!t->points || !pp_tracepoint_raw(rec, &raw, &size) || size < sizeof(uint16_t))
		return 0;
	/* common_type, by which libtraceevent finds it too */
	id = pp_in_order16(raw, t->data.foreign);
	if (!is_whole(t, id, raw, size))
		return 0;
	known = knows(t, id, error);
	if (known > 0)
		return print_by_format(t, rec, raw, size, out, error);
	if (!known)
		pp_tracepoint_print(out, pp_tracepoints_by_id(t->points, id), raw, size);
	return known;
}

#else

struct pp_trace_texts {
	struct pp_tracepoints *points;
	const char *lack;
	struct pp_out line;
};

struct pp_trace_texts *pp_trace_texts_new(struct pp_symbols *symbols)
{
	struct pp_trace_texts *const t = calloc(1, sizeof(*t));

	(void)symbols;
	if (t && !(t->points = pp_tracepoints_new())) {
		free(t);
		return NULL;
	}
	return t;
}

void pp_trace_texts_free(struct pp_trace_texts *t)
{
	if (!t)
		return;
	pp_tracepoints_free(t->points);
	free(t->line.buf);
	free(t);
}

void pp_trace_texts_load(void)
{
}

void pp_trace_texts_watch(struct pp_trace_texts *t, struct pp_reader *in)
{
	pp_tracepoints_watch(t->points, in);
}

int pp_trace_text_print(struct pp_trace_texts *t, const struct pp_record *rec, struct pp_out *out,
			struct pp_error *error)
{
	const struct pp_tracepoint *const p = pp_tracepoints_of(t->points, rec->attr);
	const void *raw;
	size_t size;

	(void)error;
	if (p && pp_tracepoint_raw(rec, &raw, &size)) {
		t->lack = "this build has no libtraceevent";
		pp_tracepoint_print(out, p, raw, size);
	}
	return 0;
}

#endif

const char *pp_trace_texts_lack(const struct pp_trace_texts *t)
{
	return t->lack;
}

int pp_trace_text(struct pp_trace_texts *t, const struct pp_record *rec, const char **text, size_t *length,
		  struct pp_error *error)
{
	if (!t->line.buf && pp_out_open(&t->line, -1))
		return pp_fail(error, PP_E_NOMEM, NULL);
	t->line.at = 0;
	if (pp_trace_text_print(t, rec, &t->line, error))
		return -1;
	*text = t->line.buf;
	*length = t->line.at;
	return 0;
}
