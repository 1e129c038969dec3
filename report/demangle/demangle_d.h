/*
 * Demangles names of D as compilers since 2017 write them
 * (https://dlang.org/spec/abi.html#name_mangling).
 */
#ifndef REPORT_DEMANGLE_DEMANGLE_D_H
#define REPORT_DEMANGLE_DEMANGLE_D_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a name such as "std.stdio.writeln!(int).writeln(int)" to @text, without a NUL. False:
 * @name is not a mangled name of D, is nested too deeply, or needs more than @max_size bytes. The
 * time is bounded whatever back references the name contains.
 */
bool demangle_d(const char *name, bool parameters, char *text, size_t max_size, size_t *size_ret);

#endif
