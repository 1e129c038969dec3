#include "cct/paths/sample_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/paths/row_weights.h"

#define DIGIT_BITS 8

/* A row while rows are sorted. */
struct place {
	uint64_t time;
	uint32_t row, group;
};

/* -- sorting -------------------------------------------------------------------------------- */

/* Sorts by a digit of the time; those with the same one keep their order. */
static void sort_by_digit(const struct place *from, struct place *to, size_t n, unsigned shift)
{
	size_t next[1u << DIGIT_BITS] = { 0 }, at = 0;

	for (size_t i = 0; i < n; i++)
		next[(uint8_t)(from[i].time >> shift)]++;
	for (size_t digit = 0; digit < 1u << DIGIT_BITS; digit++) {
		const size_t n_of_digit = next[digit];

		next[digit] = at;
		at += n_of_digit;
	}
	for (size_t i = 0; i < n; i++)
		to[next[(uint8_t)(from[i].time >> shift)]++] = from[i];
}

/* By time, then as they were: by digits from the last on, which are few for the times of a
 * recording (Knuth, The Art of Computer Programming, volume 3, section 5.2.5, algorithm R).
 * @places: of the heap; another array then. 0 or -ENOMEM. */
static int sort_places(struct place **places, size_t n)
{
	struct place *others = malloc((n + 1) * sizeof(*others));
	uint64_t differences = 0;

	if (!others)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		differences |= (*places)[i].time ^ (*places)[0].time;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct place *from = *places;

		if (!(uint8_t)(differences >> shift))
			continue;
		sort_by_digit(from, others, n, shift);
		*places = others;
		others = from;
	}
	free(others);
	return 0;
}

/* -- rows ----------------------------------------------------------------------------------- */

/* Those that a selection leaves out are the root's. */
static uint32_t group_of_row(const struct sample_list *list, const uint32_t *group_of, uint32_t row)
{
	const uint32_t node = list->profile->rows->rows[row].node;

	return group_of ? group_of[node] : node == CCT_ROOT ? UINT32_MAX : 0;
}

/* Counts the rows of each group, and finds where it begins. */
static void find_groups(struct sample_list *list, const uint32_t *group_of, uint32_t n_groups)
{
	for (uint32_t i = 0; i < list->profile->rows->n_rows; i++) {
		const uint32_t group = group_of_row(list, group_of, i);

		if (group != UINT32_MAX)
			list->first[group + 1]++;
	}
	for (uint32_t group = 0; group < n_groups; group++)
		list->first[group + 1] += list->first[group];
	list->n = list->first[n_groups];
}

/* 0 or -ENOMEM. */
static int sort_rows(struct sample_list *list, const uint32_t *group_of, uint32_t n_groups)
{
	const struct sample_rows *rows = list->profile->rows;
	_cleanup_free_ struct place *places = calloc(list->n + 1, sizeof(*places));
	_cleanup_free_ uint32_t *next = calloc(n_groups + 1u, sizeof(*next));
	size_t n = 0;

	if (!places || !next)
		return -ENOMEM;
	memcpy(next, list->first, n_groups * sizeof(*next));
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const uint32_t group = group_of_row(list, group_of, i);

		if (group != UINT32_MAX)
			places[n++] = (struct place){ rows->rows[i].time, i, group };
	}
	int err = sort_places(&places, n);
	for (size_t i = 0; !err && i < n; i++)
		list->rows[next[places[i].group]++] = places[i].row;
	return err;
}

static int list_rows(struct sample_list *list, const uint32_t *group_of, uint32_t n_groups)
{
	list->first = calloc(n_groups + 1u, sizeof(*list->first));
	list->rows = calloc(list->profile->rows->n_rows + 1u, sizeof(*list->rows));
	if (!list->first || !list->rows)
		return -ENOMEM;
	find_groups(list, group_of, n_groups);
	int err = sort_rows(list, group_of, n_groups);
	return err ? err : row_weights_create(list->profile, &list->weights);
}

