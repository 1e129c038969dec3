#include "report/views/view_hot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/view_flat.h"

const char *heat_name(enum heat heat)
{
	static const char *const names[] = {
		[HEAT_COLD] = "cold", [HEAT_SPARSE] = "sparse", [HEAT_DENSE] = "dense"
	};

	return names[heat];
}

double heat_density(const struct heat_costs *costs, const struct heat_costs *whole)
{
	if (!costs->per)
		return INFINITY;
	return (double)costs->metric / (double)costs->per * (double)whole->per /
	       (double)whole->metric;
}

static enum heat find_heat(const struct heat_costs *costs, const struct heat_costs *whole,
			   double threshold_percent)
{
	if (!costs->metric ||
	    (double)costs->metric * 100 < threshold_percent * (double)whole->metric)
		return HEAT_COLD;
	if ((unsigned __int128)costs->metric * whole->per >
	    (unsigned __int128)whole->metric * costs->per)
		return HEAT_DENSE;
	return HEAT_SPARSE;
}

static struct heat_costs costs_of(const struct view *view, const uint64_t *costs)
{
	return (struct heat_costs){ costs[view->options.sort_metric],
				    costs[view->options.per_metric] };
}

enum heat heat_classify(struct heat_class *classes, const struct heat_costs *costs,
			const struct heat_costs *whole, double threshold_percent)
{
	enum heat heat = find_heat(costs, whole, threshold_percent);

	if (!costs->metric && !costs->per)
		return HEAT_COLD;
	classes[heat].n++;
	classes[heat].sum.metric += costs->metric;
	classes[heat].sum.per += costs->per;
	return heat;
}

static enum heat classify(struct view *view, struct heat_class *classes,
			  const struct heat_costs *costs)
{
	return heat_classify(classes, costs, &view->hot->whole, view->options.threshold_percent);
}

/* Processes and threads are no callers. */
static int name_nodes(struct view *view, const struct fold *fold)
{
	struct hot_node *nodes = arena_alloc(&view->arena, fold->n_nodes * sizeof(*nodes));

	if (!nodes)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		uint32_t parent = fold->nodes[i].parent;

		nodes[i].name = fold->entities[fold->nodes[i].entity].name;
		if (entity_is_code(&fold->entities[fold->nodes[parent].entity]))
			nodes[i].parent = parent;
	}
	view->hot->nodes = nodes;
	return 0;
}

/* By the names of their functions, from the innermost out. */
static int compare_callers(const struct hot_node *nodes, uint32_t a, uint32_t b)
{
	while (a && b && a != b) {
		int by_name = strcmp(nodes[a].name, nodes[b].name);

		if (by_name)
			return by_name;
		a = nodes[a].parent;
		b = nodes[b].parent;
	}
	return (a > b) - (a < b);
}

/* The hottest come first. Their order does not depend on that of the fold's nodes. */
static int compare_contexts(const void *a, const void *b, void *nodes)
{
	const struct hot_context *x = a, *y = b;

	if (x->costs.metric != y->costs.metric)
		return x->costs.metric > y->costs.metric ? -1 : 1;
	if (x->costs.per != y->costs.per)
		return x->costs.per > y->costs.per ? -1 : 1;
	return compare_callers(nodes, x->node, y->node);
}

/* Counts the contexts of all classes. @heats: by node. */
static uint32_t classify_contexts(struct view *view, const struct fold *fold, uint8_t *heats)
{
	uint32_t n_hot = 0;

	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		struct heat_costs costs = costs_of(view, fold->self + (size_t)i * fold->n_metrics);

		heats[i] = (uint8_t)classify(view, view->hot->contexts, &costs);
		n_hot += heats[i] != HEAT_COLD;
	}
	return n_hot;
}

static void list_contexts(struct view *view, const struct fold *fold, const uint8_t *heats)
{
	struct hot_view *hot = view->hot;

	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		if (heats[i] == HEAT_COLD)
			continue;
		struct hot_context *context = &hot->hottest[hot->n_hottest++];
		context->heat = (enum heat)heats[i];
		context->node = i;
		context->costs = costs_of(view, fold->self + (size_t)i * fold->n_metrics);
	}
	qsort_r(hot->hottest, hot->n_hottest, sizeof(*hot->hottest), compare_contexts, hot->nodes);
}

static int find_contexts(struct view *view, const struct fold *fold)
{
	uint8_t *heats = calloc(fold->n_nodes, sizeof(*heats));

	if (!heats)
		return -ENOMEM;
	uint32_t n_hot = classify_contexts(view, fold, heats);
	view->hot->hottest = arena_alloc(&view->arena, (n_hot + 1ul) * sizeof(*view->hot->hottest));
	int err = view->hot->hottest ? name_nodes(view, fold) : -ENOMEM;
	if (!err)
		list_contexts(view, fold, heats);
	free(heats);
	return err;
}

int view_fill_hot(struct view *view, const struct fold *fold)
{
	if (view->options.per_metric >= fold->n_metrics)
		return -EINVAL;
	view->hot = arena_alloc(&view->arena, sizeof(*view->hot));
	if (!view->hot)
		return -ENOMEM;
	int err = view_fill_flat(view, fold);
	if (err)
		return err;
	view->hot->whole = costs_of(view, fold->total);
	for (struct view_row *row = view->root->children; row; row = row->next) {
		struct heat_costs costs = costs_of(view, row->self);

		row->heat = classify(view, view->hot->functions, &costs);
	}
	return find_contexts(view, fold);
}
