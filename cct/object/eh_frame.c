/* Reads sections and entries. Nothing here executes what they say. */
#include "cct/object/eh_frame.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "cct/base/sorted.h"
#include "cct/object/dwarf_reader.h"
#include "cct/object/elf_image.h"

#define APPLICATION      0x70 /* of a DW_EH_PE_* encoding */
#define USUAL_TABLE      (DW_EH_PE_datarel | DW_EH_PE_sdata4)
#define NO_CIE_ID        UINT64_MAX
#define UNPACKED_MAX     (256u << 20) /* bytes, of a compressed section */
#define AUGMENTATION_MAX 16           /* letters; five are known */

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
static uint64_t read_address(const struct eh_frame *frames, struct dwarf_reader *reader,
			     uint8_t encoding)
{
	uint64_t here = frames->entries.vaddr + (uint64_t)(reader->at - frames->entries.bytes);
	uint64_t value = read_form(reader, encoding, frames->is_64 ? 8 : 4);

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
	return frames->is_64 ? value : (uint32_t)value;
}

/* An entry's length and id: what it is and where it goes on. */
struct entry {
	struct dwarf_reader body; /* after the id */
	uint64_t cie_at;          /* offset of an FDE's CIE; NO_CIE_ID: it is a CIE itself */
	size_t at, next_at;
};

/* 0; -ENOENT: the end; -EINVAL: no entry fits there. */
static int read_entry(const struct eh_frame *frames, size_t at, struct entry *ret)
{
	struct dwarf_reader reader = { .at = frames->entries.bytes + at,
				       .end = frames->entries.bytes + frames->entries.size };
	bool is_debug_frame = frames->section == DEBUG_FRAME;

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
	ret->next_at = (size_t)(reader.end - frames->entries.bytes);

	size_t id_at = (size_t)(reader.at - frames->entries.bytes);
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
static int read_augmentation(const struct eh_frame *frames, struct dwarf_reader *reader,
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
			fde->has_landing_pads = true;
			dwarf_read_block(&data, 1);
		} else if (*letter == 'P') {
			uint8_t encoding = (uint8_t)dwarf_read_byte(&data);

			read_form(&data, encoding, frames->is_64 ? 8 : 4);
		} else if (*letter == 'S') {
			fde->is_signal_frame = true;
		} else if (*letter != 'B') {
			break;
		}
	}
	return data.is_broken ? -EINVAL : 0;
}

static int read_cie(const struct eh_frame *frames, uint64_t at, struct fde *fde)
{
	struct entry entry;

	if (at >= frames->entries.size || read_entry(frames, at, &entry) ||
	    entry.cie_at != NO_CIE_ID)
		return -EINVAL;
	struct dwarf_reader *reader = &entry.body;
	uint64_t version = dwarf_read_byte(reader);
	const char *augmentation = dwarf_read_string(reader, AUGMENTATION_MAX);
	if (version >= 4) {
		uint64_t address_size = dwarf_read_byte(reader),
			 segment_size = dwarf_read_byte(reader);

		if (address_size != (frames->is_64 ? 8 : 4) || segment_size)
			return -EINVAL;
	}
	if (!augmentation || reader->is_broken || (version != 1 && version != 3 && version != 4))
		return -EINVAL;
	fde->code_alignment = dwarf_read_uleb(reader);
	fde->data_alignment = dwarf_read_sleb(reader);
	fde->ra_reg = version == 1 ? dwarf_read_byte(reader) : dwarf_read_uleb(reader);
	fde->address_encoding = DW_EH_PE_absptr;
	fde->is_signal_frame = fde->has_landing_pads = false;
	if (read_augmentation(frames, reader, augmentation, fde) || reader->is_broken)
		return -EINVAL;
	fde->initial_instructions = reader->at;
	fde->n_initial_instructions = (size_t)(reader->end - reader->at);
	return 0;
}

/* -ENOENT: it is not an FDE. @knows_cie: @fde has what its CIE says. */
static int read_fde(const struct eh_frame *frames, const struct entry *entry, bool knows_cie,
		    struct fde *fde)
{
	struct dwarf_reader reader = entry->body;

