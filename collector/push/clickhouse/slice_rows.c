#include "collector/push/clickhouse/slice_rows.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/clock.h"
#include "cct/base/printable.h"
#include "cct/paths/sample_list.h"
#include "collector/push/service_profiles.h"

#define DAY_S        86400u
#define DROPPED_BITS 48 /* of the 52 of a double's fraction: the first 2 bytes stay */

/* -- programs ------------------------------------------------------------------------------- */

/*
 * A recording does not say which file a process executes. Of its paths' outermost code, which is
 * that of the program where threads do not begin in a library, most samples decide.
 */
struct votes {
	uint32_t *processes, *outermost; /* by node: plus 1; module */
	uint64_t *samples;               /* by candidate */
	struct pair_map candidates;      /* (process, module) */
	size_t n_allocated;
};

static bool is_program(const struct profile *profile, uint32_t id)
{
	const struct module *module = module_table_get(&profile->modules, id);

	return module && module->key.kind == MODULE_ELF && !strstr(module_name(module), ".so");
}

static void find_outermost(const struct profile *profile, struct votes *votes, uint32_t node)
{
	const uint32_t parent = profile->cct->nodes[node].parent;
	const struct frame *frame = cct_frame(profile->cct, node);

	votes->processes[node] = frame->kind == FRAME_PROCESS ? (uint32_t)frame->offset + 1
							      : votes->processes[parent];
	votes->outermost[node] = votes->outermost[parent];
	if (!votes->outermost[node] && frame->kind == FRAME_USER)
		votes->outermost[node] = frame->module;
}

/* 0 or -ENOMEM. */
static int vote(const struct profile *profile, struct votes *votes, uint32_t node, uint64_t n,
		uint32_t *programs, uint64_t *most)
{
	const uint32_t process = votes->processes[node] - 1, module = votes->outermost[node];
	const uint32_t known = pair_map_find(&votes->candidates, process, module);
	const uint32_t candidate = known == PAIR_MAP_NONE ? votes->candidates.pairs.n_used : known;

	if (!n || process >= profile->n_processes || !is_program(profile, module))
		return 0;
	if (array_reserve(votes->samples, candidate, votes->n_allocated, 1))
		return -ENOMEM;
	assert(votes->samples);
	uint64_t *samples = &votes->samples[candidate];
	if (known == PAIR_MAP_NONE) {
		*samples = 0;
		if (pair_map_add(&votes->candidates, process, module, candidate))
			return -ENOMEM;
	}
	*samples += n;
	if (*samples > most[process]) {
		most[process] = *samples;
		programs[process] = module;
	}
	return 0;
}

static uint64_t samples_of(const struct cct *cct, uint32_t node)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < cct->n_metrics; i++)
		n += cct_cost(cct, node, i)->samples;
	return n;
}

static int find_programs(const struct profile *profile, uint32_t *programs)
{
	const struct cct *cct = profile->cct;
	struct votes votes = {
		.processes = calloc(cct->n_nodes, sizeof(*votes.processes)),
		.outermost = calloc(cct->n_nodes, sizeof(*votes.outermost)),
	};
	_cleanup_free_ uint64_t *most = calloc(profile->n_processes + 1ul, sizeof(*most));
	int err = votes.processes && votes.outermost && most ? 0 : -ENOMEM;

	for (uint32_t node = CCT_ROOT + 1; node < cct->n_nodes && !err; node++) {
		find_outermost(profile, &votes, node);
		err = vote(profile, &votes, node, samples_of(cct, node), programs, most);
	}
	free(votes.processes);
	free(votes.outermost);
	free(votes.samples);
	pair_map_deinit(&votes.candidates);
	return err;
}

/* -- time ----------------------------------------------------------------------------------- */

static int find_window(struct slice_rows *rows, const struct profile *profile)
{
	const struct profile_info *info = &profile->info;
	const struct watched_time *watched = &info->watched;

	if (!info->has_date)
		return -ENODATA;
	rows->start_ns = info->start_ns + info->unix_offset_ns;
	rows->end_ns = info->end_ns + info->unix_offset_ns;
	if (watched->n) {
		rows->start_ns = watched->spans[0].start_ns;
		rows->end_ns = watched->spans[watched->n - 1].end_ns;
	}
	return rows->end_ns / NSEC_PER_SEC > UINT32_MAX ? -ENODATA : 0;
}

/* Of a row with a time, since 1970; of others when the window began. */
static uint64_t time_of(const struct slice_rows *rows, const struct sample_list *list, size_t i)
{
	const struct profile *profile = rows->stacks->profile;
	const struct sample_row *row = list->rows ? &profile->rows->rows[list->rows[i]] : NULL;

	if (!row || !row->time)
		return rows->start_ns;
	if (!profile->rows->n_runs)
		return profile->info.start_ns + profile->info.unix_offset_ns + row->time * 1000;
	const struct sample_run *run = &profile->rows->runs[row->run];
	return run->has_date ? run->start_ns + run->unix_offset_ns + row->time * 1000
			     : rows->start_ns;
}

