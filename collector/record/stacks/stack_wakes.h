/*
 * When samples are to wake the recorder: while its rounds are long, and not for ever in vain. After
 * a wake-up that led to nothing there is a pause, which doubles each time, up to the length of a
 * quiet recorder's rounds: programs that change from stack to stack all the time cost no more.
 */
#ifndef COLLECTOR_RECORD_STACKS_STACK_WAKES_H
#define COLLECTOR_RECORD_STACKS_STACK_WAKES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/kernel/stack_watch.h"

/* The functions of perf/kernel/stack_watch.h; tests replace them. */
struct stack_wakes_access {
	void (*arm)(struct stack_watch *watch);
	bool (*take)(struct stack_watch *watch);
	void (*know)(struct stack_watch *watch, pid_t tid, uint64_t low, uint64_t high);
	void (*forget)(struct stack_watch *watch, pid_t tid);
};

struct stack_wakes {
	struct stack_wakes_access access;
	struct stack_watch *watch; /* NULL: nothing wakes */
	bool has_woken;            /* this round */
	uint64_t pause_ns, pause_until_ns;
	uint64_t n_woken; /* rounds that a sample has woken */
};

/* Both are borrowed; @access may be NULL: the real one, and @watch, too. */
void stack_wakes_init(struct stack_wakes *wakes, struct stack_watch *watch,
		      const struct stack_wakes_access *access);
/* A round begins, and there are stacks that wait for the next one or will soon be there if not
 * @is_quiet. */
void stack_wakes_begin_round(struct stack_wakes *wakes, uint64_t now_ns, bool is_quiet);
/* The samples of a round were seen. @has_looked: at a stack, because of one of them. */
void stack_wakes_end_round(struct stack_wakes *wakes, uint64_t now_ns, bool is_quiet,
			   bool has_looked);
/* See stack_watch_know() and stack_watch_forget(). */
void stack_wakes_know(struct stack_wakes *wakes, pid_t tid, uint64_t low, uint64_t high);
void stack_wakes_forget(struct stack_wakes *wakes, pid_t tid);

#endif
