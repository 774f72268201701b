/* names_of_records.c - what records say of tasks and addresses, and which of these a record is of. */
#include "session/session_internal.h"

int pp_session_note(struct pp_session *s, const struct pp_record *rec, struct pp_error *error)
{
	if (!s || !s->tasks || rec->type == PP_REC_SAMPLE)
		return 0;
	if (pp_tasks_note(s->tasks, rec, error))
		return -1;
	return s->symbols ? pp_symbols_note(s->symbols, rec, error) : 0;
}

/* Names may stand after the samples that need them, in the round that ends theirs. */
int pp_session_learn(struct pp_session *s, const struct pp_record *rec, struct pp_error *error)
{
	if (!s || !s->symbols || rec->type != PP_REC_FINISHED_ROUND)
		return 0;
	return pp_symbols_learn(s->symbols, rec, error);
}

const char *pp_session_comm(struct pp_session *s, const struct pp_record *rec)
{
	uint32_t pid, tid;

	if (!s || !s->tasks || !pp_task(rec, &pid, &tid))
		return ":-1";
	return pp_tasks_comm(s->tasks, pid, tid);
}

int pp_session_locate(struct pp_session *s, const struct pp_record *rec, unsigned cpumode, uint64_t address,
		      struct pp_location *place)
{
	struct pp_error error;
	uint32_t pid, tid;
	int got;

	*place = (struct pp_location){ .frames = NULL };
	if (!s || !s->symbols || !pp_task(rec, &pid, &tid))
		return 0;
	error.code = PP_OK;
	got = pp_symbols_at(s->symbols, pid, cpumode, address, place, &error);
	if (got >= 0)
		return got;
	*place = (struct pp_location){ .frames = NULL };
	(void)pp_session_fail(s, &error, rec);
	return 0;
}

const char *pp_session_function(struct pp_session *s, const struct pp_record *rec)
{
	struct pp_location place;
	uint64_t ip;

	if (!pp_ip(rec, &ip) || !pp_session_locate(s, rec, rec->misc & PP_MISC_CPUMODE, ip, &place) ||
	    !place.count || !*place.frames[place.count - 1].symbol)
		return "[unknown]";
	return place.frames[place.count - 1].symbol;
}
