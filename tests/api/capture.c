/* capture.c - records a command without a stream: the kernel's records are read where they lie. */
#include <perfpipe/bytes.h>
#include <perfpipe/capture.h>
#include <stdio.h>
#include <string.h>

static struct { uint64_t made, samples, records, rounds, broken, one_by_one, timed; } seen;

static int made(void *arg, const void *record, size_t size, const void *tail, size_t tail_size,
		struct pp_error *error)
{
	(void)arg, (void)tail, (void)tail_size, (void)error;
	seen.broken += pp_load16((const uint8_t *)record + 6) != size;
	seen.made++;
	return 0;
}

/* Each piece is whole records, also of those that lie at both ends of a buffer. */
static int kernel(void *arg, const void *records, size_t size, bool stays, struct pp_error *error)
{
	const uint8_t *at = (const uint8_t *)records, *const end = at + size;

	(void)arg, (void)stays, (void)error;
	for (; end - at >= 8 && pp_load16(at + 6) >= 8; at += pp_load16(at + 6)) {
		seen.samples += pp_load32(at) == 9;
		seen.records++;
	}
	seen.broken += at != end;
	return 0;
}

/* Each record, ready to be asked, as often as pieces had them. */
static int one(void *arg, const struct pp_record *record, struct pp_error *error)
{
	uint64_t time, ip;

	(void)arg, (void)error;
	seen.one_by_one++;
	seen.timed += record->type == PP_REC_SAMPLE && pp_time(record, &time) && pp_ip(record, &ip) &&
		      !strcmp(record->attr->name, "page-faults");
	return 0;
}

static int end_round(void *arg, struct pp_error *error)
{
	(void)arg, (void)error;
	seen.rounds++;
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const events[] = { "page-faults" };
	const struct pp_capture_sink sink = { .size = sizeof(sink), .made = made, .kernel = kernel,
					      .round = end_round, .record = one };
	struct pp_capture_options how = { .size = sizeof(how), .events = events, .n_events = 1,
					  .buffer = 4096 };
	struct pp_sampling sampling = { .size = sizeof(sampling), .period = 1 };
	struct pp_target_options target = { .size = sizeof(target) };
	struct pp_capture *capture;
	struct pp_error error;
	int alive = 1, status = 0;
	char text[300];

	target.command = argc > 1 ? argv + 1 : NULL;
	how.sampling = &sampling;
	how.target = &target;
	capture = pp_capture_open(&how, &error);
	if (!capture || pp_capture_begin_into(capture, &sink, &error) ||
	    pp_capture_start(capture, &error))
		goto failed;
	while (alive > 0 && !pp_capture_command(capture, &status)) {
		alive = pp_capture_wait(capture, 10, NULL);
		if (pp_capture_pass(capture, &error) < 0)
			goto failed;
	}
	if (pp_capture_end(capture, &error))
		goto failed;
	printf("%s %s %s %s %s\n", seen.made > 5 ? "head" : "no head",
	       seen.samples > 100 && seen.samples == pp_capture_stats(capture)->samples &&
			       seen.records == pp_capture_stats(capture)->records ? "samples" : "wrong",
	       seen.rounds ? "rounds" : "no rounds", seen.broken ? "broken" : "whole",
	       seen.one_by_one == seen.records && seen.timed == seen.samples ? "each" : "not each");
	pp_capture_close(capture);
	return 0;
failed:
	(void)pp_error_text(&error, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
	pp_capture_close(capture);
	return 4;
}
