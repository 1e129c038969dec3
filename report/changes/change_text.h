/* What the screen of a comparison shows, as lines of text. Knows no terminal. */
#ifndef REPORT_CHANGES_CHANGE_TEXT_H
#define REPORT_CHANGES_CHANGE_TEXT_H

#include "report/changes/change_list.h"
#include "report/terminal/styled_line.h"

/* The files, the event, and the view. */
void change_text_title(const struct change_list *list, struct styled_line *line);
/* The views, and how rows are shown. */
void change_text_views(const struct change_list *list, struct styled_line *line);
void change_text_heading(const struct change_list *list, struct styled_line *line);
/* A row, by the index of its line; what chance explains is dim. */
void change_text_row(const struct change_list *list, uint32_t index, struct styled_line *line);
/* The whole name of the row under the cursor, and both of its costs. */
void change_text_name(const struct change_list *list, struct styled_line *line);
void change_text_costs(const struct change_list *list, struct styled_line *line);

#endif
