/*
 * A treap with path copying. Priorities are a hash of a counter, so the depth does not depend on
 * the contents of a file. Nodes made since the last kernel_layouts_take() are not shared yet and
 * are changed in place.
 */
#include "kernel-merge/kernel_layout.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/arena.h"

#define NODES_MAX (1u << 22) /* 256 MiB: 40 000 changes of a layout of 1 000 ranges, and more */

struct kernel_layout {
	struct kernel_range range;
	const struct kernel_layout *left, *right;
	uint32_t priority, version;
};

struct kernel_layouts {
	const struct kernel_layout *root;
	uint32_t version;
	bool is_changed; /* changed since it was last handed out */
	struct arena nodes;
	size_t n_nodes;
	uint64_t n_priorities;
	int err; /* error of the current change */
};

struct kernel_layouts *kernel_layouts_create(void)
{
	return calloc(1, sizeof(struct kernel_layouts));
}

void kernel_layouts_destroy(struct kernel_layouts *layouts)
{
	if (!layouts)
		return;
	arena_deinit(&layouts->nodes);
	free(layouts);
}

static struct kernel_layout *add_node(struct kernel_layouts *layouts)
{
	if (layouts->n_nodes == NODES_MAX) {
		layouts->err = -E2BIG;
		return NULL;
	}
	struct kernel_layout *node = arena_alloc(&layouts->nodes, sizeof(*node));
	if (!node)
		layouts->err = -ENOMEM;
	layouts->n_nodes += node != NULL;
	return node;
}

/* splitmix64 */
static uint32_t next_priority(struct kernel_layouts *layouts)
{
	uint64_t z = ++layouts->n_priorities * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (uint32_t)(z >> 32);
}

static struct kernel_layout *make_node(struct kernel_layouts *layouts,
				       const struct kernel_range *range)
{
	struct kernel_layout *node = add_node(layouts);

	if (node)
		*node = (struct kernel_layout){ .range = *range,
						.priority = next_priority(layouts),
						.version = layouts->version };
	return node;
}

/* Returns @node itself if it may be changed, or a copy if it is shared. */
static struct kernel_layout *own_node(struct kernel_layouts *layouts,
				      const struct kernel_layout *node)
{
	if (node->version == layouts->version)
		return (struct kernel_layout *)node;
	struct kernel_layout *copy = add_node(layouts);
	if (copy) {
		*copy = *node;
		copy->version = layouts->version;
	}
	return copy;
}

/* Splits a tree into the ranges that begin below @key and the others. */
static void split(struct kernel_layouts *layouts, const struct kernel_layout *node, uint64_t key,
		  const struct kernel_layout **left_ret, const struct kernel_layout **right_ret)
{
	while (node) {
		struct kernel_layout *own = own_node(layouts, node);

		if (!own)
			break;
		if (own->range.start < key) {
			*left_ret = own;
			left_ret = &own->right;
			node = own->right;
		} else {
			*right_ret = own;
			right_ret = &own->left;
			node = own->left;
		}
	}
	*left_ret = *right_ret = NULL;
}

/* Joins two trees. All ranges of @left begin below those of @right. */
static const struct kernel_layout *join(struct kernel_layouts *layouts,
					const struct kernel_layout *left,
					const struct kernel_layout *right)
{
	const struct kernel_layout *root, **into = &root;

	while (left && right) {
		bool is_left = left->priority > right->priority;
		struct kernel_layout *own = own_node(layouts, is_left ? left : right);

		if (!own)
			return NULL;
		*into = own;
		if (is_left) {
			into = &own->right;
			left = own->right;
		} else {
			into = &own->left;
			right = own->left;
		}
	}
	*into = left ? left : right;
	return root;
}

static const struct kernel_layout *last_of(const struct kernel_layout *node)
{
	while (node && node->right)
		node = node->right;
	return node;
}

static const struct kernel_layout *append(struct kernel_layouts *layouts,
					  const struct kernel_layout *before,
					  const struct kernel_range *range)
{
	const struct kernel_layout *node = make_node(layouts, range);

	return node ? join(layouts, before, node) : NULL;
}

/*
 * Ends the range that reaches into [@start, @end) at @start. @tail_ret: the part of it after @end.
 */
static const struct kernel_layout *cut_last(struct kernel_layouts *layouts,
					    const struct kernel_layout *before, uint64_t start,
					    uint64_t end, struct kernel_range *tail_ret)
{
	const struct kernel_layout *last = last_of(before), *rest, *alone;
	struct kernel_range cut;

	if (!last || last->range.end <= start)
		return before;
	cut = *tail_ret = last->range;
	split(layouts, before, cut.start, &rest, &alone);
	cut.end = start;
	if (!cut.has_room || tail_ret->end <= end) {
		tail_ret->end = 0;
	} else {
		tail_ret->start = end;
		tail_ret->offset += end - cut.start;
	}
	return append(layouts, rest, &cut);
}

/* Replaces the contents of [@start, @end) by @range, or by nothing. */
static int change(struct kernel_layouts *layouts, uint64_t start, uint64_t end,
		  const struct kernel_range *range)
{
	const struct kernel_layout *before, *rest, *gone, *behind;
	struct kernel_range tail = { .end = 0 };

	layouts->err = 0;
	layouts->is_changed = true;
	split(layouts, layouts->root, start, &before, &rest);
	split(layouts, rest, end, &gone, &behind);
	if (range && !layouts->err)
		before = cut_last(layouts, before, start, end, &tail);
	if (range && !layouts->err)
		before = append(layouts, before, range);
	if (tail.end && !layouts->err)
		before = append(layouts, before, &tail);
	if (!layouts->err)
		before = join(layouts, before, behind);
	layouts->root = layouts->err ? NULL : before;
	return layouts->err;
}

int kernel_layouts_put(struct kernel_layouts *layouts, const struct kernel_range *range)
{
	return change(layouts, range->start, range->end, range);
}

int kernel_layouts_remove(struct kernel_layouts *layouts, uint64_t start, uint64_t end)
{
	return change(layouts, start, end, NULL);
}

const struct kernel_layout *kernel_layouts_peek(const struct kernel_layouts *layouts)
{
	return layouts->root;
}

const struct kernel_layout *kernel_layouts_take(struct kernel_layouts *layouts)
{
	layouts->version += layouts->is_changed;
	layouts->is_changed = false;
	return layouts->root;
}

void kernel_layouts_return_to(struct kernel_layouts *layouts, const struct kernel_layout *layout)
{
	layouts->root = layout;
	layouts->version++;
	layouts->is_changed = false;
}

const struct kernel_range *kernel_layout_find(const struct kernel_layout *layout, uint64_t addr)
{
	const struct kernel_range *below = NULL;

	for (const struct kernel_layout *node = layout; node;) {
		if (node->range.start > addr) {
			node = node->left;
			continue;
		}
		below = &node->range;
		node = node->right;
	}
	return below && addr < below->end ? below : NULL;
}
