#include "report/scope/scope_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/fold/kernel_part.h"

/* Of a node that is beside the path of the zoom. */
#define BESIDE SIZE_MAX

/* How many steps of the zoom a node of the base has on its path. */
static size_t next_step(const struct browse_scope *scope, const struct fold_entity *entity,
			size_t above)
{
	if (above == scope->n_zoom || above == BESIDE ||
	    kernel_part_hides(scope->kernel, entity->frame_kind, entity->is_kernel_mark))
		return above;
	return fold_entity_is_step(entity, &scope->zoom[above]) ? above + 1 : BESIDE;
}

/* Leaves out what the zoom does. 0, -ENOENT or -ENOMEM. */
static int keep_zoomed(struct scope_nodes *nodes, const struct browse_scope *scope,
		       const struct fold *fold)
{
	_cleanup_free_ size_t *steps = calloc(fold->n_nodes, sizeof(*steps));
	bool is_any = false;

	nodes->is_inside = calloc(fold->n_nodes, sizeof(*nodes->is_inside));
	if (!steps || !nodes->is_inside)
		return -ENOMEM;
	nodes->is_selected[0] = false;
	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		const struct fold_node *node = &fold->nodes[i];

		steps[i] = next_step(scope, &fold->entities[node->entity], steps[node->parent]);
		nodes->is_inside[i] = steps[i] == scope->n_zoom;
		nodes->is_selected[i] &= nodes->is_inside[i];
		is_any |= nodes->is_selected[i];
	}
	return is_any ? 0 : -ENOENT;
}

int scope_nodes_init(struct scope_nodes *nodes, const struct browse_scope *scope,
		     struct refold_base *base)
{
	const struct fold *fold = base->fold;
	struct refold_conditions conditions;

	*nodes = (struct scope_nodes){ .has_conditions = scope->n_conditions };
	if (!scope->n_conditions && !scope->n_zoom)
		return 0;
	nodes->is_selected = calloc(fold->n_nodes, sizeof(*nodes->is_selected));
	if (!nodes->is_selected)
		return -ENOMEM;
	int err = browse_scope_meet(scope, base, &conditions);
	if (!err && conditions.met)
		err = refold_select(base, &conditions, nodes->is_selected);
	else if (!err)
		memset(nodes->is_selected, true, fold->n_nodes * sizeof(*nodes->is_selected));
	free((void *)conditions.met);
	return !err && scope->n_zoom ? keep_zoomed(nodes, scope, fold) : err;
}

void scope_nodes_deinit(struct scope_nodes *nodes)
{
	free(nodes->is_selected);
	free(nodes->is_inside);
	*nodes = (struct scope_nodes){ 0 };
}
