#include "report/views/view_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/names/source_paths.h"

struct view *view_alloc(const struct profile *profile, const struct view_options *options)
{
	struct view *view = calloc(1, sizeof(*view));

	if (!view)
		return NULL;
	view->options = *options;
	view->profile = profile;
	view->n_columns = profile->n_metrics;
	return view;
}

static void destroy_source(struct tree_source *source)
{
	if (!source)
		return;
	fold_destroy(source->fold);
	node_children_deinit(&source->children);
	arena_deinit(&source->arena);
	free(source);
}

void view_destroy(struct view *view)
{
	if (!view)
		return;
	arena_deinit(&view->arena);
	source_paths_destroy(view->paths);
	destroy_source(view->source);
	free(view);
}

static const enum row_kind kinds[] = {
	[FRAME_ROOT] = ROW_ROOT,   [FRAME_PROCESS] = ROW_PROCESS, [FRAME_THREAD] = ROW_THREAD,
	[FRAME_USER] = ROW_USER,   [FRAME_KERNEL] = ROW_KERNEL,   [FRAME_MARKER] = ROW_MARKER,
	[FRAME_LOCK] = ROW_MARKER, [FRAME_WAKER] = ROW_MARKER,    [FRAME_VALUE] = ROW_MARKER,
	[FRAME_CPU] = ROW_CPU,     [FRAME_CGROUP] = ROW_CGROUP,   [FRAME_PHASE] = ROW_PHASE,
	[FRAME_EPOCH] = ROW_EPOCH,
};

static const char *const kind_names[] = {
	[ROW_ROOT] = "root",     [ROW_PROCESS] = "process", [ROW_THREAD] = "thread",
	[ROW_USER] = "user",     [ROW_INLINE] = "inline",   [ROW_KERNEL] = "kernel",
	[ROW_MARKER] = "marker", [ROW_CPU] = "cpu",         [ROW_CGROUP] = "cgroup",
	[ROW_PHASE] = "phase",   [ROW_EPOCH] = "epoch",
};

enum row_kind view_entity_kind(const struct fold_entity *entity)
{
	return entity->is_inlined ? ROW_INLINE : kinds[entity->frame_kind];
}

const char *view_row_kind_name(enum row_kind kind)
{
	return kind_names[kind];
}

uint32_t view_run_number(const struct profile *profile, uint32_t run)
{
	return profile->rows && profile->rows->n_runs > 1 ? run + 1 : 0;
}

static void set_times(const struct profile *profile, struct view_row *row)
{
	const uint32_t index = (uint32_t)row->id - 1;
	const struct phase *phase = &profile->phases.phases[index];
	const uint64_t run_end_ns = profile_run_span(profile, phase->run).end_ns;

	row->start_ns = profile_since_start(profile, phase->run, phase->start_ns);
	row->duration_ns = phases_end_ns(&profile->phases, index, run_end_ns) - phase->start_ns;
	row->run = view_run_number(profile, phase->run);
}

size_t view_row_size(const struct view *view)
{
	const size_t n_costs = (view_is_flat(view) ? 4 : 3) * (size_t)view->n_columns;

	return sizeof(struct view_row) + n_costs * sizeof(uint64_t);
}

void view_row_init(const struct view *view, struct view_row *row, struct view_row *parent,
		   const struct fold_entity *entity)
{
	const size_t n_metrics = view->n_columns;
	uint64_t *costs = (uint64_t *)(row + 1);

	row->name = entity->name;
	row->module = entity->module;
	row->module_id = entity->module_id;
	row->lowest_offset = entity->lowest_offset;
	row->kind = view_entity_kind(entity);
	row->is_value = entity->frame_kind == FRAME_VALUE;
	row->id = entity->id;
	row->process = view->options.kind == VIEW_THREADS || view->options.kind == VIEW_EPOCHS
			       ? entity->process
			       : NULL;
	if (view_row_is_phase(row))
		set_times(view->profile, row);
	row->n_merged = entity->n_merged;
	row->file = entity->file;
	row->line = entity->line;
	row->self = costs;
	row->total = costs + n_metrics;
	row->samples = costs + 2 * n_metrics;
	if (view_is_flat(view))
		row->self_samples = costs + 3 * n_metrics;
	row->parent = parent;
	if (parent) {
		row->next = parent->children;
		parent->children = row;
	}
}

