/*
 * The rest of one thread's stack, beyond the copies of its samples, and the guards by which a
 * reader knows how long it is valid (unwind/rules/stack_memory.h).
 */
#ifndef COLLECTOR_RECORD_STACKS_GUARDED_REST_H
#define COLLECTOR_RECORD_STACKS_GUARDED_REST_H

#include "collector/record/stacks/stack_access.h"
#include "collector/record/stacks/stack_guards.h"
#include "collector/record/stacks/stack_output.h"

/* All zero: no guards and no rest. */
struct guarded_rest {
	const struct stack_access *access; /* borrowed; set with the guards, as is the thread */
	pid_t pid, tid;
	struct word_watch *watch; /* NULL: no guards */
	struct stack_guard guards[N_GUARDS];
	uint64_t guarded_sp,
		guarded_ns; /* the stack pointer, and the time, when they were chosen */
	unsigned live; /* bit per guard that is watched and was not touched, as far as recorded */
	/* The rest as it was recorded last; NULL: not kept. */
	uint8_t *bytes;
	uint64_t start;
	size_t size;
};

/* Watches the guards of @walk, words of @word bytes, in place of none. 0 or -errno. */
int guarded_rest_watch(struct guarded_rest *rest, const struct stack_access *access, pid_t pid,
		       pid_t tid, size_t word, const struct guarded_walk *walk);
/* There must be guards. */
void guarded_rest_unwatch(struct guarded_rest *rest);
/* Whether a copy of @size bytes from @sp on contains a guard, and the thread has not come near the
 * last of them. */
bool guarded_rest_covers(const struct guarded_rest *rest, uint64_t sp, size_t size);
/* Drops guards that were touched since they are watched, or whose words, in the memory just read to
 * @bytes, are others now. @word: their size. */
void guarded_rest_check(struct guarded_rest *rest, uint64_t start, const uint8_t *bytes,
			size_t word);

/* Records which guards were touched up to @end_ns. *@lost_ns_ret: when the last one was; 0: some
 * are left. 0 or the writer's -errno. */
int guarded_rest_note_touched(struct guarded_rest *rest, struct stack_output *output,
			      uint64_t end_ns, uint64_t *lost_ns_ret);
/* Records all guards that are left as touched. 0 or the writer's -errno. */
int guarded_rest_give_up(struct guarded_rest *rest, struct stack_output *output, uint64_t time_ns);
/* Records the rest with its guards; of the memory only what differs from the rest that is kept.
 * 0 or the writer's -errno. */
int guarded_rest_write(const struct guarded_rest *rest, struct stack_output *output,
		       uint64_t time_ns, uint64_t start, const uint8_t *bytes, size_t size,
		       size_t *n_changed_ret);
/* Takes over @bytes (NULL: none) in place of the rest that was kept. */
void guarded_rest_keep(struct guarded_rest *rest, uint64_t start, uint8_t *bytes, size_t size);

#endif
