/*
 * The flat views: one row for each function, module or group of processes. Of the nodes of a row on
 * a path, only the outermost one adds to the row's total, so recursion, direct or mutual, counts a
 * sample once.
 *
 * Rows may be separate for each task or CPU. These are above all code, so a path is of one.
 */
#include "report/views/view_flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "cct/base/pair_map.h"
#include "report/fold/outer_nodes.h"

#define NONE UINT32_MAX

struct flat {
	struct view *view;
	const struct fold *fold;
	enum fold_grouping grouping;
	bool has_line_groups;
	const uint32_t *outer; /* node -> the nearest node above it of the same group; 0: none */
	uint32_t *found_outer; /* owned; NULL: it is the fold's */
	uint32_t *group;       /* entity -> the entity whose row it shares */
	uint32_t *owner;       /* node -> the group that gets its self cost */
	bool *is_counted;      /* entity -> whether nodes of it are what the view counts */
	struct slot *slots;
	uint32_t n_slots;
	size_t n_slots_allocated;
	/* By slot, next to each other, because a walk goes from one to another all the time: its
	 * row's costs, each by metric. */
	uint64_t *costs;
	/* Of views that are split, else NULL: */
	uint32_t *whose;        /* node -> whose it is */
	struct row_whose **all; /* [0]: nobody's; in the view's arena */
	uint32_t n_all;
	struct pair_map known_whose; /* (whose, entity) -> whose it is below that entity */
	struct pair_map known_slots; /* (whose, group) -> slot */
	/* VIEW_LINES: */
	bool *is_line_noted;            /* by entity: without a split, each is of one row */
	struct pair_map line_functions; /* (slot, entity) of the functions that its row has */
};

/* A row that there may be: of a group, or of a group and whose it is. */
struct slot {
	struct view_row *row;
};

enum slot_cost { TOTAL, SAMPLES, SELF, SELF_SAMPLES, N_SLOT_COSTS };

static size_t costs_of_slots(const struct flat *flat, size_t n)
{
	return n * N_SLOT_COSTS * flat->fold->n_metrics;
}

static uint64_t *cost_of(const struct flat *flat, const struct slot *slot, enum slot_cost cost)
{
	return &flat->costs[costs_of_slots(flat, (size_t)(slot - flat->slots)) +
			    (size_t)cost * flat->fold->n_metrics];
}

static void flat_deinit(struct flat *flat)
{
	free(flat->found_outer);
	free(flat->group);
	free(flat->owner);
	free(flat->is_counted);
	free(flat->is_line_noted);
	free(flat->slots);
	free(flat->costs);
	free(flat->whose);
	free(flat->all);
	pair_map_deinit(&flat->known_whose);
	pair_map_deinit(&flat->known_slots);
	pair_map_deinit(&flat->line_functions);
}

/* Without a split, a group's slot has its number. */
static int add_slots(struct flat *flat, uint32_t n)
{
	const size_t allocated = flat->n_slots_allocated;

	if (array_reserve(flat->slots, flat->n_slots, flat->n_slots_allocated, n))
		return -ENOMEM;
	if (flat->n_slots_allocated != allocated) {
		const size_t n_costs = costs_of_slots(flat, flat->n_slots_allocated);
		uint64_t *costs = reallocarray(flat->costs, n_costs + 1, sizeof(*costs));

		if (!costs)
			return -ENOMEM;
		flat->costs = costs;
	}
	memset(&flat->costs[costs_of_slots(flat, flat->n_slots)], 0,
	       costs_of_slots(flat, n) * sizeof(*flat->costs));
	memset(&flat->slots[flat->n_slots], 0, n * sizeof(*flat->slots));
	flat->n_slots += n;
	return 0;
}

static int add_whose(struct flat *flat, const struct row_whose *whose)
{
	struct row_whose *added = arena_alloc(&flat->view->arena, sizeof(*added));

	if (!added || array_reserve_one(flat->all, flat->n_all))
		return -ENOMEM;
	*added = *whose;
	flat->all[flat->n_all++] = added;
	return 0;
}

