/* Parts are ranges of the file. Some are rewritten; all are sorted and joined before they are
 * written. */
#include "collector/debug-unwind/elf_parts.h"

#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cct/base/array.h"
#include "cct/base/hex.h"
#include "cct/object/elf_image.h"
#include "cct/object/go/go_pclntab.h"
#include "unwind/cfi/fde.h"

#define PAGE         4096
#define NOTES_MAX    4096
#define PACKED_MAX   (1u << 20) /* of a compressed section, which is needed as a whole */
#define LINE_SIZE    32         /* bytes */
#define ENTRY_SPAN   256        /* of an entry function, where all CFI matters */
#define GAP_MIN      64         /* smaller ones are kept */
#define CODE_SPAN    16         /* around an address, that may be known code */
#define LARGE_ACCESS 8192

/* A section of CFI, and which of its entries are needed. */
struct frames {
	const uint8_t *bytes;
	uint64_t offset, size, vaddr; /* as in the file */
	bool is_debug_frame;
	struct fde_table *fdes; /* NULL: no such section */
	struct fde *needed;
	size_t n_needed, n_allocated;
};

/* The resulting file: a copy, and the parts of it to write. */
struct elf_parts {
	Elf *elf;
	const uint8_t *file;
	uint8_t *copy;
	uint8_t *is_needed; /* a byte for each of the file's */
	size_t size;
	uint64_t entry;
	struct elf_segments segments;
	struct frames eh_frame, debug_frame;
	struct go_pclntab *go_pclntab; /* NULL: no Go program */
};

static bool keep(struct elf_parts *parts, uint64_t offset, uint64_t size)
{
	if (offset > parts->size || parts->size - offset < size)
		return false;
	memcpy(parts->copy + offset, parts->file + offset, size);
	memset(parts->is_needed + offset, 1, size);
	return true;
}

/* The build ID. What other notes say, of kernels and compilers, is left out. */
static void keep_notes(struct elf_parts *parts, const GElf_Phdr *segment)
{
	Elf_Data *data = elf_getdata_rawchunk(parts->elf, (int64_t)segment->p_offset,
					      segment->p_filesz, ELF_T_NHDR);
	size_t at = 0, name, desc, next;
	GElf_Nhdr note;

	for (; data && (next = gelf_getnote(data, at, &note, &name, &desc)) > 0; at = next) {
		bool is_build_id = note.n_type == NT_GNU_BUILD_ID;

		keep(parts, segment->p_offset + at, (is_build_id ? next : at + sizeof(note)) - at);
	}
}

