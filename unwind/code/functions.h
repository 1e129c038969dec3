/* Where an ELF file's functions begin and end, by its symbols; names are no matter here. */
#ifndef UNWIND_CODE_FUNCTIONS_H
#define UNWIND_CODE_FUNCTIONS_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

struct functions;

/* From .symtab, or .dynsym where that is all. @elf is not kept. NULL: out of memory. */
struct functions *functions_create(Elf *elf);
void functions_destroy(struct functions *functions);
/* The innermost function that holds @vaddr. Threads: any. */
bool functions_find(const struct functions *functions, uint64_t vaddr, uint64_t *start_ret,
		    uint64_t *end_ret);

#endif
