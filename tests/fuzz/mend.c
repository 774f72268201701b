/*
 * mend.c - fuzz target: any bytes as an input that is mended; nothing may crash, hang or grow, and
 * what comes of it is read to its end.
 */
#include <perfpipe/perfpipe.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void found(void *arg, const struct pp_mended *r)
{
	(void)arg;
	if (r->to < r->from || !r->what)
		abort();
}

/* What is mended has no record that is cut, and none that a reader stumbles over. */
static void read_mended(const char *path)
{
	struct pp_error error = { .code = PP_OK };
	struct pp_reader *r = pp_reader_open(path, NULL, &error);
	struct pp_record rec;
	int got;

	if (!r)
		abort();
	/* records of no known type cannot be turned round: that is no damage */
	while ((got = pp_reader_next(r, &rec, &error)) > 0 || (got && error.code == PP_E_ENDIAN))
		;
	/* one with nothing but its header is all that may be wrong */
	if (got < 0 && pp_reader_stream(r)->records)
		abort();
	pp_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char in[32], out[32];
	static int input = -1, output = -1;
	static const struct pp_mend_options options = { .size = sizeof(options), .found = found };
	struct pp_mend_stats stats;
	struct pp_error error = { .code = PP_OK };

	if (input < 0) {
		input = memfd_create("input", MFD_CLOEXEC);
		output = memfd_create("output", MFD_CLOEXEC);
		snprintf(in, sizeof(in), "/proc/self/fd/%d", input);
		snprintf(out, sizeof(out), "/proc/self/fd/%d", output);
	}
	if (input < 0 || output < 0 || ftruncate(input, 0) || ftruncate(output, 0) ||
	    lseek(output, 0, SEEK_SET) || pwrite(input, data, size, 0) != (ssize_t)size)
		abort();
	if (!pp_mend(in, output, &options, &stats, &error) && stats.records &&
	    stats.container[0] == 's')
		read_mended(out);
	return 0;
}
