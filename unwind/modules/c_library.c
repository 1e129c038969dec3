#include "unwind/modules/c_library.h"

#include <string.h>

#include "cct/object/elf_image.h"
#include "cct/object/elf_symtab.h"

static bool exports(Elf *elf, const char *name)
{
	struct elf_symtab table;
	GElf_Sym symbol;

	/* Most files do not have the name at all, and a text is searched faster than symbols. */
	if (!elf_symtab_open(elf, SHT_DYNSYM, &table) || !table.names ||
	    !memmem(table.names, table.names_size, name, strlen(name) + 1))
		return false;
	for (size_t i = 0; elf_symtab_get(&table, i, &symbol); i++) {
		const char *its_name = elf_symtab_name(&table, &symbol);

		if (symbol.st_shndx != SHN_UNDEF && its_name && !strcmp(its_name, name))
			return true;
	}
	return false;
}

static bool needs_libraries(Elf *elf)
{
	struct elf_section section;
	Elf_Data *data = elf_find_section_type(elf, SHT_DYNAMIC, &section)
				 ? elf_section_data(&section)
				 : NULL;
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry); i++)
		if (entry.d_tag == DT_NEEDED)
			return true;
	return false;
}

bool c_library_is_possible(Elf *elf)
{
	return !needs_libraries(elf) || exports(elf, "sigaction");
}
