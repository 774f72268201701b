/* trace_key.c - what tracepoints say, as a line of pp-script has it, with nothing but that. */
#include "shared/trace_key.h"

#include <string.h>

#include "shared/report_keys.h"

static struct {
	struct pp_script *script;
	struct pp_out line;
} said;

static int say(void *arg, const struct pp_record *rec, const char **text, size_t *length,
	       struct pp_error *error)
{
	const char *end;

	(void)arg;
	said.line.at = 0;
	if (pp_script_note(said.script, rec, &said.line, error))
		return -1;
	end = memchr(said.line.buf, '\n', said.line.at);
	*text = end ? said.line.buf : NULL;
	*length = end ? (size_t)(end - said.line.buf) : 0;
	return 0;
}

void said_offer(struct pp_report_options *how)
{
	how->trace = say;
}

int said_start(struct run *run, const struct pp_report_options *how, struct pp_tasks *tasks,
	       struct pp_symbols *symbols)
{
	struct pp_script_options only = { .size = sizeof(only), .no_chain = true };

	if ((how->sort || how->fields) && !keys_have(how, "trace"))
		return 0;
	only.of_file = strcmp(run->stream->container, "stream") != 0;
	(void)pp_script_choose(&only.fields, "trace:trace", NULL);
	if (pp_out_open(&said.line, -1))
		return pp_fail(&run->error, PP_E_NOMEM, NULL);
	said.script = pp_script_new(&only, tasks, symbols, &run->error);
	if (!said.script)
		return -1;
	pp_script_watch(said.script, run->in);
	return 0;
}

bool said_is_open(void)
{
	return said.script;
}

void said_free(void)
{
	pp_script_free(said.script);
	(void)pp_out_close(&said.line);
}
