#include "cct/merge/merge_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/compare.h"
#include "cct/base/sentence.h"
#include "cct/encoding/packed_rows.h"
#include "cct/merge/merge_intervals.h"
#include "cct/model/row_slices.h"

/* What the runs and tasks of a profile are in the sum. */
struct row_maps {
	uint32_t *runs, *tasks;
};

/* The run of a profile without a table of runs; its strings are the profile's. */
static struct sample_run own_run(const struct profile *profile, struct run_times *times)
{
	const struct profile_info *info = &profile->info;

	for (uint32_t i = 0; i < profile->n_metrics; i++)
		times[i] = (struct run_times){ profile->metrics[i].time_enabled_ns,
					       profile->metrics[i].time_running_ns };
	return (struct sample_run){
		.command_line = info->command_line,
		.hostname = info->hostname,
		.start_ns = info->start_ns,
		.end_ns = info->end_ns,
		.has_date = info->has_date,
		.unix_offset_ns = info->unix_offset_ns,
		.times = times,
	};
}

static const char *text_or_empty(const char *text)
{
	return text ? text : "";
}

/* Heap; NULL without memory. */
static char *identity_of(const struct sample_run *run)
{
	return sentence("%" PRIu64 " %" PRIu64 " %d %" PRIu64 " %d %d %zu %s%s", run->start_ns,
			run->end_ns, run->has_date, run->unix_offset_ns, !!run->hostname,
			!!run->command_line, strlen(text_or_empty(run->hostname)),
			text_or_empty(run->hostname), text_or_empty(run->command_line));
}

/* All runs of the sum know times of all of its metrics. 0 or -ENOMEM. */
static int widen_runs(struct merge_state *state)
{
	const uint32_t n = state->into->n_metrics, n_before = state->n_run_times;
	struct sample_rows *rows = state->into->rows;

	for (uint32_t i = 0; n > n_before && i < rows->n_runs; i++) {
		struct run_times *times = reallocarray(rows->runs[i].times, n, sizeof(*times));

		if (!times)
			return -ENOMEM;
		memset(&times[n_before], 0, (n - n_before) * sizeof(*times));
		rows->runs[i].times = times;
	}
	state->n_run_times = n;
	return 0;
}

static int add_run(struct merge_state *state, const struct sample_run *run)
{
	struct sample_rows *rows = state->into->rows;
	struct sample_run added = *run;

	added.command_line = added.hostname = NULL;
	added.times = calloc((size_t)state->into->n_metrics + 1, sizeof(*added.times));
	if (!added.times || profile_set_string(&added.command_line, run->command_line) ||
	    profile_set_string(&added.hostname, run->hostname) ||
	    array_reserve_one(rows->runs, rows->n_runs)) {
		sample_run_deinit(&added);
		return -ENOMEM;
	}
	rows->runs[rows->n_runs++] = added;
	return 0;
}

/* Profiles of one run that have different events know times of different metrics. */
static void add_times(struct run_times *into, const struct run_times *from)
{
	if (from->enabled_ns > into->enabled_ns ||
	    (from->enabled_ns == into->enabled_ns && from->running_ns > into->running_ns))
		*into = *from;
}

static int merge_run(struct merge_state *state, const struct merge_maps *maps,
		     const struct sample_run *run, uint32_t *index_ret)
{
	_cleanup_free_ char *identity = identity_of(run);
	bool is_new;
	int err = identity ? string_ids_add(&state->runs, identity, index_ret, &is_new) : -ENOMEM;

	if (!err && is_new)
		err = add_run(state, run);
	if (err)
		return err;
	for (uint32_t i = 0; i < maps->from->n_metrics; i++)
		add_times(&state->into->rows->runs[*index_ret].times[maps->metrics[i]],
			  &run->times[i]);
	return 0;
}

static int merge_runs(struct merge_state *state, const struct merge_maps *maps, uint32_t *runs)
{
	const struct sample_rows *from = maps->from->rows;
	int err = widen_runs(state);

	if (!err && !from->n_runs) {
		_cleanup_free_ struct run_times *times =
			calloc((size_t)maps->from->n_metrics + 1, sizeof(*times));

		if (!times)
			return -ENOMEM;
		const struct sample_run run = own_run(maps->from, times);
		return merge_run(state, maps, &run, runs);
	}
	for (uint32_t i = 0; !err && i < from->n_runs; i++)
		err = merge_run(state, maps, &from->runs[i], &runs[i]);
	return err;
}

