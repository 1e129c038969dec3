/*
 * Functions' names for a terminal: what every reader knows or does not need is left out, and what
 * is too wide is folded from the inside, so that the function's own name stays. Formats for
 * programs have whole names.
 */
#ifndef REPORT_DEMANGLE_SHORT_NAME_H
#define REPORT_DEMANGLE_SHORT_NAME_H

#include <stdbool.h>

/*
 * Without return type, inline namespaces and ABI tags; without those template arguments of std that
 * are the default ones ("std::map<int, long>"); std::string and its like by these names.
 * @parameters: false: without the list of parameters and what stands behind it, too; "[clone
 * .cold]" and "@plt" stay. To be freed; NULL: out of memory.
 */
char *short_name_simplify(const char *name, bool parameters);

/*
 * To fit @columns: the innermost template arguments and parameters become "…" ("..." without
 * @utf8), then those around them, as far as needed; then namespaces go. A result that is
 * still too wide (or the name is too long or too odd to be looked into) is for printable_write() to
 * cut. To be freed; NULL: out of memory.
 */
char *short_name_fit(const char *name, unsigned columns, bool utf8);

#endif
