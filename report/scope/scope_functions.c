#include "report/scope/scope_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/fold/kernel_part.h"
#include "report/scope/refold_tree.h"
#include "report/views/view_flat.h"

#define NODES_AHEAD 12

/* By entity, each by metric. */
enum entity_cost { SELF, SELF_SAMPLES, TOTAL, SAMPLES, N_ENTITY_COSTS };

struct functions {
	const struct refold_base *base;
	const struct fold *from; /* of the base */
	bool has_conditions;
	bool *is_selected; /* by node of the base */
	bool *is_hidden;   /* by entity: the kernel's part leaves it out */
	bool *is_counted;  /* by entity: it gets the self cost of what is below it */
	bool *is_found;    /* by entity: a node of it is shown */
	uint32_t *owners;  /* by node: the entity that has its self cost; 0: none */
	uint64_t *sums;    /* by node: of those below it, which come after it */
	uint64_t *longest; /* likewise; NULL: there are no waits */
	uint64_t *costs;
	uint64_t *entity_longest, *entity_self_longest;
	struct fold *into;
};

bool scope_functions_can_fold(const struct browse_scope *scope, const struct refold_base *base)
{
	return !browse_scope_is_whole(scope) && !scope->n_zoom && base->fold->outer[FOLD_BY_ENTITY];
}

static int allocate(struct functions *functions)
{
	const struct fold *from = functions->from;
	const size_t n_nodes = from->n_nodes, n_entities = from->n_entities;
	const size_t n_metrics = from->n_metrics;
	const bool has_waits = from->self_longest;

	functions->is_selected = malloc(n_nodes * sizeof(*functions->is_selected));
	functions->is_hidden = calloc(n_entities, sizeof(*functions->is_hidden));
	functions->is_counted = calloc(n_entities, sizeof(*functions->is_counted));
	functions->is_found = calloc(n_entities, sizeof(*functions->is_found));
	functions->owners = malloc(n_nodes * sizeof(*functions->owners));
	functions->sums = calloc(n_nodes * 2 * n_metrics + 1, sizeof(*functions->sums));
	functions->costs =
		calloc(n_entities * N_ENTITY_COSTS * n_metrics + 1, sizeof(*functions->costs));
	if (has_waits) {
		functions->longest = calloc(n_nodes, sizeof(*functions->longest));
		functions->entity_longest = calloc(n_entities, sizeof(uint64_t));
		functions->entity_self_longest = calloc(n_entities, sizeof(uint64_t));
	}
	return functions->is_selected && functions->is_hidden && functions->is_counted &&
			       functions->is_found && functions->owners && functions->sums &&
			       functions->costs &&
			       (!has_waits || (functions->longest && functions->entity_longest &&
					       functions->entity_self_longest))
		       ? 0
		       : -ENOMEM;
}

static void release(struct functions *functions)
{
	free(functions->is_selected);
	free(functions->is_hidden);
	free(functions->is_counted);
	free(functions->is_found);
	free(functions->owners);
	free(functions->sums);
	free(functions->longest);
	free(functions->costs);
	free(functions->entity_longest);
	free(functions->entity_self_longest);
}

static void describe_entities(struct functions *functions, enum view_kernel kernel)
{
	const struct fold *from = functions->from;

	for (uint32_t i = 0; i < from->n_entities; i++) {
		const struct fold_entity *entity = &from->entities[i];
		const bool is_hidden =
			kernel_part_hides(kernel, entity->frame_kind, entity->is_kernel_mark);

		functions->is_hidden[i] = is_hidden;
		functions->is_counted[i] = !is_hidden && view_flat_has_function(entity);
	}
}

/* 0, -ENOENT or -ENOMEM. */
static int select_nodes(struct functions *functions, const struct browse_scope *scope,
			struct refold_base *base)
{
	struct refold_conditions conditions;
	int err = browse_scope_meet(scope, base, &conditions);

