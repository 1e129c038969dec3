/*
 * Finds the function in the stack of each sample, and the values of its variables in the frame: its
 * innermost activation, compiled or inlined. One thread only.
 */
#ifndef COLLECTOR_VALUES_VALUE_FRAMES_H
#define COLLECTOR_VALUES_VALUE_FRAMES_H

#include "collector/paths/sample.h"
#include "report/names/function_query.h"
#include "report/values/value_expression.h"
#include "report/values/value_table.h"

struct value_request {
	const char *function;
	const struct value_expression *expressions; /* none: all parameters */
	size_t n_expressions;
	bool locals;
	bool by_context; /* also apart for each calling context of the function */
	bool together;   /* also what all expressions were at the same samples */
};

struct value_frames;

/* All are borrowed. NULL: out of memory. */
struct value_frames *value_frames_create(const struct value_request *request,
					 const struct profile *recording,
					 struct symbolizer *symbolizer);
void value_frames_destroy(struct value_frames *frames);
/* Adds a sample to the table. 0 or -ENOMEM. */
int value_frames_add(struct value_frames *frames, const struct sample *sample,
		     struct value_table *table);

#endif
