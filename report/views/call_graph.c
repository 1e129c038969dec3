/*
 * One walk over the fold finds all numbers. A node is the most recent activation of its function
 * for all paths through it but those that lead through another node of that function below: its
 * arcs get its cost, and lose that of the topmost such nodes again.
 */
#include "report/views/call_graph.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/pair_map.h"
#include "report/fold/fold_walk.h"

#define NONE UINT32_MAX

/* A node of the present path. */
struct activation {
	uint32_t caller; /* entity; direct recursion has the caller of the first activation */
	uint32_t outer;  /* the activation of the same function above, on the path; NONE: it is the
			    outermost */
	uint32_t cycle;
};

/* The walk, which charges costs to rows. */
struct charge {
	struct call_graph *graph;
	struct view *view;
	const struct fold *fold;
	uint32_t n_metrics;
	struct pair_map arc_of; /* (caller, callee) */
	struct activation *path;
	uint32_t *path_entities;
	uint32_t n_path, n_path_allocated, n_entities_allocated;
	uint32_t *last;     /* entity -> its last activation on the path */
	uint64_t *self_sum; /* [entity * n_metrics]: self costs of the nodes entered so far */
	/*
	 * [place on the path * 2 * n_metrics]: self_sum when the activation was entered, of its
	 * function and of the one that the outer activation called.
	 */
	uint64_t *sums_before;
	size_t n_sums_allocated;
};

static void charge_deinit(struct charge *charge)
{
	pair_map_deinit(&charge->arc_of);
	free(charge->path);
	free(charge->path_entities);
	free(charge->last);
	free(charge->self_sum);
	free(charge->sums_before);
}

static int charge_init(struct charge *charge, struct call_graph *graph, struct view *view,
		       const struct fold *fold)
{
	size_t n = fold->n_entities;

	*charge = (struct charge){
		.graph = graph,
		.view = view,
		.fold = fold,
		.n_metrics = fold->n_metrics,
		.last = malloc(n * sizeof(*charge->last)),
		.self_sum = calloc(n * fold->n_metrics + 1, sizeof(*charge->self_sum)),
	};
	if (!charge->last || !charge->self_sum) {
		charge_deinit(charge);
		return -ENOMEM;
	}
	memset(charge->last, 0xff, n * sizeof(*charge->last));
	return 0;
}

static void subtract_cost(uint64_t *from, const uint64_t *cost, uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++)
		from[i] -= cost[i];
}

/* Adds what was added to @now since it was @before. */
static void add_increase(uint64_t *to, const uint64_t *now, const uint64_t *before,
			 uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++)
		to[i] += now[i] - before[i];
}

static void add_total(const struct charge *charge, struct view_row *row, uint32_t node)
{
	size_t at = (size_t)node * charge->n_metrics;

	view_add_cost(row->total, charge->fold->total + at, charge->n_metrics);
	view_add_cost(row->samples, charge->fold->samples + at, charge->n_metrics);
}

static void subtract_total(const struct charge *charge, struct view_row *row, uint32_t node)
{
	size_t at = (size_t)node * charge->n_metrics;

	subtract_cost(row->total, charge->fold->total + at, charge->n_metrics);
	subtract_cost(row->samples, charge->fold->samples + at, charge->n_metrics);
}

static struct view_row *function_row(struct charge *charge, uint32_t entity)
{
	struct view_row **row = &charge->graph->functions[entity];

	if (!*row)
		*row = view_add_row(charge->view, NULL, &charge->fold->entities[entity]);
	return *row;
}

static int add_arc(struct charge *charge, uint32_t caller, uint32_t callee)
{
	const struct fold_entity *entities = charge->fold->entities;
	struct view *view = charge->view;

	if (array_reserve(charge->graph->arcs, charge->graph->n_arcs,
			  charge->graph->n_arcs_allocated, 1))
		return -ENOMEM;
	struct call_arc *arc = &charge->graph->arcs[charge->graph->n_arcs];
	*arc = (struct call_arc){ .caller = caller, .callee = callee };
	arc->in = view_add_row(view, NULL, &entities[caller]);
	if (caller != CALL_GRAPH_NO_CALLER)
		arc->out = view_add_row(view, NULL, &entities[callee]);
	if (!arc->in || (caller != CALL_GRAPH_NO_CALLER && !arc->out))
		return -ENOMEM;
	return pair_map_add(&charge->arc_of, caller, callee, charge->graph->n_arcs++);
}

/* Finds or adds an arc; valid until the next one. NULL: out of memory. */
static struct call_arc *find_arc(struct charge *charge, uint32_t caller, uint32_t callee)
{
	uint32_t index = pair_map_find(&charge->arc_of, caller, callee);

