/* Goes up through the numbers; a binary heap holds the ranges that cover the place. */
#include "collector/attached/latest_ranges.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

struct heap {
	const struct range **ranges; /* the latest first */
	size_t n;
};

static int compare_starts(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void heap_push(struct heap *heap, const struct range *range)
{
	size_t i = heap->n++;

	for (; i && heap->ranges[(i - 1) / 2]->number < range->number; i = (i - 1) / 2)
		heap->ranges[i] = heap->ranges[(i - 1) / 2];
	heap->ranges[i] = range;
}

static void heap_pop(struct heap *heap)
{
	const struct range *last = heap->ranges[--heap->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < heap->n &&
		    heap->ranges[child + 1]->number > heap->ranges[child]->number)
			child++;
		if (child >= heap->n || heap->ranges[child]->number < last->number)
			break;
		heap->ranges[i] = heap->ranges[child];
		i = child;
	}
	heap->ranges[i] = last;
}

/* Appends a part, or to the last one if it goes on there. */
static size_t add_part(struct range *parts, size_t n, const struct range *part)
{
	if (n && parts[n - 1].number == part->number && parts[n - 1].end == part->start) {
		parts[n - 1].end = part->end;
		return n;
	}
	parts[n] = *part;
	return n + 1;
}

/* The top changes where a range begins, and where the top one ends: @parts has room for 2 n. */
static size_t sweep(const struct range *ranges, size_t n, struct heap *heap, struct range *parts)
{
	size_t next = 0, n_parts = 0;
	uint64_t at = 0;

	while (next < n || heap->n) {
		if (!heap->n)
			at = ranges[next].start;
		while (next < n && ranges[next].start <= at)
			heap_push(heap, &ranges[next++]);
		while (heap->n && heap->ranges[0]->end <= at)
			heap_pop(heap);
		if (!heap->n)
			continue;
		struct range part = { at, heap->ranges[0]->end, heap->ranges[0]->number };
		if (next < n && ranges[next].start < part.end)
			part.end = ranges[next].start;
		n_parts = add_part(parts, n_parts, &part);
		at = part.end;
	}
	return n_parts;
}

int latest_ranges(struct range *ranges, size_t n, struct range **parts_ret, size_t *n_parts_ret)
{
	_cleanup_free_ const struct range **room = calloc(n + 1, sizeof(*room));
	struct range *parts = calloc(2 * n + 1, sizeof(*parts));
	struct heap heap = { .ranges = room };

	if (!room || !parts) {
		free(parts);
		return -ENOMEM;
	}
	if (n)
		qsort(ranges, n, sizeof(*ranges), compare_starts);
	*n_parts_ret = sweep(ranges, n, &heap, parts);
	*parts_ret = parts;
	return 0;
}