static int flat_init(struct flat *flat, struct view *view, const struct fold *fold)
{
	*flat = (struct flat){ .view = view, .fold = fold };
	flat->grouping = view->options.kind == VIEW_MODULES ? FOLD_BY_MODULE : FOLD_BY_ENTITY;
	flat->group = calloc(fold->n_entities, sizeof(*flat->group));
	flat->owner = calloc(fold->n_nodes, sizeof(*flat->owner));
	flat->is_counted = calloc(fold->n_entities, sizeof(*flat->is_counted));
	flat->is_line_noted = calloc(fold->n_entities, sizeof(*flat->is_line_noted));
	if (!flat->group || !flat->owner || !flat->is_counted || !flat->is_line_noted)
		return -ENOMEM;
	if (!view_is_split(view))
		return add_slots(flat, fold->n_entities);
	flat->whose = calloc(fold->n_nodes, sizeof(*flat->whose));
	return flat->whose ? add_whose(flat, &(struct row_whose){ .pid = -1, .tid = -1, .cpu = -1 })
			   : -ENOMEM;
}

static int group_entities(struct flat *flat)
{
	const struct fold *fold = flat->fold;

	if (flat->grouping == FOLD_BY_MODULE)
		return fold_group_entities(fold, FOLD_BY_MODULE, flat->group);
	for (uint32_t i = 0; i < fold->n_entities; i++) {
		const uint32_t line_group = fold->entities[i].line_group;

		flat->group[i] = line_group ? line_group : i;
		flat->has_line_groups |= line_group != 0;
	}
	return 0;
}

/* The fold may know it, but for groups of lines. */
static int find_outer(struct flat *flat)
{
	const uint32_t *known = flat->fold->outer[flat->grouping];

	if (!known || flat->has_line_groups)
		known = flat->found_outer = outer_nodes_find(flat->fold, flat->group);
	flat->outer = known;
	return known ? 0 : -ENOMEM;
}

static struct row_whose make_whose(const struct view *view, const struct row_whose *above,
				   const struct fold_entity *entity)
{
	const bool by_comm = view->options.grouping == GROUP_COMM;
	struct row_whose whose = *above;

	if (entity->frame_kind == FRAME_CPU)
		whose.cpu = entity->id;
	if (entity->frame_kind == FRAME_PROCESS)
		whose.process = entity->name;
	if (entity->frame_kind == FRAME_PROCESS && !by_comm)
		whose.pid = entity->id;
	if (entity->frame_kind == FRAME_THREAD) {
		whose.thread = entity->name;
		whose.tid = entity->id;
	}
	return whose;
}

static bool is_split_by(const struct view *view, enum frame_kind kind)
{
	if (kind == FRAME_CPU)
		return view->options.each_cpu;
	return view->options.each_task && (kind == FRAME_PROCESS || kind == FRAME_THREAD);
}

/* Whose a node of @entity is, below a node that is @above's. 0 or -ENOMEM. */
static int find_whose(struct flat *flat, uint32_t above, uint32_t entity, uint32_t *whose_ret)
{
	const struct fold_entity *of = &flat->fold->entities[entity];

	*whose_ret = above;
	if (!is_split_by(flat->view, of->frame_kind))
		return 0;
	*whose_ret = pair_map_find(&flat->known_whose, above, entity);
	if (*whose_ret != PAIR_MAP_NONE)
		return 0;
	const struct row_whose whose = make_whose(flat->view, flat->all[above], of);
	*whose_ret = flat->n_all;
	return add_whose(flat, &whose) ||
			       pair_map_add(&flat->known_whose, above, entity, *whose_ret)
		       ? -ENOMEM
		       : 0;
}

