/* parquet.c - writes Parquet files of all kinds of columns, each with a text of what readers must find there:
 * a line a row, tabs between columns, ~ for none, "text, [1,2].  Given "pages": columns of several pages; a
 * number: one file of so many rows, and no text. */
#include "parquet/parquet.h"
#include "unit.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static struct file {
	struct pp_parquet *w;
	const struct pp_parquet_column *columns;
	struct pp_out out;
	FILE *text;
	bool first;                   /* of the row */
	uint64_t rows;
	unsigned number;              /* of the file: the seed */
} file;

static void begin_file(const char *name, const struct pp_parquet_column *columns, size_t count, size_t rows,
		       size_t bytes)
{
	const struct pp_parquet_limits limits = { rows, bytes };
	char path[80];
	int fd;

	begin_case(name, file.number++);
	(void)snprintf(path, sizeof(path), "%s.parquet", name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	CHECK(fd >= 0 && !pp_out_open(&file.out, fd));
	(void)snprintf(path, sizeof(path), "%s.txt", name);
	file.text = fopen(path, "w");
	CHECK(file.text);
	file.w = pp_parquet_open(&file.out, columns, count, &limits, NULL);
	CHECK(file.w);
	file.columns = columns;
	file.first = true;
	file.rows = 0;
}

static void end_file(void)
{
	CHECK(pp_parquet_rows(file.w) == file.rows);
	CHECK(!pp_parquet_metadata(file.w, "test", unit.what, strlen(unit.what), NULL));
	CHECK(!pp_parquet_finish(file.w, NULL));
	CHECK((uint64_t)lseek(file.out.fd, 0, SEEK_END) == pp_parquet_size(file.w));
	pp_parquet_free(file.w);
	(void)close(file.out.fd);
	CHECK(!pp_out_close(&file.out) && !fclose(file.text));
}

static void next_value(void)
{
	if (!file.first)
		(void)fputc('\t', file.text);
	file.first = false;
}

static void number(size_t column, int64_t value)
{
	next_value();
	(void)fprintf(file.text, "%" PRId64, value);
	pp_parquet_int(file.w, column, value);
}

/* `shown` is what it becomes. */
static void text_as(size_t column, const char *text, size_t size, const char *shown, size_t shown_size)
{
	next_value();
	(void)fputc('"', file.text);
	for (size_t i = 0; i < shown_size; i++) {
		const unsigned char c = (unsigned char)shown[i];

		(void)fprintf(file.text, c < ' ' || c == '\\' || c == 0x7f ? "\\x%02x" : "%c", c);
	}
	pp_parquet_text(file.w, column, text, size);
}

static void text(size_t column, const char *value)
{
	text_as(column, value, strlen(value), value, strlen(value));
}

static void none(void)
{
	next_value();
	(void)fputc('~', file.text);
}

static void list(size_t column, size_t count, uint64_t most)
{
	next_value();
	(void)fputc('[', file.text);
	if (!count)
		pp_parquet_empty(file.w, column);
	for (size_t i = 0; i < count; i++) {
		const int64_t value = (int64_t)(any_number() % most * UINT64_C(0x9e3779b97f4a7c15));

		(void)fprintf(file.text, "%s%" PRId64, i ? "," : "", value);
		pp_parquet_item(file.w, column, value);
	}
	(void)fputc(']', file.text);
}

static void row(void)
{
	struct pp_error error = { .code = PP_OK };

	(void)fputc('\n', file.text);
	file.first = true;
	file.rows++;
	if (pp_parquet_row(file.w, &error)) {
		puts(error.detail);
		CHECK(false);
	}
}

/* ---- Files ---- */

static const struct pp_parquet_column every[] = {
	{ "time", PP_PARQUET_INT64, .sorted = true },
	{ "id", PP_PARQUET_INT64 },
	{ "cpu", PP_PARQUET_INT32 },
	{ "comm", PP_PARQUET_TEXT },
	{ "path", PP_PARQUET_TEXT },
	{ "frames", PP_PARQUET_LIST },
	{ "weight", PP_PARQUET_INT64, .optional = true },
	{ "line", PP_PARQUET_INT32, .optional = true },
	{ "func", PP_PARQUET_TEXT, .optional = true },
	{ "lines", PP_PARQUET_LIST, .optional = true },
	{ "when", PP_PARQUET_INT64, .optional = true, .sorted = true },
};
enum { EVERY = sizeof(every) / sizeof(*every) };

static void any_row(unsigned i)
{
	char name[40];

	number(0, (int64_t)i * 1000 + below(900));
	number(1, (int64_t)any_number());
	number(2, (int64_t)below(4) - 1);
	(void)snprintf(name, sizeof(name), "comm-%u", below(20));
	text(3, name);
	(void)snprintf(name, sizeof(name), "/usr/lib/%u/%u.so", i, below(1000));
	text(4, name);
	list(5, one_in(50) ? below(2001) : below(12), 300);
	if (one_in(3))
		none();
	else
		number(6, below(10) * 1000);
	if (i < 3000)                 /* a whole row group, and more */
		none();
	else
		number(7, below(100000));
	if (one_in(2))
		none();
	else
		text(8, one_in(2) ? "" : "main");
	if (one_in(4))
		none();
	else
		list(9, one_in(2) ? 0 : below(5), UINT64_MAX);
	if (one_in(4))
		none();
	else
		number(10, (int64_t)i << 33);
	row();
}

static void every_kind(const char *name, unsigned rows, size_t limit)
{
	begin_file(name, every, EVERY, limit, 0);
	for (unsigned i = 0; i < rows; i++)
		any_row(i);
	end_file();
}

/* Rows by the numbers of values, many at once, in the midst of single ones: of columns that have no value in
 * some rows or in all, and whose values are all the same for a while. */
static const struct pp_parquet_column by_number[] = {
	{ "time", PP_PARQUET_INT64, .sorted = true },
	{ "cpu", PP_PARQUET_INT32, .optional = true },
	{ "comm", PP_PARQUET_TEXT },
	{ "func", PP_PARQUET_TEXT, .optional = true },
	{ "frames", PP_PARQUET_LIST, .apart = true },
	{ "stack", PP_PARQUET_INT64, .apart = true },
	{ "id", PP_PARQUET_INT64, .unique = true },
};
enum { BY_NUMBER = sizeof(by_number) / sizeof(*by_number), VALUES = 40, MANY = 700 };

static void show_picked(unsigned column, uint32_t number)
{
	next_value();
	if ((column == 1 && number % 7 == 0) || (column == 3 && number % 3 == 0))
		(void)fputc('~', file.text);
	else if (column == 2 || column == 3)
		(void)fprintf(file.text, "\"text-%u", number);
	else
		(void)fprintf(file.text, "%lld", number * 1000003LL - 5);
}

static void add_values(void)
{
	for (uint32_t i = 0; i < VALUES; i++) {
		char name[20];
		const int length = snprintf(name, sizeof(name), "text-%u", i);
		const int64_t value = i * INT64_C(1000003) - 5;

		CHECK((i % 7 ? pp_parquet_add_int(file.w, 1, value) : pp_parquet_add_none(file.w, 1)) == i);
		CHECK(pp_parquet_add_text(file.w, 2, name, (size_t)length) == i);
		CHECK((i % 3 ? pp_parquet_add_text(file.w, 3, name, (size_t)length) :
			       pp_parquet_add_none(file.w, 3)) == i);
		CHECK(pp_parquet_add_int(file.w, 4, value) == i);
		CHECK(pp_parquet_add_int(file.w, 5, value) == i);
	}
}

static void list_by_number(void)
{
	uint32_t items[12];
	const size_t n = below(12);

	next_value();
	for (size_t i = 0; i < n; i++) {
		items[i] = below(VALUES);
		(void)fprintf(file.text, "%s%lld", i ? "," : "[", items[i] * 1000003LL - 5);
	}
	(void)fputs(n ? "]" : "[]", file.text);
	pp_parquet_items(file.w, 4, items, n);
}

/* n rows at once, whose lists are empty: they are made row by row; or one row that has one. */
static void rows_by_number(size_t n)
{
	static int64_t times[MANY], ids[MANY];
	static uint32_t numbers[6][MANY];
	const bool same = one_in(3);

	for (size_t i = 0; i < n; i++) {
		times[i] = (int64_t)(file.rows * 10 + i);
		ids[i] = (int64_t)any_number();
		for (unsigned k = 1; k < 6; k++)
			numbers[k][i] = same && i ? numbers[k][0] : below(VALUES);
		(void)fprintf(file.text, "%" PRId64, times[i]);
		file.first = false;
		for (unsigned k = 1; k < 4; k++)
			show_picked(k, numbers[k][i]);
		if (n == 1)
			list_by_number();
		else
			(void)fputs("\t[]", file.text);
		show_picked(5, numbers[5][i]);
		(void)fprintf(file.text, "\t%" PRId64 "\n", ids[i]);
	}
	pp_parquet_ints(file.w, 0, times, n);
	for (unsigned k = 1; k < 6; k++)
		if (k != 4)
			pp_parquet_picks(file.w, k, numbers[k], n);
	pp_parquet_ints(file.w, 6, ids, n);
	CHECK(!pp_parquet_rows_end(file.w, n, NULL));
	file.rows += n;
	file.first = true;
}

static void many_rows(void)
{
	begin_file("numbers", by_number, BY_NUMBER, 5000, 0);
	add_values();
	for (unsigned i = 0; i < 200; i++)
		rows_by_number(one_in(2) ? 1 : 1 + below(MANY - 1));
	end_file();
}

/* Groups that end where their bytes come to the limit. */
static void row_groups(void)
{
	begin_file("bytes", every + 3, 2, 0, 2000000);
	for (unsigned i = 0; i < 100000; i++) {
		char name[40];

		(void)snprintf(name, sizeof(name), "comm-%u", below(20));
		text(0, name);
		(void)snprintf(name, sizeof(name), "/usr/lib/%u/%u.so", i, below(1000));
		text(1, name);
		row();
	}
	end_file();
}

static void equal_values(void)
{
	begin_file("equal", every, 5, 0, 0);
	for (unsigned i = 0; i < 132000; i++) {
		number(0, 7);
		number(1, -7);
		number(2, 0);
		text(3, "swapper");
		text(4, "");
		row();
	}
	end_file();
}

static void extremes(void)
{
	static const int64_t numbers[] = {
		INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN,
	};

	begin_file("extremes", every, 3, 0, 0);
	for (unsigned i = 0; i < 2000; i++) {
		number(0, numbers[below(9)]);
		number(1, numbers[i % 9]);
		number(2, (int32_t)numbers[below(9)]);
		row();
	}
	end_file();
}

/* Texts of many lengths, of characters of 1 to 4 bytes, beyond what statistics keep. */
static void long_texts(void)
{
	static const char *const characters[] = {
		"a", "~", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x90\xa7", "\x7f",
	};
	char *const long_one = malloc(400001);

	CHECK(long_one);
	for (unsigned group = 0; group < 40; group++) {
		char name[20];

		(void)snprintf(name, sizeof(name), "long-%u", group);
		begin_file(name, every + 3, 2, 0, 0);
		for (unsigned i = 0; i < 20; i++) {
			const unsigned length = group == 39 ? 100000 : 20 + below(100), kind = below(7);
			char *end = long_one;

			for (unsigned k = 0; k < length; k++)
				end = stpcpy(end, characters[kind < 6 && k > 9 ? kind : below(6)]);
			text(0, long_one);
			text(1, group % 2 ? long_one : "b");
			row();
		}
		end_file();
	}
	free(long_one);
}

static void strange_texts(void)
{
#define TEXT(given, shown) { given, sizeof(given) - 1, shown, sizeof(shown) - 1 }
	static const struct {
		const char *given;
		size_t size;
		const char *shown;
		size_t shown_size;
	} texts[] = {
		TEXT("", ""), TEXT("a\0b", "a\0b"), TEXT("\0", "\0"), TEXT("\xff", "\\xff"),
		TEXT("a\xc3", "a\\xc3"), TEXT("\xc3\xa4\x80z", "\xc3\xa4\\x80z"),
		TEXT("\xed\xa0\x80", "\\xed\\xa0\\x80"), TEXT("\n\t\r\x1b", "\n\t\r\x1b"),
		TEXT("\xc0\x80", "\\xc0\\x80"), TEXT("12345678\xfe", "12345678\\xfe"),
		TEXT("\xf4\x90\x80\x80 ", "\\xf4\\x90\\x80\\x80 "), TEXT("'\"`;--", "'\"`;--"),
	};
	enum { TEXTS = sizeof(texts) / sizeof(*texts) };

	begin_file("strange", every + 3, 2, 0, 0);
	for (unsigned i = 0; i < 100; i++) {
		const unsigned one = i < TEXTS ? i : below(TEXTS), two = below(TEXTS);

		text_as(0, texts[one].given, texts[one].size, texts[one].shown, texts[one].shown_size);
		text_as(1, texts[two].given, texts[two].size, texts[two].shown, texts[two].shown_size);
		row();
	}
	end_file();
}

/* Dictionaries that pay at first, and later do not. */
static void late_fallback(void)
{
	begin_file("fallback", every + 1, 3, 0, 0);
	for (unsigned i = 0; i < 275000; i++) {
		const bool late = i >= 132000 && i < 265000;
		char name[20];

		number(0, late ? (int64_t)any_number() : below(5));
		number(1, late ? (int32_t)any_number() : (int32_t)below(70000));
		(void)snprintf(name, sizeof(name), "%u", late ? i : i % 100);
		text(2, name);
		row();
	}
	end_file();
}

/* A dictionary that pays, and becomes too large. */
static void large_dictionary(void)
{
	enum { LENGTH = 100000 };
	char *const one = malloc(LENGTH + 1);

	CHECK(one);
	memset(one, 'x', LENGTH);
	one[LENGTH] = '\0';
	begin_file("heavy", every + 3, 1, 0, 0);
	for (unsigned i = 0; i < 120; i++) {
		(void)memcpy(one, &(char[2]){ (char)('a' + i / 2 % 26), (char)('a' + i / 52) }, 2);
		text(0, one);
		row();
	}
	end_file();
	free(one);
}

/* Differences and indexes of all widths, runs of all lengths. */
static void widths(void)
{
	struct pp_parquet_column columns[65];
	static char names[65][4];
	int64_t last[65] = { 0 };

	for (unsigned i = 0; i < 65; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "c%u", i);
		columns[i] = (struct pp_parquet_column){ names[i], PP_PARQUET_INT64, .sorted = i % 2 };
	}
	for (unsigned n = 0; n < 8; n++) {
		unsigned again[65] = { 0 };
		char name[20];

		(void)snprintf(name, sizeof(name), "widths-%u", n);
		begin_file(name, columns, 65, 0, 0);
		for (unsigned i = 0; i < 120u + 97u * n; i++) {
			for (unsigned k = 0; k < 65; k++) {
				const uint64_t some = k ? any_number() >> (64 - k) : 0;

				if (again[k])
					again[k]--;
				else if (one_in(10))
					again[k] = below(n * 8 + 9);
				else if (k % 2)
					last[k] = (int64_t)((uint64_t)last[k] + some);
				else
					last[k] = (int64_t)(some % (3u << n));
				number(k, last[k]);
			}
			row();
		}
		end_file();
	}
}

