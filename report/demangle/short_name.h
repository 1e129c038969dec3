/*
 * Shortens function names for a terminal: names that are too wide are folded from the inside, so
 * that the function's own name stays. report/demangle/simple_name.h removes parts that no reader
 * needs.
 */
#ifndef REPORT_DEMANGLE_SHORT_NAME_H
#define REPORT_DEMANGLE_SHORT_NAME_H

#include <stdbool.h>

/*
 * Shortens a name to @columns: the innermost template arguments and parameters become "…" ("..."
 * without @utf8), then those around them, as far as needed; then namespaces are dropped. The result
 * may still be too wide, or unchanged if the name is too long or malformed, or of a row that is not
 * a function, which is in brackets; printable_write() cuts it then. The caller frees it; NULL: out
 * of memory.
 */
char *short_name_fit(const char *name, unsigned columns, bool utf8);

/*
 * Whether a name that short_name_fit() returned lost more than its arguments and outer namespaces:
 * it is wider than @columns, or a method without its class.
 */
bool short_name_is_poor(const char *fitted, unsigned columns, bool utf8);

#endif
