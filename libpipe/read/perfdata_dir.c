/*
 * perfdata_dir.c - a folder of perf record --threads: `data`, a perf.data file, and `data.N`, bare records of
 * one CPU each, merged in time order with rounds of our own; each is read by steps of its own.
 */
#include "format/note.h"
#include "read/perfdata_dir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PARTS_MOST = 4096,
	ROUND_BYTES = 1 << 22,        /* after so many bytes a round ends */
};

struct folder_part {
	struct pp_reader_chain *steps;
	char *path;
	struct pp_record rec;         /* the next one, if there is any */
	uint64_t time;                /* of it; 0: it has none, so it goes first */
	bool there;
	bool stale;                   /* it was handed out: the next one is to be read */
	bool over;                    /* it cannot be read on */
};

struct pp_folder {
	struct folder_part *parts;
	size_t count;
	struct folder_part *last;            /* whose record was handed out */
	bool begun;                   /* parts other than the first are read */
	uint64_t index;
	uint64_t in_round;            /* bytes handed out since the last round */
	uint8_t round[PP_HEADER_SIZE];
	struct pp_stream stream;
	const struct pp_reader_options *options;      /* while it is opened */
	const struct pp_ties *ties;
	const struct pp_watch *watch;
};

static int by_name(const void *a, const void *b)
{
	const struct folder_part *x = a, *y = b;

	return strverscmp(x->path, y->path);
}

/* Opens a file, or what a part of another folder has open.  `path` is allocated, and the folder's from here
 * on. */
static int add_part(struct pp_folder *d, char *path, const struct folder_part *open, struct pp_error *error)
{
	struct folder_part *p = &d->parts[d->count];

	if (d->count == PARTS_MOST) {
		free(path);
		return pp_fail(error, PP_E_CONTAINER, "a folder of more than %d files", PARTS_MOST);
	}
	p->path = path;
	p->steps = malloc(sizeof(*p->steps));
	if (!p->steps) {
		free(path);
		return pp_fail(error, PP_E_NOMEM, NULL);
	}
	d->count++;
	if (pp_reader_chain_init(p->steps, d->options, d->stream.attrs, d->ties, d->watch, error))
		return -1;
	return open ? pp_reader_chain_beside(p->steps, open->steps, error) :
		      pp_reader_chain_open(p->steps, path, error);
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

static int add_parts(struct pp_folder *d, const char *folder, DIR *listing, struct pp_error *error)
{
	const struct dirent *entry;
	char *path;

	if (asprintf(&path, "%s/data", folder) < 0)
		return pp_fail(error, PP_E_NOMEM, NULL);
	if (add_part(d, path, NULL, error))
		return -1;
	while ((errno = 0, entry = readdir(listing))) {
		const int has = is_part(entry->d_name) ? has_records(listing, entry->d_name, error) : 0;

		if (has < 0)
			return -1;
		if (!has)
			continue;
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (add_part(d, path, NULL, error))
			return -1;
	}
	if (errno)
		return pp_fail_os(error, "cannot read");
	/* so that equal times come in the same order on every file system */
	qsort(d->parts + 1, d->count - 1, sizeof(*d->parts), by_name);
	return 0;
}

/* A folder has `data` in it where perf record --threads made it. */
static int check_folder(const char *folder, struct pp_error *error)
{
	char data[PATH_MAX];

	if (snprintf(data, sizeof(data), "%s/data", folder) >= (int)sizeof(data))
		errno = EISDIR;
	else if (!access(data, F_OK))
		return 0;
	else if (errno == ENOENT)
		errno = EISDIR;
	return pp_fail_os(error, "cannot read");
}

static int open_parts(struct pp_folder *d, const char *folder, struct pp_error *error)
{
	DIR *listing;
	int status;

	if (check_folder(folder, error))
		return -1;
	listing = opendir(folder);
	if (!listing)
		return pp_fail_os(error, "cannot open");
	status = add_parts(d, folder, listing, error);
	closedir(listing);
	return status;
}

/* The parts of a folder that is open, whatever its name leads to by now. */
static int open_beside(struct pp_folder *d, const struct pp_folder *first, struct pp_error *error)
{
	for (size_t i = 0; i < first->count; i++) {
		char *const path = strdup(first->parts[i].path);

		if (!path)
			return pp_fail(error, PP_E_NOMEM, NULL);
		if (add_part(d, path, &first->parts[i], error))
			return -1;
	}
	return 0;
}

/* What `data`, the first file, says of itself is so of all. */
static void take_head(struct pp_stream *all, const struct pp_stream *data)
{
	all->foreign = data->foreign;
	all->big_endian = data->big_endian;
	all->data_offset = data->data_offset;
	all->data_size = data->data_size;
	all->features_offset = data->features_offset;
	all->features = data->features;
}

struct pp_folder *pp_folder_open(const char *folder, const struct pp_folder *first,
				 const struct pp_reader_options *options, struct pp_attrs *attrs,
				 const struct pp_ties *ties, const struct pp_watch *watch,
				 struct pp_error *error)
{
	struct pp_folder *d = calloc(1, sizeof(*d));

	if (!d || !(d->parts = calloc(PARTS_MOST, sizeof(*d->parts)))) {
		free(d);
		pp_fail(error, PP_E_NOMEM, NULL);
		return NULL;
	}
	d->options = options;
	d->ties = ties;
	d->watch = watch;
	d->stream = (struct pp_stream){ .name = folder, .container = "perf.data folder",
					.attrs = attrs };
	if (first ? open_beside(d, first, error) : open_parts(d, folder, error)) {
		pp_folder_close(d);
		return NULL;
	}
	return d;
}

/* All files but the first are bare: without a header, in the byte order of the first. */
int pp_folder_begin(struct pp_folder *d, struct pp_error *error)
{
	const struct pp_stream *const first = &d->parts[0].steps->stream;

	if (pp_reader_chain_begin(d->parts[0].steps, error))
		return -1;
	for (size_t i = 1; i < d->count; i++)
		if (pp_reader_chain_begin_bare(d->parts[i].steps, first->foreign, error))
			return -1;
	take_head(&d->stream, first);
	d->parts[0].stale = true;
	pp_round_header(d->round, sizeof(d->round), false);
	return 0;
}

void pp_folder_close(struct pp_folder *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++) {
		pp_reader_chain_close(d->parts[i].steps);
		free(d->parts[i].steps);
		free(d->parts[i].path);
	}
	free(d->parts);
	free(d);
}

