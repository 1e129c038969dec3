/* The functions with the highest self cost, as the table of functions sorts them. */
#ifndef REPORT_ANNOTATE_HOTTEST_FUNCTION_H
#define REPORT_ANNOTATE_HOTTEST_FUNCTION_H

#include <stddef.h>

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

struct hottest_function {
	struct frame_name name;
	uint64_t self; /* of the metric */
};

struct hottest_limits {
	size_t max;     /* so many at most */
	uint64_t least; /* each has this self cost at least; one without cost is none */
};

/*
 * Fills @hottest, which has room for limits->max, the highest first. Names are valid for the
 * symbolizer's life. 0 or -ENOMEM.
 */
int hottest_functions_find(const struct profile *profile, struct symbolizer *symbolizer,
			   uint32_t metric, const struct hottest_limits *limits,
			   struct hottest_function *hottest, size_t *n_ret);

#endif
