/* quiet_thread.h - starts a thread that takes no signals: those are for the thread that waits for them. */
#ifndef PP_QUIET_THREAD_H
#define PP_QUIET_THREAD_H

#include <pthread.h>
#include <signal.h>

/* As pthread_create(). */
static inline int pp_quiet_thread(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
				  void *arg)
{
	sigset_t every, was;
	int os;

	(void)sigfillset(&every);
	(void)pthread_sigmask(SIG_SETMASK, &every, &was);
	os = pthread_create(thread, how, run, arg);
	(void)pthread_sigmask(SIG_SETMASK, &was, NULL);
	return os;
}

#endif
