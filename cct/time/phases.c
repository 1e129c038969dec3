#include "cct/time/phases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"

void phases_deinit(struct phases *phases)
{
	for (uint32_t i = 0; i < phases->n; i++)
		free(phases->phases[i].name);
	free(phases->phases);
	*phases = (struct phases){ .n = 0 };
}

static int begin(struct phases *phases, const char *name, uint64_t time_ns)
{
	char *copy = strdup(name);

	if (!copy || array_reserve_one(phases->phases, phases->n)) {
		free(copy);
		return -ENOMEM;
	}
	phases->phases[phases->n++] = (struct phase){ .name = copy, .start_ns = time_ns };
	return 0;
}

int phases_mark(struct phases *phases, const char *name, uint64_t time_ns)
{
	if (time_ns < phases->last_ns || !time_ns || strlen(name) > PHASE_NAME_SIZE_MAX)
		return -EINVAL;
	phases->last_ns = time_ns;
	if (phases->n && !phases->phases[phases->n - 1].end_ns)
		phases->phases[phases->n - 1].end_ns = time_ns;
	return *name && phases->n < PHASES_MAX ? begin(phases, name, time_ns) : 0;
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

bool phases_are_ahead(const struct phases *phases, uint64_t start_ns, uint64_t microseconds)
{
	return !phases->n || microseconds < first_microsecond(start_ns, phases->phases[0].start_ns);
}

uint32_t phases_find(const struct phases *phases, uint64_t start_ns, uint64_t microseconds)
{
	uint32_t from = 0, to = phases->n; /* the number of phases that have begun is in between */

	while (from < to) {
		const uint32_t middle = from + (to - from) / 2;

		if (first_microsecond(start_ns, phases->phases[middle].start_ns) <= microseconds)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return PHASE_NONE;
	const struct phase *phase = &phases->phases[from - 1];
	if (phase->end_ns && first_microsecond(start_ns, phase->end_ns) <= microseconds)
		return PHASE_NONE;
	return from - 1;
}
