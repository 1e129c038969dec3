/* Comparing, for sorting by several things one after the other. */
#ifndef CCT_BASE_COMPARE_H
#define CCT_BASE_COMPARE_H

#include <stdint.h>

/* Less than, equal to or more than 0, as @a to @b. */
static inline int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
