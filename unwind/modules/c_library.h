/* Recognizes files that may be a C library, whose functions an architecture recognizes by their
 * code. */
#ifndef UNWIND_MODULES_C_LIBRARY_H
#define UNWIND_MODULES_C_LIBRARY_H

#include <libelf.h>
#include <stdbool.h>

/*
 * A file that needs no library is complete, and may have a C library in it; a shared C library
 * exports sigaction().
 */
bool c_library_is_possible(Elf *elf);

#endif
