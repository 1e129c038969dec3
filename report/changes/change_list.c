#include "report/changes/change_list.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

static size_t count_rows(const struct change_list *list)
{
	return list->diff->rows.n_rows;
}

static double distance(const struct change_list *list, uint32_t row, enum diff_measure measure)
{
	return fabs(diff_change_of(change_list_change(list, row, measure)));
}

/* The total of a row does not show what moved to others below it. */
static int make_tree(struct change_list *list)
{
	const size_t n = count_rows(list);
	double *moved = calloc(n + 1, sizeof(*moved));
	_cleanup_free_ double *values = calloc(n + 1, sizeof(*values));

	if (!moved || !values) {
		free(moved);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++) {
		moved[i] = distance(list, i, list->order.measure);
		if (diff_is_tree(list->diff))
			moved[i] = fmax(moved[i], fmax(distance(list, i, DIFF_SELF),
						       distance(list, i, DIFF_TOTAL)));
		values[i] =
			change_list_change(list, i, list->order.measure)->result.values[DIFF_AFTER];
	}
	return diff_tree_init(&list->tree, &list->diff->rows, moved, values);
}

static int choose_rows(struct change_list *list)
{
	const size_t n = count_rows(list);

	list->is_wanted = calloc(n + 1, sizeof(*list->is_wanted));
	if (!list->is_wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const double *values = change_list_change(list, i, DIFF_TOTAL)->result.values;
		const struct diff_change *change = change_list_change(list, i, list->order.measure);

		list->is_wanted[i] =
			(values[DIFF_BEFORE] > 0 || values[DIFF_AFTER] > 0) &&
			(!list->order.significant_only || diff_change_is_significant(change));
	}
	diff_tree_mark_above(&list->diff->rows, list->is_wanted);
	return 0;
}

/* The first row from @row on, among those next to each other, that is wanted. */
static uint32_t find_wanted(const struct change_list *list, uint32_t row)
{
	while (row != DIFF_NO_ROW && !list->is_wanted[row])
		row = list->tree.next[row];
	return row;
}

static uint32_t first_below(const struct change_list *list, uint32_t row)
{
	return find_wanted(list, list->tree.first[row]);
}

/* The row after @row and what is below it. */
static uint32_t next_beside(const struct change_list *list, uint32_t row)
{
	for (; row != DIFF_NO_ROW; row = list->diff->rows.rows[row].parent) {
		const uint32_t next = find_wanted(list, list->tree.next[row]);

		if (next != DIFF_NO_ROW)
			return next;
	}
	return DIFF_NO_ROW;
}

static uint32_t next_of_all(const struct change_list *list, uint32_t row)
{
	const uint32_t below = first_below(list, row);

	return below != DIFF_NO_ROW ? below : next_beside(list, row);
}

static void indent_below(struct change_list *list, uint32_t row)
{
	const uint32_t first = first_below(list, row);
	const bool is_only =
		first != DIFF_NO_ROW && find_wanted(list, list->tree.next[first]) == DIFF_NO_ROW;
	const bool is_top = list->diff->rows.rows[row].parent == DIFF_NO_ROW;

	for (uint32_t at = first; at != DIFF_NO_ROW; at = find_wanted(list, list->tree.next[at]))
		list->indent[at] = list->indent[row] + (!is_only || is_top);
}

static void find_cursor(struct change_list *list, uint32_t row)
{
	for (; row != DIFF_NO_ROW; row = list->diff->rows.rows[row].parent) {
		for (uint32_t i = 0; i < list->n_lines; i++) {
			if (list->lines[i] != row)
				continue;
			list->cursor = i;
			return;
		}
	}
	list->cursor = 0;
}

/* Lists the rows; the cursor goes to @row, or to what is above it. */
static void list_rows(struct change_list *list, uint32_t row)
{
	uint32_t at = find_wanted(list, list->tree.top);

	list->n_lines = 0;
	while (at != DIFF_NO_ROW) {
		const bool is_open = list->is_unfolded[at] && change_list_has_below(list, at);

		list->lines[list->n_lines++] = at;
		if (is_open)
			indent_below(list, at);
		at = is_open ? first_below(list, at) : next_beside(list, at);
	}
	find_cursor(list, row);
}

static int make(struct change_list *list)
{
	int err = make_tree(list);

	return err ? err : choose_rows(list);
}

/* Many rows have the same name. */
static int collect_names(struct change_list *list)
{
	const struct diff_rows *rows = &list->diff->rows;
	bool is_new;

	list->name_ids = calloc(rows->n_rows + 1, sizeof(*list->name_ids));
	for (size_t i = 0; list->name_ids && i < rows->n_rows; i++) {
		if (string_ids_add(&list->names, rows->rows[i].name, &list->name_ids[i], &is_new))
			return -ENOMEM;
	}
	list->is_match = calloc((size_t)list->names.n_strings + 1, sizeof(*list->is_match));
	return list->name_ids && list->is_match ? 0 : -ENOMEM;
}