static int merge_task(struct merge_state *state, const struct row_task *task,
		      const char *thread_name, const char *process_name, uint32_t *index_ret)
{
	struct sample_rows *rows = state->into->rows;
	struct row_task added = *task;
	_cleanup_free_ char *identity =
		sentence("%u %d %d %zu %s%s", task->thread, task->pid, task->tid,
			 strlen(thread_name), thread_name, process_name);
	bool is_new, is_new_name;

	if (!identity || string_ids_add(&state->tasks, identity, index_ret, &is_new))
		return -ENOMEM;
	if (!is_new)
		return 0;
	if (string_ids_add(&rows->names, thread_name, &added.thread_name, &is_new_name) ||
	    string_ids_add(&rows->names, process_name, &added.process_name, &is_new_name) ||
	    array_reserve_one(rows->tasks, rows->n_tasks))
		return -ENOMEM;
	rows->tasks[rows->n_tasks++] = added;
	return 0;
}

static int merge_tasks(struct merge_state *state, const struct merge_maps *maps, uint32_t *tasks)
{
	const struct sample_rows *from = maps->from->rows;
	int err = 0;

	for (uint32_t i = 0; !err && i < from->n_tasks; i++) {
		struct row_task task = from->tasks[i];

		task.thread = maps->threads[task.thread];
		err = merge_task(state, &task, from->names.strings[task.thread_name],
				 from->names.strings[task.process_name], &tasks[i]);
	}
	return err;
}

/* 0: not known. */
static uint32_t map_cgroup(const struct merge_maps *maps, uint32_t cgroup)
{
	return cgroup ? maps->cgroups[cgroup - 1] + 1 : 0;
}

static void map_row(struct sample_row *row, const struct merge_maps *maps,
		    const struct row_maps *of_rows, const uint32_t *nodes)
{
	row->run = of_rows->runs[row->run];
	row->task = of_rows->tasks[row->task];
	row->cgroup = map_cgroup(maps, row->cgroup);
	row->node = nodes[row->node];
	row->metric = (uint16_t)maps->metrics[row->metric];
}

static void drop_rows(struct merge_state *state)
{
	state->lacks_rows = true;
	merge_drop_intervals(state->into);
	sample_rows_destroy(steal_ptr(state->into->rows));
}

/* All of a run's. 0 or -ENOMEM. */
static int pack(struct sample_rows *rows, uint32_t run, const struct sample_rows *unpacked)
{
	struct packed_run *packed = &rows->packed[run];

	free(packed->bytes);
	*packed = (struct packed_run){ .slice_shift = unpacked->slice_shift };
	return packed_rows_add(packed, unpacked->rows, unpacked->sums, unpacked->n_rows);
}

/* Makes all rows sums of the list's slices, if it has such. 0 or -ENOMEM. */
static int make_slices(struct profile *profile)
{
	struct sample_rows *rows = profile->rows;
	int err = 0;

	if (!rows->slice_shift)
		return 0;
	rows->n_rows = 0;
	for (uint32_t run = 0; !err && run < rows->n_runs; run++) {
		struct sample_rows unpacked = { .n_rows = 0 };

		err = packed_rows_read(&rows->packed[run], run, &unpacked);
		if (!err)
			err = row_slices_make(&unpacked, profile, rows->slice_shift);
		if (!err)
			err = pack(rows, run, &unpacked);
		rows->n_rows += unpacked.n_rows;
		sample_rows_deinit(&unpacked);
	}
	return err;
}

/* 0 or -ENOMEM. */
static int count_slices(const struct profile *profile, struct row_slice_counts *counts)
{
	const struct sample_rows *rows = profile->rows;
	int err = 0;

	for (uint32_t run = 0; !err && run < rows->n_runs; run++) {
		struct sample_rows unpacked = { .n_rows = 0 };

		err = packed_rows_read(&rows->packed[run], run, &unpacked);
		if (!err)
			err = row_slices_count(&unpacked, profile, counts);
		sample_rows_deinit(&unpacked);
	}
	return err;
}

/* Makes the rows as many as there may be at most. 0 or -ENOMEM. */
static int bound_rows(struct merge_state *state)
{
	struct row_slice_counts counts = { .n = { 0 } };
	struct profile *into = state->into;

	merge_sort_intervals(into);
	int err = make_slices(into);
	if (err || into->rows->n_rows <= state->max_rows)
		return err;
	err = count_slices(into, &counts);
	if (err)
		return err;
	into->rows->slice_shift = row_slices_choose(&counts, state->max_rows);
	if (into->rows->slice_shift)
		return make_slices(into);
	drop_rows(state);
	return 0;
}

