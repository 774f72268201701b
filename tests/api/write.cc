// write.cc - writes a stream of one event and some samples, record by record.
#include <perfpipe/perfpipe.h>
#include <cstdlib>

static pp_writer *out;
static pp_error error;

static void put(struct pp_build *b, const unsigned char *record)
{
	const size_t size = pp_build_end(b);

	if (!size || pp_writer_copy(out, record, size, &error))
		exit(4);
}

int main()
{
	unsigned char bytes[512], attr_bytes[136];
	struct pp_build b;
	pp_record record;
	pp_attrs *attrs = pp_attrs_new();

	out = pp_writer_open(1, PP_SEAL_YES);
	if (!out || !attrs || pp_writer_header(out, true, &error))
		return 4;
	pp_build(&b, attr_bytes, sizeof(attr_bytes), PP_REC_HEADER_ATTR, 0, nullptr);
	pp_build_open(&b, "attr");
	pp_build_u64(&b, "type", 1);
	pp_build_u64(&b, "size", 112);
	pp_build_u64(&b, "sample_type", PP_SAMPLE_IP | PP_SAMPLE_TID | PP_SAMPLE_TIME);
	pp_build_close(&b);
	const uint64_t id = 7;
	pp_build_bytes(&b, "id", &id, sizeof(id));
	put(&b, attr_bytes);
	if (pp_record_at(&record, attr_bytes, sizeof(attr_bytes), &error) || pp_attrs_note(attrs, &record, &error))
		return 3;
	for (uint64_t i = 1; i <= 5; i++) {
		pp_build(&b, bytes, sizeof(bytes), PP_REC_SAMPLE, PP_MISC_USER, pp_attrs_at(attrs, 0));
		pp_build_u64(&b, "ip", 0x1000 + i);
		pp_build_u64(&b, "pid", 12);
		pp_build_u64(&b, "tid", 13);
		pp_build_u64(&b, "time", i * 1000);
		put(&b, bytes);
	}
	if (pp_writer_round(out, &error) || pp_writer_end(out, 0, &error))
		return 4;
	pp_writer_close(out);
	pp_attrs_free(attrs);
	return 0;
}
