/*
 * The top-down tree has a row for each node of the fold, except below rows that are too small to be
 * shown: what such nodes cost by themselves is added up by function.
 */
#include "report/views/view_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Readers compare with options.min_percent by a division: a row at the border gets children. */
#define ROUNDING 0.999

struct filling {
	struct view *view;
	const struct fold *fold;
	struct view_row **rows;     /* by node; NULL: it has none */
	struct view_row **left_out; /* by entity, likewise */
};

/* What the row has of its node. */
static void take_node(struct view_row *row, const struct fold *fold, uint32_t i)
{
	const struct fold_detail *detail = &fold->details[i];
	size_t n_metrics = fold->n_metrics, n_bytes = n_metrics * sizeof(uint64_t);

	memcpy(row->self, fold->self + i * n_metrics, n_bytes);
	memcpy(row->total, fold->total + i * n_metrics, n_bytes);
	memcpy(row->samples, fold->samples + i * n_metrics, n_bytes);
	row->longest = fold_longest(fold, i);
	row->activations = fold_activations(fold, i);
	memcpy(row->marked, path_marks_of(&fold->marks, i), sizeof(row->marked));
	row->frame_marks = detail->frame_marks;
	row->entity = fold->nodes[i].entity;
	row->source = i;
	row->call_file = detail->call_line ? detail->call_file : NULL;
	row->call_line = detail->call_line;
}

struct view_row *view_tree_add_row(struct view *view, struct view_row *parent,
				   const struct fold *fold, uint32_t i)
{
	struct view_row *row = view_add_row(view, parent, &fold->entities[fold->nodes[i].entity]);

	if (row)
		take_node(row, fold, i);
	return row;
}

/* What is a value's own is its function's, which the row of the value is below. */
static uint32_t owner_of(const struct fold *fold, uint32_t i)
{
	const struct fold_node *node = &fold->nodes[i];
	const bool is_value = fold->entities[node->entity].frame_kind == FRAME_VALUE;

	return is_value && node->parent ? fold->nodes[node->parent].entity : node->entity;
}

static int leave_out(struct filling *filling, uint32_t i)
{
	const struct fold *fold = filling->fold;
	struct view *view = filling->view;
	uint32_t entity = owner_of(fold, i);
	struct view_row **row = &filling->left_out[entity];

	if (!*row) {
		*row = view_add_row(view, NULL, &fold->entities[entity]);
		if (!*row)
			return -ENOMEM;
		(*row)->entity = entity;
		(*row)->next = view->left_out;
		view->left_out = *row;
	}
	view_add_cost((*row)->self, fold->self + (size_t)i * fold->n_metrics, fold->n_metrics);
	return 0;
}

/* Which kernel threads were idle is known from all that is below them: a profile that has waits
 * gets all rows. */
static bool gets_children(const struct filling *filling, const struct view_row *row)
{
	double min_percent = filling->view->options.min_percent * ROUNDING;
	const uint64_t *whole = filling->view->root->total;

	if (min_percent <= 0 || filling->fold->longest || row == filling->view->root)
		return true;
	for (uint32_t i = 0; i < filling->fold->n_metrics; i++) {
		if (row->total[i] && (double)row->total[i] * 100 >= min_percent * (double)whole[i])
			return true;
	}
	return false;
}

static int add_rows(struct filling *filling)
{
	const struct fold *fold = filling->fold;

	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		struct view_row *parent = filling->rows[fold->nodes[i].parent];

		if (parent && gets_children(filling, parent)) {
			filling->rows[i] = view_tree_add_row(filling->view, parent, fold, i);
			if (!filling->rows[i])
				return -ENOMEM;
		} else if (leave_out(filling, i)) {
			return -ENOMEM;
		}
	}
	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		if (filling->rows[i])
			view_sort_children(filling->view, filling->rows[i]);
	}
	return 0;
}

/* The root has what no row below it has: the samples that are not selected. */
static void fill_root(struct view_row *root, const struct fold *fold)
{
	memcpy(root->self, fold->total, fold->n_metrics * sizeof(uint64_t));
	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		for (uint32_t k = 0; !fold->nodes[i].parent && k < fold->n_metrics; k++)
			root->self[k] -= fold->total[(size_t)i * fold->n_metrics + k];
	}
}

static int fill_by_rows(struct view *view, const struct fold *fold)
{
	struct filling filling = {
		.view = view,
		.fold = fold,
		.rows = calloc(fold->n_nodes, sizeof(struct view_row *)),
		.left_out = calloc(fold->n_entities, sizeof(struct view_row *)),
	};
	int err = -ENOMEM;

	if (filling.rows && filling.left_out) {
		filling.rows[0] = view->root;
		fill_root(view->root, fold);
		err = add_rows(&filling);
	}
	free(filling.rows);
	free(filling.left_out);
	return err;
}

int view_fill_tree(struct view *view, const struct fold *fold)
{
	if (!view->options.rows_by_walk)
		return fill_by_rows(view, fold);
	fill_root(view->root, fold);
	view->source = calloc(1, sizeof(*view->source));
	return view->source ? node_children_init(&view->source->children, fold) : -ENOMEM;
}

void view_tree_take_fold(struct view *view, struct fold *fold)
{
	if (view->source)
		view->source->fold = fold;
	else
		fold_destroy(fold);
}

static struct view_row *take_row(struct tree_source *source, size_t size)
{
	struct view_row *row = source->unused;

	if (!row)
		return arena_alloc(&source->arena, size);
	source->unused = row->next;
	return memset(row, 0, size);
}

static int make_children(const struct row_walk *walk)
{
	struct tree_source *source = walk->view->source;
	const struct fold *fold = source->fold;
	const struct node_children *children = &source->children;

	for (uint32_t i = children->first[walk->row->source]; i; i = children->next[i]) {
		struct view_row *row = take_row(source, view_row_size(walk->view));

		if (!row)
			return -ENOMEM;
		view_row_init(walk->view, row, walk->row, &fold->entities[fold->nodes[i].entity]);
		take_node(row, fold, i);
	}
	view_sort_children(walk->view, walk->row);
	return 0;
}

/* From a row without another after it to the one above it. */
static void ascend(struct row_walk *walk)
{
	struct tree_source *source = walk->view->source;
	struct view_row *last = walk->row;

	walk->row = last->parent;
	walk->depth--;
	if (!source)
		return;
	last->next = source->unused;
	source->unused = walk->row->children;
	walk->row->children = NULL;
}

int row_walk_next(struct row_walk *walk)
{
	const bool goes_down = !walk->max_depth || walk->depth < walk->max_depth;

	if (goes_down && walk->view->source && make_children(walk))
		return -ENOMEM;
	if (goes_down && walk->row->children) {
		walk->row = walk->row->children;
		walk->depth++;
		return 0;
	}
	while (walk->depth && !walk->row->next)
		ascend(walk);
	walk->row = walk->depth ? walk->row->next : NULL;
	return 0;
}
