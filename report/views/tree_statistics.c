#include "report/views/tree_statistics.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

const char *tree_kind_name(enum tree_kind kind)
{
	return kind == TREE_BY_FUNCTION ? "functions" : "call sites";
}

/* @parents: by node, below the node's own number but for the root, node 0. */
static int measure(const uint32_t *parents, uint32_t n_nodes, struct tree_statistics *tree)
{
	_cleanup_free_ uint32_t *heights = calloc(n_nodes, sizeof(*heights));
	_cleanup_free_ bool *is_interior = calloc(n_nodes, sizeof(*is_interior));

	if (!heights || !is_interior)
		return -ENOMEM;
	for (uint32_t i = 1; i < n_nodes; i++) {
		heights[i] = heights[parents[i]] + 1;
		is_interior[parents[i]] = true;
	}
	tree->n_nodes = n_nodes;
	for (uint32_t i = 0; i < n_nodes; i++) {
		tree->n_interior += is_interior[i];
		if (is_interior[i])
			continue;
		tree->n_leaves++;
		tree->sum_of_heights += heights[i];
		tree->max_height = heights[i] > tree->max_height ? heights[i] : tree->max_height;
	}
	return 0;
}

static int measure_by_call_site(const struct cct *cct, struct tree_statistics *tree)
{
	_cleanup_free_ uint32_t *parents = calloc(cct->n_nodes, sizeof(*parents));

	if (!parents)
		return -ENOMEM;
	for (uint32_t i = 1; i < cct->n_nodes; i++)
		parents[i] = cct->nodes[i].parent;
	return measure(parents, cct->n_nodes, tree);
}

static void find_most_replicated(const struct fold *fold, const uint64_t *n_nodes,
				 struct tree_statistics *tree)
{
	for (uint32_t i = 0; i < fold->n_entities; i++) {
		if (!entity_is_code(&fold->entities[i]) || n_nodes[i] <= tree->replication)
			continue;
		tree->replication = n_nodes[i];
		tree->replicated = fold->entities[i].name;
		tree->module = fold->entities[i].module;
	}
}

static int measure_by_function(const struct fold *fold, struct tree_statistics *tree)
{
	_cleanup_free_ uint32_t *parents = calloc(fold->n_nodes, sizeof(*parents));
	_cleanup_free_ uint64_t *n_nodes = calloc(fold->n_entities, sizeof(*n_nodes));

	if (!parents || !n_nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		parents[i] = fold->nodes[i].parent;
		n_nodes[fold->nodes[i].entity]++;
	}
	find_most_replicated(fold, n_nodes, tree);
	return measure(parents, fold->n_nodes, tree);
}

int view_fill_statistics(struct view *view, const struct fold *fold)
{
	const struct cct *cct = view->profile->cct;
	uint64_t node_size = sizeof(*cct->nodes) + cct->n_metrics * sizeof(*cct->costs) +
			     (cct->longest ? sizeof(*cct->longest) : 0);

	view->trees = arena_alloc(&view->arena, N_TREES * sizeof(*view->trees));
	if (!view->trees)
		return -ENOMEM;
	int err = measure_by_function(fold, &view->trees[TREE_BY_FUNCTION]);
	if (!err)
		err = measure_by_call_site(cct, &view->trees[TREE_BY_CALL_SITE]);
	for (int kind = 0; kind < N_TREES; kind++)
		view->trees[kind].size = view->trees[kind].n_nodes * node_size;
	return err;
}
