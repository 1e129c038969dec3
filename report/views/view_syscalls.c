/*
 * A walk over the fold adds the cost of each subtree of kernel functions, as soon as their names
 * tell why the kernel was entered, to the path of that reason and the user functions above.
 */
#include "report/views/view_syscalls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "report/fold/fold_walk.h"
#include "report/names/kernel_entry.h"
#include "report/views/path_records.h"

#define NONE UINT32_MAX

/* Rows that are no system call; the first of struct syscalls::rows. */
enum other_row {
	OTHER_USER,
	OTHER_THREAD,
	OTHER_IDLE,
	OTHER_INTERRUPT,
	OTHER_FAULT,
	OTHER_EXCEPTION,
	OTHER_EXIT,
	OTHER_KERNEL,
	N_OTHERS
};

/* Who was interrupted or computes is seen in other views. */
static const struct {
	const char *name;
	bool has_callers;
} others[N_OTHERS] = {
	[OTHER_USER] = { "(user code)", false },
	[OTHER_THREAD] = { "(kernel thread)", false },
	[OTHER_IDLE] = { "(idle)", false },
	[OTHER_INTERRUPT] = { "(interrupt)", false },
	[OTHER_FAULT] = { "(page fault)", true },
	[OTHER_EXCEPTION] = { "(exception)", true },
	[OTHER_EXIT] = { "(entry and exit)", true },
	[OTHER_KERNEL] = { "(other kernel code)", true },
};

struct syscalls {
	const struct fold *fold;
	struct path_records records;
	struct fold_entity *rows; /* those of others, then the system calls */
	uint32_t n_rows, n_rows_allocated;
	uint32_t inside; /* the node whose subtree has been added; NONE: none of the path */
};

static int add_row(struct syscalls *syscalls, const char *name, enum frame_kind kind)
{
	if (array_reserve(syscalls->rows, syscalls->n_rows, syscalls->n_rows_allocated, 1))
		return -ENOMEM;
	syscalls->rows[syscalls->n_rows++] =
		(struct fold_entity){ .name = name, .module = "", .id = -1, .frame_kind = kind };
	return 0;
}

/* Finds or adds the row of a system call. */
static int find_call(struct syscalls *syscalls, const char *name, uint32_t *row_ret)
{
	for (*row_ret = N_OTHERS; *row_ret < syscalls->n_rows; ++*row_ret) {
		if (strcmp(syscalls->rows[*row_ret].name, name) == 0)
			return 0;
	}
	return add_row(syscalls, name, FRAME_KERNEL);
}

static const struct fold_entity *entity_of(const struct syscalls *syscalls, uint32_t node)
{
	return &syscalls->fold->entities[syscalls->fold->nodes[node].entity];
}

static uint32_t parent_of(const struct syscalls *syscalls, uint32_t node)
{
	return syscalls->fold->nodes[node].parent;
}

static bool is_kernel(const struct syscalls *syscalls, uint32_t node)
{
	return entity_of(syscalls, node)->frame_kind == FRAME_KERNEL;
}

/* The user function that entered the kernel, or what the path begins with. */
static uint32_t find_caller(const struct syscalls *syscalls, uint32_t node)
{
	while (is_kernel(syscalls, node))
		node = parent_of(syscalls, node);
	return node;
}

/* Adds the cost of a node, or of all below it, to a row and to the user functions above. */
static int add_cost(struct syscalls *syscalls, uint32_t row, uint32_t node, bool inclusive)
{
	struct path_records *records = &syscalls->records;
	uint32_t record, caller = find_caller(syscalls, parent_of(syscalls, node));

	if (path_records_get(records, PATH_RECORD_TOP, syscalls->fold->n_entities + row, &record))
		return -ENOMEM;
	path_records_add(records, record, node, inclusive);
	if (row < N_OTHERS && !others[row].has_callers)
		return 0;
	for (; entity_is_code(entity_of(syscalls, caller)); caller = parent_of(syscalls, caller)) {
		if (path_records_get(records, record, syscalls->fold->nodes[caller].entity,
				     &record))
			return -ENOMEM;
		path_records_add(records, record, node, inclusive);
	}
	return 0;
}

