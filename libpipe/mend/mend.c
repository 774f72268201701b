/*
 * mend.c - turns a damaged stream into a sound one, in one pass: what is sound is copied, what is
 * not is left out and reported.  Here it begins and ends, for each kind of input.
 */
#include "base/array.h"
#include "base/sized_options.h"
#include "format/note.h"
#include "format/payload.h"
#include "mend/mend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where it was mended, in the stream itself. */
static int put_note(void *arg, uint8_t *data, size_t size, struct pp_error *error)
{
	struct mend *const m = arg;

	(void)error;
	if (m->known.foreign)
		pp_payload_swap(data, size, false);
	pp_round_header(data, (uint16_t)size, m->known.foreign);
	pp_mend_put(m, data, size);
	return 0;
}

static void finish(struct mend *m)
{
	static const struct pp_mended nothing = { .what = "its records are missing" };
	struct pp_mended end = { .what = "its end is missing" };

	if (m->in.ended)
		pp_mend_drop_rest(m);
	if (m->packed.exp_end > m->packed.exp_at && !m->packed.plain) {
		pp_mend_turn_plain(m);
		end.what = "the end of the compressed data is missing";
	}
	pp_mend_judge_rest(m, true);
	pp_mend_end_range(m, m->in.at);
	end.from = end.to = m->in.at;
	if (m->in.source_cut)
		end.what = "the end of the file is missing";
	if (m->in.source_cut || (m->in.sealed_in && !m->in.ended))
		pp_mend_tell(m, &end);
	else if (m->packed.exp_end > m->packed.exp_at)
		pp_mend_tell(m, &end);
	else if (m->in.at == PP_PIPE_HEADER)
		pp_mend_tell(m, &nothing);
	pp_mend_commit(m, m->in.at);
	if (m->stats->ranges || m->stats->flagged) {
		const char *const text = m->judge.noted ? m->judge.note : "unknown";

		m->stats->changed = true;
		(void)pp_note_make("mended", text, strlen(text), put_note, m, NULL);
	}
	if (m->out.sealed)
		pp_mend_put_seal(m, m->in.flags | PP_SEAL_END);
	pp_mend_flush(m);
}

static void begin(struct mend *m, bool seal)
{
	static const struct pp_mended no_header = { .what = "its header is missing" };

	m->in.at = m->in.last = m->out.committed = m->in.summed = PP_PIPE_HEADER;
	m->out.sealed = seal;
	memcpy(m->in.head, here(m, 0), PP_PIPE_HEADER);
	pp_mend_put(m, m->in.head, PP_PIPE_HEADER);
	if (seal)
		pp_mend_put_seal(m, PP_SEAL_UNSEALED);
	if (m->headless)
		pp_mend_tell(m, &no_header);
}

/* One way through the source. */
static void run(struct mend *m, bool seal)
{
	*m->stats = (struct pp_mend_stats){ .name = m->stats->name, .bytes = m->in.end,
					    .container = m->stats->container };
	if (pp_evidence_open(&m->known)) {
		pp_mend_out_of_memory(m);
		return;
	}
	m->known.blind = m->late != NULL;
	if (!pp_mend_need(m, 0, PP_PIPE_HEADER)) {
		if (!m->failed && m->in.end >= 8 && pp_is_stream_magic(m->in.buf))
			pp_fail(m->error, PP_E_CUT, "its header is not whole");
		else if (!m->failed)
			pp_container_unknown(m->in.buf, m->in.end, m->error);
		m->failed = true;
		return;
	}
	if (pp_container(m->in.buf, &m->known.foreign, m->error) < 0) {
		m->failed = true;
		return;
	}
	begin(m, seal);
	while (pp_mend_scan(m) && !m->failed)
		;
	if (!m->failed)
		finish(m);
}

/* As before the first byte: the input is gone along once more. */
static void forget(struct mend *m)
{
	pp_evidence_close(&m->known);
	pp_mend_reset_input(&m->in);
	pp_mend_reset_output(&m->out);
	pp_mend_reset_judge(&m->judge);
	pp_mend_reset_packed(&m->packed);
}

/* A file that lacks nothing leaves as it is. */
static void copy_file(struct mend *m, uint64_t length)
{
	uint64_t at = 0;

	while (at < length && !m->failed) {
		const ssize_t n = pp_input_pread(&m->source, m->in.buf, PIECE, at);

		if (n <= 0) {
			pp_fail_os(m->error, "cannot read");
			m->failed = true;
			return;
		}
		if (pp_writer_put(m->out.writer, m->in.buf, (size_t)n, m->error) ||
		    pp_writer_flush(m->out.writer, m->error))
			m->failed = true;
		at += (uint64_t)n;
	}
}

