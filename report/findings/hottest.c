#include "report/findings/hottest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/findings/idle_threads.h"

static bool is_before(const struct view_row *row, uint64_t cost, const struct hottest_row *other)
{
	if (cost != other->cost)
		return cost > other->cost;
	return view_compare_names(row, &other->row) < 0;
}

static void insert(struct hottest_row *rows, unsigned *n, const struct view_row *row, uint64_t cost)
{
	unsigned at = *n;

	while (at && is_before(row, cost, &rows[at - 1]))
		at--;
	if (!cost || at == HOTTEST_MAX)
		return;
	*n += *n < HOTTEST_MAX;
	memmove(&rows[at + 1], &rows[at], (*n - 1 - at) * sizeof(*rows));
	rows[at] = (struct hottest_row){ .row = *row, .cost = cost };
}

static bool is_function(const struct view_row *row)
{
	return row->kind == ROW_USER || row->kind == ROW_INLINE || row->kind == ROW_KERNEL ||
	       row->kind == ROW_MARKER;
}

/* Depth first, without a stack. */
static const struct view_row *next_row(const struct view_row *row)
{
	if (row->children)
		return row->children;
	while (row->parent && !row->next)
		row = row->parent;
	return row->parent ? row->next : NULL;
}

/* What is a value's own is its function's. */
static const struct view_row *owner_of(const struct view_row *row)
{
	return row->is_value && row->parent && is_function(row->parent) ? row->parent : row;
}

static void add_row(const struct view_row *row, uint32_t metric, uint64_t *costs,
		    const struct view_row **first)
{
	const struct view_row *owner = owner_of(row);

	if (!is_function(owner))
		return;
	costs[owner->entity] += row->self[metric];
	if (!first[owner->entity])
		first[owner->entity] = owner;
}

/* Adds up the functions' self costs; @first: one row of each. */
static void sum_up(const struct view *view, uint64_t *costs, const struct view_row **first)
{
	uint32_t metric = view->options.sort_metric;

	for (const struct view_row *row = view->root; row; row = next_row(row))
		add_row(row, metric, costs, first);
	for (const struct view_row *row = view->left_out; row; row = row->next)
		add_row(row, metric, costs, first);
}

static int find_functions(const struct view *view, struct hottest *hottest)
{
	_cleanup_free_ uint64_t *costs = calloc(view->n_entities + 1u, sizeof(*costs));
	_cleanup_free_ const struct view_row **first =
		calloc(view->n_entities + 1u, sizeof(*first));

	if (!costs || !first)
		return -ENOMEM;
	sum_up(view, costs, first);
	for (uint32_t i = 0; i < view->n_entities; i++) {
		if (first[i])
			insert(hottest->functions, &hottest->n_functions, first[i], costs[i]);
	}
	for (unsigned i = 0; i < hottest->n_functions; i++) {
		struct view_row *row = &hottest->functions[i].row;

		row->frame_marks = 0;
		row->call_file = NULL;
		row->call_line = 0;
	}
	return 0;
}

int hottest_find(const struct view *view, struct hottest *hottest_ret)
{
	struct hottest hottest = { .n_functions = 0 };
	int err = find_functions(view, &hottest);

	if (err)
		return err;
	for (const struct view_row *row = view->root->children; row; row = row->next) {
		if (!idle_thread(view, row))
			insert(hottest.processes, &hottest.n_processes, row,
			       row->total[view->options.sort_metric]);
	}
	*hottest_ret = hottest;
	return 0;
}
