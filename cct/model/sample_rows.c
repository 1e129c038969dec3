#include "cct/model/sample_rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/time/sample_time.h"

void sample_run_deinit(struct sample_run *run)
{
	free(run->command_line);
	free(run->hostname);
	free(run->times);
}

void sample_rows_deinit(struct sample_rows *rows)
{
	for (uint32_t i = 0; i < rows->n_runs; i++)
		sample_run_deinit(&rows->runs[i]);
	for (uint32_t i = 0; i < rows->n_packed; i++)
		free(rows->packed[i].bytes);
	free(rows->packed);
	free(rows->runs);
	free(rows->sums);
	free(rows->rows);
	free(rows->tasks);
	free(rows->last_tasks);
	string_ids_deinit(&rows->names);
	*rows = (struct sample_rows){ .n_rows = 0 };
}

void sample_rows_destroy(struct sample_rows *rows)
{
	if (!rows)
		return;
	sample_rows_deinit(rows);
	free(rows);
}

static bool is_same_task(const struct sample_rows *rows, const struct row_task *known,
			 const struct row_task *task, const char *thread_name,
			 const char *process_name)
{
	return known->pid == task->pid && known->tid == task->tid &&
	       strcmp(rows->names.strings[known->thread_name], thread_name) == 0 &&
	       strcmp(rows->names.strings[known->process_name], process_name) == 0;
}

static int make_room_for_thread(struct sample_rows *rows, uint32_t thread)
{
	while (rows->n_last_tasks <= thread) {
		if (array_reserve_one(rows->last_tasks, rows->n_last_tasks))
			return -ENOMEM;
		rows->last_tasks[rows->n_last_tasks++] = 0;
	}
	return 0;
}

/* A thread that takes an earlier name again becomes another task: names change rarely. */
int sample_rows_enter_task(struct sample_rows *rows, const struct row_task *task,
			   const char *thread_name, const char *process_name, uint32_t *task_ret)
{
	struct row_task added = *task;
	bool is_new;

	if (make_room_for_thread(rows, task->thread))
		return -ENOMEM;
	uint32_t last = rows->last_tasks[task->thread];
	if (last && is_same_task(rows, &rows->tasks[last - 1], task, thread_name, process_name)) {
		*task_ret = last - 1;
		return 0;
	}
	if (string_ids_add(&rows->names, thread_name, &added.thread_name, &is_new) ||
	    string_ids_add(&rows->names, process_name, &added.process_name, &is_new) ||
	    array_reserve_one(rows->tasks, rows->n_tasks))
		return -ENOMEM;
	rows->tasks[rows->n_tasks] = added;
	*task_ret = rows->n_tasks++;
	rows->last_tasks[task->thread] = rows->n_tasks;
	return 0;
}

int sample_rows_add(struct sample_rows *rows, const struct sample_row *row)
{
	if (array_reserve(rows->rows, rows->n_rows, rows->n_rows_allocated, 1))
		return -ENOMEM;
	rows->rows[rows->n_rows++] = *row;
	return 0;
}

void sample_rows_take(struct sample_rows *rows, struct sample_rows *from)
{
	rows->rows = from->rows;
	rows->n_rows = from->n_rows;
	rows->n_rows_allocated = from->n_rows_allocated;
	from->rows = NULL;
	from->n_rows = from->n_rows_allocated = 0;
}

int sample_rows_add_all(struct sample_rows *rows, const struct sample_rows *from,
			const uint32_t *node_map)
{
	if (array_reserve(rows->rows, rows->n_rows, rows->n_rows_allocated, from->n_rows))
		return -ENOMEM;
	for (uint32_t i = 0; i < from->n_rows; i++) {
		struct sample_row *row = &rows->rows[rows->n_rows++];

		*row = from->rows[i];
		row->node = node_map[row->node];
	}
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct sample_row *x = a, *y = b;

	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

void sample_rows_finish(struct sample_rows *rows, uint64_t start_ns)
{
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		struct sample_row *row = &rows->rows[i];

		row->time = sample_time_us(start_ns, row->time);
	}
	if (rows->n_rows)
		qsort(rows->rows, rows->n_rows, sizeof(*rows->rows), compare_rows);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		rows->rows[i].run = 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t one = ((const struct sample_row *)a)->number;
	const uint32_t other = ((const struct sample_row *)b)->number;

	return (one > other) - (one < other);
}

/* Enters the path to a node, as far as it is not there. @path: room for all nodes. 0 or -ENOMEM. */
static int enter_path(const struct cct *cct, uint32_t node, struct cct *copy, uint32_t *map,
		      uint32_t *path)
{
	uint32_t n = 0;

	for (; map[node] == CCT_NONE; node = cct->nodes[node].parent)
		path[n++] = node;
	while (n) {
		const uint32_t next = path[--n];

		map[next] = cct_child(copy, map[cct->nodes[next].parent], cct_frame(cct, next));
		if (map[next] == CCT_NONE)
			return -ENOMEM;
	}
	return 0;
}

int sample_rows_order_nodes(struct sample_rows *rows, const struct cct *cct, struct cct *copy)
{
	_cleanup_free_ uint32_t *map = calloc(cct->n_nodes, sizeof(*map));
	_cleanup_free_ uint32_t *path = calloc(cct->n_nodes, sizeof(*path));

	if (!map || !path)
		return -ENOMEM;
	for (uint32_t node = 0; node < cct->n_nodes; node++)
		map[node] = node == CCT_ROOT ? CCT_ROOT : CCT_NONE;
	if (rows->n_rows)
		qsort(rows->rows, rows->n_rows, sizeof(*rows->rows), compare_numbers);
	int err = 0;
	for (uint32_t i = 0; !err && i < rows->n_rows; i++)
		err = enter_path(cct, rows->rows[i].node, copy, map, path);
	if (!err)
		err = cct_merge_mapped(copy, cct, map);
	for (uint32_t i = 0; !err && i < rows->n_rows; i++)
		rows->rows[i].node = map[rows->rows[i].node];
	return err;
}

