/*
 * Sorts by addresses, in a few passes over their bytes: symbols of a file are many thousands, whose
 * comparison two by two takes most of the time of reading them.
 */
#ifndef CCT_CODE_ADDRESS_SORT_H
#define CCT_CODE_ADDRESS_SORT_H

#include <stddef.h>
#include <stdint.h>

struct address_value {
	uint64_t addr, value;
};

/* Sorts by address, and those of one address by value. 0, or -ENOMEM: not sorted. */
int address_sort(struct address_value *items, size_t n);

#endif
