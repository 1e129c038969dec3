/*
 * The symbol tables of an ELF file, symbol by symbol. Names and sizes are checked; the addresses in
 * symbols are not.
 */
#ifndef CCT_OBJECT_ELF_SYMTAB_H
#define CCT_OBJECT_ELF_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_symtab {
	Elf_Data *symbols;
	size_t n;
	const char *names;   /* NULL: they can't be read */
	uint64_t names_size; /* each offset below has a NUL after it */
};

/* @type: SHT_SYMTAB or SHT_DYNSYM; borrows from @elf. false: there is no such table. */
bool elf_symtab_open(Elf *elf, uint32_t type, struct elf_symtab *table_ret);
/* The symbol number @i; number 0 is not a symbol. */
bool elf_symtab_get(const struct elf_symtab *table, size_t i, GElf_Sym *symbol_ret);
/* NULL: its name can't be read. */
const char *elf_symtab_name(const struct elf_symtab *table, const GElf_Sym *symbol);
/* A function that the file defines. */
bool elf_symbol_is_function(const GElf_Sym *symbol);

#endif
