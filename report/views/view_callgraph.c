#include "report/views/view_callgraph.h"

#include <errno.h>
#include <string.h>

#include "report/views/call_graph.h"

static bool has_samples(const struct view *view, const struct view_row *row)
{
	for (uint32_t i = 0; row && i < view->profile->n_metrics; i++) {
		if (row->samples[i])
			return true;
	}
	return false;
}

static void put_below(struct view_row *row, struct view_row *parent)
{
	row->parent = parent;
	row->next = parent->children;
	parent->children = row;
}

static bool have_equal_costs(const struct view *view, const struct call_arc *arc)
{
	size_t n_bytes = view->profile->n_metrics * sizeof(uint64_t);

	return memcmp(arc->in->self, arc->out->self, n_bytes) == 0 &&
	       memcmp(arc->in->total, arc->out->total, n_bytes) == 0;
}

static void name_missing_caller(struct view_row *row)
{
	row->name = "[no caller]";
	row->kind = ROW_MARKER;
}

/* An arc that was never that of a most recent activation has no samples, and no row. */
static void place_arcs(const struct view *view, const struct call_graph *graph, enum row_arc kind)
{
	for (uint32_t i = 0; i < graph->n_arcs; i++) {
		const struct call_arc *arc = &graph->arcs[i];
		bool is_in = kind == ARC_FROM_CALLER;
		struct view_row *row = is_in ? arc->in : arc->out;

		if (!has_samples(view, row))
			continue;
		row->arc = kind;
		if (is_in && arc->caller == CALL_GRAPH_NO_CALLER)
			name_missing_caller(row);
		else
			row->function = graph->functions[is_in ? arc->caller : arc->callee];
		row->differs = row->function && !have_equal_costs(view, arc);
		put_below(row, graph->functions[is_in ? arc->callee : arc->caller]);
	}
}

/* Callers come before callees. */
static void place_all_arcs(struct view *view, const struct call_graph *graph)
{
	place_arcs(view, graph, ARC_TO_CALLEE);
	for (struct view_row *row = view->root->children; row; row = row->next) {
		view_sort_children(view, row);
		row->callees = row->children;
		row->children = NULL;
	}
	place_arcs(view, graph, ARC_FROM_CALLER);
	for (struct view_row *row = view->root->children; row; row = row->next) {
		struct view_row **end = &row->children;

		view_sort_children(view, row);
		while (*end)
			end = &(*end)->next;
		*end = row->callees;
	}
}

static void place_functions(struct view *view, const struct call_graph *graph, uint32_t n_entities)
{
	struct view_row *root = view->root;
	uint32_t number = 0;

	for (uint32_t i = 0; i < n_entities; i++) {
		if (has_samples(view, graph->functions[i]))
			put_below(graph->functions[i], root);
	}
	view_sort_children(view, root);
	for (struct view_row *row = root->children; row; row = row->next)
		row->number = ++number;
}

/* The place in a cycle of its function with the smallest number. */
static uint32_t find_first(const struct call_graph *graph, const struct call_cycle *cycle)
{
	const uint32_t *entities = graph->cycles.entities + cycle->first;
	uint32_t first = 0;

	for (uint32_t i = 1; i < cycle->n; i++) {
		if (graph->functions[entities[i]]->number <
		    graph->functions[entities[first]]->number)
			first = i;
	}
	return first;
}

/* All that a row is told from others by, and sorted by where costs are equal. */
static void take_name(struct view_row *row, const struct view_row *from)
{
	row->name = from->name;
	row->module = from->module;
	row->module_id = from->module_id;
	row->kind = from->kind;
	row->id = from->id;
	row->file = from->file;
	row->line = from->line;
	row->lowest_offset = from->lowest_offset;
}

/* A cycle is shown from its function with the smallest number on, whichever was met first. */
static int place_cycle(struct view *view, const struct call_graph *graph, const struct fold *fold,
		       uint32_t index)
{
	const struct call_cycle *cycle = &graph->cycles.cycles[index];
	struct view_row *row = graph->cycle_rows[index];
	uint32_t first = find_first(graph, cycle);

	for (uint32_t i = cycle->n; i-- > 0;) {
		uint32_t entity = graph->cycles.entities[cycle->first + (first + i) % cycle->n];
		struct view_row *step = view_add_row(view, row, &fold->entities[entity]);

		if (!step)
			return -ENOMEM;
		step->function = graph->functions[entity];
	}
	take_name(row, row->children);
	if (has_samples(view, row))
		put_below(row, view->cycles);
	return 0;
}

static int place_cycles(struct view *view, const struct call_graph *graph, const struct fold *fold)
{
	view->cycles = view_add_row(view, NULL, &fold->entities[0]);
	if (!view->cycles)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->n_cycle_rows; i++) {
		int err = place_cycle(view, graph, fold, i);

		if (err)
			return err;
	}
	view_sort_children(view, view->cycles);
	return 0;
}

int view_fill_callgraph(struct view *view, const struct fold *fold)
{
	struct call_graph graph;
	int err = call_graph_init(&graph, view, fold);

	if (err)
		return err;
	place_functions(view, &graph, fold->n_entities);
	place_all_arcs(view, &graph);
	err = place_cycles(view, &graph, fold);
	call_graph_deinit(&graph);
	return err;
}
