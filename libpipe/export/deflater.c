/* deflater.c - asks ISA-L, which is loaded if it is there, or zlib. */
#include "export/deflater.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A sanitizer of memory sees nothing of what a library fills that was loaded. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define PP_NO_ISAL 1
#endif
#endif

#if __has_include(<isa-l/igzip_lib.h>) && !defined(PP_NO_ISAL)

#include <dlfcn.h>
#include <isa-l/igzip_lib.h>

struct isal {
	void *library;                /* NULL: it is not there */
	__typeof__(isal_deflate_init) *init;
	__typeof__(isal_deflate_reset) *reset;
	__typeof__(isal_deflate) *deflate;
	struct isal_zstream z;
	uint8_t level[ISAL_DEF_LVL1_DEFAULT];
};

static void close_isal(struct isal *isal)
{
	if (isal && isal->library)
		(void)dlclose(isal->library);
	free(isal);
}

/* *to is NULL where it is not installed.  0, or -1: no memory. */
static int open_isal(bool gzip, struct isal **to)
{
	struct isal *const isal = *to = calloc(1, sizeof(*isal));
	const char *why;

	if (!isal)
		return -1;
	isal->library = dlopen("libisal.so.2", RTLD_NOW | RTLD_LOCAL);
	if (isal->library) {
		isal->init = __extension__ (__typeof__(isal->init))dlsym(isal->library, "isal_deflate_init");
		isal->reset = __extension__ (__typeof__(isal->reset))dlsym(isal->library,
									  "isal_deflate_reset");
		isal->deflate = __extension__ (__typeof__(isal->deflate))dlsym(isal->library, "isal_deflate");
	}
	if (!isal->init || !isal->reset || !isal->deflate) {
		why = dlerror();
		close_isal(isal);
		*to = NULL;
		/* what it cannot allocate or create is no reason to make other bytes */
		return why && (strstr(why, "memory") || strstr(why, "cannot create")) ? -1 : 0;
	}
	isal->init(&isal->z);
	isal->z.level = 1;
	isal->z.level_buf = isal->level;
	isal->z.level_buf_size = sizeof(isal->level);
	isal->z.gzip_flag = gzip ? IGZIP_GZIP : IGZIP_DEFLATE;
	return 0;
}

static void reset_isal(struct isal *isal)
{
	isal->reset(&isal->z);
}

static bool deflate_isal(struct isal *isal, struct pp_deflating *some, enum pp_deflate_until until)
{
	struct isal_zstream *const z = &isal->z;

	z->next_in = (uint8_t *)(uintptr_t)some->in;
	z->avail_in = (uint32_t)some->n;
	z->next_out = some->out;
	z->avail_out = (uint32_t)some->room;
	z->flush = until == PP_DEFLATE_FLUSH ? SYNC_FLUSH : NO_FLUSH;
	z->end_of_stream = until == PP_DEFLATE_END;
	(void)isal->deflate(z);
	*some = (struct pp_deflating){ z->next_in, z->avail_in, z->next_out, z->avail_out };
	return until == PP_DEFLATE_END ? z->internal_state.state != ZSTATE_END : !z->avail_out;
}

#else

struct isal;

static int open_isal(bool gzip, struct isal **to)
{
	(void)gzip;
	*to = NULL;
	return 0;
}

static void close_isal(struct isal *isal)
{
	(void)isal;
}

static void reset_isal(struct isal *isal)
{
	(void)isal;
}

static bool deflate_isal(struct isal *isal, struct pp_deflating *some, enum pp_deflate_until until)
{
	(void)isal;
	(void)some;
	(void)until;
	return false;
}

#endif

struct pp_deflater {
	struct isal *isal;            /* or NULL, and then */
	z_stream z;
};

struct pp_deflater *pp_deflater_new(bool gzip)
{
	struct pp_deflater *const d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	if (open_isal(gzip, &d->isal)) {
		free(d);
		return NULL;
	}
	if (d->isal)
		return d;
	if ((gzip ? deflateInit2(&d->z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) :
		    deflateInit2(&d->z, 4, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_HUFFMAN_ONLY)) == Z_OK)
		return d;
	free(d);
	return NULL;
}

void pp_deflater_free(struct pp_deflater *d)
{
	if (!d)
		return;
	if (d->isal)
		close_isal(d->isal);
	else
		(void)deflateEnd(&d->z);
	free(d);
}

void pp_deflater_reset(struct pp_deflater *d)
{
	if (d->isal)
		reset_isal(d->isal);
	else
		(void)deflateReset(&d->z);
}

bool pp_deflate(struct pp_deflater *d, struct pp_deflating *some, enum pp_deflate_until until)
{
	static const int how[] = {
		[PP_DEFLATE_TAKEN] = Z_NO_FLUSH, [PP_DEFLATE_FLUSH] = Z_SYNC_FLUSH,
		[PP_DEFLATE_END] = Z_FINISH,
	};
	z_stream *const z = &d->z;
	int status;

	if (d->isal)
		return deflate_isal(d->isal, some, until);
	z->next_in = (Bytef *)(uintptr_t)some->in;
	z->avail_in = (uInt)some->n;
	z->next_out = some->out;
	z->avail_out = (uInt)some->room;
	status = deflate(z, how[until]);
	*some = (struct pp_deflating){ z->next_in, z->avail_in, z->next_out, z->avail_out };
	return until == PP_DEFLATE_END ? status == Z_OK || status == Z_BUF_ERROR : !z->avail_out;
}
