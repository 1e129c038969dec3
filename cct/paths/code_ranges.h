/*
 * Made-up addresses for the code of a profile: frames have offsets in files, and formats of other
 * programs have addresses and mappings. Each module gets a range of addresses for the pages of its
 * file that frames need; ranges do not overlap.
 */
#ifndef CCT_PATHS_CODE_RANGES_H
#define CCT_PATHS_CODE_RANGES_H

#include "cct/model/profile.h"

#define CODE_RANGES_PAGE UINT64_C(4096)

/* [start, start + size) is the module's file from @offset on. */
struct code_range {
	uint64_t start, offset, size; /* of whole pages; size 0: no frame is there */
};

/*
 * By module ID, from the address @start on, which is at a page. @gap: 0; or a power of two: ranges
 * are where their whole files would fit, and so far apart at least. Heap; NULL: out of memory.
 */
struct code_range *code_ranges_create(const struct profile *profile, uint64_t start, uint64_t gap);
/* Whether the frame is code, which has a module and an offset. */
static inline bool code_ranges_have(const struct frame *frame)
{
	return frame->kind == FRAME_USER || frame->kind == FRAME_KERNEL;
}
static inline uint64_t code_range_address(const struct code_range *range, uint64_t offset)
{
	return range->start + (offset - range->offset);
}

#endif
