/* Finds and reads entries. Nothing here executes them. */
#include "unwind/cfi/fde.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "cct/object/dwarf_reader.h"

#define APPLICATION      0x70 /* of a DW_EH_PE_* encoding */
#define USUAL_TABLE      (DW_EH_PE_datarel | DW_EH_PE_sdata4)
#define TABLE_ENTRY      8
#define NO_CIE_ID        UINT64_MAX
#define UNPACKED_MAX     (256u << 20) /* bytes, of a compressed section */
#define AUGMENTATION_MAX 16           /* letters; five are known */

struct span {
	const uint8_t *bytes; /* NULL: absent */
	size_t size;
	uint64_t vaddr; /* of the first byte */
};

/* One entry of an index, by start. */
struct index_entry {
	uint64_t start;
	size_t at; /* offset in the section */
};

struct fde_table {
	enum fde_section section;
	struct span frames;
	struct span header; /* .eh_frame_hdr's table, from its first entry on */
	size_t n_header_entries;
	struct index_entry *index; /* NULL: the header's table is used */
	size_t n_index, n_allocated;
	bool is_64;
};

/* Of DW_EH_PE_omit or an unknown form: nothing is read, the reader is bad. */
static uint64_t read_form(struct dwarf_reader *reader, uint8_t encoding, size_t address_size)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
		return dwarf_read_unsigned(reader, address_size);
	case DW_EH_PE_uleb128:
		return dwarf_read_uleb(reader);
	case DW_EH_PE_sleb128:
		return (uint64_t)dwarf_read_sleb(reader);
	case DW_EH_PE_udata2:
		return dwarf_read_unsigned(reader, 2);
	case DW_EH_PE_udata4:
		return dwarf_read_unsigned(reader, 4);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return dwarf_read_unsigned(reader, 8);
	case DW_EH_PE_sdata2:
		return (uint64_t)dwarf_read_signed(reader, 2);
	case DW_EH_PE_sdata4:
		return (uint64_t)dwarf_read_signed(reader, 4);
	default:
		dwarf_break(reader);
		return 0;
	}
}

/* An encoded address of an FDE. */
static uint64_t read_address(const struct fde_table *table, struct dwarf_reader *reader,
			     uint8_t encoding)
{
	uint64_t here = table->frames.vaddr + (uint64_t)(reader->at - table->frames.bytes);
	uint64_t value = read_form(reader, encoding, table->is_64 ? 8 : 4);

	switch (encoding & (APPLICATION | DW_EH_PE_indirect)) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		value += here;
		break;
	default:
		/* Relative to something that no linker of ours uses, or to a word of the process's
		 * memory. */
		dwarf_break(reader);
		break;
	}
	return table->is_64 ? value : (uint32_t)value;
}

/* An entry's length and id: what it is and where it goes on. */
struct entry {
	struct dwarf_reader body; /* behind the id */
	uint64_t cie_at;          /* offset of an FDE's CIE; NO_CIE_ID: it is a CIE itself */
	size_t at, next_at;
};

/* 0; -ENOENT: the end; -EINVAL: no entry fits there. */
static int read_entry(const struct fde_table *table, size_t at, struct entry *ret)
{
	struct dwarf_reader reader = { .at = table->frames.bytes + at,
				       .end = table->frames.bytes + table->frames.size };
	bool is_debug_frame = table->section == FDE_DEBUG_FRAME;

	if ((size_t)(reader.end - reader.at) < sizeof(uint32_t))
		return -ENOENT;
	uint64_t length = dwarf_read_unsigned(&reader, 4);
	bool is_dwarf_64 = length == UINT32_MAX;
	if (length == 0)
		return -ENOENT;
	if (is_dwarf_64)
		length = dwarf_read_unsigned(&reader, 8);
	if (reader.is_broken || length > (uint64_t)(reader.end - reader.at))
		return -EINVAL;
	reader.end = reader.at + length;
	ret->next_at = (size_t)(reader.end - table->frames.bytes);

	size_t id_at = (size_t)(reader.at - table->frames.bytes);
	bool is_wide_id = is_dwarf_64 && is_debug_frame;
	uint64_t id = dwarf_read_unsigned(&reader, is_wide_id ? 8 : 4);
	if (reader.is_broken)
		return -EINVAL;
	if (is_debug_frame) {
		bool is_cie = id == (is_wide_id ? UINT64_MAX : UINT32_MAX);
		ret->cie_at = is_cie ? NO_CIE_ID : id;
	} else {
		ret->cie_at = id == 0 ? NO_CIE_ID : id_at - id;
	}
	ret->at = at;
	ret->body = reader;
	return 0;
}

