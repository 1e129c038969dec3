#include "report/scope/scope_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/paths/row_weights.h"
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
static int keep_zoomed(const struct browse_scope *scope, const struct fold *fold, bool *is_selected)
{
	_cleanup_free_ size_t *steps = calloc(fold->n_nodes, sizeof(*steps));
	bool is_any = false;

	if (!steps)
		return -ENOMEM;
	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		const struct fold_node *node = &fold->nodes[i];

		steps[i] = next_step(scope, &fold->entities[node->entity], steps[node->parent]);
		is_selected[i] &= steps[i] == scope->n_zoom;
		is_any |= is_selected[i];
	}
	return is_any ? 0 : -ENOENT;
}

/* By node of the base. NULL with *@err_ret; the caller frees it. */
static bool *select_nodes(const struct browse_scope *scope, struct refold_base *base, int *err_ret)
{
	bool *is_selected = calloc(base->fold->n_nodes, sizeof(*is_selected));
	struct refold_conditions conditions = { .met = NULL };

	*err_ret = is_selected ? browse_scope_meet(scope, base, &conditions) : -ENOMEM;
	if (!*err_ret && conditions.met)
		*err_ret = refold_select(base, &conditions, is_selected);
	else if (!*err_ret)
		memset(is_selected, true, base->fold->n_nodes * sizeof(*is_selected));
	free((void *)conditions.met);
	if (!*err_ret && scope->n_zoom)
		*err_ret = keep_zoomed(scope, base->fold, is_selected);
	if (!*err_ret)
		return is_selected;
	free(is_selected);
	return NULL;
}

/* What is beside the zoom does not count; what the conditions leave out is a part of the whole. */
static bool counts(const struct browse_scope *scope, uint32_t to)
{
	return to != CCT_ROOT || !scope->n_zoom;
}

static int add_tasks(const struct browse_scope *scope, const struct refold_base *base,
		     const bool *is_selected, struct cct *tree)
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
		const uint32_t to = is_selected[base->nodes[i]] ? places[i] : CCT_ROOT;
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
		       const bool *is_selected, struct cct *tree)
{
	const struct sample_rows *rows = base->profile->rows;
	_cleanup_free_ uint64_t *weights = NULL;
	int err = row_weights_create(base->profile, &weights);

	for (uint32_t i = 0; i < rows->n_rows && !err; i++) {
		const struct sample_row *row = &rows->rows[i];
		const struct frame frame = { .kind = FRAME_CGROUP, .offset = row->cgroup };
		uint32_t node = CCT_ROOT;

		if (is_selected[base->nodes[row->node]])
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
				const bool *, struct cct *),
		     struct cct **tree_ret)
{
	int err;
	_cleanup_free_ bool *is_selected = select_nodes(scope, base, &err);

	if (!is_selected)
		return err;
	struct cct *all = cct_create_like(base->profile->cct);
	err = all ? add(scope, base, is_selected, all) : -ENOMEM;
	if (!err)
		err = copy_used(all, tree_ret);
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