/* The last slice may be half as long again, so that none of the next window's begins with it. */
static uint32_t slice_of(const struct slice_rows *rows, uint64_t time_ns)
{
	const uint64_t window_ns =
		rows->end_ns > rows->start_ns ? rows->end_ns - rows->start_ns : 0;
	const uint64_t slice_ns = rows->slice_ns;
	const uint64_t n = (window_ns + slice_ns / 2) / slice_ns;
	uint64_t slice = time_ns > rows->start_ns ? (time_ns - rows->start_ns) / slice_ns : 0;

	if (slice && slice >= n)
		slice = n ? n - 1 : 0;
	return (uint32_t)(rows->start_ns / NSEC_PER_SEC + slice * (slice_ns / NSEC_PER_SEC));
}

/* -- rows ----------------------------------------------------------------------------------- */

static int enter_text(struct slice_rows *rows, const char *text, uint32_t *number_ret)
{
	_cleanup_free_ char *shown = printable_copy(text);
	bool is_new;

	return shown ? string_ids_add(&rows->texts, shown, number_ret, &is_new) : -ENOMEM;
}

/* The number of a task, a new one if it has none. 0 or -ENOMEM. */
static int enter_task(struct slice_rows *rows, const struct slice_task *task, uint32_t *number_ret)
{
	const uint64_t names = (uint64_t)task->service << 32 | task->process;

	*number_ret = pair_map_find(&rows->by_names, names, task->program);
	if (*number_ret != PAIR_MAP_NONE)
		return 0;
	if (array_reserve(rows->tasks, rows->n_tasks, rows->n_tasks_allocated, 1) ||
	    pair_map_add(&rows->by_names, names, task->program, rows->n_tasks))
		return -ENOMEM;
	*number_ret = rows->n_tasks;
	rows->tasks[rows->n_tasks++] = *task;
	return 0;
}

static int name_task(struct slice_rows *rows, const struct sample_list *list, size_t i,
		     const char *only, uint32_t *task_ret)
{
	const struct profile *profile = rows->stacks->profile;
	const uint32_t process = sample_list_get(list, i).process;
	const bool is_known = process < profile->n_processes;
	const char *name = is_known ? profile->processes[process].name : NULL;
	struct slice_task task = { .program = is_known ? rows->programs[process] : 0 };
	char text[CGROUP_NAME_MAX];
	int err = enter_text(rows, only ? only : service_of_sample(profile, list, i, text),
			     &task.service);

	if (!err)
		err = enter_text(rows, name ? name : "", &task.process);
	return err ? err : enter_task(rows, &task, task_ret);
}

/* What decides about a service is mostly the same of many samples. */
static int find_task(struct slice_rows *rows, const struct sample_list *list, size_t i,
		     const char *only, uint32_t *task_ret)
{
	const struct listed_sample sample = sample_list_get(list, i);
	const struct sample_row *row =
		list->rows ? &rows->stacks->profile->rows->rows[list->rows[i]] : NULL;
	const uint64_t who = (uint64_t)sample.process << 32 | (row ? row->cgroup : 0);
	const bool is_kernel = sample.pid == 0 || (row && row->end == ROW_NO_USER_PART);
	const uint32_t known = pair_map_find(&rows->by_process, who, is_kernel);

	*task_ret = known;
	if (known != PAIR_MAP_NONE)
		return 0;
	const int err = name_task(rows, list, i, only, task_ret);
	if (err || sample.process == UINT32_MAX) /* its thread's name decides */
		return err;
	return pair_map_add(&rows->by_process, who, is_kernel, *task_ret);
}

static uint8_t marks_of(const struct profile *profile, const struct sample_row *row, uint32_t node)
{
	const uint64_t *marked = row ? NULL : path_marks_of(&profile->cct->marks, node);
	uint8_t marks = row ? row->marks : 0;

	for (unsigned i = 0; marked && i < N_PATH_MARKS; i++)
		marks |= (uint8_t)((marked[i] != 0) << i);
	return marks;
}

static double squares_of(const struct profile *profile, const struct sample_list *list, size_t i,
			 const struct listed_sample *sample)
{
	const struct cct *cct = profile->cct;

	if (list->rows)
		return (double)sample_rows_sum_of(profile->rows, list->rows[i]).squares;
	if (cct->squares)
		return (double)cct->squares[(size_t)sample->node * cct->n_metrics + sample->metric];
	return (double)sample->weight * (double)sample->weight / (double)sample->samples;
}

