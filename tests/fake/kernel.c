/* kernel.c - preloaded into a recorder: takes the place of perf_event_open(2), so that it can be
 * asked for what this machine lacks.  Whatever counter is asked for is had, and counts nothing.
 * It is told by the environment what to do:
 *
 *   FAKE_LOG=FILE     gets a line for each call, appended:
 *                       open ID pid=N cpu=N group=ID flags=N attr=HEX   (group=0: none)
 *                       refused ERRNO pid=N cpu=N group=ID flags=N attr=HEX
 *                       ioctl ID NAME ARGUMENT                          (SET_FILTER: its text)
 *                       mmap ID ring=N bytes=N offset=N
 *   FAKE_LACKS="WORD=MASK ..."   what it refuses with EINVAL, as an older kernel or another machine
 *                     does: attributes with any of these bits.  WORD is type (MASK is then a number,
 *                     refused with ENOENT), flags, sample_type, read_format, branch or precise
 *                     (MASK is the most that is had, refused with EOPNOTSUPP), or group (the most
 *                     counters that a group may have; which are more is refused with EINVAL), or
 *                     size (bytes of an attribute that it knows: what is not 0 after them is
 *                     refused with E2BIG), or aux_action, or inherited_reads (of inherited counters,
 *                     bits of a sample_type), or ring (the most bytes that may be
 *                     mapped at once, more are refused with EPERM), or cpu (one that is not there:
 *                     ENODEV), or files (that may be open, EMFILE), or paranoid (the level of
 *                     kernel.perf_event_paranoid, as it binds who has no capability; 3 and more are
 *                     Debian's: nothing at all)
 *   FAKE_RING=PREFIX  the n-th ring that is mapped, from 0, gets the bytes of PREFIX.n, which are
 *                     whole records of this byte order, as room becomes free; they are there from
 *                     the first, whether or not a counter is enabled.
 *                     A ring of an event with write_backward gets all of them at once, from its
 *                     end, each over what was there before.
 *                     Counters have the ids 1, 2, 3 ... in the order in which they were opened.
 *   FAKE_AUX=PREFIX   likewise for AUX areas, of which all that fits is there at once
 *   FAKE_SLOW=1       a counter leaves a ring for another once the first is read further, or after ten
 *                     seconds: the log has `left ID read=BYTES`
 *   FAKE_WAITS=1      the log has `wait NANOSECONDS` of each ppoll(2) that has a limit
 *   FAKE_BURN=MS      of processor time that each opening takes (0)
 *   FAKE_TAKES=US     of processor time that each read(2) of a counter takes (0)
 *   FAKE_OTHERS=N     after every N-th counter that is opened another program opens one, which takes an id
 *   FAKE_LOST=N       what read(2) says that each counter lost (0)
 *   FAKE_LEAVES=FILE  sysfs's list of CPUs, of which only CPU 0 is left once a counter is asked for
 *   FAKE_GONE=N:FILE  once there is the file, read(2) of a counter of CPU N fails with ENODEV
 *   FAKE_APART=N:FILE once there is the file, the groups of CPU N are no more: read(2) of a counter gives
 *                     its own count alone
 *   FAKE_COUNT=N      what read(2) says that each counter counted (0), of a second, enabled and
 *                     running throughout
 *
 * What the recorder starts is preloaded, too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000000, MOST = 1 << 16, NOT_LONG = 10, MOST_ATTR = 4096 };

/* A descriptor of ours is an eventfd: it can be polled, and is readable while its ring holds data. */
static struct fake {
	uint64_t id;                  /* 0: not ours */
	uint64_t read_format;
	uint64_t leader;              /* an id, its own where it leads */
	int cpu;
	int output;                   /* the descriptor whose ring it writes to; 0: its own */
	struct perf_event_mmap_page *page;
	uint8_t *input;               /* of the ring, whole */
	size_t fed, length;
	bool readable, backward;
} fakes[MOST];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t opened, nth, rings, auxes;
static int top;                       /* no descriptor of ours is above */

static void *next_of(const char *name)
{
	void *const f = dlsym(RTLD_NEXT, name);

	if (!f)
		abort();
	return f;
}

/* The function that this one stands before. */
#define NEXT(name) (__extension__(__typeof__(&(name)))next_of(#name))

