/*
 * Samples without the unused space of their stack copy. The kernel reserves all of
 * attr.sample_stack_user in each record; only dyn_size bytes of it are valid. A trimmed sample has
 * size = dyn_size rounded up to 8, and is otherwise the same record.
 *
 * Readers of the recording distinguish a full copy from one that ended at a fault by dyn_size and
 * the attr: it is full iff dyn_size >= attr.sample_stack_user, or the record had the maximum size.
 */
#ifndef PERF_RECORDS_SAMPLE_TRIM_H
#define PERF_RECORDS_SAMPLE_TRIM_H

#include "perf/records/record.h"

/* How a record is going to be copied. */
struct sample_trim {
	const struct perf_event_header *header;
	uint16_t misc;
	size_t size;        /* of the record without the unused space */
	size_t before_size; /* up to the position of the stack's size */
	const uint8_t *stack;
	size_t valid_size; /* of the stack */
	const uint8_t *after;
	size_t after_size;
};

/* @header: a PERF_RECORD_SAMPLE, valid as long as @trim is used. One that can't be decoded is left
 * as it is. */
void sample_trim_init(struct sample_trim *trim, const struct record_layout *layout,
		      const struct perf_event_header *header);
/* Takes the stack's bytes out of the copy, which is marked (RECORD_MISC_STACK_LEFT_OUT). false: the
 * sample has none, so nothing changed. */
bool sample_trim_leave_stack_out(struct sample_trim *trim);
/* @to: trim->size bytes. */
void sample_trim_copy(const struct sample_trim *trim, void *to);

#endif
