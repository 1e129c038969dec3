/*
 * What lies where in the kernel, as it was at each moment: BPF programs, trampolines and modules
 * come and go, and an address may hold one after the other.
 *
 * A layout is a persistent tree: a change makes a new one that shares what stayed the same, and
 * those that were handed out remain as they are. So one thread changes while any number look up,
 * and a sample keeps the layout of its time by a pointer. All of them live as long as the layouts.
 */
#ifndef KERNEL_MERGE_KERNEL_LAYOUT_H
#define KERNEL_MERGE_KERNEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_range {
	uint64_t start, end;
	uint64_t offset; /* of @start in the module */
	uint32_t module;
	bool has_room; /* what is put into the middle of it leaves what lies behind */
};

struct kernel_layout; /* NULL: nothing is anywhere */
struct kernel_layouts;

struct kernel_layouts *kernel_layouts_create(void);
void kernel_layouts_destroy(struct kernel_layouts *layouts);

/* The range that holds @addr, or NULL. */
const struct kernel_range *kernel_layout_find(const struct kernel_layout *layout, uint64_t addr);
/*
 * The present layout, for a sample to keep. The changes from then on make others.
 */
const struct kernel_layout *kernel_layouts_take(struct kernel_layouts *layouts);
/* The same, to look at until the next change. */
const struct kernel_layout *kernel_layouts_peek(const struct kernel_layouts *layouts);
/*
 * From now on @range is where it says, and nothing else: what began there before is gone, what
 * began below ends there. 0, -ENOMEM, or -E2BIG: all memory for layouts is used up.
 */
int kernel_layouts_put(struct kernel_layouts *layouts, const struct kernel_range *range);
/* What begins in [@start, @end) is gone. The same. */
int kernel_layouts_remove(struct kernel_layouts *layouts, uint64_t start, uint64_t end);
/* Nothing new fits any more: the present layout is @layout from now on. */
void kernel_layouts_return_to(struct kernel_layouts *layouts, const struct kernel_layout *layout);

#endif
