/* Mangled names of D (https://dlang.org/spec/abi.html#name_mangling), of compilers since 2017. */
#ifndef REPORT_DEMANGLE_DEMANGLE_D_H
#define REPORT_DEMANGLE_DEMANGLE_D_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "std.stdio.writeln!(int).writeln(int)" into @text, without a NUL. False: @name is no mangled name
 * of D, is nested too deeply, or needs more than @max_size bytes. Time is bounded whatever the name
 * refers back to.
 */
bool demangle_d(const char *name, bool parameters, char *text, size_t max_size, size_t *size_ret);

#endif
