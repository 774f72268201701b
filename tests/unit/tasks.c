/* tasks.c - tries what is known of threads through time beside an array with an entry for each number, and
 * which of those that ended are remembered. */
#include "model/task_table.h"
#include "unit.h"

#include <string.h>

enum { TASKS = 10, CELLS = 16, KINDS = 8, GROUPS = 5, NODES = 400, ALL = 31 };

struct cell {
	unsigned map;                 /* from 1; 0: nothing is mapped */
	uint64_t from, pgoff;
	uint32_t ino;
};

/* A thread, and what its process has if it is the leader. */
struct who {
	bool there, named, spaced;
	uint32_t pid;
	char name[64];
	unsigned n_spaces;
	struct pp_namespace spaces[KINDS];
	struct cell cells[CELLS];
	unsigned node;                /* its place among its ancestors, from 1; 0: it is not known */
};

static struct who who[TASKS];
static struct cell kernel[CELLS];
static struct { unsigned parent; uint32_t pid; } nodes[NODES];
static char groups[GROUPS][40];
static uint64_t numbers[1000];        /* of maps, as they were seen */
static unsigned n_nodes, n_maps, with;
static struct pp_tasks *tasks;
static struct pp_budget budget;
static int status;                    /* of the last record */

/* ---- Records --------------------------------------------------------------------------------- */

static uint8_t bytes[1024];
static struct pp_build build;

static void begin_record(uint32_t type, uint16_t misc)
{
	pp_build(&build, bytes, sizeof(bytes), type, misc, NULL);
}

static void put(const char *name, uint64_t value)
{
	pp_build_u64(&build, name, value);
}

static void tell(void)
{
	const size_t size = pp_build_end(&build);
	struct pp_record rec;
	struct pp_error error = { .code = PP_OK };

	CHECK(size && !pp_record_at(&rec, bytes, size, &error));
	status = pp_tasks_note(tasks, &rec, &error);
	CHECK(!status || (budget.refused && error.code == PP_E_LIMIT));
}

/* ---- What is known --------------------------------------------------------------------------- */

static void fresh(uint32_t pid, uint32_t tid)
{
	who[tid] = (struct who){ .there = true, .pid = pid };
}

/* A new thread; with maps its leader, who has them, is there as well. */
static void add(uint32_t pid, uint32_t tid)
{
	if (with & PP_TASKS_MAPS && !who[pid].there)
		fresh(pid, pid);
	fresh(pid, tid);
}

/* A number is that of the thread that had it last, whatever process a record names. */
static struct who *find(uint32_t pid, uint32_t tid)
{
	if (!who[tid].there)
		add(pid, tid);
	return &who[tid];
}

static unsigned new_node(uint32_t pid, unsigned parent)
{
	CHECK(++n_nodes < NODES);
	nodes[n_nodes].pid = pid;
	nodes[n_nodes].parent = parent;
	return n_nodes;
}

static bool is_above(unsigned node, unsigned of)
{
	while (of && of != node)
		of = nodes[of].parent;
	return of == node;
}

static void any_name(char *name)
{
	const unsigned length = below(one_in(3) ? 40 : 18);

	for (unsigned i = 0; i < length; i++)
		name[i] = (char)('a' + below(26));
	name[length] = '\0';
}

/* ---- What is said ---------------------------------------------------------------------------- */

static void comm(void)
{
	const uint32_t pid = below(TASKS), tid = below(TASKS);
	char name[64];

	any_name(name);
	begin_record(PP_REC_COMM, one_in(2) ? PP_MISC_COMM_EXEC : 0);
	put("pid", pid);
	put("tid", tid);
	pp_build_text(&build, "comm", name);
	tell();
	strcpy(find(pid, tid)->name, name);
	who[tid].named = true;
}

static unsigned descent(uint32_t pid, uint32_t ppid, bool made_up)
{
	struct who *const parent = find(ppid, ppid);
	const struct who *const child = &who[pid];

	if (!parent->node)
		parent->node = new_node(ppid, 0);
	if (made_up && child->there && child->node && !nodes[child->node].parent &&
	    !is_above(child->node, parent->node)) {
		nodes[child->node].parent = parent->node;
		return child->node;
	}
	return new_node(pid, parent->node);
}

