#include "cct/time/phases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/compare.h"
#include "cct/base/sorted.h"

void phases_deinit(struct phases *phases)
{
	for (uint32_t i = 0; i < phases->n; i++)
		free(phases->phases[i].name);
	free(phases->phases);
	*phases = (struct phases){ .n = 0 };
}

int phases_add(struct phases *phases, const struct phase *phase)
{
	struct phase added = *phase;

	added.name = strdup(phase->name);
	if (!added.name || array_reserve_one(phases->phases, phases->n)) {
		free(added.name);
		return -ENOMEM;
	}
	phases->phases[phases->n++] = added;
	return 0;
}

int phases_mark(struct phases *phases, const char *name, uint64_t time_ns)
{
	if (time_ns < phases->last_ns || !time_ns || strlen(name) > PHASE_NAME_SIZE_MAX)
		return -EINVAL;
	phases->last_ns = time_ns;
	if (phases->n && !phases->phases[phases->n - 1].end_ns)
		phases->phases[phases->n - 1].end_ns = time_ns;
	if (!*name || phases->n >= PHASES_MAX)
		return 0;
	return phases_add(phases, &(struct phase){ .name = (char *)name, .start_ns = time_ns });
}

int phases_compare(const struct phase *a, const struct phase *b)
{
	int order = compare_numbers(a->run, b->run);

	if (!order)
		order = compare_numbers(a->start_ns, b->start_ns);
	if (!order)
		order = compare_numbers(a->end_ns, b->end_ns);
	return order ? order : strcmp(a->name, b->name);
}

static int compare_for_sort(const void *a, const void *b)
{
	return phases_compare(a, b);
}

void phases_sort(struct phases *phases)
{
	uint32_t n = 0;

	if (phases->n)
		qsort(phases->phases, phases->n, sizeof(*phases->phases), compare_for_sort);
	for (uint32_t i = 0; i < phases->n; i++) {
		if (n && !phases_compare(&phases->phases[n - 1], &phases->phases[i]))
			free(phases->phases[i].name);
		else
			phases->phases[n++] = phases->phases[i];
	}
	phases->n = n;
}

uint64_t phases_end_ns(const struct phases *phases, uint32_t index, uint64_t run_end_ns)
{
	const struct phase *phase = &phases->phases[index];

	if (phase->end_ns)
		return phase->end_ns;
	return run_end_ns > phase->start_ns ? run_end_ns : phase->start_ns;
}

/* The first microsecond that begins at or after @time_ns. */
static uint64_t first_microsecond(uint64_t start_ns, uint64_t time_ns)
{
	return time_ns > start_ns ? (time_ns - start_ns - 1) / 1000 + 1 : 0;
}

/* How many phases have begun at that microsecond, of the runs up to this one; *@first_ret: of those
 * before it. */
static uint32_t count_begun(const struct phases *phases, uint32_t run, uint64_t start_ns,
			    uint64_t microseconds, uint32_t *first_ret)
{
	const struct phase *all = phases->phases;

	*first_ret = (uint32_t)sorted_count(phases->n, i, all[i].run < run);
	return (uint32_t)sorted_count(
		phases->n, i,
		all[i].run < run || (all[i].run == run &&
				     first_microsecond(start_ns, all[i].start_ns) <= microseconds));
}

bool phases_are_ahead(const struct phases *phases, uint32_t run, uint64_t start_ns,
		      uint64_t microseconds)
{
	uint32_t first;
	const uint32_t n_begun = count_begun(phases, run, start_ns, microseconds, &first);

	return n_begun == first && first < phases->n && phases->phases[first].run == run;
}

static bool is_over(const struct phase *phase, uint64_t start_ns, uint64_t microseconds)
{
	return phase->end_ns && first_microsecond(start_ns, phase->end_ns) <= microseconds;
}

uint32_t phases_find(const struct phases *phases, uint32_t run, uint64_t start_ns,
		     uint64_t microseconds)
{
	uint32_t first;
	const uint32_t n_begun = count_begun(phases, run, start_ns, microseconds, &first);

	if (n_begun == first || is_over(&phases->phases[n_begun - 1], start_ns, microseconds))
		return PHASE_NONE;
	return n_begun - 1;
}

uint64_t phases_since(const struct phases *phases, uint32_t run, uint64_t start_ns,
		      uint64_t microseconds)
{
	uint32_t first;
	const uint32_t n_begun = count_begun(phases, run, start_ns, microseconds, &first);

	if (n_begun == first)
		return 0;
	const struct phase *last = &phases->phases[n_begun - 1];
	return first_microsecond(start_ns, is_over(last, start_ns, microseconds) ? last->end_ns
										 : last->start_ns);
}
