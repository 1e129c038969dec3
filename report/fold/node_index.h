/*
 * Finds the nodes of a tree by their parents and by what each is of, while they are added. Trees
 * have millions of nodes, so the keys are in the nodes alone, and most nodes, whose number is the
 * one after their parent's, are found there and not in the table. All zero is empty.
 */
#ifndef REPORT_FOLD_NODE_INDEX_H
#define REPORT_FOLD_NODE_INDEX_H

#include <stddef.h>

#include "cct/base/hash_table.h"

#define NODE_NONE UINT32_MAX

/* What each node of the tree begins with. */
struct node_key {
	uint32_t parent; /* NODE_NONE, or the node itself: none */
	uint32_t entity;
};

/* The nodes of a tree, an array; borrowed for the call. */
struct node_array {
	const void *nodes;
	size_t node_size;
	uint32_t n;
};

struct node_index {
	struct hash_table nodes;
};

void node_index_deinit(struct node_index *index);
/* The node with that key, or NODE_NONE. */
uint32_t node_index_find(const struct node_index *index, const struct node_array *nodes,
			 struct node_key key);
/* A node that was not found before; those with its parent are found if all were added. 0 or
 * -ENOMEM.
 */
int node_index_add(struct node_index *index, const struct node_array *nodes, uint32_t node);
/* Of the last node. */
static inline int node_index_add_last(struct node_index *index, const struct node_array *nodes)
{
	return node_index_add(index, nodes, nodes->n - 1);
}

#endif
