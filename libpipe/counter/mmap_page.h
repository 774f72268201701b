/*
 * mmap_page.h - a counter of the calling thread, read from the page that the kernel keeps of it and from
 * the CPU: no system call.  How the CPU is asked is the caller's.
 */
#ifndef PP_MMAP_PAGE_H
#define PP_MMAP_PAGE_H

#include <perfpipe/counter.h>

#include <linux/perf_event.h>

/* What the CPU is asked for; called between two looks at the page's lock. */
struct pp_cpu {
	uint64_t (*counter)(void *arg, uint32_t index);   /* the rest of it: pmc_width bits count */
	uint64_t (*cycles)(void *arg);                    /* of the clock that times are made of */
	void *arg;
};

/* The bits of `capabilities`, as struct perf_event_mmap_page has them since Linux 3.12. */
enum {
	PP_PAGE_RDPMC      = 1 << 2,
	PP_PAGE_TIME       = 1 << 3,
	PP_PAGE_TIME_SHORT = 1 << 5,
	PP_PAGE_NEEDED     = PP_PAGE_RDPMC | PP_PAGE_TIME,
};

/* What was on the page at one moment, in which the kernel did not change it. */
struct pp_page_look {
	uint64_t caps, enabled, running, offset, pmc, cycles;
	uint64_t time_offset, time_cycles, time_mask;
	uint32_t index, time_mult;
	uint16_t width, time_shift;
};

#define PP_LOOK(member) __atomic_load_n(&page->member, __ATOMIC_RELAXED)

static inline __attribute__((always_inline)) void
pp_page_look(const struct perf_event_mmap_page *page, const struct pp_cpu *cpu,
	     struct pp_page_look *look)
{
	uint32_t before;

	/* The kernel does this on the CPU of the reader, so that the order of instructions is all. */
	do {
		before = PP_LOOK(lock);
		__asm__ volatile("" ::: "memory");
		look->caps = PP_LOOK(capabilities);
		look->index = PP_LOOK(index);
		look->enabled = PP_LOOK(time_enabled);
		look->running = PP_LOOK(time_running);
		look->offset = (uint64_t)PP_LOOK(offset);
		look->width = PP_LOOK(pmc_width);
		look->time_shift = PP_LOOK(time_shift);
		look->time_mult = PP_LOOK(time_mult);
		look->time_offset = PP_LOOK(time_offset);
		look->time_cycles = PP_LOOK(time_cycles);
		look->time_mask = PP_LOOK(time_mask);
		look->pmc = look->cycles = 0;
		if (look->index && (look->caps & PP_PAGE_NEEDED) == PP_PAGE_NEEDED) {
			look->cycles = cpu->cycles(cpu->arg);
			look->pmc = cpu->counter(cpu->arg, look->index - 1);
		}
		__asm__ volatile("" ::: "memory");
	} while (PP_LOOK(lock) != before);
}

/* ns since the page was last written. */
static inline uint64_t pp_page_since(const struct pp_page_look *look)
{
	uint64_t cycles = look->cycles, whole, rest;

	/* Of a clock that is narrower than 64 bits, the bits above are those of its last value. */
	if (look->caps & PP_PAGE_TIME_SHORT)
		cycles = look->time_cycles + ((cycles - look->time_cycles) & look->time_mask);
	whole = cycles >> look->time_shift;
	rest = cycles & ((UINT64_C(1) << look->time_shift) - 1);
	return look->time_offset + whole * look->time_mult +
	       ((rest * look->time_mult) >> look->time_shift);
}

/*
 * Reads the counter, as <linux/perf_event.h> says at struct perf_event_mmap_page.  False: it has to
 * be read by the kernel, because it is not on the PMU now, or it or its times are not offered.
 */
static inline __attribute__((always_inline)) bool
pp_page_read(const struct perf_event_mmap_page *page, const struct pp_cpu *cpu,
	     struct pp_count *count)
{
	struct pp_page_look look;
	uint64_t since;
	int64_t pmc;

	pp_page_look(page, cpu, &look);
	if (!look.index || !look.width || look.width > 64 ||
	    (look.caps & PP_PAGE_NEEDED) != PP_PAGE_NEEDED)
		return false;
	/* The kernel lets it start below 0, in as many bits as there are. */
	pmc = (int64_t)(look.pmc << (64 - look.width)) >> (64 - look.width);
	since = pp_page_since(&look);
	*count = (struct pp_count){
		.value = look.offset + (uint64_t)pmc,
		.enabled = look.enabled + since,
		.running = look.running + since,
		.state = PP_COUNT_VALUE,
	};
	return true;
}

#endif