/* -- costs ---------------------------------------------------------------------------------- */

/* The root has what is not selected. */
static int list_costs(struct sample_list *list)
{
	const struct cct *cct = list->profile->cct;
	const size_t n = (size_t)cct->n_nodes * cct->n_metrics;
	size_t n_used = 0;

	for (size_t i = cct->n_metrics; i < n; i++)
		n_used += cct->costs[i].samples != 0;
	list->costs = calloc(n_used + 1, sizeof(*list->costs));
	if (!list->costs)
		return -ENOMEM;
	for (size_t i = cct->n_metrics; i < n; i++) {
		if (cct->costs[i].samples)
			list->costs[list->n++] = i;
	}
	return 0;
}

/* -- the list ------------------------------------------------------------------------------- */

int sample_list_init(struct sample_list *list, const struct profile *profile)
{
	*list = (struct sample_list){ .profile = profile };
	return profile->rows ? list_rows(list, NULL, 1) : list_costs(list);
}

int sample_list_init_groups(struct sample_list *list, const struct profile *profile,
			    const uint32_t *group_of, uint32_t n_groups)
{
	*list = (struct sample_list){ .profile = profile };
	return list_rows(list, group_of, n_groups);
}

void sample_list_deinit(struct sample_list *list)
{
	free(list->rows);
	free(list->costs);
	free(list->first);
	free(list->weights);
}

static struct listed_sample get_row(const struct sample_list *list, uint32_t number)
{
	const struct sample_rows *rows = list->profile->rows;
	const struct sample_row *row = &rows->rows[number];
	const struct row_task *task = &rows->tasks[row->task];
	const struct profile *profile = list->profile;
	const bool has_thread = task->thread < profile->n_threads;

	return (struct listed_sample){
		.time_ns = row->time * 1000,
		.weight = sample_list_weight(list, number),
		.samples = sample_rows_samples_of(rows, number),
		.node = row->node,
		.metric = row->metric,
		.cpu = row->cpu,
		.pid = task->pid,
		.tid = task->tid,
		.process = has_thread ? profile->threads[task->thread].process : UINT32_MAX,
		.thread = has_thread ? task->thread : UINT32_MAX,
		.thread_name = rows->names.strings[task->thread_name],
	};
}

/* The main thread where the profile is not by thread. */
static void find_task(const struct profile *profile, struct listed_sample *sample)
{
	const struct cct *cct = profile->cct;

	for (uint32_t node = sample->node; node != CCT_ROOT; node = cct->nodes[node].parent) {
		const struct frame *frame = cct_frame(cct, node);

		if (frame->kind == FRAME_THREAD && frame->offset < profile->n_threads) {
			sample->thread = (uint32_t)frame->offset;
			sample->tid = profile->threads[frame->offset].tid;
			sample->thread_name = profile->threads[frame->offset].name;
		}
		if (frame->kind != FRAME_PROCESS || frame->offset >= profile->n_processes)
			continue;
		sample->process = (uint32_t)frame->offset;
		sample->pid = profile->processes[frame->offset].pid;
		if (!sample->thread_name) {
			sample->tid = sample->pid;
			sample->thread_name = profile->processes[frame->offset].name;
		}
	}
}

static struct listed_sample get_cost(const struct sample_list *list, uint64_t number)
{
	const struct cct *cct = list->profile->cct;
	const struct cct_cost *cost = &cct->costs[number];
	struct listed_sample sample = {
		.weight = cost->weight,
		.samples = cost->samples,
		.node = (uint32_t)(number / cct->n_metrics),
		.metric = (uint32_t)(number % cct->n_metrics),
		.cpu = UINT32_MAX,
		.pid = -1,
		.tid = -1,
		.process = UINT32_MAX,
		.thread = UINT32_MAX,
	};

	find_task(list->profile, &sample);
	return sample;
}

struct listed_sample sample_list_get(const struct sample_list *list, size_t i)
{
	return list->profile->rows ? get_row(list, list->rows[i]) : get_cost(list, list->costs[i]);
}
