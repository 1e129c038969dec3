/*
 * Debug information that lies. Input: .debug_abbrev, .debug_info, .debug_line, .debug_ranges,
 * .debug_rnglists and .debug_str, each after its size (16 bits); or a whole ELF file; or "PAIR",
 * the size of a file (32 bits), that file, and another one, which is the package beside it, and
 * what it may name as its supplementary file or its .dwo file ("file.dwp").
 */
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/dwarf/debug_info.h"

#define N_SECTIONS   8 /* with the null section and the names */
#define SECTION_ROOM 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char names[] = "\0.shstrtab\0.debug_abbrev\0.debug_info\0.debug_line\0.debug_ranges\0"
			    ".debug_rnglists\0.debug_str";

struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[N_SECTIONS];
	char names[sizeof(names)];
	uint8_t bytes[N_SECTIONS][SECTION_ROOM];
};

static size_t take_section(const uint8_t **data, size_t *size, uint8_t *room)
{
	size_t wanted, taken;

	if (*size < 2)
		return 0;
	wanted = (size_t)(*data)[0] | (size_t)(*data)[1] << 8;
	*data += 2;
	*size -= 2;
	taken = wanted < *size ? wanted : *size;
	taken = taken < SECTION_ROOM ? taken : SECTION_ROOM;
	memcpy(room, *data, taken);
	*data += taken;
	*size -= taken;
	return taken;
}

static void build(struct image *image, const uint8_t *data, size_t size)
{
	uint32_t name = 1;

	image->header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shoff = offsetof(struct image, sections),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = N_SECTIONS,
		.e_shstrndx = 1,
	};
	memcpy(image->names, names, sizeof(names));
	for (size_t i = 1; i < N_SECTIONS; i++) {
		Elf64_Shdr *section = &image->sections[i];

		*section = (Elf64_Shdr){ .sh_name = name,
					 .sh_type = i == 1 ? SHT_STRTAB : SHT_PROGBITS,
					 .sh_addralign = 1 };
		name += (uint32_t)strlen(names + name) + 1;
		section->sh_offset =
			i == 1 ? offsetof(struct image, names) : offsetof(struct image, bytes[i]);
		section->sh_size =
			i == 1 ? sizeof(names) : take_section(&data, &size, image->bytes[i]);
	}
}

static void ask(Elf *elf, int fd)
{
	struct debug_function functions[DEBUG_INFO_MAX_INLINED];
	struct debug_info *info = debug_info_open(elf, NULL, fd);
	size_t length = 0;

	for (uint64_t vaddr = 0; info && vaddr < 0x4000; vaddr += 0x35) {
		size_t n = debug_info_find(info, vaddr, functions, DEBUG_INFO_MAX_INLINED);

		for (size_t i = 0; i < n; i++) {
			length += functions[i].name ? strlen(functions[i].name) : 0;
			length += functions[i].file ? strlen(functions[i].file) : 0;
			length += functions[i].decl_file ? strlen(functions[i].decl_file) : 0;
			length += functions[i].directory ? strlen(functions[i].directory) : 0;
		}
	}
	__asm__ volatile("" : : "r"(length));
	debug_info_close(info);
}

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

/* A file and another one beside it. */
static void ask_pair(const uint8_t *data, size_t size)
{
	static char folder[64], path[80], beside[80];
	uint32_t first;

	if (size < sizeof(first))
		return;
	memcpy(&first, data, sizeof(first));
	data += sizeof(first);
	size -= sizeof(first);
	if (first > size)
		return;
	if (!*folder) {
		snprintf(folder, sizeof(folder), "/dev/shm/fuzz_debug_info.%d", (int)getpid());
		mkdir(folder, 0700);
		snprintf(path, sizeof(path), "%s/file", folder);
		snprintf(beside, sizeof(beside), "%s/file.dwp", folder);
	}
	write_file(path, data, first);
	write_file(beside, data + first, size - first);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		ask(elf, fd);
	elf_end(elf);
	close(fd);
	unlink(path);
	unlink(beside);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool is_file = size > SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0;
	size_t room = is_file ? size : sizeof(struct image);
	uint8_t *bytes = calloc(1, room);
	Elf *elf;

	elf_version(EV_CURRENT);
	if (size > 4 && memcmp(data, "PAIR", 4) == 0) {
		free(bytes);
		ask_pair(data + 4, size - 4);
		return 0;
	}
	if (!bytes)
		return 0;
	if (is_file)
		memcpy(bytes, data, size);
	else
		build((struct image *)bytes, data, size);
	elf = elf_memory((char *)bytes, room);
	if (elf) {
		ask(elf, -1);
		elf_end(elf);
	}
	free(bytes);
	return 0;
}
