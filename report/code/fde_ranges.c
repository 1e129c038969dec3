#include "report/code/fde_ranges.h"

#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/sorted.h"
#include "cct/code/start_order.h"
#include "cct/object/eh_frame.h"

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

static int read_entries(struct fde_ranges *ranges, const struct eh_frame *frames)
{
	struct eh_frame_walk walk = { .frames = frames };

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
	struct eh_frame frames;

	*ranges = (struct fde_ranges){ 0 };
	if (!has_frames(elf, &frames))
		return 0;
	int err = read_entries(ranges, &frames);
	if (!err)
		err = sort_by_start(ranges->ranges, ranges->n_ranges, sizeof(*ranges->ranges));
	if (err)
		fde_ranges_deinit(ranges);
	return err;
}

/* The number of ranges that begin at or before @vaddr. */
static size_t count_until(const struct fde_ranges *ranges, uint64_t vaddr)
{
	return sorted_count(ranges->n_ranges, i, ranges->ranges[i].start <= vaddr);
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
