/*
 * Code in the memory of processes (JIT code), page by page, as a recording has it last. Pages that
 * follow one another in a process do so here, too.
 */
#ifndef CCT_CODE_MEMORY_CODE_H
#define CCT_CODE_MEMORY_CODE_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_PAGE_SIZE 4096u

struct memory_page {
	uint64_t addr; /* a multiple of MEMORY_PAGE_SIZE */
	int32_t pid;
	uint16_t machine;     /* EM_*; EM_NONE: not known */
	const uint8_t *bytes; /* MEMORY_PAGE_SIZE */
};

/* All zero: no page. */
struct memory_code {
	struct memory_page *pages; /* owned; sorted by pid and address */
	size_t n_pages;
	uint8_t *bytes; /* owned; of all pages, in their order */
};

/*
 * Copies pages, each of them there once, in any order; @pages is sorted. 0 or -ENOMEM.
 */
int memory_code_init(struct memory_code *code, struct memory_page *pages, size_t n_pages);
void memory_code_deinit(struct memory_code *code);
/*
 * The bytes at @addr in process @pid. *@n_ret: how many of @size are known, up to the first unknown
 * page. NULL: none.
 */
const uint8_t *memory_code_find(const struct memory_code *code, int32_t pid, uint64_t addr,
				uint64_t size, size_t *n_ret, uint16_t *machine_ret);

#endif
