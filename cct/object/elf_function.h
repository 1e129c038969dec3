/* A function's first instruction in an ELF file, by the file's symbols. */
#ifndef CCT_OBJECT_ELF_FUNCTION_H
#define CCT_OBJECT_ELF_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/text/near_names.h"

struct elf_function {
	uint64_t offset; /* in the file */
	bool is_ifunc;   /* what stands there chooses the function, when the program starts */
};

/*
 * @name may end in a version, "memcpy@GLIBC_2.14"; else the default one of several is taken.
 * -ENOENT: no such function, and @near (may be NULL) has been offered all; -EINVAL: not an ELF
 * file; -ENOEXEC: it has no code there.
 */
int elf_function_find(const char *path, const char *name, struct elf_function *ret,
		      struct near_names *near);

#endif
