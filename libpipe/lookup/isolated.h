/* isolated.h - a shelf in a process of its own, and a finder: what both sides say to each other, and how they
 * say it. */
#ifndef PP_ISOLATED_H
#define PP_ISOLATED_H

#include "format/names_record.h"
#include "lookup/image_cache.h"

struct pp_isolated;
/* Starts nothing yet.  Options, their strings and the finder outlive it.  NULL: memory. */
struct pp_isolated *pp_isolated_new(const struct pp_symbols_options *, struct pp_finder *);
void pp_isolated_free(struct pp_isolated *);        /* NULL is fine */
/* As pp_image_cache_names().  A file that ends the process is passed over, which is said once. */
int pp_isolated_names(struct pp_isolated *, const struct pp_asked *, const struct pp_answered *,
		      struct pp_error *);
unsigned pp_isolated_isolated(const struct pp_isolated *);

/* ---- isolated_reader_child.c: the process itself ---- */

/* Serves `socket`, its only descriptor, until the other side closes it. */
_Noreturn void pp_isolated_process(int socket, const struct pp_symbols_options *);

/* ---- ipc.c: messages ---- */

enum pp_ipc {
	PP_IPC_ASKED,                /* to the process: struct pp_ipc_asked, offsets, path */
	PP_IPC_FOUND,                /* what was asked for: struct pp_ipc_found, detail, path; a
	                                 descriptor */
	PP_IPC_READY,                /* from it, first: u32 PP_ISOLATED_; from a finder, an errno or 0 */
	PP_IPC_ANSWERS,              /* struct pp_ipc_answers, and what pp_ipc_put() made */
	PP_IPC_SAID,                 /* a line, */
	PP_IPC_LOST,                 /* and one of names that are lost */
	PP_IPC_QUESTION,             /* struct pp_ipc_question, path, path of ->of */
	PP_IPC_FAILED,               /* struct pp_ipc_failure, detail; no more comes, nor after the next */
	PP_IPC_TOO_LARGE,            /* memory was enough, but not for this file */
	PP_IPC_IDENTIFY,             /* to it, before what was asked for: a descriptor */
	PP_IPC_IDENTITY,             /* from it: struct pp_ipc_identity */

	/* to and from a process that finds files, and starts the one that reads them (namer.c) */
	PP_IPC_HOW,                  /* to it: begin a resolver, struct pp_ipc_how; empty: end it */
	PP_IPC_KERNEL,               /* to it: u64, where the recorded kernel was */
	PP_IPC_RUNS,                 /* to it: struct pp_id of a kernel; from it: u32, whether it runs */
	PP_IPC_FIND,                 /* to it: start a finder, which serves the socket that comes along */
	PP_IPC_HINTED,               /* from it: struct pp_ipc_hinted, a line */
	PP_IPC_SO_FAR,               /* from it, before answers: struct pp_named_so_far */
};
/* Nothing lies between the members of these, where bytes would go out that were never written. */
struct pp_ipc_asked {
	uint64_t number, ino, ino_generation, recorded_by;
	uint32_t n, kind, pid, of_pid, maj, min;
	struct pp_id id;
	uint8_t named, id_of_name, zero[1];
};
struct pp_ipc_answers { uint32_t last; };      /* no more is to come */
struct pp_ipc_failure { uint32_t code; int32_t os; };
struct pp_ipc_found {
	int32_t result;
	struct pp_ipc_failure failure;
	struct pp_id id;
	uint8_t zero[3];
};
struct pp_ipc_question {
	uint64_t ino, ino_generation, recorded_by;
	uint32_t what, crc, pid, maj, min;
	struct pp_id id, of_id;
	uint8_t id_of_name, zero[1];
};

struct pp_ipc_identity {
	int32_t result, os;           /* as pp_elf_read_build_id() */
	struct pp_id id;
	uint8_t zero[3];
};

struct pp_ipc_part { const void *data; size_t size; };
enum { PP_IPC_PARTS = 3 };
/* A message of up to PP_IPC_PARTS parts, the first empty one ends them, with a descriptor or -1.
 * 0, or -1 and errno. */
int pp_ipc_send(int socket, enum pp_ipc, const struct pp_ipc_part parts[PP_IPC_PARTS], int fd);
/* Where messages come from, and what has come of the next ones: those that bring descriptors come alone. */
struct pp_ipc_source { int socket; uint32_t at, size; uint8_t ahead[4096]; };
/* Waits for one: 1, and what it is, its bytes, which a zero byte follows, and its descriptor or -1;
 * 0: the other side is gone, or talks nonsense; -1: memory. */
