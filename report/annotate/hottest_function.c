#include "report/annotate/hottest_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

/* Costs by the symbolizer's number of the function. */
struct sums {
	uint64_t *by_function;
	size_t n;
};

static int add(struct sums *sums, uint32_t function, uint64_t cost)
{
	size_t n = sums->n;

	if (function >= n) {
		if (array_reserve(sums->by_function, n, sums->n, function + 1 - n))
			return -ENOMEM;
		memset(sums->by_function + n, 0, (sums->n - n) * sizeof(*sums->by_function));
	}
	sums->by_function[function] += cost;
	return 0;
}

bool hottest_function_find(const struct profile *profile, struct symbolizer *symbolizer,
			   uint32_t metric, struct hottest_function *ret)
{
	const struct cct *cct = profile->cct;
	struct sums sums = { .by_function = NULL };
	bool is_found = false;

	for (uint32_t i = 0; i < cct->n_nodes; i++) {
		const struct frame *frame = cct_frame(cct, i);
		uint64_t cost = cct_cost(cct, i, metric)->weight;
		const struct frame_name *names;
		size_t n_names;

		if (!cost || (frame->kind != FRAME_USER && frame->kind != FRAME_KERNEL))
			continue;
		if (symbolizer_expand(symbolizer, frame, &names, &n_names))
			break;
		const struct frame_name *innermost = &names[n_names - 1];
		if (add(&sums, innermost->function, cost))
			break;
		if (is_found && sums.by_function[innermost->function] <= ret->self)
			continue;
		*ret = (struct hottest_function){ *innermost,
						  sums.by_function[innermost->function] };
		is_found = true;
	}
	free(sums.by_function);
	return is_found;
}
