/* The sections of a table and of its names. */
#include "cct/object/elf_symtab.h"

#include <limits.h>
#include <string.h>

#include "cct/object/elf_image.h"

static void open_names(Elf *elf, size_t index, struct elf_symtab *table)
{
	Elf_Scn *section = elf_getscn(elf, index);
	const Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const char *last = data && data->d_buf && data->d_size
				   ? memrchr(data->d_buf, '\0', data->d_size)
				   : NULL;

	if (!last)
		return;
	table->names = data->d_buf;
	table->names_size = (uint64_t)(last - table->names) + 1;
}

bool elf_symtab_open(Elf *elf, uint32_t type, struct elf_symtab *table_ret)
{
	struct elf_section section;
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Data *data =
		elf_find_section_type(elf, type, &section) ? elf_section_data(&section) : NULL;

	if (!data || !size)
		return false;
	*table_ret = (struct elf_symtab){ .symbols = data, .n = data->d_size / size };
	open_names(elf, section.header.sh_link, table_ret);
	return true;
}

bool elf_symtab_get(const struct elf_symtab *table, size_t i, GElf_Sym *symbol_ret)
{
	return i < table->n && i <= INT_MAX && gelf_getsym(table->symbols, (int)i, symbol_ret);
}

const char *elf_symtab_name(const struct elf_symtab *table, const GElf_Sym *symbol)
{
	return symbol->st_name < table->names_size ? table->names + symbol->st_name : NULL;
}

bool elf_symbol_is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}
