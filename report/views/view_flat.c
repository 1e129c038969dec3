/*
 * The flat views: one row for each function, module or group of processes. A walk over the fold
 * counts for each row how often it is on the path from the root; only the outermost occurrence
 * adds to the row's total, so recursion, direct or mutual, counts a sample once.
 */
#include "report/views/view_flat.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"
#include "report/fold/fold_walk.h"

#define NONE UINT32_MAX

struct flat {
	struct view *view;
	const struct fold *fold;
	uint32_t *group;        /* entity -> the entity whose row it shares */
	struct view_row **rows; /* by group */
	uint32_t *on_path;      /* by group: occurrences on the current path */
	uint32_t *owner;        /* node -> the group that gets its self cost */
};

static void flat_deinit(struct flat *flat)
{
	free(flat->group);
	free(flat->rows);
	free(flat->on_path);
	free(flat->owner);
}

static int flat_init(struct flat *flat, struct view *view, const struct fold *fold)
{
	*flat = (struct flat){ .view = view, .fold = fold };
	flat->group = calloc(fold->n_entities, sizeof(*flat->group));
	flat->rows = calloc(fold->n_entities, sizeof(*flat->rows));
	flat->on_path = calloc(fold->n_entities, sizeof(*flat->on_path));
	flat->owner = calloc(fold->n_nodes, sizeof(*flat->owner));
	if (!flat->group || !flat->rows || !flat->on_path || !flat->owner) {
		flat_deinit(flat);
		return -ENOMEM;
	}
	return 0;
}

/* Functions of one module share a row; addresses outside all modules share one row per kind. */
static int group_by_module(struct flat *flat)
{
	uint32_t unknown_user = NONE, unknown_kernel = NONE, max_module = 0;
	const struct fold *fold = flat->fold;
	_cleanup_free_ uint32_t *first = NULL;

	for (uint32_t i = 0; i < fold->n_entities; i++)
		max_module = fold->entities[i].module_id > max_module ? fold->entities[i].module_id
								      : max_module;
	first = malloc(((size_t)max_module + 1) * sizeof(*first));
	if (!first)
		return -ENOMEM;
	for (uint32_t i = 0; i <= max_module; i++)
		first[i] = NONE;
	for (uint32_t i = 0; i < fold->n_entities; i++) {
		const struct fold_entity *entity = &fold->entities[i];
		uint32_t *group = &first[entity->module_id];

		flat->group[i] = i;
		if (!entity->module_id && entity->frame_kind == FRAME_USER)
			group = &unknown_user;
		else if (!entity->module_id && entity->frame_kind == FRAME_KERNEL)
			group = &unknown_kernel;
		else if (!entity->module_id)
			continue;
		if (*group == NONE)
			*group = i;
		flat->group[i] = *group;
	}
	return 0;
}

static int group_entities(struct flat *flat)
{
	if (flat->view->options.kind == VIEW_MODULES)
		return group_by_module(flat);
	for (uint32_t i = 0; i < flat->fold->n_entities; i++)
		flat->group[i] = i;
	return 0;
}

static struct view_row *add_row(struct flat *flat, uint32_t group)
{
	struct fold_entity entity = flat->fold->entities[group];

	if (flat->view->options.kind == VIEW_MODULES && entity.frame_kind == FRAME_KERNEL)
		entity.name = entity.module_id ? entity.module : "[kernel]";
	else if (flat->view->options.kind == VIEW_MODULES && entity.frame_kind == FRAME_USER)
		entity.name = entity.module_id ? entity.module : "[unknown]";
	flat->rows[group] = view_add_row(flat->view, flat->view->root, &entity);
	return flat->rows[group];
}

/* Whether nodes of this entity are what the view counts. */
static bool is_counted(const struct flat *flat, const struct fold_entity *entity)
{
	switch (flat->view->options.kind) {
	case VIEW_PROCESSES:
		return entity->frame_kind == FRAME_PROCESS || entity->frame_kind == FRAME_THREAD;
	case VIEW_THREADS:
		return entity->frame_kind == FRAME_THREAD;
	case VIEW_CGROUPS:
		return entity->frame_kind == FRAME_CGROUP;
	case VIEW_CPUS:
		return entity->frame_kind == FRAME_CPU;
	case VIEW_PHASES:
		return entity->frame_kind == FRAME_PHASE;
	case VIEW_EPOCHS:
		return entity->frame_kind == FRAME_EPOCH;
	case VIEW_MODULES:
		return entity->frame_kind == FRAME_USER || entity->frame_kind == FRAME_KERNEL;
	default:
		return entity_is_code(entity);
	}
}