static struct fake *fake_of(int fd)
{
	return fd >= 0 && fd < MOST && fakes[fd].id ? &fakes[fd] : NULL;
}

/* Open from the start: a recorder may give up the right to open files. */
static int log_fd = -1;

__attribute__((constructor)) static void open_log(void)
{
	const char *const name = getenv("FAKE_LOG");

	if (name)
		log_fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
	char text[2 * MOST_ATTR + 1024];
	const int was = errno;
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	if (log_fd >= 0 && n > 0)
		(void)!write(log_fd, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	errno = was;
}

/* ---- opening ---- */

/* The number after WORD= in FAKE_LACKS, or `otherwise`. */
static uint64_t lacks(const char *word, uint64_t otherwise)
{
	const char *at = getenv("FAKE_LACKS");
	const size_t n = strlen(word);

	for (; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (!strncmp(at, word, n) && at[n] == '=')
			return strtoull(at + n + 1, NULL, 0);
	return otherwise;
}

/* What a kernel would say of the attribute: 0, or a number of errno. */
static int judge(const struct perf_event_attr *a)
{
	uint64_t flags;
	uint32_t action;

	memcpy(&flags, &a->read_format + 1, sizeof(flags));
	/* older headers have no name for it */
	memcpy(&action, &a->aux_sample_size + 1, sizeof(action));
	if (lacks("type", UINT64_MAX) == a->type)
		return ENOENT;
	if (a->precise_ip > lacks("precise", 3))
		return EOPNOTSUPP;
	if (flags & lacks("flags", 0) || a->sample_type & lacks("sample_type", 0) ||
	    a->read_format & lacks("read_format", 0) || a->branch_sample_type & lacks("branch", 0) ||
	    action & lacks("aux_action", 0) ||
	    (a->inherit && a->sample_type & lacks("inherited_reads", 0)))
		return EINVAL;
	return 0;
}

/* What the kernel forbids whom its level binds: perf_allow_kernel() and its neighbours. */
static bool forbids(const struct perf_event_attr *a, int pid)
{
	const int level = (int)lacks("paranoid", (uint64_t)INT_MIN);

	if (level > 2 || (level > 1 && !a->exclude_kernel) || (level > 0 && pid < 0))
		return true;
	return level > -1 && a->type == PERF_TYPE_TRACEPOINT && a->sample_type & PERF_SAMPLE_RAW;
}

/* How many are in the group of this leader. */
static uint64_t members(uint64_t leader)
{
	uint64_t n = 0;

	for (int fd = 0; fd <= top; fd++)
		n += fakes[fd].id && fakes[fd].leader == leader;
	return n;
}

/* As long as the variable says, in units of so many ns. */
static void burn(const char *variable, long unit)
{
	const char *const units = getenv(variable);
	struct timespec begun, now;

	if (!units)
		return;
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
	do
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begun.tv_sec) * SECOND + now.tv_nsec - begun.tv_nsec < atol(units) * unit);
}

