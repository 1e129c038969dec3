#include "report/dwarf/debug_sections.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cct/object/elf_image.h"

/* The number in ELF; older versions of elf.h lack it. */
#define COMPRESSED_BY_ZSTD 2
/*
 * Old compressed sections begin with "ZLIB" and the decompressed size, 8 bytes in big-endian order.
 */
#define OLD_HEADER_SIZE 12
/* Decompressed debug information is 3 to 20 times as large; only made-up files claim much more. */
#define MAX_GROWTH     256
#define ALWAYS_GRANTED (1u << 20)

static const char *const names[N_DEBUG_SECTIONS] = {
	[DEBUG_ABBREV] = ".debug_abbrev",
	[DEBUG_ADDR] = ".debug_addr",
	[DEBUG_INFO] = ".debug_info",
	[DEBUG_LINE] = ".debug_line",
	[DEBUG_LINE_STR] = ".debug_line_str",
	[DEBUG_RANGES] = ".debug_ranges",
	[DEBUG_RNGLISTS] = ".debug_rnglists",
	[DEBUG_STR] = ".debug_str",
	[DEBUG_STR_OFFSETS] = ".debug_str_offsets",
	[DEBUG_TYPES] = ".debug_types",
	[DEBUG_ARANGES] = ".debug_aranges",
	[DEBUG_CU_INDEX] = ".debug_cu_index",
	[DEBUG_ALT_LINK] = ".gnu_debugaltlink",
};

/* The bytes of a section as they are in the file. */
struct packed {
	const uint8_t *bytes;
	size_t size, unpacked_size;
	uint32_t type; /* ELFCOMPRESS_ZLIB, COMPRESSED_BY_ZSTD */
};

static bool unpack_zlib(const struct packed *packed, uint8_t *room)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

	if (!decompressor)
		return false;
	enum libdeflate_result result = libdeflate_zlib_decompress(
		decompressor, packed->bytes, packed->size, room, packed->unpacked_size, NULL);
	libdeflate_free_decompressor(decompressor);
	return result == LIBDEFLATE_SUCCESS;
}

static bool unpack_zstd(const struct packed *packed, uint8_t *room)
{
	return ZSTD_decompress(room, packed->unpacked_size, packed->bytes, packed->size) ==
	       packed->unpacked_size;
}

static int unpack(struct debug_sections *sections, enum debug_section which,
		  const struct packed *packed)
{
	if (!packed->unpacked_size ||
	    packed->unpacked_size / MAX_GROWTH > packed->size + ALWAYS_GRANTED / MAX_GROWTH)
		return 0;
	uint8_t *room = malloc(packed->unpacked_size);
	if (!room)
		return -ENOMEM;
	if (!(packed->type == ELFCOMPRESS_ZLIB ? unpack_zlib : unpack_zstd)(packed, room)) {
		free(room);
		return 0;
	}
	sections->decompressed[which] = room;
	sections->of[which] = (struct debug_bytes){ room, packed->unpacked_size };
	return 0;
}

static int read_compressed(struct debug_sections *sections, enum debug_section which, Elf *elf,
			   Elf_Scn *section, const Elf_Data *raw)
{
	size_t header_size = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	GElf_Chdr header;

	if (!gelf_getchdr(section, &header) || raw->d_size <= header_size ||
	    (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != COMPRESSED_BY_ZSTD))
		return 0;
	struct packed packed = { (const uint8_t *)raw->d_buf + header_size,
				 raw->d_size - header_size, header.ch_size, header.ch_type };
	return unpack(sections, which, &packed);
}

static int read_old_compressed(struct debug_sections *sections, enum debug_section which,
			       const Elf_Data *raw)
{
	uint64_t size;

	if (raw->d_size <= OLD_HEADER_SIZE || memcmp(raw->d_buf, "ZLIB", 4) != 0)
		return 0;
	memcpy(&size, (const uint8_t *)raw->d_buf + 4, sizeof(size));
	struct packed packed = { (const uint8_t *)raw->d_buf + OLD_HEADER_SIZE,
				 raw->d_size - OLD_HEADER_SIZE, be64toh(size), ELFCOMPRESS_ZLIB };
	return unpack(sections, which, &packed);
}

/* Finds the section that a name refers to. false: it is not used. */
static bool is_wanted(const char *name, bool is_split, enum debug_section *which_ret,
		      bool *is_old_ret)
{
	static const char suffix[] = ".dwo";
	size_t size = strlen(name), end = size;

	*is_old_ret = strncmp(name, ".zdebug_", 8) == 0;
	if (size > strlen(suffix) && strcmp(name + size - strlen(suffix), suffix) == 0)
		end -= strlen(suffix);
	if (is_split != (end < size) && strcmp(name, names[DEBUG_CU_INDEX]) != 0)
		return false;
	size_t skipped = *is_old_ret ? 2 : 1; /* "." or ".z" */
	for (enum debug_section i = 0; i < N_DEBUG_SECTIONS; i++) {
		if (strlen(names[i]) - 1 != end - skipped ||
		    strncmp(names[i] + 1, name + skipped, end - skipped) != 0)
			continue;
		*which_ret = i;
		return true;
	}
	return false;
}

