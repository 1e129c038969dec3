#include "report/stacks/call_costs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/hash.h"
#include "cct/base/hash_table.h"
#include "cct/text/string_ids.h"

struct counting {
	const struct profile *profile;
	const struct stack_tree *tree;
	const struct path_groups *groups;
	struct call_costs *costs;
	uint32_t *names;           /* by function of the tree: equal for those of equal names */
	uint32_t *levels;          /* by name: on the present path */
	uint32_t *function_of;     /* by node of the tree: of ->costs */
	uint32_t *group_function;  /* by group: likewise */
	uint64_t *weights;         /* [node of the tree * n_metrics + metric] */
	uint64_t *samples;         /* by node of the tree: of all metrics */
	struct pair_map functions; /* (name, level) -> function of ->costs */
	struct hash_table entries; /* costs by functions, file and line */
};

/* -- costs by what they are of ---------------------------------------------------------------- */

/* A slot is the number of a cost, plus 1; the owner is ->costs. Equal files are one string. */
static bool slot_is_used(const void *slot)
{
	return *(const uint32_t *)slot != 0;
}

static const struct call_cost *slot_cost(const void *slot, const void *owner)
{
	return (const struct call_cost *)owner + *(const uint32_t *)slot - 1;
}

static bool slot_has_key(const void *slot, const void *key, const void *owner)
{
	const struct call_cost *cost = slot_cost(slot, owner), *wanted = key;

	return cost->function == wanted->function && cost->called == wanted->called &&
	       cost->file == wanted->file && cost->line == wanted->line;
}

static uint32_t hash_of(const struct call_cost *cost)
{
	return hash_pair((uint64_t)cost->function << 32 | cost->called,
			 (uintptr_t)cost->file ^ (uint64_t)cost->line << 32);
}

static uint32_t slot_hash(const void *slot, const void *owner)
{
	return hash_of(slot_cost(slot, owner));
}

static const struct hash_table_type costs_by_line = {
	.slot_size = sizeof(uint32_t),
	.first_slots = 1024,
	.is_used = slot_is_used,
	.has_key = slot_has_key,
	.hash = slot_hash,
};

/* -- functions -------------------------------------------------------------------------------- */

/* Functions of the same name, file and module are one to other programs. */
static int find_names(struct counting *counting)
{
	const struct stack_tree *tree = counting->tree;
	struct string_ids ids = { 0 };
	int err = 0;

	for (uint32_t i = 0; !err && i < tree->n_functions; i++) {
		const struct stack_function *function = &tree->functions[i];
		_cleanup_free_ char *text = NULL;
		bool is_new;

		if (asprintf(&text, "%u\n%s\n%s", function->module,
			     function->file ? function->file : "", function->name) < 0)
			err = -ENOMEM;
		else
			err = string_ids_add(&ids, text, &counting->names[i], &is_new);
	}
	string_ids_deinit(&ids);
	return err;
}

static int add_function(struct counting *counting, const struct call_function *function,
			uint32_t *number_ret)
{
	struct call_costs *costs = counting->costs;

	if (array_reserve(costs->functions, costs->n_functions, costs->n_functions_allocated, 1))
		return -ENOMEM;
	*number_ret = costs->n_functions;
	costs->functions[costs->n_functions++] = *function;
	return 0;
}

static int enter_node(struct counting *counting, uint32_t node)
{
	const uint32_t function =
		counting->tree->frames[counting->tree->nodes[node].frame].function;
	const uint32_t name = counting->names[function];
	const struct call_function wanted = { function, CALL_NONE, ++counting->levels[name] };
	uint32_t *number = &counting->function_of[node];

	*number = pair_map_find(&counting->functions, name, wanted.level);
	if (*number != PAIR_MAP_NONE)
		return 0;
	int err = add_function(counting, &wanted, number);
	return err ? err : pair_map_add(&counting->functions, name, wanted.level, *number);
}

static void leave_node(struct counting *counting, uint32_t node)
{
	const uint32_t frame = counting->tree->nodes[node].frame;

	counting->levels[counting->names[counting->tree->frames[frame].function]]--;
}

/* Goes down the tree, depth first, and back up. @children and @siblings: STACK_NONE: no more; the
 * last of @children are the outermost nodes. */
static int find_functions(struct counting *counting, const uint32_t *children,
			  const uint32_t *siblings)
{
	const uint32_t root = counting->tree->n_nodes;
	uint32_t node = children[root];
	int err = 0;

	while (!err && node != STACK_NONE) {
		err = enter_node(counting, node);
		if (children[node] != STACK_NONE) {
			node = children[node];
			continue;
		}
		leave_node(counting, node);
		while (siblings[node] == STACK_NONE &&
		       counting->tree->nodes[node].parent != STACK_NONE) {
			node = counting->tree->nodes[node].parent;
			leave_node(counting, node);
		}
		node = siblings[node];
	}
	return err;
}