static void leave(void)
{
	const char *const online = getenv("FAKE_LEAVES");
	const int fd = online ? open(online, O_WRONLY | O_TRUNC | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	(void)!write(fd, "0\n", 2);
	(void)close(fd);
}

static int open_fake(const struct perf_event_attr *attr, int pid, int cpu, int group, uint64_t flags)
{
	const struct fake *const leader = fake_of(group);
	const uint32_t size = attr->size ? attr->size : PERF_ATTR_SIZE_VER0;
	char hex[2 * MOST_ATTR + 1] = "", head[64];
	struct perf_event_attr a = { 0 };
	int fd = -1, os;

	memcpy(&a, attr, size < sizeof(a) ? size : sizeof(a));
	for (uint32_t i = 0; i < size && i < MOST_ATTR; i++)
		(void)sprintf(hex + 2 * i, "%02x", ((const uint8_t *)attr)[i]);
	burn("FAKE_BURN", 1000000);
	leave();
	os = judge(&a);
	if (cpu >= 0 && lacks("cpu", UINT64_MAX) == (uint64_t)cpu)
		os = ENODEV;
	if (forbids(&a, pid))
		os = EACCES;
	if (opened >= lacks("files", UINT64_MAX))
		os = EMFILE;
	for (uint64_t i = lacks("size", size); i < size; i++)
		os = ((const uint8_t *)attr)[i] ? E2BIG : os;
	if (!os && leader && members(leader->id) >= lacks("group", UINT64_MAX))
		os = EINVAL;
	if (!os)
		fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (fd >= MOST) {
		(void)close(fd);
		fd = -1;
		errno = EMFILE;
	}
	if (fd >= 0) {
		const char *const others = getenv("FAKE_OTHERS");
		const uint64_t every = others ? strtoull(others, NULL, 0) : 0;
		const uint64_t id = ++opened;

		nth++;
		opened += every && nth % every == 0;
		fakes[fd] = (struct fake){ .id = id, .read_format = a.read_format, .cpu = cpu,
					   .backward = a.write_backward,
					   .leader = leader ? leader->id : id };
		top = fd > top ? fd : top;
		(void)sprintf(head, "open %llu", (unsigned long long)id);
	} else {
		os = os ? os : errno;
		(void)sprintf(head, "refused %d", os);
	}
	note("%s pid=%d cpu=%d group=%llu flags=%llu attr=%s\n", head, pid, cpu,
	     (unsigned long long)(leader ? leader->id : 0), (unsigned long long)flags, hex);
	errno = os;
	return fd;
}

long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_perf_event_open)
		return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	(void)pthread_mutex_lock(&lock);
	a[0] = open_fake((const struct perf_event_attr *)a[0], (int)a[1], (int)a[2], (int)a[3],
			 (uint64_t)a[4]);
	(void)pthread_mutex_unlock(&lock);
	return a[0];
}

int close(int fd)
{
	if (fake_of(fd))
		fakes[fd].id = 0;
	return NEXT(close)(fd);
}

/* ---- rings ---- */

/* The bytes of PREFIX.n, PREFIX being the value of the variable; NULL: none. */
static uint8_t *input(const char *variable, uint64_t n, size_t *length)
{
	const char *const prefix = getenv(variable);
	uint8_t *bytes = NULL;
	struct stat st;
	char name[4096];
	int fd;

	*length = 0;
	if (!prefix)
		return NULL;
	(void)snprintf(name, sizeof(name), "%s.%llu", prefix, (unsigned long long)n);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && (bytes = malloc((size_t)st.st_size + 1)))
		while (*length < (size_t)st.st_size) {
			const ssize_t got = NEXT(read)(fd, bytes + *length,
						       (size_t)st.st_size - *length);

			if (got <= 0)
				break;
			*length += (size_t)got;
		}
	(void)close(fd);
	return bytes;
}

/* Puts records into the ring while they fit, and lets its descriptor say whether there are any. */
static void feed(struct fake *f, int fd)
{
	struct perf_event_mmap_page *const page = f->page;
	const uint64_t tail = __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE), one = 1;
	uint8_t *const data = (uint8_t *)page + page->data_offset;
	uint64_t head = page->data_head, was;

	while (f->length - f->fed >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, f->input + f->fed, sizeof(h));
		if (h.size < sizeof(h) || h.size > f->length - f->fed ||
		    head - tail + h.size > page->data_size)
			break;
		for (uint16_t i = 0; i < h.size; i++)
			data[(head + i) % page->data_size] = f->input[f->fed + i];
		f->fed += h.size;
		head += h.size;
	}
	__atomic_store_n(&page->data_head, head, __ATOMIC_RELEASE);
	if (f->readable != (head != tail)) {
		f->readable = !f->readable;
		if (f->readable)
			(void)!write(fd, &one, sizeof(one));
		else
			(void)!NEXT(read)(fd, &was, sizeof(was));
	}
}

/* All records into a ring that is written round and round from its end. */
static void feed_backward(struct fake *f)
{
	uint8_t *const data = (uint8_t *)f->page + f->page->data_offset;
	uint64_t head = 0;

	while (f->length - f->fed >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, f->input + f->fed, sizeof(h));
		if (h.size < sizeof(h) || h.size > f->length - f->fed)
			break;
		head -= h.size;
		for (uint16_t i = 0; i < h.size; i++)
			data[(head + i) % f->page->data_size] = f->input[f->fed + i];
		f->fed += h.size;
	}
	__atomic_store_n(&f->page->data_head, head, __ATOMIC_RELEASE);
}

