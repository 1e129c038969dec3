/*
 * The parts of an opened ELF file: sections by name or type, segments, bytes. Over libelf, which
 * checks headers; a file may be cut or hostile, so what a header promises need not be there.
 */
#ifndef CCT_OBJECT_ELF_IMAGE_H
#define CCT_OBJECT_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cct/model/module.h"

struct elf_section {
	Elf_Scn *handle;
	GElf_Shdr header;
	const char *name; /* "" where it can't be read; lives as long as the Elf */
};

/* The section after @section, the first one if that is all zero. false: no more. */
bool elf_next_section(Elf *elf, struct elf_section *section);
/* The first section with this name that has bytes in the file. */
bool elf_find_section(Elf *elf, const char *name, struct elf_section *section_ret);
/* The first section of a type (SHT_*). */
bool elf_find_section_type(Elf *elf, uint32_t type, struct elf_section *section_ret);
/* A section's bytes as they are in the file. NULL: none, or the file is cut. */
const Elf_Data *elf_section_bytes(const struct elf_section *section);
/* Its elements, translated to this machine (symbols, relocations). NULL: likewise. */
Elf_Data *elf_section_data(const struct elf_section *section);

/* The program header number *@index, which moves to the next one. false: no more. */
bool elf_next_segment(Elf *elf, size_t *index, GElf_Phdr *header_ret);
/* @size bytes of the file. NULL: it does not have them all. */
const uint8_t *elf_file_bytes(Elf *elf, uint64_t offset, uint64_t size);

/* What is loaded (PT_LOAD), where the file has bytes for it. */
struct elf_segment {
	uint64_t offset, vaddr, size; /* in the file */
	bool is_executable;
};

struct elf_segments {
	struct elf_segment *segments;
	size_t n;
};

/* 0 or -ENOMEM. A file without any has none. */
int elf_segments_init(struct elf_segments *segments, Elf *elf);
void elf_segments_deinit(struct elf_segments *segments);
/* The segment that holds an offset or an address: of several, one of code. NULL: none. Threads:
 * any. */
const struct elf_segment *elf_segments_at_offset(const struct elf_segments *segments,
						 uint64_t offset);
const struct elf_segment *elf_segments_at_vaddr(const struct elf_segments *segments,
						uint64_t vaddr);
/* File offset -> virtual address and back. */
bool elf_segments_to_vaddr(const struct elf_segments *segments, uint64_t offset,
			   uint64_t *vaddr_ret);
bool elf_segments_to_offset(const struct elf_segments *segments, uint64_t vaddr,
			    uint64_t *offset_ret);

/* The build ID in the notes; size 0 if there is none. */
void elf_build_id(Elf *elf, struct build_id *ret);
/* Whether the file ends before the parts that its headers name. */
bool elf_is_cut(Elf *elf);

#endif
