/*
 * storm.c - tasks that start, change and end fast, for recorders to keep up with.
 *
 *	storm fork|exec|thread|library|each N
 *
 * It waits for the file "go", has N tasks (or libraries) come and go, each of which touches memory
 * from code that only it has, makes the file "done" and waits for "stop".  For exec it starts the
 * programs leaf0 to leaf9; for library it loads leaf0.so to leaf9.so and drops them again.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Page faults at an address of this program. */
void leaf_touch(int pages);
void leaf_touch(int pages)
{
	char *const at = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; at != MAP_FAILED && i < pages; i++)
		((volatile char *)at)[i * 4096] = 1;
	if (at != MAP_FAILED)
		munmap(at, (size_t)pages * 4096);
}

#ifndef LIBRARY
static void wait_for(const char *file)
{
	while (access(file, F_OK))
		usleep(10000);
}

static void named(const char *what, int i)
{
	char name[16];

	snprintf(name, sizeof(name), "%s %d", what, i);
	prctl(PR_SET_NAME, name);
}

/* With a child of its own, which never had a name or a map but from those before. */
static void fork_one(int i)
{
	const pid_t child = fork();

	if (!child) {
		if (i % 2)
			named("forked", i);
		if (i % 3 == 0 && !fork()) {
			leaf_touch(2);
			_exit(0);
		}
		leaf_touch(3);
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void exec_one(int i)
{
	const pid_t child = fork();
	char path[16];

	if (!child) {
		named("going", i);
		leaf_touch(1);
		snprintf(path, sizeof(path), "./leaf%d", i % 10);
		execl(path, path, "leaf", i % 7 ? NULL : "again", (char *)NULL);
		_exit(1);
	}
	/* up to eight at once */
	if (i % 8 == 7)
		while (wait(NULL) > 0)
			;
}

static void *in_thread(void *arg)
{
	named("thread", *(int *)arg);
	leaf_touch(3);
	return NULL;
}

static pthread_t threads[8];

static void thread_one(int i)
{
	static int numbers[8];
	const int at = i % 8;

	if (i >= 8)
		pthread_join(threads[at], NULL);
	numbers[at] = i;
	pthread_create(&threads[at], NULL, in_thread, &numbers[at]);
}

static void library_one(int i)
{
	void (*touch)(int);
	void *library;
	char path[24];

	snprintf(path, sizeof(path), "./leaf%d.so", i % 10);
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&touch = dlsym(library, "leaf_touch");
	touch(2);
	dlclose(library);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*one)(int); } kinds[] = {
		{ "fork", fork_one }, { "exec", exec_one }, { "thread", thread_one },
		{ "library", library_one },
	};
	const int n = argc > 2 ? atoi(argv[2]) : 0;

	if (argc > 1 && !strcmp(argv[1], "leaf")) {
		leaf_touch(2);
		/* and once more, in the same process */
		if (argc > 2)
			execl("./leaf9", "./leaf9", "leaf", (char *)NULL);
		return 0;
	}
	wait_for("go");
	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
			if (!strcmp(argv[1], kinds[k].name) || !strcmp(argv[1], "each"))
				kinds[k].one(i);
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < 8; i++)
		if (threads[i])
			pthread_join(threads[i], NULL);
	close(creat("done", 0600));
	wait_for("stop");
	return 0;
}
#endif
