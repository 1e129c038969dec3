/*
 * Whether the conditions of --where hold for samples, one after the other in their order. One
 * thread only.
 */
#ifndef COLLECTOR_VALUES_SAMPLE_VALUES_H
#define COLLECTOR_VALUES_SAMPLE_VALUES_H

#include "cct/model/profile.h"
#include "collector/paths/sample.h"
#include "report/values/value_condition.h"

/* What became of a condition at a sample. */
enum condition_answer {
	CONDITION_HOLDS,
	CONDITION_FAILS,       /* or the function is not on the path */
	CONDITION_NO_FUNCTION, /* the path is not complete; the function may be on the rest */
	CONDITION_NO_VALUE,    /* it is not known, or cannot be compared so */
};

/* Of the samples that were asked. */
struct condition_findings {
	uint64_t n_found; /* with the function on their path */
	uint64_t n_known; /* of these: the condition holds or does not */
	uint64_t n_held;
	uint64_t n_wrong;   /* what is asked does not fit the type */
	uint64_t n_without; /* without debug information */
};

struct sample_values;

/* After the first sample was read, when all that names need is known. All are borrowed. NULL: out
 * of memory. */
struct sample_values *sample_values_create(const struct value_condition *const *conditions,
					   size_t n_conditions, const struct profile *recording);
/* NULL is fine. */
void sample_values_destroy(struct sample_values *values);
/*
 * What became of all conditions together: CONDITION_FAILS if one fails, else the first that is not
 * known. 0 or -ENOMEM. Samples of one record are asked once.
 */
int sample_values_ask(struct sample_values *values, const struct sample *sample,
		      enum condition_answer *answer_ret);
const struct condition_findings *sample_values_findings(const struct sample_values *values,
							size_t condition);

#endif