struct view_row *view_add_row(struct view *view, struct view_row *parent,
			      const struct fold_entity *entity)
{
	struct view_row *row = arena_alloc(&view->arena, view_row_size(view));

	if (row)
		view_row_init(view, row, parent, entity);
	return row;
}

/* Sorts rows by file and line, those without a line first. */
static int compare_lines(const struct view_row *a, const struct view_row *b)
{
	int by_file = !a->file || !b->file ? !!a->file - !!b->file : strcmp(a->file, b->file);

	if (by_file)
		return by_file;
	return (a->line > b->line) - (a->line < b->line);
}

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? !!a - !!b : strcmp(a, b);
}

static int compare_whose(const struct row_whose *a, const struct row_whose *b)
{
	int order = compare_texts(a->process, b->process);

	if (!order)
		order = (a->pid > b->pid) - (a->pid < b->pid);
	if (!order)
		order = compare_texts(a->thread, b->thread);
	if (!order)
		order = (a->tid > b->tid) - (a->tid < b->tid);
	return order ? order : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

int view_compare_names(const struct view_row *a, const struct view_row *b)
{
	int by_line = compare_lines(a, b);
	int by_name = by_line ? by_line : strcmp(a->name, b->name);

	if (by_name)
		return by_name;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	int by_module = strcmp(a->module, b->module);
	if (by_module)
		return by_module;
	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	return a->whose && b->whose ? compare_whose(a->whose, b->whose) : 0;
}

/* Those outside of phases come first. Epochs are in order of time in their process, in each run. */
static int compare_starts(const struct view_row *a, const struct view_row *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* Of two cycles, the functions in them. */
static int compare_steps(const struct view_row *a, const struct view_row *b)
{
	const struct view_row *x = a->children, *y = b->children;

	for (; x && y && x->function && y->function; x = x->next, y = y->next) {
		if (x->function->number != y->function->number)
			return x->function->number < y->function->number ? -1 : 1;
	}
	return !!x - !!y;
}

/*
 * Two callers, or two callees, of a function in a call graph are in the order in which these
 * functions are listed: functions with one name may differ in their costs in that list.
 */
static int compare_functions(const struct view_row *a, const struct view_row *b)
{
	if (!a->function || !b->function)
		return 0;
	return (a->function->number > b->function->number) -
	       (a->function->number < b->function->number);
}

static int compare_costs(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_metric(const struct view *view, uint32_t metric, const struct view_row *a,
			  const struct view_row *b)
{
	int order = 0;

	if (view->options.sort == SORT_SELF)
		order = compare_costs(a->self[metric], b->self[metric]);
	return order ? order : compare_costs(a->total[metric], b->total[metric]);
}

/* Negative: @a comes first. Other metrics decide between rows with equal costs in the first. */
static int compare_rows(const struct view *view, const struct view_row *a, const struct view_row *b)
{
	const bool has_costs = view->options.sort == SORT_TOTAL || view->options.sort == SORT_SELF;
	uint32_t n_metrics = has_costs ? view->profile->n_metrics : 0;
	int order = view->options.sort == SORT_START ? compare_starts(a, b) : 0;

	if (a->sort_cost != b->sort_cost)
		return compare_costs(a->sort_cost, b->sort_cost);
	if (n_metrics)
		order = compare_metric(view, view->options.sort_metric, a, b);
	for (uint32_t i = 0; !order && i < n_metrics; i++)
		order = compare_metric(view, i, a, b);
	if (!order)
		order = view_compare_names(a, b);
	if (!order)
		order = (a->lowest_offset > b->lowest_offset) -
			(a->lowest_offset < b->lowest_offset);
	if (!order)
		order = compare_functions(a, b);
	return order ? order : compare_steps(a, b);
}

struct thing {
	uint64_t cost;
	uint32_t thing;
};

/* One step of a radix sort: by one byte of the costs; stable. */
static void order_by_byte(const struct thing *from, struct thing *to, uint32_t n, unsigned shift)
{
	uint32_t next[256] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < n; i++)
		next[from[i].cost >> shift & 0xff]++;
	for (unsigned byte = 0; byte < 256; byte++) {
		const uint32_t n_of_byte = next[byte];

		next[byte] = sum;
		sum += n_of_byte;
	}
	for (uint32_t i = 0; i < n; i++)
		to[next[from[i].cost >> shift & 0xff]++] = from[i];
}

int view_order_by_cost(uint32_t *things, const uint64_t *costs, uint32_t n)
{
	_cleanup_free_ struct thing *room = calloc(((size_t)n + 1) * 2, sizeof(*room));
	uint64_t any = 0;

	if (!room)
		return -ENOMEM;
	struct thing *all = room, *other = room + n;
	for (uint32_t i = 0; i < n; i++) {
		all[i] = (struct thing){ .cost = costs[i], .thing = things[i] };
		any |= costs[i];
	}
	for (unsigned shift = 0; shift < 64 && any >> shift; shift += 8) {
		struct thing *ordered = other;

		order_by_byte(all, ordered, n, shift);
		other = all;
		all = ordered;
	}
	for (uint32_t i = 0; i < n; i++)
		things[i] = all[i].thing;
	return 0;
}

static struct view_row *merge_lists(const struct view *view, struct view_row *a, struct view_row *b)
{
	struct view_row *first = NULL, **last = &first;

	while (a && b) {
		struct view_row **lower = compare_rows(view, b, a) < 0 ? &b : &a;

		*last = *lower;
		last = &(*lower)->next;
		*lower = *last;
	}
	*last = a ? a : b;
	return first;
}

static uint64_t sort_cost(const struct view *view, const struct view_row *row)
{
	if (view->options.sort == SORT_TOTAL)
		return row->total[view->options.sort_metric];
	return view->options.sort == SORT_SELF ? row->self[view->options.sort_metric] : 0;
}

/* Notes what decides first. Whether rows are in that order. */
static bool note_costs(const struct view *view, struct view_row *rows)
{
	bool is_ordered = true;

	rows->sort_cost = sort_cost(view, rows);
	for (; rows->next; rows = rows->next) {
		rows->next->sort_cost = sort_cost(view, rows->next);
		is_ordered &= rows->sort_cost >= rows->next->sort_cost;
	}
	return is_ordered;
}

static bool are_sorted(const struct view *view, const struct view_row *rows)
{
	for (; rows->next; rows = rows->next) {
		if (compare_rows(view, rows, rows->next) > 0)
			return false;
	}
	return true;
}

/* Bottom-up merge sort: runs[i] is empty or a sorted list of 2^i rows. */
static struct view_row *sort_list(const struct view *view, struct view_row *rest)
{
	struct view_row *runs[64] = { NULL }, *sorted = NULL;
	size_t n_runs = 0;

	while (rest) {
		struct view_row *run = rest;
		size_t i;

		rest = rest->next;
		run->next = NULL;
		for (i = 0; runs[i]; i++) {
			run = merge_lists(view, runs[i], run);
			runs[i] = NULL;
		}
		runs[i] = run;
		n_runs = i < n_runs ? n_runs : i + 1;
	}
	for (size_t i = 0; i < n_runs; i++)
		sorted = merge_lists(view, runs[i], sorted);
	return sorted;
}

/* The last row of those that have the first one's cost. */
static struct view_row *last_of_cost(struct view_row *row)
{
	const uint64_t cost = row->sort_cost;

	while (row->next && row->next->sort_cost == cost)
		row = row->next;
	return row;
}

/* Rows are in the order of their costs: rows of equal costs are sorted by the rest. */
static void sort_equal(const struct view *view, struct view_row **first)
{
	while (*first) {
		struct view_row *last = last_of_cost(*first), *rest = last->next;

		last->next = NULL;
		if (last != *first && !are_sorted(view, *first))
			*first = sort_list(view, *first);
		while (*first)
			first = &(*first)->next;
		*first = rest;
	}
}

void view_sort_children(const struct view *view, struct view_row *row)
{
	if (!row->children || !row->children->next)
		return;
	if (note_costs(view, row->children))
		sort_equal(view, &row->children);
	else
		row->children = sort_list(view, row->children);
}
