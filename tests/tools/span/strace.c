/* strace.c - system calls of two threads, of which some fail. */
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static void *calls(void *arg)
{
	char text[8] = "";
	int pipes[2];

	(void)arg;
	for (int i = 0; i < 8; i++) {
		(void)!access("/", F_OK);
		(void)!open("/nonexistent/file", O_RDONLY);
		(void)!pipe(pipes);
		(void)!write(pipes[1], "text", 5 - i % 3);
		(void)!read(pipes[0], text, sizeof(text));
		close(pipes[0]);
		close(pipes[1]);
		close(pipes[1]);
		(void)!lseek(0, 1, 99);
		nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, calls, NULL))
		return 1;
	calls(NULL);
	return pthread_join(thread, NULL);
}
