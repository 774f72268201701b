/* target.c - which threads are measured, on which CPUs; and the command. */
#include "base/array.h"
#include "base/sized_options.h"
#include "base/procfs.h"
#include "counter/counter.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int add_thread(struct pp_target *t, int32_t pid, int32_t tid, bool named, struct pp_error *error)
{
	struct pp_task_stat stat = { 0 };
	const int is_new = pp_idmap_add(&t->known, (uint32_t)tid);

	if (is_new <= 0)
		return is_new ? pp_fail(error, PP_E_NOMEM, NULL) : 0;
	if (PP_GROW(&t->threads, &t->threads_room, t->n_threads + 1, error))
		return -1;
	/* one that is no more is left out */
	errno = 0;
	if (named && !pp_task_stat(pid, tid, &stat))
		return pp_lacking(errno) ? pp_fail_os(error, "cannot measure thread %d", tid) : 0;
	t->threads[t->n_threads] = (struct pp_target_thread){ .pid = pid, .tid = tid };
	memcpy(t->threads[t->n_threads++].comm, stat.comm, sizeof(stat.comm));
	return 0;
}

enum { MANY = 1000 };

/* How many threads it has, of which each is a folder; 0: not known. */
static size_t count_threads(uint32_t pid)
{
	char path[32];
	struct stat st;

	(void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
	return !pp_file_stat(path, &st) && st.st_nlink > 2 ? st.st_nlink - 2 : 0;
}

/* The next thread of a process from this number on, before `last`; 0: there is none, or it cannot be had. */
static int32_t next_thread(uint32_t pid, int32_t tid, int32_t last)
{
	for (; tid < last; tid++) {
		if (!tgkill((pid_t)pid, tid, 0) || errno == EPERM)
			return tid;
		if (errno != ESRCH)
			break;
	}
	return 0;
}

/* The `n` threads of a process, asked for one by one: where most numbers from the process's own on are
 * theirs, as of those that were started at once, that takes half as long as listing them, for which the
 * kernel makes a folder of each.  False: they are not all there, and are to be listed. */
static bool guess_threads(uint32_t pid, size_t n, int32_t *tids)
{
	const int32_t last = (int32_t)(pid + 2 * n);
	int32_t tid = (int32_t)pid;
	size_t found = 0;

	for (; found < n && (tid = next_thread(pid, tid, last)); tid++)
		tids[found++] = tid;
	return found == n;
}

/* All threads of a process that has many: 1; 0: they are to be listed; or -1. */
static int add_many(struct pp_target *t, uint32_t pid, struct pp_error *error)
{
	const size_t n = t->options.few_names ? count_threads(pid) : 0;
	int32_t *const tids = n > MANY && n < INT32_MAX / 4 ? malloc(n * sizeof(*tids)) : NULL;
	int status = tids && guess_threads(pid, n, tids);

	for (size_t i = 0; i < n && status > 0; i++)
		if (add_thread(t, (int32_t)pid, tids[i], false, error))
			status = -1;
	free(tids);
	return status;
}

/* All threads of a process. */
static int add_process(struct pp_target *t, uint32_t pid, struct pp_error *error)
{
	const size_t before = t->n_threads;
	struct pp_names tasks;
	char path[32];
	int status = add_many(t, pid, error);

	if (status)
		return status < 0 ? -1 : 0;
	(void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
	if (pp_names_read(&tasks, path, pp_is_number)) {
		errno = errno == ENOENT ? ESRCH : errno;
		return pp_fail_os(error, "cannot measure process %u", pid);
	}
	for (size_t i = 0; i < tasks.n && !status; i++)
		status = add_thread(t, (int32_t)pid, atoi(tasks.items[i]),
				    !t->options.few_names || tasks.n <= MANY, error);
	pp_names_free(&tasks);
	if (!status && t->n_threads == before && !before) {
		errno = ESRCH;
		return pp_fail_os(error, "cannot measure process %u", pid);
	}
	return status;
}

/* Whom a process acts as; -1: it is gone. */
static int64_t user_of(const char *pid)
{
	char text[1024];
	const char *line;
	uint32_t real, effective;

	if (pp_file_text(text, sizeof(text), "/proc/%s/status", pid) < 0)
		return -1;
	line = strstr(text, "\nUid:");
	return line && sscanf(line, "\nUid: %" SCNu32 " %" SCNu32, &real, &effective) == 2 ?
		       (int64_t)effective : -1;
}

static bool is_one_of(const struct pp_target_options *o, int64_t user)
{
	for (size_t i = 0; i < o->n_users; i++)
		if (o->users[i] == user)
			return true;
	return false;
}

/* All processes of these users that there are now, or all of them. */
static int add_processes(struct pp_target *t, const struct pp_target_options *o, struct pp_error *error)
{
	struct pp_names pids;
	int status = 0;

	if (pp_names_read(&pids, "/proc", pp_is_number))
		return pp_fail_os(error, "cannot read /proc");
	for (size_t i = 0; i < pids.n && !status; i++) {
		errno = 0;
		if (!o->all_tasks && !is_one_of(o, user_of(pids.items[i]))) {
			if (pp_lacking(errno))
				status = pp_fail_os(error, "cannot read /proc/%s/status", pids.items[i]);
			continue;
		}
		status = add_process(t, (uint32_t)strtoul(pids.items[i], NULL, 10), error);
		/* it has ended meanwhile */
		if (status && error->os == ESRCH)
			status = 0;
	}
	pp_names_free(&pids);
	if (status || t->n_threads || o->all_tasks)
		return status;
	errno = ESRCH;
	return pp_fail_os(error, "cannot measure user %u", o->users[0]);
}

static int add_tid(struct pp_target *t, uint32_t tid, struct pp_error *error)
{
	int32_t pid;

	errno = 0;
	pid = pp_task_process((int32_t)tid);
	if (pid < 0) {
		errno = pp_lacking(errno) ? errno : ESRCH;
		return pp_fail_os(error, "cannot measure thread %u", tid);
	}
	return add_thread(t, pid, (int32_t)tid, true, error);
}

static bool asked_for(const struct pp_target_options *o, uint32_t cpu)
{
	for (size_t i = 0; i < o->n_cpus; i++)
		if (o->cpus[i] == cpu)
			return true;
	return !o->n_cpus;
}

static int find_target_cpus(struct pp_target *t, const struct pp_target_options *o,
			    struct pp_error *error)
{
	char text[4096];
	long n;

	if (pp_file_text(text, sizeof(text), "/sys/devices/system/cpu/online") < 0)
		return pp_fail_os(error, "cannot read /sys/devices/system/cpu/online");
	n = pp_list_parse(text, &t->cpus);
	t->selected = calloc(n > 0 ? (size_t)n : 1, sizeof(*t->selected));
	if (n < 0 || !t->selected)
		return pp_fail(error, PP_E_NOMEM, NULL);
	t->n_cpus = (size_t)n;
	for (size_t i = 0; i < t->n_cpus; i++)
		t->n_selected += t->selected[i] = asked_for(o, t->cpus[i]);
	for (size_t i = 0; i < o->n_cpus; i++) {
		size_t k = 0;

		while (k < t->n_cpus && t->cpus[k] != o->cpus[i])
			k++;
		if (k == t->n_cpus)
			return pp_fail(error, PP_E_USE, "CPU %u is not online; online: %s",
				       o->cpus[i], text);
	}
	return 0;
}

bool pp_cpu_is_online(uint32_t cpu)
{
	uint32_t *cpus;
	char text[4096];
	bool found = false;
	long n;

	if (pp_file_text(text, sizeof(text), "/sys/devices/system/cpu/online") < 0)
		return true;
	n = pp_list_parse(text, &cpus);
	for (long i = 0; i < n; i++)
		found |= cpus[i] == cpu;
	if (n >= 0)
		free(cpus);
	return found;
}

/* As execve() sees it: a folder may be entered, but not run. */
static bool is_program(const char *file)
{
	struct stat st;

	if (access(file, X_OK) || stat(file, &st))
		return false;
	errno = EACCES;
	return S_ISREG(st.st_mode);
}

/* Is there an executable file for execvp to find?  Asked before anything is written; what it
 * still cannot know (a file without its interpreter) the child reports. */
static bool can_run(const char *name)
{
	const char *path = getenv("PATH");
	int os = ENOENT;

	if (strchr(name, '/'))
		return is_program(name);
	if (!path)
		path = "/bin:/usr/bin";
	while (*name) {
		const size_t n = strcspn(path, ":");
		char file[4096];

		(void)snprintf(file, sizeof(file), "%.*s%s%s", (int)n, path, n ? "/" : "", name);
		if (is_program(file))
			return true;
		if (errno == EACCES || pp_lacking(errno))
			os = errno;
		if (!path[n])
			break;
		path += n + 1;
	}
	errno = os;
	return false;
}

/* What is asked of a pipe that waits goes on after a signal. */
static bool interrupted(ssize_t n)
{
	return n < 0 && (errno == EINTR || errno == EAGAIN);
}

static void be_command(const struct pp_target_options *o, const int go[2], const int failed[2])
{
	char byte;
	ssize_t n;
	int os;

	(void)close(go[1]);
	(void)close(failed[0]);
	if (o->stdout_taken)
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	do
		n = read(go[0], &byte, 1);
	while (interrupted(n));
	if (!n)
		_exit(0);
	if (n == 1)
		(void)execvp(o->command[0], o->command);
	os = errno;
	do
		n = write(failed[1], &os, sizeof(os));
	while (interrupted(n));
	_exit(n == sizeof(os) ? 127 : 126);
}

static int fork_command(struct pp_target *t, const struct pp_target_options *o,
			struct pp_error *error)
{
	int go[2], failed[2];

	if (!can_run(o->command[0]))
		return pp_fail_os(error, "cannot run %s", o->command[0]);
	/* A socket, so that writing to a command that was killed does not raise SIGPIPE. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		return pp_fail_os(error, "cannot make a socket");
	t->go = go[1];
	if (pipe2(failed, O_CLOEXEC)) {
		(void)pp_fail_os(error, "cannot make a pipe");
		(void)close(go[0]);
		return -1;
	}
	t->failed = failed[0];
	t->command = fork();
	if (!t->command)
		be_command(o, go, failed);
	(void)close(go[0]);
	(void)close(failed[1]);
	if (t->command < 0) {
		t->command = 0;
		return pp_fail_os(error, "cannot fork");
	}
	return 0;
}

/* One place for each thread: wherever it runs. */
static int take_any_cpu(struct pp_target *t, struct pp_error *error)
{
	t->cpus = malloc(sizeof(*t->cpus));
	t->selected = malloc(sizeof(*t->selected));
	if (!t->cpus || !t->selected)
		return pp_fail(error, PP_E_NOMEM, NULL);
	t->cpus[0] = PP_ANY_CPU;
	t->selected[0] = true;
	t->n_cpus = t->n_selected = 1;
	return 0;
}

/* The calling thread, for which /proc is not needed. */
static int add_self(struct pp_target *t, struct pp_error *error)
{
	if (PP_GROW(&t->threads, &t->threads_room, t->n_threads + 1, error))
		return -1;
	t->threads[t->n_threads] = (struct pp_target_thread){ .pid = getpid(), .tid = gettid() };
	(void)pthread_getname_np(pthread_self(), t->threads[t->n_threads].comm,
				 sizeof(t->threads[0].comm));
	t->n_threads++;
	return 0;
}

/* Without it tasks, their names and maps cannot be found.  One that is elsewhere need not be whole. */
static int need_proc(struct pp_error *error)
{
	static const char self[] = "/proc/self/stat";
	char elsewhere[PP_PATH];

	if (pp_rooted(elsewhere, self) != self || !access(self, R_OK))
		return 0;
	return pp_fail_os(error, "cannot read %s: as root, mount -t proc proc /proc", self);
}

static bool names_tasks(const struct pp_target_options *o)
{
	return o->n_pids || o->n_tids || o->n_users || o->all_tasks;
}

static int check_target_options(const struct pp_target_options *o, struct pp_error *error)
{
	if (o->all_cpus && names_tasks(o))
		return pp_fail(error, PP_E_USE,
			       "all CPUs cannot be combined with processes, threads or users");
	if (o->n_cgroups && (names_tasks(o) || o->self ||
			     (o->command && !o->all_cpus && !o->n_cpus))) {
		(void)pp_fail(error, PP_E_USE, "control groups are recorded on CPUs, not by processes");
		return pp_error_hint(error, PP_HINT_ALL_CPUS);
	}
	if (o->self && (o->all_cpus || names_tasks(o) || o->command))
		return pp_fail(error, PP_E_USE,
			       "the calling thread cannot be combined with another target");
	return 0;
}

static int add_tasks(struct pp_target *t, const struct pp_target_options *o, struct pp_error *error)
{
	for (size_t i = 0; i < o->n_pids; i++)
		if (add_process(t, o->pids[i], error))
			return -1;
	for (size_t i = 0; i < o->n_tids; i++)
		if (add_tid(t, o->tids[i], error))
			return -1;
	return o->n_users || o->all_tasks ? add_processes(t, o, error) : 0;
}

int pp_target_open(struct pp_target *t, const struct pp_target_options *options,
		   struct pp_error *error)
{
	const struct pp_target_options *const o = &t->options;

	t->go = t->failed = -1;
	if (pp_options_take(&t->options, sizeof(t->options), options, error))
		return -1;
	if (check_target_options(o, error))
		return -1;
	t->system_wide = o->all_cpus || (!names_tasks(o) && !o->self && (o->n_cpus || !o->command));
	if (o->per_thread && !t->system_wide && !o->n_cpus ? take_any_cpu(t, error) :
							     find_target_cpus(t, o, error))
		return -1;
	if (o->self)
		return add_self(t, error);
	if (need_proc(error))
		return -1;
	if (o->all_tasks && o->command && fork_command(t, o, error))
		return -1;
	if (add_tasks(t, o, error) || (o->command && !o->all_tasks && fork_command(t, o, error)))
		return -1;
	if (t->system_wide)
		return add_thread(t, -1, -1, false, error);
	if (!names_tasks(o) && add_thread(t, t->command, t->command, true, error))
		return -1;
	if (t->n_threads)
		return 0;
	errno = ESRCH;
	return pp_fail_os(error, "cannot find the command in %s (is that of another machine?)",
			  pp_rooted((char[PP_PATH]){ "" }, "/proc"));
}

bool pp_target_command_alone(const struct pp_target *t)
{
	return t->options.command && !t->system_wide && !names_tasks(&t->options);
}

int pp_target_start(struct pp_target *t, struct pp_error *error)
{
	char *const *const command = t->options.command;
	ssize_t n;
	int os;

	if (t->go < 0)
		return 0;
	do
		n = send(t->go, "", 1, MSG_NOSIGNAL);
	while (interrupted(n));
	if (n < 0) {
		(void)pp_fail_os(error, "cannot start %s", command[0]);
		return pp_error_fatal(error, true);
	}
	(void)close(t->go);
	t->go = -1;
	do
		n = read(t->failed, &os, sizeof(os));
	while (interrupted(n));
	if (n < 0) {
		(void)pp_fail_os(error, "cannot see whether %s runs", command[0]);
		return pp_error_fatal(error, true);
	}
	(void)close(t->failed);
	t->failed = -1;
	if (n != sizeof(os))
		return 0;
	errno = os;
	return pp_fail_os(error, "cannot run %s", command[0]);
}

int pp_target_ended(struct pp_target *t, int *status)
{
	if (t->command && wait4(t->command, &t->status, WNOHANG, &t->usage) == t->command) {
		t->command = 0;
		t->ended = true;
	}
	if (t->ended && status)
		*status = t->status;
	return t->ended;
}

int pp_target_again(struct pp_target *t, char *const *command, struct pp_error *error)
{
	const bool alone = pp_target_command_alone(t);

	t->options.command = command;
	t->ended = false;
	if (fork_command(t, &t->options, error))
		return -1;
	if (alone)
		t->threads[0].pid = t->threads[0].tid = t->command;
	return 0;
}

int pp_target_signal(const struct pp_target *t, int signal)
{
	return t->command ? kill(t->command, signal) : 0;
}

void pp_target_close(struct pp_target *t)
{
	/* A command that was never started sees the end of its pipe and exits. */
	if (t->go >= 0) {
		(void)close(t->go);
		if (t->command)
			(void)waitpid(t->command, NULL, 0);
	}
	if (t->failed >= 0)
		(void)close(t->failed);
	free(t->threads);
	free(t->cpus);
	free(t->selected);
	pp_idmap_close(&t->known);
	*t = (struct pp_target){ .go = -1, .failed = -1 };
}