static void feed_all(void)
{
	(void)pthread_mutex_lock(&lock);
	for (int fd = 0; fd <= top; fd++)
		if (fakes[fd].id && fakes[fd].page && fakes[fd].input && !fakes[fd].backward)
			feed(&fakes[fd], fd);
	(void)pthread_mutex_unlock(&lock);
}

static void *map_fake(struct fake *f, int fd, size_t size, off_t offset)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *const at = NEXT(mmap)(NULL, size, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t length;
	uint8_t *aux;

	if (at == MAP_FAILED)
		return at;
	if (size > lacks("ring", SIZE_MAX)) {
		(void)NEXT(munmap)(at, size);
		errno = EPERM;
		return MAP_FAILED;
	}
	note("mmap %llu ring=%llu bytes=%zu offset=%lld\n", (unsigned long long)f->id,
	     (unsigned long long)(offset ? auxes : rings), size, (long long)offset);
	if (offset) {
		aux = input("FAKE_AUX", auxes++, &length);
		length = length < size ? length : size;
		if (aux)
			memcpy(at, aux, length);
		free(aux);
		if (f->page)
			f->page->aux_head = length;
	} else if (!f->page) {
		f->page = at;
		f->page->data_offset = page;
		f->page->data_size = size - page;
		f->input = input("FAKE_RING", rings++, &f->length);
		if (f->backward)
			feed_backward(f);
		else
			feed(f, fd);
	}
	return at;
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *result;

	if (!fake_of(fd))
		return NEXT(mmap)(at, size, prot, flags, fd, offset);
	(void)pthread_mutex_lock(&lock);
	result = map_fake(&fakes[fd], fd, size, offset);
	(void)pthread_mutex_unlock(&lock);
	return result;
}

int munmap(void *at, size_t size)
{
	(void)pthread_mutex_lock(&lock);
	for (int fd = 0; fd <= top; fd++)
		if (fakes[fd].id && fakes[fd].page == at)
			fakes[fd].page = NULL;
	(void)pthread_mutex_unlock(&lock);
	return NEXT(munmap)(at, size);
}

void *mmap64(void *at, size_t size, int prot, int flags, int fd, off64_t offset)
{
	return mmap(at, size, prot, flags, fd, (off_t)offset);
}

/* perf waits a second for records of BPF programs before it ends: none will come. */
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	feed_all();
	if (n && fake_of(fds[0].fd) && (timeout < 0 || timeout > NOT_LONG))
		timeout = NOT_LONG;
	return NEXT(poll)(fds, n, timeout);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	feed_all();
	if (timeout && getenv("FAKE_WAITS"))
		note("wait %lld\n", (long long)timeout->tv_sec * SECOND + timeout->tv_nsec);
	return NEXT(ppoll)(fds, n, timeout, mask);
}

/* ---- what is asked of counters ---- */

static const struct { unsigned long request; const char *name; } requests[] = {
	{ PERF_EVENT_IOC_ENABLE, "ENABLE" },
	{ PERF_EVENT_IOC_DISABLE, "DISABLE" },
	{ PERF_EVENT_IOC_REFRESH, "REFRESH" },
	{ PERF_EVENT_IOC_RESET, "RESET" },
	{ PERF_EVENT_IOC_PERIOD, "PERIOD" },
	{ PERF_EVENT_IOC_SET_OUTPUT, "SET_OUTPUT" },
	{ PERF_EVENT_IOC_SET_FILTER, "SET_FILTER" },
	{ PERF_EVENT_IOC_ID, "ID" },
	{ PERF_EVENT_IOC_SET_BPF, "SET_BPF" },
	{ PERF_EVENT_IOC_PAUSE_OUTPUT, "PAUSE_OUTPUT" },
	{ PERF_EVENT_IOC_QUERY_BPF, "QUERY_BPF" },
	{ PERF_EVENT_IOC_MODIFY_ATTRIBUTES, "MODIFY_ATTRIBUTES" },
};