/* "zPLRSB": LSB Core 10.6.1.1. What is unknown ends the reading; "z" tells how far to skip. */
static int read_augmentation(const struct fde_table *table, struct dwarf_reader *reader,
			     const char *augmentation, struct fde *fde)
{
	fde->has_augmentation_data = augmentation[0] == 'z';
	if (!fde->has_augmentation_data)
		return augmentation[0] == '\0' ? 0 : -EINVAL;

	struct dwarf_reader data = *reader;
	uint64_t size = dwarf_read_uleb(&data);
	if (size > (uint64_t)(data.end - data.at))
		return -EINVAL;
	reader->at = data.at + size;
	data.end = reader->at;
	for (const char *letter = augmentation + 1; *letter; letter++) {
		if (*letter == 'R') {
			fde->address_encoding = (uint8_t)dwarf_read_byte(&data);
		} else if (*letter == 'L') {
			dwarf_read_block(&data, 1);
		} else if (*letter == 'P') {
			uint8_t encoding = (uint8_t)dwarf_read_byte(&data);

			read_form(&data, encoding, table->is_64 ? 8 : 4);
		} else if (*letter == 'S') {
			fde->is_signal_frame = true;
		} else if (*letter != 'B') {
			break;
		}
	}
	return data.is_broken ? -EINVAL : 0;
}

static int read_cie(const struct fde_table *table, uint64_t at, struct fde *fde)
{
	struct entry entry;

	if (at >= table->frames.size || read_entry(table, at, &entry) || entry.cie_at != NO_CIE_ID)
		return -EINVAL;
	struct dwarf_reader *reader = &entry.body;
	uint64_t version = dwarf_read_byte(reader);
	const char *augmentation = dwarf_read_string(reader, AUGMENTATION_MAX);
	if (version >= 4) {
		uint64_t address_size = dwarf_read_byte(reader),
			 segment_size = dwarf_read_byte(reader);

		if (address_size != (table->is_64 ? 8 : 4) || segment_size)
			return -EINVAL;
	}
	if (!augmentation || reader->is_broken || (version != 1 && version != 3 && version != 4))
		return -EINVAL;
	fde->code_alignment = dwarf_read_uleb(reader);
	fde->data_alignment = dwarf_read_sleb(reader);
	fde->ra_reg = version == 1 ? dwarf_read_byte(reader) : dwarf_read_uleb(reader);
	fde->address_encoding = DW_EH_PE_absptr;
	fde->is_signal_frame = false;
	if (read_augmentation(table, reader, augmentation, fde) || reader->is_broken)
		return -EINVAL;
	fde->initial_instructions = reader->at;
	fde->n_initial_instructions = (size_t)(reader->end - reader->at);
	return 0;
}

/* -ENOENT: it is no FDE. */
static int read_fde(const struct fde_table *table, const struct entry *entry, struct fde *fde)
{
	struct dwarf_reader reader = entry->body;

	if (entry->cie_at == NO_CIE_ID)
		return -ENOENT;
	if (read_cie(table, entry->cie_at, fde))
		return -EINVAL;
	fde->at = entry->at;
	fde->cie_at = entry->cie_at;
	fde->start = read_address(table, &reader, fde->address_encoding);
	uint64_t size = read_form(&reader, fde->address_encoding, table->is_64 ? 8 : 4);
	fde->end = fde->start + size;
	if (fde->has_augmentation_data)
		dwarf_read_block(&reader, dwarf_read_uleb(&reader));
	if (reader.is_broken || fde->end < fde->start)
		return -EINVAL;
	fde->instructions = reader.at;
	fde->n_instructions = (size_t)(reader.end - reader.at);
	return 0;
}

