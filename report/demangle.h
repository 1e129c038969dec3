/* C++ and Rust symbol names as people write them. */
#ifndef REPORT_DEMANGLE_H
#define REPORT_DEMANGLE_H

/*
 * Without parameters, like perf's. To be freed. NULL: @name is not mangled (or is too long to be
 * demangled safely, or there is no memory): show it as it is.
 */
char *demangle_symbol(const char *name);

#endif