static int find_all_whose(struct flat *flat)
{
	const struct fold *fold = flat->fold;
	int err = 0;

	for (uint32_t i = 1; !err && flat->whose && i < fold->n_nodes; i++)
		err = find_whose(flat, flat->whose[fold->nodes[i].parent], fold->nodes[i].entity,
				 &flat->whose[i]);
	return err;
}

/* The slot of a node's group. NULL: out of memory. */
static struct slot *find_slot(struct flat *flat, uint32_t node, uint32_t group)
{
	if (!flat->whose)
		return &flat->slots[group];
	uint32_t slot = pair_map_find(&flat->known_slots, flat->whose[node], group);
	if (slot != PAIR_MAP_NONE)
		return &flat->slots[slot];
	slot = flat->n_slots;
	if (add_slots(flat, 1) || pair_map_add(&flat->known_slots, flat->whose[node], group, slot))
		return NULL;
	return &flat->slots[slot];
}

static struct view_row *add_row(struct flat *flat, struct slot *slot, uint32_t node, uint32_t group)
{
	struct fold_entity entity = flat->fold->entities[group];

	if (flat->view->options.kind == VIEW_MODULES && entity.frame_kind == FRAME_KERNEL)
		entity.name = entity.module_id ? entity.module : "[kernel]";
	else if (flat->view->options.kind == VIEW_MODULES && entity.frame_kind == FRAME_USER)
		entity.name = entity.module_id ? entity.module : "[unknown]";
	if (entity.line)
		entity.n_merged = 0; /* note_line_function() */
	slot->row = view_add_row(flat->view, flat->view->root, &entity);
	if (slot->row && flat->whose)
		slot->row->whose = flat->all[flat->whose[node]];
	return slot->row;
}

/* The row of a slot, which may be new. NULL: out of memory. */
static struct view_row *row_of(struct flat *flat, struct slot *slot, uint32_t node, uint32_t group)
{
	return slot->row ? slot->row : add_row(flat, slot, node, group);
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
		/* Rows for values are in paths alone. */
		return entity_is_code(entity) && entity->frame_kind != FRAME_VALUE;
	}
}

static void find_counted(struct flat *flat)
{
	for (uint32_t i = 0; i < flat->fold->n_entities; i++)
		flat->is_counted[i] = is_counted(flat, &flat->fold->entities[i]);
}

/*
 * A node's self cost goes to the row of its nearest ancestor that is counted, or to the node's own
 * row if there is none (a sample without frames). Nodes come after their parents.
 */
static void note_owner(const struct flat *flat, uint32_t node)
{
	const uint32_t entity = flat->fold->nodes[node].entity;
	const uint32_t above = flat->owner[flat->fold->nodes[node].parent];

	flat->owner[node] = flat->group[entity];
	if (node && !flat->is_counted[entity] && flat->is_counted[above])
		flat->owner[node] = above;
}

static bool has_cost(const uint64_t *samples, uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++) {
		if (samples[i])
			return true;
	}
	return false;
}

/* A line's row has the first name in the alphabet of the functions that have a part in the row. */
static int note_line_function(struct flat *flat, const struct slot *slot, uint32_t entity)
{
	if (!flat->whose && flat->is_line_noted[entity])
		return 0;
	flat->is_line_noted[entity] = true;
	const uint32_t at = (uint32_t)(slot - flat->slots);
	const char *name = flat->fold->entities[entity].name;
	struct view_row *row = slot->row;

	if (!row->line || pair_map_find(&flat->line_functions, at, entity) != PAIR_MAP_NONE)
		return 0;
	row->name = row->n_merged && strcmp(row->name, name) < 0 ? row->name : name;
	row->n_merged++;
	return pair_map_add(&flat->line_functions, at, entity, entity);
}

/* Whether no node above it adds to the same row. */
static bool is_outermost(const struct flat *flat, uint32_t node)
{
	uint32_t above = flat->outer[node];

	while (above && (!flat->is_counted[flat->fold->nodes[above].entity] ||
			 (flat->whose && flat->whose[above] != flat->whose[node])))
		above = flat->outer[above];
	return !above;
}

