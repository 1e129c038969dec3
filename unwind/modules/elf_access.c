#include "unwind/modules/elf_access.h"

#include <stdlib.h>

#include "cct/base/array.h"

void elf_access_log_add(struct elf_access_log *log, const struct elf_access *access)
{
	if (array_reserve(log->accesses, log->n, log->n_allocated, 1)) {
		log->is_incomplete = true;
		return;
	}
	log->accesses[log->n++] = *access;
}
