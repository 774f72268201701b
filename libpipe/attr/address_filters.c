/*
 * address_filters.c - filters of addresses, as perf has them for what traces a processor, in the kernel's
 * words:
 *
 *	filter|start|stop|tracestop START [/ SIZE|END] [@ FILE]
 *
 * START and END are addresses, or functions, where #2 is the second of that name and #g the global
 * one; a START of * is all of the file, or of the kernel.  Several follow each other.
 */
#include "attr/address_lookup.h"
#include "attr/event_list.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 512, ANY = -1 };

struct filter_range {
	const char *action;           /* in the kernel's words */
	bool ranged, sized;
	uint64_t start, size;
	char from[NAME], to[NAME];    /* functions, if not empty */
	long from_nth, to_nth;
	char file[PATH_MAX];
};

static void skip(const char **at, const char *what)
{
	*at += strspn(*at, what);
}

/* A word up to one of `ends`; false: it is empty or too long. */
static bool word(const char **at, const char *ends, char *to, size_t size)
{
	size_t n;

	skip(at, " ");
	n = strcspn(*at, ends);
	if (!n || n >= size)
		return false;
	memcpy(to, *at, n);
	to[n] = '\0';
	*at += n;
	return true;
}

/* #3, #g or nothing, after a function's name. */
static bool number_of_name(const char **at, long *nth)
{
	char *end;

	*nth = ANY;
	skip(at, " ");
	if (**at != '#')
		return true;
	++*at;
	if (**at == 'g' || **at == 'G') {
		++*at;
		*nth = 0;
		return true;
	}
	errno = 0;
	*nth = strtol(*at, &end, 0);
	if (end == *at || errno || *nth < 0)
		return false;
	*at = end;
	return true;
}

/* An address, or the name of a function. */
static bool place(const char **at, uint64_t *number, char *name, long *nth)
{
	char *end;

	skip(at, " ");
	if (**at < '0' || **at > '9')
		return word(at, " ", name, NAME) && number_of_name(at, nth);
	errno = 0;
	*number = strtoull(*at, &end, 0);
	*at = end;
	return !errno;
}

static bool action(const char **at, struct filter_range *r)
{
	static const struct { const char *name, *kernels; bool ranged; } actions[] = {
		{ "filter", "filter", true }, { "start", "start", false },
		{ "stop", "stop", false }, { "tracestop", "stop", true },
	};
	char name[16];

	if (!word(at, " ", name, sizeof(name)))
		return false;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(name, actions[i].name) != 0)
			continue;
		r->action = actions[i].kernels;
		r->ranged = actions[i].ranged;
		return true;
	}
	return false;
}

static bool parse(const char **at, struct filter_range *r)
{
	*r = (struct filter_range){ .from_nth = ANY, .to_nth = ANY };
	if (!action(at, r) || !place(at, &r->start, r->from, &r->from_nth))
		return false;
	skip(at, " ");
	if (**at == '/') {
		++*at;
		if (!place(at, &r->size, r->to, &r->to_nth))
			return false;
		r->ranged = r->sized = true;
	}
	skip(at, " ");
	if (**at == '@') {
		++*at;
		if (!word(at, " ,", r->file, sizeof(r->file)))
			return false;
	}
	skip(at, " ,");
	return true;
}

/* What perf takes for a size: of a function that none follows, nothing. */
static int measured(const struct pp_functions *f, const struct pp_function *of, struct pp_error *error)
{
	if (of->size)
		return 0;
	return pp_fail(error, PP_E_USE, "the size of the function %.60s of %.120s is not known: say it, as "
		       "in %.60s / 0x40", of->name, f->where, of->name);
}

static int resolve_in(struct filter_range *r, const struct pp_functions *f, struct pp_error *error)
{
	const struct pp_function *from, *to;

	if (!strcmp(r->from, "*")) {
		r->start = f->whole;
		r->size = f->whole_size;
		return 0;
	}
	if (*r->from) {
		from = pp_functions_find(f, r->from, r->from_nth, error);
		if (!from || (r->ranged && !r->sized && measured(f, from, error)))
			return -1;
		r->start = from->start;
		if (r->ranged && !r->sized)
			r->size = from->size;
	}
	if (!*r->to)
		return 0;
	to = pp_functions_find(f, r->to, r->to_nth, error);
	if (!to || measured(f, to, error))
		return -1;
	if (to->start + to->size < r->start)
		return pp_fail(error, PP_E_USE, "the function %.60s comes before the start of the filter",
			       r->to);
	r->size = to->start + to->size - r->start;
	return 0;
}

static int resolve(struct filter_range *r, struct pp_error *error)
{
	struct pp_functions f;
	char real[PATH_MAX];
	int status;

	if (*r->file) {
		if (!realpath(r->file, real))
			return pp_fail_os(error, "cannot find %.200s", r->file);
		memcpy(r->file, real, sizeof(real));
	}
	if (!*r->from && !*r->to)
		return 0;
	if (pp_functions_read(&f, *r->file ? r->file : NULL, error))
		return -1;
	status = resolve_in(r, &f, error);
	pp_functions_free(&f);
	return status;
}

/* The filters so far, which are freed, and one more; NULL: memory. */
static char *append(char *before, const struct filter_range *r)
{
	char size[32] = "", *text;

	if (r->ranged)
		(void)snprintf(size, sizeof(size), "/0x%" PRIx64, r->size);
	if (asprintf(&text, "%s%s%s 0x%" PRIx64 "%s%s%s", before ? before : "", before ? "," : "", r->action,
		     r->start, size, *r->file ? "@" : "", r->file) < 0)
		text = NULL;
	free(before);
	return text;
}

static int one_more(char **text, const struct filter_range *r, struct pp_error *error)
{
	*text = append(*text, r);
	return *text ? 0 : pp_fail(error, PP_E_NOMEM, NULL);
}

char *pp_ranges_text(const char *filter, uint64_t most, struct pp_error *error)
{
	const char *at = filter + strspn(filter, " ,");
	char *text = NULL;
	int status = 0;

	for (uint64_t n = 1; !status && (*at || n == 1); n++) {
		const char *const from = at;
		struct filter_range r;

		if (!parse(&at, &r))
			status = pp_fail(error, PP_E_USE, "'%.60s' is not a filter of addresses: use "
					 "filter|start|stop|tracestop START [/ SIZE|END] [@ FILE], START and "
					 "END being functions or addresses", from);
		else if (n > most)
			status = pp_fail(error, PP_E_USE, "'%.60s' are more filters of addresses than the %"
					 PRIu64 " that the processor has", filter, most);
		else if (resolve(&r, error) || one_more(&text, &r, error))
			status = -1;
	}
	if (!status)
		return text;
	free(text);
	return NULL;
}
