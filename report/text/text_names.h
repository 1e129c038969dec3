/*
 * Functions' names as the text report shows them: short (report/demangle/short_name.h), and without
 * parameters where no other function of the module that is shown has the same name then.
 */
#ifndef REPORT_TEXT_TEXT_NAMES_H
#define REPORT_TEXT_TEXT_NAMES_H

#include "report/text/text.h"

/* Of the rows that are to be seen. NULL: no memory; names are whole then. */
struct text_names *text_names_create(const struct text *text);
void text_names_destroy(struct text_names *names);
/* A row's name, of any width. @names may be NULL. Valid as long as they are. */
const char *text_names_get(const struct text_names *names, const struct view_row *row);

#endif
