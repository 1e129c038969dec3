/*
 * A radix sort, from the lowest byte of the address that differs between items on. Each pass keeps
 * the order of items with the same byte.
 */
#include "cct/code/address_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

enum { BYTE_VALUES = 256, ADDRESS_BITS = 64, BYTE_BITS = 8 };

/* The bits of addresses that are not the same in all of them. */
static uint64_t find_varying(const struct address_value *items, size_t n)
{
	uint64_t varying = 0;

	for (size_t i = 1; i < n; i++)
		varying |= items[i].addr ^ items[0].addr;
	return varying;
}

static void sort_by_byte(const struct address_value *from, struct address_value *to, size_t n,
			 unsigned shift)
{
	size_t starts[BYTE_VALUES] = { 0 }, start = 0;

	for (size_t i = 0; i < n; i++)
		starts[from[i].addr >> shift & (BYTE_VALUES - 1)]++;
	for (unsigned byte = 0; byte < BYTE_VALUES; byte++) {
		const size_t count = starts[byte];

		starts[byte] = start;
		start += count;
	}
	for (size_t i = 0; i < n; i++)
		to[starts[from[i].addr >> shift & (BYTE_VALUES - 1)]++] = from[i];
}

static int compare_values(const void *a, const void *b)
{
	const struct address_value *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static void sort_equal_addresses(struct address_value *items, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && items[end].addr == items[i].addr;)
			end++;
		if (end - i > 1)
			qsort(&items[i], end - i, sizeof(*items), compare_values);
	}
}

int address_sort(struct address_value *items, size_t n)
{
	_cleanup_free_ struct address_value *room = n ? malloc(n * sizeof(*room)) : NULL;
	struct address_value *from = items, *to = room;
	const uint64_t varying = find_varying(items, n);

	if (n && !room)
		return -ENOMEM;
	for (unsigned shift = 0; shift < ADDRESS_BITS; shift += BYTE_BITS) {
		if (!(varying >> shift & (BYTE_VALUES - 1)))
			continue;
		sort_by_byte(from, to, n, shift);
		struct address_value *sorted = to;
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	sort_equal_addresses(items, n);
	return 0;
}
