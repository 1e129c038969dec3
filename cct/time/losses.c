#include "cct/time/losses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cct/base/compare.h"

#define FIRST_DISTANCE_NS 1000000

void losses_deinit(struct losses *losses)
{
	free(losses->losses);
	*losses = (struct losses){ .n = 0 };
}

static int compare_times(const struct loss *a, const struct loss *b)
{
	int order = compare_numbers(a->start_ns, b->start_ns);

	return order ? order : compare_numbers(a->end_ns, b->end_ns);
}

/* By kind and CPU first. */
static int compare_sources(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;
	int order = compare_numbers(x->kind, y->kind);

	if (!order)
		order = compare_numbers(x->cpu, y->cpu);
	return order ? order : compare_times(x, y);
}

static int compare(const void *a, const void *b)
{
	const struct loss *x = a, *y = b;
	int order = compare_times(x, y);

	if (!order)
		order = compare_numbers(x->kind, y->kind);
	return order ? order : compare_numbers(x->cpu, y->cpu);
}

/* Whether @next, which is sorted behind @loss by compare_sources(), is to become a part of it. */
static bool is_near(const struct loss *loss, const struct loss *next, uint64_t distance_ns)
{
	return loss->kind == next->kind && loss->cpu == next->cpu &&
	       (next->start_ns <= loss->end_ns || next->start_ns - loss->end_ns <= distance_ns);
}

static void join(struct losses *losses, uint64_t distance_ns)
{
	struct loss *all = losses->losses;
	size_t n = 0;

	qsort(all, losses->n, sizeof(*all), compare_sources);
	for (size_t i = 1; i < losses->n; i++) {
		if (!is_near(&all[n], &all[i], distance_ns)) {
			all[++n] = all[i];
			continue;
		}
		if (all[i].end_ns > all[n].end_ns)
			all[n].end_ns = all[i].end_ns;
		if (__builtin_add_overflow(all[n].n, all[i].n, &all[n].n))
			all[n].n = UINT64_MAX;
	}
	losses->n = n + 1;
}

/* Half of them, so that it is seldom done. Of more CPUs than that, none is kept. */
static void make_room(struct losses *losses)
{
	uint64_t distance_ns = FIRST_DISTANCE_NS;

	while (losses->n > LOSSES_MAX / 2 && distance_ns < UINT64_MAX / 2) {
		join(losses, distance_ns);
		distance_ns *= 2;
	}
	if (losses->n <= LOSSES_MAX / 2)
		return;
	for (size_t i = 0; i < losses->n; i++)
		losses->losses[i].cpu = LOSS_NO_CPU;
	join(losses, distance_ns);
}

int losses_add(struct losses *losses, const struct loss *loss)
{
	if (losses->n == LOSSES_MAX)
		make_room(losses);
	if (!losses->losses)
		losses->losses = malloc(LOSSES_MAX * sizeof(*losses->losses));
	if (!losses->losses)
		return -ENOMEM;
	losses->losses[losses->n++] = *loss;
	return 0;
}

void losses_sort(struct losses *losses)
{
	if (losses->n)
		qsort(losses->losses, losses->n, sizeof(*losses->losses), compare);
}

const char *loss_kind_name(enum loss_kind kind)
{
	return kind == LOSS_OF_SAMPLES ? "lost" : "throttled";
}
