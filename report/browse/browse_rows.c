#include "report/browse/browse_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

static const struct view_row *root_of(const struct browse_rows *rows)
{
	return rows->growing->view->root;
}

static bool shows_children(const struct view_row *row)
{
	return row->is_unfolded && row->children;
}

static struct browse_line line_below(const struct browse_rows *rows,
				     const struct browse_line *above)
{
	struct view_row *first = above->row->children;

	if (above->row == root_of(rows))
		return (struct browse_line){ .row = first };
	return (struct browse_line){
		.row = first,
		.depth = above->depth + 1,
		.indent = above->indent + (!above->depth || first->next),
	};
}

/* Moves @line to the next one that is shown below @top. False: there is none. */
static bool next_line(const struct browse_rows *rows, const struct view_row *top,
		      struct browse_line *line)
{
	if (shows_children(line->row)) {
		*line = line_below(rows, line);
		return true;
	}
	while (line->row != top && !line->row->next) {
		struct view_row *above = line->row->parent;

		if (above == top)
			return false;
		line->indent -= line->depth == 1 || above->children->next;
		line->depth--;
		line->row = above;
	}
	if (line->row == top)
		return false;
	line->row = line->row->next;
	return true;
}

/* Sorts the children of the row and of those below it that are shown. Returns how many are shown.
 */
static int count_below(struct browse_rows *rows, const struct browse_line *top, uint32_t *n_ret)
{
	struct browse_line line = *top;
	uint32_t n = 0;

	do {
		if (line.row->is_unfolded && growing_view_grow(rows->growing, line.row))
			return -ENOMEM;
		n++;
	} while (next_line(rows, top->row, &line));
	*n_ret = n - 1;
	return 0;
}

static void write_below(const struct browse_rows *rows, const struct browse_line *top,
			struct browse_line *lines)
{
	struct browse_line line = *top;

	while (next_line(rows, top->row, &line))
		*lines++ = line;
}

/* How many lines are below that line. */
static uint32_t n_lines_below(const struct browse_rows *rows, uint32_t index)
{
	uint32_t end = index + 1;

	while (end < rows->n_lines && rows->lines[end].depth > rows->lines[index].depth)
		end++;
	return end - index - 1;
}

/* Replaces the lines below a line by those that are to be shown now. */
static int refresh_below(struct browse_rows *rows, uint32_t index)
{
	const struct browse_line top = rows->lines[index];
	uint32_t n_before = n_lines_below(rows, index), n = 0;
	int err = count_below(rows, &top, &n);

	if (!err && n > n_before)
		err = array_reserve(rows->lines, rows->n_lines, rows->n_allocated, n - n_before);
	if (err)
		return err;
	struct browse_line *below = rows->lines + index + 1;
	memmove(below + n, below + n_before,
		(rows->n_lines - index - 1 - n_before) * sizeof(*below));
	rows->n_lines += n - n_before;
	write_below(rows, &top, below);
	return 0;
}

static int refresh_all(struct browse_rows *rows)
{
	const struct browse_line top = { .row = rows->growing->view->root };
	uint32_t n = 0;
	int err = count_below(rows, &top, &n);

	if (!err && n > rows->n_lines)
		err = array_reserve(rows->lines, rows->n_lines, rows->n_allocated,
				    n - rows->n_lines);
	if (err)
		return err;
	rows->n_lines = n;
	write_below(rows, &top, rows->lines);
	return 0;
}

int browse_rows_init(struct browse_rows *rows, struct growing_view *growing)
{
	*rows = (struct browse_rows){ .growing = growing };
	growing->view->root->is_unfolded = true;
	return refresh_all(rows);
}

void browse_rows_deinit(struct browse_rows *rows)
{
	growing_view_destroy(rows->growing);
	free(rows->lines);
	*rows = (struct browse_rows){ 0 };
}

struct view_row *browse_rows_current(const struct browse_rows *rows)
{
	return rows->n_lines ? rows->lines[rows->cursor].row : NULL;
}

void browse_rows_move(struct browse_rows *rows, int64_t by)
{
	int64_t to = (int64_t)rows->cursor + by, last = (int64_t)rows->n_lines - 1;

	if (to > last)
		to = last;
	rows->cursor = to > 0 ? (uint32_t)to : 0;
}

static int unfold(struct browse_rows *rows, uint32_t index)
{
	struct view_row *row = rows->lines[index].row;

	if (row->is_unfolded || !growing_view_has_children(rows->growing, row))
		return 0;
	row->is_unfolded = true;
	return refresh_below(rows, index);
}

int browse_rows_unfold(struct browse_rows *rows)
{
	const struct view_row *row = browse_rows_current(rows);

	if (!row || !shows_children(row))
		return row ? unfold(rows, rows->cursor) : 0;
	rows->cursor++;
	return 0;
}

