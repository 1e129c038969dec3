/*
 * Computes the visible parts of overlapping ranges, where later ranges hide earlier ones. JIT code
 * replaces older code in this way.
 */
#ifndef COLLECTOR_ATTACHED_LATEST_RANGES_H
#define COLLECTOR_ATTACHED_LATEST_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct range {
	uint64_t start, end; /* start < end */
	uint32_t number;     /* of the later one it is greater; no two are equal */
};

/*
 * Sorts @ranges by their start. *@parts_ret: what is on top, in order; no two overlap, and no two
 * that touch are of one number (to free). 0 or -ENOMEM. Takes O(n log n).
 */
int latest_ranges(struct range *ranges, size_t n, struct range **parts_ret, size_t *n_parts_ret);

#endif