struct pp_stream *pp_folder_stream(struct pp_folder *d)
{
	return &d->stream;
}

/* Has the next record of a part there: 0, or -1.  Its rounds are of one CPU only.  A part that
 * cannot be read on ends here, the others go on. */
static int advance(struct pp_folder *d, struct folder_part *p, struct pp_error *error)
{
	const uint64_t dropped = p->steps->stream.dropped;
	int got;

	do
		got = pp_reader_chain_walk(p->steps, &p->rec) ? 1 :
		      pp_reader_chain_step(p->steps, &p->rec, error);
	while (got == 1 && p->rec.type == PP_REC_FINISHED_ROUND);
	d->stream.dropped += p->steps->stream.dropped - dropped;
	d->stream.flags |= p->steps->stream.flags;
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

static int round_is_due(struct pp_folder *d, struct pp_record *rec)
{
	*rec = (struct pp_record){ .data = d->round, .type = PP_REC_FINISHED_ROUND,
		.size = PP_HEADER_SIZE, .offset = d->last->rec.offset, .index = d->index++,
		.attrs = d->stream.attrs };
	d->last = NULL;
	d->in_round = 0;
	return 1;
}

/* Has the next record of every part there, where it is not yet. */
static int have_heads(struct pp_folder *d, struct pp_error *error)
{
	struct folder_part *const first = &d->parts[0];

	for (;;) {
		for (size_t i = 0; i < d->count; i++) {
			struct folder_part *p = &d->parts[i];

			if (!p->stale || p->over)
				continue;
			if (advance(d, p, error))
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

static int merge_next(struct pp_folder *d, struct pp_record *rec, struct pp_error *error)
{
	struct folder_part *next = NULL;

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

int pp_folder_next(struct pp_folder *d, struct pp_record *rec, struct pp_error *error)
{
	struct pp_stream *s = &d->stream;
	const int got = merge_next(d, rec, error);

	if (got <= 0)
		return got;
	s->records++;
	s->bytes += rec->size;
	s->rounds += rec->type == PP_REC_FINISHED_ROUND;
	s->orphans += rec->type == PP_REC_SAMPLE && !rec->attr;
	pp_note_time(s, rec);
	return 1;
}

int pp_folder_tail(struct pp_folder *d, const void **piece, size_t *size, struct pp_error *error)
{
	return d->last ? pp_reader_chain_tail(d->last->steps, piece, size, error) : 0;
}