static void keep_headers(struct elf_parts *parts)
{
	size_t n_sections = 0, names = 0, i = 0;
	bool is_64 = gelf_getclass(parts->elf) == ELFCLASS64;
	GElf_Ehdr header;
	GElf_Shdr section;
	GElf_Phdr segment;

	gelf_getehdr(parts->elf, &header);
	parts->entry = header.e_entry;
	keep(parts, 0, is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	keep(parts, header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize);
	if (!elf_getshdrnum(parts->elf, &n_sections))
		keep(parts, header.e_shoff, n_sections * header.e_shentsize);
	if (!elf_getshdrstrndx(parts->elf, &names) &&
	    gelf_getshdr(elf_getscn(parts->elf, names), &section))
		keep(parts, section.sh_offset, section.sh_size);
	while (elf_next_segment(parts->elf, &i, &segment))
		if (segment.p_type == PT_NOTE && segment.p_filesz <= NOTES_MAX)
			keep_notes(parts, &segment);
}

static void frames_open(struct elf_parts *parts, bool is_debug_frame, struct frames *frames)
{
	struct elf_section section;
	const GElf_Shdr *header = &section.header;

	frames->is_debug_frame = is_debug_frame;
	if (!elf_find_section(parts->elf, is_debug_frame ? ".debug_frame" : ".eh_frame",
			      &section) ||
	    header->sh_flags & SHF_COMPRESSED)
		return;
	const uint8_t *bytes = elf_file_bytes(parts->elf, header->sh_offset, header->sh_size);
	if (!bytes)
		return;
	frames->offset = header->sh_offset;
	frames->size = header->sh_size;
	frames->vaddr = header->sh_addr;
	frames->bytes = bytes;
	fde_table_create(parts->elf, is_debug_frame ? DEBUG_FRAME : EH_FRAME, &frames->fdes);
}

static int need(struct frames *frames, const struct fde *fde)
{
	for (size_t i = 0; i < frames->n_needed; i++)
		if (frames->needed[i].at == fde->at)
			return 0;
	if (array_reserve(frames->needed, frames->n_needed, frames->n_allocated, 1))
		return -ENOMEM;
	frames->needed[frames->n_needed++] = *fde;
	return 0;
}

static void keep_around(struct elf_parts *parts, uint64_t offset, uint64_t span)
{
	uint64_t from = offset > span ? offset - span : 0;
	uint64_t to = parts->size - offset > span ? offset + span : parts->size;

	keep(parts, from, to - from);
}

/* The entry for @vaddr, wherever it is; *@found_ret: there is one. */
static int need_rule_at(struct elf_parts *parts, uint64_t vaddr, bool *found_ret)
{
	struct fde fde;

	*found_ret = true;
	if (parts->eh_frame.fdes && !fde_find(parts->eh_frame.fdes, vaddr, &fde))
		return need(&parts->eh_frame, &fde);
	if (parts->debug_frame.fdes && !fde_find(parts->debug_frame.fdes, vaddr, &fde))
		return need(&parts->debug_frame, &fde);
	*found_ret = false;
	return 0;
}

/* false: none of Go's functions. */
static bool keep_go_rule(struct elf_parts *parts, uint64_t vaddr)
{
	struct go_pclntab_range ranges[GO_PCLNTAB_RANGES_MAX];
	size_t n = parts->go_pclntab ? go_pclntab_ranges(parts->go_pclntab, vaddr, ranges) : 0;

	for (size_t i = 0; i < n; i++)
		keep(parts, ranges[i].offset, ranges[i].size);
	return n > 0;
}

/* An entry function is recognized by the lack of CFI from its beginning on. */
static int need_rule(struct elf_parts *parts, uint64_t offset, uint64_t vaddr, uint64_t window)
{
	uint64_t from = parts->entry && vaddr >= parts->entry && vaddr - parts->entry <= ENTRY_SPAN
				? parts->entry
				: vaddr;
	bool is_go = keep_go_rule(parts, vaddr), has_cfi = false;
	int err = 0;

	for (uint64_t at = from; at <= vaddr && !err; at++)
		err = need_rule_at(parts, at, &has_cfi);
	keep_around(parts, offset, is_go || has_cfi ? CODE_SPAN : window);
	return err;
}

static int take_accesses(struct elf_parts *parts, uint32_t id, const struct elf_access_log *log,
			 const uint64_t *windows)
{
	for (size_t i = 0; i < log->n; i++) {
		const struct elf_access *access = &log->accesses[i];
		uint64_t vaddr;

		if (access->module != id)
			continue;
		/* Readers that scan a whole segment do not need all of it. */
		if (access->size > LARGE_ACCESS && windows[i] < access->size)
			continue;
		if (access->size)
			keep(parts, access->offset, access->size);
		else if (elf_segments_to_vaddr(&parts->segments, access->offset, &vaddr) &&
			 need_rule(parts, access->offset, vaddr, windows[i]))
			return -ENOMEM;
	}
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Of the entry at @at, with its length field. */
static uint64_t entry_size(const struct frames *frames, uint64_t at)
{
	uint32_t length;

	memcpy(&length, frames->bytes + at, sizeof(length));
	if (length != UINT32_MAX)
		return length + sizeof(length);
	uint64_t long_length;
	memcpy(&long_length, frames->bytes + at + 4, sizeof(long_length));
	return long_length + 12;
}

/* An entry that nothing refers to fills the gap: a CIE without instructions. */
static void fill_gap(struct elf_parts *parts, const struct frames *frames, uint64_t from,
		     uint64_t to)
{
	struct {
		uint32_t length, id;
		uint8_t rest[5]; /* version, augmentation, factors, return address */
	} __attribute__((packed)) filler = {
		.length = (uint32_t)(to - from - sizeof(uint32_t)),
		.id = frames->is_debug_frame ? UINT32_MAX : 0,
		.rest = { 1, 0, 1, 0x78, 16 },
	};

	if (to - from < GAP_MIN || to - from > UINT32_MAX) {
		keep(parts, frames->offset + from, to - from);
		return;
	}
	memcpy(parts->copy + frames->offset + from, &filler, sizeof(filler));
	memset(parts->is_needed + frames->offset + from, 1, sizeof(filler));
}

/* The needed FDEs and their CIEs at their positions; zeros after the last one end the section. */
static int keep_frames(struct elf_parts *parts, const struct frames *frames)
{
	size_t n = frames->n_needed * 2;
	uint64_t end = 0;
	uint64_t *places = calloc(n + 1, sizeof(*places));
	if (!places)
		return -ENOMEM;

	for (size_t i = 0; i < frames->n_needed; i++) {
		places[2 * i] = frames->needed[i].at;
		places[2 * i + 1] = frames->needed[i].cie_at;
	}
	qsort(places, n, sizeof(*places), compare_numbers);
	for (size_t i = 0; i < n; i++) {
		if (places[i] < end)
			continue;
		if (places[i] > end)
			fill_gap(parts, frames, end, places[i]);
		end = places[i] + entry_size(frames, places[i]);
		keep(parts, frames->offset + places[i], end - places[i]);
	}
	free(places);
	return 0;
}

static int compare_fdes(const void *a, const void *b)
{
	const struct fde *left = a, *right = b;

	return (left->start > right->start) - (left->start < right->start);
}

/* .eh_frame_hdr with a table of the needed entries alone, if it has one of the usual form. */
static void keep_table(struct elf_parts *parts)
{
	static const uint8_t usual[] = { 1, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_udata4,
					 DW_EH_PE_datarel | DW_EH_PE_sdata4 };
	const struct frames *frames = &parts->eh_frame;
	uint32_t n = (uint32_t)frames->n_needed;
	struct elf_section section;

	if (!elf_find_section(parts->elf, ".eh_frame_hdr", &section))
		return;
	const GElf_Shdr header = section.header;
	if (header.sh_size < 12 + 8ull * n || !keep(parts, header.sh_offset, header.sh_size))
		return;
	uint8_t *at = parts->copy + header.sh_offset;
	if (memcmp(at, usual, sizeof(usual)) != 0)
		return;
	memset(at + 8, 0, header.sh_size - 8);
	memset(parts->is_needed + header.sh_offset + 12, 0, header.sh_size - 12);
	memcpy(at + 8, &n, sizeof(n));
	if (n)
		qsort(frames->needed, n, sizeof(*frames->needed), compare_fdes);
	for (uint32_t i = 0; i < n; i++) {
		const struct fde *fde = &frames->needed[i];
		int32_t pair[2] = { (int32_t)(fde->start - header.sh_addr),
				    (int32_t)(frames->vaddr + fde->at - header.sh_addr) };

		memcpy(at + 12 + 8 * i, pair, sizeof(pair));
	}
	memset(parts->is_needed + header.sh_offset, 1, 12 + 8ull * n);
}

/* A compressed section cannot be written in parts. */
static void keep_packed(struct elf_parts *parts)
{
	static const char *const names[] = { ".debug_frame", ".zdebug_frame", ".gnu_debugdata" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct elf_section section;

		if (elf_find_section(parts->elf, names[i], &section) &&
		    section.header.sh_size <= PACKED_MAX &&
		    (i > 0 || section.header.sh_flags & SHF_COMPRESSED))
			keep(parts, section.header.sh_offset, section.header.sh_size);
	}
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

void elf_parts_write(FILE *out, const struct elf_parts *parts)
{
	fprintf(out, "size %zu\n", parts->size);
	for (size_t at = 0; at < parts->size;) {
		size_t end = at;

		while (end < parts->size && end - at < LINE_SIZE && parts->is_needed[end])
			end++;
		if (end == at) {
			at++;
			continue;
		}
		if (is_zero(parts->copy + at, end - at)) {
			at = end;
			continue;
		}
		fprintf(out, "%zx ", at);
		hex_write(out, parts->copy + at, end - at);
		at = end;
		fputc('\n', out);
	}
}

static int collect(struct elf_parts *parts, uint32_t id, const struct elf_access_log *log,
		   const uint64_t *windows)
{
	parts->copy = calloc(1, parts->size);
	parts->is_needed = calloc(1, parts->size);
	if (!parts->copy || !parts->is_needed || elf_segments_init(&parts->segments, parts->elf))
		return -ENOMEM;
	keep_headers(parts);
	frames_open(parts, false, &parts->eh_frame);
	frames_open(parts, true, &parts->debug_frame);
	parts->go_pclntab = go_pclntab_create(parts->elf);
	int err = take_accesses(parts, id, log, windows);
	if (!err && parts->eh_frame.fdes)
		err = keep_frames(parts, &parts->eh_frame);
	if (!err && parts->debug_frame.fdes)
		err = keep_frames(parts, &parts->debug_frame);
	if (err)
		return err;
	keep_table(parts);
	keep_packed(parts);
	return 0;
}

int elf_parts_create(Elf *elf, uint32_t id, const struct elf_access_log *log,
		     const uint64_t *windows, struct elf_parts **parts_ret)
{
	struct elf_parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	parts->elf = elf;
	parts->file = (const uint8_t *)elf_rawfile(elf, &parts->size);
	int err = parts->file ? collect(parts, id, log, windows) : -ENOEXEC;
	if (err) {
		elf_parts_destroy(parts);
		return err;
	}
	*parts_ret = parts;
	return 0;
}

void elf_parts_destroy(struct elf_parts *parts)
{
	if (!parts)
		return;
	elf_segments_deinit(&parts->segments);
	fde_table_destroy(parts->eh_frame.fdes);
	fde_table_destroy(parts->debug_frame.fdes);
	go_pclntab_destroy(parts->go_pclntab);
	free(parts->eh_frame.needed);
	free(parts->debug_frame.needed);
	free(parts->copy);
	free(parts->is_needed);
	free(parts);
}

/* Pages of zeros are not written: the original may be large. */
int elf_parts_image(const struct elf_parts *parts)
{
	int fd = memfd_create("parts", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)parts->size) != 0)
		goto failed;
	for (size_t at = 0; at < parts->size; at += PAGE) {
		size_t n = parts->size - at < PAGE ? parts->size - at : PAGE;

		if (!is_zero(parts->copy + at, n) &&
		    pwrite(fd, parts->copy + at, n, (off_t)at) != (ssize_t)n)
			goto failed;
	}
	return fd;
failed:;
	int err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}
