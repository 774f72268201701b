/*
 * perf-pipe.c - writes the manual page perf-pipe(5): copies its frame, a hand-written page, and
 * puts the tables of the format where the frame asks for them; what the rows mean for bytes is
 * left to the library.  Lines of the frame that begin with @ are for this program:
 *
 *	@about record|feature NAME [since]   prose of one record or feature, up to a line @end;
 *	                                     kept until it is shown
 *	@record NAME                         its table alone
 *	@kernel @perf @features              everything about all that were not yet shown
 *	@attr @trailer                       fields of the attribute, of the trailer
 *	@events                              generic events by type and config
 *	@sample @read @branch @flags         bits of a word of the attribute
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "format/format.h"

enum { VARIES = -1, MAX_ROWS = 128, MAX_SEEN = 256, MAX_ABOUT = 256, WORLDS = 16, REGS = 6 };

struct line { char at[12], type[48], name[48], doc[512]; };

struct about {
	char name[40], since[80], *text;
	bool feature, used;
};

/* What was put on the page so far, and the table that is being made. */
struct page {
	struct about about[MAX_ABOUT];
	size_t n_about;
	struct { const void *what; char where[80]; } seen[MAX_SEEN];
	size_t n_seen;
	struct line line[MAX_ROWS];
	size_t n_lines;
	const struct pp_field *words[MAX_ROWS];       /* rows whose parts follow the table */
	size_t n_words;
	const char *reg[PP_R_COUNT];                  /* field that set it last */
	const char *owner;                            /* record or feature */
};

static _Noreturn __attribute__((format(printf, 1, 2))) void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("perf-pipe: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static __attribute__((format(printf, 3, 4))) void add(char *text, size_t size, const char *format,
						      ...)
{
	const size_t length = strlen(text);
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text + length, size - length, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= size - length)
		die("no room behind: %s", text);
}

/* ---- what was shown ---- */

static const char *seen(const struct page *p, const void *what)
{
	for (size_t i = 0; i < p->n_seen; i++)
		if (p->seen[i].what == what)
			return p->seen[i].where;
	return NULL;
}

static void show(struct page *p, const void *what, const char *name, const char *owner)
{
	if (p->n_seen == MAX_SEEN)
		die("too many tables");
	p->seen[p->n_seen].what = what;
	snprintf(p->seen[p->n_seen].where, sizeof(p->seen[0].where), "%s%s%s", name,
		 owner ? " of " : "", owner ? owner : "");
	p->n_seen++;
}

/* ---- places ---- */

/* Registers whose values say which form of a record it is; each form is laid out by itself. */
static bool tells_form(uint8_t reg)
{
	return reg == PP_R_MISC || reg == PP_R_READ_FORMAT || (reg >= PP_R_A && reg <= PP_R_D);
}

static bool may_be_absent(const struct pp_when *w)
{
	return w->test && !tells_form(w->reg) && w->reg != PP_R_LEFT;
}

static long rows_width(const struct pp_field *rows);

static long row_width(const struct pp_field *row)
{
	if (row->kind == PP_LOOK)
		return 0;
	if (row->kind == PP_ONE && !row->by && !row->feature)
		return rows_width(row->of);
	if (row->by || row->rest || !pp_kind_width[row->kind] || row->kind == PP_STR ||
	    row->kind == PP_STR8 || row->kind == PP_LSTR)
		return VARIES;
	return (long)pp_kind_width[row->kind] * (row->n ? row->n : 1);
}

static void offer(uint64_t values[WORLDS], size_t *n, uint64_t value)
{
	for (size_t i = 0; i < *n; i++)
		if (values[i] == value)
			return;
	if (*n == WORLDS)
		die("too many forms");
	values[(*n)++] = value;
}

/* Values that put a condition to the test, from either side; bits alone, together and none. */
static void ask(uint64_t values[WORLDS], size_t *n, const struct pp_when *w, uint8_t reg)
{
	const bool range = w->test == PP_WITHIN || w->test == PP_OUTSIDE;
	const uint64_t value = range ? (uint32_t)w->value : w->value;

	if (!w->test || w->reg != reg)
		return;
	offer(values, n, value);
	if (w->test == PP_ANY || w->test == PP_NOT_ANY) {
		offer(values, n, UINT64_MAX);
		offer(values, n, 0);
	} else {
		offer(values, n, value ? value - 1 : value + 100);
	}
}

/*
 * Where each row lies, or VARIES, in one form of the structure; places of forms that differ
 * make it vary.  Returns the end.
 */
