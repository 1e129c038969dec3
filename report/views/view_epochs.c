#include "report/views/view_epochs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "cct/base/sentence.h"
#include "report/views/view_flat.h"

/* A process that has rows. */
struct ranked_process {
	uint32_t index;
	uint64_t cost;
	uint64_t first_ns;
	int32_t pid;
};

static uint32_t index_of(const struct view *view, const struct view_row *row)
{
	return (uint32_t)(row->process - view->profile->processes);
}

/* "python3 (pid 12) #2", "cc1 (800 processes) #1" */
static int set_name(struct view *view, struct view_row *row)
{
	const struct profile_process *of = row->process;
	_cleanup_free_ char *name = of->n_joined ? sentence("%s (%" PRIu64 " processes) #%" PRId32,
							    of->name, of->n_joined, row->id)
						 : sentence("%s (pid %" PRId32 ") #%" PRId32,
							    of->name, of->pid, row->id);

	if (!name)
		return -ENOMEM;
	row->name = arena_copy_text(&view->arena, name, strlen(name));
	return row->name ? 0 : -ENOMEM;
}

static int set_epoch(struct view *view, struct view_row *row)
{
	const struct epoch_list *list = &row->process->epochs;
	const uint32_t index = (uint32_t)row->id - 1;

	row->files = epoch_files(&view->profile->epochs, list, index);
	if (index < list->n) {
		const struct epoch *epoch = &list->epochs[index];

		row->n_files = epoch->n_files;
		row->start_ns = profile_since_start(view->profile, epoch->run, epoch->loaded_ns);
		row->run = view_run_number(view->profile, epoch->run);
		row->duration_ns = epoch_end_ns(list, index) - epoch->loaded_ns;
	}
	row->id = (int32_t)epoch_number(list, index);
	return set_name(view, row);
}

/* For the processes with rows, by index: which of their epochs have one. */
struct epochs_with_rows {
	bool **has_row; /* [process][epoch]; NULL: no row */
	uint32_t n_processes;
};

static void deinit(struct epochs_with_rows *with)
{
	for (uint32_t i = 0; with->has_row && i < with->n_processes; i++)
		free(with->has_row[i]);
	free(with->has_row);
}

static int find_epochs(const struct view *view, struct epochs_with_rows *with)
{
	with->n_processes = view->profile->n_processes;
	with->has_row = calloc((size_t)with->n_processes + 1, sizeof(*with->has_row));
	if (!with->has_row)
		return -ENOMEM;
	for (const struct view_row *row = view->root->children; row; row = row->next) {
		const size_t n = (size_t)row->process->epochs.n + 1;
		bool **has_row = &with->has_row[index_of(view, row)];

		if (!*has_row)
			*has_row = calloc(n, sizeof(**has_row));
		if (!*has_row)
			return -ENOMEM;
		(*has_row)[row->id - 1] = true;
	}
	return 0;
}

static int add_others(struct view *view, uint32_t process, const bool *has_row)
{
	const struct profile_process *of = &view->profile->processes[process];

	for (uint32_t i = 0; i < of->epochs.n; i++) {
		const struct fold_entity epoch = { .name = of->name,
						   .module = "",
						   .id = (int32_t)i + 1,
						   .n_merged = 1,
						   .process = of,
						   .frame_kind = FRAME_EPOCH };

		if (!has_row[i] && !view_add_row(view, view->root, &epoch))
			return -ENOMEM;
	}
	return 0;
}

static int add_epochs_without_samples(struct view *view)
{
	struct epochs_with_rows with = { .n_processes = 0 };
	int err = find_epochs(view, &with);

	for (uint32_t i = 0; !err && i < with.n_processes; i++) {
		if (with.has_row[i])
			err = add_others(view, i, with.has_row[i]);
	}
	deinit(&with);
	return err;
}

/* Numbers of processes depend on the filter with which a recording was read. */
static int compare_processes(const void *a, const void *b)
{
	const struct ranked_process *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->first_ns != y->first_ns)
		return x->first_ns < y->first_ns ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static struct ranked_process *sum_up(const struct view *view)
{
	const struct profile *profile = view->profile;
	struct ranked_process *processes =
		calloc((size_t)profile->n_processes + 1, sizeof(*processes));

	for (uint32_t i = 0; processes && i < profile->n_processes; i++) {
		const struct profile_process *process = &profile->processes[i];

		processes[i].index = i;
		processes[i].pid = process->pid;
		processes[i].first_ns = process->epochs.n ? process->epochs.epochs[0].first_ns : 0;
	}
	for (const struct view_row *row = view->root->children; processes && row; row = row->next)
		processes[index_of(view, row)].cost +=
			profile->n_metrics ? row->total[view->options.sort_metric] : 0;
	return processes;
}

/* The process that cost most is the first. */
static int rank(struct view *view)
{
	const uint32_t n = view->profile->n_processes;
	_cleanup_free_ struct ranked_process *processes = sum_up(view);
	_cleanup_free_ uint32_t *ranks = calloc((size_t)n + 1, sizeof(*ranks));

	if (!processes || !ranks)
		return -ENOMEM;
	qsort(processes, n, sizeof(*processes), compare_processes);
	for (uint32_t i = 0; i < n; i++)
		ranks[processes[i].index] = i;
	for (struct view_row *row = view->root->children; row; row = row->next)
		row->rank = ranks[index_of(view, row)];
	return 0;
}

int view_fill_epochs(struct view *view, const struct fold *fold)
{
	int err = view_fill_flat(view, fold);

	if (!err)
		err = add_epochs_without_samples(view);
	for (struct view_row *row = view->root->children; !err && row; row = row->next)
		err = set_epoch(view, row);
	if (!err)
		err = rank(view);
	if (!err)
		view_sort_children(view, view->root);
	return err;
}
