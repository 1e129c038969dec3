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

#define NONE       UINT32_MAX
#define ROWS_AHEAD 8

/* A row that there will be: of a group, or of a group and whose it is. */
struct slot {
	uint32_t group, whose;
	uint32_t n_functions; /* VIEW_LINES: of the line that have a part in it */
	const char *function; /* VIEW_LINES: the first of their names in the alphabet */
	uint64_t longest, activations;
};

struct flat {
	struct view *view;
	const struct fold *fold;
	enum fold_grouping grouping;
	bool has_line_groups;
	const uint32_t *outer; /* node -> the nearest node above it of the same group; 0: none */
	uint32_t *found_outer; /* owned; NULL: it is the fold's */
	uint32_t *group;       /* entity -> the entity whose row it shares */
	bool *is_counted;      /* entity -> whether nodes of it are what the view counts */
	struct slot *slots;
	uint32_t n_slots;
	size_t n_slots_allocated;
	/* By slot, for themselves, because a walk goes from one to another all the time: whether it
	 * has a row, and the costs of that, each by metric. */
	bool *is_used;
	uint64_t *costs;
	uint32_t *used; /* those with rows, in the order in which they were found */
	uint32_t n_used;
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

/* Each cost is followed by its samples. */
enum slot_cost { TOTAL, SAMPLES, SELF, SELF_SAMPLES, N_SLOT_COSTS };

static size_t costs_of_slots(const struct flat *flat, size_t n)
{
	return n * N_SLOT_COSTS * flat->fold->n_metrics;
}

static uint64_t *cost_of(const struct flat *flat, uint32_t slot, enum slot_cost cost)
{
	return &flat->costs[costs_of_slots(flat, slot) + (size_t)cost * flat->fold->n_metrics];
}

static void flat_deinit(struct flat *flat)
{
	free(flat->found_outer);
	free(flat->group);
	free(flat->is_counted);
	free(flat->is_line_noted);
	free(flat->slots);
	free(flat->is_used);
	free(flat->costs);
	free(flat->used);
	free(flat->whose);
	free(flat->all);
	pair_map_deinit(&flat->known_whose);
	pair_map_deinit(&flat->known_slots);
	pair_map_deinit(&flat->line_functions);
}

static int grow_arrays(struct flat *flat)
{
	const size_t n = flat->n_slots_allocated, n_costs = costs_of_slots(flat, n);
	uint64_t *costs = reallocarray(flat->costs, n_costs + 1, sizeof(*costs));

	if (!costs)
		return -ENOMEM;
	flat->costs = costs;
	uint32_t *used = reallocarray(flat->used, n + 1, sizeof(*used));
	if (!used)
		return -ENOMEM;
	flat->used = used;
	bool *is_used = reallocarray(flat->is_used, n + 1, sizeof(*is_used));
	if (!is_used)
		return -ENOMEM;
	flat->is_used = is_used;
	return 0;
}

/* Without a split, a group's slot has its number. */
static int add_slots(struct flat *flat, uint32_t n)
{
	const size_t allocated = flat->n_slots_allocated;

	if (array_reserve(flat->slots, flat->n_slots, flat->n_slots_allocated, n) ||
	    (flat->n_slots_allocated != allocated && grow_arrays(flat)))
		return -ENOMEM;
	memset(&flat->costs[costs_of_slots(flat, flat->n_slots)], 0,
	       costs_of_slots(flat, n) * sizeof(*flat->costs));
	memset(&flat->is_used[flat->n_slots], 0, n * sizeof(*flat->is_used));
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
	flat->is_counted = calloc(fold->n_entities, sizeof(*flat->is_counted));
	flat->is_line_noted = calloc(fold->n_entities, sizeof(*flat->is_line_noted));
	if (!flat->group || !flat->is_counted || !flat->is_line_noted)
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

static void use_slot(struct flat *flat, uint32_t slot, uint32_t node, uint32_t group)
{
	flat->is_used[slot] = true;
	flat->used[flat->n_used++] = slot;
	flat->slots[slot] =
		(struct slot){ .group = group, .whose = flat->whose ? flat->whose[node] : 0 };
}

/* The slot of a node's group in a view that is split. NONE: out of memory. */
static uint32_t find_split_slot(struct flat *flat, uint32_t node, uint32_t group)
{
	uint32_t slot = pair_map_find(&flat->known_slots, flat->whose[node], group);

	if (slot != PAIR_MAP_NONE)
		return slot;
	slot = flat->n_slots;
	if (add_slots(flat, 1) || pair_map_add(&flat->known_slots, flat->whose[node], group, slot))
		return NONE;
	return slot;
}

/* The slot of a node's group, which has a row from now on. NONE: out of memory. */
static inline uint32_t find_slot(struct flat *flat, uint32_t node, uint32_t group)
{
	const uint32_t slot = flat->whose ? find_split_slot(flat, node, group) : group;

	if (slot != NONE && !flat->is_used[slot])
		use_slot(flat, slot, node, group);
	return slot;
}

/* To what a slot has, of all nodes or as self cost. */
static inline void add_costs(const struct flat *flat, uint32_t slot, enum slot_cost cost,
			     const uint64_t *costs, const uint64_t *samples)
{
	const size_t n_metrics = flat->fold->n_metrics;
	uint64_t *to = cost_of(flat, slot, cost);

	for (size_t i = 0; i < n_metrics; i++) {
		to[i] += costs[i];
		to[n_metrics + i] += samples[i];
	}
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
		return view_flat_has_function(entity);
	}
}

static void find_counted(struct flat *flat)
{
	for (uint32_t i = 0; i < flat->fold->n_entities; i++)
		flat->is_counted[i] = is_counted(flat, &flat->fold->entities[i]);
}

/*
 * A node's self cost goes to the row of its nearest ancestor that is counted, or to the node's own
 * row if there is none (a sample without frames).
 */
static uint32_t find_owner(const struct flat *flat, uint32_t node)
{
	const struct fold_node *nodes = flat->fold->nodes;
	uint32_t above = node;

	while (above && !flat->is_counted[nodes[above].entity])
		above = nodes[above].parent;
	return flat->group[nodes[above ? above : node].entity];
}

static bool has_cost(const uint64_t *samples, size_t n_metrics)
{
	uint64_t any = 0;

	for (size_t i = 0; i < n_metrics; i++)
		any |= samples[i];
	return any;
}

/* A line's row has the first name in the alphabet of the functions that have a part in the row. */
static int note_line_function(struct flat *flat, uint32_t at, uint32_t entity)
{
	const struct fold_entity *entities = flat->fold->entities;
	struct slot *slot = &flat->slots[at];

	if (!flat->whose && flat->is_line_noted[entity])
		return 0;
	flat->is_line_noted[entity] = true;
	if (!entities[slot->group].line ||
	    pair_map_find(&flat->line_functions, at, entity) != PAIR_MAP_NONE)
		return 0;
	const char *name = entities[entity].name;
	slot->function =
		slot->n_functions && strcmp(slot->function, name) < 0 ? slot->function : name;
	slot->n_functions++;
	return pair_map_add(&flat->line_functions, at, entity, entity);
}

static void raise_longest(struct slot *slot, uint64_t longest)
{
	slot->longest = longest > slot->longest ? longest : slot->longest;
}

/* Whether no node above it adds to the same row. Without a split, nodes of one function do. */
static bool is_outermost(const struct flat *flat, uint32_t node)
{
	uint32_t above = flat->outer[node];

	if (!flat->whose && flat->grouping == FOLD_BY_ENTITY)
		return !above;
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
	const uint32_t slot = find_slot(flat, node, flat->group[fold->nodes[node].entity]);

	if (slot == NONE || (flat->view->options.kind == VIEW_LINES &&
			     note_line_function(flat, slot, fold->nodes[node].entity)))
		return -ENOMEM;
	if (fold->activations)
		flat->slots[slot].activations += fold_activations(fold, node);
	if (!is_outermost(flat, node))
		return 0;
	add_costs(flat, slot, TOTAL, fold->total + at, fold->samples + at);
	if (fold->longest)
		raise_longest(&flat->slots[slot], fold_longest(fold, node));
	return 0;
}

static int add_self(struct flat *flat, uint32_t node)
{
	const struct fold *fold = flat->fold;
	const uint32_t owner = find_owner(flat, node);
	const size_t at = (size_t)node * fold->n_metrics;
	const uint32_t slot = find_slot(flat, node, owner);

	if (slot == NONE)
		return -ENOMEM;
	add_costs(flat, slot, SELF, fold->self + at, fold->self_samples + at);
	if (!flat->is_counted[owner]) {
		add_costs(flat, slot, TOTAL, fold->self + at, fold->self_samples + at);
		raise_longest(&flat->slots[slot], fold_self_longest(fold, node));
	}
	return 0;
}

static int add_node(struct flat *flat, uint32_t node)
{
	const struct fold *fold = flat->fold;
	const size_t at = (size_t)node * fold->n_metrics;
	int err = 0;

	if (flat->is_counted[fold->nodes[node].entity])
		err = add_to_group(flat, node);
	if (err || !has_cost(fold->self_samples + at, fold->n_metrics))
		return err;
	return add_self(flat, node);
}

/*
 * Likewise all of a node that has a row of its own, where rows have nothing but costs: without
 * branches, as which nodes are recursive or have samples is as good as random.
 */
static void add_simply(struct flat *flat, uint32_t node, uint32_t group)
{
	const struct fold *fold = flat->fold;
	const size_t n_metrics = fold->n_metrics, at = node * n_metrics;
	const uint32_t slot = find_slot(flat, node, group);
	const uint64_t is_outer = flat->outer[node] ? 0 : UINT64_MAX;
	const uint64_t has_self = has_cost(fold->self_samples + at, n_metrics) ? UINT64_MAX : 0;
	uint64_t *to = cost_of(flat, slot, TOTAL);

	for (size_t i = 0; i < n_metrics; i++, to++) {
		to[TOTAL * n_metrics] += fold->total[at + i] & is_outer;
		to[SAMPLES * n_metrics] += fold->samples[at + i] & is_outer;
		to[SELF * n_metrics] += fold->self[at + i] & has_self;
		to[SELF_SAMPLES * n_metrics] += fold->self_samples[at + i];
	}
}

static int add_nodes(struct flat *flat)
{
	const struct fold *fold = flat->fold;
	const bool is_simple = !flat->whose && flat->grouping == FOLD_BY_ENTITY &&
			       flat->view->options.kind != VIEW_LINES && !fold->longest &&
			       !fold->activations;
	int err = 0;

	for (uint32_t i = 0; i < fold->n_nodes && !err; i++) {
		const uint32_t entity = fold->nodes[i].entity;

		if (is_simple && flat->is_counted[entity])
			add_simply(flat, i, flat->group[entity]);
		else
			err = add_node(flat, i);
	}
	return err;
}

static struct view_row *add_row(const struct flat *flat, const struct slot *slot)
{
	const bool is_module = flat->view->options.kind == VIEW_MODULES;
	struct fold_entity entity = flat->fold->entities[slot->group];

