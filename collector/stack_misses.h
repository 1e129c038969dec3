/*
 * Why memory beyond the copies of samples was not recorded: what the recorder says of it, in the
 * recording (a stack record of its own) and to its reader.
 */
#ifndef COLLECTOR_STACK_MISSES_H
#define COLLECTOR_STACK_MISSES_H

#include <stdio.h>

#include "cct/profile.h"
#include "collector/deep_stacks.h"
#include "collector/stack_output.h"

struct stack_misses {
	int contexts_err; /* why nothing was kept of what signals interrupt: errno; 0: it was */
	uint64_t deep[N_DEEP_STACK_MISSES]; /* stacks whose rest was not read */
};

/* Nothing is written where nothing is amiss. 0 or the writer's -errno. */
int stack_misses_write(struct stack_output *output, const struct stack_misses *misses,
		       uint64_t time_ns);
/* false: this is no such record. */
bool stack_misses_read(const struct perf_event_header *record, struct stack_misses *ret);

/* "no tracefs is mounted"; of stack_misses.contexts_err. */
const char *stack_misses_contexts_text(int contexts_err);
/* "12 found no free debug register, 3 had gone with their thread" after @label; nothing if none
 * did. */
void stack_misses_print_deep(FILE *out, const char *label,
			     const uint64_t misses[N_DEEP_STACK_MISSES]);
/* Tells the profile, for the paths that end for want of that memory. 0 or -ENOMEM. */
int stack_misses_explain(const struct stack_misses *misses, struct profile_info *info);

#endif
