#include "report/code/fde_ranges.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define POINTER_FORMAT 0x0f /* of a DW_EH_PE byte; the bits above say what it is relative to */

/* .eh_frame's bytes, and what pointers in them need. */
struct frame_section {
	Elf_Data *data;
	uint64_t vaddr;
	const uint8_t *ident;
	uint8_t addr_size;
};

/* The encoding of a CIE's FDEs, remembered for the next one: most share it. */
struct cie_encoding {
	Dwarf_Off cie;
	int encoding; /* DW_EH_PE_*; -1: not known */
};

void fde_ranges_deinit(struct fde_ranges *ranges)
{
	free(ranges->ranges);
	*ranges = (struct fde_ranges){ 0 };
}

static int add_range(struct fde_ranges *ranges, const struct fde_range *range)
{
	if (ranges->n_ranges == ranges->n_allocated) {
		size_t n = ranges->n_allocated ? ranges->n_allocated * 2 : 1024;
		struct fde_range *larger = reallocarray(ranges->ranges, n, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		ranges->ranges = larger;
		ranges->n_allocated = n;
	}
	ranges->ranges[ranges->n_ranges++] = *range;
	return 0;
}

static size_t format_size(int encoding, uint8_t addr_size)
{
	switch (encoding & POINTER_FORMAT) {
	case DW_EH_PE_absptr:
		return addr_size;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	}
	return 0;
}

/* Of @size bytes, which format_size() gave; in the machine's byte order. */
static uint64_t read_number(const uint8_t *bytes, size_t size, bool is_signed)
{
	uint64_t value = 0;
	unsigned unused = (unsigned)(64 - size * 8);

	memcpy(&value, bytes, size);
	if (!is_signed)
		return value;
	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* The letter R of a CIE's augmentation says how its FDEs' addresses are written. */
static int encoding_of_cie(const Dwarf_CIE *cie, uint8_t addr_size)
{
	const uint8_t *at = cie->augmentation_data;
	size_t rest = cie->augmentation_data_size, skipped;

	if (cie->augmentation[0] != 'z')
		return cie->augmentation[0] ? -1 : DW_EH_PE_absptr;
	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		switch (*letter) {
		case 'R':
			return rest ? *at : -1;
		case 'P':
			skipped = rest ? format_size(*at, addr_size) : 0;
			skipped = skipped ? skipped + 1 : SIZE_MAX;
			break;
		case 'L':
			skipped = 1;
			break;
		case 'S':
		case 'B':
			skipped = 0;
			break;
		default:
			return -1;
		}
		if (skipped > rest)
			return -1;
		at += skipped;
		rest -= skipped;
	}
	return DW_EH_PE_absptr;
}

static int find_encoding(const struct frame_section *section, Dwarf_Off cie_offset,
			 struct cie_encoding *known)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (known->cie == cie_offset)
		return known->encoding;
	*known = (struct cie_encoding){ .cie = cie_offset, .encoding = -1 };
	if (!dwarf_next_cfi(section->ident, section->data, true, cie_offset, &next, &entry) &&
	    dwarf_cfi_cie_p(&entry))
		known->encoding = encoding_of_cie(&entry.cie, section->addr_size);
	return known->encoding;
}

/* False: not written in a way that linkers use, or empty. */
static bool read_fde(const struct frame_section *section, const Dwarf_FDE *fde, int encoding,
		     struct fde_range *ret)
{
	size_t size = encoding < 0 ? 0 : format_size(encoding, section->addr_size);
	bool is_signed = encoding & DW_EH_PE_signed;

	if (!size || (size_t)(fde->end - fde->start) < 2 * size)
		return false;
	ret->start = read_number(fde->start, size, is_signed);
	switch (encoding & ~POINTER_FORMAT) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		ret->start +=
			section->vaddr + (uint64_t)(fde->start - (uint8_t *)section->data->d_buf);
		break;
	default:
		return false;
	}
	if (section->addr_size == 4)
		ret->start = (uint32_t)ret->start;
	return !__builtin_add_overflow(ret->start, read_number(fde->start + size, size, false),
				       &ret->end) &&
	       ret->end > ret->start;
}

