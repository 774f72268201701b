/* table_form.c - what all forms of a table of counts share: the order of rows, names of places, numbers. */
#include "stat/table_form.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of rows ---- */

bool form_by_place(const struct view *r)
{
	switch (r->table.by) {
	case PP_COUNT_GLOBAL:
	case PP_COUNT_CPU:
	case PP_COUNT_THREAD:
		return false;
	default:
		return true;
	}
}

static bool is_row_shown(const struct form *form, const struct view *r, const struct pp_count_row *row)
{
	return row->shown && !(r->hide_zeros && form != &form_raw && row->counted && !(row->value > 0));
}

static void write_places(const struct form *form, const struct view *r)
{
	for (size_t i = 0; i < r->table.places * r->table.events; i++)
		if (is_row_shown(form, r, &r->table.rows[i]))
			form->row(r, &r->table.rows[i]);
}

static void write_events(const struct form *form, const struct view *r)
{
	for (size_t event = 0; event < r->table.events; event++)
		for (size_t place = 0; place < r->table.places; place++) {
			const struct pp_count_row *const row =
				&r->table.rows[place * r->table.events + event];

			if (is_row_shown(form, r, row))
				form->row(r, row);
		}
}

/* Of all threads that there were, as for perf those without counts are not shown: they are hundreds. */
static bool is_idle(const struct view *r, const struct pp_count_row *row)
{
	return r->about.all_tasks && !(row->value > 0);
}

/* Threads with the largest counts first, the others in the order of the stream. */
static int compare_threads(const void *a, const void *b)
{
	const struct pp_count_row *const x = *(const struct pp_count_row *const *)a;
	const struct pp_count_row *const y = *(const struct pp_count_row *const *)b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x > y) - (x < y);
}

static void write_threads(const struct form *form, const struct view *r)
{
	const struct pp_count_row **const sorted = calloc(r->table.places + 1, sizeof(*sorted));

	if (!sorted)
		cli_no_memory();
	for (size_t event = 0; event < r->table.events; event++) {
		size_t n = 0;

		for (size_t place = 0; place < r->table.places; place++) {
			const struct pp_count_row *const row =
				&r->table.rows[place * r->table.events + event];

			if (is_row_shown(form, r, row) && !is_idle(r, row))
				sorted[n++] = row;
		}
		if (n)
			qsort(sorted, n, sizeof(*sorted), compare_threads);
		for (size_t i = 0; i < n; i++)
			form->row(r, sorted[i]);
	}
	free(sorted);
}

void form_write(const struct form *form, const struct view *r)
{
	if (form->head)
		form->head(r);
	if (!form->row)
		;
	else if (form_by_place(r))
		write_places(form, r);
	else if (r->table.by == PP_COUNT_THREAD)
		write_threads(form, r);
	else
		write_events(form, r);
	if (form->foot)
		form->foot(r);
}

/* As perf_stat_process_counter() prints it; of one place of several, after where that is. */
static void raw_row(const struct view *r, const struct pp_count_row *row)
{
	char place[FORM_PLACE];

	form_place(r, row, place);
	form_text_in(r, place, 0);
	pp_out_text(r->out, *place ? " " : "");
	form_text_in(r, row->event->name, 0);
	form_put(r, ": %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", row->raw, row->enabled, row->running);
}

const struct form form_raw = { .row = raw_row };

void form_metrics_of(const struct view *r, size_t group, size_t place, metric_fn *fn, void *arg)
{
	/* a run's own times are not those of an interval, nor the means of several */
	const bool one = !r->interval && r->runs <= 1;

	if (r->metrics)
		metrics_each(r->metrics, &r->table, &r->cgroups, group, place, r->wall,
			     one ? r->run : NULL, fn, arg);
}

struct asking_metrics { const struct view *view; metric_fn *fn; };

static void pass_metric(void *arg, const struct shown_metric *one)
{
	const struct asking_metrics *const to = arg;

	if (!one->elsewhere)
		to->fn((void *)(uintptr_t)to->view, one);
}

void form_metrics(const struct view *r, metric_fn *fn)
{
	struct asking_metrics to = { r, fn };

	for (size_t place = 0; place < r->table.places; place++)
		for (size_t group = 0; group < r->cgroups.n; group++)
			form_metrics_of(r, group, place, pass_metric, &to);
}

const char *form_cgroup(const struct pp_count_row *row)
{
	return row->event->cgroup ? row->event->cgroup : "";
}

/* ---- names of places ---- */

static void thread_name(const struct view *r, int32_t thread, char place[FORM_PLACE])
{
	const char *comm = "";
	int32_t pid = -1;

	(void)pp_counts_thread(r->counts, thread, &pid, &comm);
	snprintf(place, FORM_PLACE, "%s-%" PRId32, comm, pid);
}