static long lay(const struct pp_field *rows, const uint64_t *reg, long start, long *at, bool *known)
{
	long place = start;

	for (size_t i = 0; rows[i].name; i++) {
		const struct pp_field *row = &rows[i];
		const struct pp_when *w[] = { &row->when, &row->also };
		const bool absent = may_be_absent(w[0]) || may_be_absent(w[1]);
		const long width = row_width(row);
		bool here = true;

		for (size_t k = 0; k < 2; k++)
			here = here && (!tells_form(w[k]->reg) || pp_holds(w[k], reg));
		if (!here)
			continue;
		at[i] = known[i] && at[i] != place ? VARIES : place;
		known[i] = true;
		place = place == VARIES || width == VARIES || absent ? VARIES : place + width;
	}
	return place;
}

/* Fills at[] for all rows; returns where the last one ends, or VARIES. */
static long places(const struct pp_field *rows, long start, long *at)
{
	static const uint8_t regs[] = { PP_R_MISC, PP_R_READ_FORMAT, PP_R_A, PP_R_B, PP_R_C, PP_R_D };
	uint64_t values[REGS][WORLDS] = { { 0 } }, reg[PP_R_COUNT] = { 0 };
	size_t n[REGS] = { 0 }, turn[REGS] = { 0 };
	bool known[MAX_ROWS] = { false };
	long end = 0, last;
	size_t k;

	for (k = 0; k < REGS; k++) {
		for (const struct pp_field *row = rows; row->name; row++) {
			ask(values[k], &n[k], &row->when, regs[k]);
			ask(values[k], &n[k], &row->also, regs[k]);
		}
		n[k] += !n[k];
	}
	do {
		for (k = 0; k < REGS; k++)
			reg[regs[k]] = values[k][turn[k]];
		last = lay(rows, reg, start, at, known);
		end = end && end != last ? VARIES : last;
		for (k = 0; k < REGS && ++turn[k] == n[k]; k++)
			turn[k] = 0;
	} while (k < REGS);
	return end;
}

static long rows_width(const struct pp_field *rows)
{
	long at[MAX_ROWS], end;

	for (const struct pp_field *row = rows; row->name; row++)
		if (row->spans)
			return VARIES;
	/* from 1, since 0 is no end yet */
	end = places(rows, 1, at);
	return end == VARIES ? VARIES : end - 1;
}

/* ---- words ---- */

/* A word that is text in the arguments of a macro, and a macro if it looks like one. */
static void add_words(char *out, size_t size, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, " ");
		const bool macro = (n == 2 || n == 3) && text[0] >= 'A' && text[0] <= 'Z' &&
				   text[1] >= 'a' && text[1] <= 'z';

		add(out, size, "%s%.*s", macro ? "\\&" : "", (int)n, text);
		text += n;
		if (*text)
			add(out, size, " "), text++;
	}
}

static const char *bit_name(const struct pp_part *bits, uint64_t mask)
{
	for (; bits->name; bits++)
		if (UINT64_C(1) << bits->bit == mask)
			return bits->name;
	die("no bit has the value %#llx", (unsigned long long)mask);
}

/* The number in a register, by the name of the field that it comes from. */
static const char *number(const struct page *p, uint8_t reg)
{
	switch (reg) {
	case PP_R_CPUS: return "nr_cpus_avail";
	case PP_R_ONLINE: return "nr_cpus_online";
	case PP_R_USER_REGS: case PP_R_INTR_REGS: return "k";
	default: return p->reg[reg] ? p->reg[reg] : "n";
	}
}

static void add_bits(char *out, size_t size, const struct pp_when *w, const char *word,
		     const struct pp_part *bits)
{
	add(out, size, "%s has %s%s", word, w->test == PP_ANY ? "" : "no ", bit_name(bits, w->value));
}

static void add_test(const struct page *p, char *out, size_t size, const struct pp_when *w)
{
	const unsigned long long value = w->value, low = (uint32_t)w->value, high = w->value >> 32;
	const char *name = number(p, w->reg), *no = w->test == PP_OUTSIDE ? "not " : "";

	if (w->reg == PP_R_SAMPLE_TYPE)
		add(out, size, "%s", bit_name(pp_sample_bits, w->value));
	else if (w->reg == PP_R_READ_FORMAT)
		add_bits(out, size, w, "read_format", pp_read_bits);
	else if (w->reg == PP_R_BRANCH_TYPE)
		add_bits(out, size, w, "branch_sample_type", pp_branch_bits);
	else if (w->reg == PP_R_MISC)
		add(out, size, "bit %d of misc is %sset", __builtin_ctzll(w->value),
		    w->test == PP_ANY ? "" : "not ");
	else if (w->reg == PP_R_LEFT)
		add(out, size, value == 1 ? "anything is left" : "%llu bytes or more are left", value);
	else if (w->test == PP_EQUAL || w->test == PP_NOT_EQUAL)
		add(out, size, "%s is %s%llu", name, w->test == PP_EQUAL ? "" : "not ", value);
	else if (w->test == PP_AT_LEAST || high >= 0xffff)
		add(out, size, "%s is %s%llu or more", name, no, w->test == PP_AT_LEAST ? value : low);
	else
		add(out, size, "%s is %s%llu to %llu", name, no, low, high);
}