	if (index == PAIR_MAP_NONE) {
		index = charge->graph->n_arcs;
		if (add_arc(charge, caller, callee))
			return NULL;
	}
	return &charge->graph->arcs[index];
}

static struct activation *push(struct charge *charge, uint32_t entity)
{
	uint32_t n = charge->n_path;
	size_t n_sums = (size_t)2 * charge->n_metrics;

	if (array_reserve(charge->path, n, charge->n_path_allocated, 1) ||
	    array_reserve(charge->path_entities, n, charge->n_entities_allocated, 1) ||
	    array_reserve(charge->sums_before, n * n_sums, charge->n_sums_allocated, n_sums))
		return NULL;
	charge->path_entities[n] = entity;
	charge->path[n] = (struct activation){ .outer = charge->last[entity], .cycle = NONE };
	charge->last[entity] = n;
	charge->n_path++;
	return &charge->path[n];
}

/* Whether the activation was called by another of its function. */
static bool is_direct(const struct charge *charge, uint32_t place)
{
	return charge->path[place].outer != NONE && charge->path[place].outer + 1 == place;
}

static int add_cycle_row(struct charge *charge, uint32_t cycle)
{
	const struct call_cycle *made = &charge->graph->cycles.cycles[cycle];

	if (cycle < charge->graph->n_cycle_rows)
		return 0;
	if (array_reserve(charge->graph->cycle_rows, charge->graph->n_cycle_rows,
			  charge->graph->n_cycle_rows_allocated, 1))
		return -ENOMEM;
	struct view_row *row =
		view_add_row(charge->view, NULL,
			     &charge->fold->entities[charge->graph->cycles.entities[made->first]]);
	if (!row)
		return -ENOMEM;
	charge->graph->cycle_rows[charge->graph->n_cycle_rows++] = row;
	return 0;
}

/* The function of the last activation has called itself by way of others. */
static int note_cycle(struct charge *charge, uint32_t node, struct activation *activation)
{
	uint32_t outer = activation->outer, n = charge->n_path - 1 - outer;
	int err = call_cycles_find(&charge->graph->cycles, charge->path_entities + outer, n,
				   &activation->cycle);

	if (err || activation->cycle == CALL_CYCLES_NONE)
		return err;
	err = add_cycle_row(charge, activation->cycle);
	if (!err && !charge->graph->cycles.cycles[activation->cycle].on_path++)
		add_total(charge, charge->graph->cycle_rows[activation->cycle], node);
	return err;
}

/* What the outer activation had of the paths through @node belongs to @node now. */
static int end_outer(struct charge *charge, uint32_t node, struct activation *activation)
{
	uint32_t outer = activation->outer, entity = charge->path_entities[outer];
	uint32_t called = charge->path_entities[outer + 1];
	uint64_t *before =
		charge->sums_before + ((size_t)charge->n_path * 2 - 1) * charge->n_metrics;
	struct call_arc *in = find_arc(charge, charge->path[outer].caller, entity);

	if (!in)
		return -ENOMEM;
	subtract_total(charge, in->in, node);
	struct call_arc *out = find_arc(charge, entity, called);
	if (!out)
		return -ENOMEM;
	subtract_total(charge, out->out, node);
	memcpy(before, charge->self_sum + (size_t)called * charge->n_metrics,
	       charge->n_metrics * sizeof(*before));
	return note_cycle(charge, node, activation);
}

/* Adds the cost of a call that is not direct recursion. */
static int enter_call(struct charge *charge, uint32_t node, struct activation *activation,
		      const struct call_arc *arc)
{
	uint32_t n_metrics = charge->n_metrics, entity = charge->fold->nodes[node].entity;

	add_total(charge, arc->in, node);
	if (arc->out)
		add_total(charge, arc->out, node);
	memcpy(charge->sums_before + ((size_t)charge->n_path - 1) * 2 * n_metrics,
	       charge->self_sum + (size_t)entity * n_metrics, n_metrics * sizeof(uint64_t));
	return activation->outer == NONE ? 0 : end_outer(charge, node, activation);
}

static uint32_t find_caller(const struct charge *charge, uint32_t place)
{
	if (is_direct(charge, place))
		return charge->path[place - 1].caller;
	return place ? charge->path_entities[place - 1] : CALL_GRAPH_NO_CALLER;
}

static void count_calls(const struct call_arc *arc, uint64_t n)
{
	arc->in->activations += n;
	if (arc->out)
		arc->out->activations += n;
}

