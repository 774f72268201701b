/*
 * merge.c - fuzz target: any bytes as two inputs of a merge, cut where a second stream begins or
 * else twice the same; nothing may crash, hang or grow, and what comes of it is read to its end.
 */
#include <perfpipe/perfpipe.h>

#include "memory_files.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUTS = 2, OUTPUT = INPUTS, FILES };

static struct memory_file files[FILES];

/* What was merged is framed as a stream is. */
static void read_merged(void)
{
	struct pp_error error = { .code = PP_OK };
	struct pp_reader *r = pp_reader_open(files[OUTPUT].path, NULL, &error);
	struct pp_record rec;
	int got;

	if (!r)
		abort();
	while ((got = pp_reader_next(r, &rec, &error)) > 0 || (got && !error.fatal))
		;
	if (got < 0 && pp_reader_stream(r)->records)
		abort();
	pp_reader_close(r);
}

static void merge(bool hosts)
{
	const struct pp_merge_options options = { .size = sizeof(options), .hosts = hosts,
						  .patience = UINT64_MAX };
	struct pp_writer *w = pp_writer_open(files[OUTPUT].fd, PP_SEAL_AUTO);
	struct pp_merge *m = pp_merge_new(&options, NULL);
	struct pp_error error = { .code = PP_OK };
	size_t opened = 0;

	if (!w || !m)
		abort();
	for (int i = 0; i < INPUTS; i++)
		opened += !pp_merge_add(m, files[i].path, &error);
	/* hosts without a common clock would be refused */
	for (size_t i = 0; i < opened; i++)
		pp_merge_shift(m, i, (int64_t)i);
	error = (struct pp_error){ .code = PP_OK };
	if (opened && !pp_merge_run(m, w, &error) && !pp_writer_end(w, pp_merge_flags(m), NULL))
		read_merged();
	pp_merge_free(m);
	pp_writer_close(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *second = size > PP_PIPE_HEADER ?
		memmem(data + 8, size - 8, "PERFILE2", 8) : NULL;
	const size_t first = second ? (size_t)(second - data) : size;

	if (!files[OUTPUT].fd)
		make_files(files, FILES);
	for (int hosts = 0; hosts < 2; hosts++) {
		fill(&files[0], data, first);
		fill(&files[1], second ? second : data, second ? size - first : size);
		fill(&files[OUTPUT], NULL, 0);
		merge(hosts);
	}
	return 0;
}
