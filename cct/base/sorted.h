/* Binary search in sorted arrays, with the comparison written where it is used. */
#ifndef CCT_BASE_SORTED_H
#define CCT_BASE_SORTED_H

#include <stddef.h>

/*
 * How many of @n elements are before the one looked for. @i is the name of a variable for the index
 * and @is_before an expression with it, true for elements from the first on and then for none.
 *
 *	size_t n = sorted_count(list->n, i, list->all[i].start <= addr);
 *	struct range *last_not_above = n ? &list->all[n - 1] : NULL;
 */
#define sorted_count(n, i, is_before)                                              \
	({                                                                         \
		size_t sorted_low_ = 0, sorted_high_ = (n);                        \
		while (sorted_low_ < sorted_high_) {                               \
			size_t i = sorted_low_ + (sorted_high_ - sorted_low_) / 2; \
			if (is_before)                                             \
				sorted_low_ = i + 1;                               \
			else                                                       \
				sorted_high_ = i;                                  \
		}                                                                  \
		sorted_low_;                                                       \
	})

#endif
