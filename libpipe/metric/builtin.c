/* builtin.c - the metrics that need no file: those of events that nearly every processor has. */
#include "metric/metric.h"

/* The clock of the CPUs, or of the tasks: ns that were spent running. */
#define CLOCK "(cpu\\-clock if #target_cpu else task\\-clock)"
/* "B if there are both": what a processor lacks is not known, rather than 0. */
#define RATE(called, events, word) \
	{ .name = called, .expression = events " * 1e9 / " CLOCK, .unit = "1" word "/sec", \
	  .groups = "Default", .brief = "how often a second of running time" }
#define MISSES(called, misses, all, group, what) \
	{ .name = called, .expression = misses " / " all, .unit = "100%", .groups = group, \
	  .threshold = called " > 0.05", .brief = "share of " what " that miss" }
/* Level 1 of the top-down method: from the counter of slots, where the processor has that, or from
 * four events, as older ones of Intel do. */
#define TOPDOWN(called, newer, older, over, what) \
	{ .name = called, .groups = "TopdownL1", .unit = "100%", .threshold = called " > " over, \
	  .expression = "(" newer " / (topdown\\-retiring + topdown\\-fe\\-bound + " \
	  "topdown\\-be\\-bound + topdown\\-bad\\-spec) if has_event(topdown\\-retiring) else (" \
	  older ") / topdown\\-total\\-slots)", \
	  .brief = "share of the pipeline's slots " what }
/* What transactional memory does, and what interrupts of system management take: as perf's files have them,
 * but that what was not counted is not known. */
#define TRANSACTION(called, value, per, what) \
	{ .name = called, .expression = value, .unit = per, .groups = "transaction", .brief = what }
#define OLDER_BAD \
	"topdown\\-slots\\-issued - topdown\\-slots\\-retired + topdown\\-recovery\\-bubbles"

static const struct pp_metric own[] = {
	{ .name = "CPUs_utilized", .expression = CLOCK " / (duration_time * 1e9)", .unit = "1CPUs",
	  .groups = "Default", .brief = "CPUs that were busy, on average" },
	{ .name = "insn_per_cycle", .expression = "instructions / cpu\\-cycles",
	  .unit = "1instructions", .groups = "Default", .threshold = "insn_per_cycle < 1",
	  .brief = "instructions that retire in a cycle" },
	{ .name = "cycles_frequency", .expression = "cpu\\-cycles / " CLOCK, .unit = "1GHz",
	  .groups = "Default", .brief = "cycles in a nanosecond of running time" },
	RATE("cs_per_second", "context\\-switches", "cs"),
	RATE("migrations_per_second", "cpu\\-migrations", "migrations"),
	RATE("page_faults_per_second", "page\\-faults", "faults"),
	{ .name = "branch_frequency", .expression = "branches * 1e9 / " CLOCK, .unit = "1e-6M/sec",
	  .groups = "Default", .brief = "branches in a second of running time" },
	{ .name = "branch_miss_rate", .expression = "branch\\-misses / branches", .unit = "100%",
	  .groups = "Default", .threshold = "branch_miss_rate > 0.05",
	  .brief = "share of branches that were mispredicted" },
	{ .name = "frontend_cycles_idle", .expression = "stalled\\-cycles\\-frontend / cpu\\-cycles",
	  .unit = "100%", .groups = "Default", .threshold = "frontend_cycles_idle > 0.1",
	  .brief = "share of cycles in which no instruction was issued" },
	{ .name = "backend_cycles_idle", .expression = "stalled\\-cycles\\-backend / cpu\\-cycles",
	  .unit = "100%", .groups = "Default", .threshold = "backend_cycles_idle > 0.2",
	  .brief = "share of cycles in which no instruction could go on" },
	{ .name = "stalled_cycles_per_instruction", .groups = "Default",
	  .expression = "max(stalled\\-cycles\\-frontend if has_event(stalled\\-cycles\\-frontend) else 0, "
	  "stalled\\-cycles\\-backend if has_event(stalled\\-cycles\\-backend) else 0) / instructions",
	  .brief = "cycles that were lost for each instruction" },
	MISSES("cache_miss_rate", "cache\\-misses", "cache\\-references", "Default2", "references"),
	MISSES("l1d_miss_rate", "L1\\-dcache\\-load\\-misses", "L1\\-dcache\\-loads", "Default2", "loads"),
	MISSES("llc_miss_rate", "LLC\\-load\\-misses", "LLC\\-loads", "Default2", "loads"),
	MISSES("l1i_miss_rate", "L1\\-icache\\-load\\-misses", "L1\\-icache\\-loads", "Default3",
	       "fetches"),
	MISSES("dtlb_miss_rate", "dTLB\\-load\\-misses", "dTLB\\-loads", "Default3", "loads"),
	MISSES("itlb_miss_rate", "iTLB\\-load\\-misses", "iTLB\\-loads", "Default3", "fetches"),
	TOPDOWN("retiring", "topdown\\-retiring", "topdown\\-slots\\-retired", "0.7", "that were of use"),
	TOPDOWN("bad_speculation", "topdown\\-bad\\-spec", OLDER_BAD, "0.1",
		"lost to work that was thrown away"),
	TOPDOWN("frontend_bound", "topdown\\-fe\\-bound", "topdown\\-fetch\\-bubbles", "0.2",
		"for which nothing was fetched"),
	TOPDOWN("backend_bound", "topdown\\-be\\-bound",
		"topdown\\-total\\-slots - topdown\\-fetch\\-bubbles - topdown\\-slots\\-issued - "
		"topdown\\-recovery\\-bubbles", "0.2", "that waited for data or units"),
	TRANSACTION("tsx_transactional_cycles", "cycles\\-t / cpu\\-cycles", "100%",
		    "share of cycles that were in a transaction"),
	TRANSACTION("tsx_aborted_cycles", "max(cycles\\-t - cycles\\-ct, 0) / cpu\\-cycles", "100%",
		    "share of cycles that were in a transaction and for nothing"),
	TRANSACTION("tsx_cycles_per_transaction", "cycles\\-t / tx\\-start", "1cycles / transaction",
		    "cycles of a transaction"),
	TRANSACTION("tsx_cycles_per_elision", "cycles\\-t / el\\-start", "1cycles / elision",
		    "cycles of a lock that was elided"),
	{ .name = "smi_cycles", .groups = "smi", .unit = "100%", .threshold = "smi_cycles > 0.1",
	  .expression = "(msr@aperf@ - cpu\\-cycles) / msr@aperf@ if msr@smi@ > 0 else 0",
	  .brief = "share of cycles that interrupts of system management took" },
	{ .name = "smi_num", .groups = "smi", .expression = "msr@smi@", .unit = "1SMI#",
	  .brief = "interrupts of system management" },
};

const struct pp_metric *pp_metric_own(size_t i)
{
	return i < sizeof(own) / sizeof(own[0]) ? &own[i] : NULL;
}