static int add_row(struct slice_rows *rows, const struct slice_row *row)
{
	const uint64_t what = (uint64_t)row->metric << 32 | row->stack;
	const uint64_t when = (uint64_t)row->start_s << 32 | row->task;
	const uint32_t known = pair_map_find(&rows->by_key, what, when);

	if (known != PAIR_MAP_NONE) {
		rows->rows[known].samples += row->samples;
		rows->rows[known].weight += row->weight;
		rows->rows[known].squares += row->squares;
		return 0;
	}
	if (array_reserve(rows->rows, rows->n_rows, rows->n_allocated, 1) ||
	    pair_map_add(&rows->by_key, what, when, rows->n_rows))
		return -ENOMEM;
	rows->rows[rows->n_rows++] = *row;
	return 0;
}

static int add_sample(struct slice_rows *rows, const struct sample_list *list, size_t i,
		      const char *only)
{
	const struct profile *profile = rows->stacks->profile;
	const struct listed_sample sample = sample_list_get(list, i);
	const struct sample_row *row = list->rows ? &profile->rows->rows[list->rows[i]] : NULL;
	const uint8_t marks = marks_of(profile, row, sample.node);
	struct slice_row made = {
		.start_s = slice_of(rows, time_of(rows, list, i)),
		.metric = sample.metric,
		.stack = stack_ids_get(rows->stacks, sample.node, marks),
		.samples = sample.samples,
		.weight = sample.weight,
		.squares = squares_of(profile, list, i, &sample),
	};

	if (made.stack == UINT32_MAX)
		return -ENOMEM;
	const int err = find_task(rows, list, i, only, &made.task);
	return err ? err : add_row(rows, &made);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_texts(const struct slice_rows *rows, uint32_t a, uint32_t b)
{
	return a == b ? 0 : strcmp(rows->texts.strings[a], rows->texts.strings[b]);
}

double slice_rows_round(double squares)
{
	uint64_t bits;

	memcpy(&bits, &squares, sizeof(bits));
	bits += (1ull << (DROPPED_BITS - 1)) - 1 + (bits >> DROPPED_BITS & 1);
	bits = bits >> DROPPED_BITS << DROPPED_BITS;
	memcpy(&squares, &bits, sizeof(squares));
	return squares;
}

/* By content, so that the numbers that things have in this process don't matter. */
static int compare_rows(const void *a, const void *b, void *data)
{
	const struct slice_rows *rows = data;
	const struct slice_row *x = a, *y = b;
	const struct slice_task *x_task = &rows->tasks[x->task], *y_task = &rows->tasks[y->task];
	const struct table_stack *stacks = rows->stacks->stacks;
	int order = compare_numbers(x->start_s / DAY_S, y->start_s / DAY_S);

	if (!order)
		order = compare_texts(rows, x_task->service, y_task->service);
	if (!order)
		order = compare_numbers(x->metric, y->metric);
	if (!order)
		order = memcmp(stacks[x->stack].id, stacks[y->stack].id, STACK_ID_SIZE);
	if (!order)
		order = compare_texts(rows, x_task->process, y_task->process);
	if (!order)
		order = compare_numbers(x_task->program, y_task->program);
	return order ? order : compare_numbers(x->start_s, y->start_s);
}

int slice_rows_init(struct slice_rows *rows, struct stack_ids *stacks, const char *only,
		    uint64_t slice_ns)
{
	const struct profile *profile = stacks->profile;
	struct sample_list list = { 0 };

	*rows = (struct slice_rows){
		.stacks = stacks,
		.slice_ns = slice_ns,
		.programs = calloc(profile->n_processes + 1ul, sizeof(*rows->programs)),
	};
	int err = rows->programs ? find_window(rows, profile) : -ENOMEM;
	if (!err)
		err = find_programs(profile, rows->programs);
	if (!err)
		err = sample_list_init(&list, profile);
	for (size_t i = 0; i < list.n && !err; i++)
		err = add_sample(rows, &list, i, only);
	sample_list_deinit(&list);
	for (uint32_t i = 0; i < rows->n_rows; i++)
		rows->rows[i].squares = slice_rows_round(rows->rows[i].squares);
	if (!err && rows->n_rows)
		qsort_r(rows->rows, rows->n_rows, sizeof(*rows->rows), compare_rows, rows);
	return err;
}

void slice_rows_deinit(struct slice_rows *rows)
{
	string_ids_deinit(&rows->texts);
	free(rows->rows);
	free(rows->programs);
	free(rows->tasks);
	pair_map_deinit(&rows->by_process);
	pair_map_deinit(&rows->by_names);
	pair_map_deinit(&rows->by_key);
}