static int read_entries(struct fde_ranges *ranges, const struct frame_section *section)
{
	struct cie_encoding known = { .cie = UINT64_MAX };
	Dwarf_Off at = 0, next;

	/* A broken entry is skipped, if its size is known. */
	for (; at < section->data->d_size; at = next) {
		struct fde_range range;
		Dwarf_CFI_Entry entry;
		int status = dwarf_next_cfi(section->ident, section->data, true, at, &next, &entry);

		if (status > 0 || next == (Dwarf_Off)-1 || next <= at)
			return 0;
		if (status < 0 || dwarf_cfi_cie_p(&entry))
			continue;
		int encoding = find_encoding(section, entry.fde.CIE_pointer, &known);
		if (read_fde(section, &entry.fde, encoding, &range) && add_range(ranges, &range))
			return -ENOMEM;
	}
	return 0;
}

static bool find_by_section(Elf *elf, struct frame_section *ret)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (!name || strcmp(name, ".eh_frame") != 0 || header.sh_type == SHT_NOBITS)
			continue;
		ret->data = elf_rawdata(section, NULL);
		ret->vaddr = header.sh_addr;
		return ret->data && ret->data->d_buf;
	}
	return false;
}

/* Up to the end of the segment that holds it. */
static bool find_in_segments(Elf *elf, uint64_t vaddr, struct frame_section *ret)
{
	size_t n_headers;

	if (elf_getphdrnum(elf, &n_headers))
		return false;
	for (size_t i = 0; i < n_headers && i < INT_MAX; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    vaddr < header.p_vaddr || vaddr - header.p_vaddr >= header.p_filesz ||
		    header.p_offset > INT64_MAX - header.p_filesz)
			continue;
		uint64_t inside = vaddr - header.p_vaddr;
		ret->data = elf_getdata_rawchunk(elf, (int64_t)(header.p_offset + inside),
						 header.p_filesz - inside, ELF_T_BYTE);
		ret->vaddr = vaddr;
		return ret->data && ret->data->d_buf;
	}
	return false;
}

/* Without section headers .eh_frame_hdr says where it is: LSB Core, "Exception Frame Header". */
static bool find_by_header(Elf *elf, struct frame_section *ret)
{
	size_t n_headers;

	if (elf_getphdrnum(elf, &n_headers))
		return false;
	for (size_t i = 0; i < n_headers && i < INT_MAX; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_GNU_EH_FRAME ||
		    header.p_offset > INT64_MAX)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header.p_offset, 8, ELF_T_BYTE);
		const uint8_t *bytes = data ? data->d_buf : NULL;
		if (!bytes || bytes[0] != 1 || bytes[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
			return false;
		return find_in_segments(elf, header.p_vaddr + 4 + read_number(bytes + 4, 4, true),
					ret);
	}
	return false;
}

static bool find_frames(Elf *elf, struct frame_section *ret)
{
	size_t ident_size;
	GElf_Ehdr header;

	ret->ident = (const uint8_t *)elf_getident(elf, &ident_size);
	if (!ret->ident || ident_size < EI_NIDENT || !gelf_getehdr(elf, &header) ||
	    header.e_type == ET_REL)
		return false;
	if (ret->ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return false;
	ret->addr_size = ret->ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	return find_by_section(elf, ret) || find_by_header(elf, ret);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct fde_range *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

int fde_ranges_init(struct fde_ranges *ranges, Elf *elf)
{
	struct frame_section section;
	int err;

	*ranges = (struct fde_ranges){ 0 };
	if (!find_frames(elf, &section))
		return 0;
	err = read_entries(ranges, &section);
	if (err) {
		fde_ranges_deinit(ranges);
		return err;
	}
	if (ranges->n_ranges)
		qsort(ranges->ranges, ranges->n_ranges, sizeof(*ranges->ranges), compare_ranges);
	return 0;
}

/* How many begin at @vaddr or before. */
static size_t count_until(const struct fde_ranges *ranges, uint64_t vaddr)
{
	size_t low = 0, high = ranges->n_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->ranges[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct fde_range *fde_ranges_find(const struct fde_ranges *ranges, uint64_t vaddr)
{
	size_t n = count_until(ranges, vaddr);

	return n && vaddr < ranges->ranges[n - 1].end ? &ranges->ranges[n - 1] : NULL;
}

const struct fde_range *fde_ranges_next(const struct fde_ranges *ranges, uint64_t vaddr)
{
	size_t n = count_until(ranges, vaddr);

	return n < ranges->n_ranges ? &ranges->ranges[n] : NULL;
}
