/* An ELF file in memory that holds nothing but sections. */
#ifndef TESTS_DEBUG_IMAGE_H
#define TESTS_DEBUG_IMAGE_H

#include <elf.h>
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_MAX_SECTIONS 24

struct image_section {
	const char *name;
	const void *bytes;
	size_t size;
	uint64_t flags;
};

struct debug_image {
	char *bytes;
	Elf *elf;
};

static inline void debug_image_deinit(struct debug_image *image)
{
	elf_end(image->elf);
	free(image->bytes);
}

static inline void debug_image_init(struct debug_image *image, const struct image_section *sections,
				    size_t n_sections)
{
	size_t room = sizeof(Elf64_Ehdr) + (n_sections + 2) * sizeof(Elf64_Shdr) + 4096;
	size_t at = sizeof(Elf64_Ehdr), n_names = 1;

	for (size_t i = 0; i < n_sections; i++)
		room += sections[i].size + 8;
	image->bytes = calloc(1, room);
	Elf64_Ehdr *header = (Elf64_Ehdr *)image->bytes;
	Elf64_Shdr *headers = (Elf64_Shdr *)(image->bytes + at);
	at += (n_sections + 2) * sizeof(*headers);
	char *names = image->bytes + at;
	headers[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = 4096 };
	at += 4096;
	for (size_t i = 0; i < n_sections; i++) {
		headers[i + 2] = (Elf64_Shdr){ .sh_name = (Elf64_Word)n_names,
					       .sh_type = SHT_PROGBITS,
					       .sh_flags = sections[i].flags,
					       .sh_offset = at,
					       .sh_size = sections[i].size,
					       .sh_addralign = 1 };
		memcpy(image->bytes + at, sections[i].bytes, sections[i].size);
		strcpy(names + n_names, sections[i].name);
		n_names += strlen(sections[i].name) + 1;
		at += (sections[i].size + 7) & ~7ul;
	}
	*header = (Elf64_Ehdr){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					     ELFDATA2LSB, EV_CURRENT },
				.e_type = ET_DYN,
				.e_machine = EM_X86_64,
				.e_version = EV_CURRENT,
				.e_ehsize = sizeof(*header),
				.e_shoff = sizeof(*header),
				.e_shentsize = sizeof(*headers),
				.e_shnum = (Elf64_Half)(n_sections + 2),
				.e_shstrndx = 1 };
	elf_version(EV_CURRENT);
	image->elf = elf_memory(image->bytes, room);
}

#endif
