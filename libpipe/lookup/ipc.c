/* ipc.c - messages between a process and the one that reads files for it: whole ones, of bounded size,
 * with a descriptor. */
#include "lookup/isolated.h"

#include <assert.h>
#include <errno.h>
#include <unistd.h>

#include "sandbox/fd_passing.h"

enum {
	ANSWER_MOST = 16 << 20,       /* bytes of an answer: of 128 frames of long names and files */
	MOST = ANSWER_MOST + (1 << 20),         /* of a message, which ends with such an answer */
};

struct wire_head { uint32_t kind, size; };

#define WHOLE(type, last) \
	static_assert(offsetof(struct type, last) + sizeof(((struct type *)NULL)->last) == \
		      sizeof(struct type), "the end of " #type)
WHOLE(pp_ipc_asked, zero);
WHOLE(pp_ipc_found, zero);
WHOLE(pp_ipc_question, zero);
WHOLE(pp_ipc_identity, zero);

/* Takes what was sent off the parts. */
static void advance(struct msghdr *m, size_t done)
{
	while (m->msg_iovlen && done >= m->msg_iov->iov_len) {
		done -= m->msg_iov->iov_len;
		m->msg_iov++;
		m->msg_iovlen--;
	}
	if (m->msg_iovlen) {
		m->msg_iov->iov_base = (char *)m->msg_iov->iov_base + done;
		m->msg_iov->iov_len -= done;
	}
	m->msg_control = NULL;
	m->msg_controllen = 0;
}

int pp_ipc_send(int socket, enum pp_ipc kind, const struct pp_ipc_part parts[PP_IPC_PARTS], int fd)
{
	struct wire_head head = { .kind = kind };
	union pp_passing passing;
	struct iovec pieces[1 + PP_IPC_PARTS] = { { &head, sizeof(head) } };
	struct msghdr message = { .msg_iov = pieces, .msg_iovlen = 1 };

	for (size_t i = 0; i < PP_IPC_PARTS && parts[i].size; i++) {
		pieces[message.msg_iovlen++] = (struct iovec){ (void *)(uintptr_t)parts[i].data,
							       parts[i].size };
		head.size += (uint32_t)parts[i].size;
	}
	pp_pass(&message, &passing, fd);
	while (message.msg_iovlen) {
		const ssize_t n = sendmsg(socket, &message, MSG_NOSIGNAL);

		if (n >= 0)
			advance(&message, (size_t)n);
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

/* Waits for bytes, up to `size`: how many, 0: the end, or a failure. */
static size_t receive_some(int socket, void *to, size_t size, int *fd)
{
	union pp_passing passing;
	struct iovec piece = { to, size };

	for (;;) {
		struct msghdr message = { .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &passing,
					  .msg_controllen = sizeof(passing) };
		const ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
		const int sent = n > 0 ? pp_passed(&message) : -1;

		if (sent >= 0) {
			if (*fd >= 0)
				(void)close(*fd);
			*fd = sent;
		}
		if (n >= 0 || errno != EINTR)
			return n > 0 ? (size_t)n : 0;
	}
}

/* What is short comes with what follows it, as far as that is there.  False: the end, or a failure. */
static bool receive(struct pp_ipc_source *from, uint8_t *to, size_t size, int *fd)
{
	while (size) {
		size_t n = from->size - from->at;

		if (!n && size >= sizeof(from->ahead)) {
			n = receive_some(from->socket, to, size, fd);
		} else {
			if (!n) {
				from->at = 0;
				from->size = (uint32_t)receive_some(from->socket, from->ahead,
								    sizeof(from->ahead), fd);
				n = from->size;
			}
			n = n < size ? n : size;
			memcpy(to, from->ahead + from->at, n);
			from->at += (uint32_t)n;
		}
		if (!n)
			return false;
		to += n;
		size -= n;
	}
	return true;
}

/* A message for which there is no memory, so that the next one is found; false: it ends before. */
static bool skip_message(struct pp_ipc_source *from, size_t size, int *fd)
{
	uint8_t piece[256];
	bool whole = true;

	for (size_t n; whole && size; size -= n) {
		n = size < sizeof(piece) ? size : sizeof(piece);
		whole = receive(from, piece, n, fd);
	}
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
	return whole;
}

int pp_ipc_receive(struct pp_ipc_source *from, uint32_t *kind, struct pp_buffer *to, int *fd)
{
	struct wire_head head;

	*fd = -1;
	to->size = 0;
	if (!receive(from, (uint8_t *)&head, sizeof(head), fd) || head.size > MOST)
		return 0;
	if (!pp_buffer_room(to, head.size + 1, NULL))
		return skip_message(from, head.size, fd) ? -1 : 0;
	if (!receive(from, to->data, head.size, fd))
		return 0;
	to->size = head.size;
	to->data[to->size] = '\0';
	*kind = head.kind;
	return 1;
}

const char *pp_ipc_text(const struct pp_buffer *from, size_t *at)
{
	const char *const text = (const char *)from->data + *at;

	if (*at >= from->size)
		return NULL;
	*at += strlen(text) + 1;
	return *at <= from->size ? text : NULL;
}

/* ---- Questions ---- */

int pp_ipc_send_asked(int socket, const struct pp_asked *asked, size_t from, size_t n)
{
	const struct pp_named_file *const of = &asked->of;
	struct pp_ipc_asked head = {
		.number = asked->number, .ino = of->ino, .n = (uint32_t)n, .kind = of->kind,
		.pid = asked->pid, .of_pid = of->pid, .maj = of->maj, .min = of->min,
		.ino_generation = of->ino_generation, .recorded_by = asked->recorded_by,
		.id_of_name = of->id_of_name, .id.size = of->id_size, .named = asked->named,
	};

	memcpy(head.id.bytes, of->id,
	       of->id_size < sizeof(head.id.bytes) ? of->id_size : sizeof(head.id.bytes));
	return pp_ipc_send(socket, PP_IPC_ASKED, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &head, sizeof(head) }, { asked->offsets + from, n * sizeof(*asked->offsets) },
			{ of->path, strlen(of->path) + 1 } }, -1);
}

bool pp_ipc_take_asked(const struct pp_buffer *in, struct pp_asked *what)
{
	struct pp_ipc_asked asked;

	if (in->size < sizeof(asked))
		return false;
	memcpy(&asked, in->data, sizeof(asked));
	if (asked.n > (in->size - sizeof(asked)) / sizeof(uint64_t))
		return false;
	*what = (struct pp_asked){
		.number = asked.number, .pid = asked.pid, .named = asked.named, .n = asked.n,
		.recorded_by = asked.recorded_by,
		.offsets = (const uint64_t *)(const void *)(in->data + sizeof(asked)),
		.of = { .kind = (enum pp_names_kind)asked.kind, .pid = asked.of_pid, .maj = asked.maj,
			.min = asked.min, .ino = asked.ino, .ino_generation = asked.ino_generation,
			.id_of_name = asked.id_of_name, .id_size = asked.id.size,
			.path = (const char *)in->data + sizeof(asked) + asked.n * sizeof(uint64_t) },
	};
	memcpy(what->of.id, asked.id.bytes, sizeof(what->of.id));
	return true;
}

/* ---- Answers ---- */

/* After it come its frames, then their texts, in the same order. */
struct answer { struct pp_address_range extent; uint64_t offset, start, bias; uint32_t count, flags; };
struct wire_frame { uint32_t symbol, file, line, inlined; };        /* bytes of the texts, with their ends */

/* Bytes of texts and frames. */
static size_t size_of_frames(const struct pp_named_frame *frames, uint32_t count)
{
	size_t size = 0;

	for (uint32_t i = 0; i < count; i++)
		size += sizeof(struct wire_frame) + strlen(frames[i].symbol) + 1 + strlen(frames[i].file) + 1;
	return size;
}

int pp_ipc_put(struct pp_buffer *to, const struct pp_named *named, const struct pp_named_frame *frames,
	       uint32_t flags, const struct pp_address_range *extent)
{
	struct answer a = { *extent, named->offset, named->start, named->bias, named->count, flags };
	size_t size = size_of_frames(frames, a.count);

	if (size > ANSWER_MOST) {
		/* which is before the data */
		a.count -= flags & PP_ANSWER_DATA ? 1 : 0;
		a.flags &= ~(uint32_t)PP_ANSWER_DATA;
		frames += a.count - 1;
		a.count = 1;
		size = size_of_frames(frames, a.count);
	}
	if (size > ANSWER_MOST)
		a.count = 0;
	if (!pp_buffer_room(to, sizeof(a) + size, NULL))
		return -1;
	(void)pp_buffer_add(to, &a, sizeof(a), NULL);
	for (uint32_t i = 0; i < a.count; i++)
		(void)pp_buffer_add(to, &(const struct wire_frame){
			(uint32_t)strlen(frames[i].symbol) + 1, (uint32_t)strlen(frames[i].file) + 1,
			frames[i].line, frames[i].inlined }, sizeof(struct wire_frame), NULL);
	for (uint32_t i = 0; i < a.count; i++) {
		(void)pp_buffer_add(to, frames[i].symbol, strlen(frames[i].symbol) + 1, NULL);
		(void)pp_buffer_add(to, frames[i].file, strlen(frames[i].file) + 1, NULL);
	}
	return 0;
}

/* A text of that size, with its end. */
static const char *take_text(const struct pp_buffer *from, size_t *at, uint32_t size)
{
	const char *const text = (const char *)from->data + *at;

	if (!size || !pp_fits(size, from->size - *at) || text[size - 1])
		return NULL;
	*at += size;
	return text;
}

bool pp_ipc_take(const struct pp_buffer *from, size_t *at, struct pp_named *named,
		 struct pp_named_frame frames[PP_NAMES_FRAMES], uint32_t *flags,
		       struct pp_address_range *extent)
{
	struct answer a;
	size_t rows;

	if (!pp_fits(sizeof(a), from->size - *at))
		return false;
	memcpy(&a, from->data + *at, sizeof(a));
	*at += sizeof(a);
	rows = *at;
	if (a.count > PP_NAMES_FRAMES || a.extent.first > a.extent.last ||
	    !pp_fits_n(a.count, sizeof(struct wire_frame), from->size - *at))
		return false;
	*at += a.count * sizeof(struct wire_frame);
	for (uint32_t i = 0; i < a.count; i++) {
		struct wire_frame f;

		memcpy(&f, from->data + rows + i * sizeof(f), sizeof(f));
		frames[i] = (struct pp_named_frame){
			.symbol = take_text(from, at, f.symbol), .line = f.line, .inlined = f.inlined,
		};
		frames[i].file = frames[i].symbol ? take_text(from, at, f.file) : NULL;
		if (!frames[i].file)
			return false;
	}
	*named = (struct pp_named){ .offset = a.offset, .start = a.start, .bias = a.bias, .count = a.count };
	*flags = a.flags;
	*extent = a.extent;
	return true;
}

int pp_ipc_send_answers(int socket, struct pp_buffer *answers, bool last)
{
	const struct pp_ipc_answers head = { last };
	const int failed = pp_ipc_send(socket, PP_IPC_ANSWERS, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &head, sizeof(head) }, { answers->data, answers->size } }, -1);

	answers->size = 0;
	return failed;
}

