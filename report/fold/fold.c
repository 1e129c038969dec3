#include "report/fold/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "report/names/source_paths.h"

struct fold *fold_create(const struct cct *cct, bool errors)
{
	struct fold *fold = calloc(1, sizeof(*fold));
	uint32_t n_metrics =
		errors ? fold_error_columns(cct->n_metrics, cct->n_metrics) : cct->n_metrics;
	size_t n_costs = (size_t)cct->n_nodes * n_metrics;

	if (!fold)
		return NULL;
	fold->n_metrics = n_metrics;
	fold->nodes = calloc(cct->n_nodes, sizeof(*fold->nodes));
	fold->details = calloc(cct->n_nodes, sizeof(*fold->details));
	fold->self = calloc(n_costs + 1, sizeof(*fold->self));
	fold->self_samples = calloc(n_costs + 1, sizeof(*fold->self_samples));
	fold->paths = source_paths_create();
	if (cct->longest)
		fold->self_longest = calloc(cct->n_nodes, sizeof(*fold->self_longest));
	if (cct->activations)
		fold->activations = calloc(cct->n_nodes, sizeof(*fold->activations));
	if (!fold->nodes || !fold->details || !fold->self || !fold->self_samples || !fold->paths ||
	    (cct->longest && !fold->self_longest) || (cct->activations && !fold->activations)) {
		fold_destroy(fold);
		return NULL;
	}
	fold->n_nodes = 1;
	fold->n_nodes_allocated = cct->n_nodes;
	return fold;
}

struct fold *fold_create_like(const struct fold *fold, uint32_t n_nodes)
{
	const size_t n_costs = (size_t)n_nodes * fold->n_metrics + 1;
	struct fold *like = calloc(1, sizeof(*like));

	if (!like)
		return NULL;
	like->n_metrics = fold->n_metrics;
	like->n_nodes = 1;
	like->n_nodes_allocated = n_nodes;
	like->nodes = malloc(n_nodes * sizeof(*like->nodes));
	like->details = malloc(n_nodes * sizeof(*like->details));
	like->self = malloc(n_costs * sizeof(*like->self));
	like->self_samples = malloc(n_costs * sizeof(*like->self_samples));
	if (fold->self_longest)
		like->self_longest = calloc(n_nodes, sizeof(*like->self_longest));
	if (fold->activations)
		like->activations = calloc(n_nodes, sizeof(*like->activations));
	if (!like->nodes || !like->details || !like->self || !like->self_samples ||
	    (fold->self_longest && !like->self_longest) ||
	    (fold->activations && !like->activations)) {
		fold_destroy(like);
		return NULL;
	}
	like->nodes[0] = (struct fold_node){ 0 };
	like->details[0] = (struct fold_detail){ 0 };
	memset(like->self, 0, fold->n_metrics * sizeof(*like->self));
	memset(like->self_samples, 0, fold->n_metrics * sizeof(*like->self_samples));
	return like;
}

void fold_destroy(struct fold *fold)
{
	if (!fold)
		return;
	free(fold->entities);
	free(fold->nodes);
	free(fold->details);
	free(fold->self);
	free(fold->total);
	free(fold->self_samples);
	free(fold->samples);
	free(fold->self_longest);
	free(fold->longest);
	free(fold->activations);
	for (int i = 0; i < N_FOLD_GROUPINGS; i++)
		free(fold->outer[i]);
	path_marks_deinit(&fold->marks);
	source_paths_destroy(fold->paths);
	free(fold);
}

uint32_t fold_add_entity(struct fold *fold, const struct fold_entity *entity)
{
	if (array_reserve(fold->entities, fold->n_entities, fold->n_entities_allocated, 1))
		return FOLD_NONE;
	fold->entities[fold->n_entities] = *entity;
	return fold->n_entities++;
}

int fold_copy_entities(struct fold *into, const struct fold *from)
{
	if (array_reserve(into->entities, 0, into->n_entities_allocated, from->n_entities))
		return -ENOMEM;
	memcpy(into->entities, from->entities, from->n_entities * sizeof(*from->entities));
	into->n_entities = from->n_entities;
	return 0;
}

static int grow_costs(uint64_t **costs, size_t n_before, size_t n)
{
	uint64_t *larger = reallocarray(*costs, n, sizeof(*larger));

	if (!larger)
		return -ENOMEM;
	memset(larger + n_before, 0, (n - n_before) * sizeof(*larger));
	*costs = larger;
	return 0;
}

