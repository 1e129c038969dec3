#include "report/findings/missing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"

/*
 * Costs by module. A walk over the tree counts how often each module is on the path; only its
 * outermost occurrence adds to its total.
 */
struct walk {
	const struct cct *cct;
	const bool *is_counted; /* by frame; NULL: all are */
	uint64_t *inclusive;    /* by node and metric */
	uint32_t *on_path;      /* by module */
	uint64_t *total, *self; /* by module and metric */
};

static void add(uint64_t *to, const uint64_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* Parents have lower numbers than their children. */
static void sum_up(struct walk *walk)
{
	uint32_t n = walk->cct->n_metrics;

	for (uint32_t node = walk->cct->n_nodes; node-- > 0;) {
		uint64_t *costs = &walk->inclusive[(size_t)node * n];

		for (uint32_t i = 0; i < n; i++)
			costs[i] += cct_cost(walk->cct, node, i)->weight;
		if (node)
			add(&walk->inclusive[(size_t)walk->cct->nodes[node].parent * n], costs, n);
	}
}

static bool is_counted(const struct walk *walk, uint32_t node)
{
	return !walk->is_counted || walk->is_counted[walk->cct->nodes[node].frame];
}

static void enter(struct walk *walk, uint32_t node)
{
	uint32_t n = walk->cct->n_metrics, module = cct_frame(walk->cct, node)->module;

	if (!is_counted(walk, node))
		return;
	for (uint32_t i = 0; i < n; i++)
		walk->self[(size_t)module * n + i] += cct_cost(walk->cct, node, i)->weight;
	if (!walk->on_path[module]++)
		add(&walk->total[(size_t)module * n], &walk->inclusive[(size_t)node * n], n);
}

/* Depth first, without a stack: trees may be as deep as the input made them. */
static void walk_nodes(struct walk *walk)
{
	const struct cct_node *nodes = walk->cct->nodes;
	uint32_t node = CCT_ROOT;

	enter(walk, node);
	for (;;) {
		uint32_t next = nodes[node].first_child;

		while (next == CCT_NONE) {
			if (is_counted(walk, node))
				walk->on_path[cct_frame(walk->cct, node)->module]--;
			if (node == CCT_ROOT)
				return;
			next = nodes[node].next_sibling;
			if (next == CCT_NONE)
				node = nodes[node].parent;
		}
		node = next;
		enter(walk, node);
	}
}

/* The total costs of all modules, followed by their self costs. @is_counted: as in struct walk. */
static int find_costs(const struct profile *profile, const bool *is_counted, uint64_t **costs_ret)
{
	const struct cct *cct = profile->cct;
	size_t n_modules = profile->modules.n_modules, n = cct->n_metrics;
	uint64_t *costs = calloc(2 * n_modules * n + 1, sizeof(*costs));
	struct walk walk = { .cct = cct, .is_counted = is_counted, .total = costs };

	walk.inclusive = calloc((size_t)cct->n_nodes * n + 1, sizeof(*walk.inclusive));
	walk.on_path = calloc(n_modules + 1, sizeof(*walk.on_path));
	bool is_complete = costs && walk.inclusive && walk.on_path;
	if (is_complete) {
		walk.self = costs + n_modules * n;
		sum_up(&walk);
		walk_nodes(&walk);
		*costs_ret = costs;
	} else {
		free(costs);
	}
	free(walk.inclusive);
	free(walk.on_path);
	return is_complete ? 0 : -ENOMEM;
}

uint64_t missing_cost(const struct missing *missing, uint32_t metric)
{
	return missing->problem.lack == LACKS_DEBUG_INFO ? missing->self[metric]
							 : missing->total[metric];
}

static int compare(const void *a, const void *b, void *context)
{
	const struct missing *x = a, *y = b;
	uint32_t metric = *(const uint32_t *)context;

	if (x->problem.lack != y->problem.lack)
		return x->problem.lack < y->problem.lack ? -1 : 1;
	uint64_t x_cost = missing_cost(x, metric), y_cost = missing_cost(y, metric);
	if (x_cost != y_cost)
		return x_cost > y_cost ? -1 : 1;
	return x->problem.module < y->problem.module ? -1 : x->problem.module > y->problem.module;
}

/* Which frames have no name, of modules that have such: each was read for a name before. */
static int find_unnamed(const struct profile *profile, struct symbolizer *symbolizer,
			const bool *has_unnamed, bool **is_unnamed_ret)
{
	const struct frame_ids *frames = &profile->cct->frames;
	_cleanup_free_ bool *is_unnamed = calloc((size_t)frames->n_frames + 1, sizeof(*is_unnamed));

	if (!is_unnamed)
		return -ENOMEM;
	for (uint32_t i = 0; i < frames->n_frames; i++) {
		struct frame_name name;

		if (!has_unnamed[frames->frames[i].module])
			continue;
		int err = symbolizer_name(symbolizer, &frames->frames[i], &name);
		if (err)
			return err;
		is_unnamed[i] = !name.symbol;
	}
	*is_unnamed_ret = is_unnamed;
	is_unnamed = NULL;
	return 0;
}

static int find_unnamed_costs(struct missing_list *list, const struct profile *profile,
			      struct symbolizer *symbolizer, const struct symbol_problem *problems,
			      size_t n)
{
	_cleanup_free_ bool *has_unnamed =
		calloc((size_t)profile->modules.n_modules + 1, sizeof(*has_unnamed));
	_cleanup_free_ bool *is_unnamed = NULL;
	bool any = false;

	if (!has_unnamed)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (problems[i].lack == LACKS_NAMES)
			any = has_unnamed[problems[i].module] = true;
	}
	if (!any)
		return 0;
	int err = find_unnamed(profile, symbolizer, has_unnamed, &is_unnamed);
	return err ? err : find_costs(profile, is_unnamed, &list->unnamed_costs);
}