/* ---- Failures ---- */

struct pp_ipc_failure pp_ipc_failure(const struct pp_error *error)
{
	return (struct pp_ipc_failure){ (uint32_t)error->code, error->os };
}

bool pp_ipc_error(const struct pp_ipc_failure *failure, const char *detail, struct pp_error *error)
{
	if (failure->code == PP_OK || failure->code > PP_E_LIMIT)
		return false;
	(void)pp_fail(error, (enum pp_code)failure->code, "%s", detail);
	error->os = failure->os;
	return true;
}

int pp_ipc_send_failure(int socket, const struct pp_error *error)
{
	const struct pp_ipc_failure failure = pp_ipc_failure(error);

	return pp_ipc_send(socket, PP_IPC_FAILED, (const struct pp_ipc_part[PP_IPC_PARTS]){
			{ &failure, sizeof(failure) }, { error->detail, strlen(error->detail) + 1 } }, -1);
}

bool pp_ipc_take_failure(const struct pp_buffer *in, struct pp_error *error)
{
	struct pp_ipc_failure failure;
	size_t at = sizeof(failure);
	const char *const detail = pp_ipc_text(in, &at);

	if (!detail)
		return false;
	memcpy(&failure, in->data, sizeof(failure));
	return pp_ipc_error(&failure, detail, error);
}
