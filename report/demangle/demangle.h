/*
 * C++, Rust and D symbol names as people write them. What a compiler hung on behind a mangled name
 * (".cold", ".part.0", ".llvm.123") stays visible as binutils and gdb show it: "foo(int) [clone
 * .cold]"; a version stays as it is ("@@GLIBCXX_3.4"). Rust's hashes are left out.
 */
#ifndef REPORT_DEMANGLE_DEMANGLE_H
#define REPORT_DEMANGLE_DEMANGLE_H

/*
 * With parameters, and the return type where the mangled name tells it (of templates). To be freed.
 * NULL: @name is not mangled (or is too long to be demangled safely, or there is no memory): show
 * it as it is.
 */
char *demangle_symbol(const char *name);
/* Without parameters, return type and what the compiler hung on, as perf shows names. */
char *demangle_without_parameters(const char *name);

#endif