static int fill(struct missing_list *list, const struct profile *profile,
		struct symbolizer *symbolizer)
{
	size_t n_modules = profile->modules.n_modules, n_metrics = profile->cct->n_metrics;
	size_t max = n_modules * NAME_PROBLEMS_MAX;
	_cleanup_free_ struct symbol_problem *problems = calloc(max + 1, sizeof(*problems));

	if (!problems)
		return -ENOMEM;
	size_t n = symbolizer_problems(symbolizer, problems, max);
	list->items = calloc(n + 1, sizeof(*list->items));
	if (!list->items)
		return -ENOMEM;
	int err = find_unnamed_costs(list, profile, symbolizer, problems, n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		const uint64_t *costs =
			problems[i].lack == LACKS_NAMES ? list->unnamed_costs : list->costs;
		const uint64_t *total = costs + problems[i].module * n_metrics;

		list->items[list->n++] = (struct missing){ .problem = problems[i],
							   .total = total,
							   .self = total + n_modules * n_metrics };
	}
	return 0;
}

int missing_list_init(struct missing_list *list, const struct profile *profile,
		      struct symbolizer *symbolizer, uint32_t sort_metric)
{
	*list = (struct missing_list){ .n = 0 };
	int err = find_costs(profile, NULL, &list->costs);
	if (!err)
		err = fill(list, profile, symbolizer);
	if (err) {
		missing_list_deinit(list);
		return err;
	}
	if (list->n && sort_metric < profile->cct->n_metrics)
		qsort_r(list->items, list->n, sizeof(*list->items), compare, &sort_metric);
	return 0;
}

void missing_list_deinit(struct missing_list *list)
{
	free(list->items);
	free(list->costs);
	free(list->unnamed_costs);
	*list = (struct missing_list){ .n = 0 };
}

size_t missing_list_stripped(const struct missing_list *list, const struct profile *profile,
			     uint32_t metric, double least, const char **paths, size_t n_max)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n && n < n_max; i++) {
		const struct symbol_problem *problem = &list->items[i].problem;
		const struct module *module = module_table_get(&profile->modules, problem->module);
		bool is_stripped = problem->lack != LACKS_CERTAINTY && !problem->is_changed &&
				   !problem->error && problem->build_id.size;

		if (is_stripped && module->key.kind == MODULE_ELF && *module->key.path == '/' &&
		    (double)missing_cost(&list->items[i], metric) >= least)
			paths[n++] = module->key.path;
	}
	return n;
}

const char *missing_lack_name(enum symbol_lack lack)
{
	switch (lack) {
	case LACKS_NAMES:
		return "names";
	case LACKS_DEBUG_INFO:
		return "debug information";
	case LACKS_CERTAINTY:
		return "certainty";
	}
	return "";
}
