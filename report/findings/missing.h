/* Modules whose names or debug information are missing, with their costs. */
#ifndef REPORT_FINDINGS_MISSING_H
#define REPORT_FINDINGS_MISSING_H

#include "report/names/symbolize.h"
#include "report/views/view.h"

struct missing {
	struct symbol_problem problem;
	/* Per metric; of missing names, that code of the module counts which has none. */
	const uint64_t *total; /* of samples with the module on their path */
	const uint64_t *self;  /* of samples in the module itself */
};

struct missing_list {
	struct missing *items; /* names first, then debug information; highest cost first */
	size_t n;
	uint64_t *costs, *unnamed_costs; /* the costs that the items point to */
};

/*
 * Lists the problems of all frames that the symbolizer has named so far, sorted by the cost in
 * @sort_metric. 0 or -ENOMEM.
 */
int missing_list_init(struct missing_list *list, const struct profile *profile,
		      struct symbolizer *symbolizer, uint32_t sort_metric);
void missing_list_deinit(struct missing_list *list);
/*
 * The cost that a problem is ranked by: total cost for missing names, self cost for missing debug
 * information.
 */
uint64_t missing_cost(const struct missing *missing, uint32_t metric);
/*
 * The files on this machine that are stripped and cost at least @least, whose symbols are therefore
 * in debug packages, the costliest first; at most @n_max. The paths are the profile's. Returns
 * their number.
 */
size_t missing_list_stripped(const struct missing_list *list, const struct profile *profile,
			     uint32_t metric, double least, const char **paths, size_t n_max);
/* "names", "debug information", "certainty" */
const char *missing_lack_name(enum symbol_lack lack);

#endif