static int index_add(struct fde_table *table, uint64_t start, size_t at)
{
	if (table->n_index == table->n_allocated) {
		size_t n = table->n_allocated ? table->n_allocated * 2 : 256;
		struct index_entry *index = reallocarray(table->index, n, sizeof(*index));
		if (!index)
			return -ENOMEM;
		table->index = index;
		table->n_allocated = n;
	}
	table->index[table->n_index++] = (struct index_entry){ start, at };
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct index_entry *left = a, *right = b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* One pass; entries that can't be read describe nothing, nor do those of functions that a linker
 * has dropped: they begin at 0. */
static int index_create(struct fde_table *table)
{
	struct entry entry;
	bool is_sorted = true;

	for (size_t at = 0; !read_entry(table, at, &entry); at = entry.next_at) {
		struct fde fde;

		if (read_fde(table, &entry, &fde) || fde.start == fde.end || !fde.start)
			continue;
		if (table->n_index && table->index[table->n_index - 1].start > fde.start)
			is_sorted = false;
		int err = index_add(table, fde.start, at);
		if (err)
			return err;
	}
	if (!is_sorted)
		qsort(table->index, table->n_index, sizeof(*table->index), compare_starts);
	return 0;
}

/* libelf bounds what it allocates by what the stored size could expand to; that is not enough. */
static bool unpack(Elf_Scn *section)
{
	GElf_Chdr header;

	return gelf_getchdr(section, &header) && header.ch_size <= UNPACKED_MAX &&
	       elf_compress(section, 0, 0) >= 0;
}

/* The section's bytes, decompressed if need be. */
static int read_section(Elf *elf, const char *name, struct span *ret)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return -ENOENT;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *its_name = gelf_getshdr(section, &header)
					       ? elf_strptr(elf, names, header.sh_name)
					       : NULL;
		if (!its_name || header.sh_type == SHT_NOBITS)
			continue;
		bool is_gnu_compressed = !strncmp(its_name, ".z", 2);
		if (strcmp(its_name + 1 + is_gnu_compressed, name + 1) != 0)
			continue;
		if (is_gnu_compressed && elf_compress_gnu(section, 0, 0) < 0)
			return -EINVAL;
		if (header.sh_flags & SHF_COMPRESSED && !unpack(section))
			return -EINVAL;
		const Elf_Data *data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			return -EINVAL;
		*ret = (struct span){ data->d_buf, data->d_size, header.sh_addr };
		return 0;
	}
	return -ENOENT;
}

/* The bytes of the file that are loaded at @vaddr, up to the end of their segment. */
static int read_segment(Elf *elf, uint64_t vaddr, struct span *ret)
{
	size_t n_phdrs, file_size;
	const uint8_t *file = (const uint8_t *)elf_rawfile(elf, &file_size);

	if (!file || elf_getphdrnum(elf, &n_phdrs))
		return -EINVAL;
	for (size_t i = 0; i < n_phdrs; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
		    vaddr - phdr.p_vaddr >= phdr.p_filesz || phdr.p_offset > file_size ||
		    phdr.p_filesz > file_size - phdr.p_offset)
			continue;
		uint64_t skipped = vaddr - phdr.p_vaddr;
		*ret = (struct span){ file + phdr.p_offset + skipped, phdr.p_filesz - skipped,
				      vaddr };
		return 0;
	}
	return -ENOENT;
}

static int find_header(Elf *elf, struct span *ret)
{
	size_t n_phdrs;

	if (!read_section(elf, ".eh_frame_hdr", ret))
		return 0;
	if (elf_getphdrnum(elf, &n_phdrs))
		return -ENOENT;
	for (size_t i = 0; i < n_phdrs; i++) {
		GElf_Phdr phdr;

		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_GNU_EH_FRAME)
			return read_segment(elf, phdr.p_vaddr, ret);
	}
	return -ENOENT;
}

/*
 * Takes the search table from .eh_frame_hdr, and the frames from where it says if no section does.
 * Without a table of the usual form the frames are indexed.
 */
