/*
 * features.c - fuzz target: payloads of HEADER_FEATURE, the first byte choosing which, behind an
 * NRCPUS that some of them need: walked, printed, told in words, turned to the other byte order.
 */
#include "reading.h"

enum { NRCPUS = 24, HEAD = 16 };

static struct pp_record feature(uint8_t *buf, uint64_t number, size_t payload)
{
	pp_store32(buf, PP_REC_HEADER_FEATURE);
	pp_store16(buf + 4, 0);
	pp_store16(buf + 6, (uint16_t)(HEAD + payload));
	pp_store64(buf + 8, number);
	return (struct pp_record){ .data = buf, .type = PP_REC_HEADER_FEATURE,
				   .size = (uint16_t)(HEAD + payload) };
}

static void tell(struct sinks *s, struct pp_record *cpus, struct pp_record *rec)
{
	struct pp_features *features = pp_features_new();
	struct pp_attrs *attrs = pp_attrs_new();
	struct pp_error error;

	if (!features || !attrs)
		abort();
	pp_attrs_note(attrs, cpus, &error);
	pp_attrs_note(attrs, rec, &error);
	rec->attrs = attrs;
	pp_features_note(features, cpus, &error);
	pp_features_note(features, rec, &error);
	pp_features_text(features, attrs, &s->text);
	pp_features_json(features, attrs, &s->text);
	pp_print_text(&s->text, rec, PP_PRINT_LONG, &error);
	pp_print_json(&s->text, rec, &error);
	/* there and back again is where it was, if it could go there */
	if (!pp_check(rec, &error)) {
		uint8_t before[PP_RECORD_MAX];

		memcpy(before, rec->data, rec->size);
		if (!pp_convert(rec, PP_FROM_HOST, &error) &&
		    (pp_convert(rec, PP_TO_HOST, &error) || memcmp(before, rec->data, rec->size)))
			abort();
	}
	pp_features_free(features);
	pp_attrs_free(attrs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t cpus[NRCPUS], buf[PP_RECORD_MAX + 1];
	struct pp_record first = feature(cpus, PP_FEAT_NRCPUS, 8), second;

	if (size < 2 || size > PP_RECORD_MAX - HEAD)
		return 0;
	pp_store32(cpus + HEAD, data[1] & 15);
	pp_store32(cpus + HEAD + 4, data[1] >> 4);
	second = feature(buf, data[0] & 63, size - 2);
	memcpy(buf + HEAD, data + 2, size - 2);
	(void)read_bytes;
	tell(open_sinks(), &first, &second);
	return 0;
}
