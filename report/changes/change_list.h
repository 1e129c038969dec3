/*
 * The rows of a comparison as a list on a screen: those whose rows above are all unfolded, what
 * moved most first. One of them is under the cursor. Knows no terminal.
 */
#ifndef REPORT_CHANGES_CHANGE_LIST_H
#define REPORT_CHANGES_CHANGE_LIST_H

#include "report/diff/diff.h"

/* How rows are shown. */
struct change_order {
	size_t metric;
	enum diff_measure measure; /* that is compared */
	bool significant_only;     /* rows that moved by more than chance, and those above them */
};

/* All arrays are by row of the comparison, but for the lines. */
struct change_list {
	const struct diff *diff; /* borrowed */
	struct change_order order;
	struct diff_tree tree;
	bool *is_wanted, *is_unfolded;
	uint32_t *indent; /* in steps: a row that is the only one below another is not indented */
	uint32_t *lines;  /* rows */
	struct string_ids names; /* each once, for searches */
	uint32_t *name_ids;
	bool *is_match;                /* by name: of the last search */
	uint32_t n_lines, cursor, top; /* of the lines; top: the first on the screen */
};

/* Rows without cost in the metric are not shown. 0 or -ENOMEM; change_list_deinit() follows. */
int change_list_init(struct change_list *list, const struct diff *diff,
		     const struct change_order *order);
void change_list_deinit(struct change_list *list);
/* Shows the rows in another way; what is unfolded stays, and so does the cursor as far as its row
 * is shown. 0, or -ENOMEM with everything as before. */
int change_list_reorder(struct change_list *list, const struct change_order *order);

/* The row under the cursor; DIFF_NO_ROW: there are none. */
uint32_t change_list_current(const struct change_list *list);
bool change_list_has_below(const struct change_list *list, uint32_t row);
void change_list_move(struct change_list *list, int64_t by);
/* As browse_rows.h has them. */
void change_list_unfold(struct change_list *list);
void change_list_fold(struct change_list *list);
void change_list_toggle(struct change_list *list);
/* Goes to what moved most below the row, as long as that moved half as far or more. */
void change_list_follow(struct change_list *list);
/* Goes to the next row, shown or not, or the one before, whose name has the text; at the end the
 * search goes on at the other. False: there is none. */
bool change_list_search(struct change_list *list, const char *text, bool backward);
/* Chooses the first line on the screen, so that the cursor is on it. */
void change_list_scroll(struct change_list *list, uint32_t page_size);

static inline const struct diff_change *change_list_change(const struct change_list *list,
							   uint32_t row, enum diff_measure measure)
{
	return &list->diff->changes[list->order.metric].rows[measure][row];
}

#endif
