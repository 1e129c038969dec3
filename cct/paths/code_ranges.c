#include "cct/paths/code_ranges.h"

#include <stdlib.h>

static void widen(struct code_range *range, uint64_t offset)
{
	const uint64_t page = offset & ~(CODE_RANGES_PAGE - 1);

	if (!range->size) {
		*range = (struct code_range){ 0, page, CODE_RANGES_PAGE };
	} else if (page < range->offset) {
		range->size += range->offset - page;
		range->offset = page;
	} else if (page - range->offset >= range->size) {
		range->size = page - range->offset + CODE_RANGES_PAGE;
	}
}

static void place(struct code_range *ranges, uint32_t n_modules, uint64_t start, uint64_t gap)
{
	for (uint32_t i = 1; i < n_modules; i++) {
		struct code_range *range = &ranges[i];

		if (gap && range->size)
			start = ((start + gap - 1) & ~(gap - 1)) + range->offset;
		range->start = start;
		start += range->size + (range->size ? gap : 0);
	}
}

struct code_range *code_ranges_create(const struct profile *profile, uint64_t start, uint64_t gap)
{
	const struct cct *cct = profile->cct;
	const uint32_t n_modules = profile->modules.n_modules;
	struct code_range *ranges = calloc(n_modules + UINT64_C(1), sizeof(*ranges));

	for (uint32_t i = 0; ranges && i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);

		if (code_ranges_have(frame))
			widen(&ranges[frame->module], frame->offset);
	}
	if (ranges)
		place(ranges, n_modules, start, gap);
	return ranges;
}
