/* A function's first instruction in an ELF file, by the file's symbols. */
#ifndef CCT_OBJECT_ELF_FUNCTION_H
#define CCT_OBJECT_ELF_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/text/near_names.h"

struct elf_function {
	uint64_t offset;  /* in the file */
	uint64_t vaddr;   /* where the file wants it to be loaded */
	uint16_t machine; /* EM_*; EM_NONE if addresses have another size than the machine's */
	bool is_ifunc; /* the code there is a resolver, which chooses the function when the program
			  starts */
};

/*
 * Finds the function @name in the file at @path. @name may end in a version, "memcpy@GLIBC_2.14";
 * without one, the default version is used. 0; -ENOENT: no such function, and all names were
 * offered to @near (may be NULL); -EINVAL: not an ELF file; -ENOEXEC: the symbol's address is not
 * code.
 */
int elf_function_find(const char *path, const char *name, struct elf_function *ret,
		      struct near_names *near);

#endif
