/* A log of the requests to modules' files, in order. It shows the parts of the files that a walk
 * needs. */
#ifndef UNWIND_MODULES_ELF_ACCESS_H
#define UNWIND_MODULES_ELF_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rule for an offset (@size 0), or bytes. */
struct elf_access {
	uint32_t module;
	uint64_t offset;
	size_t size;
};

struct elf_access_log {
	struct elf_access *accesses; /* to free */
	size_t n, n_allocated;
	bool is_incomplete; /* out of memory */
};

void elf_access_log_add(struct elf_access_log *log, const struct elf_access *access);

#endif
