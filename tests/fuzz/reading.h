/*
 * reading.h - what the fuzz targets that read streams share: an input in memory, read to its end
 * with every record walked, printed as text and as JSON, and passed on sealed.
 */
#ifndef READING_H
#define READING_H

#include <perfpipe/perfpipe.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORDS_MOST = 20000, ERRORS_MOST = 2000 };

struct sinks {
	struct pp_out text;
	struct pp_writer *writer;     /* a new one for each reading */
	int null, input;
	char path[32];
};

static struct sinks *open_sinks(void)
{
	static struct sinks s;

	if (s.path[0])
		return &s;
	s.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	s.input = memfd_create("input", MFD_CLOEXEC);
	if (s.null < 0 || s.input < 0 || pp_out_open(&s.text, s.null))
		abort();
	snprintf(s.path, sizeof(s.path), "/proc/self/fd/%d", s.input);
	return &s;
}

/* Each byte is touched, so that a sanitizer sees what does not belong to the record. */
static unsigned touch(const struct pp_record *rec)
{
	unsigned sum = 0;

	for (size_t i = 0; i < rec->size; i++)
		sum += rec->data[i];
	return sum;
}

static void look_at(struct sinks *s, struct pp_reader *r, struct pp_record *rec, bool walk)
{
	struct pp_error error = { .code = PP_OK };

	pp_out_dec(&s->text, touch(rec));
	if (walk) {
		pp_check(rec, &error);
		pp_print_text(&s->text, rec, PP_PRINT_BYTES, &error);
		pp_print_text(&s->text, rec, PP_PRINT_LONG, &error);
		pp_print_json(&s->text, rec, &error);
	}
	pp_writer_pass(s->writer, r, rec, &error);
}

static void read_all(struct sinks *s, const struct pp_reader_options *options)
{
	struct pp_error error;
	struct pp_reader *r = pp_reader_open(s->path, options, &error);
	char text[600];
	unsigned errors = 0;

	if (!r) {
		pp_error_text(&error, text, sizeof(text));
		return;
	}
	s->writer = pp_writer_open(s->null, PP_SEAL_YES);
	if (!s->writer)
		abort();
	pp_writer_header(s->writer, false, NULL);
	pp_reader_tie(r, s->writer);
	for (unsigned i = 0; i < RECORDS_MOST; i++) {
		struct pp_record rec;
		int got = pp_reader_next(r, &rec, &error);

		if (!got)
			break;
		if (got > 0) {
			/* a record of the other byte order shows itself only when it is cooked */
			look_at(s, r, &rec, !rec.foreign);
			continue;
		}
		pp_error_text(&error, text, sizeof(text));
		if (error.fatal || ++errors > ERRORS_MOST)
			break;
	}
	pp_writer_end(s->writer, PP_SEAL_DAMAGED, NULL);
	pp_reader_close(r);
	pp_writer_close(s->writer);
}

/* Reads these bytes as an input. */
static void read_bytes(const void *data, size_t size, bool raw)
{
	struct sinks *s = open_sinks();

	if (ftruncate(s->input, 0) || pwrite(s->input, data, size, 0) != (ssize_t)size)
		abort();
	read_all(s, &(struct pp_reader_options){ .size = sizeof(struct pp_reader_options), .raw = raw });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
