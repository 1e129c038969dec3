/* The top-down tree has one row for each node of the fold. */
#include "report/views/view_tree.h"

#include <errno.h>
#include <string.h>

#include "cct/base/cleanup.h"

int view_fill_tree(struct view *view, const struct fold *fold)
{
	_cleanup_free_ struct view_row **rows = calloc(fold->n_nodes, sizeof(struct view_row *));
	size_t n_metrics = fold->n_metrics, n_bytes = n_metrics * sizeof(uint64_t);

	if (!rows)
		return -ENOMEM;
	rows[0] = view->root;
	view->n_entities = fold->n_entities;
	memcpy(view->root->self, fold->self, n_bytes);
	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		const struct fold_node *node = &fold->nodes[i];
		struct view_row *row =
			view_add_row(view, rows[node->parent], &fold->entities[node->entity]);

		if (!row)
			return -ENOMEM;
		memcpy(row->self, fold->self + i * n_metrics, n_bytes);
		memcpy(row->total, fold->total + i * n_metrics, n_bytes);
		memcpy(row->samples, fold->samples + i * n_metrics, n_bytes);
		row->longest = fold_longest(fold, i);
		memcpy(row->marked, node->marked, sizeof(row->marked));
		row->frame_marks = node->frame_marks;
		row->entity = node->entity;
		row->call_file = node->call_line ? node->call_file : NULL;
		row->call_line = node->call_line;
		rows[i] = row;
	}
	for (uint32_t i = 0; i < fold->n_nodes; i++)
		view_sort_children(view, rows[i]);
	return 0;
}
