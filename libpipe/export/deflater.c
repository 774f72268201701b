/* deflater.c - asks zlib, or for speed ISA-L, which is loaded if it is there. */
#include "export/deflater.h"
#include "base/loaded_library.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

struct pp_deflater {
	const struct deflate_library {
		void (*close)(struct pp_deflater *);
		void (*reset)(struct pp_deflater *);
		bool (*deflate)(struct pp_deflater *, struct pp_deflating *, enum pp_deflate_until);
	} *by;
	z_stream z;
	struct isal *isal;            /* NULL: zlib does it */
};

/* ---- zlib ---- */

static void close_zlib(struct pp_deflater *d)
{
	(void)deflateEnd(&d->z);
}

static void reset_zlib(struct pp_deflater *d)
{
	(void)deflateReset(&d->z);
}

static bool deflate_zlib(struct pp_deflater *d, struct pp_deflating *some, enum pp_deflate_until until)
{
	static const int how[] = {
		[PP_DEFLATE_TAKEN] = Z_NO_FLUSH, [PP_DEFLATE_FLUSH] = Z_SYNC_FLUSH,
		[PP_DEFLATE_END] = Z_FINISH,
	};
	z_stream *const z = &d->z;
	int status;

	z->next_in = (Bytef *)(uintptr_t)some->in;
	z->avail_in = (uInt)some->n;
	z->next_out = some->out;
	z->avail_out = (uInt)some->room;
	status = deflate(z, how[until]);
	*some = (struct pp_deflating){ z->next_in, z->avail_in, z->next_out, z->avail_out };
	return until == PP_DEFLATE_END ? status == Z_OK || status == Z_BUF_ERROR : !z->avail_out;
}

/* 0, or -1: no memory. */
static int open_zlib(struct pp_deflater *d, enum pp_deflate_kind kind)
{
	static const struct deflate_library zlib = { close_zlib, reset_zlib, deflate_zlib };
	static const struct { int level, window, strategy; } how[PP_DEFLATE_KINDS] = {
		[PP_DEFLATE_GZIP]    = { 1, MAX_WBITS + 16, Z_DEFAULT_STRATEGY },
		[PP_DEFLATE_FAST]    = { 4, -MAX_WBITS, Z_HUFFMAN_ONLY },
		[PP_DEFLATE_NEAR]    = { 4, -MAX_WBITS, Z_RLE },
		[PP_DEFLATE_CAREFUL] = { 4, -MAX_WBITS, Z_DEFAULT_STRATEGY },
		[PP_DEFLATE_STORED]  = { Z_NO_COMPRESSION, -MAX_WBITS, Z_DEFAULT_STRATEGY },
	};

	d->by = &zlib;
	return deflateInit2(&d->z, how[kind].level, Z_DEFLATED, how[kind].window, MAX_MEM_LEVEL,
			    how[kind].strategy) == Z_OK ? 0 : -1;
}

/* ---- ISA-L ---- */

#if __has_include(<isa-l/igzip_lib.h>)

#include <isa-l/igzip_lib.h>
#include <pthread.h>

/* It stays for as long as the process. */
static struct isal_library {
	__typeof__(isal_deflate_init) *init;
	__typeof__(isal_deflate_reset) *reset;
	__typeof__(isal_deflate) *deflate;
	bool failed;                  /* there was no memory to load it */
} isal_library;

struct isal {
	struct isal_zstream z;
	uint8_t level[ISAL_DEF_LVL1_DEFAULT];
};

static void close_isal(struct pp_deflater *d)
{
	free(d->isal);
	d->isal = NULL;
}

static void reset_isal(struct pp_deflater *d)
{
	isal_library.reset(&d->isal->z);
}

static bool deflate_isal(struct pp_deflater *d, struct pp_deflating *some, enum pp_deflate_until until)
{
	struct isal_zstream *const z = &d->isal->z;

	z->next_in = (uint8_t *)(uintptr_t)some->in;
	z->avail_in = (uint32_t)some->n;
	z->next_out = some->out;
	z->avail_out = (uint32_t)some->room;
	z->flush = until == PP_DEFLATE_FLUSH ? SYNC_FLUSH : NO_FLUSH;
	z->end_of_stream = until == PP_DEFLATE_END;
	(void)isal_library.deflate(z);
	*some = (struct pp_deflating){ z->next_in, z->avail_in, z->next_out, z->avail_out };
	return until == PP_DEFLATE_END ? z->internal_state.state != ZSTATE_END : !z->avail_out;
}

static void load_isal(void)
{
	const char *why;
	void *const library = pp_library_load("libisal.so.2", &why);
	struct isal_library found = { .failed = false };

	if (!library) {
		isal_library.failed = pp_library_failed(why);
		return;
	}
	if (pp_library_find(library, "isal_deflate_init", &found.init) &&
	    pp_library_find(library, "isal_deflate_reset", &found.reset) &&
	    pp_library_find(library, "isal_deflate", &found.deflate))
		isal_library = found;
}

void pp_deflater_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load_isal);
}

/* True: ISA-L does it.  False: it is not there, or, with *failed, there is no memory. */
static bool open_isal(struct pp_deflater *d, enum pp_deflate_kind kind, bool *failed)
{
	static const struct deflate_library library = { close_isal, reset_isal, deflate_isal };
	struct isal *isal;

	pp_deflater_load();
	*failed = isal_library.failed;
	if (!isal_library.init)
		return false;
	isal = d->isal = calloc(1, sizeof(*isal));
	*failed = !isal;
	if (!isal)
		return false;
	isal_library.init(&isal->z);
	isal->z.level = 1;
	isal->z.level_buf = isal->level;
	isal->z.level_buf_size = sizeof(isal->level);
	isal->z.gzip_flag = kind == PP_DEFLATE_GZIP ? IGZIP_GZIP : IGZIP_DEFLATE;
	/* 8 bytes back; 0: as far as it goes */
	isal->z.hist_bits = kind == PP_DEFLATE_NEAR ? 3 : 0;
	d->by = &library;
	return true;
}

#else

void pp_deflater_load(void)
{
}

static bool open_isal(struct pp_deflater *d, enum pp_deflate_kind kind, bool *failed)
{
	(void)d;
	(void)kind;
	return *failed = false;
}

#endif

/* ---- either ---- */

/* 0, or -1: no memory. */
static int open_deflater(struct pp_deflater *d, enum pp_deflate_kind kind)
{
	const bool fast = kind != PP_DEFLATE_CAREFUL && kind != PP_DEFLATE_STORED;
	bool failed = false;

	if (fast && open_isal(d, kind, &failed))
		return 0;
	return failed ? -1 : open_zlib(d, kind);
}

struct pp_deflater *pp_deflater_new(enum pp_deflate_kind kind)
{
	struct pp_deflater *const d = calloc(1, sizeof(*d));

	if (!d || !open_deflater(d, kind))
		return d;
	free(d);
	return NULL;
}

void pp_deflater_free(struct pp_deflater *d)
{
	if (d)
		d->by->close(d);
	free(d);
}

void pp_deflater_reset(struct pp_deflater *d)
{
	d->by->reset(d);
}

bool pp_deflate(struct pp_deflater *d, struct pp_deflating *some, enum pp_deflate_until until)
{
	return d->by->deflate(d, some, until);
}