/* A perf.data file is gone through twice: first to see whether anything is wrong with it. */
static void run_file(struct mend *m, const uint8_t *head, size_t have)
{
	struct pp_writer *writer = m->out.writer;
	pp_mend_found_fn *found = m->found;
	uint64_t length;

	if (pp_input_seekable(&m->source, head, have, m->error) ||
	    pp_container_file(&m->source, m->error)) {
		m->failed = true;
		return;
	}
	m->stats->container = "perf.data file";
	m->out.writer = NULL;
	m->found = NULL;
	m->simpleperf = pp_dialect_of(m->source.pieces.features) == PP_DIALECT_SIMPLEPERF;
	run(m, true);
	m->out.writer = writer;
	m->found = found;
	if (m->failed)
		return;
	if (!m->stats->ranges && !m->stats->flagged && (!m->stats->changed || m->simpleperf) &&
	    !m->source.pieces.killed && !m->source.pieces.late.code) {
		if (pp_input_length(&m->source, &length)) {
			pp_fail_os(m->error, "cannot read");
			m->failed = true;
			return;
		}
		m->stats->changed = false;
		copy_file(m, length);
		return;
	}
	forget(m);
	m->source.pieces.next = 0;
	m->source.pieces.done = 0;
	run(m, true);
	if (m->source.pieces.killed)
		m->stats->changed = true;
}

/* perf 6.1 inject -i FILE -o - forgets the header, so that an attribute comes first. */
static void make_header(struct mend *m)
{
	if (pp_load32(m->in.buf) != PP_REC_HEADER_ATTR || pp_load16(m->in.buf + 6) % 8 ||
	    !pp_fits(PP_HEADER_SIZE + 64, pp_load16(m->in.buf + 6)))
		return;
	memmove(m->in.buf + PP_PIPE_HEADER, m->in.buf, m->in.end);
	m->in.end += PP_PIPE_HEADER;
	pp_stream_header(m->in.buf, false);
	m->headless = true;
}

/* Goes along the input and writes nothing. */
static void look(struct mend *m)
{
	struct pp_writer *const writer = m->out.writer;
	pp_mend_found_fn *const found = m->found;

	m->in.end = 0;
	m->in.eof = false;
	m->out.writer = NULL;
	m->found = NULL;
	run(m, false);
	m->out.writer = writer;
	m->found = found;
	forget(m);
}

static void run_stream(struct mend *m)
{
	if (pp_mend_begins_late(m) && !pp_mend_put_in_front(m, look))
		return;
	run(m, false);
	m->stats->moved = m->moved;
	m->stats->changed |= m->moved != 0;
}

/* What kind of input it is; zstd around all of it is taken off. */
static void run_any(struct mend *m)
{
	bool foreign = false;

	m->stats->container = "stream";
	m->in.at = m->in.last = m->out.committed = 0;
	if (!pp_mend_need(m, 0, PP_PIPE_HEADER)) {
		run(m, false);
		return;
	}
	make_header(m);
	switch (pp_container(m->in.buf, &foreign, m->error)) {
	case PP_CONTAINER_ZSTD:
		if (pp_input_unwrap(&m->source, m->in.buf, m->in.end, m->error)) {
			m->failed = true;
			return;
		}
		m->in.end = 0;
		m->in.eof = false;
		run_any(m);
		return;
	case PP_CONTAINER_FILE: {
		/* all that was read comes before the rest */
		const size_t have = m->in.end;
		uint8_t *copy = malloc(have);

		if (!copy) {
			pp_mend_out_of_memory(m);
			return;
		}
		memcpy(copy, m->in.buf, have);
		m->in.end = 0;
		m->in.eof = false;
		run_file(m, copy, have);
		free(copy);
		return;
	}
	default:
		m->known.foreign = foreign;
		run_stream(m);
	}
}

int pp_mend(const char *path, int fd, const struct pp_mend_options *options,
	    struct pp_mend_stats *stats, struct pp_error *error)
{
	struct mend *m = calloc(1, sizeof(*m));
	struct pp_mend_options o;
	bool failed = true;

	*stats = (struct pp_mend_stats){ .name = path ? path : "standard input" };
	if (!m) {
		pp_fail(error, PP_E_NOMEM, NULL);
		return -1;
	}
	m->stats = stats;
	m->error = error;
	if (pp_options_take(&o, sizeof(o), options, error)) {
		free(m);
		return -1;
	}
	m->found = o.found;
	m->arg = o.arg;
	m->verify = !o.no_verify;
	if (pp_mend_open_output(&m->out, fd) || pp_mend_open_input(&m->in)) {
		pp_fail(error, PP_E_NOMEM, NULL);
	} else if (!pp_input_open(&m->source, path, error)) {
		stats->name = m->source.name;
		if (!o.opened || !o.opened(o.arg, m->source.fd, error)) {
			run_any(m);
			failed = m->failed;
		}
		pp_input_close(&m->source);
	}
	forget(m);
	pp_mend_close_input(&m->in);
	pp_mend_close_output(&m->out);
	free(m);
	return failed ? -1 : 0;
}