/* Moves a run's rows. @tasks: NULL: their tasks stay. 0 or -ENOMEM. */
static int move_run(struct sample_rows *rows, uint32_t run, const uint32_t *nodes,
		    const uint32_t *tasks)
{
	struct sample_rows unpacked = { .n_rows = 0 };
	int err = packed_rows_read(&rows->packed[run], run, &unpacked);

	for (uint32_t i = 0; i < unpacked.n_rows; i++) {
		struct sample_row *row = &unpacked.rows[i];

		row->node = nodes[row->node];
		row->task = tasks ? tasks[row->task] : row->task;
	}
	if (!err)
		err = pack(rows, run, &unpacked);
	sample_rows_deinit(&unpacked);
	return err;
}

int merge_move_rows(struct merge_state *state, const uint32_t *nodes)
{
	int err = state->into->rows ? bound_rows(state) : 0;

	for (uint32_t run = 0; !err && state->into->rows && run < state->into->rows->n_runs; run++)
		err = move_run(state->into->rows, run, nodes, NULL);
	return err;
}

int merge_move_rows_to_tasks(struct merge_state *state, const uint32_t *nodes,
			     const uint32_t *tasks)
{
	int err = 0;

	for (uint32_t run = 0; !err && run < state->into->rows->n_runs; run++)
		err = move_run(state->into->rows, run, nodes, tasks);
	return err;
}

/* Widens the span of each process by its rows in a run. 0 or -ENOMEM. */
static int add_spans(const struct profile *profile, uint32_t run, struct time_span *spans)
{
	const struct sample_rows *rows = profile->rows;
	struct sample_rows unpacked = { .n_rows = 0 };
	int err = packed_rows_read(&rows->packed[run], run, &unpacked);

	for (uint32_t i = 0; i < unpacked.n_rows; i++) {
		const struct sample_row *row = &unpacked.rows[i];
		const uint64_t us = row->time >> ROW_SLICE_MINUTE << ROW_SLICE_MINUTE;
		const uint64_t ns = profile_since_start(
			profile, run, rows->runs[run].start_ns + us * NSEC_PER_USEC);
		struct time_span *span =
			&spans[profile->threads[rows->tasks[row->task].thread].process];

		if (ns < span->start_ns)
			span->start_ns = ns;
		if (ns > span->end_ns)
			span->end_ns = ns;
	}
	sample_rows_deinit(&unpacked);
	return err;
}

int merge_find_spans(const struct merge_state *state, struct time_span *spans)
{
	const struct profile *profile = state->into;
	int err = 0;

	for (uint32_t i = 0; i < profile->n_processes; i++)
		spans[i] = (struct time_span){ UINT64_MAX, 0 };
	for (uint32_t run = 0; !err && run < profile->rows->n_runs; run++)
		err = add_spans(profile, run, spans);
	return err;
}

void merge_slice_rows(struct merge_state *state, unsigned shift)
{
	if (state->into->rows && state->into->rows->slice_shift < shift)
		state->into->rows->slice_shift = shift;
}

static int pack_rows(struct sample_rows *rows, const struct merge_maps *maps,
		     const struct row_maps *of_rows, const uint32_t *nodes)
{
	const struct sample_rows *from = maps->from->rows;
	int err = 0;

	for (uint32_t i = 0; !err && i < from->n_rows; i++) {
		struct sample_row row = from->rows[i];

		map_row(&row, maps, of_rows, nodes);
		struct packed_run *run = &rows->packed[row.run];
		err = packed_rows_add(run, &row, from->sums ? &from->sums[i] : NULL, 1);
		if (from->slice_shift > run->slice_shift)
			run->slice_shift = from->slice_shift;
	}
	return err;
}

/* Each run has its rows. 0 or -ENOMEM. */
static int widen_packed(struct sample_rows *rows)
{
	struct packed_run *packed =
		reallocarray(rows->packed, (size_t)rows->n_runs + 1, sizeof(*packed));

	if (!packed)
		return -ENOMEM;
	for (; rows->n_packed < rows->n_runs; rows->n_packed++)
		packed[rows->n_packed] = (struct packed_run){ .bytes = NULL };
	rows->packed = packed;
	return 0;
}

