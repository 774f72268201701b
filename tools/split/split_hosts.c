/* split_hosts.c - the hosts of a merged stream, whose numbers are theirs again in their own pieces. */
#include "split/split_hosts.h"

#include <string.h>

#include "cli/message.h"

int hosts_of(const struct hosts *hosts, const struct pp_record *rec)
{
	return pp_host_of(hosts->items, hosts->count, rec);
}

void hosts_note(struct hosts *hosts, const struct pp_record *rec, struct pp_sideband *sideband)
{
	struct pp_note note;
	struct pp_host host;
	size_t at = 0, number;

	while (pp_is_note(rec) && pp_note_next(rec, &at, &note)) {
		if (!pp_host_parse(&note, &number, &host))
			continue;
		hosts->items[number] = host;
		if (number >= hosts->count)
			hosts->count = number + 1;
		pp_sideband_hosts(sideband, hosts->items, hosts->count);
	}
}

void hosts_need(struct hosts *hosts, const char *name)
{
	hosts->known = true;
	for (size_t i = 0; i < hosts->count; i++)
		if (hosts->items[i].apart)
			return;
	cli_die(EXIT_MISUSE, "%s: --by host: it has no notes about hosts, as pp-merge --hosts "
		"writes them", name);
}

/* Whether a note describes hosts and nothing else. */
static bool only_hosts(const struct pp_record *rec)
{
	struct pp_note note;
	struct pp_host host;
	size_t at = 0, number, others = 0;

	while (pp_note_next(rec, &at, &note))
		others += !pp_host_parse(&note, &number, &host);
	return at && !others;
}

void hosts_move_back(struct hosts *hosts, size_t number, struct pp_record *rec)
{
	uint8_t before[PP_RECORD_MAX + 1];
	const uint16_t size = rec->size;

	memcpy(before, rec->data, size);
	if (!pp_host_move(&hosts->items[number], true, rec, PP_RECORD_MAX, NULL))
		return;
	memcpy(rec->data, before, size);
	rec->size = size;
	hosts->misfits++;
}

int hosts_shape(struct hosts *hosts, size_t number, struct pp_record *rec)
{
	const int owner = hosts_of(hosts, rec);
	struct pp_build b;
	uint64_t feature;

	if (rec->type == PP_REC_FINISHED_ROUND)
		return pp_is_note(rec) && only_hosts(rec) ? PP_DROP : PP_KEEP;
	if (pp_find_feature(rec, &feature) && feature == PP_FEAT_HOSTNAME) {
		pp_build_feature(&b, rec->data, PP_RECORD_MAX, PP_FEAT_HOSTNAME);
		pp_build_text(&b, "hostname", hosts->items[number].name);
		rec->size = (uint16_t)pp_build_end(&b);
		return PP_KEEP;
	}
	if (owner >= 0 && (size_t)owner != number)
		return PP_DROP;
	if (owner >= 0)
		hosts_move_back(hosts, number, rec);
	return PP_KEEP;
}
