/*
 * Function names as the text report shows them: shortened (report/demangle/short_name.h), and
 * without parameters unless another visible function of the module would then have the same name.
 */
#ifndef REPORT_TEXT_TEXT_NAMES_H
#define REPORT_TEXT_TEXT_NAMES_H

#include "report/text/text.h"

/*
 * Shortens the names of the visible rows. NULL: out of memory; text_names_get() then returns whole
 * names.
 */
struct text_names *text_names_create(const struct text *text);
void text_names_destroy(struct text_names *names);
/* A row's name, of any width. @names may be NULL. Valid as long as @names and the view. */
const char *text_names_get(const struct text_names *names, const struct view_row *row);

#endif
