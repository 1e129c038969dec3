#include "cct/code/start_order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

#define DIGIT_BITS 11
#define N_DIGITS   (1u << DIGIT_BITS)

struct key {
	uint64_t start;
	size_t index;
};

static uint64_t start_of(const uint8_t *element)
{
	uint64_t start;

	memcpy(&start, element, sizeof(start));
	return start;
}

/* The bits in which they differ; 0: they are in order. */
static uint64_t differing_bits(const uint8_t *elements, size_t n, size_t size)
{
	uint64_t differing = 0, last = n ? start_of(elements) : 0;
	bool is_sorted = true;

	for (size_t i = 1; i < n; i++) {
		const uint64_t start = start_of(elements + i * size);

		is_sorted &= start >= last;
		differing |= start ^ last;
		last = start;
	}
	return is_sorted ? 0 : differing;
}

/* By one digit; those with the same digit stay in their order. */
static void sort_digit(const struct key *from, struct key *to, size_t n, unsigned shift)
{
	size_t first[N_DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		first[from[i].start >> shift & (N_DIGITS - 1)]++;
	for (size_t digit = 0; digit < N_DIGITS; digit++) {
		const size_t n_of_digit = first[digit];

		first[digit] = sum;
		sum += n_of_digit;
	}
	for (size_t i = 0; i < n; i++)
		to[first[from[i].start >> shift & (N_DIGITS - 1)]++] = from[i];
}

/* @keys: room for twice as many as there are. Where the sorted ones are. */
static const struct key *sort_keys(struct key *keys, size_t n, uint64_t differing)
{
	struct key *from = keys, *to = keys + n;

	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!(differing >> shift & (N_DIGITS - 1)))
			continue;
		sort_digit(from, to, n, shift);
		struct key *sorted = to;
		to = from;
		from = sorted;
	}
	return from;
}

int sort_by_start(void *elements, size_t n, size_t size)
{
	uint8_t *const bytes = elements;
	const uint64_t differing = differing_bits(bytes, n, size);

	if (!differing)
		return 0;
	_cleanup_free_ struct key *keys = calloc(n, 2 * sizeof(*keys));
	_cleanup_free_ uint8_t *copy = malloc(n * size);
	if (!keys || !copy)
		return -ENOMEM;
	memcpy(copy, bytes, n * size);
	for (size_t i = 0; i < n; i++)
		keys[i] = (struct key){ start_of(bytes + i * size), i };
	const struct key *sorted = sort_keys(keys, n, differing);
	for (size_t i = 0; i < n; i++)
		memcpy(bytes + i * size, copy + sorted[i].index * size, size);
	return 0;
}