/*
 * A node's self cost goes to the row of its nearest ancestor that is counted, or to the node's own
 * row if there is none (a sample without frames).
 */
static void find_owners(struct flat *flat)
{
	const struct fold *fold = flat->fold;

	for (uint32_t i = 0; i < fold->n_nodes; i++) {
		uint32_t entity = fold->nodes[i].entity;
		uint32_t above = flat->owner[fold->nodes[i].parent];

		flat->owner[i] = flat->group[entity];
		if (i && !is_counted(flat, &fold->entities[entity]) &&
		    is_counted(flat, &fold->entities[above]))
			flat->owner[i] = above;
	}
}

static bool has_cost(const uint64_t *samples, uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++) {
		if (samples[i])
			return true;
	}
	return false;
}

/* All calls count, those of a function by itself, too. */
static void count_calls(struct flat *flat, uint32_t group, uint32_t node)
{
	if (flat->rows[group])
		flat->rows[group]->activations += fold_activations(flat->fold, node);
}

static int enter(struct flat *flat, uint32_t node)
{
	const struct fold *fold = flat->fold;
	uint32_t n_metrics = fold->n_metrics, entity = fold->nodes[node].entity;
	uint32_t owner = flat->owner[node], group = flat->group[entity];
	size_t at = (size_t)node * n_metrics;
	struct view_row *row;

	if (is_counted(flat, &fold->entities[entity]) && !flat->on_path[group]++) {
		row = flat->rows[group] ? flat->rows[group] : add_row(flat, group);
		if (!row)
			return -ENOMEM;
		view_add_cost(row->total, fold->total + at, n_metrics);
		view_add_cost(row->samples, fold->samples + at, n_metrics);
		view_raise_longest(row, fold_longest(fold, node));
	}
	if (is_counted(flat, &fold->entities[entity]))
		count_calls(flat, group, node);
	if (!has_cost(fold->self_samples + at, n_metrics))
		return 0;
	row = flat->rows[owner] ? flat->rows[owner] : add_row(flat, owner);
	if (!row)
		return -ENOMEM;
	view_add_cost(row->self, fold->self + at, n_metrics);
	view_add_cost(row->self_samples, fold->self_samples + at, n_metrics);
	if (!is_counted(flat, &fold->entities[owner])) {
		view_add_cost(row->total, fold->self + at, n_metrics);
		view_add_cost(row->samples, fold->self_samples + at, n_metrics);
		view_raise_longest(row, fold_self_longest(fold, node));
	}
	return 0;
}

static void leave(struct flat *flat, uint32_t node)
{
	uint32_t entity = flat->fold->nodes[node].entity;

	if (is_counted(flat, &flat->fold->entities[entity]))
		flat->on_path[flat->group[entity]]--;
}

static int walk(struct flat *flat)
{
	struct fold_walk walk;
	int err = fold_walk_init(&walk, flat->fold);

	if (err)
		return err;
	while (!err && fold_walk_next(&walk)) {
		if (walk.is_leaving)
			leave(flat, walk.node);
		else
			err = enter(flat, walk.node);
	}
	fold_walk_deinit(&walk);
	return err;
}

static int fill(struct flat *flat)
{
	int err = group_entities(flat);

	if (err)
		return err;
	find_owners(flat);
	return walk(flat);
}

int view_fill_flat(struct view *view, const struct fold *fold)
{
	struct flat flat;
	int err = flat_init(&flat, view, fold);

	if (err)
		return err;
	err = fill(&flat);
	flat_deinit(&flat);
	if (err)
		return err;
	view_sort_children(view, view->root);
	return 0;
}

static bool *find_phases_with_rows(const struct view *view)
{
	bool *has_row = calloc((size_t)view->profile->phases.n + 1, sizeof(*has_row));

	for (const struct view_row *row = view->root->children; has_row && row; row = row->next) {
		if (view_row_is_phase(row))
			has_row[row->id - 1] = true;
	}
	return has_row;
}

int view_fill_phases(struct view *view, const struct fold *fold)
{
	const struct phases *phases = &view->profile->phases;
	int err = view_fill_flat(view, fold);
	_cleanup_free_ bool *has_row = err ? NULL : find_phases_with_rows(view);

	if (!has_row)
		return err ? err : -ENOMEM;
	for (uint32_t i = 0; i < phases->n; i++) {
		const struct fold_entity phase = { .name = phases->phases[i].name,
						   .module = "",
						   .id = (int32_t)i + 1,
						   .n_merged = 1,
						   .frame_kind = FRAME_PHASE };

		if (!has_row[i] && !view_add_row(view, view->root, &phase))
			return -ENOMEM;
	}
	view_sort_children(view, view->root);
	return 0;
}
