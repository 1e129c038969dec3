/* The first and last addresses of an ELF file's functions, by its symbols. Names are not read. */
#ifndef UNWIND_CODE_FUNCTIONS_H
#define UNWIND_CODE_FUNCTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct functions;

/* Reads .symtab, or .dynsym if it is the only one. @elf is not kept. NULL: out of memory. */
struct functions *functions_create(Elf *elf);
void functions_destroy(struct functions *functions);
/* The memory it takes. */
size_t functions_size(const struct functions *functions);
/* The innermost function that contains @vaddr. Threads: any. */
bool functions_find(const struct functions *functions, uint64_t vaddr, uint64_t *start_ret,
		    uint64_t *end_ret);

#endif
