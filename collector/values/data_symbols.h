/* The names of a file's variables by address, which pointers to static memory lead to. */
#ifndef COLLECTOR_VALUES_DATA_SYMBOLS_H
#define COLLECTOR_VALUES_DATA_SYMBOLS_H

#include <libelf.h>

#include "cct/code/symbol_table.h"

/* The variables of an ELF file, by their addresses in it: from .symtab or else .dynsym. @debug_elf:
 * where the file has no .symtab; may be NULL. NULL: out of memory. */
struct symbol_table *data_symbols_read(Elf *elf, Elf *debug_elf);

#endif
