#include "report/scope/scope_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "cct/base/cleanup.h"
#include "report/scope/refold_tree.h"
#include "report/scope/scope_nodes.h"
#include "report/views/view_flat.h"

#define ALL_PLACES  UINT32_MAX
#define STEPS_AHEAD 8

/* A function of a frame, which is a node of the fold. */
struct place {
	uint32_t above; /* the one that it is inlined into; 0: it is the outermost */
	uint32_t group; /* the entity whose row it shares */
	bool is_counted;
};

/* A node of the tree between the root and where the walk is. */
struct open_node {
	uint32_t place, n_places; /* its innermost place, and of how many the row is to know */
	uint32_t counted;         /* the last place down to here that is counted; 0: none */
	uint32_t owner;           /* the place that has the self cost */
	uint64_t longest;
};

struct line_walk {
	const struct cct *cct;
	const struct refold_base *base; /* with its steps */
	const uint32_t *base_nodes;     /* node of the tree -> of the base */
	const struct fold_node *above;
	const struct scope_nodes *scope;
	const bool *is_kept; /* by node of the tree; NULL: all are */
	struct fold *fold;
	uint32_t *by_frame;   /* frame -> its innermost place; 0: none is shown */
	struct place *places; /* by node of the fold */
	uint32_t *n_open;     /* by group: how many places of it the path has */
	struct open_node *path;
	uint32_t n_path, n_path_allocated;
	uint64_t *sums; /* [level * 2 * n_metrics]: costs, then samples */
	size_t n_sums_allocated;
};

static bool is_inside(const struct line_walk *walk, uint32_t node)
{
	return !walk->scope->is_inside || walk->scope->is_inside[walk->base_nodes[node]];
}

/* A tree without paths that has each frame that the scope shows once: what fold_profile() takes. */
static uint32_t list_frames(const struct line_walk *walk, struct cct *list, uint32_t *by_frame)
{
	const struct cct *cct = walk->cct;
	uint32_t n = 1;

	list->nodes[0] = cct->nodes[0];
	list->nodes[0].first_child = CCT_NONE;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const uint32_t frame = cct->nodes[i].frame;

		if (by_frame[frame] || (walk->is_kept && !walk->is_kept[i]) || !is_inside(walk, i))
			continue;
		list->nodes[n] = (struct cct_node){ .frame = frame,
						    .parent = CCT_ROOT,
						    .first_child = CCT_NONE,
						    .next_sibling = list->nodes[0].first_child };
		list->nodes[0].first_child = n;
		by_frame[frame] = n++;
	}
	return n;
}

static int fold_list(struct line_walk *walk, struct cct *list, const struct profile *profile,
		     struct symbolizer *symbolizer, const struct view_options *options)
{
	struct profile listed = *profile; /* borrows all but the tree */
	_cleanup_free_ uint32_t *nodes = NULL;

	list->n_nodes = list_frames(walk, list, walk->by_frame);
	listed.cct = list;
	int err = fold_profile_mapped(&listed, symbolizer, options, &walk->fold, &nodes);
	for (uint32_t i = 0; i < walk->cct->frames.n_frames && !err; i++)
		walk->by_frame[i] = nodes[walk->by_frame[i]];
	return err;
}

/* Makes the fold, with costs of 0, and finds the places of frames. 0 or -errno. */
static int find_places(struct line_walk *walk, const struct profile *profile,
		       struct symbolizer *symbolizer, const struct view_options *options)
{
	const struct cct *cct = walk->cct;
	const size_t n = (size_t)cct->frames.n_frames + 1;
	_cleanup_free_ struct cct_node *nodes = calloc(n, sizeof(*nodes));
	_cleanup_free_ struct cct_cost *costs = calloc(n * cct->n_metrics + 1, sizeof(*costs));
	_cleanup_free_ uint64_t *zeros = calloc(n, sizeof(*zeros));

	walk->by_frame = calloc(n, sizeof(*walk->by_frame));
	if (!nodes || !costs || !zeros || !walk->by_frame)
		return -ENOMEM;
	struct cct list = { .nodes = nodes,
			    .costs = costs,
			    .frames = cct->frames,
			    .n_metrics = cct->n_metrics,
			    .longest = cct->longest ? zeros : NULL,
			    .longest_metric = cct->longest_metric,
			    .activations = cct->activations ? zeros : NULL };
	/* cppcheck-suppress memleak ; _cleanup_free_ frees what the list borrows */
	return fold_list(walk, &list, profile, symbolizer, options);
}

