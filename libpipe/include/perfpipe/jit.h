/*
 * jit.h - the code that a JIT compiler reported in a jitdump file, and small ELF images of it.
 *
 * The pieces come in the order of their times, as far as a window of some thousand records can put
 * them in order, so that a caller can ask for what was born by some moment, while the file grows.
 * Nothing in the file is trusted: a record that cannot be is passed over and counted.
 *
 *	#define PP_UNSTABLE
 *	#include <perfpipe/jit.h>
 *	#include <fcntl.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	int main(int argc, char **argv)
 *	{
 *		struct pp_error error;
 *		struct pp_jit_code code;
 *		const int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
 *		struct pp_jit *jit = fd < 0 ? NULL : pp_jit_open(fd, &error);
 *
 *		while (jit && pp_jit_next(jit, UINT64_MAX, &code, &error) == PP_MORE)
 *			if (!code.moved)
 *				printf("%" PRIx64 " %s\n", code.address, code.name);
 *		pp_jit_close(jit);
 *		return jit ? 0 : 4;
 *	}
 */
#ifndef PERFPIPE_JIT_H
#define PERFPIPE_JIT_H

#ifndef PP_UNSTABLE
#error "<perfpipe/jit.h> may still change: define PP_UNSTABLE to use it as it is"
#endif

#include <perfpipe/api.h>
#include <perfpipe/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pp_jit;

/* One piece of code: where it came to lie, when and as what. */
struct pp_jit_code {
	uint64_t time;                /* ns: of CLOCK_MONOTONIC, or by pp_jit_set_clock() */
	uint32_t pid, tid;            /* as the process itself knows them */
	bool moved;                   /* it lay elsewhere before, and has a number and an image */
	uint64_t address, size;
	uint64_t number;              /* of the code: unique in its file, where the JIT keeps the rules */
	const char *name;             /* NULL if it moved; valid until the next call */
	uint64_t offset, mapped;      /* its place in the image; bytes from `address` on that are mapped */
	uint64_t own[3];              /* private: places in the file */
};

/* Takes over `fd`, which stays open until pp_jit_close(), or is closed here after an error: NULL and
 * *error, where this is no jitdump file.  One that is still empty is one, of which nothing came. */
PP_API PP_MUST_CHECK struct pp_jit *pp_jit_open(int fd, struct pp_error *);
PP_API void pp_jit_close(struct pp_jit *);      /* NULL is fine */
/* The process, as it knows itself; 0 while the file is empty. */
PP_API uint32_t pp_jit_pid(const struct pp_jit *);
/* Whether times are cycles of the processor's counter. */
PP_API bool pp_jit_counts_cycles(const struct pp_jit *);
/* How the kernel makes its time from that counter: what a TIME_CONV record says. */
struct pp_jit_clock {
	uint64_t shift, mult, zero;
	bool wraps;                   /* the counter has only the bits of `mask` */
	uint64_t cycles, mask;
};
/* Before the first pp_jit_next(). */
PP_API void pp_jit_set_clock(struct pp_jit *, const struct pp_jit_clock *);
/* The time of the next piece that is known of; UINT64_MAX: none. */
PP_API uint64_t pp_jit_due(const struct pp_jit *);
/* Damaged records, and bytes at the end that are no whole record (yet). */
PP_API uint64_t pp_jit_damaged(const struct pp_jit *);
PP_API uint64_t pp_jit_left(const struct pp_jit *);
/*
 * The next piece of code, if it was born at this time or before: PP_MORE; PP_END: none has come yet; or
 * PP_FAILED and *error, after which there is nothing more.  A file that grows is read on with the next
 * call.
 */
PP_API PP_MUST_CHECK enum pp_status pp_jit_next(struct pp_jit *, uint64_t until, struct pp_jit_code *,
						struct pp_error *);
/*
 * Writes an ELF image of the code that pp_jit_next() handed out last, and that did not move, to an
 * empty file: the code with its symbol, lines and unwinding information, in the byte order of the
 * jitdump file, with a build-id made from all of that.  The same code makes the same image.  0, or -1
 * and *error.
 */
PP_API PP_MUST_CHECK int pp_jit_image(struct pp_jit *, const struct pp_jit_code *, int fd,
				      uint8_t id[20], struct pp_error *);

#ifdef __cplusplus
}
#endif

#endif