static void refusals(void)
{
	static const struct { enum pp_code code; const char *detail; } wanted[] = {
		{ PP_E_USE, "column id: two values in a row" },
		{ PP_E_USE, "column id: a value of another kind" },
		{ PP_E_VALUE, "column cpu: a number of more than 32 bits" },
		{ PP_E_USE, "column time: no value in a row" },
		{ PP_E_IO, "cannot write" },
	};

	for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct pp_error error = { .code = PP_OK };

		begin_file("refused", every, 3, 0, 0);
		if (wanted[i].code == PP_E_IO)
			(void)dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), file.out.fd);
		for (size_t column = i == 3; column < 3; column++)
			pp_parquet_int(file.w, column, 1);
		if (i == 0)
			pp_parquet_int(file.w, 1, 1);
		else if (i == 1)
			pp_parquet_text(file.w, 1, "", 0);
		else if (i == 2) {
			CHECK(!pp_parquet_row(file.w, NULL));
			pp_parquet_int(file.w, 2, INT64_C(1) << 31);
		}
		CHECK(pp_parquet_row(file.w, &error) == (i < 4 ? -1 : 0));
		error.code = PP_OK;
		CHECK(pp_parquet_finish(file.w, &error) == -1);
		CHECK(error.code == wanted[i].code && !strcmp(error.detail, wanted[i].detail));
		CHECK(error.output == (error.code == PP_E_IO));
		pp_parquet_free(file.w);
		(void)pp_out_close(&file.out);
		(void)close(file.out.fd);
		(void)fclose(file.text);
	}
	(void)unlink("refused.parquet");
	(void)unlink("refused.txt");
}