static void fork_one(void)
{
	const uint32_t pid = below(TASKS), tid = one_in(2) ? pid : below(TASKS);
	const uint32_t ppid = one_in(4) ? pid : below(TASKS), ptid = one_in(2) ? ppid : below(TASKS);
	const bool made_up = one_in(4);
	struct who parent;
	unsigned node = 0;

	begin_record(PP_REC_FORK, made_up ? PP_MISC_FORK_EXEC : 0);
	put("pid", pid);
	put("ppid", ppid);
	put("tid", tid);
	put("ptid", ptid);
	tell();
	if (find(ppid, ptid)->pid != ppid) {
		who[ptid].there = false;
		add(ppid, ptid);
	}
	if (pid != ppid && with & PP_TASKS_KIN)
		node = descent(pid, ppid, made_up);
	parent = who[ptid];
	add(pid, tid);
	who[tid].named = parent.named;
	strcpy(who[tid].name, parent.name);
	who[tid].spaced = parent.spaced;
	who[tid].n_spaces = parent.n_spaces;
	memcpy(who[tid].spaces, parent.spaces, sizeof(parent.spaces));
	if (pid != tid)
		return;
	who[tid].node = node;
	if (!made_up && parent.pid != pid && who[parent.pid].there)
		memcpy(who[tid].cells, who[parent.pid].cells, sizeof(who[tid].cells));
}

/* It keeps all that it has: samples still come. */
static void exit_one(void)
{
	begin_record(PP_REC_EXIT, 0);
	put("pid", below(TASKS));
	put("tid", below(TASKS));
	tell();
}

static void map(void)
{
	static const uint16_t modes[] = { PP_MISC_USER, 0, PP_MISC_KERNEL, PP_MISC_GUEST_USER };
	const uint32_t pid = below(TASKS), from = below(CELLS), ino = below(3);
	const uint16_t mode = one_in(2) ? PP_MISC_USER : modes[below(4)];
	const uint64_t pgoff = below(100);
	const bool two = one_in(2);
	uint32_t to = from + below(5);
	char name[8];

	to = to > CELLS ? CELLS : to;
	if (mode == PP_MISC_KERNEL && from == to)
		to = CELLS; /* one of no length is the whole kernel */
	sprintf(name, "%u", n_maps + 1);
	begin_record(two ? PP_REC_MMAP2 : PP_REC_MMAP, mode);
	put("pid", pid);
	put("tid", below(TASKS));
	put("start", from * 0x1000);
	put("len", mode == PP_MISC_KERNEL && to == CELLS ? 0 : (to - from) * 0x1000);
	put("pgoff", pgoff);
	if (two)
		put("ino", ino);
	pp_build_text(&build, "filename", name);
	tell();
	if (mode == PP_MISC_GUEST_USER || !(with & PP_TASKS_MAPS))
		return;
	n_maps++;
	for (uint32_t i = from; i < to; i++) {
		struct cell *const cells = mode == PP_MISC_KERNEL ? kernel : find(pid, pid)->cells;

		cells[i] = (struct cell){ n_maps, from * UINT64_C(0x1000), pgoff, two ? ino : 0 };
	}
	if (mode != PP_MISC_KERNEL)
		(void)find(pid, pid);
}

static void namespaces(void)
{
	const uint32_t pid = below(TASKS), tid = below(TASKS);
	const unsigned count = below(11);
	struct pp_namespace said[11];

	begin_record(PP_REC_NAMESPACES, 0);
	put("pid", pid);
	put("tid", tid);
	put("nr", count);
	for (unsigned i = 0; i < count; i++) {
		said[i] = (struct pp_namespace){ below(3), below(50) };
		pp_build_open(&build, "namespaces");
		put("dev", said[i].device);
		put("ino", said[i].inode);
		pp_build_close(&build);
	}
	tell();
	if (!(with & PP_TASKS_NAMESPACES))
		return;
	find(pid, tid)->n_spaces = count < KINDS ? count : KINDS;
	who[tid].spaced = true;
	memcpy(who[tid].spaces, said, who[tid].n_spaces * sizeof(*said));
}

static void cgroup(void)
{
	const unsigned id = below(GROUPS);
	char path[40];

	any_name(path);
	begin_record(PP_REC_CGROUP, 0);
	put("id", id);
	pp_build_text(&build, "path", path);
	tell();
	sprintf(groups[id], "%s", path);
}

static void say_something(void)
{
	static void (*const ways[])(void) = {
		comm, fork_one, fork_one, exit_one, map, map, namespaces, cgroup,
	};

	ways[below(sizeof(ways) / sizeof(*ways))]();
}

/* ---- What is answered ------------------------------------------------------------------------ */