static void read_header(struct fde_table *table, Elf *elf)
{
	struct span header;

	if (find_header(elf, &header) || header.size < 4 || header.bytes[0] != 1)
		return;
	struct dwarf_reader reader = dwarf_reader(header.bytes + 4, header.size - 4);
	uint8_t frames_encoding = header.bytes[1];
	uint64_t here = header.vaddr + 4;
	uint64_t frames = read_form(&reader, frames_encoding, table->is_64 ? 8 : 4);
	if (reader.is_broken)
		return;
	if (!table->frames.bytes && (frames_encoding & APPLICATION) == DW_EH_PE_pcrel)
		read_segment(elf, table->is_64 ? frames + here : (uint32_t)(frames + here),
			     &table->frames);
	uint64_t n = header.bytes[2] == DW_EH_PE_omit
			     ? 0
			     : read_form(&reader, header.bytes[2], table->is_64 ? 8 : 4);
	if (header.bytes[3] != USUAL_TABLE || reader.is_broken || !n ||
	    n > (uint64_t)(reader.end - reader.at) / TABLE_ENTRY)
		return;
	table->header = (struct span){ reader.at, n * TABLE_ENTRY, header.vaddr };
	table->n_header_entries = n;
}

int fde_table_create(Elf *elf, enum fde_section section, struct fde_table **table_ret)
{
	struct fde_table *table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	table->section = section;
	table->is_64 = gelf_getclass(elf) == ELFCLASS64;
	int err = read_section(elf, section == FDE_EH_FRAME ? ".eh_frame" : ".debug_frame",
			       &table->frames);
	if (section == FDE_EH_FRAME && err != -EINVAL) {
		read_header(table, elf);
		err = table->frames.bytes ? 0 : -ENOENT;
	}
	if (!err && !table->n_header_entries)
		err = index_create(table);
	if (err) {
		fde_table_destroy(table);
		return err;
	}
	*table_ret = table;
	return 0;
}

void fde_table_destroy(struct fde_table *table)
{
	if (!table)
		return;
	free(table->index);
	free(table);
}

size_t fde_table_size(const struct fde_table *table)
{
	return table->frames.size;
}

/* The header's entries: an address and its FDE's, as signed distances from the header. */
static uint64_t header_word(const struct fde_table *table, size_t i, size_t at)
{
	int32_t distance;

	memcpy(&distance, table->header.bytes + i * TABLE_ENTRY + at, sizeof(distance));
	uint64_t value = table->header.vaddr + (uint64_t)(int64_t)distance;
	return table->is_64 ? value : (uint32_t)value;
}

static bool find_in_header(const struct fde_table *table, uint64_t vaddr, size_t *at_ret,
			   uint64_t *next_ret)
{
	size_t low = 0, high = table->n_header_entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (header_word(table, middle, 0) <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*at_ret = header_word(table, low - 1, sizeof(int32_t)) - table->frames.vaddr;
	*next_ret = low < table->n_header_entries ? header_word(table, low, 0) : UINT64_MAX;
	return *at_ret < table->frames.size;
}

static bool find_in_index(const struct fde_table *table, uint64_t vaddr, size_t *at_ret,
			  uint64_t *next_ret)
{
	size_t low = 0, high = table->n_index;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->index[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*at_ret = table->index[low - 1].at;
	*next_ret = low < table->n_index ? table->index[low].start : UINT64_MAX;
	return true;
}

/* The last entry that begins at or before @vaddr. */
static int find_last(const struct fde_table *table, uint64_t vaddr, struct fde *fde_ret)
{
	struct entry entry;
	size_t at;
	bool found = table->n_header_entries
			     ? find_in_header(table, vaddr, &at, &fde_ret->next_start)
			     : find_in_index(table, vaddr, &at, &fde_ret->next_start);
	if (!found)
		return -ENOENT;
	if (read_entry(table, at, &entry))
		return -EINVAL;
	return read_fde(table, &entry, fde_ret);
}

int fde_find(const struct fde_table *table, uint64_t vaddr, struct fde *fde_ret)
{
	int err = find_last(table, vaddr, fde_ret);

	if (err)
		return err;
	return vaddr - fde_ret->start < fde_ret->end - fde_ret->start ? 0 : -ENOENT;
}

bool fde_has_any(const struct fde_table *table, uint64_t start, uint64_t end)
{
	struct fde fde;

	return start < end && !find_last(table, end - 1, &fde) && fde.end > start;
}
