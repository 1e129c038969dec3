#include "cct/object/go/go_module_data.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "cct/object/elf_image.h"

/* Places that may be the one; made-up files have more. */
#define CANDIDATES_MAX 16

struct candidates {
	uint64_t vaddrs[CANDIDATES_MAX];
	size_t n;
};

static void add_candidate(struct candidates *candidates, uint64_t vaddr)
{
	if (candidates->n < CANDIDATES_MAX)
		candidates->vaddrs[candidates->n++] = vaddr;
}

static uint64_t word_at(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, bytes, size);
	return value;
}

/* In data that relocations do not write. */
static void scan_section(const struct elf_section *section, const struct go_module_key *key,
			 struct candidates *candidates)
{
	const Elf_Data *data = elf_section_bytes(section);
	unsigned size = key->pointer_size;

	if (!data)
		return;
	for (size_t at = 0; data->d_size - at >= size; at += size)
		if (word_at((const uint8_t *)data->d_buf + at, size) == key->pclntab)
			add_candidate(candidates, section->header.sh_addr + at);
}

static bool is_relative(const GElf_Ehdr *header, const GElf_Rela *relocation)
{
	return GELF_R_TYPE(relocation->r_info) ==
	       (header->e_machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE);
}

struct relocations {
	Elf *elf;
	GElf_Ehdr header;
	struct elf_section section; /* where the last one was */
	Elf_Data *data;
	int next;
};

/* The next one that writes an address. Such files are of 64 bits. */
static bool next_relocation(struct relocations *at, GElf_Rela *ret)
{
	for (;;) {
		while (at->data && gelf_getrela(at->data, at->next, ret)) {
			at->next++;
			if (is_relative(&at->header, ret))
				return true;
		}
		at->data = NULL;
		at->next = 0;
		if (!elf_next_section(at->elf, &at->section))
			return false;
		if (at->section.header.sh_type == SHT_RELA)
			at->data = elf_section_data(&at->section);
	}
}

static bool begin_relocations(Elf *elf, struct relocations *at)
{
	*at = (struct relocations){ .elf = elf };
	return gelf_getehdr(elf, &at->header) && gelf_getclass(elf) == ELFCLASS64 &&
	       at->header.e_type == ET_DYN;
}

static void find_candidates(Elf *elf, const struct go_module_key *key,
			    struct candidates *candidates)
{
	struct relocations relocations;
	struct elf_section section = { 0 };
	GElf_Rela relocation;

	if (begin_relocations(elf, &relocations))
		while (next_relocation(&relocations, &relocation))
			if ((uint64_t)relocation.r_addend == key->pclntab)
				add_candidate(candidates, relocation.r_offset);
	while (elf_next_section(elf, &section))
		if (section.header.sh_type == SHT_PROGBITS && section.header.sh_flags & SHF_WRITE)
			scan_section(&section, key, candidates);
}

static const Elf_Data *section_at(Elf *elf, uint64_t vaddr, GElf_Shdr *header)
{
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		*header = section.header;
		if (header->sh_type == SHT_NOBITS || !(header->sh_flags & SHF_ALLOC) ||
		    vaddr < header->sh_addr)
			continue;
		const Elf_Data *data = elf_section_bytes(&section);
		if (data && vaddr - header->sh_addr < data->d_size)
			return data;
	}
	return NULL;
}

const uint8_t *go_bytes_at(Elf *elf, uint64_t vaddr, uint64_t *size_ret)
{
	GElf_Shdr header;
	const Elf_Data *data = section_at(elf, vaddr, &header);

	if (!data)
		return NULL;
	*size_ret = data->d_size - (vaddr - header.sh_addr);
	return (const uint8_t *)data->d_buf + (vaddr - header.sh_addr);
}

static void note(struct go_module_data *data, uint64_t offset, uint64_t size)
{
	if (data->n_ranges == GO_MODULE_RANGES_MAX)
		return;
	data->ranges[data->n_ranges].offset = offset;
	data->ranges[data->n_ranges++].size = size;
}

/* Relocations of the words from @vaddr on, over what the file has there. */
static void relocate(Elf *elf, uint64_t vaddr, unsigned pointer_size, struct go_module_data *data)
{
	struct relocations relocations;
	GElf_Rela relocation;

	if (!begin_relocations(elf, &relocations))
		return;
	while (next_relocation(&relocations, &relocation)) {
		uint64_t word = (relocation.r_offset - vaddr) / pointer_size;

		if (relocation.r_offset < vaddr || word >= GO_MODULE_WORDS)
			continue;
		data->words[word] = (uint64_t)relocation.r_addend;
		note(data,
		     relocations.section.header.sh_offset +
			     (uint64_t)(relocations.next - 1) * sizeof(Elf64_Rela),
		     sizeof(Elf64_Rela));
	}
}

static bool read_words(Elf *elf, uint64_t vaddr, unsigned pointer_size, struct go_module_data *data)
{
	const uint64_t size = GO_MODULE_WORDS * pointer_size;
	GElf_Shdr header;
	const Elf_Data *section = section_at(elf, vaddr, &header);
	if (!section)
		return false;

	uint64_t at = vaddr - header.sh_addr;
	if (section->d_size - at < size)
		return false;
	const uint8_t *bytes = (const uint8_t *)section->d_buf + at;
	*data = (struct go_module_data){ 0 };
	for (size_t i = 0; i < GO_MODULE_WORDS; i++)
		data->words[i] = word_at(bytes + i * pointer_size, pointer_size);
	note(data, header.sh_offset + at, size);
	relocate(elf, vaddr, pointer_size, data);
	return true;
}

bool go_module_data_find(Elf *elf, const struct go_module_key *key, struct go_module_data *data_ret)
{
	struct candidates candidates = { .n = 0 };
	struct go_module_data data;

	find_candidates(elf, key, &candidates);
	for (size_t i = 0; i < candidates.n; i++) {
		if (!read_words(elf, candidates.vaddrs[i], key->pointer_size, &data) ||
		    data.words[GO_MODULE_PCLNTAB] != key->pclntab ||
		    data.words[GO_MODULE_FUNCTIONS] != key->functions ||
		    data.words[GO_MODULE_N_FUNCTIONS] != key->n_functions + 1)
			continue;
		*data_ret = data;
		return true;
	}
	return false;
}
