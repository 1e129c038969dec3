/*
 * What variables are at samples, one after the other in their order: whether the conditions of
 * --where hold, and the values that --split divides paths by. One thread only, but for
 * sample_values_join().
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

struct value_questions {
	const struct value_condition *const *conditions;
	size_t n_conditions;
	const struct value_subject *split; /* NULL: paths are not divided */
};

struct placed_frame; /* collector/paths/frame_tree.h */
struct sample_values;

/* After the first sample was read, when all that names need is known. All are borrowed. NULL: out
 * of memory. */
struct sample_values *sample_values_create(const struct value_questions *questions,
					   const struct profile *recording);
/* NULL is fine. */
void sample_values_destroy(struct sample_values *values);
/*
 * What became of all conditions together: CONDITION_FAILS if one fails, else the first that is not
 * known. 0 or -ENOMEM. Samples of one record are asked once.
 */
int sample_values_ask(struct sample_values *values, const struct sample *sample,
		      enum condition_answer *answer_ret);
/* Whether a condition was answered, at the sample that was asked last, by memory that was read a
 * moment after it. */
bool sample_values_used_later(const struct sample_values *values);
/* Gives a sample the value by which its path is divided. Texts of values go to @profile. 0 or
 * -ENOMEM. */
int sample_values_split(struct sample_values *values, struct sample *sample,
			struct profile *profile);
/* By any thread: a sample's path is about to be joined to @outer, so its value, if the function is
 * there, is not known. @sample: its path is resolved. */
void sample_values_join(struct sample_values *values, struct sample *sample,
			const struct placed_frame *outer, size_t n_outer);
const struct condition_findings *sample_values_findings(const struct sample_values *values,
							size_t condition);

#endif
