#include "report/browse/browse_typing.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

/* Of rows between the root and @row, notes those that are folded. */
static int note_folded(struct browse *browse, struct view_row *row)
{
	for (row = row->parent; row; row = row->parent) {
		if (row->is_unfolded)
			continue;
		if (array_reserve(browse->revealed, browse->n_revealed,
				  browse->n_revealed_allocated, 1))
			return -ENOMEM;
		browse->revealed[browse->n_revealed++] = row;
	}
	return 0;
}

static int go_to(struct browse *browse, struct view_row *row)
{
	int err = note_folded(browse, row);

	return err ? err : browse_rows_reveal(&browse_page(browse)->rows, row);
}

/* The search may have begun in another view. */
static int begin_search_here(struct browse *browse)
{
	struct growing_view *growing = browse_page(browse)->rows.growing;

	if (browse->search.growing == growing)
		return 0;
	char *text = browse->search.text;
	browse->search.text = NULL;
	int err = row_search_begin(&browse->search, growing, text);
	free(text);
	return err;
}

int browse_search_next(struct browse *browse, bool backward)
{
	if (!browse->search.text) {
		browse->message = "No search: / begins one.";
		return 0;
	}
	int err = begin_search_here(browse);
	if (err)
		return err;
	struct view_row *from = browse_rows_current(&browse_page(browse)->rows);
	struct view_row *row = row_search_next(&browse->search, from, backward);
	browse->n_revealed = 0;
	if (row)
		return go_to(browse, row);
	browse->message = "No row matches.";
	return 0;
}

void browse_search_begin(struct browse *browse)
{
	browse->search_from = browse_rows_current(&browse_page(browse)->rows);
	browse->n_revealed = 0;
}

/* Folds what the search has unfolded, and goes back to where it began. */
static int go_back(struct browse *browse)
{
	for (uint32_t i = 0; i < browse->n_revealed; i++)
		browse->revealed[i]->is_unfolded = false;
	browse->n_revealed = 0;
	struct browse_rows *rows = &browse_page(browse)->rows;
	int err = browse_rows_refresh(rows);
	if (!err && browse->search_from)
		err = browse_rows_reveal(rows, browse->search_from);
	return err;
}

/* The row where the search began may match itself. */
static struct view_row *find_typed(struct browse *browse)
{
	struct view_row *from = browse->search_from;

	if (from && row_search_matches(&browse->search, from))
		return from;
	return row_search_next(&browse->search, from, false);
}

int browse_search_type(struct browse *browse, const char *text)
{
	int err = go_back(browse);

	browse->message = "";
	if (err || !*text)
		return err;
	err = row_search_begin(&browse->search, browse_page(browse)->rows.growing, text);
	if (err)
		return err;
	struct view_row *row = find_typed(browse);
	if (row)
		return go_to(browse, row);
	browse->message = "No row matches.";
	return 0;
}

int browse_search_finish(struct browse *browse, bool stays)
{
	int err = stays ? 0 : go_back(browse);

	if (!stays)
		row_search_end(&browse->search);
	browse->n_revealed = 0;
	return err;
}
