/*
 * The reasons why memory beyond the copies of samples was not recorded. The recorder writes them to
 * the recording, in a separate stack record, and reports them to the user.
 */
#ifndef COLLECTOR_ATTACHED_STACK_MISSES_H
#define COLLECTOR_ATTACHED_STACK_MISSES_H

#include <stdio.h>

#include "cct/model/profile.h"
#include "perf/records/stack_record.h"

/* Why the rest of a stack was not read. Recordings contain the counts in this order. */
enum deep_stack_miss {
	DEEP_STACK_MOVED_ON,    /* the thread had left the sampled frames before it was looked at */
	DEEP_STACK_NO_TIME,     /* more of them than the recorder has time for */
	DEEP_STACK_NO_REGISTER, /* all debug registers are in use */
	DEEP_STACK_FORBIDDEN,   /* no permission to watch the thread, or to read its memory */
	DEEP_STACK_NOT_OWN,     /* a stack that the program made and may continue elsewhere */
	DEEP_STACK_NO_WALK,     /* no way through the copy */
	DEEP_STACK_FAILED,      /* the thread has ended; no memory */
	N_DEEP_STACK_MISSES
};

struct stack_misses {
	int contexts_err; /* why no contexts of signals were recorded: errno; 0: they were */
	uint64_t deep[N_DEEP_STACK_MISSES]; /* stacks whose rest was not read */
	int seconds_err; /* why no second stacks were recorded, by BPF: errno; 0: they were */
};

/* false: this is not such a record. */
bool stack_misses_read(const struct perf_event_header *record, struct stack_misses *ret);

/* "moved on before they could be read" */
const char *deep_stack_miss_text(enum deep_stack_miss miss);
/* "no tracefs is mounted"; of stack_misses.contexts_err. */
const char *stack_misses_contexts_text(int contexts_err);
/* "12 found no free debug register, 3 had gone with their thread" after @label; nothing if none
 * did. */
void stack_misses_print_deep(FILE *out, const char *label,
			     const uint64_t misses[N_DEEP_STACK_MISSES]);
/* Adds the reasons to the profile, for the paths that end because that memory is missing. 0 or
 * -ENOMEM. */
int stack_misses_explain(const struct stack_misses *misses, struct profile_info *info);

#endif
