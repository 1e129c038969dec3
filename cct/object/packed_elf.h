/* The ELF file that .gnu_debugdata of another one holds ("MiniDebugInfo"), compressed with xz. */
#ifndef CCT_OBJECT_PACKED_ELF_H
#define CCT_OBJECT_PACKED_ELF_H

#include <libelf.h>
#include <stdint.h>

/* NULL: there is none, it is beyond reason, or out of memory. *@bytes_ret: to free after
 * elf_end(). */
Elf *packed_elf_open(Elf *elf, uint8_t **bytes_ret);

#endif