static void add_conditions(const struct page *p, char *out, size_t size, const struct pp_field *row)
{
	const struct pp_when *first = &row->when, *second = &row->also;

	if (!first->test && !second->test)
		return;
	add(out, size, "; if ");
	if (first->test)
		add_test(p, out, size, first);
	if (first->test && second->test)
		add(out, size, " and ");
	if (second->test)
		add_test(p, out, size, second);
}

static void add_count(const struct page *p, char *out, size_t size, const struct pp_field *row)
{
	if (row->rest)
		add(out, size, "[...]");
	else if (row->by && row->per > 1)
		add(out, size, "[%s/%d]", number(p, row->by), row->per);
	else if (row->by)
		add(out, size, "[%s]", number(p, row->by));
	else if (row->n)
		add(out, size, "[%d]", row->n);
}

static void add_type(const struct page *p, char *out, size_t size, const struct pp_field *row)
{
	static const char *const names[] = {
		[PP_U8] = "u8", [PP_U16] = "u16", [PP_U32] = "u32", [PP_U64] = "u64", [PP_S32] = "s32",
		[PP_S64] = "s64", [PP_F64] = "f64", [PP_BITS] = "bits64", [PP_PARTS] = "u64",
		[PP_CHARS] = "char", [PP_STR] = "string", [PP_STR8] = "string8", [PP_LSTR] = "lstring",
		[PP_BYTES] = "u8", [PP_ONE] = "struct", [PP_LIST] = "struct", [PP_STRS] = "lstring",
		[PP_LOOK] = "(u8)",
	};

	add(out, size, "%s", names[row->kind]);
	if (row->kind != PP_ONE)
		add_count(p, out, size, row);
}

static void add_doc(const struct page *p, char *out, size_t size, const struct pp_field *row)
{
	add_words(out, size, row->feature ? "see FEATURES" : row->doc);
	if (row->kind == PP_ONE && row->by)
		add(out, size, "; it has %s bytes", number(p, row->by));
	if (row->kind == PP_LOOK)
		add(out, size, "; looked at, not taken");
	if (row->by == PP_R_USER_REGS || row->by == PP_R_INTR_REGS)
		add(out, size, "; k is the number of its bits that are set");
	if (row->per > 1)
		add(out, size, "; rounded up");
	add_conditions(p, out, size, row);
}

/* ---- tables ---- */

static void collect(struct page *, const struct pp_field *, long start, bool relative, int depth);

/* The rows inside of a structure, unless the page has them already. */
static void collect_inner(struct page *p, struct line *l, const struct pp_field *row, long at,
			  bool relative, int depth)
{
	const char *where = seen(p, row->of);
	const bool fixed = row->kind == PP_ONE && at != VARIES;

	if (row->of == pp_attr_fields) {
		add(l->doc, sizeof(l->doc), "; see EVENTS");
	} else if (where) {
		add(l->doc, sizeof(l->doc), "; laid out as %s", where);
	} else {
		show(p, row->of, row->name, p->owner);
		collect(p, row->of, fixed ? at : 0, !fixed || relative, depth + 1);
	}
}

static void collect(struct page *p, const struct pp_field *rows, long start, bool relative,
		    int depth)
{
	long at[MAX_ROWS];

	places(rows, start, at);
	for (size_t i = 0; rows[i].name; i++) {
		const struct pp_field *row = &rows[i];
		struct line *l = &p->line[p->n_lines++];

		if (p->n_lines == MAX_ROWS)
			die("too many rows");
		*l = (struct line){ .at = "" };
		if (at[i] != VARIES)
			add(l->at, sizeof(l->at), "%s%ld", relative ? "+" : "", at[i]);
		add_type(p, l->type, sizeof(l->type), row);
		for (int d = 0; d < depth; d++)
			add(l->name, sizeof(l->name), "\\ \\ ");
		add(l->name, sizeof(l->name), "%s", row->name);
		add_doc(p, l->doc, sizeof(l->doc), row);
		if (row->set)
			p->reg[row->set] = row->name;
		if (row->parts && row->parts != pp_attr_flags)
			p->words[p->n_words++] = row;
		if ((row->kind == PP_ONE || row->kind == PP_LIST) && !row->feature)
			collect_inner(p, l, row, at[i], relative, depth);
	}
}

