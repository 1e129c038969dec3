#include "cct/encoding/sorted_frames.h"

#include <errno.h>
#include <stdlib.h>

static int compare_frames(const void *a, const void *b, void *context)
{
	const struct frame *frames = context;
	const struct frame *x = &frames[*(const uint32_t *)a], *y = &frames[*(const uint32_t *)b];

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

void sorted_frames_deinit(struct sorted_frames *sorted)
{
	free(sorted->numbers);
	free(sorted->indices);
}

int sorted_frames_init(struct sorted_frames *sorted, const struct cct *cct)
{
	const uint32_t n_frames = cct->frames.n_frames;

	*sorted = (struct sorted_frames){
		.numbers = calloc(n_frames, sizeof(*sorted->numbers)),
		.indices = calloc(n_frames, sizeof(*sorted->indices)),
	};
	if (!sorted->numbers || !sorted->indices) {
		sorted_frames_deinit(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 1; i < cct->n_nodes; i++)
		sorted->indices[cct->nodes[i].frame] = 1;
	for (uint32_t number = 0; number < n_frames; number++) {
		if (sorted->indices[number])
			sorted->numbers[sorted->n++] = number;
	}
	qsort_r(sorted->numbers, sorted->n, sizeof(*sorted->numbers), compare_frames,
		cct->frames.frames);
	for (uint32_t i = 0; i < sorted->n; i++)
		sorted->indices[sorted->numbers[i]] = i;
	return 0;
}