/* Inlined functions get nodes, so a fold may have more nodes than its tree. */
static int grow_nodes(struct fold *fold)
{
	size_t n_metrics = fold->n_metrics, n_before = fold->n_nodes_allocated * n_metrics;
	uint32_t n = fold->n_nodes_allocated * 2;

	if (n < fold->n_nodes_allocated || grow_costs(&fold->self, n_before, n * n_metrics + 1) ||
	    grow_costs(&fold->self_samples, n_before, n * n_metrics + 1))
		return -ENOMEM;
	if (fold->self_longest && grow_costs(&fold->self_longest, fold->n_nodes_allocated, n))
		return -ENOMEM;
	if (fold->activations && grow_costs(&fold->activations, fold->n_nodes_allocated, n))
		return -ENOMEM;
	struct fold_node *nodes = reallocarray(fold->nodes, n, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	fold->nodes = nodes;
	struct fold_detail *details = reallocarray(fold->details, n, sizeof(*details));
	if (!details)
		return -ENOMEM;
	fold->details = details;
	fold->n_nodes_allocated = n;
	return 0;
}

int fold_add_node(struct fold *fold, uint32_t parent, uint32_t entity, uint32_t *node_ret)
{
	if (fold->n_nodes == fold->n_nodes_allocated) {
		int err = grow_nodes(fold);

		if (err)
			return err;
	}
	*node_ret = fold->n_nodes++;
	fold->nodes[*node_ret] = (struct fold_node){ .parent = parent, .entity = entity };
	fold->details[*node_ret] = (struct fold_detail){ 0 };
	return 0;
}

static struct node_array nodes_of(const struct fold *fold)
{
	return (struct node_array){ fold->nodes, sizeof(*fold->nodes), fold->n_nodes };
}

int fold_find_node(struct fold *fold, struct node_index *index, uint32_t parent, uint32_t entity,
		   uint32_t *node_ret)
{
	struct node_array nodes = nodes_of(fold);
	const uint32_t known = node_index_find(index, &nodes, (struct node_key){ parent, entity });

	if (known != NODE_NONE) {
		*node_ret = known;
		return 0;
	}
	int err = fold_add_node(fold, parent, entity, node_ret);
	nodes = nodes_of(fold);
	return err ? err : node_index_add_last(index, &nodes);
}

int fold_index_node(const struct fold *fold, struct node_index *index, uint32_t node)
{
	const struct node_array nodes = nodes_of(fold);

	return node_index_add(index, &nodes, node);
}

static int find_longest(struct fold *fold)
{
	if (!fold->self_longest)
		return 0;
	fold->longest = calloc(fold->n_nodes, sizeof(*fold->longest));
	if (!fold->longest)
		return -ENOMEM;
	memcpy(fold->longest, fold->self_longest, fold->n_nodes * sizeof(*fold->longest));
	for (uint32_t i = fold->n_nodes - 1; i > 0; i--) {
		uint64_t *parent = &fold->longest[fold->nodes[i].parent];

		*parent = fold->longest[i] > *parent ? fold->longest[i] : *parent;
	}
	return 0;
}

int fold_sum_up(struct fold *fold)
{
	size_t n_metrics = fold->n_metrics, n_costs = fold->n_nodes * n_metrics;

	fold->total = malloc((n_costs + 1) * sizeof(*fold->total));
	fold->samples = malloc((n_costs + 1) * sizeof(*fold->samples));
	if (!fold->total || !fold->samples)
		return -ENOMEM;
	memcpy(fold->total, fold->self, n_costs * sizeof(*fold->total));
	memcpy(fold->samples, fold->self_samples, n_costs * sizeof(*fold->samples));
	for (uint32_t i = fold->n_nodes - 1; i > 0; i--) {
		size_t parent = fold->nodes[i].parent * n_metrics;

		for (size_t metric = 0; metric < n_metrics; metric++) {
			fold->total[parent + metric] += fold->total[i * n_metrics + metric];
			fold->samples[parent + metric] += fold->samples[i * n_metrics + metric];
		}
	}
	memset(fold->self, 0, n_metrics * sizeof(*fold->self));
	memset(fold->self_samples, 0, n_metrics * sizeof(*fold->self_samples));
	return find_longest(fold);
}

int node_children_init(struct node_children *children, const struct fold *fold)
{
	children->first = calloc(fold->n_nodes, sizeof(*children->first));
	children->next = calloc(fold->n_nodes, sizeof(*children->next));
	if (!children->first || !children->next)
		return -ENOMEM;
	for (uint32_t i = fold->n_nodes - 1; i > 0; i--) {
		children->next[i] = children->first[fold->nodes[i].parent];
		children->first[fold->nodes[i].parent] = i;
	}
	return 0;
}

void node_children_deinit(struct node_children *children)
{
	free(children->first);
	free(children->next);
}
