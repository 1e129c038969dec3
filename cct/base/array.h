/*
 * Arrays that grow by doubling: a pointer, the number of elements used, and the number allocated.
 * The counts may be of any unsigned type; an array never has more elements than its count can say.
 *
 *	if (array_reserve(list->names, list->n_names, list->n_allocated, 1))
 *		return -ENOMEM;
 *	list->names[list->n_names++] = name;
 *
 * All zero is an empty array; whoever owns it calls free() with the pointer.
 */
#ifndef CCT_BASE_ARRAY_H
#define CCT_BASE_ARRAY_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define ARRAY_FIRST 8 /* elements of the smallest array that is allocated */

/* Used by the macros. NULL: not enough memory, or more than @n_max; @array stays valid. */
static inline void *array_enlarge(void *array, size_t element_size, size_t n_used, size_t n_more,
				  size_t n_max, size_t *n_allocated)
{
	if (n_max > PTRDIFF_MAX / element_size)
		n_max = PTRDIFF_MAX / element_size;
	size_t n = *n_allocated > n_max / 2 ? n_max : 2 * *n_allocated;

	if (n_used > n_max || n_more > n_max - n_used)
		return NULL;
	if (n < ARRAY_FIRST)
		n = ARRAY_FIRST;
	if (n < n_used + n_more)
		n = n_used + n_more;
	void *larger = reallocarray(array, n, element_size);
	if (larger)
		*n_allocated = n;
	return larger;
}

static inline bool array_is_power_of_two(size_t n)
{
	return !(n & (n - 1));
}

/*
 * Makes room for @n_more elements after the @n_used that are there. @array and @n_allocated are
 * changed. 0, or -ENOMEM with nothing changed. New elements are not initialized.
 */
#define array_reserve(array, n_used, n_allocated, n_more)                                  \
	({                                                                                 \
		size_t array_used_ = (n_used), array_more_ = (n_more);                     \
		size_t array_allocated_ = (n_allocated);                                   \
		int array_err_ = 0;                                                        \
		if (array_more_ > array_allocated_ - array_used_) {                        \
			void *array_larger_ = array_enlarge(                               \
				(array), sizeof(*(array)), array_used_, array_more_,       \
				(size_t)(__typeof__(n_allocated))-1, &array_allocated_);   \
			if (array_larger_) {                                               \
				(array) = array_larger_;                                   \
				(n_allocated) = (__typeof__(n_allocated))array_allocated_; \
			} else {                                                           \
				array_err_ = -ENOMEM;                                      \
			}                                                                  \
		}                                                                          \
		array_err_;                                                                \
	})

/*
 * Makes room for one element more in an array that keeps no number of those allocated, and grows by
 * this macro alone: each time @n_used reaches a power of two. 0 or -ENOMEM.
 */
#define array_reserve_one(array, n_used)                                                        \
	({                                                                                      \
		size_t one_used_ = (n_used), one_allocated_ = one_used_;                        \
		int one_err_ = 0;                                                               \
		if (!one_used_ ||                                                               \
		    (one_used_ >= ARRAY_FIRST && array_is_power_of_two(one_used_))) {           \
			void *one_larger_ =                                                     \
				array_enlarge((array), sizeof(*(array)), one_used_, 1,          \
					      (size_t)(__typeof__(n_used))-1, &one_allocated_); \
			if (one_larger_)                                                        \
				(array) = one_larger_;                                          \
			else                                                                    \
				one_err_ = -ENOMEM;                                             \
		}                                                                               \
		one_err_;                                                                       \
	})

#endif
