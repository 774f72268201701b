/* payload.c - the table of what rides in FINISHED_ROUND records; seal.c, note.c and names_record.c have the
 * layouts. */
#include "format/payload.h"
#include "format/names_record.h"
#include "format/note.h"
#include "format/seal.h"

enum { MAGIC = PP_HEADER_SIZE, MAGIC_SIZE = 8 };

static bool seal_fits(const struct pp_record *rec)
{
	return rec->size == PP_SEAL_SIZE;
}

static const struct pp_payload payloads[] = {
	{ "PPSEAL1", "seal", true, false, seal_fits, pp_seal_swap },
	{ "PPNOTE1", "notes", false, true, pp_notes_fit, pp_notes_swap },
	{ "PPNAMES", "names", true, true, pp_names_fit, pp_names_swap },
};

static const struct pp_payload *find_payload(const uint8_t *data, size_t size)
{
	if (!pp_fits(MAGIC + MAGIC_SIZE, size))
		return NULL;
	for (size_t i = 0; i < sizeof(payloads) / sizeof(*payloads); i++)
		if (!memcmp(data + MAGIC, payloads[i].magic, MAGIC_SIZE))
			return &payloads[i];
	return NULL;
}

const struct pp_payload *pp_payload_of(const struct pp_record *rec)
{
	return rec->type == PP_REC_FINISHED_ROUND ? find_payload(rec->data, rec->size) : NULL;
}

void pp_payload_swap(uint8_t *data, size_t size, bool to_host)
{
	const struct pp_payload *p = find_payload(data, size);

	if (p)
		p->swap(data, size, to_host);
}

bool pp_is_round(const struct pp_record *rec)
{
	const struct pp_payload *p = pp_payload_of(rec);

	return rec->type == PP_REC_FINISHED_ROUND && (!p || p->ends_round);
}