static int describe_places(struct line_walk *walk)
{
	const struct fold *fold = walk->fold;

	walk->places = calloc(fold->n_nodes, sizeof(*walk->places));
	walk->n_open = calloc(fold->n_entities, sizeof(*walk->n_open));
	if (!walk->places || !walk->n_open)
		return -ENOMEM;
	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		const uint32_t entity = fold->nodes[i].entity;
		const uint32_t line_group = fold->entities[entity].line_group;

		walk->places[i] = (struct place){
			.above = fold->nodes[i].parent,
			.group = line_group ? line_group : entity,
			.is_counted = view_flat_has_function(&fold->entities[entity]),
		};
	}
	return 0;
}

static uint64_t *sums_at(const struct line_walk *walk, uint32_t level)
{
	return walk->sums + (size_t)level * 2 * walk->cct->n_metrics;
}

/* 0 or -ENOMEM. */
static int open_level(struct line_walk *walk)
{
	const size_t n_sums = (size_t)walk->n_path * 2 * walk->cct->n_metrics;

	if (array_reserve(walk->path, walk->n_path, walk->n_path_allocated, 1) ||
	    array_reserve(walk->sums, n_sums, walk->n_sums_allocated,
			  2 * (size_t)walk->cct->n_metrics + 1))
		return -ENOMEM;
	memset(sums_at(walk, walk->n_path), 0, 2 * walk->cct->n_metrics * sizeof(*walk->sums));
	walk->n_path++;
	return 0;
}

/* How many places of a node are in the row that is shown alone, which may be the first of several
 * that are inlined at the frame. */
static uint32_t count_inside(const struct line_walk *walk, uint32_t node)
{
	uint32_t n = 0;

	if (!walk->scope->is_inside)
		return ALL_PLACES;
	const uint32_t outside = walk->base_nodes[walk->cct->nodes[node].parent];
	if (walk->scope->is_inside[outside])
		return ALL_PLACES;
	for (uint32_t at = walk->base_nodes[node]; at != outside && walk->scope->is_inside[at];
	     at = walk->above[at].parent)
		n++;
	return n;
}

/* Its self cost goes to the last place down to here that is counted. Without one, its own place
 * gets a row. */
static void find_owner(const struct line_walk *walk, struct open_node *open)
{
	uint32_t n = open->n_places;

	for (uint32_t at = open->place; at && n; at = walk->places[at].above, n--) {
		if (walk->places[at].is_counted) {
			open->counted = at;
			break;
		}
	}
	if (open->counted)
		open->owner = open->counted;
	else if (open->n_places && open->place)
		open->owner = open->place;
}

static void open_places(const struct line_walk *walk, const struct open_node *open, uint32_t node)
{
	const struct cct *cct = walk->cct;
	uint32_t n = open->n_places;

	for (uint32_t at = open->place; at && n; at = walk->places[at].above, n--) {
		walk->n_open[walk->places[at].group]++;
		if (cct->activations)
			walk->fold->activations[at] += cct->activations[node];
	}
}

static bool has_samples(const uint64_t *samples, uint32_t n_metrics)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < n_metrics; i++)
		any |= samples[i];
	return any;
}

static void add_self(const struct line_walk *walk, struct open_node *open, uint32_t step)
{
	const struct cct *cct = walk->cct;
	const struct cct_cost *costs = &walk->base->step_costs[(size_t)step * cct->n_metrics];
	const uint32_t n = cct->n_metrics;
	uint64_t *sums = sums_at(walk, walk->n_path - 1);
	struct fold *fold = walk->fold;

	for (uint32_t i = 0; i < n; i++) {
		sums[i] = costs[i].weight;
		sums[n + i] = costs[i].samples;
	}
	open->longest = cct->longest ? cct->longest[walk->base->steps[step].node] : 0;
	if (!open->owner)
		return;
	fold_raise_self_longest(fold, open->owner, open->longest);
	if (!has_samples(sums + n, n))
		return;
	view_add_cost(fold->self + (size_t)open->owner * n, sums, n);
	view_add_cost(fold->self_samples + (size_t)open->owner * n, sums + n, n);
}

static int enter(struct line_walk *walk, uint32_t i)
{
	const struct refold_step *step = &walk->base->steps[i];
	const uint32_t node = step->node;

	if (open_level(walk))
		return -ENOMEM;
	struct open_node *open = &walk->path[walk->n_path - 1];
	*open = (struct open_node){ 0 };
	if (node != CCT_ROOT) {
		open->place = walk->by_frame[step->frame];
		open->n_places = count_inside(walk, node);
		open->counted = open[-1].counted;
		open->owner = open[-1].owner;
		find_owner(walk, open);
		open_places(walk, open, node);
	}
	if (scope_nodes_select(walk->scope, step->base_node))
		add_self(walk, open, i);
	return 0;
}