/* The row of a function that is no gate. @is_called: through a gate. */
static int find_row(struct syscalls *syscalls, uint32_t node, const struct kernel_entry *entry,
		    bool is_called, uint32_t *row_ret)
{
	bool has_caller = entity_is_code(
		entity_of(syscalls, find_caller(syscalls, parent_of(syscalls, node))));

	switch (entry->kind) {
	case KERNEL_ENTRY_SYSTEM_CALL:
		return find_call(syscalls, entry->call, row_ret);
	case KERNEL_ENTRY_EXIT:
		*row_ret = OTHER_EXIT;
		return 0;
	case KERNEL_ENTRY_INTERRUPT:
		*row_ret = OTHER_INTERRUPT;
		return 0;
	case KERNEL_ENTRY_PAGE_FAULT:
		*row_ret = OTHER_FAULT;
		return 0;
	case KERNEL_ENTRY_EXCEPTION:
		*row_ret = OTHER_EXCEPTION;
		return 0;
	case KERNEL_ENTRY_IDLE:
		*row_ret = OTHER_IDLE;
		return 0;
	case KERNEL_ENTRY_FORK:
		*row_ret = has_caller ? OTHER_EXIT : OTHER_THREAD;
		return 0;
	case KERNEL_ENTRY_GATE:
	case KERNEL_ENTRY_UNKNOWN:
		break;
	}
	/* The call's own function left by a tail call. */
	if (is_called)
		return find_call(syscalls, entity_of(syscalls, node)->name, row_ret);
	*row_ret = has_caller ? OTHER_KERNEL : OTHER_THREAD;
	return 0;
}

static int enter_kernel(struct syscalls *syscalls, uint32_t node)
{
	const struct fold_entity *entity = entity_of(syscalls, node);
	struct kernel_entry entry =
		kernel_entry_of(entity->base_name ? entity->base_name : entity->name);
	uint32_t row;

	if (entry.kind == KERNEL_ENTRY_GATE)
		return add_cost(syscalls, OTHER_EXIT, node, false);
	if (find_row(syscalls, node, &entry, is_kernel(syscalls, parent_of(syscalls, node)), &row))
		return -ENOMEM;
	syscalls->inside = node;
	return add_cost(syscalls, row, node, true);
}

static bool has_samples(const struct fold *fold, uint32_t node)
{
	for (uint32_t i = 0; i < fold->n_metrics; i++) {
		if (fold->self_samples[(size_t)node * fold->n_metrics + i])
			return true;
	}
	return false;
}

static int enter(struct syscalls *syscalls, uint32_t node)
{
	if (syscalls->inside != NONE)
		return 0;
	if (is_kernel(syscalls, node))
		return enter_kernel(syscalls, node);
	if (!has_samples(syscalls->fold, node))
		return 0;
	return add_cost(syscalls,
			is_kernel(syscalls, parent_of(syscalls, node)) ? OTHER_EXIT : OTHER_USER,
			node, false);
}

static int walk(struct syscalls *syscalls)
{
	struct fold_walk walk;
	int err = fold_walk_init(&walk, syscalls->fold);

	while (!err && fold_walk_next(&walk)) {
		if (!walk.is_leaving)
			err = enter(syscalls, walk.node);
		else if (syscalls->inside == walk.node)
			syscalls->inside = NONE;
	}
	fold_walk_deinit(&walk);
	return err;
}

static int fill(struct syscalls *syscalls, struct view *view)
{
	for (uint32_t i = 0; i < N_OTHERS; i++) {
		if (add_row(syscalls, others[i].name, FRAME_MARKER))
			return -ENOMEM;
	}
	int err = walk(syscalls);
	if (err)
		return err;
	syscalls->records.more = syscalls->rows;
	syscalls->records.n_more = syscalls->n_rows;
	path_records_own_totals(&syscalls->records);
	return path_records_show(&syscalls->records, view);
}

int view_fill_syscalls(struct view *view, const struct fold *fold)
{
	struct syscalls syscalls = { .fold = fold, .inside = NONE };
	int err = path_records_init(&syscalls.records, fold);

	if (err)
		return err;
	err = fill(&syscalls, view);
	path_records_deinit(&syscalls.records);
	free(syscalls.rows);
	return err;
}