static int longest(int now, const char *text)
{
	int n = (int)strlen(text);

	for (const char *p = text; (p = strchr(p, '\\')); p++)
		n--;
	return n > now ? n : now;
}

/* "\ " is one column wide: the widths are given as that many letters. */
static void head(const char *name, int width, char fill)
{
	const int least = (int)strlen(name), n = width < least ? least : width;

	fputs(" \"", stdout);
	for (int i = 0; i < n; i++)
		putchar(fill);
	putchar('"');
}

static void print_bits(const struct pp_part *bits)
{
	int width = 4;

	for (const struct pp_part *b = bits; b->name; b++)
		width = longest(width, b->name);
	fputs(".Bl -column -compact", stdout);
	head("bits", 5, '0');
	head("name", width, 'n');
	puts(" \"meaning\"\n.It Em bits Ta Em name Ta Em meaning");
	for (const struct pp_part *b = bits; b->name; b++) {
		char doc[512] = "";

		add_words(doc, sizeof(doc), b->doc);
		if (b->width > 1)
			printf(".It %d\\-%d", b->bit, b->bit + b->width - 1);
		else
			printf(".It %d", b->bit);
		printf(" Ta %s Ta %s\n", b->name, doc);
	}
	puts(".El");
}

/* Those of hardware and software; how caches are numbered takes fewer words than a list. */
static void print_events(void)
{
	static const char *const heads[] = { "hardware", "software" };
	const char *name;
	uint32_t type, last = UINT32_MAX;
	uint64_t config;

	puts(".Bl -tag -width hardware -compact");
	for (size_t i = 0; pp_event_at(i, &name, &type, &config); i++) {
		if (type > 1)
			continue;
		if (type == last)
			puts(",");
		else
			printf("%s.It %s\n", i ? "\n" : "", heads[type]);
		printf("%llu %s", (unsigned long long)config, name);
		last = type;
	}
	puts("\n.El");
}

static void print_table(struct page *p, const struct pp_field *rows, long start)
{
	int at = 2, type = 4, name = 5;

	p->n_lines = p->n_words = 0;
	memset(p->reg, 0, sizeof(p->reg));
	collect(p, rows, start, false, 0);
	for (size_t i = 0; i < p->n_lines; i++) {
		at = longest(at, p->line[i].at);
		type = longest(type, p->line[i].type);
		name = longest(name, p->line[i].name);
	}
	fputs(".Bl -column -compact", stdout);
	head("at", at, '0');
	head("type", type, 't');
	head("field", name, 'n');
	puts(" \"meaning\"\n.It Em at Ta Em type Ta Em field Ta Em meaning");
	for (size_t i = 0; i < p->n_lines; i++) {
		const struct line *l = &p->line[i];

		printf(".It %s Ta %s Ta %s Ta %s\n", *l->at ? l->at : "\\&", l->type, l->name, l->doc);
	}
	puts(".El");
	for (size_t i = 0; i < p->n_words; i++) {
		if (seen(p, p->words[i]->parts))
			continue;
		show(p, p->words[i]->parts, p->words[i]->name, p->owner);
		printf(".Pp\nParts of\n.Va %s :\n.Pp\n", p->words[i]->name);
		print_bits(p->words[i]->parts);
	}
}

static void print_record_table(struct page *p, const struct pp_type *type)
{
	p->owner = type->name;
	show(p, type, type->name, NULL);
	if (type->fields->name)
		print_table(p, type->fields, PP_HEADER_SIZE);
}

/* ---- records and features ---- */

static struct about *about(struct page *p, const struct pp_type *type, bool feature)
{
	for (size_t i = 0; i < p->n_about; i++)
		if (p->about[i].feature == feature && !strcmp(p->about[i].name, type->name))
			return &p->about[i];
	return NULL;
}

/* Does every record of this type have the same size, its trailer apart? */
static long fixed_size(const struct pp_type *type)
{
	const long width = rows_width(type->fields);

	for (const struct pp_field *row = type->fields; row->name; row++)
		if (row->when.reg == PP_R_LEFT)
			return VARIES;
	return width;
}

