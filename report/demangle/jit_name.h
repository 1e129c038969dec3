/*
 * Names of functions inside the names that runtimes give to code made at run time, in perf-PID.map
 * files and jitdumps: V8's "JS:*fib /srv/fib.js:1:13" begins with the kind and the tier of the code
 * and ends with its place; Python's is "py::fib:/srv/fib.py".
 */
#ifndef REPORT_DEMANGLE_JIT_NAME_H
#define REPORT_DEMANGLE_JIT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The function in a runtime's name: "fib". NULL: @name has another form, or the function has no
 * name. */
const char *jit_name_function(const char *name, size_t *size_ret);
/* Whether @name is of such a form, and @wanted is the name of its function: "fib", also with its
 * kind ("JS:fib", "py::fib") and tier ("JS:*fib"). */
bool jit_name_is_of(const char *name, const char *wanted);

#endif
