#include "report/dwarf/debug_sections.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <libdeflate.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "cct/object/elf_image.h"
#include "cct/system/huge_pages.h"

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
	[DEBUG_LOC] = ".debug_loc",
	[DEBUG_LOCLISTS] = ".debug_loclists",
	[DEBUG_RANGES] = ".debug_ranges",
	[DEBUG_RNGLISTS] = ".debug_rnglists",
	[DEBUG_STR] = ".debug_str",
	[DEBUG_STR_OFFSETS] = ".debug_str_offsets",
	[DEBUG_TYPES] = ".debug_types",
	[DEBUG_ARANGES] = ".debug_aranges",
	[DEBUG_CU_INDEX] = ".debug_cu_index",
	[DEBUG_ALT_LINK] = ".gnu_debugaltlink",
};

/* What a thread unpacks takes longer than starting it: a millisecond. */
#define WORTH_A_THREAD (64u << 10)

/* The bytes of a section as they are in the file. */
struct packed {
	const uint8_t *bytes;
	size_t size, unpacked_size;
	uint32_t type; /* ELFCOMPRESS_ZLIB, COMPRESSED_BY_ZSTD */
	enum debug_section which;
	uint8_t *room; /* for the unpacked bytes, owned */
	bool is_unpacked;
};

/* The compressed sections of a file. */
struct packed_sections {
	struct packed of[N_DEBUG_SECTIONS];
	size_t n;
};

static bool unpack_zlib(const struct packed *packed)
{
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();

	if (!decompressor)
		return false;
	enum libdeflate_result result =
		libdeflate_zlib_decompress(decompressor, packed->bytes, packed->size, packed->room,
					   packed->unpacked_size, NULL);
	libdeflate_free_decompressor(decompressor);
	return result == LIBDEFLATE_SUCCESS;
}

static bool unpack_zstd(const struct packed *packed)
{
	return ZSTD_decompress(packed->room, packed->unpacked_size, packed->bytes, packed->size) ==
	       packed->unpacked_size;
}

static void unpack(struct packed *packed)
{
	packed->is_unpacked =
		packed->type == ELFCOMPRESS_ZLIB ? unpack_zlib(packed) : unpack_zstd(packed);
}

/* Unpacks all sections but the first. */
static void *unpack_others(void *arg)
{
	struct packed_sections *all = arg;

	for (size_t i = 1; i < all->n; i++)
		unpack(&all->of[i]);
	return NULL;
}

/*
 * Puts the largest section first. It is mostly .debug_info, which takes longer than all others
 * together. Returns the size of the others.
 */
static size_t put_largest_first(struct packed_sections *all)
{
	size_t size = 0;

	for (size_t i = 1; i < all->n; i++) {
		struct packed larger = all->of[i];

		if (larger.size > all->of[0].size) {
			all->of[i] = all->of[0];
			all->of[0] = larger;
		}
		size += all->of[i].size;
	}
	return size;
}

/* Unpacks the largest section in this thread, and the others beside it. */
static void unpack_all(struct packed_sections *all)
{
	pthread_t thread;
	bool has_thread = put_largest_first(all) >= WORTH_A_THREAD &&
			  !pthread_create(&thread, NULL, unpack_others, all);

	if (all->n)
		unpack(&all->of[0]);
	if (has_thread)
		pthread_join(thread, NULL);
	else
		unpack_others(all);
}

static void take_unpacked(struct debug_sections *sections, struct packed_sections *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct packed *packed = &all->of[i];

		if (!packed->is_unpacked) {
			free(packed->room);
			continue;
		}
		sections->decompressed[packed->which] = packed->room;
		sections->of[packed->which] =
			(struct debug_bytes){ packed->room, packed->unpacked_size };
	}
}

/* Adds a section to those to unpack, with room for its bytes. 0 or -ENOMEM. */
static int add_packed(struct packed_sections *all, const struct packed *packed)
{
	if (!packed->unpacked_size ||
	    packed->unpacked_size / MAX_GROWTH > packed->size + ALWAYS_GRANTED / MAX_GROWTH)
		return 0;
	uint8_t *room = malloc(packed->unpacked_size);
	if (!room)
		return -ENOMEM;
	huge_pages_allow(room, packed->unpacked_size);
	all->of[all->n] = *packed;
	all->of[all->n++].room = room;
	return 0;
}

static bool is_packed(const struct packed_sections *all, enum debug_section which)
{
	for (size_t i = 0; i < all->n; i++) {
		if (all->of[i].which == which)
			return true;
	}
	return false;
}

static int read_compressed(struct packed_sections *all, enum debug_section which, Elf *elf,
			   Elf_Scn *section, const Elf_Data *raw)
{
	size_t header_size = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
	GElf_Chdr header;

	if (!gelf_getchdr(section, &header) || raw->d_size <= header_size ||
	    (header.ch_type != ELFCOMPRESS_ZLIB && header.ch_type != COMPRESSED_BY_ZSTD))
		return 0;
	struct packed packed = { .bytes = (const uint8_t *)raw->d_buf + header_size,
				 .size = raw->d_size - header_size,
				 .unpacked_size = header.ch_size,
				 .type = header.ch_type,
				 .which = which };
	return add_packed(all, &packed);
}

static int read_old_compressed(struct packed_sections *all, enum debug_section which,
			       const Elf_Data *raw)
{
	uint64_t size;

	if (raw->d_size <= OLD_HEADER_SIZE || memcmp(raw->d_buf, "ZLIB", 4) != 0)
		return 0;
	memcpy(&size, (const uint8_t *)raw->d_buf + 4, sizeof(size));
	struct packed packed = { .bytes = (const uint8_t *)raw->d_buf + OLD_HEADER_SIZE,
				 .size = raw->d_size - OLD_HEADER_SIZE,
				 .unpacked_size = be64toh(size),
				 .type = ELFCOMPRESS_ZLIB,
				 .which = which };
	return add_packed(all, &packed);
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

static int read_section(struct debug_sections *sections, struct packed_sections *all, Elf *elf,
			const struct elf_section *section, bool is_split, bool has_locations)
{
	enum debug_section which;
	bool is_old;

	if (section->name[0] != '.' || !is_wanted(section->name, is_split, &which, &is_old) ||
	    (!has_locations && (which == DEBUG_LOC || which == DEBUG_LOCLISTS)) ||
	    sections->of[which].bytes || is_packed(all, which) ||
	    section->header.sh_type == SHT_NOBITS)
		return 0;
	const Elf_Data *raw = elf_section_bytes(section);
	if (!raw || !raw->d_size)
		return 0;
	if (section->header.sh_flags & SHF_COMPRESSED)
		return read_compressed(all, which, elf, section->handle, raw);
	if (is_old)
		return read_old_compressed(all, which, raw);
	sections->of[which] = (struct debug_bytes){ raw->d_buf, raw->d_size };
	return 0;
}

int debug_sections_read(struct debug_sections *sections, Elf *elf, bool is_split,
			bool has_locations)
{
	struct packed_sections all = { .n = 0 };
	struct elf_section section = { 0 };
	GElf_Ehdr header;
	int err = 0;

	*sections = (struct debug_sections){ 0 };
	if (!gelf_getehdr(elf, &header))
		return 0;
	sections->machine = header.e_machine;
	sections->byte_order = header.e_ident[EI_DATA];
	while (!err && elf_next_section(elf, &section))
		err = read_section(sections, &all, elf, &section, is_split, has_locations);
	if (!err)
		unpack_all(&all);
	take_unpacked(sections, &all);
	if (err)
		debug_sections_deinit(sections);
	return err;
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
