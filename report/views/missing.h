/* What a report has to do without: modules without names or debug information, and what they cost.
 */
#ifndef REPORT_VIEWS_MISSING_H
#define REPORT_VIEWS_MISSING_H

#include "report/names/symbolize.h"
#include "report/views/view.h"

struct missing {
	struct symbol_problem problem;
	const uint64_t *total; /* per metric: of samples with the module on their path */
	const uint64_t *self;  /* its own */
};

struct missing_list {
	struct missing *items; /* names first, then debug information; by cost, the most first */
	size_t n;
	uint64_t *costs; /* what the items point to */
};

/* Of everything that was named so far. @sort_metric: whose cost. 0 or -ENOMEM. */
int missing_list_init(struct missing_list *list, const struct profile *profile,
		      const struct symbolizer *symbolizer, uint32_t sort_metric);
void missing_list_deinit(struct missing_list *list);
/* The cost that counts: names are missing on a path, debug information at its end. */
uint64_t missing_cost(const struct missing *missing, uint32_t metric);
/* "names", "debug information", "certainty" */
const char *missing_lack_name(enum symbol_lack lack);

#endif
