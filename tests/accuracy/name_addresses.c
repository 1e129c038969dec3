/*
 * name_addresses FILE <ADDRESSES: dendro's names for addresses of one ELF file, as `addr2line -a
 * -f -i` prints it: the address, then name and FILE:LINE of each function, innermost first. Through
 * report/names/symbolize.h, as a report does, with a profile that has one module. What is not known
 * is
 * ??, as a name the file's and where the function begins, or the address.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

/* Frames hold file offsets; people and addr2line use virtual addresses. */
static bool offset_of(Elf *elf, uint64_t vaddr, uint64_t *offset_ret)
{
	size_t n_headers;

	if (elf_getphdrnum(elf, &n_headers))
		return false;
	for (size_t i = 0; i < n_headers; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    vaddr < header.p_vaddr || vaddr - header.p_vaddr >= header.p_filesz)
			continue;
		*offset_ret = header.p_offset + (vaddr - header.p_vaddr);
		return true;
	}
	return false;
}

static void print_place(const struct frame_name *name)
{
	bool is_relative = name->file && name->file[0] != '/' && name->directory;

	printf("%s\n%s%s%s:%" PRIu32 "\n", name->name, is_relative ? name->directory : "",
	       is_relative ? "/" : "", name->file ? name->file : "??", name->line);
}

static int print_names(struct symbolizer *symbolizer, const struct frame *frame)
{
	const struct frame_name *names;
	size_t n_names;
	int err = symbolizer_expand(symbolizer, frame, &names, &n_names);

	if (err)
		return err;
	for (size_t i = n_names; i-- > 0;)
		print_place(&names[i]);
	return 0;
}

static int name_all(struct symbolizer *symbolizer, Elf *elf, uint32_t module)
{
	char line[64];
	int err = 0;

	while (!err && fgets(line, sizeof(line), stdin)) {
		uint64_t vaddr = strtoull(line, NULL, 16);
		struct frame frame = { .kind = FRAME_USER, .module = module };

		printf("0x%" PRIx64 "\n", vaddr);
		if (offset_of(elf, vaddr, &frame.offset))
			err = print_names(symbolizer, &frame);
		else
			puts("??\n??:0");
	}
	return err;
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
	struct profile *profile = profile_create();
	struct symbolizer *symbolizer;
	int err = -1;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (!elf || !profile) {
		fprintf(stderr, "usage: name_addresses ELF-FILE <ADDRESSES\n");
		return 2;
	}
	const struct module_key key = { .kind = MODULE_ELF, .path = argv[1] };
	uint32_t module = module_table_add(&profile->modules, &key);

	symbolizer = symbolizer_create(
		profile, &(struct symbolizer_options){ .names = NAMES_RAW, .lines = true });
	if (symbolizer && module)
		err = name_all(symbolizer, elf, module);
	symbolizer_destroy(symbolizer);
	profile_destroy(profile);
	elf_end(elf);
	close(fd);
	return err ? 1 : 0;
}
