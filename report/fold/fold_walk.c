#include "report/fold/fold_walk.h"

#include <errno.h>
#include <stdlib.h>

int fold_walk_init(struct fold_walk *walk, const struct fold *fold)
{
	*walk = (struct fold_walk){ .fold = fold };
	walk->first_child = calloc(fold->n_nodes, sizeof(*walk->first_child));
	walk->next = calloc(fold->n_nodes, sizeof(*walk->next));
	if (!walk->first_child || !walk->next) {
		fold_walk_deinit(walk);
		return -ENOMEM;
	}
	for (uint32_t i = fold->n_nodes - 1; i > 0; i--) {
		walk->next[i] = walk->first_child[fold->nodes[i].parent];
		walk->first_child[fold->nodes[i].parent] = i;
	}
	return 0;
}

void fold_walk_deinit(struct fold_walk *walk)
{
	free(walk->first_child);
	free(walk->next);
}

bool fold_walk_next(struct fold_walk *walk)
{
	if (!walk->has_begun) {
		walk->has_begun = true;
		return true;
	}
	if (!walk->is_leaving && walk->first_child[walk->node]) {
		walk->node = walk->first_child[walk->node];
		return true;
	}
	if (!walk->is_leaving) {
		walk->is_leaving = true;
		return true;
	}
	if (!walk->node)
		return false;
	walk->is_leaving = !walk->next[walk->node];
	walk->node =
		walk->is_leaving ? walk->fold->nodes[walk->node].parent : walk->next[walk->node];
	return true;
}