int pp_ipc_receive(struct pp_ipc_source *, uint32_t *kind, struct pp_buffer *, int *fd);
/* The text at *at of a message; then *at is after its end.  NULL: it has no end. */
const char *pp_ipc_text(const struct pp_buffer *, size_t *at);
/* Adds an answer to those that a message will have; of frames with more text than a message may have the
 * function itself alone, or none.  0, or -1: memory. */
int pp_ipc_put(struct pp_buffer *, const struct pp_named *, const struct pp_named_frame *, uint32_t flags,
	       const struct pp_address_range *);
/* The answer at *at of a message, whose texts stay there; then *at is after it.  False: nonsense. */
bool pp_ipc_take(const struct pp_buffer *, size_t *at, struct pp_named *,
		 struct pp_named_frame frames[PP_NAMES_FRAMES], uint32_t *flags, struct pp_address_range *);
/* Sends the answers that were added, and empties the buffer: as pp_ipc_send().  `last`: no more will come. */
int pp_ipc_send_answers(int socket, struct pp_buffer *, bool last);
/* Sends what is asked, of these offsets alone: as pp_ipc_send(). */
int pp_ipc_send_asked(int socket, const struct pp_asked *, size_t from, size_t n);
/* What a message asks; offsets and path stay in the message.  False: nonsense. */
bool pp_ipc_take_asked(const struct pp_buffer *, struct pp_asked *);
struct pp_ipc_failure pp_ipc_failure(const struct pp_error *);
/* The failure again, by the message's detail; its record is not known any more.  False: nonsense. */
bool pp_ipc_error(const struct pp_ipc_failure *, const char *detail, struct pp_error *);
/* The same as a message, PP_IPC_FAILED: as pp_ipc_send(); and as pp_ipc_error(). */
int pp_ipc_send_failure(int socket, const struct pp_error *);
bool pp_ipc_take_failure(const struct pp_buffer *, struct pp_error *);

/* ---- ipc_files.c: files go from who finds them to who reads them ---- */

enum { PP_REMOTE_SOCKET = 0 };
/* A process that was made by fork() leaves signals and descriptors to the other one; one that speaks has
 * standard error, for its libraries. */
void pp_isolated_begin(int socket, const char *name, bool speaks);
/* Tells the other end that a finder serves it, or the errno why none does. */
void pp_isolated_finder_ready(int socket, int os);
/* Who reads: has a file found, as by pp_finder_answer(); `in` is for its messages, what the finder says goes
 * to `say`.  -1 and *error, with the os EPIPE where the other side is gone or talks nonsense. */
int pp_ipc_ask(struct pp_ipc_source *, struct pp_buffer *in, const struct pp_say *say,
	       const struct pp_question *, struct pp_found_file *, struct pp_error *);
/* Who finds: answers a question, a message of `in`.  A file whose owner `may` not have it read is missing
 * (NULL: all may).  0, or -1: it makes no sense, or no one takes what is answered. */
typedef bool pp_owner_fn(void *arg, uint32_t owner);
int pp_ipc_answer(struct pp_ipc_source *, const struct pp_buffer *in, struct pp_finder *,
		  pp_owner_fn *may, void *arg);
/* Who finds, while a question waits: the build-id of a file, as pp_elf_read_build_id(). */
int pp_ipc_identify(struct pp_ipc_source *, int fd, struct pp_id *);

/* ---- finder_child.c: a finder in a process of its own, for one that has given up files ---- */

struct pp_isolated_finder;
/* What `places` points to outlives it.  NULL and *error. */
struct pp_isolated_finder *pp_isolated_finder_new(const struct pp_finder_options *, struct pp_error *);
/* Asks one that another process started, by this socket, which it takes: NULL and *error. */
struct pp_isolated_finder *pp_isolated_finder_at(int socket, const struct pp_say *, struct pp_error *);
/* Makes this process, which was forked for it, a finder that serves this socket. */
_Noreturn void pp_isolated_finder_serve(int socket, const struct pp_finder_options *);
void pp_isolated_finder_free(struct pp_isolated_finder *);  /* NULL is fine */
/* To be asked by a finder here: the argument is this one. */
/* -1 and *error: also where it cannot be asked any more. */
int pp_isolated_finder_ask(void *, const struct pp_question *, struct pp_found_file *, struct pp_error *);
bool pp_isolated_finder_gone(const struct pp_isolated_finder *);

#endif