/* More rows than two groups have, as samples are. */
static void large(unsigned rows)
{
	static const struct pp_parquet_column columns[] = {
		{ "time", PP_PARQUET_INT64, .sorted = true }, { "weight", PP_PARQUET_INT64 },
		{ "comm", PP_PARQUET_TEXT }, { "pid", PP_PARQUET_INT32 }, { "cpu", PP_PARQUET_INT32 },
		{ "stack", PP_PARQUET_INT64 },
	};
	char names[64][16];

	begin_file("large", columns, 6, 0, 0);
	for (unsigned i = 0; i < 64; i++)
		(void)snprintf(names[i], sizeof(names[i]), "worker-%u", i * i);
	for (unsigned i = 0; i < rows; i++) {
		const unsigned task = below(64);

		pp_parquet_int(file.w, 0, (int64_t)i * 10101000 + below(20000));
		pp_parquet_int(file.w, 1, 10101000);
		pp_parquet_text(file.w, 2, names[task], strlen(names[task]));
		pp_parquet_int(file.w, 3, 1000 + task);
		pp_parquet_int(file.w, 4, below(8));
		pp_parquet_int(file.w, 5, below(1u << (6 + below(11))) * INT64_C(1000000007));
		CHECK(!pp_parquet_row(file.w, NULL));
	}
	file.rows = rows;
	end_file();
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "pages")) {
		row_groups();
		equal_values();
		late_fallback();
		large_dictionary();
	} else if (argc > 1) {
		large((unsigned)strtoul(argv[1], NULL, 10));
	} else {
		every_kind("empty", 0, 0);
		every_kind("one", 1, 0);
		every_kind("all", 5000, 2000);
		many_rows();
		extremes();
		long_texts();
		strange_texts();
		widths();
		refusals();
	}
	return 0;
}