static void look_at_maps(const struct cell *cells, uint32_t pid, unsigned mode)
{
	for (unsigned i = 0; i < CELLS; i++) {
		const uint64_t at = i * UINT64_C(0x1000) + 0xfff;
		const struct pp_map *const found = pp_tasks_map(tasks, pid, mode, at);
		const struct cell *const cell = &cells[i];
		unsigned first = i, after = i + 1;
		char name[8];

		CHECK(!found == !cell->map);
		if (!found)
			continue;
		while (first && cells[first - 1].map == cell->map)
			first--;
		while (after < CELLS && cells[after].map == cell->map)
			after++;
		sprintf(name, "%u", cell->map);
		CHECK(!strcmp(found->filename, name) && found->start == first * UINT64_C(0x1000));
		CHECK(found->end == after * UINT64_C(0x1000) ||
		      (cells == kernel && after == CELLS && found->end == UINT64_MAX));
		CHECK(found->pgoff == cell->pgoff + (found->start - cell->from) && found->ino == cell->ino);
		CHECK(found->number && (!numbers[cell->map] || numbers[cell->map] == found->number));
		numbers[cell->map] = found->number;
	}
}

static void look_at_kin(uint32_t pid)
{
	for (uint32_t from = 0; from < TASKS; from++) {
		bool is = pid == from;

		for (unsigned node = who[pid].there ? who[pid].node : 0; node; node = nodes[node].parent)
			is |= nodes[node].pid == from;
		CHECK(pp_tasks_descends(tasks, pid, from) == is);
	}
}

static void look_at_namespaces(uint32_t pid, uint32_t tid)
{
	const struct who *const of = who[tid].there && who[tid].spaced ? &who[tid] : &who[pid];

	for (unsigned kind = 0; kind < KINDS + 2; kind++) {
		struct pp_namespace found = { 77, 77 };
		const bool known = of->there && of->spaced && kind < of->n_spaces;

		CHECK(pp_tasks_namespace_of(tasks, pid, tid, kind, &found) == known);
		CHECK(!known || found.device == of->spaces[kind].device);
		CHECK(!known || found.inode == of->spaces[kind].inode);
	}
}

