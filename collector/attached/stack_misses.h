/*
 * The reasons why memory beyond the copies of samples was not recorded. The recorder writes them to
 * the recording, in a separate stack record, and reports them to the user.
 */
#ifndef COLLECTOR_ATTACHED_STACK_MISSES_H
#define COLLECTOR_ATTACHED_STACK_MISSES_H

#include "cct/model/profile.h"
#include "perf/records/stack_record.h"

struct stack_misses {
	int contexts_err; /* why no contexts of signals were recorded: errno; 0: they were */
	/* Stacks whose rest was not read, by enum unread_rest. */
	uint64_t deep[N_UNREAD_RESTS];
	int seconds_err; /* why no second stacks were recorded, by BPF: errno; 0: they were */
};

/* The words of a record: contexts_err, reasons up to REST_FAILED, seconds_err, later reasons. */
#define STACK_MISSES_WORDS (2 + N_UNREAD_RESTS)

void stack_misses_words(const struct stack_misses *misses, uint64_t words_ret[STACK_MISSES_WORDS]);
/* false: this is not such a record. Words that are missing, as older recorders' are, count as 0. */
bool stack_misses_read(const struct perf_event_header *record, struct stack_misses *ret);

/* "no tracefs is mounted"; of stack_misses.contexts_err. */
const char *stack_misses_contexts_text(int contexts_err);
/* The profile gets the reasons why paths end where that memory is missing. 0 or
 * -ENOMEM. */
int stack_misses_explain(const struct stack_misses *misses, struct profile *profile);

#endif
