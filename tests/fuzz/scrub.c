/*
 * scrub.c - fuzz target: any bytes as a stream that is scrubbed, with all options and with none; nothing may
 * crash, hang or grow, and what comes of it is read to its end, and its records are whole.
 */
#include <perfpipe/perfpipe.h>

#include "memory_files.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RECORDS_MOST = 20000, INPUT = 0, OUTPUT, FILES };

static struct memory_file files[FILES];

/* Each record that is written was walked before, and is to be walked as it is now. */
static void read_scrubbed(void)
{
	struct pp_error error = { .code = PP_OK };
	struct pp_reader *r = pp_reader_open(files[OUTPUT].path, NULL, &error);
	struct pp_record rec;
	int got;

	if (!r)
		abort();
	while ((got = pp_reader_next(r, &rec, &error)) > 0)
		if (pp_check(&rec, &error))
			abort();
	if (got < 0 && pp_reader_stream(r)->records)
		abort();
	pp_reader_close(r);
}

static void scrub_all(struct pp_reader *in, struct pp_writer *out, struct pp_scrub *scrub)
{
	struct pp_error error = { .code = PP_OK };
	struct pp_scrub_leak leak;
	unsigned left = RECORDS_MOST;

	if (pp_writer_header(out, pp_reader_stream(in)->sealed, &error))
		abort();
	pp_reader_tie(in, out);
	while (left--) {
		struct pp_record rec;
		const int got = pp_reader_next(in, &rec, &error);

		if (got == PP_END || (got < 0 && error.fatal))
			break;
		if (got > 0 && pp_scrub_record(scrub, &rec, in, out, &error) && error.code == PP_E_NOMEM)
			abort();
	}
	if (!pp_writer_end(out, pp_stream_end_flags(pp_reader_stream(in)), NULL))
		read_scrubbed();
	while (pp_scrub_leak(scrub, &leak))
		if (!leak.length)
			abort();
}

static void scrub_with(bool all)
{
	const struct pp_scrub_options options = {
		.size = sizeof(options), .key = "0123456789abcdef0123456789abcdef", .key_size = PP_SCRUB_KEY,
		.pids = all, .machine = all, .drop_aux = all, .times = all, .verify = all,
		.addresses = all,
	};
	struct pp_error error = { .code = PP_OK };
	struct pp_scrub *const scrub = pp_scrub_new(&options, &error);
	struct pp_reader *const in = pp_reader_open(files[INPUT].path, NULL, &error);
	struct pp_writer *const out = pp_writer_open(files[OUTPUT].fd, PP_SEAL_AUTO);

	if (!scrub || !out)
		abort();
	if (in)
		scrub_all(in, out, scrub);
	pp_scrub_free(scrub);
	pp_writer_close(out);
	pp_reader_close(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!files[OUTPUT].fd)
		make_files(files, FILES);
	fill(&files[INPUT], data, size);
	for (int all = 0; all < 2; all++) {
		fill(&files[OUTPUT], NULL, 0);
		scrub_with(all);
	}
	return 0;
}