static void look(void)
{
	for (uint32_t tid = 0; tid < TASKS; tid++) {
		char name[64];

		sprintf(name, ":%u", tid);
		if (who[tid].there && who[tid].named)
			strcpy(name, who[tid].name);
		CHECK(!strcmp(pp_tasks_comm(tasks, below(TASKS), tid), name));
		look_at_maps(who[tid].cells, tid, PP_MISC_USER);
		look_at_kin(tid);
		look_at_namespaces(below(TASKS), tid);
	}
	look_at_maps(kernel, 1, PP_MISC_KERNEL);
	CHECK(!pp_tasks_map(tasks, 1, PP_MISC_GUEST_USER, 0));
	for (unsigned id = 0; id < GROUPS; id++) {
		const char *const path = pp_tasks_cgroup(tasks, id);
		const bool known = with & PP_TASKS_CGROUPS && groups[id][0] != '-';

		CHECK(known ? path && !strcmp(path, groups[id]) : !path);
	}
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void open_all(const char *what, unsigned i, struct pp_budget allowed)
{
	begin_case(what, i);
	with = i % 3 ? ALL : below(ALL + 1);
	budget = allowed;
	memset(who, 0, sizeof(who));
	memset(kernel, 0, sizeof(kernel));
	memset(numbers, 0, sizeof(numbers));
	for (unsigned id = 0; id < GROUPS; id++)
		strcpy(groups[id], "-");
	n_nodes = n_maps = 0;
	fresh(0, 0);
	strcpy(who[0].name, "swapper");
	who[0].named = true;
	tasks = pp_tasks_new(with, &budget);
}

static void many(void)
{
	for (unsigned i = 0; i < 700; i++) {
		open_all("tasks", i, (struct pp_budget){ .held = 0 });
		CHECK(tasks);
		for (unsigned step = 0; step < 60; step++) {
			say_something();
			CHECK(!status);
			if (one_in(4))
				look();
		}
		look();
		pp_tasks_free(tasks);
		CHECK(!budget.held);
	}
	pp_tasks_free(NULL);
}

static void without_memory(void)
{
	for (unsigned i = 0; i < 400; i++) {
		const struct pp_budget little = { .limit = 1, .held = PP_BUDGET_SPARE - i * 48 };

		open_all("tasks without memory", i, little);
		for (status = 0; tasks && !status && n_nodes < NODES - 2 && n_maps < 900;)
			say_something();
		CHECK(tasks || budget.refused);
		pp_tasks_free(tasks);
		CHECK(budget.held == little.held);
	}
}

/* ---- Who is remembered after the end --------------------------------------------------------- */

/* Exactly those after whose end fewer ended than are remembered. */
static void remembered(void)
{
	enum { TIDS = 30 };

	for (unsigned i = 0; i < 150; i++) {
		uint64_t ended[TIDS] = { 0 }, ends = 0;
		bool known[TIDS] = { false };
		struct pp_task_table crowd;
		uint32_t most;

		begin_case("who is remembered", i);
		most = 1 + below(12);
		budget = (struct pp_budget){ .held = 0 };
		pp_task_table_open(&crowd, &budget, NULL, most);
		for (unsigned step = 0; step < 200; step++) {
			const uint32_t tid = below(TIDS);
			struct pp_thread *const t = pp_task_table_thread(&crowd, tid);

			known[tid] &= !ended[tid] || ends - ended[tid] < most;
			CHECK(!t == !known[tid]);
			if (!t) {
				CHECK(pp_task_table_add(&crowd, tid, tid));
				known[tid] = true;
				ended[tid] = 0;
			} else if (!ended[tid]) {
				CHECK(!pp_task_table_end(&crowd, t));
				ended[tid] = ++ends;
			} else if (one_in(4)) {
				t->ended = ended[tid] = 0;
			} else if (one_in(4)) {
				pp_task_table_remove(&crowd, t);
				known[tid] = false;
			}
		}
		pp_task_table_close(&crowd);
		CHECK(!budget.held);
	}
}

/* A leader is remembered while another thread of its process lives, and keeps none of those that end from
 * being forgotten, however many leaders there are. */
static void leaders(void)
{
	enum { ENDING = 40, LEADER = 1000 };

	for (unsigned i = 0; i < 30; i++) {
		const uint32_t most = 1 + below(5), n = 1 + below(2 * most);
		struct pp_task_table crowd;

		begin_case("leaders that wait for their threads", i);
		budget = (struct pp_budget){ .held = 0 };
		pp_task_table_open(&crowd, &budget, NULL, most);
		for (uint32_t tid = LEADER; tid < LEADER + n; tid++) {
			struct pp_thread *const leader = pp_task_table_add(&crowd, tid, tid);
			const bool late = one_in(3);

			CHECK(leader);
			if (!late)
				pp_task_table_other(&crowd, leader, true);
			CHECK(!pp_task_table_end(&crowd, leader));
			if (late)
				pp_task_table_other(&crowd, leader, true);
		}
		for (uint32_t tid = 1; tid <= ENDING; tid++) {
			struct pp_thread *const t = pp_task_table_add(&crowd, tid, tid);

			CHECK(t && !pp_task_table_end(&crowd, t));
			for (uint32_t before = 1; before <= tid; before++)
				CHECK(!pp_task_table_thread(&crowd, before) == (tid - before >= most));
		}
		for (uint32_t tid = LEADER; tid < LEADER + n; tid++) {
			CHECK(pp_task_table_thread(&crowd, tid));
			pp_task_table_other(&crowd, pp_task_table_thread(&crowd, tid), false);
		}
		for (uint32_t tid = LEADER; tid < LEADER + n; tid++)
			CHECK(!pp_task_table_thread(&crowd, tid) == (LEADER + n - tid > most));
		pp_task_table_close(&crowd);
		CHECK(!budget.held);
	}
}

static void one_thread(uint32_t pid, uint32_t tid, bool ends)
{
	begin_record(PP_REC_COMM, 0);
	put("pid", pid);
	put("tid", tid);
	pp_build_text(&build, "comm", "x");
	tell();
	if (!ends)
		return;
	begin_record(PP_REC_EXIT, 0);
	put("tid", tid);
	tell();
}

/* Of more than are remembered the first are forgotten, but for a leader whose thread lives, and for one of
 * which something was recorded after its end. */
static void forgotten(void)
{
	enum { LEADER = 100, OTHER, AGAIN, FIRST, REMEMBERED = 1 << 14, GONE = 1000 };
	const uint32_t last = FIRST + REMEMBERED + GONE - 2;

	open_all("who is forgotten", 1, (struct pp_budget){ .held = 0 });
	one_thread(LEADER, LEADER, true);
	one_thread(LEADER, OTHER, false);
	one_thread(AGAIN, AGAIN, true);
	one_thread(AGAIN, AGAIN, false);
	for (uint32_t tid = FIRST; tid <= last; tid++)
		one_thread(tid, tid, true);
	for (uint32_t tid = LEADER; tid <= last; tid++) {
		const bool known = tid < FIRST || tid > last - REMEMBERED;

		CHECK(pp_tasks_comm(tasks, tid, tid)[0] == (known ? 'x' : ':'));
	}
	pp_tasks_free(tasks);
	CHECK(!budget.held);
}

int main(void)
{
	many();
	without_memory();
	remembered();
	leaders();
	forgotten();
	return 0;
}