const char *form_place_word(const struct view *r, const struct pp_count_row *row)
{
	static const char *const words[] = {
		[PP_COUNT_CPU] = "cpu", [PP_COUNT_CORE] = "core", [PP_COUNT_CLUSTER] = "cluster",
		[PP_COUNT_CACHE] = "cache", [PP_COUNT_DIE] = "die", [PP_COUNT_SOCKET] = "socket",
		[PP_COUNT_NODE] = "node", [PP_COUNT_THREAD] = "thread",
	};

	return row->event->percore && !r->percore_threads && r->table.by == PP_COUNT_CPU ? "core" :
										     words[r->table.by];
}

void form_json_place(const struct view *r, const struct pp_count_row *row)
{
	const char *const word = r->table.by == PP_COUNT_GLOBAL ? "" : form_place_word(r, row);
	char text[FORM_PLACE];
	const char *const place = text + (!strcmp(word, "cpu") ? strlen("CPU") : 0);

	if (!*word)
		return;
	form_place(r, row, text);
	pp_out_char(r->out, '"');
	pp_out_text(r->out, word);
	pp_out_text(r->out, "\" : ");
	if (!pp_out_json_string(r->out, place, strlen(place)))
		pp_out_text(r->out, "\"\"");
	/* perf 7.3 counts no counter of an event that there is not */
	if (form_by_place(r) && r->newer)
		form_put(r, ", \"counters\" : %" PRIu32, row->event->supported ? row->cpus : 0);
	else if (form_by_place(r))
		form_put(r, ", \"aggregate-number\" : %" PRIu32, row->cpus);
}

/* Appends letters and a number to a text. */
static char *put(char *to, const char *letters, int32_t number)
{
	uint32_t rest = number < 0 ? -(uint32_t)number : (uint32_t)number;
	char digits[12];
	size_t n = 0;

	to = stpcpy(to, letters);
	if (number < 0)
		*to++ = '-';
	do
		digits[n++] = (char)('0' + rest % 10);
	while (rest /= 10);
	while (n)
		*to++ = digits[--n];
	*to = '\0';
	return to;
}

void form_place(const struct view *r, const struct pp_count_row *row, char place[FORM_PLACE])
{
	const struct pp_count_place *const p = row->place;
	const bool core = r->table.by == PP_COUNT_CPU && row->event->percore && !r->percore_threads;

	*place = '\0';
	switch (core ? PP_COUNT_CORE : r->table.by) {
	case PP_COUNT_CPU:
		(void)put(place, "CPU", p->cpu);
		break;
	case PP_COUNT_CORE:
		(void)put(put(put(place, "S", p->socket), "-D", p->die), "-C", p->core);
		break;
	case PP_COUNT_CLUSTER:
		(void)put(put(put(place, "S", p->socket), "-D", p->die), "-CLS", p->cluster);
		break;
	case PP_COUNT_CACHE:
		(void)put(put(put(put(place, "S", p->socket), "-D", p->die), "-L", p->level), "-ID",
			  p->cache);
		break;
	case PP_COUNT_DIE:
		(void)put(put(place, "S", p->socket), "-D", p->die);
		break;
	case PP_COUNT_SOCKET:
		(void)put(place, "S", p->socket);
		break;
	case PP_COUNT_NODE:
		(void)put(place, "N", p->node);
		break;
	case PP_COUNT_THREAD:
		thread_name(r, p->thread, place);
		break;
	case PP_COUNT_GLOBAL:
		break;
	}
}

/* ---- numbers and texts ---- */

void form_put(const struct view *r, const char *format, ...)
{
	char text[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length > 0)
		pp_out_bytes(r->out, text, (size_t)length < sizeof(text) ? (size_t)length :
			     sizeof(text) - 1);
}

static locale_t numbers;              /* 0: as in C */
static bool own_numbers;              /* the locale has a point, or thousands, of its own */

void form_find_locale(void)
{
	numbers = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
}

void form_use_locale(const struct view *r)
{
	(void)r;
	if (!numbers)
		return;
	uselocale(numbers);
	own_numbers = strcmp(nl_langinfo(RADIXCHAR), ".") != 0 || *nl_langinfo(THOUSEP);
}

void form_fixed(const struct view *r, double value, int digits, unsigned width, bool thousands)
{
	char apart[] = "%'*.*f";              /* POSIX has the ', ISO C has not */

	char text[PP_FIXED_MOST];
	size_t length;

	if (own_numbers) {
		form_put(r, thousands ? apart : "%*.*f", (int)width, digits, value);
		return;
	}
	length = pp_fixed(text, value, (unsigned)digits);
	pp_out_blanks(r->out, length < width ? width - length : 0);
	pp_out_bytes(r->out, text, length);
}

