/*
 * Demangles symbol names of C++, Rust and D. Suffixes that a compiler appended to a mangled name
 * (".cold", ".part.0", ".llvm.123") are shown as in binutils and gdb: "foo(int) [clone .cold]". A
 * version stays unchanged ("@@GLIBCXX_3.4"). Hashes in names of Rust are left out.
 */
#ifndef REPORT_DEMANGLE_DEMANGLE_H
#define REPORT_DEMANGLE_DEMANGLE_H

/*
 * The name with parameters, and with the return type if the mangled name contains it (templates).
 * The caller frees it. NULL: show @name unchanged, because it is not mangled, or too long to be
 * demangled safely, or memory is lacking.
 */
char *demangle_symbol(const char *name);
/* The name without parameters, return type and suffixes, as perf shows names. Likewise. */
char *demangle_without_parameters(const char *name);

#endif
