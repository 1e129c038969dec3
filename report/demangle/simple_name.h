/*
 * Functions' names for people: what every reader knows or does not need is left out. Formats for
 * programs have whole names.
 */
#ifndef REPORT_DEMANGLE_SIMPLE_NAME_H
#define REPORT_DEMANGLE_SIMPLE_NAME_H

#include <stdbool.h>

/*
 * Without return type, inline namespaces and ABI tags; without those template arguments of std that
 * are the default ones ("std::map<int, long>"); std::string and its like by these names.
 * @parameters: false: without the list of parameters and what follows it, too; "[clone
 * .cold]" and "@plt" stay. To be freed; NULL: out of memory.
 */
char *simple_name_make(const char *name, bool parameters);

#endif
