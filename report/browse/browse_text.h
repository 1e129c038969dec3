/* The lines of the screen of dendro browse, as text with styles. Knows no terminal. */
#ifndef REPORT_BROWSE_BROWSE_TEXT_H
#define REPORT_BROWSE_BROWSE_TEXT_H

#include "report/browse/browse_keys.h"
#include "report/browse/browse_state.h"
#include "report/browse/icicle.h"
#include "report/terminal/styled_line.h"

/* Each adds to a line that styled_line_init() made. */

/* The file, the event, its total. */
void browse_text_title(const struct browse *browse, struct styled_line *line);
/* The views; the shown one in brackets. What part of the profile is shown. */
void browse_text_views(const struct browse *browse, struct styled_line *line);
/* The view whose name is there; N_BROWSE_PAGES: none. Uses @line. */
enum browse_page_kind browse_text_view_at(const struct browse *browse, struct styled_line *line,
					  unsigned column);
/* The names of the columns; the one that rows are sorted by has a mark. */
void browse_text_heading(const struct browse *browse, struct styled_line *line);
/* The action that sorts by the column there. */
enum browse_action browse_text_column_at(const struct browse *browse, unsigned column);
/* A row, by the index of its line. Parts that match the search are STYLE_WARNING. */
void browse_text_row(const struct browse *browse, uint32_t index, struct styled_line *line);
/* A level of an icicle, which is as wide as the line. The row under the cursor is not filled. */
void browse_text_level(const struct browse *browse, const struct icicle *icicle, uint32_t depth,
		       struct styled_line *line);
/* The whole name of the row under the cursor, and its exact costs. */
void browse_text_name(const struct browse *browse, struct styled_line *line);
void browse_text_costs(const struct browse *browse, struct styled_line *line);
/* What to do next; or the message about the last action. */
void browse_text_hints(const struct browse *browse, struct styled_line *line);

#endif
