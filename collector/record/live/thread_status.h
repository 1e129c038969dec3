/* What /proc shows of a thread: whether it runs, and whether it has run since an earlier look. */
#ifndef COLLECTOR_RECORD_LIVE_THREAD_STATUS_H
#define COLLECTOR_RECORD_LIVE_THREAD_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct thread_status {
	char name[16];
	char state;          /* 'R': it runs or could; 'S', 'D', 'T', ...; 'Z', 'X': it has ended */
	pid_t pid;           /* of its process */
	uint64_t n_switches; /* how often it was switched out */
};

/* Of a text as in /proc/TID/status. false: it is none. */
bool thread_status_parse(const char *text, struct thread_status *ret);
/* @proc: "/proc", but in tests. 0, -ESRCH (the thread has ended) or -errno. */
int thread_status_read(const char *proc, pid_t tid, struct thread_status *ret);

#endif
