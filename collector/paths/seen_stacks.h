/*
 * Which calls on a path are new since the sample before: the edge counts of csprof (Froyd,
 * Mellor-Crummey, Fowler: Low-overhead call path profiling of unmodified, optimized code, ICS 2005,
 * section 2.4). csprof marks a frame by a trampoline; from samples alone it is what can be proved
 * (docs/decisions/0028-activations.md):
 *
 * A call is known by where it returns to and where on the stack that is: both stay the same while
 * it is active. Where the path before has another frame, what that frame called has returned; so
 * each call further in is new, and it is counted once. The call of the first frame that differs may
 * be the one of the path before, somewhere else in its code, so it is not counted.
 *
 * Paths are compared with the last one of the same stack. What they do not show, or are not sure
 * of, is left out by their user: fewer paths count less.
 *
 * Belongs to one thread at a time. Memory is bounded by SEEN_STACKS_MAX and the frames of each.
 */
#ifndef COLLECTOR_PATHS_SEEN_STACKS_H
#define COLLECTOR_PATHS_SEEN_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEN_STACKS_MAX (1u << 16)
#define SEEN_FRAMES_MAX 4096 /* of a stack; no calls further in are counted */

struct seen_path {
	uint32_t process; /* its number: another one after each exec */
	bool has_begun;   /* the process began by exec while recorded */
	uint64_t root_sp; /* the stack pointer of the outermost frame: which stack it is */
	/* Root first: a hash of the address and the stack pointer of each frame. Two that are equal
	 * by chance count one call less. */
	const uint32_t *frames;
	size_t n_frames; /* at least 2 */
};

struct seen_stacks;

/* NULL: out of memory. */
struct seen_stacks *seen_stacks_create(void);
void seen_stacks_destroy(struct seen_stacks *stacks);
/*
 * Enters the paths in the order of time. *@n_new_ret: how many of the innermost frames are of calls
 * that were made since the last path of the stack. Of the first path of a process that has begun
 * they are all; of the first path of any other stack none. 0 or -ENOMEM.
 */
int seen_stacks_enter(struct seen_stacks *stacks, const struct seen_path *path, size_t *n_new_ret);

#endif
