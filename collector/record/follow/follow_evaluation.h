/*
 * Evaluates what --follow asks for at a sample, a moment after it, and reads the memory that this
 * takes from the living process. One thread only.
 */
#ifndef COLLECTOR_RECORD_FOLLOW_FOLLOW_EVALUATION_H
#define COLLECTOR_RECORD_FOLLOW_FOLLOW_EVALUATION_H

#include "collector/record/follow/follow_link.h"

struct follow_evaluation;

/* @subjects is borrowed. @rules_map: gets rules by which the kernel reads at the next samples; less
 * than 0: none. NULL: out of memory. */
struct follow_evaluation *follow_evaluation_create(const struct follow_subjects *subjects,
						   int rules_map);
void follow_evaluation_destroy(struct follow_evaluation *evaluation);
/*
 * Answers a request; @regs, @memory, which may be NULL, and @stack are what follows it. Memory was
 * only read if the record, after the answer, has parts; without a record the sample needed none.
 */
void follow_evaluation_answer(struct follow_evaluation *evaluation,
			      const struct follow_request *request, const uint64_t *regs,
			      const struct perf_event_header *memory, const uint8_t *stack,
			      struct follow_answer_message *answer_ret);

#endif