	functions->is_selected[0] = false;
	if (!err && conditions.met)
		err = refold_select(base, &conditions, functions->is_selected);
	else if (!err)
		memset(functions->is_selected, true, base->fold->n_nodes);
	free((void *)conditions.met);
	return err;
}

/* The last function down to a node has its self cost. Without one, the last one that is shown. */
static void find_owners(const struct functions *functions)
{
	const struct fold_node *nodes = functions->from->nodes;
	uint32_t *owners = functions->owners;

	owners[0] = 0;
	for (uint32_t i = 1; i < functions->from->n_nodes; i++) {
		const uint32_t entity = nodes[i].entity, above = owners[nodes[i].parent];
		const bool is_above =
			!functions->is_counted[entity] &&
			(functions->is_hidden[entity] || functions->is_counted[above]);

		owners[i] = is_above ? above : entity;
	}
}

static void raise(uint64_t *longest, uint64_t other)
{
	*longest = other > *longest ? other : *longest;
}

static void add_longest(const struct functions *functions, uint32_t i)
{
	const struct fold_node *node = &functions->from->nodes[i];
	const uint64_t self = functions->is_selected[i] ? functions->from->self_longest[i] : 0;

	raise(&functions->longest[i], self);
	raise(&functions->longest[node->parent], functions->longest[i]);
	raise(&functions->entity_longest[node->entity], functions->longest[i]);
	raise(&functions->entity_self_longest[functions->owners[i]], self);
}

static inline __attribute__((always_inline)) uint64_t *costs_of(const struct functions *functions,
								uint32_t entity, size_t n_metrics)
{
	return functions->costs + entity * N_ENTITY_COSTS * n_metrics;
}

/* Without branches, as which nodes are recursive or selected is as good as random. */
static inline __attribute__((always_inline)) void add_node(const struct functions *functions,
							   uint32_t i, size_t n_metrics)
{
	const struct fold *from = functions->from;
	const struct fold_node *node = &from->nodes[i];
	const uint64_t selected = functions->is_selected[i] ? UINT64_MAX : 0;
	const uint64_t outermost = from->outer[FOLD_BY_ENTITY][i] ? 0 : UINT64_MAX;
	uint64_t *sums = functions->sums + i * 2 * n_metrics, any = 0;
	uint64_t *above = functions->sums + node->parent * 2 * n_metrics;
	uint64_t *total = costs_of(functions, node->entity, n_metrics) + TOTAL * n_metrics;
	uint64_t *self = costs_of(functions, functions->owners[i], n_metrics) + SELF * n_metrics;

	for (size_t k = 0; k < n_metrics; k++) {
		const uint64_t cost = from->self[i * n_metrics + k] & selected;
		const uint64_t samples = from->self_samples[i * n_metrics + k] & selected;

		self[k] += cost;
		self[n_metrics + k] += samples;
		above[k] += sums[k] + cost;
		above[n_metrics + k] += sums[n_metrics + k] + samples;
		total[k] += (sums[k] + cost) & outermost;
		total[n_metrics + k] += (sums[n_metrics + k] + samples) & outermost;
		any |= sums[n_metrics + k] + samples;
	}
	functions->is_found[node->entity] |= !functions->has_conditions || any;
	if (functions->longest)
		add_longest(functions, i);
}

/* A node's parent comes before it. The costs of an entity are anywhere in memory, so they are
 * fetched some nodes ahead. */
static inline __attribute__((always_inline)) void add_nodes(const struct functions *functions,
							    size_t n_metrics)
{
	const struct fold_node *nodes = functions->from->nodes;

	for (uint32_t i = functions->from->n_nodes - 1; i > 0; i--) {
		if (i > NODES_AHEAD)
			__builtin_prefetch(
				costs_of(functions, nodes[i - NODES_AHEAD].entity, n_metrics));
		add_node(functions, i, n_metrics);
	}
}

