/* Walks over what libelf has of a file. */
#include "cct/object/elf_image.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cct/object/elf_notes.h"

bool elf_next_section(Elf *elf, struct elf_section *section)
{
	size_t names;

	while ((section->handle = elf_nextscn(elf, section->handle))) {
		if (!gelf_getshdr(section->handle, &section->header))
			continue;
		section->name = elf_getshdrstrndx(elf, &names)
					? NULL
					: elf_strptr(elf, names, section->header.sh_name);
		if (!section->name)
			section->name = "";
		return true;
	}
	return false;
}

bool elf_find_section(Elf *elf, const char *name, struct elf_section *section_ret)
{
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		if (section.header.sh_type == SHT_NOBITS || strcmp(section.name, name) != 0)
			continue;
		*section_ret = section;
		return true;
	}
	return false;
}

bool elf_find_section_type(Elf *elf, uint32_t type, struct elf_section *section_ret)
{
	struct elf_section section = { 0 };

	while (elf_next_section(elf, &section)) {
		if (section.header.sh_type != type)
			continue;
		*section_ret = section;
		return true;
	}
	return false;
}

const Elf_Data *elf_section_bytes(const struct elf_section *section)
{
	const Elf_Data *data = elf_rawdata(section->handle, NULL);

	return data && data->d_buf ? data : NULL;
}

Elf_Data *elf_section_data(const struct elf_section *section)
{
	Elf_Data *data = elf_getdata(section->handle, NULL);

	return data && data->d_buf ? data : NULL;
}

bool elf_next_segment(Elf *elf, size_t *index, GElf_Phdr *header_ret)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	while (*index < n && *index < INT_MAX)
		if (gelf_getphdr(elf, (int)(*index)++, header_ret))
			return true;
	return false;
}

const uint8_t *elf_file_bytes(Elf *elf, uint64_t offset, uint64_t size)
{
	size_t file_size;
	const uint8_t *file = (const uint8_t *)elf_rawfile(elf, &file_size);

	return file && offset <= file_size && size <= file_size - offset ? file + offset : NULL;
}

int elf_segments_init(struct elf_segments *segments, Elf *elf)
{
	size_t n, i = 0;
	GElf_Phdr header;

	*segments = (struct elf_segments){ 0 };
	if (elf_getphdrnum(elf, &n) || !n)
		return 0;
	segments->segments = calloc(n, sizeof(*segments->segments));
	if (!segments->segments)
		return -ENOMEM;
	while (segments->n < n && elf_next_segment(elf, &i, &header))
		if (header.p_type == PT_LOAD)
			segments->segments[segments->n++] = (struct elf_segment){
				.offset = header.p_offset,
				.vaddr = header.p_vaddr,
				.size = header.p_filesz,
				.is_executable = header.p_flags & PF_X,
			};
	return 0;
}

void elf_segments_deinit(struct elf_segments *segments)
{
	free(segments->segments);
	*segments = (struct elf_segments){ 0 };
}

const struct elf_segment *elf_segments_at_offset(const struct elf_segments *segments,
						 uint64_t offset)
{
	const struct elf_segment *found = NULL;

	for (size_t i = 0; i < segments->n; i++) {
		const struct elf_segment *segment = &segments->segments[i];

		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		if (segment->is_executable)
			return segment;
		if (!found)
			found = segment;
	}
	return found;
}

const struct elf_segment *elf_segments_at_vaddr(const struct elf_segments *segments, uint64_t vaddr)
{
	const struct elf_segment *found = NULL;

	for (size_t i = 0; i < segments->n; i++) {
		const struct elf_segment *segment = &segments->segments[i];

		if (vaddr < segment->vaddr || vaddr - segment->vaddr >= segment->size)
			continue;
		if (segment->is_executable)
			return segment;
		if (!found)
			found = segment;
	}
	return found;
}

bool elf_segments_to_vaddr(const struct elf_segments *segments, uint64_t offset,
			   uint64_t *vaddr_ret)
{
	const struct elf_segment *segment = elf_segments_at_offset(segments, offset);

	if (!segment)
		return false;
	*vaddr_ret = segment->vaddr + (offset - segment->offset);
	return true;
}

bool elf_segments_to_offset(const struct elf_segments *segments, uint64_t vaddr,
			    uint64_t *offset_ret)
{
	const struct elf_segment *segment = elf_segments_at_vaddr(segments, vaddr);

	if (!segment)
		return false;
	*offset_ret = segment->offset + (vaddr - segment->vaddr);
	return true;
}

/* libelf has brought them into this machine's byte order. */
static bool build_id_from_notes(const Elf_Data *data, struct build_id *ret)
{
	return data && data->d_buf &&
	       elf_notes_build_id(data->d_buf, data->d_size, data->d_type == ELF_T_NHDR8 ? 8 : 4,
				  ret);
}

static Elf_Type note_type(uint64_t alignment)
{
	return alignment == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
}

static bool build_id_from_segments(Elf *elf, struct build_id *ret)
{
	GElf_Phdr segment;

	for (size_t i = 0; elf_next_segment(elf, &i, &segment);) {
		if (segment.p_type != PT_NOTE || segment.p_offset > INT64_MAX)
			continue;
		if (build_id_from_notes(elf_getdata_rawchunk(elf, (int64_t)segment.p_offset,
							     segment.p_filesz,
							     note_type(segment.p_align)),
					ret))
			return true;
	}
	return false;
}

void elf_build_id(Elf *elf, struct build_id *ret)
{
	struct elf_section section = { 0 };

	*ret = (struct build_id){ 0 };
	if (build_id_from_segments(elf, ret))
		return;
	/* Separate debug files and captured parts may have sections only. */
	while (elf_next_section(elf, &section))
		if (section.header.sh_type == SHT_NOTE &&
		    build_id_from_notes(elf_section_data(&section), ret))
			return;
}

static bool ends_within(uint64_t offset, uint64_t size, size_t file_size)
{
	return offset <= file_size && size <= file_size - offset;
}

bool elf_is_cut(Elf *elf)
{
	struct elf_section section = { 0 };
	size_t size, n_segments, i = 0, n_read = 0;
	GElf_Phdr segment;
	GElf_Ehdr header;

	if (!elf_rawfile(elf, &size) || !gelf_getehdr(elf, &header) ||
	    elf_getphdrnum(elf, &n_segments))
		return true;
	if (!ends_within(header.e_shoff, (uint64_t)header.e_shnum * header.e_shentsize, size))
		return true;
	for (; elf_next_segment(elf, &i, &segment); n_read++)
		if (segment.p_type == PT_LOAD &&
		    !ends_within(segment.p_offset, segment.p_filesz, size))
			return true;
	if (n_read < n_segments)
		return true;
	while (elf_next_section(elf, &section))
		if (section.header.sh_type != SHT_NOBITS &&
		    !ends_within(section.header.sh_offset, section.header.sh_size, size))
			return true;
	return false;
}