static int read_section(struct debug_sections *sections, Elf *elf,
			const struct elf_section *section, bool is_split)
{
	enum debug_section which;
	bool is_old;

	if (section->name[0] != '.' || !is_wanted(section->name, is_split, &which, &is_old) ||
	    sections->of[which].bytes || section->header.sh_type == SHT_NOBITS)
		return 0;
	const Elf_Data *raw = elf_section_bytes(section);
	if (!raw || !raw->d_size)
		return 0;
	if (section->header.sh_flags & SHF_COMPRESSED)
		return read_compressed(sections, which, elf, section->handle, raw);
	if (is_old)
		return read_old_compressed(sections, which, raw);
	sections->of[which] = (struct debug_bytes){ raw->d_buf, raw->d_size };
	return 0;
}

int debug_sections_read(struct debug_sections *sections, Elf *elf, bool is_split)
{
	struct elf_section section = { 0 };
	GElf_Ehdr header;

	*sections = (struct debug_sections){ 0 };
	if (!gelf_getehdr(elf, &header))
		return 0;
	sections->machine = header.e_machine;
	sections->byte_order = header.e_ident[EI_DATA];
	while (elf_next_section(elf, &section)) {
		int err = read_section(sections, elf, &section, is_split);
		if (!err)
			continue;
		debug_sections_deinit(sections);
		return err;
	}
	return 0;
}

void debug_sections_deinit(struct debug_sections *sections)
{
	for (size_t i = 0; i < N_DEBUG_SECTIONS; i++)
		free(sections->decompressed[i]);
	*sections = (struct debug_sections){ 0 };
}

uint64_t debug_sections_number(const struct debug_sections *sections, const uint8_t *bytes,
			       size_t size)
{
	struct dwarf_reader reader = debug_reader(sections, bytes, bytes + size);

	return dwarf_read_unsigned(&reader, size);
}

/* An ELF file without contents. libelf adds sections to it whose data is not copied. */
struct image {
	Elf64_Ehdr header;
	Elf64_Shdr none; /* section 0, which libelf needs before others are added */
	char names[256];
};

static Elf *new_elf(struct image *image, const struct debug_sections *sections)
{
	Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, sections->byte_order,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = sections->machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(header),
		.e_shoff = offsetof(struct image, none),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 1,
		.e_shstrndx = 1,
	};
	Elf_Data from = { .d_buf = &header,
			  .d_type = ELF_T_EHDR,
			  .d_version = EV_CURRENT,
			  .d_size = sizeof(header) };
	Elf_Data to = from;

	to.d_buf = &image->header;
	if (!elf64_xlatetof(&to, &from, sections->byte_order))
		return NULL;
	return elf_memory((char *)image, sizeof(*image));
}

static bool add_section(Elf *elf, Elf64_Word type, size_t name, const void *bytes, size_t size)
{
	GElf_Shdr header = {
		.sh_name = (Elf64_Word)name, .sh_type = type, .sh_size = size, .sh_addralign = 1
	};
	Elf_Scn *section = elf_newscn(elf);
	Elf_Data *data = section ? elf_newdata(section) : NULL;

	if (!data)
		return false;
	*data = (Elf_Data){ .d_buf = (void *)bytes,
			    .d_type = ELF_T_BYTE,
			    .d_version = EV_CURRENT,
			    .d_size = size,
			    .d_align = 1 };
	return gelf_update_shdr(section, &header) != 0;
}

static bool add_sections(Elf *elf, struct image *image, const struct debug_sections *sections)
{
	size_t at = 1;

	if (!add_section(elf, SHT_STRTAB, 0, image->names, sizeof(image->names)))
		return false;
	for (size_t i = 0; i < N_DEBUG_SECTIONS_OF_LIBDW; i++) {
		const struct debug_bytes *bytes = &sections->of[i];

		strcpy(image->names + at, names[i]);
		if (bytes->bytes && !add_section(elf, SHT_PROGBITS, at, bytes->bytes, bytes->size))
			return false;
		at += strlen(names[i]) + 1;
	}
	return true;
}

int debug_dwarf_init(struct debug_dwarf *dwarf, const struct debug_sections *sections)
{
	struct image *image = calloc(1, sizeof(*image));

	*dwarf = (struct debug_dwarf){ .image = image };
	if (!image)
		return -ENOMEM;
	dwarf->elf = new_elf(image, sections);
	if (dwarf->elf && sections->of[DEBUG_INFO].bytes &&
	    add_sections(dwarf->elf, image, sections))
		dwarf->dwarf = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	if (dwarf->dwarf)
		return 0;
	debug_dwarf_deinit(dwarf);
	return -ENOENT;
}

void debug_dwarf_deinit(struct debug_dwarf *dwarf)
{
	dwarf_end(dwarf->dwarf);
	elf_end(dwarf->elf);
	free(dwarf->image);
	*dwarf = (struct debug_dwarf){ 0 };
}