/* What is below the node, and itself, to a place that is the outermost of its row. */
static void add_total(const struct line_walk *walk, uint32_t place, const struct open_node *open)
{
	const uint32_t n = walk->cct->n_metrics;
	const uint64_t *sums = sums_at(walk, walk->n_path - 1);
	struct fold *fold = walk->fold;

	view_add_cost(fold->total + (size_t)place * n, sums, n);
	view_add_cost(fold->samples + (size_t)place * n, sums + n, n);
	if (fold->longest && open->longest > fold->longest[place])
		fold->longest[place] = open->longest;
}

static void leave(struct line_walk *walk)
{
	const struct open_node *open = &walk->path[walk->n_path - 1];
	uint32_t n = open->n_places;

	for (uint32_t at = open->place; at && n; at = walk->places[at].above, n--) {
		if (!--walk->n_open[walk->places[at].group])
			add_total(walk, at, open);
	}
	walk->n_path--;
	if (!walk->n_path)
		return;
	struct open_node *above = &walk->path[walk->n_path - 1];
	view_add_cost(sums_at(walk, walk->n_path - 1), sums_at(walk, walk->n_path),
		      2 * walk->cct->n_metrics);
	above->longest = open->longest > above->longest ? open->longest : above->longest;
}

/* The place of a step is anywhere in memory: it is fetched some steps ahead. */
static void fetch_place(const struct line_walk *walk, uint32_t i)
{
	const struct refold_base *base = walk->base;

	if (i + STEPS_AHEAD < base->n_steps)
		__builtin_prefetch(
			&walk->places[walk->by_frame[base->steps[i + STEPS_AHEAD].frame]]);
}

/* Depth first, with memory for one path alone. 0 or -ENOMEM. */
static int walk_tree(struct line_walk *walk)
{
	for (uint32_t i = 0; i < walk->base->n_steps; i++) {
		const struct refold_step *step = &walk->base->steps[i];

		fetch_place(walk, i);
		if (walk->is_kept && !walk->is_kept[step->node])
			continue;
		while (walk->n_path > step->depth)
			leave(walk);
		if (enter(walk, i))
			return -ENOMEM;
	}
	while (walk->n_path > 1)
		leave(walk);
	return 0;
}

/* The root has what the scope shows, and what its conditions leave out. */
static void fill_root(const struct line_walk *walk, const struct fold *whole)
{
	const uint32_t n = walk->cct->n_metrics;
	const uint64_t *sums = sums_at(walk, 0);
	struct fold *fold = walk->fold;

	if (!walk->scope->is_inside) {
		memcpy(fold->total, whole->total, n * sizeof(*fold->total));
		memcpy(fold->samples, whole->samples, n * sizeof(*fold->samples));
	} else {
		memcpy(fold->total, sums, n * sizeof(*fold->total));
		memcpy(fold->samples, sums + n, n * sizeof(*fold->samples));
	}
	if (fold->longest)
		fold->longest[0] =
			walk->scope->is_inside ? walk->path[0].longest : fold_longest(whole, 0);
}

static int add_up(struct line_walk *walk, const struct refold_base *base,
		  struct symbolizer *symbolizer, const struct view_options *options)
{
	int err = find_places(walk, base->profile, symbolizer, options);

	if (!err)
		err = describe_places(walk);
	if (!err)
		err = walk_tree(walk);
	if (!err)
		fill_root(walk, base->fold);
	return err;
}

static int fold_nodes(const struct scope_nodes *nodes, const struct refold_base *base,
		      struct symbolizer *symbolizer, const struct view_options *options,
		      struct fold **fold_ret)
{
	_cleanup_free_ bool *is_kept =
		nodes->has_conditions ? refold_keep_nodes(base, nodes->is_selected, false) : NULL;
	struct line_walk walk = { .cct = base->profile->cct,
				  .base = base,
				  .base_nodes = base->nodes,
				  .above = base->fold->nodes,
				  .scope = nodes,
				  .is_kept = is_kept };
	int err = nodes->has_conditions && !is_kept ? -ENOMEM : 0;

	if (!err)
		err = add_up(&walk, base, symbolizer, options);
	free(walk.by_frame);
	free(walk.places);
	free(walk.n_open);
	free(walk.path);
	free(walk.sums);
	if (err)
		fold_destroy(walk.fold);
	else
		*fold_ret = walk.fold;
	return err;
}

int scope_lines_fold(const struct browse_scope *scope, struct refold_base *base,
		     struct symbolizer *symbolizer, const struct view_options *options,
		     struct fold **fold_ret)
{
	struct view_options shown = *options;
	struct scope_nodes nodes;
	int err = scope_nodes_init(&nodes, scope, base);

	shown.kind = VIEW_LINES;
	shown.kernel = scope->kernel;
	if (!err)
		err = refold_base_find_steps(base);
	if (!err)
		err = fold_nodes(&nodes, base, symbolizer, &shown, fold_ret);
	scope_nodes_deinit(&nodes);
	return err;
}
