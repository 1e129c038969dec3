/* Names of clones that compilers make of a function for some callers, and of parts split off it. */
#ifndef REPORT_DEMANGLE_CLONE_NAME_H
#define REPORT_DEMANGLE_CLONE_NAME_H

#include <stdbool.h>

/*
 * The name of the original function: "foo" for "foo.constprop.0", "foo(int)" for "foo(int) [clone
 * .part.0] [clone .cold]". The caller frees it. NULL: @name is not that of a clone, or out of
 * memory. The suffixes of link-time optimization (".lto_priv.0", ".llvm.123") do not mark clones:
 * they distinguish functions of one name in several units.
 */
char *clone_base_name(const char *name);
/*
 * Whether @name is a split-off part, "foo.part.0", which its own function calls or jumps to. On a
 * path the two are one function.
 */
bool clone_is_part(const char *name);

#endif
