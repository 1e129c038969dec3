/*
 * Which of several functions an IFUNC has chosen for this processor: its resolver ran in processes
 * that use the library, and their memory has its answer where the loader has put it.
 */
#ifndef PERF_KINDS_IFUNC_CHOICE_H
#define PERF_KINDS_IFUNC_CHOICE_H

#include <stdint.h>

/*
 * Finds the choice of @function, whose resolver is at the address @resolver of the library at
 * @path, in the memory of this process or of another one that has mapped the library. *@offset_ret:
 * in the library's file. 0; -ENOENT: no process that can be read uses it; -ENOMEM, or -errno of
 * reading the library.
 */
int ifunc_choice_find(const char *path, const char *function, uint64_t resolver,
		      uint64_t *offset_ret);

#endif
