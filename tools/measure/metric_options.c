/* metric_options.c - finds the metrics that were asked for by name. */
#include "cli/completion_values.h"
#include "measure/metric_options.h"

#include <perfpipe/output.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_files(struct asked_metrics *asked, const char *path,
		       const struct pp_metric_machine *machine)
{
	struct pp_error error;
	char text[512];

	if (!pp_metrics_read(asked->all, path, machine, &error))
		return;
	if (error.code == PP_E_USE)
		cli_misuse("--metrics: %s", error.detail);
	cli_error_text(&error, text, sizeof(text));
	cli_die(EXIT_SYSTEM, error.code == PP_E_NOMEM ? "%s" : "--metrics: %s", text);
}

/* All names in one list, as they are looked for: to be freed. */
static char *join(const struct cli_list *names)
{
	size_t size = 1;
	char *text;

	for (size_t i = 0; i < names->count; i++)
		size += strlen(names->items[i]) + 1;
	text = calloc(size, 1);
	if (!text)
		cli_no_memory();
	for (size_t i = 0; i < names->count; i++)
		(void)strcat(strcat(text, i ? "," : ""), names->items[i]);
	return text;
}

/* Files are read at once, names are gathered. */
static void sort_words(struct asked_metrics *asked, const struct pp_metric_machine *machine)
{
	const char *refused;
	bool files = false;

	for (size_t i = 0; i < asked->words.count; i++) {
		const char *const word = asked->words.items[i];

		if (strchr(word, '/'))
			read_files(asked, word, machine);
		else
			(void)cli_add(&asked->names, word);
		files |= strchr(word, '/') != NULL;
	}
	if (!files && asked->installed)
		read_files(asked, VALUES_METRICS_INSTALLED, machine);
	for (size_t i = 0; (refused = pp_metrics_refused(asked->all, i)); i++)
		cli_warn("--metrics: %s: passed over", refused);
}

/* Those that a stream names are of the files of another machine, perhaps. */
static void find_said(struct asked_metrics *asked, const char *said)
{
	struct pp_error error;

	asked->set = pp_metric_set_new(asked->all, said, &error);
	if (!asked->set && error.code == PP_E_NOMEM)
		cli_no_memory();
	if (asked->set)
		return;
	*strchrnul(error.detail, '\n') = '\0';
	cli_warn("the stream's metrics are not shown: --metrics DIR names perf's files of them: %s",
		 error.detail);
}

/* What is wrong in a text that a file has: the library's message has of that text, below it, what is around
 * the place, and in a third line a caret. */
static void refuse_text(char *what)
{
	char *const text = strchr(what, '\n') + 1;
	char *const caret = strchrnul(text, '\n');
	const size_t at = *caret ? strspn(caret + 1, " ") : 0;

	text[-1] = *caret = '\0';
	for (char *c = text; *c;) {
		const size_t length = pp_printable(c, strnlen(c, PP_CHARACTER_MOST));

		if (!length)
			*c = '?';
		c += length ? length : 1;
	}
	cli_refuse(what, text, at);
}

static bool is_among(const struct cli_list *list, const char *word)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i], word))
			return true;
	return false;
}

/* A name that no metric has may be a file's. */
static void refuse_name(const struct asked_metrics *asked, struct pp_error *error, const char *names)
{
	for (size_t i = 0, at = 0; i < asked->names.count; at += strlen(asked->names.items[i]) + 1, i++)
		if (at == error->at && is_among(&asked->same, asked->names.items[i]))
			cli_misuse("--metrics: %s, but a file: ./%s is what reads it", error->detail,
				   asked->names.items[i]);
	cli_refuse(error->detail, names, error->at);
}

void metrics_look(struct asked_metrics *asked)
{
	if (asked->looked)
		return;
	for (size_t i = 0; i < asked->words.count; i++) {
		const char *const word = asked->words.items[i];
		char *const beside = strchr(word, '/') ? pp_metrics_beside(word) : NULL;

		if (strchr(word, '/'))
			(void)cli_add(&asked->paths, word);
		else if (*word && !access(word, R_OK))
			(void)cli_add(&asked->same, word);
		if (beside)
			(void)cli_add(&asked->paths, beside);
	}
	asked->installed = !access(VALUES_METRICS_INSTALLED, R_OK);
	if (asked->installed)
		(void)cli_add(&asked->paths, VALUES_METRICS_INSTALLED);
	asked->looked = true;
}

void metrics_find(struct asked_metrics *asked, const struct pp_metric_machine *machine, const char *said)
{
	struct pp_error error;
	char *names;

	if (!asked->words.count && !said)
		return;
	metrics_look(asked);
	asked->all = pp_metrics_new(&error);
	if (!asked->all)
		cli_no_memory();
	sort_words(asked, machine);
	if (!asked->names.count && said) {
		find_said(asked, said);
		return;
	}
	if (!asked->names.count)
		cli_misuse("--metrics: only files were given: which metrics are meant?");
	names = join(&asked->names);
	asked->set = pp_metric_set_new(asked->all, names, &error);
	if (!asked->set && error.code == PP_E_NOMEM)
		cli_no_memory();
	if (!asked->set && strchr(error.detail, '\n'))
		refuse_text(error.detail);
	if (!asked->set)
		refuse_name(asked, &error, names);
	free(names);
}

void metrics_add_events(struct asked_metrics *asked, const struct pp_metric_ask *how,
			struct cli_list *texts)
{
	struct pp_error error;
	char *text;

	if (!asked->set)
		return;
	text = pp_metric_set_events(asked->set, how, &error);
	if (!text)
		cli_no_memory();
	if (*text)
		(void)cli_add(texts, text);
	else
		free(text);
}

void metrics_free(struct asked_metrics *asked)
{
	pp_metric_set_free(asked->set);
	pp_metrics_free(asked->all);
}
