#include "cct/object/elf_slots.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/object/elf_image.h"

static int add(struct elf_slots *slots, const struct elf_slot *slot)
{
	if (array_reserve(slots->slots, slots->n, slots->n_allocated, 1))
		return -ENOMEM;
	slots->slots[slots->n++] = *slot;
	return 0;
}

static int compare_slots(const void *a, const void *b)
{
	const struct elf_slot *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Reads a relocation with or without addend. false: there is no such relocation. */
static bool get_relocation(Elf_Data *data, const GElf_Shdr *header, int i, GElf_Rela *ret)
{
	GElf_Rel plain;

	if (header->sh_type == SHT_RELA)
		return gelf_getrela(data, i, ret);
	if (!gelf_getrel(data, i, &plain))
		return false;
	*ret = (GElf_Rela){ .r_offset = plain.r_offset, .r_info = plain.r_info };
	return true;
}

/*
 * Whether the relocation calls an IFUNC resolver of the file itself. Not supported on i386, whose
 * relocations have no addend with the resolver's address.
 */
static bool is_irelative(GElf_Half machine, const GElf_Rela *relocation)
{
	switch (machine) {
	case EM_X86_64:
		return GELF_R_TYPE(relocation->r_info) == R_X86_64_IRELATIVE;
	case EM_AARCH64:
		return GELF_R_TYPE(relocation->r_info) == R_AARCH64_IRELATIVE;
	}
	return false;
}

/* Adds the slots of one section's relocations that refer to a dynamic symbol or an IFUNC. */
static int read_relocations(Elf *elf, const struct elf_section *section, GElf_Half machine,
			    struct elf_slots *slots)
{
	const GElf_Shdr *header = &section->header;
	Elf_Scn *symtab = elf_getscn(elf, header->sh_link);
	GElf_Shdr symtab_header;
	Elf_Data *relocations = elf_section_data(section), *symbols = NULL;

	if (!relocations)
		return 0;
	if (symtab && gelf_getshdr(symtab, &symtab_header) && symtab_header.sh_type == SHT_DYNSYM)
		symbols = elf_getdata(symtab, NULL);
	for (int i = 0;; i++) {
		GElf_Rela relocation;
		GElf_Sym symbol;
		struct elf_slot slot;

		if (!get_relocation(relocations, header, i, &relocation))
			return 0;
		slot = (struct elf_slot){ .addr = relocation.r_offset };
		if (is_irelative(machine, &relocation)) {
			slot.ifunc = (uint64_t)relocation.r_addend;
		} else {
			if (!symbols || !GELF_R_SYM(relocation.r_info) ||
			    !gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol))
				continue;
			slot.name = elf_strptr(elf, symtab_header.sh_link, symbol.st_name);
			if (!slot.name || !*slot.name)
				continue;
		}
		if (add(slots, &slot))
			return -ENOMEM;
	}
}

static int read_all(struct elf_slots *slots, Elf *elf)
{
	struct elf_section section = { 0 };
	GElf_Ehdr file;

	if (!gelf_getehdr(elf, &file))
		return 0;
	while (elf_next_section(elf, &section)) {
		if (section.header.sh_type != SHT_RELA && section.header.sh_type != SHT_REL)
			continue;
		int err = read_relocations(elf, &section, file.e_machine, slots);
		if (err)
			return err;
	}
	return 0;
}

int elf_slots_init(struct elf_slots *slots, Elf *elf)
{
	*slots = (struct elf_slots){ 0 };
	int err = read_all(slots, elf);

	if (err)
		elf_slots_deinit(slots);
	else if (slots->n)
		qsort(slots->slots, slots->n, sizeof(*slots->slots), compare_slots);
	return err;
}

void elf_slots_deinit(struct elf_slots *slots)
{
	free(slots->slots);
	*slots = (struct elf_slots){ 0 };
}

const struct elf_slot *elf_slots_find(const struct elf_slots *slots, uint64_t addr)
{
	const struct elf_slot key = { .addr = addr };

	return slots->n ? bsearch(&key, slots->slots, slots->n, sizeof(key), compare_slots) : NULL;
}