static int add_rows(struct merge_state *state, const struct merge_maps *maps,
		    const struct row_maps *of_rows, const uint32_t *nodes)
{
	const struct sample_rows *from = maps->from->rows;
	struct sample_rows *rows = state->into->rows;
	int err = widen_packed(rows);

	if (!err)
		err = pack_rows(rows, maps, of_rows, nodes);
	if (err)
		return err;
	if (from->slice_shift > rows->slice_shift)
		rows->slice_shift = from->slice_shift;
	rows->n_rows += from->n_rows;
	/* Not each time, as that sorts all of them. */
	return rows->n_rows / 2 > state->max_rows / 4 * 3 ? bound_rows(state) : 0;
}

int merge_rows(struct merge_state *state, const struct merge_maps *maps, const uint32_t *nodes)
{
	const struct sample_rows *from = maps->from->rows;

	if (state->lacks_rows || !from || state->into->n_metrics > UINT16_MAX) {
		drop_rows(state);
		return 0;
	}
	if (!state->into->rows)
		state->into->rows = calloc(1, sizeof(*state->into->rows));
	_cleanup_free_ uint32_t *runs = calloc((size_t)from->n_runs + 1, sizeof(*runs));
	_cleanup_free_ uint32_t *tasks = calloc((size_t)from->n_tasks + 1, sizeof(*tasks));
	if (!state->into->rows || !runs || !tasks || merge_runs(state, maps, runs) ||
	    merge_tasks(state, maps, tasks) || merge_intervals(state, maps, runs))
		return -ENOMEM;
	return add_rows(state, maps, &(struct row_maps){ runs, tasks }, nodes);
}

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : compare_numbers(!!a, !!b);
}

struct indexed_run {
	struct sample_run run;
	uint32_t index;
};

/* By date, where it is known, then by clock. */
static int compare_runs(const void *a, const void *b)
{
	const struct sample_run *x = &((const struct indexed_run *)a)->run;
	const struct sample_run *y = &((const struct indexed_run *)b)->run;
	int order = compare_numbers(x->has_date, y->has_date);

	if (!order && x->has_date)
		order = compare_numbers(x->start_ns + x->unix_offset_ns,
					y->start_ns + y->unix_offset_ns);
	if (!order)
		order = compare_numbers(x->start_ns, y->start_ns);
	if (!order)
		order = compare_numbers(x->end_ns, y->end_ns);
	if (!order)
		order = compare_numbers(x->unix_offset_ns, y->unix_offset_ns);
	if (!order)
		order = compare_texts(x->hostname, y->hostname);
	return order ? order : compare_texts(x->command_line, y->command_line);
}

/* Gives the times of a run the order of the sorted metrics. 0 or -ENOMEM. */
static int sort_times(struct sample_run *run, const struct merge_maps *maps)
{
	const uint32_t n = maps->from->n_metrics;
	struct run_times *times = calloc((size_t)n + 1, sizeof(*times));

	if (!times)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		times[maps->metrics[i]] = run->times[i];
	free(run->times);
	run->times = times;
	return 0;
}

/* Sorts the runs; fills @numbers, by their number before. 0 or -ENOMEM. */
static int sort_runs(struct sample_rows *rows, const struct merge_maps *maps, uint32_t *numbers)
{
	_cleanup_free_ struct indexed_run *runs = calloc((size_t)rows->n_runs + 1, sizeof(*runs));
	int err = runs ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < rows->n_runs; i++) {
		err = sort_times(&rows->runs[i], maps);
		runs[i] = (struct indexed_run){ rows->runs[i], i };
	}
	if (err)
		return err;
	qsort(runs, rows->n_runs, sizeof(*runs), compare_runs);
	for (uint32_t i = 0; i < rows->n_runs; i++) {
		rows->runs[i] = runs[i].run;
		numbers[runs[i].index] = i;
	}
	return 0;
}

struct indexed_task {
	struct row_task task;
	uint32_t index;
};

static int compare_tasks(const void *a, const void *b, void *context)
{
	const struct row_task *x = &((const struct indexed_task *)a)->task;
	const struct row_task *y = &((const struct indexed_task *)b)->task;
	char *const *names = context;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	int order = strcmp(names[x->thread_name], names[y->thread_name]);
	return order ? order : strcmp(names[x->process_name], names[y->process_name]);
}