void form_time(const struct view *r)
{
	static struct { uint64_t ns; int length; char text[40]; } last;       /* one for all rows */
	const uint64_t ns = r->table.to;

	if (!last.length || last.ns != ns) {
		last.ns = ns;
		last.length = snprintf(last.text, sizeof(last.text), "%6" PRIu64 ".%09u", ns / 1000000000,
				       (unsigned)(ns % 1000000000));
	}
	pp_out_bytes(r->out, last.text, (size_t)last.length);
}

/* As perf has them, since 6.4. */
void form_colour(const struct view *r, int over)
{
	if (r->colours)
		pp_out_text(r->out, over < 0 ? "\033[m" : over ? "\033[31m" : "\033[32m");
}

size_t form_rates(const struct view *r, const struct pp_count_row *row,
		  struct pp_count_rate rates[PP_COUNT_RATES])
{
	static bool warned;
	const size_t n = pp_count_rates(&r->table, row, r->wall, rates);

	for (size_t i = 0; i < n; i++) {
		if (!rates[i].apart || r->mixed)
			continue;
		rates[i].format = NULL;
		rates[i].value = 0;
		if (!warned)
			cli_warn("rates of events that were never counted at one time are left out, but for "
				 "--mixed");
		warned = true;
		if (i)
			return i;             /* its line would have nothing else */
	}
	return n;
}

size_t form_rate(char text[FORM_RATE], const struct pp_count_rate *rate)
{
	const char *tail = rate->format;
	char number[PP_FIXED_MOST];
	unsigned width, digits;
	size_t length, pad;

	/* "%8.3f %%" */
	width = (unsigned)(tail[1] - '0');
	digits = (unsigned)(tail[3] - '0');
	tail += strlen("%8.3f");
	length = own_numbers ? (size_t)snprintf(number, sizeof(number), "%.*f", (int)digits, rate->value) :
		 pp_fixed(number, rate->value, digits);
	pad = length < width ? width - length : 0;
	if (length > FORM_RATE - 16)
		length = FORM_RATE - 16;
	memset(text, ' ', pad);
	memcpy(text + pad, number, length);
	for (length += pad; *tail; tail += tail[0] == '%' ? 2 : 1)
		text[length++] = *tail;
	text[length] = '\0';
	return length;
}

const char *form_unit(const struct pp_count_rate *rate)
{
	return rate->name ? rate->name : rate->unit;
}

/* Columns that a text takes: characters of UTF-8, not bytes. */
static size_t columns_of(const char *text, size_t length)
{
	size_t n, i = 0;

	while (length - i >= 8 && !(pp_load64(text + i) & 0x8080808080808080))
		i += 8;
	for (n = i; i < length; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void form_text_in(const struct view *r, const char *text, int width)
{
	const size_t length = strlen(text), columns = columns_of(text, length);
	const size_t wanted = (size_t)abs(width);
	const size_t pad = columns < wanted ? wanted - columns : 0;

	pp_out_blanks(r->out, width > 0 ? pad : 0);
	pp_out_printable(r->out, text, length);
	pp_out_blanks(r->out, width < 0 ? pad : 0);
}

double form_spread(const struct pp_spread *s)
{
	return s->mean != 0 ? 100.0 * pp_spread_error(s) / s->mean : 0;
}

double form_noise(const struct view *r, const struct pp_count_row *row)
{
	return r->spread ? form_spread(&r->spread[row - r->table.rows]) : 0;
}

bool form_bounds(const struct view *r, const struct pp_count_row *row, double *low, double *high)
{
	const double scale = row->event->scale, counted = (double)row->raw * scale;
	double half;

	if (!r->bounds || !row->counted ||
	    !pp_count_bounds_of(r->bounds, (size_t)(row - r->table.rows), &half))
		return false;
	*low = row->value * scale - half * fabs(scale);
	*high = row->value * scale + half * fabs(scale);
	/* what was counted has been */
	if (scale > 0 && *low < counted)
		*low = counted;
	return true;
}

/* A millionth has no double, but a million has: to divide by it gives the number that 0.390205 is read as. */
double form_value(const struct pp_count_row *row)
{
	const double scale = row->event->scale, parts = nearbyint(1 / scale);

	return scale > 0 && scale < 1 && 1 / parts == scale ? row->value / parts : row->value * scale;
}

int form_digits(const struct pp_count_row *row)
{
	const double scale = row->event->scale;

	return scale >= 1e15 || scale <= -1e15 || (double)(int64_t)scale == scale ? 0 : 2;
}

const char *form_missing(const struct pp_count_row *row)
{
	return row->event->supported ? "<not counted>" : "<not supported>";
}

double form_running(const struct pp_count_row *row)
{
	if (!row->enabled || row->running == row->enabled)
		return 100;
	return 100.0 * (double)row->running / (double)row->enabled;
}
