#include "report/code/machine_code.h"

#include <gelf.h>

#include "cct/object/elf_image.h"

uint16_t machine_code_arch(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return EM_NONE;
	/* x32 has the same instructions as x86-64. */
	bool is_known = header.e_machine == EM_X86_64 || header.e_machine == EM_386 ||
			(header.e_machine == EM_AARCH64 && header.e_ident[EI_CLASS] == ELFCLASS64);
	return is_known ? header.e_machine : EM_NONE;
}

/*
 * Reduces *@size to the end of the section that contains @vaddr. False: the file contains no bytes
 * of that section.
 */
static bool limit_to_section(Elf *elf, uint64_t vaddr, uint64_t *size)
{
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		uint64_t skipped = vaddr - section.header.sh_addr;

		if (!(section.header.sh_flags & SHF_EXECINSTR) || vaddr < section.header.sh_addr ||
		    skipped >= section.header.sh_size)
			continue;
		if (section.header.sh_size - skipped < *size)
			*size = section.header.sh_size - skipped;
		return section.header.sh_type != SHT_NOBITS;
	}
	return true;
}

/* The file's bytes at @vaddr. *@size: at most as many; set to their number. */
static const uint8_t *code_in_segment(Elf *elf, const struct elf_segment *segment, uint64_t vaddr,
				      uint64_t *size)
{
	uint64_t skipped = vaddr - segment->vaddr;

	if (segment->size - skipped < *size)
		*size = segment->size - skipped;
	return limit_to_section(elf, vaddr, size)
		       ? elf_file_bytes(elf, segment->offset + skipped, *size)
		       : NULL;
}

const uint8_t *machine_code_bytes(Elf *elf, uint64_t vaddr, uint64_t end, size_t *size_ret)
{
	struct elf_segments segments;
	uint64_t size = end - vaddr;

	if (end <= vaddr || elf_segments_init(&segments, elf))
		return NULL;
	const struct elf_segment *segment = elf_segments_at_vaddr(&segments, vaddr);
	const uint8_t *code = segment ? code_in_segment(elf, segment, vaddr, &size) : NULL;

	elf_segments_deinit(&segments);
	if (code)
		*size_ret = size;
	return code;
}