static void print_opening(const struct pp_type *type, const struct about *a, bool feature)
{
	const long size = fixed_size(type);

	printf("%c%s.\n", type->doc[0] >= 'a' && type->doc[0] <= 'z' ? type->doc[0] - 32 : type->doc[0],
	       type->doc + 1);
	if (a && *a->since)
		printf("Since %s.\n", a->since);
	if (feature)
		return;
	if (type->words & PP_TRAILS)
		puts("May end in a trailer.");
	if (size != VARIES && type->number != PP_REC_SAMPLE && type->number != PP_REC_HEADER_FEATURE)
		printf("%ld bytes%s.\n", size + PP_HEADER_SIZE,
		       type->words & PP_OF_KERNEL ? " and the trailer" : "");
}

static void print_type(struct page *p, const struct pp_type *type, bool feature)
{
	struct about *a = about(p, type, feature);

	if (!feature)
		printf(".Ss %s (%u)\n", type->name, type->number);
	else
		printf(".Ss %u: %s\n", type->number, type->name);
	print_opening(type, a, feature);
	if (type->fields->name && !seen(p, type)) {
		p->owner = type->name;
		puts(".Pp");
		if (!feature)
			print_record_table(p, type);
		else
			print_table(p, type->fields, 0);
	}
	if (!a)
		return;
	a->used = true;
	if (*a->text)
		printf(".Pp\n%s", a->text);
}

static void print_records(struct page *p, bool kernel)
{
	const struct pp_type *type;

	for (size_t i = 0; (type = pp_type_at(i)); i++)
		if ((type->number < PP_USER_TYPES) == kernel)
			print_type(p, type, false);
}

static void print_features(struct page *p)
{
	const struct pp_type *type;

	for (size_t i = 0; (type = pp_feature_at(i)); i++)
		print_type(p, type, true);
}

/* ---- the frame ---- */

static void keep_about(struct page *p, const char *what, const char *line, FILE *in)
{
	struct about *a = &p->about[p->n_about++];
	char kind[16] = "", *text = NULL;
	size_t size = 0, room = 0;
	char *next = NULL;

	if (p->n_about == MAX_ABOUT || sscanf(line, "%*s %15s %39s %79[^\n]", kind, a->name, a->since) < 2)
		die("cannot understand: %s", what);
	a->feature = !strcmp(kind, "feature");
	a->text = calloc(1, 1);
	if (!a->text)
		die("out of memory");
	while (getline(&next, &room, in) > 0 && strcmp(next, "@end\n")) {
		const size_t n = strlen(next);

		text = realloc(a->text, size + n + 1);
		if (!text)
			die("out of memory");
		a->text = text;
		memcpy(a->text + size, next, n + 1);
		size += n;
	}
	free(next);
}

static void obey(struct page *p, const char *line, FILE *in)
{
	char word[32] = "", name[40] = "";

	sscanf(line, "@%31s %39s", word, name);
	if (!strcmp(word, "about"))
		keep_about(p, line, line, in);
	else if (!strcmp(word, "record") && pp_type_named(name))
		print_record_table(p, pp_type_named(name));
	else if (!strcmp(word, "kernel") || !strcmp(word, "perf"))
		print_records(p, word[0] == 'k');
	else if (!strcmp(word, "features"))
		print_features(p);
	else if (!strcmp(word, "attr"))
		print_table(p, pp_attr_fields, 0);
	else if (!strcmp(word, "events"))
		print_events();
	else if (!strcmp(word, "trailer"))
		print_table(p, pp_sample_id_fields, 0);
	else if (!strcmp(word, "sample"))
		print_bits(pp_sample_bits);
	else if (!strcmp(word, "read"))
		print_bits(pp_read_bits);
	else if (!strcmp(word, "branch"))
		print_bits(pp_branch_bits);
	else if (!strcmp(word, "flags"))
		print_bits(pp_attr_flags);
	else
		die("cannot understand: %s", line);
}

int main(int argc, char **argv)
{
	static struct page page;
	struct page *const p = &page;
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;
	char *line = NULL;
	size_t room = 0;

	if (!in)
		die("usage: perf-pipe FRAME >PAGE");
	while (getline(&line, &room, in) > 0)
		if (*line == '@')
			obey(p, line, in);
		else
			fputs(line, stdout);
	for (size_t i = 0; i < p->n_about; i++) {
		if (!p->about[i].used)
			die("nothing is named %s", p->about[i].name);
		free(p->about[i].text);
	}
	free(line);
	if (fclose(in) || fflush(stdout) || ferror(stdout))
		die("cannot write");
	return 0;
}