int sample_rows_check(const struct sample_rows *rows, const struct cct *cct)
{
	const size_t n = (size_t)cct->n_nodes * cct->n_metrics;
	_cleanup_free_ uint64_t *left = calloc(n + 1, sizeof(*left));
	uint64_t difference = 0;

	if (!left)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		left[i] = cct->costs[i].samples;
	for (uint32_t i = 0; i < rows->n_rows; i++) {
		const struct sample_row *row = &rows->rows[i];
		uint64_t *of = &left[(size_t)row->node * cct->n_metrics + row->metric];

		if (sample_rows_samples_of(rows, i) > *of)
			return -EINVAL;
		*of -= sample_rows_samples_of(rows, i);
	}
	for (size_t i = 0; i < n; i++)
		difference |= left[i];
	return difference ? -EINVAL : 0;
}

/* The counter of an end; that of ROW_JOINED counts a mark. */
static uint64_t *end_counter(struct profile_quality *quality, unsigned end)
{
	static const enum quality_counter counters[ROW_INCOMPLETE] = {
		[ROW_COMPLETE] = QUALITY_COMPLETE,
		[ROW_JOINED] = QUALITY_JOINED,
		[ROW_NO_USER_PART] = QUALITY_NO_USER_PART,
		[ROW_UNVERIFIED] = QUALITY_UNVERIFIED,
		[ROW_LBR] = QUALITY_LBR,
		[ROW_FLAT] = QUALITY_FLAT,
	};

	if (end >= ROW_INCOMPLETE)
		return &quality->incomplete[end - ROW_INCOMPLETE];
	return &quality->counts[counters[end]];
}

int sample_row_count(const struct sample_row *row, struct cct *cct, struct profile_quality *quality)
{
	if (row->end != ROW_JOINED)
		++*end_counter(quality, row->end);
	quality->counts[QUALITY_GUESSED_FRAMES] += row->n_guessed;
	quality->counts[QUALITY_FOLDED] += cct_path_is_folded(cct, row->node);
	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		const uint32_t is_marked = row->marks >> mark & 1u;

		if (path_marks_add(&cct->marks, row->node, (enum path_mark)mark, is_marked))
			return -ENOMEM;
		quality->counts[quality_of_mark((enum path_mark)mark)] += is_marked;
	}
	cct_add_cost(cct, row->node, row->metric, row->weight);
	return 0;
}

static int count_sum(const struct sample_row *row, const struct row_sum *sum, struct cct *cct,
		     struct profile_quality *quality)
{
	struct cct_cost *cost = cct_cost(cct, row->node, row->metric);

	if (row->end != ROW_JOINED)
		*end_counter(quality, row->end) += sum->samples;
	quality->counts[QUALITY_GUESSED_FRAMES] += row->n_guessed;
	if (cct_path_is_folded(cct, row->node))
		quality->counts[QUALITY_FOLDED] += sum->samples;
	for (int mark = 0; mark < N_PATH_MARKS; mark++) {
		const uint64_t n_marked = row->marks >> mark & 1u ? sum->samples : 0;

		if (path_marks_add(&cct->marks, row->node, (enum path_mark)mark, n_marked))
			return -ENOMEM;
		quality->counts[quality_of_mark((enum path_mark)mark)] += n_marked;
	}
	cost->samples += sum->samples;
	cost->weight += row->weight;
	if (row->metric == cct->longest_metric && sum->longest > cct->longest[row->node])
		cct->longest[row->node] = sum->longest;
	if (cct->squares)
		cct->squares[(size_t)row->node * cct->n_metrics + row->metric] += sum->squares;
	return 0;
}

int sample_rows_count(const struct sample_rows *rows, uint32_t row, struct cct *cct,
		      struct profile_quality *quality)
{
	if (rows->sums)
		return count_sum(&rows->rows[row], &rows->sums[row], cct, quality);
	return sample_row_count(&rows->rows[row], cct, quality);
}

void sample_rows_uncount(struct cct *cct, struct profile_quality *quality)
{
	for (unsigned end = 0; end < N_ROW_ENDS; end++)
		*end_counter(quality, end) = 0;
	quality->counts[QUALITY_GUESSED_FRAMES] = 0;
	quality->counts[QUALITY_FOLDED] = 0;
	for (int mark = 0; mark < N_PATH_MARKS; mark++)
		quality->counts[quality_of_mark((enum path_mark)mark)] = 0;
	path_marks_deinit(&cct->marks);
	for (uint32_t node = 0; node < cct->n_nodes; node++) {
		for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
			*cct_cost(cct, node, metric) = (struct cct_cost){ 0 };
		if (cct->longest)
			cct->longest[node] = 0;
	}
	if (cct->squares)
		memset(cct->squares, 0,
		       (size_t)cct->n_nodes * cct->n_metrics * sizeof(*cct->squares));
}

int sample_rows_square(const struct sample_rows *rows, struct cct *cct)
{
	int err = cct_keep_squares(cct);

	for (uint32_t i = 0; !err && i < rows->n_rows; i++) {
		const struct sample_row *row = &rows->rows[i];
		const unsigned __int128 square = (unsigned __int128)row->weight * row->weight;

		cct->squares[(size_t)row->node * cct->n_metrics + row->metric] +=
			rows->sums ? rows->sums[i].squares : square;
	}
	return err;
}
