#include "cct/paths/sample_list.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

static int compare_places(const void *a, const void *b)
{
	const struct sample_place *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The event's times in the row's run: those of the whole where rows have no runs. */
static struct metric scale_of(const struct profile *profile, const struct sample_row *row)
{
	const struct sample_rows *rows = profile->rows;

	if (!rows->n_runs || !rows->runs[row->run].times)
		return profile->metrics[row->metric];
	const struct run_times *times = &rows->runs[row->run].times[row->metric];
	return (struct metric){ .time_enabled_ns = times->enabled_ns,
				.time_running_ns = times->running_ns };
}

/* Each row gets what its weight adds to the scaled sum of its node, run and metric, so rounding
 * changes no sum. @sums: [node], all 0 before and after. */
static void scale_rows(struct sample_list *list, uint32_t first, uint32_t end, uint64_t *sums)
{
	const struct sample_row *rows = list->profile->rows->rows;
	const struct metric scale = scale_of(list->profile, &rows[first]);
	const bool is_scaled = list->profile->metrics[rows[first].metric].is_scaled &&
			       metric_can_be_scaled(&scale);

	for (uint32_t i = first; i < end; i++) {
		uint64_t *sum = &sums[rows[i].node];
		const uint64_t before = is_scaled ? metric_scale(&scale, *sum) : *sum;

		*sum += rows[i].weight;
		list->weights[i] = (is_scaled ? metric_scale(&scale, *sum) : *sum) - before;
	}
	for (uint32_t i = first; i < end; i++)
		sums[rows[i].node] = 0;
}

/* Rows of a run and metric are next to each other. */
static int scale_weights(struct sample_list *list)
{
	const struct sample_rows *rows = list->profile->rows;
	_cleanup_free_ uint64_t *sums = calloc(list->profile->cct->n_nodes, sizeof(*sums));
	uint32_t end;

	list->weights = calloc(rows->n_rows + 1u, sizeof(*list->weights));
	if (!sums || !list->weights)
		return -ENOMEM;
	for (uint32_t first = 0; first < rows->n_rows; first = end) {
		end = first + 1;
		while (end < rows->n_rows && rows->rows[end].run == rows->rows[first].run &&
		       rows->rows[end].metric == rows->rows[first].metric)
			end++;
		scale_rows(list, first, end, sums);
	}
	return 0;
}

static bool has_scaled_metric(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->n_metrics; i++) {
		if (profile->metrics[i].is_scaled)
			return true;
	}
	return false;
}

static int list_rows(struct sample_list *list)
{
	const struct sample_rows *rows = list->profile->rows;

	list->places = calloc(rows->n_rows + 1u, sizeof(*list->places));
	if (!list->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		if (rows->rows[i].node != CCT_ROOT)
			list->places[list->n++] = (struct sample_place){ rows->rows[i].time, i };
	}
	qsort(list->places, list->n, sizeof(*list->places), compare_places);
	return has_scaled_metric(list->profile) ? scale_weights(list) : 0;
}

/* The root has what is not selected. */
static int list_costs(struct sample_list *list)
{
	const struct cct *cct = list->profile->cct;
	const size_t n = (size_t)cct->n_nodes * cct->n_metrics;
	size_t n_used = 0;

	for (size_t i = cct->n_metrics; i < n; i++)
		n_used += cct->costs[i].samples != 0;
	list->places = calloc(n_used + 1, sizeof(*list->places));
	if (!list->places)
		return -ENOMEM;
	for (size_t i = cct->n_metrics; i < n; i++) {
		if (cct->costs[i].samples)
			list->places[list->n++] = (struct sample_place){ 0, i };
	}
	return 0;
}

int sample_list_init(struct sample_list *list, const struct profile *profile)
{
	*list = (struct sample_list){ .profile = profile };
	return profile->rows ? list_rows(list) : list_costs(list);
}

void sample_list_deinit(struct sample_list *list)
{
	free(list->places);
	free(list->weights);
}

static struct listed_sample get_row(const struct sample_list *list,
				    const struct sample_place *place)
{
	const struct sample_rows *rows = list->profile->rows;
	const struct sample_row *row = &rows->rows[place->at];
	const struct row_task *task = &rows->tasks[row->task];
	const struct profile *profile = list->profile;
	const bool has_thread = task->thread < profile->n_threads;

	return (struct listed_sample){
		.time_ns = place->time * 1000,
		.weight = list->weights ? list->weights[place->at] : row->weight,
		.samples = sample_rows_samples_of(rows, (uint32_t)place->at),
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

static struct listed_sample get_cost(const struct sample_list *list,
				     const struct sample_place *place)
{
	const struct cct *cct = list->profile->cct;
	const struct cct_cost *cost = &cct->costs[place->at];
	struct listed_sample sample = {
		.weight = cost->weight,
		.samples = cost->samples,
		.node = (uint32_t)(place->at / cct->n_metrics),
		.metric = (uint32_t)(place->at % cct->n_metrics),
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
	return list->profile->rows ? get_row(list, &list->places[i])
				   : get_cost(list, &list->places[i]);
}
