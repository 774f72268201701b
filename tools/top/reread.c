/* reread.c - a recording in a file, at which somebody looks on a screen: other samples of it, and the lines
 * of a function, for which it is read once more. */
#include "top/reread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/annotation.h"
#include "filter/build_query.h"
#include "shared/sample_filter.h"
#include "top/live_profile.h"

static struct {
	char *filter, *span;          /* as they were typed */
	char *span_expression;
	struct pp_annotate *sums;
	int text;                     /* a file without a name: what is written of a function */
} state = { .text = -1 };

bool reread_is_file(void)
{
	struct stat st;

	return !(common.input && strcmp(common.input, "-") != 0 ? stat(common.input, &st) :
		 fstat(STDIN_FILENO, &st)) && S_ISREG(st.st_mode);
}

void reread_prepare(void)
{
	struct pp_annotate_options how = {
		.size = sizeof(how), .root = weigh_options.symbols.root,
		.finder = pp_namer_finder(weigh_options.symbols.namer),
	};
	struct pp_error error;
	char text[512];

	pp_annotate_load();
	if (how.finder < 0)
		cli_die_os("cannot start a process that finds files");
	state.sums = pp_annotate_new(&how, NULL, &error);
	if (!state.sums) {
		cli_error_text(&error, text, sizeof(text));
		cli_die(EXIT_SYSTEM, "%s", text);
	}
	state.text = memfd_create("annotation", MFD_CLOEXEC);
	if (state.text < 0 || fcntl(state.text, F_SETFL, O_APPEND))
		cli_die_os("cannot create a file in memory");
	matching_rereads();
}

bool reread_can(struct run *run, char *why, size_t size)
{
	const struct pp_reader_options options = { .size = sizeof(options), .no_verify = true };
	struct pp_error error;
	struct pp_reader *const in = pp_reader_beside(run->in, &options, &error);

	pp_reader_close(in);
	if (in)
		return true;
	if (error.code == PP_E_USE)
		(void)snprintf(why, size, "its raw stacks were unwound while it was read: look at what "
			       "pp-unwind makes of it");
	else
		cli_error_text(&error, why, size);
	return false;
}

/* ---- Which samples ---- */

static void keep_typed(char **kept, const char *text)
{
	char *const copy = *text ? strdup(text) : NULL;

	if (*text && !copy)
		cli_no_memory();
	free(*kept);
	*kept = copy;
}

/* Both together. */
static bool set_both(struct pp_error *wrong)
{
	char *both;
	bool set;

	if (!state.span_expression)
		return matching_set(state.filter ? state.filter : "", wrong);
	both = state.filter ? cli_text("(%s) && %s", state.filter, state.span_expression) :
			      cli_text("%s", state.span_expression);
	set = matching_set(both, wrong);
	free(both);
	return set;
}

const char *reread_filter(const char *expression, size_t *at)
{
	static struct pp_error wrong;

	/* alone, for the place of what is wrong */
	if (matching_set(expression, &wrong)) {
		keep_typed(&state.filter, expression);
		if (set_both(&wrong))
			return NULL;
	}
	if (wrong.code == PP_E_NOMEM)
		cli_no_memory();
	*at = wrong.at;
	wrong = cli_cured(&wrong);
	return wrong.detail;
}

static void free_list(struct cli_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free((void *)(uintptr_t)list->items[i]);
	free(list->items);
}

const char *reread_span(const char *span)
{
	struct spans spans = { .inside.count = 0 };
	const char *const wrong = *span ? choice_span(&spans, span) : NULL;
	struct pp_error error;

	if (wrong)
		return wrong;
	keep_typed(&state.span, span);
	keep_typed(&state.span_expression, spans.inside.count ? spans.inside.items[0] : "");
	free_list(&spans.inside);
	free_list(&spans.past);
	if (set_both(&error))
		return NULL;
	if (error.code == PP_E_NOMEM)
		cli_no_memory();
	/* such as a time of the wall clock, where the stream has none */
	keep_typed(&state.span_expression, "");
	keep_typed(&state.span, "");
	return "this recording does not say these times";
}

const char *reread_filter_text(void)
{
	return state.filter || state.span ? state.filter : matching_text();
}

const char *reread_span_text(void)
{
	return state.span;
}

/* ---- Reading ---- */

int reread_all(struct run *run, bool (*goes_on)(void))
{
	return weigh_anew(run, NULL, goes_on);
}

/* What was written to the file, as a text; or NULL and run->error. */
static char *take_text(struct run *run)
{
	struct stat st;
	char *text;
	ssize_t n = -1;

	if (fstat(state.text, &st)) {
		(void)pp_fail_os(&run->error, "cannot read a file in memory");
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	if (text)
		n = pread(state.text, text, (size_t)st.st_size, 0);
	if (n == st.st_size) {
		text[n] = '\0';
		return text;
	}
	(void)(text ? pp_fail_os(&run->error, "cannot read a file in memory") :
		      pp_fail(&run->error, PP_E_NOMEM, NULL));
	free(text);
	return NULL;
}

static int write_annotation(struct run *run, const struct pp_annotated *f, bool code)
{
	static const struct annotation_shares shares;
	struct pp_out out;

	if (ftruncate(state.text, 0))
		return pp_fail_os(&run->error, "cannot write a file in memory");
	if (pp_out_open(&out, state.text))
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	if (f && f->n_lines && !code)
		annotation_write_lines(state.sums, f, &shares, &out);
	else if (f)
		annotation_write_code(f, &shares, &out);
	if (f && f->lack && (code || !f->n_lines)) {
		pp_out_text(&out, "\n# no instructions, only addresses that were sampled: ");
		pp_out_text(&out, f->lack);
		pp_out_char(&out, '\n');
	}
	if (pp_out_close(&out)) {
		errno = out.os;
		return pp_fail_os(&run->error, "cannot write a file in memory");
	}
	return 0;
}

char *reread_annotate(struct run *run, const char *function, const char *object, bool code,
			 bool (*goes_on)(void))
{
	char *text = NULL;

	/* it takes a list of files, in which a path with a comma would be two */
	pp_annotate_again(state.sums, function, object && !strchr(object, ',') ? object : NULL);
	if (!weigh_anew(run, state.sums, goes_on) && !pp_annotate_settle(state.sums, &run->error) &&
	    !write_annotation(run, pp_annotate_function(state.sums, 0), code))
		text = take_text(run);
	if (text && pp_annotate_failure(state.sums)) {
		run->error = *pp_annotate_failure(state.sums);
		free(text);
		text = NULL;
	}
	pp_annotate_again(state.sums, NULL, NULL);
	return text;
}

void reread_free(void)
{
	pp_annotate_free(state.sums);
	if (state.text >= 0)
		(void)close(state.text);
	free(state.filter);
	free(state.span);
	free(state.span_expression);
}
