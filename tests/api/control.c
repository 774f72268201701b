/* control.c - asks of counters all that can be asked, of one event or of all; prints what fails. */
#include <perfpipe/counter.h>
#include <stdio.h>

int main(void)
{
	static const char *const events[] = { "{cycles,instructions}", "page-faults" };
	const uint32_t cpus[] = { 0 };
	struct pp_target_options target = { sizeof(target) };
	struct pp_counters_options how = { sizeof(how), events, 2 };
	struct pp_count counts[3];
	struct pp_error error;
	struct pp_counters *c;
	uint32_t ids[4];
	char text[300];

	target.cpus = cpus;
	target.n_cpus = 1;
	how.target = &target;
	c = pp_counters_open(&how, &error);
	if (c && !pp_counters_enable(c, PP_EVERY, &error) &&
	    !pp_counters_enable(c, 1, &error) && !pp_counters_disable(c, PP_EVERY, &error) &&
	    !pp_counters_disable(c, 2, &error) && !pp_counters_reset(c, PP_EVERY, &error) &&
	    !pp_counters_reset(c, 1, &error) && !pp_counters_refresh(c, 2, 7, &error) &&
	    !pp_counters_period(c, 2, 12345678901, &error) &&
	    !pp_counters_pause(c, 0, true, &error) && !pp_counters_pause(c, 0, false, &error) &&
	    !pp_counters_filter(c, 2, "a == 1 && b > 2", &error) &&
	    !pp_counters_bpf(c, 2, 99, &error) &&
	    pp_counters_query_bpf(c, 2, ids, 4, &error) >= 0 &&
	    !pp_counters_output(c, 1, 0, pp_counters_fd(c, 0, 0), &error) &&
	    !pp_counters_output(c, 1, 0, -1, &error) &&
	    !pp_counters_read_all(c, counts, 3, &error)) {
		printf("%llu %llu %llu\n", (unsigned long long)counts[0].value,
		       (unsigned long long)counts[1].value, (unsigned long long)counts[2].running);
		pp_counters_close(c);
		return 0;
	}
	(void)pp_error_text(&error, text, sizeof(text));
	fprintf(stderr, "%s\n", text);
	pp_counters_close(c);
	return 4;
}
