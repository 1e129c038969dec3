/*
 * One process's mappings: address -> module and file offset.
 *
 * An address space is a shared value: each change makes a new epoch. The array is shared
 * copy-on-write, so a fork or a snapshot for a worker thread costs one reference. A later mapping
 * replaces the mappings that it overlaps. The kernel does not report munmap, so an unmapped mapping
 * stays until another one overlaps it.
 */
#ifndef UNWIND_RULES_ADDRESS_SPACE_H
#define UNWIND_RULES_ADDRESS_SPACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapping {
	uint64_t start, end;
	uint64_t offset; /* file offset of @start; the address itself for anonymous memory */
	uint32_t module; /* id in the module table */
	bool is_exec;
};

/* Immutable while anyone but its owner holds a reference. Sorted by start, no overlaps. */
struct address_space {
	atomic_uint n_refs;
	uint64_t epoch;      /* identifies this state among all states of the recording */
	uint64_t code_epoch; /* identifies the state of its executable mappings; equal states of
				several address spaces may share one: a key for caches of code */
	struct mapping *mappings;
	size_t n_mappings, n_allocated;
};

struct address_space *address_space_create(void);
struct address_space *address_space_ref(struct address_space *space);
void address_space_unref(struct address_space *space);
/*
 * Adds a mapping, splitting and replacing what it overlaps. *@space is copied first if it is
 * shared, and gets a new epoch. 0, -ENOMEM or -EINVAL (an empty mapping); unchanged then.
 */
int address_space_map(struct address_space **space, const struct mapping *mapping);
/* Adds many mappings, sorted by start, that do not overlap. If memory is exhausted, only some are
 * added. */
int address_space_map_all(struct address_space **space, const struct mapping *mappings, size_t n);
/* Index of the first mapping that ends above @addr. */
size_t address_space_first(const struct address_space *space, uint64_t addr);
const struct mapping *address_space_find(const struct address_space *space, uint64_t addr);

#endif
