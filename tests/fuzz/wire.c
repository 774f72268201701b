/*
 * wire.c - fuzz target: what the processes that read files and that find them say to each other, of which
 * each takes the other's word for nothing.  The first byte chooses: answers, a question, or messages that
 * come while one is answered.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "reading.h"
#include "symbol/name_store.h"
#include "lookup/isolated.h"

static void expect(bool holds)
{
	if (!holds)
		abort();
}

static void check_text(const struct pp_buffer *from, const char *text)
{
	const char *const start = (const char *)from->data;

	expect(text >= start && text < start + from->size &&
	       memchr(text, 0, from->size - (size_t)(text - start)));
}

/* As pp_isolated_names() takes them, and keeps them. */
static void take_answers(const struct pp_buffer *from)
{
	struct pp_named_frame frames[PP_NAMES_FRAMES];
	struct pp_named_file of = { .kind = PP_NAMES_FILE, .path = "/bin/cat" };
	struct pp_name_store known = { .n_objects = 0 };
	struct pp_address_range extent;
	struct pp_named named;
	uint32_t flags;
	size_t object;

	expect(!pp_name_store_object(&known, &of, false, &object));
	for (size_t at = 0; at < from->size && pp_ipc_take(from, &at, &named, frames, &flags, &extent);) {
		expect(at <= from->size && named.count <= PP_NAMES_FRAMES && extent.first <= extent.last);
		for (uint32_t i = 0; i < named.count; i++) {
			check_text(from, frames[i].symbol);
			check_text(from, frames[i].file);
		}
		expect(!pp_name_store_cover(&known, object, &extent, &named, frames, flags));
		(void)pp_name_store_at(&known, object, named.offset);
	}
	pp_name_store_free(&known);
}

static void take_question(const struct pp_buffer *from, int socket)
{
	const struct pp_finder_options places = { .root = "/nonexistent" };
	struct pp_ipc_source to = { .socket = socket };
	struct pp_finder *const finder = pp_finder_new(&places);

	expect(finder != NULL);
	(void)pp_ipc_answer(&to, from, finder, NULL, NULL);
	pp_finder_free(finder);
}

/* What comes is there before it is asked for; what is sent no one reads. */
static void take_messages(const struct pp_buffer *from, int ends[2])
{
	struct pp_ipc_source source = { .socket = ends[0] };
	const struct pp_question question = { .what = PP_ASK_FILE, .wanted.path = "/bin/cat" };
	const struct pp_say nowhere = { .line = NULL };
	struct pp_buffer in = { .size = 0 };
	struct pp_error error = { .code = PP_OK };
	struct pp_found_file found;
	struct pp_id id;
	int got;

	if (from->size && write(ends[1], from->data, from->size) != (ssize_t)from->size)
		abort();
	expect(!shutdown(ends[1], SHUT_WR));
	got = pp_ipc_ask(&source, &in, &nowhere, &question, &found, &error);
	expect(got == PP_FILE_FOUND ? found.fd >= 0 && found.path && found.id.size <= sizeof(found.id.bytes) :
	       found.fd < 0 && !found.path && (got >= 0 || error.code != PP_OK));
	pp_found_close(&found);
	(void)pp_ipc_identify(&source, -1, &id);
	expect(id.size <= sizeof(id.bytes));
	pp_buffer_free(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MOST = 1 << 16 };      /* that a socket takes without a reader */
	struct pp_buffer from = { .size = 0 };
	int ends[2];

	(void)read_bytes;
	if (!size || size > MOST || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 0;
	/* a zero byte follows every message */
	expect(!pp_buffer_add(&from, data + 1, size - 1, NULL) && !pp_buffer_add(&from, "", 1, NULL));
	from.size--;
	if (*data % 3 == 0)
		take_answers(&from);
	else if (*data % 3 == 1)
		take_question(&from, ends[0]);
	else
		take_messages(&from, ends);
	pp_buffer_free(&from);
	(void)close(ends[0]);
	(void)close(ends[1]);
	return 0;
}
