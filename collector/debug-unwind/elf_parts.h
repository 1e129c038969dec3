/*
 * The few bytes of an ELF file that some walks need: headers, code that was looked at, and CFI
 * reduced to the entries that were used. Omitted bytes read as zeros. Everything keeps its position
 * in the file, so offsets of mappings and pc-relative pointers stay valid.
 */
#ifndef COLLECTOR_DEBUG_UNWIND_ELF_PARTS_H
#define COLLECTOR_DEBUG_UNWIND_ELF_PARTS_H

#include <libelf.h>
#include <stdio.h>

#include "unwind/modules/elf_access.h"

struct elf_parts;

/*
 * The parts of @elf, the file of module @id, that the accesses in @log to that module need. Guesses
 * without CFI may have read code that is not in @log, so @windows contains for each access the
 * number of bytes to add on both sides. @elf is borrowed for the life of the result. 0; -ENOEXEC;
 * -ENOMEM.
 */
int elf_parts_create(Elf *elf, uint32_t id, const struct elf_access_log *log,
		     const uint64_t *windows, struct elf_parts **parts_ret);
void elf_parts_destroy(struct elf_parts *parts);
/* A file in memory, equal to the file that readers of the written parts build. -errno. */
int elf_parts_image(const struct elf_parts *parts);
/* As docs/FORMAT.md describes them. */
void elf_parts_write(FILE *out, const struct elf_parts *parts);

#endif
