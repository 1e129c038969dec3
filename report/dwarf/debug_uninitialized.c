#include "report/dwarf/debug_uninitialized.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "cct/object/dwarf_reader.h"

/* A list of locations while it is read: DWARF 5, 7.7.3; DWARF 4, 2.6.2. */
struct list {
	struct dwarf_reader reader;
	uint64_t base;
	uint8_t address_size;
};

/* An entry of it. No block: it has no expression, or not one for addresses that are known. */
struct entry {
	uint64_t begin, end;
	const uint8_t *block;
	uint64_t size;
};

static void take_expression(struct list *list, struct entry *entry)
{
	entry->size = dwarf_read_uleb(&list->reader);
	entry->block = dwarf_read_block(&list->reader, entry->size);
}

/* Addresses by index are left out: gcc, which alone has the operation, writes them for split units
 * only. */
static void skip_indexed(struct list *list, bool has_second)
{
	struct entry skipped;

	dwarf_read_uleb(&list->reader);
	if (has_second)
		dwarf_read_uleb(&list->reader);
	take_expression(list, &skipped);
}

/* false: the end of a list of DWARF 5. */
static bool take_entry(struct list *list, struct entry *entry)
{
	struct dwarf_reader *reader = &list->reader;
	uint8_t kind = dwarf_read_byte(reader);

	*entry = (struct entry){ 0 };
	switch (kind) {
	case DW_LLE_base_address:
		list->base = dwarf_read_unsigned(reader, list->address_size);
		break;
	case DW_LLE_base_addressx:
		dwarf_read_uleb(reader);
		break;
	case DW_LLE_startx_endx:
	case DW_LLE_startx_length:
		skip_indexed(list, true);
		break;
	case DW_LLE_offset_pair:
		entry->begin = list->base + dwarf_read_uleb(reader);
		entry->end = list->base + dwarf_read_uleb(reader);
		take_expression(list, entry);
		break;
	case DW_LLE_start_end:
		entry->begin = dwarf_read_unsigned(reader, list->address_size);
		entry->end = dwarf_read_unsigned(reader, list->address_size);
		take_expression(list, entry);
		break;
	case DW_LLE_start_length:
		entry->begin = dwarf_read_unsigned(reader, list->address_size);
		entry->end = entry->begin + dwarf_read_uleb(reader);
		take_expression(list, entry);
		break;
	default: /* the end, and what gcc does not write */
		return false;
	}
	return !reader->is_broken;
}

/* Likewise, of DWARF 4 and older. */
static bool take_old_entry(struct list *list, struct entry *entry)
{
	struct dwarf_reader *reader = &list->reader;
	const uint64_t begin = dwarf_read_unsigned(reader, list->address_size);
	const uint64_t end = dwarf_read_unsigned(reader, list->address_size);

	*entry = (struct entry){ 0 };
	if (reader->is_broken || (!begin && !end))
		return false;
	if (begin == (list->address_size == 4 ? UINT32_MAX : UINT64_MAX)) {
		list->base = end;
		return true;
	}
	entry->begin = list->base + begin;
	entry->end = list->base + end;
	entry->size = dwarf_read_unsigned(reader, 2);
	entry->block = dwarf_read_block(reader, entry->size);
	return !reader->is_broken;
}

/* A reader of the section from an offset on; broken if the section does not exist. */
static struct dwarf_reader section_reader(Dwarf *dwarf, const char *name, uint64_t offset)
{
	struct dwarf_reader none = { .is_broken = true };
	Elf *elf = dwarf_getelf(dwarf);
	Elf_Scn *section = NULL;
	GElf_Ehdr header;
	GElf_Shdr found;
	size_t names;

	if (!elf || !gelf_getehdr(elf, &header) || elf_getshdrstrndx(elf, &names) != 0)
		return none;
	while ((section = elf_nextscn(elf, section))) {
		const char *text = gelf_getshdr(section, &found)
					   ? elf_strptr(elf, names, found.sh_name)
					   : NULL;
		if (!text || strncmp(text, name, strlen(name)) != 0 ||
		    (text[strlen(name)] && strcmp(text + strlen(name), ".dwo") != 0))
			continue;
		const Elf_Data *data = elf_getdata(section, NULL);
		if (!data || !data->d_buf || offset > data->d_size)
			return none;
		return (struct dwarf_reader){ .at = (const uint8_t *)data->d_buf + offset,
					      .end = (const uint8_t *)data->d_buf + data->d_size,
					      .is_big_endian =
						      header.e_ident[EI_DATA] == ELFDATA2MSB };
	}
	return none;
}

static bool ends_uninitialized(const uint8_t *block, uint64_t size)
{
	return block && size && block[size - 1] == DW_OP_GNU_uninit;
}

bool debug_is_uninitialized(Dwarf_Attribute *attribute, uint64_t vaddr)
{
	struct list list = { 0 };
	struct entry entry;
	Dwarf_Die unit;
	Dwarf_Block block;
	Dwarf_Word offset;
	Dwarf_Half version;

	if (dwarf_formblock(attribute, &block) == 0)
		return ends_uninitialized(block.data, block.length);
	if (dwarf_whatform(attribute) == DW_FORM_loclistx ||
	    dwarf_formudata(attribute, &offset) != 0 ||
	    dwarf_cu_info(attribute->cu, &version, NULL, &unit, NULL, NULL, &list.address_size,
			  NULL) != 0)
		return false;
	if (dwarf_lowpc(&unit, &list.base) != 0)
		list.base = 0;
	list.reader = section_reader(dwarf_cu_getdwarf(attribute->cu),
				     version >= 5 ? ".debug_loclists" : ".debug_loc", offset);
	while (!list.reader.is_broken &&
	       (version >= 5 ? take_entry(&list, &entry) : take_old_entry(&list, &entry)))
		if (vaddr >= entry.begin && vaddr < entry.end)
			return ends_uninitialized(entry.block, entry.size);
	return false;
}