/* As sort_runs(). */
static int sort_tasks(struct sample_rows *rows, const struct merge_maps *maps, uint32_t *numbers)
{
	_cleanup_free_ struct indexed_task *tasks =
		calloc((size_t)rows->n_tasks + 1, sizeof(*tasks));

	if (!tasks)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n_tasks; i++) {
		tasks[i] = (struct indexed_task){ rows->tasks[i], i };
		tasks[i].task.thread = maps->threads[tasks[i].task.thread];
	}
	qsort_r(tasks, rows->n_tasks, sizeof(*tasks), compare_tasks, rows->names.strings);
	for (uint32_t i = 0; i < rows->n_tasks; i++) {
		rows->tasks[i] = tasks[i].task;
		numbers[tasks[i].index] = i;
	}
	return 0;
}

/* Sorts the rows of a run, which are unpacked, and appends them to all: room is for all, and of it
 * ->n_rows_allocated are filled. 0 or -ENOMEM. */
static int append_run(struct sample_rows *rows, uint32_t run, struct sample_rows *unpacked,
		      bool packs)
{
	if (row_slices_sort(unpacked))
		return -ENOMEM;
	if (packs)
		return pack(rows, run, unpacked);
	for (uint32_t i = 0; i < unpacked->n_rows; i++) {
		if (rows->sums)
			rows->sums[rows->n_rows_allocated] = unpacked->sums[i];
		rows->rows[rows->n_rows_allocated++] = unpacked->rows[i];
	}
	return 0;
}

/* Room for all rows, unless they are packed. 0 or -ENOMEM. */
static int make_room(struct sample_rows *rows, bool packs)
{
	if (packs)
		return widen_packed(rows);
	rows->rows = calloc((size_t)rows->n_rows + 1, sizeof(*rows->rows));
	if (rows->slice_shift)
		rows->sums = calloc((size_t)rows->n_rows + 1, sizeof(*rows->sums));
	return rows->rows && (rows->sums || !rows->slice_shift) ? 0 : -ENOMEM;
}

/* Moves the packed rows of each run to those of the sorted runs. 0 or -ENOMEM. */
static int sort_rows(struct sample_rows *rows, struct packed_run *packed, bool packs,
		     const struct merge_maps *maps, const struct row_maps *of_rows,
		     const uint32_t *nodes)
{
	_cleanup_free_ uint32_t *before = calloc((size_t)rows->n_runs + 1, sizeof(*before));
	int err = before ? make_room(rows, packs) : -ENOMEM;

	for (uint32_t run = 0; !err && run < rows->n_runs; run++)
		before[of_rows->runs[run]] = run;
	for (uint32_t run = 0; !err && run < rows->n_runs; run++) {
		struct sample_rows unpacked = { .n_rows = 0 };
		struct packed_run *from = &packed[before[run]];

		err = packed_rows_read(from, before[run], &unpacked);
		free(steal_ptr(from->bytes));
		for (uint32_t i = 0; i < unpacked.n_rows; i++)
			map_row(&unpacked.rows[i], maps, of_rows, nodes);
		if (!err)
			err = append_run(rows, run, &unpacked, packs);
		sample_rows_deinit(&unpacked);
	}
	return err;
}

int merge_sort_rows(struct merge_state *sorted, struct merge_state *sum,
		    const struct merge_maps *maps, const uint32_t *nodes)
{
	if (!sum->into->rows || bound_rows(sum))
		return sum->into->rows ? -ENOMEM : 0;
	struct sample_rows *rows = sum->into->rows;
	if (!rows)
		return 0;
	_cleanup_free_ uint32_t *runs = calloc((size_t)rows->n_runs + 1, sizeof(*runs));
	_cleanup_free_ uint32_t *tasks = calloc((size_t)rows->n_tasks + 1, sizeof(*tasks));
	if (!runs || !tasks || sort_runs(rows, maps, runs) || sort_tasks(rows, maps, tasks))
		return -ENOMEM;
	merge_move_intervals(sorted, sum, maps, runs);
	sorted->into->rows = steal_ptr(sum->into->rows);
	struct packed_run *packed = steal_ptr(rows->packed);
	const uint32_t n_packed = rows->n_packed;
	rows->n_packed = 0;
	int err = sort_rows(rows, packed, sorted->packs_rows, maps,
			    &(struct row_maps){ runs, tasks }, nodes);
	for (uint32_t run = 0; run < n_packed; run++)
		free(packed[run].bytes);
	free(packed);
	return err;
}
