/*
 * tracepoints.c - fuzz target: tracing data, or else the text of one format, and every field of
 * what comes of it asked of raw data of many lengths, and printed.
 */
#include <perfpipe/perfpipe.h>

#include <fcntl.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void ask(const struct pp_tracepoint_field *f, const uint8_t *raw, size_t size)
{
	const uint8_t *bytes;
	const char *text;
	uint64_t value;
	size_t length, n = 0;

	if (!pp_tracepoint_bytes(f, raw, size, &bytes, &length)) {
		check(!pp_tracepoint_u64(f, raw, size, 0, &value));
		check(!pp_tracepoint_text(f, raw, size, &text, &length));
		return;
	}
	check(bytes >= raw && length <= size && (size_t)(bytes - raw) <= size - length);
	while (pp_tracepoint_u64(f, raw, size, n, &value))
		n++;
	check(f->kind > PP_TRACE_SIGNED || n == length / f->element);
	if (pp_tracepoint_text(f, raw, size, &text, &n))
		check(n <= length);
}

static void print(const struct pp_tracepoint *p, const uint8_t *raw, size_t size)
{
	static struct pp_out out;

	if (!out.buf)
		check(!pp_out_open(&out, open("/dev/null", O_WRONLY | O_CLOEXEC)));
	pp_tracepoint_print(&out, p, raw, size);
	pp_tracepoint_json(&out, p, raw, size);
}

static void note(const uint8_t *data, size_t size)
{
	struct pp_tracepoints *const t = pp_tracepoints_new();
	const struct pp_tracepoint *p;
	struct pp_error error = { .code = PP_OK };
	uint8_t *raw;

	check(t != NULL);
	check(!pp_tracepoints_note(t, data, size, &error) == !error.code);
	for (size_t length = 0; length <= size && length <= 600; length += length / 2 + 1) {
		/* of just this size, so that a sanitizer sees the end */
		raw = malloc(length + 1);
		check(raw != NULL);
		memcpy(raw, data + size - length, length);
		for (size_t i = 0; i < 50 && (p = pp_tracepoints_at(t, i)); i++) {
			check(pp_tracepoints_by_id(t, p->id) == p);
			check(pp_tracepoints_named(t, p->system, p->name) != NULL);
			for (size_t k = 0; k < p->n_fields; k++)
				ask(&p->fields[k], raw, length);
			print(p, raw, length);
		}
		free(raw);
	}
	pp_tracepoints_free(t);
}

/* Tracing data with this format only. */
static void wrap(const uint8_t *text, size_t size)
{
	static const char head[] = "\x17\x08\x44tracing0.6\0\0\x08\0\x10\0\0header_page\0\0\0\0\0\0\0\0\0"
				   "header_event\0\0\0\0\0\0\0\0\0" "\0\0\0\0" "\1\0\0\0sys\0\1\0\0\0";
	const size_t at = sizeof(head) - 1, whole = at + 8 + size + 16;
	uint8_t *const data = calloc(whole, 1);

	check(data != NULL);
	memcpy(data, head, at);
	pp_store64(data + at, size);
	if (size)
		memcpy(data + at + 8, text, size);
	note(data, whole);
	free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *magic = size ? memmem(data, size, "\x17\x08\x44tracing", 10) : NULL;

	if (magic)
		note(magic, size - (size_t)(magic - data));
	else
		wrap(data, size);
	return 0;
}
