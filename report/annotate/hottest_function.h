/* The function with the highest self cost, as the table of functions sorts them. */
#ifndef REPORT_ANNOTATE_HOTTEST_FUNCTION_H
#define REPORT_ANNOTATE_HOTTEST_FUNCTION_H

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

struct hottest_function {
	struct frame_name name;
	uint64_t self; /* of the metric */
};

/* false: no function has a cost, or there is no memory. Names are valid for the symbolizer's life.
 */
bool hottest_function_find(const struct profile *profile, struct symbolizer *symbolizer,
			   uint32_t metric, struct hottest_function *ret);

#endif