/* As the kernel, which waits for all CPUs before a counter leaves a ring. */
static void leave_slowly(const struct fake *f)
{
	const struct perf_event_mmap_page *const page = fakes[f->output].page;
	const uint64_t tail = __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
	const struct timespec a_while = { 0, 10000000 };
	uint64_t now = tail;

	for (int i = 0; i < 1000 && now == tail; i++) {
		(void)nanosleep(&a_while, NULL);
		now = __atomic_load_n(&page->data_tail, __ATOMIC_ACQUIRE);
	}
	note("left %llu read=%llu\n", (unsigned long long)f->id, (unsigned long long)(now - tail));
}

static void set_output(struct fake *f, int fd)
{
	if (f->output && fakes[f->output].page && getenv("FAKE_SLOW"))
		leave_slowly(f);
	note("ioctl %llu SET_OUTPUT %llu\n", (unsigned long long)f->id,
	     (unsigned long long)(fake_of(fd) ? fakes[fd].id : 0));
	f->output = fake_of(fd) ? fd : 0;
}

static int control(struct fake *f, unsigned long request, unsigned long argument)
{
	const unsigned long long id = f->id;

	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (requests[i].request != request)
			continue;
		if (request == PERF_EVENT_IOC_SET_FILTER)
			note("ioctl %llu SET_FILTER %s\n", id, (const char *)argument);
		else if (request == PERF_EVENT_IOC_PERIOD)
			note("ioctl %llu PERIOD %llu\n", id, *(unsigned long long *)argument);
		else if (request == PERF_EVENT_IOC_SET_OUTPUT)
			set_output(f, (int)argument);
		else if (request != PERF_EVENT_IOC_ID)
			note("ioctl %llu %s %lu\n", id, requests[i].name, argument);
		else
			*(uint64_t *)argument = id;
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

int ioctl(int fd, unsigned long request, ...)
{
	unsigned long argument;
	va_list list;

	va_start(list, request);
	argument = va_arg(list, unsigned long);
	va_end(list);
	return fake_of(fd) ? control(&fakes[fd], request, argument) :
			     NEXT(ioctl)(fd, request, argument);
}

/* Whether this has come over a CPU, by a variable N:FILE. */
static bool has_come(const char *variable, int cpu)
{
	const char *const whom = getenv(variable);

	return whom && atoi(whom) == cpu && !access(whom + strcspn(whom, ":") + 1, F_OK);
}

/* A counter's values, in the kernel's order. */
static ssize_t values(const struct fake *f, uint64_t *to, size_t size)
{
	const uint64_t format = f->read_format;
	const bool group = format & PERF_FORMAT_GROUP, apart = has_come("FAKE_APART", f->cpu);
	const char *const count = getenv("FAKE_COUNT"), *const lost = getenv("FAKE_LOST");
	uint64_t v[3 + 3 * 64];
	size_t n = 1, members = 0;

	burn("FAKE_TAKES", 1000);
	if (has_come("FAKE_GONE", f->cpu)) {
		errno = ENODEV;
		return -1;
	}
	v[0] = count ? strtoull(count, NULL, 0) : 0;
	for (int i = 0; i < 2; i++)
		if (format & (i ? PERF_FORMAT_TOTAL_TIME_RUNNING : PERF_FORMAT_TOTAL_TIME_ENABLED))
			v[n++] = SECOND;
	for (int fd = 0; fd <= top; fd++) {
		if (group && !apart ? !fakes[fd].id || fakes[fd].leader != f->leader || members == 64 :
				      &fakes[fd] != f)
			continue;
		members++;
		if (group)
			v[n++] = count ? strtoull(count, NULL, 0) : 0;
		if (format & PERF_FORMAT_ID)
			v[n++] = fakes[fd].id;
		if (format & PERF_FORMAT_LOST)
			v[n++] = lost ? strtoull(lost, NULL, 0) : 0;
	}
	if (group)
		v[0] = members;
	if (size < n * sizeof(v[0])) {
		errno = ENOSPC;
		return -1;
	}
	memcpy(to, v, n * sizeof(v[0]));
	return (ssize_t)(n * sizeof(v[0]));
}

ssize_t read(int fd, void *to, size_t size)
{
	return fake_of(fd) ? values(&fakes[fd], to, size) : NEXT(read)(fd, to, size);
}

/* As read() is called where the compiler knows the room. */
ssize_t __read_chk(int fd, void *to, size_t size, size_t room);
ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
	if (size > room)
		abort();
	return read(fd, to, size);
}