/* The node is of its group's row: all calls count, the cost of the outermost one. */
static int add_to_group(struct flat *flat, uint32_t node)
{
	const struct fold *fold = flat->fold;
	const size_t at = (size_t)node * fold->n_metrics;
	const uint32_t group = flat->group[fold->nodes[node].entity];
	struct slot *slot = find_slot(flat, node, group);
	struct view_row *row = slot ? row_of(flat, slot, node, group) : NULL;

	if (!row || (flat->view->options.kind == VIEW_LINES &&
		     note_line_function(flat, slot, fold->nodes[node].entity)))
		return -ENOMEM;
	if (fold->activations)
		row->activations += fold_activations(fold, node);
	if (!is_outermost(flat, node))
		return 0;
	view_add_cost(cost_of(flat, slot, TOTAL), fold->total + at, fold->n_metrics);
	view_add_cost(cost_of(flat, slot, SAMPLES), fold->samples + at, fold->n_metrics);
	if (fold->longest)
		view_raise_longest(row, fold_longest(fold, node));
	return 0;
}

static int add_self(struct flat *flat, uint32_t node)
{
	const struct fold *fold = flat->fold;
	const uint32_t n_metrics = fold->n_metrics, owner = flat->owner[node];
	const size_t at = (size_t)node * n_metrics;
	struct slot *slot = find_slot(flat, node, owner);
	struct view_row *row = slot ? row_of(flat, slot, node, owner) : NULL;

	if (!row)
		return -ENOMEM;
	view_add_cost(cost_of(flat, slot, SELF), fold->self + at, n_metrics);
	view_add_cost(cost_of(flat, slot, SELF_SAMPLES), fold->self_samples + at, n_metrics);
	if (!flat->is_counted[owner]) {
		view_add_cost(cost_of(flat, slot, TOTAL), fold->self + at, n_metrics);
		view_add_cost(cost_of(flat, slot, SAMPLES), fold->self_samples + at, n_metrics);
		view_raise_longest(row, fold_self_longest(fold, node));
	}
	return 0;
}

static int add_node(struct flat *flat, uint32_t node)
{
	const struct fold *fold = flat->fold;
	const size_t at = (size_t)node * fold->n_metrics;
	int err = 0;

	note_owner(flat, node);
	if (flat->is_counted[fold->nodes[node].entity])
		err = add_to_group(flat, node);
	if (err || !has_cost(fold->self_samples + at, fold->n_metrics))
		return err;
	return add_self(flat, node);
}

static int add_nodes(struct flat *flat)
{
	int err = 0;

	for (uint32_t i = 0; i < flat->fold->n_nodes && !err; i++)
		err = add_node(flat, i);
	return err;
}

static void fill_rows(const struct flat *flat)
{
	const size_t size = flat->fold->n_metrics * sizeof(*flat->costs);

	for (uint32_t i = 0; i < flat->n_slots; i++) {
		const struct slot *slot = &flat->slots[i];
		const struct view_row *row = slot->row;

		if (!row)
			continue;
		memcpy(row->total, cost_of(flat, slot, TOTAL), size);
		memcpy(row->samples, cost_of(flat, slot, SAMPLES), size);
		memcpy(row->self, cost_of(flat, slot, SELF), size);
		memcpy(row->self_samples, cost_of(flat, slot, SELF_SAMPLES), size);
	}
}

static int fill(struct flat *flat)
{
	int err = group_entities(flat);

	if (!err)
		err = find_outer(flat);
	if (!err)
		err = find_all_whose(flat);
	if (err)
		return err;
	find_counted(flat);
	err = add_nodes(flat);
	if (!err)
		fill_rows(flat);
	return err;
}

int view_fill_flat(struct view *view, const struct fold *fold)
{
	struct flat flat;
	int err = flat_init(&flat, view, fold);

	if (!err)
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