void browse_rows_fold(struct browse_rows *rows)
{
	struct view_row *row = browse_rows_current(rows);

	if (!row)
		return;
	if (shows_children(row)) {
		row->is_unfolded = false;
		refresh_below(rows, rows->cursor); /* needs no memory */
		return;
	}
	uint32_t depth = rows->lines[rows->cursor].depth;
	while (depth && rows->lines[rows->cursor].depth >= depth)
		rows->cursor--;
}

int browse_rows_toggle(struct browse_rows *rows)
{
	const struct view_row *row = browse_rows_current(rows);

	if (!row)
		return 0;
	if (!shows_children(row))
		return unfold(rows, rows->cursor);
	browse_rows_fold(rows);
	return 0;
}

static uint64_t cost_of(const struct browse_rows *rows, const struct view_row *row)
{
	return row->total[rows->growing->view->options.sort_metric];
}

static bool is_worth(const struct browse_rows *rows, const struct view_row *row, double min_percent)
{
	return (double)cost_of(rows, row) * 100 >=
	       min_percent * (double)cost_of(rows, root_of(rows));
}

/* The row after @row and those below it, within @top. NULL: none. */
static struct view_row *skip(const struct view_row *top, struct view_row *row)
{
	while (row != top && !row->next)
		row = row->parent;
	return row == top ? NULL : row->next;
}

int browse_rows_unfold_all(struct browse_rows *rows, double min_percent, bool *is_complete_ret)
{
	struct view_row *top = browse_rows_current(rows), *row = top;
	uint32_t n_shown = 0;

	while (row && n_shown < BROWSE_UNFOLD_MAX) {
		const bool is_open = row == top || is_worth(rows, row, min_percent);

		if (is_open && !row->is_unfolded && growing_view_has_children(rows->growing, row)) {
			if (growing_view_grow(rows->growing, row))
				return -ENOMEM;
			row->is_unfolded = true;
			for (const struct view_row *child = row->children; child;
			     child = child->next)
				n_shown++;
		}
		row = shows_children(row) ? row->children : skip(top, row);
	}
	*is_complete_ret = !row;
	return top ? refresh_below(rows, rows->cursor) : 0;
}

void browse_rows_fold_all(struct browse_rows *rows)
{
	struct view_row *top = browse_rows_current(rows);

	for (struct view_row *row = top; row;) {
		row->is_unfolded = false;
		row = row->children ? row->children : skip(top, row);
	}
	if (top)
		refresh_below(rows, rows->cursor); /* needs no memory */
}

struct view_row *browse_rows_hottest(const struct browse_rows *rows, const struct view_row *row)
{
	struct view_row *hottest = row->children;

	for (struct view_row *child = hottest; child; child = child->next) {
		if (cost_of(rows, child) > cost_of(rows, hottest))
			hottest = child;
	}
	return hottest;
}

/* Moves from a row that is unfolded to a child. */
static void move_to_child(struct browse_rows *rows, const struct view_row *child)
{
	rows->cursor++;
	while (rows->lines[rows->cursor].row != child)
		rows->cursor += n_lines_below(rows, rows->cursor) + 1;
}

int browse_rows_follow(struct browse_rows *rows)
{
	const struct view_row *row = browse_rows_current(rows);

	for (bool is_first = true; row; is_first = false) {
		int err = unfold(rows, rows->cursor);
		if (err)
			return err;
		if (!shows_children(row))
			return 0;
		const struct view_row *child = browse_rows_hottest(rows, row);
		if (!is_first && cost_of(rows, child) < (cost_of(rows, row) + 1) / 2)
			return 0;
		move_to_child(rows, child);
		row = child;
	}
	return 0;
}

/* The lines were refreshed: the row may be anywhere, or hidden by a row above it. */
static void put_cursor(struct browse_rows *rows, const struct view_row *row)
{
	const struct view_row *shown = row;

	rows->cursor = 0;
	for (; row && row->parent; row = row->parent) {
		if (!row->parent->is_unfolded)
			shown = row->parent;
	}
	for (uint32_t i = 0; i < rows->n_lines && shown; i++) {
		if (rows->lines[i].row == shown)
			rows->cursor = i;
	}
}

int browse_rows_refresh(struct browse_rows *rows)
{
	const struct view_row *row = browse_rows_current(rows);
	int err = refresh_all(rows);

	put_cursor(rows, row);
	return err;
}

int browse_rows_sort(struct browse_rows *rows, enum view_sort sort, uint32_t metric)
{
	rows->growing->view->options.sort = sort;
	rows->growing->view->options.sort_metric = metric;
	return browse_rows_refresh(rows);
}

int browse_rows_reveal(struct browse_rows *rows, struct view_row *row)
{
	bool is_hidden = false;

	for (struct view_row *above = row->parent; above; above = above->parent) {
		is_hidden |= !above->is_unfolded;
		above->is_unfolded = true;
	}
	int err = is_hidden ? refresh_all(rows) : 0;
	put_cursor(rows, row);
	return err;
}
