#include "report/annotate/hottest_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

/* By the symbolizer's number of the function; without cost the name is not set. */
struct sums {
	struct hottest_function *by_function;
	size_t n;
};

static int add(struct sums *sums, const struct frame_name *name, uint64_t cost)
{
	const size_t n = sums->n;

	if (name->function >= n) {
		if (array_reserve(sums->by_function, n, sums->n, name->function + 1 - n))
			return -ENOMEM;
		memset(sums->by_function + n, 0, (sums->n - n) * sizeof(*sums->by_function));
	}
	sums->by_function[name->function].name = *name;
	sums->by_function[name->function].self += cost;
	return 0;
}

/* Adds the self costs of all functions. */
static int add_up(struct sums *sums, const struct profile *profile, struct symbolizer *symbolizer,
		  uint32_t metric)
{
	const struct cct *cct = profile->cct;
	int err = 0;

	for (uint32_t i = 0; i < cct->n_nodes && !err; i++) {
		const struct frame *frame = cct_frame(cct, i);
		uint64_t cost = cct_cost(cct, i, metric)->weight;
		const struct frame_name *names;
		size_t n_names;

		if (!cost || (frame->kind != FRAME_USER && frame->kind != FRAME_KERNEL))
			continue;
		err = symbolizer_expand(symbolizer, frame, &names, &n_names);
		if (!err && n_names)
			err = add(sums, &names[n_names - 1], cost);
	}
	return err;
}

/* Puts a function at its place among the @n hottest ones. How many these are then. */
static size_t insert(struct hottest_function *hottest, size_t n, size_t max,
		     const struct hottest_function *function)
{
	size_t at = n;

	while (at && hottest[at - 1].self < function->self)
		at--;
	if (at == max)
		return n;
	if (n < max)
		n++;
	memmove(&hottest[at + 1], &hottest[at], (n - at - 1) * sizeof(*hottest));
	hottest[at] = *function;
	return n;
}

int hottest_functions_find(const struct profile *profile, struct symbolizer *symbolizer,
			   uint32_t metric, const struct hottest_limits *limits,
			   struct hottest_function *hottest, size_t *n_ret)
{
	struct sums sums = { 0 };
	int err = add_up(&sums, profile, symbolizer, metric);
	size_t n = 0;

	for (size_t i = 0; i < sums.n && !err; i++) {
		const struct hottest_function *function = &sums.by_function[i];

		if (function->self && function->self >= limits->least)
			n = insert(hottest, n, limits->max, function);
	}
	free(sums.by_function);
	if (!err)
		*n_ret = n;
	return err;
}
