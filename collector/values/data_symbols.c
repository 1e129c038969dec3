#include "collector/values/data_symbols.h"

#include "cct/object/elf_symtab.h"

/* A variable that the file defines, of a known size; those of threads have no address. */
static bool is_data(const GElf_Sym *symbol)
{
	return GELF_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_shndx != SHN_UNDEF &&
	       symbol->st_shndx != SHN_ABS && symbol->st_size;
}

static int add_symbols(struct symbol_table *table, const struct elf_symtab *symtab)
{
	GElf_Sym symbol;

	for (size_t i = 1; elf_symtab_get(symtab, i, &symbol); i++) {
		const char *name = is_data(&symbol) ? elf_symtab_name(symtab, &symbol) : NULL;

		if (name && *name &&
		    symbol_table_add_kept(table, symbol.st_value, symbol.st_size, name))
			return -1;
	}
	symbol_table_sort(table);
	return 0;
}

struct symbol_table *data_symbols_read(Elf *elf, Elf *debug_elf)
{
	struct symbol_table *table = symbol_table_create();
	struct elf_symtab symtab;

	if (!table)
		return NULL;
	if (!elf_symtab_open(elf, SHT_SYMTAB, &symtab) &&
	    !(debug_elf && elf_symtab_open(debug_elf, SHT_SYMTAB, &symtab)) &&
	    !elf_symtab_open(elf, SHT_DYNSYM, &symtab))
		return table;
	if (!add_symbols(table, &symtab))
		return table;
	symbol_table_destroy(table);
	return NULL;
}
