/* Names of what a compiler made of one function: clones for some callers, parts split off. */
#ifndef REPORT_DEMANGLE_CLONE_NAME_H
#define REPORT_DEMANGLE_CLONE_NAME_H

#include <stdbool.h>

/*
 * "foo" of "foo.constprop.0", "foo(int)" of "foo(int) [clone .part.0] [clone .cold]". To be freed.
 * NULL: @name is not a clone's, or there is no memory. What link-time optimization gives another
 * name (".lto_priv.0", ".llvm.123") is no clone: it tells apart functions of one name in several
 * units.
 */
char *clone_base_name(const char *name);
/* A part that its function calls or jumps to, "foo.part.0": on a path they are one. */
bool clone_is_part(const char *name);

#endif
