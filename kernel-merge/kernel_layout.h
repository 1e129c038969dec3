/*
 * The address ranges of kernel code at each point in time. BPF programs, trampolines and kernel
 * modules are loaded and unloaded, and an address may belong to one after the other.
 *
 * A layout is a persistent tree: a change makes a new tree that shares the unchanged parts with the
 * old one, and layouts that were handed out stay as they are. So one thread may change the layout
 * while any number of threads look up addresses, and a sample refers to the layout of its time by a
 * pointer. All layouts live as long as the struct kernel_layouts.
 */
#ifndef KERNEL_MERGE_KERNEL_LAYOUT_H
#define KERNEL_MERGE_KERNEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_range {
	uint64_t start, end;
	uint64_t offset; /* offset of @start in the module */
	uint32_t module;
	bool has_room; /* a range inserted into its middle keeps the part after it */
};

struct kernel_layout; /* NULL: an empty layout */
struct kernel_layouts;

struct kernel_layouts *kernel_layouts_create(void);
void kernel_layouts_destroy(struct kernel_layouts *layouts);

/* The range that contains @addr, or NULL. */
const struct kernel_range *kernel_layout_find(const struct kernel_layout *layout, uint64_t addr);
/* The current layout, for a sample to keep. Later changes do not modify it. */
const struct kernel_layout *kernel_layouts_take(struct kernel_layouts *layouts);
/* The current layout, valid until the next change. */
const struct kernel_layout *kernel_layouts_peek(const struct kernel_layouts *layouts);
/*
 * Inserts @range from now on. Ranges that begin inside it are removed; a range that reaches into it
 * from below ends at its start. 0; -ENOMEM; -E2BIG: the limit of memory for layouts is reached.
 */
int kernel_layouts_put(struct kernel_layouts *layouts, const struct kernel_range *range);
/* Removes the ranges that begin in [@start, @end) from now on. Likewise. */
int kernel_layouts_remove(struct kernel_layouts *layouts, uint64_t start, uint64_t end);
/* After -E2BIG: makes @layout the current layout from now on. */
void kernel_layouts_return_to(struct kernel_layouts *layouts, const struct kernel_layout *layout);

#endif
