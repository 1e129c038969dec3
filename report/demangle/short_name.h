/*
 * Functions' names for a terminal: what is too wide is folded from the inside, so that the
 * function's own name stays. report/demangle/simple_name.h leaves out what no reader needs.
 */
#ifndef REPORT_DEMANGLE_SHORT_NAME_H
#define REPORT_DEMANGLE_SHORT_NAME_H

#include <stdbool.h>

/*
 * To fit @columns: the innermost template arguments and parameters become "…" ("..." without
 * @utf8), then those around them, as far as needed; then namespaces go. A result that is
 * still too wide (or the name is too long or too odd to be looked into) is for printable_write() to
 * cut. To be freed; NULL: out of memory.
 */
char *short_name_fit(const char *name, unsigned columns, bool utf8);

#endif
