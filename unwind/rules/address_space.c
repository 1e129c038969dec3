/* One process's mappings, sorted by start. Snapshots share the array copy-on-write. */
#include "unwind/rules/address_space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/sorted.h"

/* A new mapping in the middle of an old one leaves three. */
#define MOST_ADDED_AT_ONCE 2
#define FEW                8

/* Names every state of every address space; caches are keyed by it. One counter for all threads and
 * profiles, so that two states never have the same number. */
static atomic_uint_fast64_t last_epoch;

static uint64_t next_epoch(void)
{
	return atomic_fetch_add_explicit(&last_epoch, 1, memory_order_relaxed) + 1;
}

static struct address_space *create_with(size_t n_allocated)
{
	struct address_space *space = calloc(1, sizeof(*space));
	if (!space)
		return NULL;
	space->mappings = reallocarray(NULL, n_allocated, sizeof(*space->mappings));
	if (!space->mappings) {
		free(space);
		return NULL;
	}
	space->n_allocated = n_allocated;
	space->epoch = space->code_epoch = next_epoch();
	atomic_init(&space->n_refs, 1);
	return space;
}

struct address_space *address_space_create(void)
{
	return create_with(16);
}

struct address_space *address_space_ref(struct address_space *space)
{
	atomic_fetch_add_explicit(&space->n_refs, 1, memory_order_relaxed);
	return space;
}

void address_space_unref(struct address_space *space)
{
	if (!space || atomic_fetch_sub_explicit(&space->n_refs, 1, memory_order_acq_rel) > 1)
		return;
	free(space->mappings);
	free(space);
}

/* Makes *@space the caller's alone, with room for what one mapping can add. */
static int make_writable(struct address_space **space)
{
	struct address_space *old = *space;
	size_t n_needed = old->n_mappings + MOST_ADDED_AT_ONCE;

	if (atomic_load_explicit(&old->n_refs, memory_order_acquire) > 1) {
		struct address_space *copy = create_with(n_needed + n_needed / 4);
		if (!copy)
			return -ENOMEM;
		memcpy(copy->mappings, old->mappings, old->n_mappings * sizeof(*old->mappings));
		copy->n_mappings = old->n_mappings;
		copy->code_epoch = old->code_epoch;
		address_space_unref(old);
		*space = copy;
		return 0;
	}
	if (n_needed > old->n_allocated) {
		size_t n = n_needed + n_needed / 2;
		struct mapping *mappings = reallocarray(old->mappings, n, sizeof(*mappings));
		if (!mappings)
			return -ENOMEM;
		old->mappings = mappings;
		old->n_allocated = n;
	}
	old->epoch = next_epoch();
	return 0;
}

/* The first mapping that ends above @addr. */
static size_t first_ending_above(const struct address_space *space, uint64_t addr)
{
	return sorted_count(space->n_mappings, i, space->mappings[i].end <= addr);
}

int address_space_map(struct address_space **space, const struct mapping *mapping)
{
	if (mapping->start >= mapping->end)
		return -EINVAL;
	int err = make_writable(space);
	if (err)
		return err;

	struct address_space *into = *space;
	size_t first = first_ending_above(into, mapping->start);
	size_t after = first;
	bool is_code_changed = mapping->is_exec;
	for (; after < into->n_mappings && into->mappings[after].start < mapping->end; after++)
		is_code_changed |= into->mappings[after].is_exec;
	if (is_code_changed)
		into->code_epoch = into->epoch;

	/* The remains of the mappings [first, after): a head before the new mapping, a tail after
	 * it. */
	struct mapping pieces[3];
	size_t n_pieces = 0;
	if (first < after && into->mappings[first].start < mapping->start) {
		pieces[n_pieces] = into->mappings[first];
		pieces[n_pieces++].end = mapping->start;
	}
	pieces[n_pieces++] = *mapping;
	if (first < after && into->mappings[after - 1].end > mapping->end) {
		struct mapping tail = into->mappings[after - 1];

		tail.offset += mapping->end - tail.start;
		tail.start = mapping->end;
		pieces[n_pieces++] = tail;
	}
	memmove(into->mappings + first + n_pieces, into->mappings + after,
		(into->n_mappings - after) * sizeof(*into->mappings));
	memcpy(into->mappings + first, pieces, n_pieces * sizeof(*pieces));
	into->n_mappings = into->n_mappings - (after - first) + n_pieces;
	return 0;
}

/* Appends the part of @mapping from @start to @end, if there is any. */
static void append_part(struct address_space *space, const struct mapping *mapping, uint64_t start,
			uint64_t end)
{
	struct mapping part = *mapping;

	if (start >= end)
		return;
	part.offset += start - mapping->start;
	part.start = start;
	part.end = end;
	space->mappings[space->n_mappings++] = part;
}

static bool is_in_order(const struct mapping *mappings, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (mappings[i].start >= mappings[i].end ||
		    (i && mappings[i - 1].end > mappings[i].start))
			return false;
	}
	return true;
}

/* For a few mappings, moving the mappings after them costs less than building the array again. */
static int map_few(struct address_space **space, const struct mapping *mappings, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = address_space_map(space, &mappings[i]);
	return err;
}

int address_space_map_all(struct address_space **space, const struct mapping *mappings, size_t n)
{
	const struct address_space *old = *space;
	uint64_t covered = 0; /* new mappings have been appended up to this address */
	size_t next = 0;

	if (!is_in_order(mappings, n))
		return -EINVAL;
	if (n <= FEW)
		return map_few(space, mappings, n);
	struct address_space *all = create_with(old->n_mappings + MOST_ADDED_AT_ONCE * (n + 1));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < old->n_mappings; i++) {
		const struct mapping *under = &old->mappings[i];
		uint64_t at = under->start > covered ? under->start : covered;

		for (; next < n && mappings[next].start < under->end; next++) {
			const struct mapping *added = &mappings[next];

			append_part(all, under, at, added->start);
			append_part(all, added, added->start, added->end);
			covered = added->end;
			at = at > covered ? at : covered;
		}
		append_part(all, under, at, under->end);
	}
	for (; next < n; next++)
		append_part(all, &mappings[next], mappings[next].start, mappings[next].end);
	address_space_unref(*space);
	*space = all;
	return 0;
}

size_t address_space_first(const struct address_space *space, uint64_t addr)
{
	return first_ending_above(space, addr);
}

const struct mapping *address_space_find(const struct address_space *space, uint64_t addr)
{
	size_t i = first_ending_above(space, addr);

	if (i == space->n_mappings || space->mappings[i].start > addr)
		return NULL;
	return &space->mappings[i];
}
