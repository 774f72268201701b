/* parquet_page.c - makes pages: a header, and what is compressed after it. */
#include "parquet/parquet_page.h"
#include "parquet/parquet_thrift.h"

#include <zlib.h>

enum {
	LEVEL     = 1,                /* higher ones take longer, and hardly less room */
	PAGE_MOST = 1 << 30,          /* sizes in headers have 31 bits */
};

int pp_press_open(struct page_press *press, struct pp_error *error)
{
	*press = (struct page_press){ .zstd = ZSTD_createCCtx() };
	if (press->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(press->zstd, ZSTD_c_compressionLevel, LEVEL)))
		return 0;
	return pp_fail(error, PP_E_NOMEM, NULL);
}

void pp_press_close(struct page_press *press)
{
	ZSTD_freeCCtx(press->zstd);
	pp_buffer_free(&press->raw);
	pp_buffer_free(&press->packed);
}

static void put_data_header(struct thrift_pen *pen, const struct parquet_page *page)
{
	pp_thrift_struct(pen, PARQUET_PageHeader_data_page_header);
	pp_thrift_number(pen, PARQUET_DataPageHeader_num_values, (int64_t)page->entries);
	pp_thrift_number(pen, PARQUET_DataPageHeader_encoding, page->encoding);
	pp_thrift_number(pen, PARQUET_DataPageHeader_definition_level_encoding, PARQUET_RLE);
	pp_thrift_number(pen, PARQUET_DataPageHeader_repetition_level_encoding, PARQUET_RLE);
	pp_thrift_end(pen);
}

static void put_dictionary_header(struct thrift_pen *pen, const struct parquet_page *page)
{
	pp_thrift_struct(pen, PARQUET_PageHeader_dictionary_page_header);
	pp_thrift_number(pen, PARQUET_DictionaryPageHeader_num_values, (int64_t)page->entries);
	pp_thrift_number(pen, PARQUET_DictionaryPageHeader_encoding, page->encoding);
	pp_thrift_end(pen);
}

static int put_page_header(const struct page_press *press, const struct parquet_page *page,
			   struct pp_buffer *to)
{
	struct thrift_pen pen = { .to = to };
	const uint32_t crc = (uint32_t)crc32(0, press->packed.data, (uInt)press->packed.size);

	pp_thrift_struct(&pen, THRIFT_ITEM);
	pp_thrift_number(&pen, PARQUET_PageHeader_type, page->type);
	pp_thrift_number(&pen, PARQUET_PageHeader_uncompressed_page_size, (int64_t)press->raw.size);
	pp_thrift_number(&pen, PARQUET_PageHeader_compressed_page_size, (int64_t)press->packed.size);
	pp_thrift_number(&pen, PARQUET_PageHeader_crc, (int32_t)crc);
	if (page->type == PARQUET_DATA_PAGE)
		put_data_header(&pen, page);
	else
		put_dictionary_header(&pen, page);
	pp_thrift_end(&pen);
	return pen.failed ? -1 : 0;
}

int pp_press_page(struct page_press *press, const struct parquet_page *page, struct pp_buffer *to,
		  uint64_t *uncompressed, struct pp_error *error)
{
	const size_t most = ZSTD_compressBound(press->raw.size), before = to->size;
	size_t packed;

	if (press->raw.size > PAGE_MOST || page->entries > PAGE_MOST) {
		(void)pp_fail(error, PP_E_LIMIT, "a page of a Parquet file");
		return pp_error_room(error, NULL, press->raw.size, PAGE_MOST);
	}
	press->packed.size = 0;
	if (!pp_buffer_room(&press->packed, most, error))
		return -1;
	packed = ZSTD_compress2(press->zstd, press->packed.data, most, press->raw.data, press->raw.size);
	/* there is room for all: it can only lack memory */
	if (ZSTD_isError(packed))
		return pp_fail(error, PP_E_NOMEM, NULL);
	press->packed.size = packed;
	if (put_page_header(press, page, to))
		return pp_fail(error, PP_E_NOMEM, NULL);
	*uncompressed += to->size - before + press->raw.size;
	return pp_buffer_add(to, press->packed.data, packed, error);
}
