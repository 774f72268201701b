/*
 * undump.c - fuzz target: any bytes as lines of JSON, each parsed, and what comes of them written
 * with seals; a stream's records printed as JSON, parsed, and compared.  Nothing may crash, hang or
 * grow, and what readers take for a record comes back as it was.
 */
#include <perfpipe/perfpipe.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORDS_MOST = 5000, LINE_MOST = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	int null, input, text;
	char path[32];
	struct pp_out out;            /* to `text` */
	char *line;
} s;

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void open_all(void)
{
	if (s.line)
		return;
	s.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	s.input = memfd_create("input", MFD_CLOEXEC);
	s.text = memfd_create("text", MFD_CLOEXEC);
	check(s.null >= 0 && s.input >= 0 && s.text >= 0 && !pp_out_open(&s.out, s.text));
	snprintf(s.path, sizeof(s.path), "/proc/self/fd/%d", s.input);
	s.line = malloc(LINE_MOST + 1);
	check(s.line != NULL);
}

/* The line of a record; its length without the newline. */
static size_t print(const struct pp_record *rec, int *status)
{
	struct pp_error error;
	ssize_t n;

	check(!ftruncate(s.text, 0) && !lseek(s.text, 0, SEEK_SET));
	*status = pp_print_json(&s.out, rec, &error);
	check(!pp_out_flush(&s.out));
	n = pread(s.text, s.line, LINE_MOST, 0);
	check(n > 1 && n < LINE_MOST && s.line[n - 1] == '\n');
	return (size_t)n - 1;
}

/* Lines of JSON, as pp-undump takes them. */
static void parse_text(const uint8_t *data, size_t size)
{
	struct pp_parse *const parse = pp_parse_new();
	struct pp_writer *const writer = pp_writer_open(s.null, PP_SEAL_NO);
	struct pp_restore *const stream = writer ? pp_restore_open(writer, PP_SEAL_AUTO) : NULL;
	char *const text = malloc(size + 1);
	size_t at = 0;

	check(parse && stream && text);
	if (size)
		memcpy(text, data, size);
	pp_restore_header(stream, false, false, NULL);
	while (at < size) {
		char *const newline = memchr(text + at, '\n', size - at);
		const size_t length = newline ? (size_t)(newline - text) - at : size - at;
		struct pp_error error;
		struct pp_line line;

		if (pp_parse_line(parse, text + at, length, &line, &error)) {
			check(error.code != PP_OK && strlen(error.detail) < sizeof(error.detail));
		} else if (line.kind == PP_LINE_RECORD) {
			check(line.record.size >= PP_HEADER_SIZE);
			pp_restore_record(stream, &line.record, NULL);
		} else if (line.kind == PP_LINE_TAIL) {
			pp_restore_tail(stream, line.tail, line.tail_size, NULL);
		}
		at += length + 1;
	}
	pp_restore_end(stream, PP_SEAL_DAMAGED, NULL);
	pp_restore_close(stream);
	pp_writer_close(writer);
	pp_parse_free(parse);
	free(text);
}

static void there_and_back(struct pp_parse *parse, const struct pp_record *rec)
{
	struct pp_error error;
	struct pp_line line;
	int damaged;
	size_t length = print(rec, &damaged);

	if (pp_parse_line(parse, s.line, length, &line, &error)) {
		fprintf(stderr, "%s\n", error.detail);
		print(rec, &damaged);
		fprintf(stderr, "%.*s\n", (int)length, s.line);
		abort();
	}
	check(line.kind == PP_LINE_RECORD && line.record.size == rec->size);
	if (memcmp(line.record.data, rec->data, rec->size)) {
		print(rec, &damaged);
		fprintf(stderr, "%.*s\n", (int)length, s.line);
		abort();
	}
}

/* The first line, which says the byte order. */
static void tell_order(struct pp_parse *parse, bool big_endian)
{
	struct pp_error error;
	struct pp_line line;
	const int n = snprintf(s.line, LINE_MOST,
			       "{\"schema\":\"perfpipe.records/1\",\"byte_order\":\"%s\"}",
			       big_endian ? "big" : "little");

	check(!pp_parse_line(parse, s.line, (size_t)n, &line, &error));
	check(line.kind == PP_LINE_HEADER);
}

/*
 * Not every record can be told from its fields.  In our byte order a device number may look like
 * a build-id's length, where it did not in the other.  And where events disagree on where ids
 * lie, bytes that are no id may be taken for one.
 */
static bool is_ambiguous(const struct pp_record *rec)
{
	const struct pp_attr *const first = rec->attr ? pp_attrs_at(rec->attrs, 0) : NULL;

	if (rec->foreign && rec->type == PP_REC_MMAP2 && rec->misc & PP_MISC_MMAP_BUILD_ID)
		return true;
	return first &&
	       (first->plan.id != rec->attr->plan.id || first->plan.t_id != rec->attr->plan.t_id);
}

/* The records of a stream as they stand. */
static void parse_stream(const uint8_t *data, size_t size)
{
	const struct pp_reader_options raw = { .size = sizeof(raw), .raw = true };
	struct pp_parse *const parse = pp_parse_new();
	struct pp_error error;
	struct pp_reader *r;
	struct pp_record rec;
	int got = 1;

	check(parse && !ftruncate(s.input, 0) && pwrite(s.input, data, size, 0) == (ssize_t)size);
	r = pp_reader_open(s.path, &raw, &error);
	if (r)
		tell_order(parse, pp_reader_stream(r)->big_endian);
	for (unsigned i = 0; r && i < RECORDS_MOST && got; i++) {
		got = pp_reader_next(r, &rec, &error);
		if (got < 0 && error.fatal)
			break;
		if (got > 0 && !is_ambiguous(&rec))
			there_and_back(parse, &rec);
	}
	pp_reader_close(r);
	pp_parse_free(parse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	open_all();
	if (size > 8 && (!memcmp(data, "PERFILE2", 8) || !memcmp(data, "2ELIFREP", 8)))
		parse_stream(data, size);
	else
		parse_text(data, size);
	return 0;
}
