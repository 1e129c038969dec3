#include "unwind/modules/elf_access.h"

#include <stdlib.h>

void elf_access_log_add(struct elf_access_log *log, const struct elf_access *access)
{
	if (log->n == log->n_allocated) {
		size_t n = log->n_allocated ? log->n_allocated * 2 : 64;
		struct elf_access *accesses = reallocarray(log->accesses, n, sizeof(*accesses));
		if (!accesses) {
			log->is_incomplete = true;
			return;
		}
		log->accesses = accesses;
		log->n_allocated = n;
	}
	log->accesses[log->n++] = *access;
}
