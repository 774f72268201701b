/*
 * container_dir.c - a folder of perf record --threads: `data`, a perf.data file, and `data.N`, bare
 * records of one CPU each, merged in time order with rounds of our own; each part is read by a
 * reader of its own.
 */
#include "read/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
	PARTS_MOST = 4096,
	ROUND_BYTES = 1 << 22,        /* behind so many bytes a round ends */
};

struct part {
	struct pp_reader *reader;
	struct pp_record rec;         /* the next one, if there is any */
	uint64_t time;                /* of it; 0: it has none, so it goes first */
	bool there;
	bool stale;                   /* it was handed out: the next one is to be read */
	bool over;                    /* it cannot be read on */
};

struct pp_dir {
	struct part *parts;
	size_t count;
	struct part *last;            /* whose record was handed out */
	bool begun;                   /* parts other than the first are read */
	uint64_t index;
	uint64_t in_round;            /* bytes handed out since the last round */
	uint8_t round[PP_HEADER_SIZE];
};

static int by_name(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return strverscmp(pp_reader_stream(x->reader)->name, pp_reader_stream(y->reader)->name);
}

static int add_part(struct pp_dir *d, char *path, const struct pp_reader *first,
		    const struct pp_reader_options *options, struct pp_attrs *attrs, struct pp_error *error)
{
	struct part *p = &d->parts[d->count];

	if (d->count == PARTS_MOST) {
		free(path);
		return pp_fail(error, PP_E_CONTAINER, "a folder of more than %d files", PARTS_MOST);
	}
	/* the part's name lives as long as its reader, which frees it */
	p->reader = pp_reader_open_part(path, first, options, attrs, error);
	if (!p->reader)
		return -1;
	d->count++;
	return 0;
}

static bool is_part(const char *name)
{
	return !strncmp(name, "data.", 5) && name[5] && strspn(name + 5, "0123456789") == strlen(name + 5);
}

/* 1; 0 where the thread that wrote it met nothing: no damage, and nothing to read; -1. */
static int has_records(DIR *listing, const char *name, struct pp_error *error)
{
	struct stat st;

	if (fstatat(dirfd(listing), name, &st, 0))
		return pp_fail_os(error, "cannot read %s", name);
	return !S_ISREG(st.st_mode) || st.st_size;
}

static int add_parts(struct pp_dir *d, const char *folder, DIR *listing,
		     const struct pp_reader_options *options, struct pp_attrs *attrs,
		     struct pp_error *error)
{
	const struct dirent *entry;
	char *path;

	if (asprintf(&path, "%s/data", folder) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (add_part(d, path, NULL, options, attrs, error))
		return -1;
	while ((errno = 0, entry = readdir(listing))) {
		const int has = is_part(entry->d_name) ? has_records(listing, entry->d_name, error) : 0;

		if (has < 0)
			return -1;
		if (!has)
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (add_part(d, path, d->parts[0].reader, options, attrs, error))
			return -1;
	}
	if (errno)
		return pp_fail_os(error, "cannot read");
	/* so that equal times come in the same order on every file system */
	qsort(d->parts + 1, d->count - 1, sizeof(*d->parts), by_name);
	return 0;
}

struct pp_dir *pp_dir_open(const char *folder, const struct pp_reader_options *options,
			   struct pp_attrs *attrs, struct pp_error *error)
{
	struct pp_dir *d = calloc(1, sizeof(*d));
	DIR *listing = opendir(folder);
	int status = -1;

	if (!listing)
		pp_fail_os(error, "cannot open");
	else if (!d || !(d->parts = calloc(PARTS_MOST, sizeof(*d->parts))))
		pp_fail(error, PP_E_NOMEM, NULL);
	else
		status = add_parts(d, folder, listing, options, attrs, error);
	if (listing)
		closedir(listing);
	if (status) {
		pp_dir_close(d);
		return NULL;
	}
	d->parts[0].stale = true;
	pp_store32(d->round, PP_REC_FINISHED_ROUND);
	pp_store16(d->round + 6, PP_HEADER_SIZE);
	return d;
}

void pp_dir_close(struct pp_dir *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++)
		pp_reader_close(d->parts[i].reader);
	free(d->parts);
	free(d);
}

/* Has the next record of a part there: 0, or -1.  Its rounds are of one CPU only.  A part that
 * cannot be read on ends here, the others go on. */
static int advance(struct part *p, struct pp_error *error)
{
	int got;

	do
		got = pp_reader_next(p->reader, &p->rec, error);
	while (got == 1 && p->rec.type == PP_REC_FINISHED_ROUND);
	p->there = got == 1;
	p->time = 0;
	if (p->there && !pp_time(&p->rec, &p->time))
		p->time = 0;
	if (got < 0) {
		p->over = error->fatal;
		pp_error_fatal(error, false);
	}
	return got < 0 ? -1 : 0;
}

static int round_is_due(struct pp_dir *d, struct pp_record *rec)
{
	*rec = (struct pp_record){ .data = d->round, .type = PP_REC_FINISHED_ROUND,
		.size = PP_HEADER_SIZE, .offset = d->last->rec.offset, .index = d->index++,
		.attrs = pp_reader_stream(d->parts[0].reader)->attrs };
	d->last = NULL;
	d->in_round = 0;
	return 1;
}

/* Has the next record of every part there, where it is not yet. */
static int have_heads(struct pp_dir *d, struct pp_error *error)
{
	struct part *const first = &d->parts[0];

	for (;;) {
		for (size_t i = 0; i < d->count; i++) {
			struct part *p = &d->parts[i];

			if (!p->stale || p->over)
				continue;
			if (advance(p, error))
				return -1;
			p->stale = false;
		}
		if (d->begun || (first->there && !first->time))
			return 0;
		/* what `data` says of events is through: now the others may begin */
		d->begun = true;
		for (size_t i = 1; i < d->count; i++)
			d->parts[i].stale = true;
	}
}

int pp_dir_next(struct pp_dir *d, struct pp_record *rec, struct pp_error *error)
{
	struct part *next = NULL;

	if (d->in_round >= ROUND_BYTES)
		return round_is_due(d, rec);
	if (have_heads(d, error))
		return -1;
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].there && (!next || d->parts[i].time < next->time))
			next = &d->parts[i];
	if (!next)
		return d->in_round ? round_is_due(d, rec) : 0;
	d->last = next;
	next->stale = true;
	*rec = next->rec;
	rec->index = d->index++;
	d->in_round += rec->size;
	return 1;
}

int pp_dir_tail(struct pp_dir *d, const void **piece, size_t *size, struct pp_error *error)
{
	return d->last ? pp_reader_tail(d->last->reader, piece, size, error) : 0;
}

const struct pp_stream *pp_dir_stream(const struct pp_dir *d, size_t i)
{
	return i < d->count ? pp_reader_stream(d->parts[i].reader) : NULL;
}

void pp_dir_tie_call(struct pp_dir *d, int (*flush)(void *arg), void *arg)
{
	for (size_t i = 0; i < d->count; i++)
		pp_reader_tie_call(d->parts[i].reader, flush, arg);
}

void pp_dir_watch_tail(struct pp_dir *d, uint32_t type, pp_tail_fn *fn, void *arg)
{
	for (size_t i = 0; i < d->count; i++)
		pp_reader_watch_tail(d->parts[i].reader, type, fn, arg);
}
