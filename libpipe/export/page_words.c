/* page_words.c - weights and shares in words, for a page and for a picture: three digits, and a unit. */
#include "export/flame_layout.h"
#include "export/page.h"

#include "base/format_number.h"

#include <perfpipe/output.h>

#include <math.h>
#include <string.h>
#include <time.h>

/* A narrow blank, at which no line ends. */
#define BLANK "\xe2\x80\xaf"

/* What is in the middle is rounded up, as scripts do. */
static void put_fixed(struct pp_out *out, double x, unsigned digits)
{
	char text[PP_FIXED_MOST];

	pp_out_bytes(out, text, pp_fixed(text, nextafter(x, INFINITY), digits));
}

/* "12,345" */
static void put_thousands(struct pp_out *out, uint64_t n)
{
	if (n >= 1000) {
		put_thousands(out, n / 1000);
		pp_out_char(out, ',');
		pp_out_char(out, (char)('0' + n / 100 % 10));
		pp_out_bytes(out, pp_two_digits + 2 * (n % 100), 2);
	} else {
		pp_out_dec(out, n);
	}
}

/* Three digits of what is below 1,000 units; false: rounded, it is not. */
static bool put_three(struct pp_out *out, double x, const char *unit)
{
	if (x >= 999.5)
		return false;
	put_fixed(out, x, x < 9.995 ? 2 : x < 99.95 ? 1 : 0);
	pp_out_text(out, BLANK);
	pp_out_text(out, unit);
	return true;
}

static void put_two(struct pp_out *out, uint64_t n)
{
	pp_out_bytes(out, pp_two_digits + 2 * (n % 100), 2);
}

static void put_minutes(struct pp_out *out, uint64_t seconds)
{
	if (seconds >= 3600) {
		put_thousands(out, seconds / 3600);
		pp_out_text(out, BLANK "h ");
		put_two(out, seconds % 3600 / 60);
		pp_out_text(out, BLANK "min");
	} else {
		pp_out_dec(out, seconds / 60);
		pp_out_text(out, BLANK "min ");
		put_two(out, seconds % 60);
		pp_out_text(out, BLANK "s");
	}
}

static void put_time(struct pp_out *out, uint64_t ns)
{
	if (!ns)
		pp_out_text(out, "0" BLANK "s");
	else if (ns < 1000) {
		pp_out_dec(out, ns);
		pp_out_text(out, BLANK "ns");
	} else if ((double)ns >= 59.95e9)
		put_minutes(out, ns / 1000000000 + (ns % 1000000000 >= 500000000));
	else if (!put_three(out, (double)ns / 1e3, "\xc2\xb5s") && !put_three(out, (double)ns / 1e6, "ms"))
		(void)put_three(out, (double)ns / 1e9, "s");
}

