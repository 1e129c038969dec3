/*
 * Searches all rows of a view by a part of their names, shown or not. Which parts of a tree have a
 * match is known from its fold, so a search adds only the rows on the way to one.
 *
 * A text in lower case matches upper case, too.
 */
#ifndef REPORT_BROWSE_ROW_SEARCH_H
#define REPORT_BROWSE_ROW_SEARCH_H

#include "report/browse/growing_view.h"

struct row_search {
	char *text; /* NULL: no search */
	bool has_upper_case;
	struct growing_view *growing; /* borrowed */
	/*
	 * By node of the fold, or NULL. VIEW_TREE: whether a node below it matches. VIEW_CALLERS:
	 * whether it or a node above it matches.
	 */
	bool *leads_to_match;
};

/* Replaces the search. 0 or -ENOMEM. */
int row_search_begin(struct row_search *search, struct growing_view *growing, const char *text);
void row_search_end(struct row_search *search);
bool row_search_matches(const struct row_search *search, const struct view_row *row);
/*
 * The next match after @from, or the one before it, in the order of the view; at its end the search
 * goes on at the other. NULL: there is none, or no memory for the rows on the way. @from: NULL: the
 * root.
 */
struct view_row *row_search_next(struct row_search *search, struct view_row *from, bool backward);

#endif
