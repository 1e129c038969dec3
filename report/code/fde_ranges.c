#include "report/code/fde_ranges.h"

#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
#include "cct/code/start_order.h"

/* Tables have few entries without code, or none; a made-up file may have nothing else. */
#define MAX_EMPTY 16

void fde_ranges_deinit(struct fde_ranges *ranges)
{
	free(ranges->ranges);
	*ranges = (struct fde_ranges){ 0 };
}

static int add_range(struct fde_ranges *ranges, const struct fde_range *range)
{
	if (array_reserve(ranges->ranges, ranges->n_ranges, ranges->n_allocated, 1))
		return -ENOMEM;
	ranges->ranges[ranges->n_ranges++] = *range;
	return 0;
}

static int read_entries(struct fde_ranges *ranges)
{
	struct eh_frame_walk walk = { .frames = &ranges->frames };

	while (eh_frame_next(&walk)) {
		const struct fde_range range = { walk.fde.start, walk.fde.end };

		if (range.end > range.start && add_range(ranges, &range))
			return -ENOMEM;
	}
	return 0;
}

/*
 * Whether the file can be used: addresses in object files are not final, and files of
 * the other byte order are left out, so that their functions are found by symbols alone.
 */
static bool has_frames(Elf *elf, struct eh_frame *frames)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_type != ET_REL &&
	       header.e_ident[EI_DATA] ==
		       (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) &&
	       !eh_frame_open(elf, EH_FRAME, frames);
}

int fde_ranges_init(struct fde_ranges *ranges, Elf *elf)
{
	*ranges = (struct fde_ranges){ 0 };
	if (!has_frames(elf, &ranges->frames) || ranges->frames.n_header_entries)
		return 0;
	int err = read_entries(ranges);
	if (!err)
		err = sort_by_start(ranges->ranges, ranges->n_ranges, sizeof(*ranges->ranges));
	if (err)
		fde_ranges_deinit(ranges);
	return err;
}

/* false: the table's entry describes no code. */
static bool read_listed(const struct eh_frame *frames, size_t i, struct fde_range *range_ret)
{
	struct fde fde;

	if (eh_frame_read(frames, eh_frame_listed_at(frames, i), &fde))
		return false;
	*range_ret = (struct fde_range){ fde.start, fde.end };
	return fde.end > fde.start;
}

static bool find_listed(const struct eh_frame *frames, uint64_t vaddr, struct fde_range *range_ret)
{
	size_t i = eh_frame_count_listed(frames, vaddr);

	for (unsigned n = 0; i && n < MAX_EMPTY; n++) {
		if (read_listed(frames, --i, range_ret))
			return vaddr >= range_ret->start && vaddr < range_ret->end;
	}
	return false;
}

static bool find_next_listed(const struct eh_frame *frames, uint64_t vaddr, uint64_t *start_ret)
{
	size_t i = eh_frame_count_listed(frames, vaddr);
	struct fde_range range;

	for (unsigned n = 0; i < frames->n_header_entries && n < MAX_EMPTY; n++, i++) {
		if (read_listed(frames, i, &range) && range.start > vaddr) {
			*start_ret = range.start;
			return true;
		}
	}
	return false;
}

/* The number of ranges that begin at or before @vaddr. */
static size_t count_until(const struct fde_ranges *ranges, uint64_t vaddr)
{
	return sorted_count(ranges->n_ranges, i, ranges->ranges[i].start <= vaddr);
}

bool fde_ranges_find(const struct fde_ranges *ranges, uint64_t vaddr, struct fde_range *range_ret)
{
	if (ranges->frames.n_header_entries)
		return find_listed(&ranges->frames, vaddr, range_ret);
	const size_t n = count_until(ranges, vaddr);
	if (!n || vaddr >= ranges->ranges[n - 1].end)
		return false;
	*range_ret = ranges->ranges[n - 1];
	return true;
}

bool fde_ranges_next(const struct fde_ranges *ranges, uint64_t vaddr, uint64_t *start_ret)
{
	if (ranges->frames.n_header_entries)
		return find_next_listed(&ranges->frames, vaddr, start_ret);
	const size_t n = count_until(ranges, vaddr);
	if (n < ranges->n_ranges)
		*start_ret = ranges->ranges[n].start;
	return n < ranges->n_ranges;
}
