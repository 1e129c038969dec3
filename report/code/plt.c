#include "report/code/plt.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/object/elf_image.h"
#include "cct/object/elf_slots.h"

#define ENTRY_SIZE 16 /* if sh_entsize is 0; the same on all architectures */

struct plt {
	struct plt_entry *entries;
	size_t n_entries, n_allocated;
};

static int plt_add(struct plt *plt, const struct plt_entry *entry)
{
	if (array_reserve(plt->entries, plt->n_entries, plt->n_allocated, 1))
		return -ENOMEM;
	plt->entries[plt->n_entries++] = *entry;
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct plt_entry *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Without a slot, or with one that has no relocation. What follows each other is one. */
static int add_other(struct plt *plt, const struct elf_section *section, uint64_t start,
		     uint64_t end)
{
	struct plt_entry *last = plt->n_entries ? &plt->entries[plt->n_entries - 1] : NULL;

	if (last && last->is_other && last->end == start && last->name == section->name) {
		last->end = end;
		return 0;
	}
	return plt_add(
		plt, &(struct plt_entry){
			     .start = start, .end = end, .name = section->name, .is_other = true });
}

static int read_entries(const struct elf_section *section, plt_decode_function *decode,
			uint64_t got_vaddr, const struct elf_slots *slots, struct plt *plt)
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
		const struct elf_slot *slot = NULL;
		uint64_t addr;
		int err;

		if (decode((uint8_t *)data->d_buf + at, rest < size ? rest : size, &place, &addr))
			slot = elf_slots_find(slots, addr);
		if (slot) {
			entry.name = slot->name;
			entry.ifunc = slot->ifunc;
			err = plt_add(plt, &entry);
		} else {
			err = add_other(plt, section, entry.start, entry.end);
		}
		if (err)
			return err;
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

static bool may_have_entries(const struct elf_section *section)
{
	return section->header.sh_type == SHT_PROGBITS &&
	       strncmp(section->name, ".plt", strlen(".plt")) == 0;
}

/* An entry that the section's end cuts is as long as others. */
bool plt_is_possible(Elf *elf, uint64_t vaddr)
{
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		const uint64_t distance = vaddr - section.header.sh_addr;

		if (may_have_entries(&section) &&
		    (distance < ENTRY_SIZE || distance - ENTRY_SIZE < section.header.sh_size))
			return true;
	}
	return false;
}

static int read_tables(Elf *elf, plt_decode_function *decode, const struct elf_slots *slots,
		       struct plt *plt)
{
	const uint64_t got_vaddr = find_got(elf);
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		if (!may_have_entries(&section))
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
	struct elf_slots slots = { 0 };
	struct plt plt = { 0 };
	int err = 0;

	if (decode)
		err = elf_slots_init(&slots, elf);
	if (!err && slots.n)
		err = read_tables(elf, decode, &slots, &plt);
	elf_slots_deinit(&slots);
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