static void put_count(struct pp_out *out, uint64_t n)
{
	static const char *const units[] = { "k", "M", "G", "T", "P", "E" };
	double x = (double)n;

	if (n < 100000) {
		put_thousands(out, n);
		return;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (x /= 1000, put_three(out, x, units[i]))
			return;
}

void pp_put_weight(struct pp_out *out, uint64_t weight, bool times)
{
	(times ? put_time : put_count)(out, weight);
}

void pp_put_share(struct pp_out *out, double share)
{
	const double x = 100 * share;

	if (x <= 0) {
		pp_out_text(out, "0");
	} else if (x < 0.01) {
		pp_out_text(out, "<0.01");
	} else {
		put_fixed(out, x, x < 0.995 ? 2 : 1);
	}
	pp_out_text(out, BLANK "%");
}

static void put_change(struct pp_out *out, double change)
{
	const double percent = 100 * fabs(change);

	if (change > 10) {
		put_count(out, change < 1e15 ? (uint64_t)(change + 1.5) : UINT64_C(1000000000000000));
		pp_out_text(out, " times");
		return;
	}
	if (percent >= 0.05)
		pp_out_text(out, change > 0 ? "+" : "\xe2\x88\x92");
	put_fixed(out, percent, 1);
	pp_out_text(out, BLANK "%");
}

void pp_put_judgement(struct pp_out *out, const struct pp_flame_judgement *j, bool both)
{
	if (both) {
		put_change(out, j->change);
		pp_out_text(out, " (");
		put_change(out, j->low);
		pp_out_text(out, " to ");
		put_change(out, j->high);
		pp_out_text(out, "), ");
	}
	pp_out_text(out, j->verdict);
}

const char *pp_noun_of(const struct pp_flame_options *how)
{
	const struct pp_flame_facts *const facts = how->facts;

	if (facts && facts->times)
		return facts->waits ? "waiting" : facts->between ? "time between samples" : "CPU time";
	return how->unit ? how->unit : "samples";
}

/* ---- what was recorded ---- */

static void put_text(struct pp_out *out, const char *text)
{
	pp_write_markup(out, text, strlen(text));
}

/* "2 CPUs" */
static void put_number_of(struct pp_out *out, uint64_t n, const char *what)
{
	put_count(out, n);
	pp_out_char(out, ' ');
	pp_out_text(out, what);
	pp_out_text(out, n == 1 ? "" : "s");
}

static void put_bold(struct pp_out *out, uint64_t weight, bool times, bool bold)
{
	pp_out_text(out, bold ? "<strong>" : "");
	pp_put_weight(out, weight, times);
	pp_out_text(out, bold ? "</strong>" : "");
}

static const char between[] = " \xc2\xb7 ";

static void put_sum(struct pp_out *out, const struct pp_flame_options *how,
		    const uint64_t total[PP_PROFILE_SIDES], bool bold)
{
	const struct pp_flame_facts *const facts = how->facts;
	const char *const noun = pp_noun_of(how);
	const bool times = facts && facts->times, counts = !strcmp(noun, "samples");

	put_bold(out, pp_per_run(how, 0, total[0]), times, bold);
	pp_out_text(out, times ? " of " : " ");
	put_text(out, noun);
	if (total[1]) {
		pp_out_text(out, how->runs[0] ? " a recording before, " : " before, ");
		put_bold(out, pp_per_run(how, 1, total[1]), times, bold);
		pp_out_text(out, " after");
	} else if (facts && facts->samples && !counts) {
		pp_out_text(out, " in ");
		put_number_of(out, facts->samples, facts->waits ? "wait" : "sample");
	}
}

static void put_cpus(struct pp_out *out, uint64_t cpus)
{
	if (!cpus)
		return;
	pp_out_text(out, between);
	put_number_of(out, cpus, "CPU");
}

/* How two sides are compared, and how much more or less the second is. */
static void put_comparison(struct pp_out *out, const struct pp_flame_options *how,
			   const uint64_t total[PP_PROFILE_SIDES])
{
	static const char *const by[] = {
		[PP_FLAME_BY_SHARES] = "as shares of each", [PP_FLAME_BY_TIME] = "by what each is a second",
		[PP_FLAME_BY_COUNT] = "as they are",
	};
	const bool less = total[1] < total[0];
	const double change = (double)(less ? total[0] - total[1] : total[1] - total[0]) / (double)total[0];

	pp_out_text(out, between);
	if (total[0] && change >= 9) {
		put_count(out, total[1] / total[0]);
		pp_out_text(out, " times as much");
		pp_out_text(out, between);
	} else if (total[0] && change > 0) {
		pp_put_share(out, change);
		pp_out_text(out, less ? " less" : " more");
		pp_out_text(out, between);
	}
	pp_out_text(out, "compared ");
	pp_out_text(out, by[how->by]);
}

static void put_runs(struct pp_out *out, const struct pp_flame_options *how)
{
	if (!how->runs[0])
		return;
	pp_out_text(out, between);
	put_number_of(out, how->runs[0], "recording");
	pp_out_text(out, " before, ");
	put_count(out, how->runs[1]);
	pp_out_text(out, " after");
	pp_out_text(out, how->judged && how->judged->paired ? ", in pairs" : "");
}

/* Of two sides each. */
static void put_durations(struct pp_out *out, const struct pp_flame_options *how, bool bold)
{
	if (!how->durations[0] || !how->durations[1])
		return;
	pp_out_text(out, between);
	pp_out_text(out, "over ");
	put_bold(out, how->durations[0], true, bold);
	pp_out_text(out, " before, ");
	put_bold(out, how->durations[1], true, bold);
	pp_out_text(out, " after");
}

/* Without `d`, what is known of a picture. */
static void put_extent(struct pp_out *out, const struct pp_flame_options *how, const struct pp_page_data *d,
		       bool bold)
{
	const uint64_t duration = d ? d->duration : how->durations[0];

	if (duration) {
		pp_out_text(out, between);
		pp_out_text(out, "over ");
		put_bold(out, duration, true, bold);
	}
	put_cpus(out, how->facts ? how->facts->cpus : 0);
	if (d && d->n_threads) {
		pp_out_text(out, between);
		put_number_of(out, d->n_threads, "thread");
		pp_out_text(out, " of ");
		put_number_of(out, d->texts[3], "program");
	}
}

void pp_put_date(struct pp_out *out, uint64_t ns)
{
	const time_t seconds = (time_t)(ns / 1000000000);
	char text[64];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm))
		pp_out_text(out, text);
}

static void put_losses(struct pp_out *out, const struct pp_flame_facts *facts, bool bold)
{
	pp_out_text(out, between);
	if (facts->lost) {
		pp_out_text(out, bold ? "<strong>" : "");
		put_number_of(out, facts->lost, "sample");
		pp_out_text(out, bold ? " lost</strong>" : " lost");
	} else {
		pp_out_text(out, "nothing lost");
	}
	if (facts->throttled) {
		pp_out_text(out, between);
		put_count(out, facts->throttled);
		pp_out_text(out, " times throttled");
	}
	if (facts->damage) {
		pp_out_text(out, between);
		put_text(out, facts->damage);
	}
}

void pp_put_facts(struct pp_out *out, const struct pp_flame_options *how,
		  const uint64_t total[PP_PROFILE_SIDES], const struct pp_page_data *d, bool bold)
{
	const struct pp_flame_facts *const facts = how->facts;

	put_sum(out, how, total, bold);
	if (total[1]) {
		const uint64_t one[] = { pp_per_run(how, 0, total[0]), pp_per_run(how, 1, total[1]) };

		put_comparison(out, how, one);
		put_runs(out, how);
		put_durations(out, how, bold);
	}
	if (facts && facts->partners) {
		pp_out_text(out, between);
		put_text(out, facts->partners);
	}
	if (total[1])
		return;
	put_extent(out, how, d, bold);
	if (!facts)
		return;
	if (facts->start) {
		pp_out_text(out, between);
		pp_put_date(out, facts->start);
	}
	if (facts->host) {
		pp_out_text(out, between);
		put_text(out, facts->host);
	}
	put_losses(out, facts, bold);
}