static int find_all_functions(struct counting *counting)
{
	const struct stack_tree *tree = counting->tree;
	const uint32_t n = tree->n_nodes;
	_cleanup_free_ uint32_t *children = malloc((n + 1u) * sizeof(*children));
	_cleanup_free_ uint32_t *siblings = malloc((n + 1u) * sizeof(*siblings));
	int err = 0;

	if (!children || !siblings)
		return -ENOMEM;
	memset(children, 0xff, (n + 1u) * sizeof(*children));
	for (uint32_t i = n; i-- > 0;) {
		const uint32_t parent =
			tree->nodes[i].parent == STACK_NONE ? n : tree->nodes[i].parent;

		siblings[i] = children[parent];
		children[parent] = i;
	}
	for (uint32_t i = 0; !err && i < counting->groups->n_groups; i++) {
		const struct call_function group = { CALL_NONE, i, 1 };

		err = add_function(counting, &group, &counting->group_function[i]);
	}
	return err ? err : find_functions(counting, children, siblings);
}

/* -- adding up -------------------------------------------------------------------------------- */

/* Finds or makes the entry that a cost belongs to, without its samples. 0 or -ENOMEM. */
static int enter_cost(struct counting *counting, const struct call_cost *cost, uint32_t *number_ret)
{
	const uint32_t n_metrics = counting->profile->n_metrics, hash = hash_of(cost);
	struct call_costs *costs = counting->costs;
	const size_t n_weights = (size_t)costs->n_costs * n_metrics;
	uint32_t *slot =
		hash_table_find(&counting->entries, &costs_by_line, hash, cost, costs->costs);

	if (slot) {
		*number_ret = *slot - 1;
		return 0;
	}
	slot = hash_table_insert(&counting->entries, &costs_by_line, hash, costs->costs);
	if (!slot || array_reserve(costs->costs, costs->n_costs, costs->n_costs_allocated, 1) ||
	    array_reserve(costs->weights, n_weights, costs->n_weights_allocated, n_metrics))
		return -ENOMEM;
	costs->costs[costs->n_costs] = *cost;
	costs->costs[costs->n_costs].samples = 0;
	memset(costs->weights + n_weights, 0, n_metrics * sizeof(*costs->weights));
	*number_ret = costs->n_costs++;
	*slot = costs->n_costs;
	return 0;
}

/* Adds to the cost of a function at a line, with samples. 0 or -ENOMEM. */
static int add_cost(struct counting *counting, const struct call_cost *cost,
		    const uint64_t *weights)
{
	const uint32_t n_metrics = counting->profile->n_metrics;
	uint32_t number;

	if (!cost->samples)
		return 0;
	int err = enter_cost(counting, cost, &number);
	if (err)
		return err;
	counting->costs->costs[number].samples += cost->samples;
	for (uint32_t i = 0; i < n_metrics; i++)
		counting->costs->weights[(size_t)number * n_metrics + i] += weights[i];
	return 0;
}

/* The cost of @node's function at its line, without samples. */
static struct call_cost cost_at(const struct counting *counting, uint32_t node, uint32_t called)
{
	const struct stack_frame *frame =
		&counting->tree->frames[counting->tree->nodes[node].frame];

	return (struct call_cost){ .function = counting->function_of[node],
				   .called = called,
				   .file = frame->file,
				   .line = frame->line };
}

/* The costs of a node of the profile's tree, as those of its process and of its last function. */
static int add_own_costs(struct counting *counting, uint32_t from, const uint32_t *outermost,
			 uint64_t *weights)
{
	const uint32_t n_metrics = counting->profile->n_metrics;
	const uint32_t node = counting->tree->node_of[from];
	struct call_cost cost = { .called = CALL_NONE };

	for (uint32_t i = 0; i < n_metrics; i++) {
		const struct cct_cost *own = cct_cost(counting->profile->cct, from, i);

		weights[i] = own->weight;
		cost.samples += own->samples;
		if (node != STACK_NONE)
			counting->weights[(size_t)node * n_metrics + i] += own->weight;
	}
	if (!cost.samples)
		return 0;
	cost.function = counting->group_function[counting->groups->group_of[from]];
	if (node != STACK_NONE) {
		counting->samples[node] += cost.samples;
		cost.called = counting->function_of[outermost[node]];
	}
	return add_cost(counting, &cost, weights);
}

