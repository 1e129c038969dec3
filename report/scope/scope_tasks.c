#include "report/scope/scope_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/paths/row_weights.h"
#include "report/scope/scope_nodes.h"

/* What is beside the zoom does not count; what the conditions leave out is a part of the whole. */
static bool counts(const struct browse_scope *scope, uint32_t to)
{
	return to != CCT_ROOT || !scope->n_zoom;
}

static int add_tasks(const struct browse_scope *scope, const struct refold_base *base,
		     const struct scope_nodes *nodes, struct cct *tree)
{
	const struct cct *from = base->profile->cct;
	_cleanup_free_ uint32_t *places = calloc(from->n_nodes, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (uint32_t i = 1; i < from->n_nodes; i++) {
		const struct frame *frame = cct_frame(from, i);

		places[i] = places[from->nodes[i].parent];
		if (frame_is_above_code(frame))
			places[i] = cct_child(tree, places[i], frame);
		const uint32_t to =
			scope_nodes_select(nodes, base->nodes[i]) ? places[i] : CCT_ROOT;
		if (places[i] == CCT_NONE ||
		    (counts(scope, to) && cct_add_costs(tree, to, from, i)))
			return -ENOMEM;
	}
	return 0;
}

/* Rows have one weight; their number of samples may be larger. */
static void add_row(struct cct *tree, uint32_t node, const struct sample_rows *rows, uint32_t i,
		    uint64_t weight)
{
	struct cct_cost *cost = cct_cost(tree, node, rows->rows[i].metric);

	cost->samples += sample_rows_samples_of(rows, i);
	cost->weight += weight;
}

static int add_cgroups(const struct browse_scope *scope, const struct refold_base *base,
		       const struct scope_nodes *nodes, struct cct *tree)
{
	const struct sample_rows *rows = base->profile->rows;
	_cleanup_free_ uint64_t *weights = NULL;
	int err = row_weights_create(base->profile, &weights);

	for (uint32_t i = 0; i < rows->n_rows && !err; i++) {
		const struct sample_row *row = &rows->rows[i];
		const struct frame frame = { .kind = FRAME_CGROUP, .offset = row->cgroup };
		uint32_t node = CCT_ROOT;

		if (scope_nodes_select(nodes, base->nodes[row->node]))
			node = cct_child(tree, CCT_ROOT, &frame);
		if (node == CCT_NONE)
			return -ENOMEM;
		if (counts(scope, node))
			add_row(tree, node, rows, i, weights ? weights[i] : row->weight);
	}
	return err;
}

/* Without tasks that have no samples in scope. */
static int copy_used(const struct cct *all, struct cct **tree_ret)
{
	_cleanup_free_ uint32_t *map = calloc(all->n_nodes, sizeof(*map));
	struct cct *tree = cct_create_like(all);
	int err = map && tree ? cct_merge_used(tree, all, map) : -ENOMEM;

	if (err)
		cct_destroy(tree);
	else
		*tree_ret = tree;
	return err;
}

static int make_tree(const struct browse_scope *scope, struct refold_base *base,
		     int (*add)(const struct browse_scope *, const struct refold_base *,
				const struct scope_nodes *, struct cct *),
		     struct cct **tree_ret)
{
	struct scope_nodes nodes;
	int err = scope_nodes_init(&nodes, scope, base);
	struct cct *all = err ? NULL : cct_create_like(base->profile->cct);

	if (!err)
		err = all ? add(scope, base, &nodes, all) : -ENOMEM;
	if (!err)
		err = copy_used(all, tree_ret);
	scope_nodes_deinit(&nodes);
	cct_destroy(all);
	return err;
}

int scope_tasks_fold(const struct browse_scope *scope, struct refold_base *base,
		     struct symbolizer *symbolizer, const struct view_options *options,
		     struct fold **fold_ret)
{
	struct profile tasks = *base->profile; /* borrows all but the tree */
	struct view_options shown = *options;
	if (options->kind == VIEW_CGROUPS && !base->profile->rows)
		return -ENOENT;
	int err = options->kind == VIEW_CGROUPS ? make_tree(scope, base, add_cgroups, &tasks.cct)
						: make_tree(scope, base, add_tasks, &tasks.cct);

	if (err)
		return err;
	shown.grouping = options->kind == VIEW_THREADS ? GROUP_THREAD : GROUP_PROCESS;
	err = fold_profile(&tasks, symbolizer, &shown, fold_ret);
	cct_destroy(tasks.cct);
	return err;
}