	if (entry->cie_at == NO_CIE_ID)
		return -ENOENT;
	if (!knows_cie && read_cie(frames, entry->cie_at, fde))
		return -EINVAL;
	fde->at = entry->at;
	fde->cie_at = entry->cie_at;
	fde->start = read_address(frames, &reader, fde->address_encoding);
	uint64_t size = read_form(&reader, fde->address_encoding, frames->is_64 ? 8 : 4);
	fde->end = fde->start + size;
	if (fde->has_augmentation_data)
		dwarf_read_block(&reader, dwarf_read_uleb(&reader));
	if (reader.is_broken || fde->end < fde->start)
		return -EINVAL;
	fde->instructions = reader.at;
	fde->n_instructions = (size_t)(reader.end - reader.at);
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
static int read_section(Elf *elf, const char *name, struct eh_frame_span *ret)
{
	struct elf_section section;

	if (!elf_find_section(elf, name, &section))
		return -ENOENT;
	if (section.header.sh_flags & SHF_COMPRESSED && !unpack(section.handle))
		return -EINVAL;
	const Elf_Data *data = elf_section_bytes(&section);
	if (!data)
		return -EINVAL;
	*ret = (struct eh_frame_span){ data->d_buf, data->d_size, section.header.sh_addr };
	return 0;
}

/* As tools before SHF_COMPRESSED have compressed it. */
static int read_old_compressed(Elf *elf, struct eh_frame_span *ret)
{
	struct elf_section section;

	if (!elf_find_section(elf, ".zdebug_frame", &section))
		return -ENOENT;
	if (elf_compress_gnu(section.handle, 0, 0) < 0)
		return -EINVAL;
	const Elf_Data *data = elf_section_bytes(&section);
	if (!data)
		return -EINVAL;
	*ret = (struct eh_frame_span){ data->d_buf, data->d_size, section.header.sh_addr };
	return 0;
}

static int read_debug_frame(Elf *elf, struct eh_frame_span *ret)
{
	int err = read_section(elf, ".debug_frame", ret);

	return err == -ENOENT ? read_old_compressed(elf, ret) : err;
}

/* The bytes of the file that are loaded at @vaddr, up to the end of their segment. */
static int read_segment(Elf *elf, uint64_t vaddr, struct eh_frame_span *ret)
{
	struct elf_segments segments;

	if (elf_segments_init(&segments, elf))
		return -ENOMEM;
	const struct elf_segment *segment = elf_segments_at_vaddr(&segments, vaddr);
	uint64_t skipped = segment ? vaddr - segment->vaddr : 0;
	uint64_t size = segment ? segment->size - skipped : 0;
	const uint8_t *bytes =
		segment ? elf_file_bytes(elf, segment->offset + skipped, size) : NULL;

	elf_segments_deinit(&segments);
	if (!bytes)
		return -ENOENT;
	*ret = (struct eh_frame_span){ bytes, size, vaddr };
	return 0;
}

static int find_header(Elf *elf, struct eh_frame_span *ret)
{
	GElf_Phdr segment;

	if (!read_section(elf, ".eh_frame_hdr", ret))
		return 0;
	for (size_t i = 0; elf_next_segment(elf, &i, &segment);)
		if (segment.p_type == PT_GNU_EH_FRAME)
			return read_segment(elf, segment.p_vaddr, ret);
	return -ENOENT;
}

/*
 * Takes the search table from .eh_frame_hdr, and the frames from where it says if no section does.
 * Without a table of the usual form the frames are indexed.
 */
static void read_header(struct eh_frame *frames, Elf *elf)
{
	struct eh_frame_span header;

	if (find_header(elf, &header) || header.size < 4 || header.bytes[0] != 1)
		return;
	struct dwarf_reader reader = dwarf_reader(header.bytes + 4, header.size - 4);
	uint8_t frames_encoding = header.bytes[1];
	uint64_t here = header.vaddr + 4;
	uint64_t start = read_form(&reader, frames_encoding, frames->is_64 ? 8 : 4);
	if (reader.is_broken)
		return;
	if (!frames->entries.bytes && (frames_encoding & APPLICATION) == DW_EH_PE_pcrel)
		read_segment(elf, frames->is_64 ? start + here : (uint32_t)(start + here),
			     &frames->entries);
	uint64_t n = header.bytes[2] == DW_EH_PE_omit
			     ? 0
			     : read_form(&reader, header.bytes[2], frames->is_64 ? 8 : 4);
	if (header.bytes[3] != USUAL_TABLE || reader.is_broken || !n ||
	    n > (uint64_t)(reader.end - reader.at) / EH_FRAME_HEADER_ENTRY)
		return;
	frames->header =
		(struct eh_frame_span){ reader.at, n * EH_FRAME_HEADER_ENTRY, header.vaddr };
	frames->n_header_entries = n;
}

int eh_frame_open(Elf *elf, enum eh_frame_section section, struct eh_frame *frames_ret)
{
	struct eh_frame frames = { .section = section, .is_64 = gelf_getclass(elf) == ELFCLASS64 };
	int err = section == EH_FRAME ? read_section(elf, ".eh_frame", &frames.entries)
				      : read_debug_frame(elf, &frames.entries);

	if (section == EH_FRAME && err != -EINVAL) {
		read_header(&frames, elf);
		err = frames.entries.bytes ? 0 : -ENOENT;
	}
	if (!err)
		*frames_ret = frames;
	return err;
}

int eh_frame_read(const struct eh_frame *frames, size_t at, struct fde *fde_ret)
{
	struct entry entry;

	if (at >= frames->entries.size || read_entry(frames, at, &entry))
		return -EINVAL;
	return read_fde(frames, &entry, false, fde_ret);
}

static uint64_t header_word(const struct eh_frame *frames, size_t i, size_t at)
{
	int32_t distance;

	memcpy(&distance, frames->header.bytes + i * EH_FRAME_HEADER_ENTRY + at, sizeof(distance));
	const uint64_t value = frames->header.vaddr + (uint64_t)(int64_t)distance;
	return frames->is_64 ? value : (uint32_t)value;
}

size_t eh_frame_count_listed(const struct eh_frame *frames, uint64_t vaddr)
{
	return sorted_count(frames->n_header_entries, i, eh_frame_listed_start(frames, i) <= vaddr);
}

uint64_t eh_frame_listed_start(const struct eh_frame *frames, size_t i)
{
	return header_word(frames, i, 0);
}

size_t eh_frame_listed_at(const struct eh_frame *frames, size_t i)
{
	return header_word(frames, i, sizeof(int32_t)) - frames->entries.vaddr;
}

bool eh_frame_next(struct eh_frame_walk *walk)
{
	struct entry entry;

	while (!read_entry(walk->frames, walk->next_at, &entry)) {
		bool knows_cie = walk->has_cie && walk->fde.cie_at == entry.cie_at;

		walk->next_at = entry.next_at;
		int err = read_fde(walk->frames, &entry, knows_cie, &walk->fde);
		if (err == -ENOENT)
			continue;
		walk->has_cie = !err;
		if (!err)
			return true;
	}
	return false;
}