int change_list_init(struct change_list *list, const struct diff *diff,
		     const struct change_order *order)
{
	const size_t n = diff->rows.n_rows;

	*list = (struct change_list){ .diff = diff, .order = *order };
	list->is_unfolded = calloc(n + 1, sizeof(*list->is_unfolded));
	list->indent = calloc(n + 1, sizeof(*list->indent));
	list->lines = calloc(n + 1, sizeof(*list->lines));
	if (!list->is_unfolded || !list->indent || !list->lines || collect_names(list) ||
	    make(list))
		return -ENOMEM;
	list_rows(list, DIFF_NO_ROW);
	return 0;
}

void change_list_deinit(struct change_list *list)
{
	diff_tree_deinit(&list->tree);
	free(list->is_wanted);
	free(list->is_unfolded);
	free(list->indent);
	free(list->lines);
	free(list->name_ids);
	free(list->is_match);
	string_ids_deinit(&list->names);
}

int change_list_reorder(struct change_list *list, const struct change_order *order)
{
	struct change_list other = { .diff = list->diff, .order = *order };
	const uint32_t row = change_list_current(list);
	int err = make(&other);

	if (err) {
		diff_tree_deinit(&other.tree);
		free(other.is_wanted);
		return err;
	}
	diff_tree_deinit(&list->tree);
	free(list->is_wanted);
	list->tree = other.tree;
	list->is_wanted = other.is_wanted;
	list->order = *order;
	list_rows(list, row);
	return 0;
}

uint32_t change_list_current(const struct change_list *list)
{
	return list->n_lines ? list->lines[list->cursor] : DIFF_NO_ROW;
}

bool change_list_has_below(const struct change_list *list, uint32_t row)
{
	return first_below(list, row) != DIFF_NO_ROW;
}

void change_list_move(struct change_list *list, int64_t by)
{
	int64_t at = (int64_t)list->cursor + by;

	if (at >= (int64_t)list->n_lines)
		at = (int64_t)list->n_lines - 1;
	list->cursor = at > 0 ? (uint32_t)at : 0;
}

void change_list_unfold(struct change_list *list)
{
	const uint32_t row = change_list_current(list);

	if (row == DIFF_NO_ROW || !change_list_has_below(list, row))
		return;
	if (list->is_unfolded[row]) {
		change_list_move(list, 1);
		return;
	}
	list->is_unfolded[row] = true;
	list_rows(list, row);
}

void change_list_fold(struct change_list *list)
{
	const uint32_t row = change_list_current(list);

	if (row == DIFF_NO_ROW)
		return;
	if (!list->is_unfolded[row] || !change_list_has_below(list, row)) {
		if (list->diff->rows.rows[row].parent != DIFF_NO_ROW)
			find_cursor(list, list->diff->rows.rows[row].parent);
		return;
	}
	list->is_unfolded[row] = false;
	list_rows(list, row);
}

void change_list_toggle(struct change_list *list)
{
	const uint32_t row = change_list_current(list);

	if (row != DIFF_NO_ROW && list->is_unfolded[row])
		change_list_fold(list);
	else
		change_list_unfold(list);
}

void change_list_follow(struct change_list *list)
{
	uint32_t row = change_list_current(list);

	while (row != DIFF_NO_ROW) {
		const uint32_t below = first_below(list, row);

		if (below == DIFF_NO_ROW || list->tree.moved[below] * 2 < list->tree.moved[row])
			break;
		list->is_unfolded[row] = true;
		row = below;
	}
	list_rows(list, row);
}

static void reveal(struct change_list *list, uint32_t row)
{
	uint32_t above = list->diff->rows.rows[row].parent;

	for (; above != DIFF_NO_ROW; above = list->diff->rows.rows[above].parent)
		list->is_unfolded[above] = true;
	list_rows(list, row);
}

static void find_matches(struct change_list *list, const char *text)
{
	for (uint32_t i = 0; i < list->names.n_strings; i++)
		list->is_match[i] = strcasestr(list->names.strings[i], text) != NULL;
}

bool change_list_search(struct change_list *list, const char *text, bool backward)
{
	const uint32_t from = change_list_current(list);
	uint32_t first = DIFF_NO_ROW, last = DIFF_NO_ROW, before = DIFF_NO_ROW, after = DIFF_NO_ROW;
	bool is_past = false;

	find_matches(list, text);
	for (uint32_t at = find_wanted(list, list->tree.top); at != DIFF_NO_ROW;
	     at = next_of_all(list, at)) {
		const bool is_match = list->is_match[list->name_ids[at]];

		if (at == from) {
			is_past = true;
			before = last;
		} else if (is_match && is_past && after == DIFF_NO_ROW) {
			after = at;
		}
		if (!is_match)
			continue;
		first = first == DIFF_NO_ROW ? at : first;
		last = at;
	}
	if (first == DIFF_NO_ROW)
		return false;
	if (backward)
		reveal(list, before == DIFF_NO_ROW ? last : before);
	else
		reveal(list, after == DIFF_NO_ROW ? first : after);
	return true;
}

void change_list_scroll(struct change_list *list, uint32_t page_size)
{
	if (list->cursor < list->top)
		list->top = list->cursor;
	if (page_size && list->cursor - list->top >= page_size)
		list->top = list->cursor - page_size + 1;
	if (list->n_lines <= page_size)
		list->top = 0;
}
