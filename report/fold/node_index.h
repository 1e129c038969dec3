/*
 * Finds the nodes of a fold by their parents and entities, while they are added. A fold has
 * millions of nodes, so the keys are in the nodes alone, and most nodes, whose number is the one
 * after their parent's, are found there and not in the table. All zero is empty.
 */
#ifndef REPORT_FOLD_NODE_INDEX_H
#define REPORT_FOLD_NODE_INDEX_H

#include "cct/base/hash_table.h"
#include "report/fold/fold.h"

struct node_index {
	struct hash_table nodes;
};

void node_index_deinit(struct node_index *index);
/* Finds or adds the node of @entity below @parent, whose children are added by this function alone.
 * 0 or -ENOMEM. */
int node_index_find(struct node_index *index, struct fold *fold, uint32_t parent, uint32_t entity,
		    uint32_t *node_ret);

#endif
