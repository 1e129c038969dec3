/*
 * Rebuilds the nodes of a fold in place: each goes to the node that it becomes a part of, with its
 * costs and marks. Nodes of one entity with the same parent become one. It works because a node
 * only moves towards the beginning.
 */
#ifndef REPORT_FOLD_FOLD_REBUILD_H
#define REPORT_FOLD_FOLD_REBUILD_H

#include "cct/base/pair_map.h"
#include "report/fold/fold.h"

struct fold_rebuild {
	struct fold *fold; /* while total and samples are NULL */
	uint32_t *moved;   /* node before -> node now */
	struct pair_map nodes;
	struct path_marks marks; /* by node now */
};

/*
 * The fold then has its root alone; its other nodes, up to the number before, are where they were,
 * and are moved one by one, in order. Borrows @fold. 0 or -ENOMEM; fold_rebuild_end() follows in
 * any case.
 */
int fold_rebuild_begin(struct fold_rebuild *rebuild, struct fold *fold);
void fold_rebuild_end(struct fold_rebuild *rebuild);
/*
 * Finds or adds the node of @entity below @parent, a node now, for the node @i before. @detail: a
 * copy of that one's. 0 or -ENOMEM.
 */
int fold_rebuild_find(struct fold_rebuild *rebuild, uint32_t parent, uint32_t entity,
		      const struct fold_detail *detail, uint32_t *node_ret);
/* The node @i before, with @detail, becomes a part of @to. 0 or -ENOMEM. */
int fold_rebuild_move(struct fold_rebuild *rebuild, uint32_t i, const struct fold_detail *detail,
		      uint32_t to);

#endif
