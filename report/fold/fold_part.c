#include "report/fold/fold_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/fold/outer_nodes.h"

struct fold_step fold_step_of(const struct fold_entity *entity)
{
	return (struct fold_step){ .name = entity->name,
				   .module = entity->module,
				   .frame_kind = entity->frame_kind,
				   .id = entity->id,
				   .is_inlined = entity->is_inlined };
}

bool fold_entity_is_step(const struct fold_entity *entity, const struct fold_step *step)
{
	return entity->frame_kind == step->frame_kind && entity->id == step->id &&
	       entity->is_inlined == step->is_inlined && strcmp(entity->name, step->name) == 0 &&
	       strcmp(entity->module, step->module) == 0;
}

/* A parent comes before its children, and siblings are different: the path is found in one pass. */
uint32_t fold_find_path(const struct fold *fold, const struct fold_step *steps, size_t n_steps)
{
	uint32_t reached = 0;
	size_t n_found = 0;

	for (uint32_t i = 1; i < fold->n_nodes && n_found < n_steps; i++) {
		const struct fold_node *node = &fold->nodes[i];

		if (node->parent != reached ||
		    !fold_entity_is_step(&fold->entities[node->entity], &steps[n_found]))
			continue;
		reached = i;
		n_found++;
	}
	return n_found == n_steps ? reached : FOLD_NONE;
}

/* The nodes of the part: old -> new, 0: not in it. NULL: out of memory. */
static uint32_t *find_nodes(const struct fold *fold, uint32_t top, uint32_t *n_ret)
{
	uint32_t *places = calloc(fold->n_nodes, sizeof(*places)), n = 1;

	if (!places)
		return NULL;
	places[top] = n++;
	for (uint32_t i = top + 1; i < fold->n_nodes; i++) {
		if (places[fold->nodes[i].parent])
			places[i] = n++;
	}
	*n_ret = n;
	return places;
}

static int copy_node(const struct fold *fold, uint32_t from, struct fold *part, uint32_t to)
{
	const size_t n_bytes = fold->n_metrics * sizeof(uint64_t);
	const size_t at = (size_t)from * fold->n_metrics, into = (size_t)to * fold->n_metrics;

	memcpy(part->self + into, fold->self + at, n_bytes);
	memcpy(part->self_samples + into, fold->self_samples + at, n_bytes);
	if (part->self_longest)
		part->self_longest[to] = fold->self_longest[from];
	if (part->activations)
		part->activations[to] = fold->activations[from];
	return path_marks_add_all(&part->marks, to, path_marks_of(&fold->marks, from));
}

/* What is above the top is not in the part. */
static void copy_outer(const struct fold *fold, const uint32_t *places, struct fold *part)
{
	for (int k = 0; k < N_FOLD_GROUPINGS; k++) {
		for (uint32_t i = 0; fold->outer[k] && i < fold->n_nodes; i++) {
			if (places[i])
				part->outer[k][places[i]] = places[fold->outer[k][i]];
		}
	}
}

static int fill(const struct fold *fold, uint32_t top, const uint32_t *places, struct fold *part)
{
	int err = fold_copy_entities(part, fold);

	if (!err)
		err = fold_copy_outer_begin(part, fold);
	if (err)
		return err;
	copy_outer(fold, places, part);
	for (uint32_t i = top; i < fold->n_nodes && !err; i++) {
		if (!places[i])
			continue;
		part->nodes[places[i]] = fold->nodes[i];
		part->details[places[i]] = fold->details[i];
		part->nodes[places[i]].parent = i == top ? 0 : places[fold->nodes[i].parent];
		err = copy_node(fold, i, part, places[i]);
	}
	return err ? err : fold_sum_up(part);
}

int fold_part_create(const struct fold *fold, uint32_t top, struct fold **part_ret)
{
	uint32_t n_nodes = 0;
	_cleanup_free_ uint32_t *places = find_nodes(fold, top, &n_nodes);
	struct fold *part = places ? fold_create_like(fold, n_nodes) : NULL;

	if (!part)
		return -ENOMEM;
	part->n_nodes = n_nodes;
	int err = fill(fold, top, places, part);
	if (err) {
		fold_destroy(part);
		return err;
	}
	*part_ret = part;
	return 0;
}
