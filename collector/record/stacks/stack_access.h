/* Access to the threads whose stacks are read while they run. */
#ifndef COLLECTOR_RECORD_STACKS_STACK_ACCESS_H
#define COLLECTOR_RECORD_STACKS_STACK_ACCESS_H

#include "perf/rings/word_watch.h"

/* As perf/rings/word_watch.h, collector/record/live/live_process.h and now_ns() have them; tests
 * put something else in their place. */
struct stack_access {
	/* 0; -ENOTSUP: watching may end the program here; -ENODEV: it sees nothing
	 * (perf/kernel/debug_registers.h). */
	int watch_err;
	int (*watch_open)(pid_t tid, const uint64_t *addrs, size_t n, size_t size,
			  struct word_watch **watch_ret);
	void (*watch_close)(struct word_watch *watch);
	int (*watch_fd)(const struct word_watch *watch);
	unsigned (*watch_set)(const struct word_watch *watch);
	uint64_t (*watch_touched)(struct word_watch *watch, size_t index);
	int (*memory_read)(pid_t pid, uint64_t addr, void *to, size_t size);
	int (*stack_find)(pid_t pid, pid_t tid, uint64_t sp, uint64_t *start_ret,
			  uint64_t *end_ret);
	uint64_t (*now_ns)(void);
};

#endif
