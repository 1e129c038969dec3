#include "report/fold/outer_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/fold/fold_walk.h"

#define NONE FOLD_NONE

static uint32_t find_max_module(const struct fold *fold)
{
	uint32_t max = 0;

	for (uint32_t i = 0; i < fold->n_entities; i++)
		max = fold->entities[i].module_id > max ? fold->entities[i].module_id : max;
	return max;
}

static int group_by_module(const struct fold *fold, uint32_t *group)
{
	const size_t n_modules = (size_t)find_max_module(fold) + 1;
	_cleanup_free_ uint32_t *first = malloc(n_modules * sizeof(*first));
	uint32_t unknown_user = NONE, unknown_kernel = NONE;

	if (!first)
		return -ENOMEM;
	memset(first, 0xff, n_modules * sizeof(*first));
	for (uint32_t i = 0; i < fold->n_entities; i++) {
		const struct fold_entity *entity = &fold->entities[i];
		uint32_t *known = &first[entity->module_id];

		group[i] = i;
		if (!entity->module_id && entity->frame_kind == FRAME_USER)
			known = &unknown_user;
		else if (!entity->module_id && entity->frame_kind == FRAME_KERNEL)
			known = &unknown_kernel;
		else if (!entity->module_id)
			continue;
		if (*known == NONE)
			*known = i;
		group[i] = *known;
	}
	return 0;
}

int fold_group_entities(const struct fold *fold, enum fold_grouping grouping, uint32_t *group)
{
	if (grouping == FOLD_BY_MODULE)
		return group_by_module(fold, group);
	for (uint32_t i = 0; i < fold->n_entities; i++)
		group[i] = i;
	return 0;
}

/* ->outer of a node leads to the one that was the last of its group before it. */
static void note_on_path(struct fold_walk *walk, const uint32_t *group, uint32_t *last,
			 uint32_t *outer)
{
	while (fold_walk_next(walk)) {
		const uint32_t node = walk->node, of = group[walk->fold->nodes[node].entity];

		if (walk->is_leaving) {
			last[of] = outer[node];
		} else {
			outer[node] = last[of];
			last[of] = node;
		}
	}
}

uint32_t *outer_nodes_find(const struct fold *fold, const uint32_t *group)
{
	_cleanup_free_ uint32_t *last = calloc(fold->n_entities, sizeof(*last));
	uint32_t *outer = malloc(fold->n_nodes * sizeof(*outer));
	struct fold_walk walk;

	if (!last || !outer || fold_walk_init(&walk, fold)) {
		free(outer);
		return NULL;
	}
	note_on_path(&walk, group, last, outer);
	fold_walk_deinit(&walk);
	return outer;
}

int fold_note_outer(struct fold *fold)
{
	_cleanup_free_ uint32_t *group = malloc(fold->n_entities * sizeof(*group));

	for (int i = 0; i < N_FOLD_GROUPINGS; i++) {
		if (!group || fold_group_entities(fold, (enum fold_grouping)i, group))
			return -ENOMEM;
		fold->outer[i] = outer_nodes_find(fold, group);
		if (!fold->outer[i])
			return -ENOMEM;
	}
	return 0;
}

int fold_copy_outer_begin(struct fold *into, const struct fold *from)
{
	for (int i = 0; i < N_FOLD_GROUPINGS; i++) {
		if (!from->outer[i])
			continue;
		into->outer[i] = calloc(into->n_nodes_allocated, sizeof(*into->outer[i]));
		if (!into->outer[i])
			return -ENOMEM;
	}
	return 0;
}
