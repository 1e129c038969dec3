/*
 * Simplifies function names for people by removing parts that every reader knows or does not need.
 * Formats for programs have whole names.
 */
#ifndef REPORT_DEMANGLE_SIMPLE_NAME_H
#define REPORT_DEMANGLE_SIMPLE_NAME_H

#include <stdbool.h>

/*
 * Removes the return type, LLVM's numbers of units, inline namespaces, ABI tags and default
 * template arguments of std
 * ("std::map<int, long>"), and replaces std::basic_string<char> and similar types by std::string
 * etc. @parameters: false: also removes the list of parameters and the text after it, except
 * "[clone .cold]" and "@plt". The caller frees the result; NULL: out of memory.
 */
char *simple_name_make(const char *name, bool parameters);

#endif
