/*
 * The starts of functions in a file without symbols: addresses that its code calls or takes, and
 * addresses in its data.
 *
 * Bytes that look like such instructions are searched at every offset, so a few of the results are
 * not starts of functions.
 */
#ifndef UNWIND_CODE_FUNCTION_STARTS_H
#define UNWIND_CODE_FUNCTION_STARTS_H

#include <libelf.h>

#include "unwind/rules/regs.h"

struct function_starts;

/*
 * Of a segment of @elf at address @vaddr; nothing is kept. NULL: out of memory, or the architecture
 * has no @mark_function_starts.
 */
struct function_starts *function_starts_create(const struct arch *arch, Elf *elf,
					       const uint8_t *code, size_t size, uint64_t vaddr);
void function_starts_destroy(struct function_starts *starts);
/* The memory it takes. */
size_t function_starts_size(const struct function_starts *starts);
/* Offsets in the code. Threads: any. */
bool function_starts_has(const struct function_starts *starts, size_t at);
/* The last one at or before @at, at most @distance back. */
bool function_starts_before(const struct function_starts *starts, size_t at, size_t distance,
			    size_t *start_ret);

#endif
