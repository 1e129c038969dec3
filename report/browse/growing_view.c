#include "report/browse/growing_view.h"

#include <errno.h>
#include <stdlib.h>

static bool grows(const struct view_options *options)
{
	return options->kind == VIEW_TREE || options->kind == VIEW_CALLERS;
}

static int begin(struct growing_view *growing, const struct profile *profile,
		 const struct view_options *options, struct fold *fold)
{
	if (!grows(options))
		return view_create_from_fold(profile, options, fold, &growing->view);
	growing->view = view_create_root(profile, options, fold);
	if (!growing->view)
		return -ENOMEM;
	growing->view->n_entities = fold->n_entities;
	int err = options->kind == VIEW_TREE
			  ? node_children_init(&growing->children, fold)
			  : caller_rows_init(&growing->callers, growing->view, fold);
	return err ? err : growing_view_grow(growing, growing->view->root);
}

int growing_view_create(const struct profile *profile, const struct view_options *options,
			struct fold *fold, struct growing_view **growing_ret)
{
	struct growing_view *growing = calloc(1, sizeof(*growing));

	if (!growing)
		return -ENOMEM;
	growing->fold = fold;
	int err = begin(growing, profile, options, fold);
	if (err) {
		growing_view_destroy(growing);
		return err;
	}
	*growing_ret = growing;
	return 0;
}

void growing_view_destroy(struct growing_view *growing)
{
	if (!growing)
		return;
	view_destroy(growing->view);
	node_children_deinit(&growing->children);
	caller_rows_deinit(&growing->callers);
	free(growing);
}

static int add_callees(const struct growing_view *growing, struct view_row *row)
{
	const struct node_children *children = &growing->children;

	for (uint32_t i = children->first[row->source]; i; i = children->next[i]) {
		if (!view_tree_add_row(growing->view, row, growing->fold, i))
			return -ENOMEM;
	}
	return 0;
}

static int add_children(struct growing_view *growing, struct view_row *row)
{
	int err = growing->view->options.kind == VIEW_TREE
			  ? add_callees(growing, row)
			  : caller_rows_split(&growing->callers, row);

	for (const struct view_row *child = row->children; child; child = child->next)
		growing->n_grown++;
	row->is_grown = true;
	return err;
}

int growing_view_grow(struct growing_view *growing, struct view_row *row)
{
	int err = 0;

	if (!row->is_grown && grows(&growing->view->options))
		err = add_children(growing, row);
	view_sort_children(growing->view, row);
	return err;
}

bool growing_view_has_children(const struct growing_view *growing, const struct view_row *row)
{
	if (row->children || row->is_grown || !grows(&growing->view->options))
		return row->children;
	if (growing->view->options.kind == VIEW_TREE)
		return growing->children.first[row->source] != 0;
	return caller_rows_have_callers(&growing->callers, row, NULL);
}
