/*
 * An array indexed by entity maps a caller to its row while a list is split, so no hashing is
 * needed. A row's entries are a range of one array, within that of the row above it, which does not
 * need them any more. Rows below options.min_percent are not split further.
 */
#include "report/views/view_callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t entity_of(const struct caller_rows *rows, const struct caller_entry *entry)
{
	return rows->fold->nodes[entry->reached].entity;
}

/* Finds or adds the entity's row in the current split. NULL: out of memory. */
static struct view_row *find_row(struct caller_rows *rows, struct view_row *above, uint32_t entity)
{
	struct view_row *row = rows->row_of[entity];

	if (row)
		return row;
	row = view_add_row(rows->view, above, &rows->fold->entities[entity]);
	if (row)
		row->entity = entity;
	rows->row_of[entity] = row;
	return row;
}

static int add_entry(struct caller_rows *rows, struct view_row *above,
		     const struct caller_entry *entry)
{
	const struct fold *fold = rows->fold;
	size_t at = (size_t)entry->origin * fold->n_metrics;
	struct view_row *row = find_row(rows, above, entity_of(rows, entry));

	if (!row)
		return -ENOMEM;
	row->n_sources++;
	view_add_cost(row->total, fold->self + at, fold->n_metrics);
	view_add_cost(row->samples, fold->self_samples + at, fold->n_metrics);
	view_raise_longest(row, fold_self_longest(fold, entry->origin));
	return 0;
}

/* Orders the row's entries by child. */
static void distribute(struct caller_rows *rows, struct view_row *row)
{
	struct caller_entry *entries = rows->entries + row->source;
	uint32_t at = row->source;

	for (struct view_row *child = row->children; child; child = child->next) {
		child->source = at;
		at += child->n_sources;
		child->n_sources = 0;
	}
	memcpy(rows->scratch, entries, row->n_sources * sizeof(*entries));
	for (uint32_t i = 0; i < row->n_sources; i++) {
		struct view_row *child = rows->row_of[entity_of(rows, &rows->scratch[i])];

		rows->entries[child->source + child->n_sources++] = rows->scratch[i];
	}
	for (const struct view_row *child = row->children; child; child = child->next)
		rows->row_of[child->entity] = NULL;
}

/* The caller of the node that an entry has reached; false: it is the outermost function. */
static bool find_caller(const struct fold *fold, const struct caller_entry *entry,
			uint32_t *caller_ret)
{
	*caller_ret = fold->nodes[entry->reached].parent;
	return entity_is_code(&fold->entities[fold->nodes[*caller_ret].entity]);
}

/* Moves the row's entries to their callers, leaving out those at the outermost function. */
static void step_to_callers(const struct caller_rows *rows, struct view_row *row)
{
	struct caller_entry *entries = rows->entries + row->source;
	uint32_t n_left = 0, caller;

	for (uint32_t i = 0; i < row->n_sources; i++) {
		if (find_caller(rows->fold, &entries[i], &caller))
			entries[n_left++] = (struct caller_entry){ entries[i].origin, caller };
	}
	row->n_sources = n_left;
}

int caller_rows_split(struct caller_rows *rows, struct view_row *row)
{
	const size_t n_bytes = rows->fold->n_metrics * sizeof(uint64_t);
	const bool is_root = row == rows->view->root;

	if (!is_root)
		step_to_callers(rows, row);
	for (uint32_t i = 0; i < row->n_sources; i++) {
		if (add_entry(rows, row, &rows->entries[row->source + i]))
			return -ENOMEM;
	}
	distribute(rows, row);
	for (struct view_row *child = row->children; is_root && child; child = child->next)
		memcpy(child->self, child->total, n_bytes);
	view_sort_children(rows->view, row);
	return 0;
}

bool caller_rows_have_callers(const struct caller_rows *rows, const struct view_row *row,
			      const bool *is_wanted)
{
	uint32_t caller;

	for (uint32_t i = 0; i < row->n_sources; i++) {
		if (find_caller(rows->fold, &rows->entries[row->source + i], &caller) &&
		    (!is_wanted || is_wanted[caller]))
			return true;
	}
	return false;
}

/* Makes an entry for each node with a self cost. */
static void collect_entries(struct caller_rows *rows)
{
	const struct fold *fold = rows->fold;
	struct view_row *root = rows->view->root;

	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		uint64_t samples = 0;

		for (uint32_t metric = 0; metric < fold->n_metrics; metric++)
			samples |= fold->self_samples[(size_t)i * fold->n_metrics + metric];
		if (samples)
			rows->entries[root->n_sources++] = (struct caller_entry){ i, i };
	}
}

int caller_rows_init(struct caller_rows *rows, struct view *view, const struct fold *fold)
{
	*rows = (struct caller_rows){
		.view = view,
		.fold = fold,
		.entries = calloc(fold->n_nodes, sizeof(*rows->entries)),
		.scratch = calloc(fold->n_nodes, sizeof(*rows->scratch)),
		.row_of = calloc(fold->n_entities, sizeof(struct view_row *)),
	};
	if (!rows->entries || !rows->scratch || !rows->row_of) {
		caller_rows_deinit(rows);
		return -ENOMEM;
	}
	collect_entries(rows);
	return 0;
}

void caller_rows_deinit(struct caller_rows *rows)
{
	free(rows->entries);
	free(rows->scratch);
	free(rows->row_of);
	*rows = (struct caller_rows){ 0 };
}

static bool is_of_interest(const struct view *view, const struct view_row *row)
{
	const double min_percent = view->options.min_percent;

	if (min_percent <= 0 || row == view->root)
		return true;
	for (uint32_t i = 0; i < view->n_columns; i++) {
		if (row->total[i] &&
		    (double)row->total[i] * 100 >= min_percent * (double)view->root->total[i])
			return true;
	}
	return false;
}

/* The row that comes after @row and all rows below it. NULL: none. */
static struct view_row *next_row(struct view_row *row)
{
	while (row && !row->next)
		row = row->parent;
	return row ? row->next : NULL;
}

int view_fill_callers(struct view *view, const struct fold *fold)
{
	struct caller_rows rows;
	int err = caller_rows_init(&rows, view, fold);

	if (err)
		return err;
	for (struct view_row *row = view->root; row && !err;
	     row = row->children ? row->children : next_row(row)) {
		if (is_of_interest(view, row))
			err = caller_rows_split(&rows, row);
	}
	caller_rows_deinit(&rows);
	return err;
}
