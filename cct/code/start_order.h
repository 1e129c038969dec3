/*
 * Sorts what is in code by where it begins: large tables of program files, whose addresses are in a
 * small part of all numbers, in time that grows with their number alone (a radix sort).
 */
#ifndef CCT_CODE_START_ORDER_H
#define CCT_CODE_START_ORDER_H

#include <stddef.h>

/*
 * Each of the @n elements has @size bytes, of which the first eight are a uint64_t by which they
 * are sorted. Those with the same number stay in their order. 0, or -ENOMEM with nothing changed.
 */
int sort_by_start(void *elements, size_t n, size_t size);

#endif