	if (is_module && entity.frame_kind == FRAME_KERNEL)
		entity.name = entity.module_id ? entity.module : "[kernel]";
	else if (is_module && entity.frame_kind == FRAME_USER)
		entity.name = entity.module_id ? entity.module : "[unknown]";
	if (entity.line) {
		entity.n_merged = slot->n_functions;
		entity.name = slot->n_functions ? slot->function : entity.name;
	}
	struct view_row *row = view_add_row(flat->view, flat->view->root, &entity);
	if (!row)
		return NULL;
	if (flat->whose)
		row->whose = flat->all[slot->whose];
	row->longest = slot->longest;
	row->activations = slot->activations;
	return row;
}

/* By cost, the lowest first, because each row is put before the others. */
static int order_slots(struct flat *flat)
{
	const struct view_options *options = &flat->view->options;
	const enum slot_cost by = options->sort == SORT_SELF ? SELF : TOTAL;

	if (options->sort != SORT_SELF && options->sort != SORT_TOTAL)
		return 0;
	_cleanup_free_ uint64_t *costs = malloc((flat->n_used + 1) * sizeof(*costs));
	if (!costs)
		return -ENOMEM;
	for (uint32_t i = 0; i < flat->n_used; i++)
		costs[i] = cost_of(flat, flat->used[i], by)[options->sort_metric];
	return view_order_by_cost(flat->used, costs, flat->n_used);
}

/* What rows are made of is anywhere in memory: it is asked for some rows ahead. */
static void fetch_row(const struct flat *flat, uint32_t i)
{
	if (i + 2 * ROWS_AHEAD < flat->n_used)
		__builtin_prefetch(&flat->slots[flat->used[i + 2 * ROWS_AHEAD]]);
	if (i + ROWS_AHEAD >= flat->n_used)
		return;
	const uint32_t slot = flat->used[i + ROWS_AHEAD];
	const struct fold_entity *entity = &flat->fold->entities[flat->slots[slot].group];
	__builtin_prefetch(entity);
	__builtin_prefetch((const char *)entity + 64);
	__builtin_prefetch(cost_of(flat, slot, TOTAL));
}

/* Rows that follow each other are next to each other in memory, for those that walk over them. */
static int add_rows(struct flat *flat)
{
	const size_t size = flat->fold->n_metrics * sizeof(*flat->costs);
	int err = order_slots(flat);

	for (uint32_t i = 0; i < flat->n_used && !err; i++) {
		const uint32_t slot = flat->used[i];

		fetch_row(flat, i);

		const struct view_row *row = add_row(flat, &flat->slots[slot]);

		if (!row)
			return -ENOMEM;
		memcpy(row->total, cost_of(flat, slot, TOTAL), size);
		memcpy(row->samples, cost_of(flat, slot, SAMPLES), size);
		memcpy(row->self, cost_of(flat, slot, SELF), size);
		memcpy(row->self_samples, cost_of(flat, slot, SELF_SAMPLES), size);
	}
	return err;
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
	return err ? err : add_rows(flat);
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
