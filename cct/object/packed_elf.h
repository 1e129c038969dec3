/*
 * The ELF file that is stored in .gnu_debugdata of another one ("MiniDebugInfo"), compressed with
 * xz.
 */
#ifndef CCT_OBJECT_PACKED_ELF_H
#define CCT_OBJECT_PACKED_ELF_H

#include <libelf.h>
#include <stdint.h>

/*
 * Opens that file. NULL: there is none, it is too large, or out of memory. The caller frees
 * *@bytes_ret after elf_end().
 */
Elf *packed_elf_open(Elf *elf, uint8_t **bytes_ret);

#endif
