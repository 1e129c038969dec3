#include "report/fold/fold_recursion.h"

#include "report/fold/fold_rebuild.h"

static bool is_function(const struct fold_entity *entity)
{
	return entity->frame_kind == FRAME_USER || entity->frame_kind == FRAME_KERNEL;
}

/*
 * The node of @entity among @node and those above it, which are of different functions, so they are
 * few. 0, the root: there is none.
 */
static uint32_t find_active(const struct fold *fold, uint32_t node, uint32_t entity)
{
	if (!is_function(&fold->entities[entity]))
		return 0;
	while (node && fold->nodes[node].entity != entity)
		node = fold->nodes[node].parent;
	return node;
}

static int move_nodes(struct fold_rebuild *rebuild, uint32_t n_nodes)
{
	const struct fold *fold = rebuild->fold;

	for (uint32_t i = 1; i < n_nodes; i++) {
		const struct fold_node node = fold->nodes[i];
		const struct fold_detail detail = fold->details[i];
		uint32_t parent = rebuild->moved[node.parent];
		uint32_t to = find_active(fold, parent, node.entity);
		int err = to ? 0 : fold_rebuild_find(rebuild, parent, node.entity, &detail, &to);

		if (!err)
			err = fold_rebuild_move(rebuild, i, &detail, to);
		if (err)
			return err;
	}
	return 0;
}

int fold_recursion(struct fold *fold)
{
	struct fold_rebuild rebuild;
	uint32_t n_nodes = fold->n_nodes;
	int err = fold_rebuild_begin(&rebuild, fold);

	if (!err)
		err = move_nodes(&rebuild, n_nodes);
	fold_rebuild_end(&rebuild);
	return err;
}
