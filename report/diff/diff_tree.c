#include "report/diff/diff_tree.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

struct ordering {
	const struct diff_tree *tree;
	const struct diff_rows *rows;
	const double *values;
};

static int compare_numbers(double a, double b)
{
	return (a < b) - (a > b);
}

/* Of rows below the same one. */
static int compare(const void *a, const void *b, void *argument)
{
	const struct ordering *ordering = argument;
	const struct diff_rows *rows = ordering->rows;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_numbers(ordering->tree->moved[x], ordering->tree->moved[y]);

	if (!order)
		order = compare_numbers(ordering->values[x], ordering->values[y]);
	return order ? order : strcmp(rows->keys.strings[x], rows->keys.strings[y]);
}

static int allocate(struct diff_tree *tree, size_t n)
{
	tree->depth = calloc(n + 1, sizeof(*tree->depth));
	tree->first = calloc(n + 1, sizeof(*tree->first));
	tree->next = calloc(n + 1, sizeof(*tree->next));
	return tree->depth && tree->first && tree->next ? 0 : -ENOMEM;
}

/* Rows have smaller numbers than those below them. */
static void fill_depths(struct diff_tree *tree, const struct diff_rows *rows)
{
	for (size_t i = 0; i < rows->n_rows; i++) {
		uint32_t above = rows->rows[i].parent;

		tree->depth[i] = above == DIFF_NO_ROW ? 0 : tree->depth[above] + 1;
	}
}

static void raise_moved(struct diff_tree *tree, const struct diff_rows *rows)
{
	for (size_t i = rows->n_rows; i-- > 0;) {
		uint32_t above = rows->rows[i].parent;

		if (above != DIFF_NO_ROW)
			tree->moved[above] = fmax(tree->moved[above], tree->moved[i]);
	}
}

/* Rows at the top come first, then those below row 0, and so on. */
static uint32_t group_of(const struct diff_rows *rows, size_t row)
{
	const uint32_t above = rows->rows[row].parent;

	return above == DIFF_NO_ROW ? 0 : above + 1;
}

/* Puts the rows of a group next to each other. @ends: by group, all zero; where each ends. */
static void group_rows(const struct diff_rows *rows, uint32_t *ends, uint32_t *grouped)
{
	const size_t n = rows->n_rows;

	for (size_t i = 0; i < n; i++)
		ends[group_of(rows, i) + 1]++;
	for (size_t i = 0; i <= n; i++)
		ends[i + 1] += ends[i];
	for (uint32_t i = 0; i < n; i++)
		grouped[ends[group_of(rows, i)]++] = i;
}

static int link_rows(struct diff_tree *tree, const struct diff_rows *rows, const double *values)
{
	const size_t n = rows->n_rows;
	struct ordering ordering = { .tree = tree, .rows = rows, .values = values };
	_cleanup_free_ uint32_t *sorted = calloc(n + 1, sizeof(*sorted));
	_cleanup_free_ uint32_t *ends = calloc(n + 2, sizeof(*ends));

	if (!sorted || !ends)
		return -ENOMEM;
	group_rows(rows, ends, sorted);
	tree->top = DIFF_NO_ROW;
	for (uint32_t group = 0, at = 0; group <= n; at = ends[group++]) {
		uint32_t *first = group ? &tree->first[group - 1] : &tree->top;
		const uint32_t end = ends[group];

		if (end - at > 1)
			qsort_r(&sorted[at], end - at, sizeof(*sorted), compare, &ordering);
		*first = DIFF_NO_ROW;
		for (uint32_t i = end; i-- > at;) {
			tree->next[sorted[i]] = *first;
			*first = sorted[i];
		}
	}
	return 0;
}

int diff_tree_init(struct diff_tree *tree, const struct diff_rows *rows, double *moved,
		   const double *values)
{
	*tree = (struct diff_tree){ .top = DIFF_NO_ROW };
	tree->moved = moved;
	if (allocate(tree, rows->n_rows))
		return -ENOMEM;
	fill_depths(tree, rows);
	raise_moved(tree, rows);
	return link_rows(tree, rows, values);
}

void diff_tree_deinit(struct diff_tree *tree)
{
	free(tree->moved);
	free(tree->depth);
	free(tree->first);
	free(tree->next);
}

uint32_t diff_tree_next(const struct diff_tree *tree, const struct diff_rows *rows, uint32_t row)
{
	if (row == DIFF_NO_ROW)
		return tree->top;
	if (tree->first[row] != DIFF_NO_ROW)
		return tree->first[row];
	while (row != DIFF_NO_ROW && tree->next[row] == DIFF_NO_ROW)
		row = rows->rows[row].parent;
	return row == DIFF_NO_ROW ? DIFF_NO_ROW : tree->next[row];
}

void diff_tree_mark_above(const struct diff_rows *rows, bool *marks)
{
	for (size_t i = rows->n_rows; i-- > 0;) {
		if (marks[i] && rows->rows[i].parent != DIFF_NO_ROW)
			marks[rows->rows[i].parent] = true;
	}
}
