/*
 * Maps, while recording, the pages of stacks that are not in memory, so that copies do not end
 * there.
 *
 * The kernel's copy of a stack ends at the first page that is not present: one that the thread has
 * never touched, such as the middle of a large array, or one that was swapped out. A copy that ends
 * at a page boundary while its mapping goes on has met such a page. The recorder then reads the
 * pages that follow, once: that maps the kernel's page of zeros where nothing was (or brings back
 * what was swapped out), and later copies are whole. The process's memory does not change, nor does
 * the amount of it.
 *
 * Pages below the stack pointer are read in advance, for the frames that will be there.
 *
 * The number of looks is limited for each thread and second, and for each round. Where BPF is
 * permitted, a sample whose stack may need a look wakes the recorder while its rounds are long.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_STACK_HOLES_H
#define COLLECTOR_RECORD_OBSERVERS_STACK_HOLES_H

#include "collector/record/observing/recording_observer.h"
#include "collector/record/stacks/stack_wakes.h"

/* Access to other processes; tests replace it. */
struct stack_holes_access {
	int (*anonymous_find)(pid_t pid, uint64_t addr, uint64_t *start_ret, uint64_t *end_ret);
	int (*memory_touch)(pid_t pid, uint64_t start, uint64_t end);
	uint64_t (*now_ns)(void);
	const struct stack_wakes_access *wakes; /* NULL: the real one */
};

/* The result of a look at a cut copy whose cause was not known yet. */
enum stack_hole_look {
	STACK_HOLE_TOUCHED,   /* the pages are mapped now */
	STACK_HOLE_WHOLE,     /* the mapping ends where the copy does */
	STACK_HOLE_NO_TIME,   /* more looks than a round has time for */
	STACK_HOLE_FORBIDDEN, /* no permission to read the process's memory */
	STACK_HOLE_SHARED,    /* memory of a file, or shared with other processes: left alone */
	STACK_HOLE_FAILED,    /* the process has ended */
	N_STACK_HOLE_LOOKS
};

struct stack_holes_stats {
	uint64_t n_looks[N_STACK_HOLE_LOOKS];
};

extern const struct recording_observer stack_holes_observer;

struct stack_holes;

/*
 * @attr: of the samples. @watch and @access are borrowed, and may be NULL: no sample wakes; the
 * real access. *@holes_ret is NULL where samples have no stacks, or those of this machine are not
 * unwound. 0 or -ENOMEM.
 */
int stack_holes_create(const struct perf_event_attr *attr, struct stack_watch *watch,
		       const struct stack_holes_access *access, struct stack_holes **holes_ret);
void stack_holes_destroy(struct stack_holes *holes);
const struct stack_holes_stats *stack_holes_stats(const struct stack_holes *holes);

/* A round begins. @is_behind: it has no time for looks. */
void stack_holes_begin_round(struct stack_holes *holes, bool is_behind);
/* The samples of the round were seen. */
void stack_holes_end_round(struct stack_holes *holes);
/* The mapping of the stack of a process's main thread. */
void stack_holes_see_stack(struct stack_holes *holes, pid_t pid, uint64_t start, uint64_t end);
/* A record of the round about mappings or processes. */
void stack_holes_see_sideband(struct stack_holes *holes, const struct record *record);
/* A sample of the round: looks at its stack at once if its copy is cut. */
void stack_holes_see_sample(struct stack_holes *holes, const struct record *record);
/* How long the next round may wait; UINT64_MAX: as long as it likes. */
uint64_t stack_holes_interval_ns(const struct stack_holes *holes);

#endif
