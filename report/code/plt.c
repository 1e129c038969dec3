#include "report/code/plt.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/object/elf_image.h"

#define ENTRY_SIZE 16 /* if sh_entsize is 0; the same on all architectures */

/* A slot of the global offset table, with the dynamic symbol or IFUNC that fills it. */
struct slot {
	uint64_t addr;
	const char *name; /* NULL: chosen by @ifunc */
	uint64_t ifunc;
};

struct slots {
	struct slot *slots;
	size_t n_slots, n_allocated;
};

struct plt {
	struct plt_entry *entries;
	size_t n_entries, n_allocated;
};

static int slots_add(struct slots *slots, const struct slot *slot)
{
	if (array_reserve(slots->slots, slots->n_slots, slots->n_allocated, 1))
		return -ENOMEM;
	slots->slots[slots->n_slots++] = *slot;
	return 0;
}

static int plt_add(struct plt *plt, const struct plt_entry *entry)
{
	if (array_reserve(plt->entries, plt->n_entries, plt->n_allocated, 1))
		return -ENOMEM;
	plt->entries[plt->n_entries++] = *entry;
	return 0;
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int compare_entries(const void *a, const void *b)
{
	const struct plt_entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
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
			    struct slots *slots)
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
		struct slot slot;

		if (!get_relocation(relocations, header, i, &relocation))
			return 0;
		slot = (struct slot){ .addr = relocation.r_offset };
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
		if (slots_add(slots, &slot))
			return -ENOMEM;
	}
}

static int read_slots(Elf *elf, struct slots *slots)
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
	if (slots->n_slots)
		qsort(slots->slots, slots->n_slots, sizeof(*slots->slots), compare_slots);
	return 0;
}

static int read_entries(const struct elf_section *section, plt_decode_function *decode,
			uint64_t got_vaddr, const struct slots *slots, struct plt *plt)
{
	const GElf_Shdr *header = &section->header;
	Elf_Data *data = elf_section_data(section);
	size_t size = header->sh_entsize == 8 ? 8 : ENTRY_SIZE;

	if (!data)
		return 0;
	for (size_t at = 0; at < data->d_size; at += size) {
		struct plt_entry entry = { .start = header->sh_addr + at,
					   .end = header->sh_addr + at + size };
		const struct plt_place place = { entry.start, got_vaddr };
		size_t rest = data->d_size - at;
		struct slot key;
		const struct slot *slot;

		if (!decode((uint8_t *)data->d_buf + at, rest < size ? rest : size, &place,
			    &key.addr))
			continue;
		slot = bsearch(&key, slots->slots, slots->n_slots, sizeof(key), compare_slots);
		if (!slot)
			continue;
		entry.name = slot->name;
		entry.ifunc = slot->ifunc;
		if (plt_add(plt, &entry))
			return -ENOMEM;
	}
	return 0;
}

static plt_decode_function *find_decoder(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		return NULL;
	if (header.e_ident[EI_CLASS] != ELFCLASS64)
		return header.e_machine == EM_386 ? plt_decode_i386 : NULL;
	switch (header.e_machine) {
	case EM_X86_64:
		return plt_decode_x86_64;
	case EM_AARCH64:
		return plt_decode_aarch64;
	}
	return NULL;
}

/*
 * The address of _GLOBAL_OFFSET_TABLE_: .got.plt, or .got if all functions are bound at program
 * start.
 */
static uint64_t find_got(Elf *elf)
{
	struct elf_section section = { 0 };
	uint64_t got = 0;

	while (elf_next_section(elf, &section)) {
		if (strcmp(section.name, ".got.plt") == 0)
			return section.header.sh_addr;
		if (strcmp(section.name, ".got") == 0)
			got = section.header.sh_addr;
	}
	return got;
}

static int read_tables(Elf *elf, plt_decode_function *decode, const struct slots *slots,
		       struct plt *plt)
{
	const uint64_t got_vaddr = find_got(elf);
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		if (section.header.sh_type != SHT_PROGBITS ||
		    strncmp(section.name, ".plt", strlen(".plt")) != 0)
			continue;
		int err = read_entries(&section, decode, got_vaddr, slots, plt);
		if (err)
			return err;
	}
	return 0;
}

int plt_read(Elf *elf, struct plt_entry **entries_ret, size_t *n_entries_ret)
{
	plt_decode_function *decode = find_decoder(elf);
	struct slots slots = { 0 };
	struct plt plt = { 0 };
	int err = 0;

	if (decode)
		err = read_slots(elf, &slots);
	if (!err && slots.n_slots)
		err = read_tables(elf, decode, &slots, &plt);
	free(slots.slots);
	if (err) {
		free(plt.entries);
		return err;
	}
	if (plt.n_entries)
		qsort(plt.entries, plt.n_entries, sizeof(*plt.entries), compare_entries);
	*entries_ret = plt.entries;
	*n_entries_ret = plt.n_entries;
	return 0;
}