static int enter_function(struct charge *charge, uint32_t node, struct view_row *row)
{
	uint32_t entity = charge->fold->nodes[node].entity, place = charge->n_path;
	const uint64_t *self = charge->fold->self + (size_t)node * charge->n_metrics;
	struct activation *activation = push(charge, entity);

	if (!activation)
		return -ENOMEM;
	activation->caller = find_caller(charge, place);
	struct call_arc *arc = find_arc(charge, activation->caller, entity);
	if (!arc)
		return -ENOMEM;
	view_add_cost(row->self, self, charge->n_metrics);
	view_add_cost(arc->in->self, self, charge->n_metrics);
	row->activations += fold_activations(charge->fold, node);
	if (!is_direct(charge, place))
		count_calls(arc, fold_activations(charge->fold, node));
	if (activation->outer == NONE) {
		add_total(charge, row, node);
		view_raise_longest(row, fold_longest(charge->fold, node));
	}
	int err = is_direct(charge, place) ? 0 : enter_call(charge, node, activation, arc);
	view_add_cost(charge->self_sum + (size_t)entity * charge->n_metrics, self,
		      charge->n_metrics);
	return err;
}

/* Samples without frames belong to the row of their process, which has no arcs. */
static void enter_other(struct charge *charge, uint32_t node, struct view_row *row)
{
	uint32_t n_metrics = charge->n_metrics;
	size_t at = (size_t)node * n_metrics;

	view_add_cost(row->self, charge->fold->self + at, n_metrics);
	view_add_cost(row->total, charge->fold->self + at, n_metrics);
	view_add_cost(row->samples, charge->fold->self_samples + at, n_metrics);
	view_raise_longest(row, fold_self_longest(charge->fold, node));
}

static bool is_function(const struct charge *charge, uint32_t node)
{
	return entity_is_code(&charge->fold->entities[charge->fold->nodes[node].entity]);
}

static int enter(struct charge *charge, uint32_t node)
{
	struct view_row *row = function_row(charge, charge->fold->nodes[node].entity);

	if (!row)
		return -ENOMEM;
	if (is_function(charge, node))
		return enter_function(charge, node, row);
	enter_other(charge, node, row);
	return 0;
}

/* The self costs of the callee within the call are on the arc; within a recursive one they are on
 * the arc of that. */
static int leave_call(struct charge *charge, uint32_t place)
{
	const struct activation *activation = &charge->path[place];
	uint32_t entity = charge->path_entities[place], n_metrics = charge->n_metrics;
	const uint64_t *before = charge->sums_before + (size_t)place * 2 * n_metrics;
	struct call_arc *arc = find_arc(charge, activation->caller, entity);

	if (!arc)
		return -ENOMEM;
	if (arc->out)
		add_increase(arc->out->self, charge->self_sum + (size_t)entity * n_metrics, before,
			     n_metrics);
	if (activation->outer == NONE)
		return 0;
	uint32_t called = charge->path_entities[activation->outer + 1];
	arc = find_arc(charge, entity, called);
	if (!arc)
		return -ENOMEM;
	add_increase(arc->out->self, before + n_metrics,
		     charge->self_sum + (size_t)called * n_metrics, n_metrics);
	return 0;
}

static int leave(struct charge *charge, uint32_t node)
{
	if (!is_function(charge, node))
		return 0;
	assert(charge->n_path);
	uint32_t place = --charge->n_path;
	const struct activation *activation = &charge->path[place];
	int err = is_direct(charge, place) ? 0 : leave_call(charge, place);

	charge->last[charge->path_entities[place]] = activation->outer;
	if (activation->cycle != NONE)
		charge->graph->cycles.cycles[activation->cycle].on_path--;
	return err;
}

static int walk(struct charge *charge)
{
	struct fold_walk steps;
	int err = fold_walk_init(&steps, charge->fold);

	if (err)
		return err;
	while (!err && fold_walk_next(&steps))
		err = steps.is_leaving ? leave(charge, steps.node) : enter(charge, steps.node);
	fold_walk_deinit(&steps);
	return err;
}

static int fill(struct call_graph *graph, struct view *view, const struct fold *fold)
{
	struct charge charge;
	int err = charge_init(&charge, graph, view, fold);

	if (err)
		return err;
	err = walk(&charge);
	charge_deinit(&charge);
	return err;
}

int call_graph_init(struct call_graph *graph, struct view *view, const struct fold *fold)
{
	*graph = (struct call_graph){
		.functions = calloc(fold->n_entities, sizeof(struct view_row *)),
	};
	int err = graph->functions ? call_cycles_init(&graph->cycles, fold->n_entities) : -ENOMEM;

	if (!err)
		err = fill(graph, view, fold);
	if (err)
		call_graph_deinit(graph);
	return err;
}

void call_graph_deinit(struct call_graph *graph)
{
	free(graph->functions);
	free(graph->arcs);
	call_cycles_deinit(&graph->cycles);
	free(graph->cycle_rows);
}
