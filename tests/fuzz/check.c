/*
 * check.c - fuzz target: any bytes as a stream that is checked; nothing may crash or hang, and no
 * sample passes that a walk would stumble over.
 */
#include <perfpipe/perfpipe.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RECORDS_MOST = 20000, ERRORS_MOST = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void found(void *arg, const struct pp_finding *f)
{
	char text[512];

	(void)arg;
	if (pp_finding_text(f, text, sizeof(text)) <= 0 || !f->kind)
		abort();
}

static void judge(struct pp_checker *checker, struct pp_reader *r, struct pp_record *rec)
{
	const struct pp_checker_stats *stats = pp_checker_stats(checker);
	const uint64_t faults = stats->faults;
	struct pp_error error;
	const void *piece;
	size_t size;

	if (pp_checker_record(checker, rec, &error))
		abort();
	if (pp_check(rec, &error) && stats->faults == faults)
		abort();
	while (rec->tail && pp_reader_tail(r, &piece, &size, &error) > 0)
		pp_checker_tail(checker, rec, piece, size);
}

static void judge_all(struct pp_reader *r)
{
	struct pp_checker *checker = pp_checker_open(pp_reader_stream(r), found, NULL);
	unsigned errors = 0;

	if (!checker)
		abort();
	for (unsigned i = 0; i < RECORDS_MOST; i++) {
		struct pp_error error = { .code = PP_OK };
		struct pp_record rec;
		const int got = pp_reader_next(r, &rec, &error);

		if (!got)
			break;
		if (got > 0) {
			judge(checker, r, &rec);
			continue;
		}
		pp_checker_error(checker, &error);
		if (error.fatal || ++errors > ERRORS_MOST)
			break;
	}
	pp_checker_end(checker);
	pp_checker_close(checker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[32];
	static int input = -1;
	struct pp_error error;
	struct pp_reader *r;

	if (input < 0) {
		input = memfd_create("input", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", input);
	}
	if (input < 0 || ftruncate(input, 0) || pwrite(input, data, size, 0) != (ssize_t)size)
		abort();
	r = pp_reader_open(path, NULL, &error);
	if (r)
		judge_all(r);
	pp_reader_close(r);
	return 0;
}