static int add_groups(struct counting *counting)
{
	const struct stack_tree *tree = counting->tree;
	_cleanup_free_ uint32_t *outermost = calloc(tree->n_nodes + 1u, sizeof(*outermost));
	_cleanup_free_ uint64_t *weights =
		calloc(counting->profile->n_metrics + 1u, sizeof(*weights));
	int err = outermost && weights ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < tree->n_nodes; i++) {
		const uint32_t parent = tree->nodes[i].parent;

		outermost[i] = parent == STACK_NONE ? i : outermost[parent];
	}
	for (uint32_t i = 1; !err && i < counting->profile->cct->n_nodes; i++)
		err = add_own_costs(counting, i, outermost, weights);
	return err;
}

/* Children first: their costs are added to their parents'. */
static int add_functions(struct counting *counting)
{
	const uint32_t n_metrics = counting->profile->n_metrics;
	int err = 0;

	for (uint32_t i = 0; !err && i < counting->tree->n_nodes; i++) {
		struct call_cost cost = cost_at(counting, i, CALL_NONE);

		cost.samples = counting->samples[i];
		err = add_cost(counting, &cost, &counting->weights[(size_t)i * n_metrics]);
	}
	for (uint32_t i = counting->tree->n_nodes; !err && i-- > 0;) {
		const uint32_t parent = counting->tree->nodes[i].parent;
		const uint64_t *weights = &counting->weights[(size_t)i * n_metrics];

		if (parent == STACK_NONE)
			continue;
		struct call_cost cost = cost_at(counting, parent, counting->function_of[i]);
		cost.samples = counting->samples[i];
		err = add_cost(counting, &cost, weights);
		counting->samples[parent] += counting->samples[i];
		for (uint32_t k = 0; k < n_metrics; k++)
			counting->weights[(size_t)parent * n_metrics + k] += weights[k];
	}
	return err;
}

static int compare_costs(const void *a, const void *b, void *list)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct call_cost *x = (const struct call_cost *)list + i;
	const struct call_cost *y = (const struct call_cost *)list + k;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->file != y->file)
		return strcmp(x->file ? x->file : "", y->file ? y->file : "");
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	/* CALL_NONE, which is self cost, first */
	return (x->called + 1 > y->called + 1) - (x->called + 1 < y->called + 1);
}

/* The costs with their weights in the order of the file. 0 or -ENOMEM. */
static int sort_costs(struct call_costs *costs, uint32_t n_metrics)
{
	const uint32_t n = costs->n_costs;
	_cleanup_free_ uint32_t *order = calloc(n + 1u, sizeof(*order));
	struct call_cost *sorted = calloc(n + 1u, sizeof(*sorted));
	uint64_t *weights = calloc((size_t)n * n_metrics + 1, sizeof(*weights));

	if (!order || !sorted || !weights) {
		free(sorted);
		free(weights);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_costs, costs->costs);
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = costs->costs[order[i]];
		memcpy(weights + (size_t)i * n_metrics,
		       costs->weights + (size_t)order[i] * n_metrics, n_metrics * sizeof(*weights));
	}
	free(costs->costs);
	free(costs->weights);
	costs->costs = sorted;
	costs->weights = weights;
	return 0;
}

static int count(struct counting *counting)
{
	const struct stack_tree *tree = counting->tree;
	const uint32_t n_metrics = counting->profile->n_metrics;

	counting->names = calloc(tree->n_functions + 1u, sizeof(*counting->names));
	counting->levels = calloc(tree->n_functions + 1u, sizeof(*counting->levels));
	counting->function_of = calloc(tree->n_nodes + 1u, sizeof(*counting->function_of));
	counting->group_function =
		calloc(counting->groups->n_groups + 1u, sizeof(*counting->group_function));
	counting->weights =
		calloc((size_t)tree->n_nodes * n_metrics + 1, sizeof(*counting->weights));
	counting->samples = calloc(tree->n_nodes + 1u, sizeof(*counting->samples));
	if (!counting->names || !counting->levels || !counting->function_of ||
	    !counting->group_function || !counting->weights || !counting->samples)
		return -ENOMEM;
	int err = find_names(counting);
	if (!err)
		err = find_all_functions(counting);
	if (!err)
		err = add_groups(counting);
	if (!err)
		err = add_functions(counting);
	return err;
}

int call_costs_init(struct call_costs *costs, const struct profile *profile,
		    const struct stack_tree *tree, const struct path_groups *groups)
{
	struct counting counting = {
		.profile = profile,
		.tree = tree,
		.groups = groups,
		.costs = costs,
	};

	*costs = (struct call_costs){ 0 };
	int err = count(&counting);
	free(counting.names);
	free(counting.levels);
	free(counting.function_of);
	free(counting.group_function);
	free(counting.weights);
	free(counting.samples);
	pair_map_deinit(&counting.functions);
	hash_table_deinit(&counting.entries);
	return err ? err : sort_costs(costs, profile->n_metrics);
}

void call_costs_deinit(struct call_costs *costs)
{
	free(costs->functions);
	free(costs->costs);
	free(costs->weights);
}