static void make_node(const struct functions *functions, uint32_t entity, uint32_t *places)
{
	struct fold *into = functions->into;
	const uint32_t n = into->n_metrics, node = into->n_nodes++;
	const uint64_t *costs = costs_of(functions, entity, n);
	const size_t at = (size_t)node * n, n_bytes = n * sizeof(*costs);

	places[entity] = node;
	into->nodes[node] = (struct fold_node){ .parent = 0, .entity = entity };
	into->details[node] = (struct fold_detail){ 0 };
	memcpy(into->self + at, costs + (size_t)SELF * n, n_bytes);
	memcpy(into->self_samples + at, costs + (size_t)SELF_SAMPLES * n, n_bytes);
	memcpy(into->total + at, costs + (size_t)TOTAL * n, n_bytes);
	memcpy(into->samples + at, costs + (size_t)SAMPLES * n, n_bytes);
	if (into->longest) {
		into->longest[node] = functions->entity_longest[entity];
		into->self_longest[node] = functions->entity_self_longest[entity];
	}
}

/* The root has what the conditions leave out, too. */
static void fill_root(const struct functions *functions)
{
	const struct fold *from = functions->from;
	struct fold *into = functions->into;

	memcpy(into->total, from->total, from->n_metrics * sizeof(*from->total));
	memcpy(into->samples, from->samples, from->n_metrics * sizeof(*from->samples));
	if (into->longest)
		into->longest[0] = fold_longest(from, 0);
}

/* Which processes a row stands for. @by_entity: its node. 0 or -ENOMEM. */
static int note_processes(const struct functions *functions, const uint32_t *by_entity)
{
	const struct fold *from = functions->from;
	uint32_t *places = functions->owners; /* which are not needed any more */

	if (!functions->base->has_groups)
		return 0;
	for (uint32_t i = 0; i < from->n_nodes; i++)
		places[i] = by_entity[from->nodes[i].entity];
	const struct refolded refolded = { !functions->has_conditions, functions->is_selected,
					   functions->is_hidden, places, functions->into };
	return refold_note_tree(functions->base, &refolded);
}

/* 0 or -ENOMEM. */
static int make_fold(struct functions *functions)
{
	const struct fold *from = functions->from;
	const size_t n_costs = (size_t)from->n_entities * from->n_metrics + 1;
	struct fold *into = functions->into = fold_create_like(from, from->n_entities + 1);
	uint32_t *places = calloc(from->n_entities, sizeof(*places));
	int err = into && places ? fold_copy_entities(into, from) : -ENOMEM;

	if (!err) {
		into->total = calloc(n_costs, sizeof(*into->total));
		into->samples = calloc(n_costs, sizeof(*into->samples));
		into->outer[FOLD_BY_ENTITY] =
			calloc(from->n_entities + (size_t)1, sizeof(uint32_t));
		if (from->longest)
			into->longest = calloc(from->n_entities + (size_t)1, sizeof(uint64_t));
		if (!into->total || !into->samples || !into->outer[FOLD_BY_ENTITY] ||
		    (from->longest && !into->longest))
			err = -ENOMEM;
	}
	for (uint32_t i = 1; i < from->n_entities && !err; i++) {
		if (functions->is_found[i] && !functions->is_hidden[i])
			make_node(functions, i, places);
	}
	if (!err)
		fill_root(functions);
	if (!err)
		err = note_processes(functions, places);
	free(places);
	return err;
}

int scope_functions_fold(const struct browse_scope *scope, struct refold_base *base,
			 struct fold **fold_ret)
{
	struct functions functions = { .base = base,
				       .from = base->fold,
				       .has_conditions = scope->n_conditions };
	int err = allocate(&functions);

	if (!err)
		err = select_nodes(&functions, scope, base);
	if (!err) {
		describe_entities(&functions, scope->kernel);
		find_owners(&functions);
		/* Most profiles have one metric: there, loops over metrics cost as much as what is
		 * in them. */
		if (base->fold->n_metrics == 1)
			add_nodes(&functions, 1);
		else
			add_nodes(&functions, base->fold->n_metrics);
		err = make_fold(&functions);
	}
	release(&functions);
	if (err)
		fold_destroy(functions.into);
	else
		*fold_ret = functions.into;
	return err;
}
