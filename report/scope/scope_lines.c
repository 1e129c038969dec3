#include "report/scope/scope_lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/scope/scope_nodes.h"
#include "report/views/view_flat.h"

#define ALL_PLACES  UINT32_MAX
#define STEPS_AHEAD 12
#define CACHE_LINE  64

/*
 * A function of a frame, which is a node of the fold. Functions that are inlined at a frame are
 * next to each other, the innermost one last.
 */
struct place {
	uint32_t group;        /* the first place of the same row */
	uint32_t n_above : 31; /* functions that it is inlined into */
	uint32_t is_counted : 1;
	/* Of the first place of a row: the step after the last outermost node of the row, and those
	 * below it. What is before that adds nothing to the row's total. */
	uint32_t end;
	uint64_t costs[]; /* enum place_cost, each by metric */
};

/* A node of the tree between the root and where the walk is. */
struct open_node {
	uint32_t counted; /* the last place down to here that is counted; 0: none */
	uint32_t owner;   /* the place that has the self cost */
	uint32_t base_node;
};

enum place_cost { SELF, SELF_SAMPLES, TOTAL, SAMPLES, N_PLACE_COSTS };

struct line_walk {
	const struct cct *cct;
	const struct refold_base *base; /* with its steps */
	const struct scope_nodes *scope;
	/* As the sums of the steps, of what is selected alone. */
	const uint64_t *sums;
	uint64_t *own_sums; /* owned; NULL: all is */
	uint64_t *longest;  /* by step, and those below it; NULL: there are no waits */
	struct fold *fold;
	uint32_t *by_frame; /* frame -> its innermost place; 0: none is shown */
	/* By node of the fold, in whole cache lines, as the next one is anywhere in memory. */
	char *places;
	struct open_node *path; /* by depth */
};

static bool is_selected(const struct line_walk *walk, uint32_t step)
{
	return scope_nodes_select(walk->scope, walk->base->steps.steps[step].base_node);
}

/* Sums of the samples that are selected. 0 or -ENOMEM. */
static int sum_selected(struct line_walk *walk)
{
	const struct refold_steps *steps = &walk->base->steps;
	const size_t n = 2 * (size_t)walk->cct->n_metrics;

	walk->sums = steps->sums;
	if (!walk->scope->is_selected)
		return 0;
	walk->own_sums = malloc(((steps->n_steps + (size_t)1) * n + 1) * sizeof(*walk->own_sums));
	if (!walk->own_sums)
		return -ENOMEM;
	memset(walk->own_sums, 0, n * sizeof(*walk->own_sums));
	walk->sums = walk->own_sums;
	for (uint32_t i = 0; i < steps->n_steps; i++) {
		const uint64_t *all = steps->sums + i * n;
		uint64_t *sums = walk->own_sums + i * n;
		const uint64_t mask = is_selected(walk, i) ? UINT64_MAX : 0;

		for (size_t k = 0; k < n; k++)
			sums[n + k] = sums[k] + ((all[n + k] - all[k]) & mask);
	}
	return 0;
}

/* A step's longest wait, with those below it. 0 or -ENOMEM. */
static int find_longest(struct line_walk *walk)
{
	const struct refold_steps *steps = &walk->base->steps;

	if (!walk->cct->longest)
		return 0;
	walk->longest = calloc(steps->n_steps, sizeof(*walk->longest));
	if (!walk->longest)
		return -ENOMEM;
	for (uint32_t i = steps->n_steps; i-- > 0;) {
		uint64_t longest = is_selected(walk, i) ? walk->cct->longest[steps->nodes[i]] : 0;

		for (uint32_t child = i + 1; child < steps->steps[i].end;
		     child = steps->steps[child].end)
			longest = walk->longest[child] > longest ? walk->longest[child] : longest;
		walk->longest[i] = longest;
	}
	return 0;
}

static bool has_samples(const uint64_t *before, const uint64_t *after, uint32_t n_metrics)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < n_metrics; i++)
		any |= after[i] - before[i];
	return any;
}

/* Conditions leave out paths without samples that are selected. */
static bool is_kept(const struct line_walk *walk, size_t step)
{
	const size_t n = walk->cct->n_metrics;
	const uint32_t end = walk->base->steps.steps[step].end;

	return !walk->scope->has_conditions ||
	       has_samples(walk->sums + (step * 2 + 1) * n, walk->sums + ((size_t)end * 2 + 1) * n,
			   walk->cct->n_metrics);
}

/* The frames that the scope shows. NULL: out of memory. */
static bool *find_frames(const struct line_walk *walk)
{
	const struct refold_steps *steps = &walk->base->steps;
	const bool *is_inside = walk->scope->is_inside;
	bool *is_found = calloc((size_t)walk->cct->frames.n_frames + 1, sizeof(*is_found));

	for (uint32_t i = 1; is_found && i < steps->n_steps;) {
		const struct refold_step *step = &steps->steps[i];

		if (!is_kept(walk, i)) {
			i = step->end;
			continue;
		}
		is_found[step->frame] |= !is_inside || is_inside[step->base_node];
		i++;
	}
	return is_found;
}

/* A tree without paths that has each frame that the scope shows once: what fold_profile() takes. */
static int list_frames(const struct line_walk *walk, struct cct *list)
{
	const struct refold_steps *steps = &walk->base->steps;
	const bool is_all = !walk->scope->has_conditions && !walk->scope->is_inside;
	_cleanup_free_ bool *is_shown = is_all ? NULL : find_frames(walk);
	uint32_t n = 1;

	if (!is_all && !is_shown)
		return -ENOMEM;
	list->nodes[0] = walk->cct->nodes[0];
	list->nodes[0].first_child = CCT_NONE;
	for (uint32_t i = 0; i < steps->n_frames; i++) {
		const uint32_t frame = steps->frames[i];

		if (!is_all && !is_shown[frame])
			continue;
		list->nodes[n] = (struct cct_node){ .frame = frame,
						    .parent = CCT_ROOT,
						    .first_child = CCT_NONE,
						    .next_sibling = list->nodes[0].first_child };
		list->nodes[0].first_child = n;
		walk->by_frame[frame] = n++;
	}
	list->n_nodes = n;
	return 0;
}

static int fold_list(struct line_walk *walk, struct cct *list, const struct profile *profile,
		     struct symbolizer *symbolizer, const struct view_options *options)
{
	struct profile listed = *profile; /* borrows all but the tree */
	_cleanup_free_ uint32_t *nodes = NULL;

	int err = list_frames(walk, list);
	listed.cct = list;
	if (!err)
		err = fold_profile_mapped(&listed, symbolizer, options, &walk->fold, &nodes);
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

static inline __attribute__((always_inline)) size_t place_size(uint32_t n_metrics)
{
	const size_t size = sizeof(struct place) + (size_t)N_PLACE_COSTS * n_metrics * 8;

	return (size + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
}

static inline __attribute__((always_inline)) struct place *
place_at(const struct line_walk *walk, uint32_t place, uint32_t n_metrics)
{
	return (struct place *)(walk->places + place * place_size(n_metrics));
}

static int allocate_places(struct line_walk *walk)
{
	const size_t size = walk->fold->n_nodes * place_size(walk->cct->n_metrics);

	walk->places = aligned_alloc(CACHE_LINE, size);
	if (!walk->places)
		return -ENOMEM;
	memset(walk->places, 0, size);
	return 0;
}

static int describe_places(struct line_walk *walk)
{
	const struct fold *fold = walk->fold;
	const uint32_t n_metrics = walk->cct->n_metrics;
	_cleanup_free_ uint32_t *first = calloc(fold->n_entities, sizeof(*first));

	if (!first || allocate_places(walk))
		return -ENOMEM;
	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		const uint32_t entity = fold->nodes[i].entity, above = fold->nodes[i].parent;
		const uint32_t line_group = fold->entities[entity].line_group;
		uint32_t *group = &first[line_group ? line_group : entity];

		*group = *group ? *group : i;
		*place_at(walk, i, n_metrics) = (struct place){
			.group = *group,
			.n_above = above ? place_at(walk, above, n_metrics)->n_above + 1 : 0,
			.is_counted = view_flat_has_function(&fold->entities[entity]),
		};
	}
	return 0;
}

/* How many places of a step are in the row that is shown alone, which may be the first of several
 * that are inlined at the frame. */
static uint32_t count_inside(const struct line_walk *walk, uint32_t step)
{
	const struct refold_base *base = walk->base;
	const bool *is_inside = walk->scope->is_inside;
	uint32_t n = 0;

	if (!is_inside)
		return ALL_PLACES;
	const struct fold_node *nodes = base->fold->nodes;
	const uint32_t outside = walk->path[base->steps.steps[step].depth - 1].base_node;
	if (is_inside[outside])
		return ALL_PLACES;
	for (uint32_t at = base->steps.steps[step].base_node; at != outside && is_inside[at];
	     at = nodes[at].parent)
		n++;
	return n;
}

/*
 * The self cost goes to the last place down to here that is counted. Without one, the step's own
 * place gets a row. @n: so many of its places are shown, from the innermost on.
 */
static inline __attribute__((always_inline)) struct open_node
find_owner(const struct line_walk *walk, const struct open_node *above, uint32_t place, uint32_t n,
	   uint32_t n_metrics)
{
	uint32_t counted = above->counted, own = n ? place : 0;

	for (uint32_t i = 0; i < n; i++) {
		if (place_at(walk, place - i, n_metrics)->is_counted) {
			counted = place - i;
			break;
		}
	}
	return (struct open_node){ .counted = counted,
				   .owner = counted ? counted
					    : own   ? own
						    : above->owner };
}

/* What is below the step, and itself, to a place that is the outermost of its row. */
static inline __attribute__((always_inline)) void
add_total(const struct line_walk *walk, uint32_t place, uint32_t i, uint32_t n_metrics)
{
	const uint32_t end = walk->base->steps.steps[i].end;
	const uint64_t *from = walk->sums + (size_t)i * 2 * n_metrics;
	const uint64_t *to = walk->sums + (size_t)end * 2 * n_metrics;
	struct place *at = place_at(walk, place, n_metrics);
	struct place *group = place_at(walk, at->group, n_metrics);
	uint64_t *costs = at->costs + (size_t)TOTAL * n_metrics;

	if (i < group->end)
		return;
	group->end = end;
	for (uint32_t k = 0; k < 2 * n_metrics; k++)
		costs[k] += to[k] - from[k];
	if (walk->longest && walk->longest[i] > walk->fold->longest[place])
		walk->fold->longest[place] = walk->longest[i];
}

/* Without a branch, as which steps have samples is as good as random. */
static inline __attribute__((always_inline)) void
add_self(const struct line_walk *walk, uint32_t owner, uint32_t i, uint32_t n_metrics)
{
	const uint64_t *before = walk->sums + (size_t)i * 2 * n_metrics;
	const uint64_t *after = before + (size_t)2 * n_metrics;
	uint64_t *costs = place_at(walk, owner, n_metrics)->costs + (size_t)SELF * n_metrics;
	const uint64_t mask =
		has_samples(before + n_metrics, after + n_metrics, n_metrics) ? UINT64_MAX : 0;

	for (uint32_t k = 0; k < 2 * n_metrics; k++)
		costs[k] += (after[k] - before[k]) & mask;
	if (walk->longest && owner && is_selected(walk, i))
		fold_raise_self_longest(walk->fold, owner,
					walk->cct->longest[walk->base->steps.nodes[i]]);
}

/* Whoever called a function called those inlined there, too. */
static void count_calls(const struct line_walk *walk, uint32_t place, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < n; k++)
		walk->fold->activations[place - k] +=
			walk->cct->activations[walk->base->steps.nodes[i]];
}

static inline __attribute__((always_inline)) void visit(const struct line_walk *walk, uint32_t i,
							uint32_t n_metrics)
{
	const struct refold_step *step = &walk->base->steps.steps[i];
	struct open_node *open = &walk->path[step->depth];
	const uint32_t place = walk->by_frame[step->frame], inside = count_inside(walk, i);
	const uint32_t n_places = place ? place_at(walk, place, n_metrics)->n_above + 1 : 0;
	const uint32_t n = n_places < inside ? n_places : inside;

	*open = find_owner(walk, open - 1, place, n, n_metrics);
	open->base_node = step->base_node;
	for (uint32_t at = place - n + 1; at <= place && n; at++)
		add_total(walk, at, i, n_metrics);
	add_self(walk, open->owner, i, n_metrics);
	if (walk->cct->activations)
		count_calls(walk, place, n, i);
}

/* The place of a step is anywhere in memory: it is fetched some steps ahead. */
static inline void fetch_place(const struct line_walk *walk, uint32_t i, uint32_t n_metrics)
{
	const struct refold_steps *steps = &walk->base->steps;

	if (i + STEPS_AHEAD >= steps->n_steps)
		return;
	const uint32_t place = walk->by_frame[steps->steps[i + STEPS_AHEAD].frame];
	__builtin_prefetch(place_at(walk, place, n_metrics));
}

static inline __attribute__((always_inline)) void visit_all(const struct line_walk *walk,
							    uint32_t n_metrics)
{
	const struct refold_steps *steps = &walk->base->steps;

	for (uint32_t i = 1; i < steps->n_steps;) {
		fetch_place(walk, i, n_metrics);
		if (!is_kept(walk, i)) {
			i = steps->steps[i].end;
			continue;
		}
		visit(walk, i, n_metrics);
		i++;
	}
}

/* Most profiles have one metric: there, loops over metrics cost as much as what is in them. */
static int walk_tree(struct line_walk *walk)
{
	walk->path = calloc(walk->base->steps.n_levels, sizeof(*walk->path));
	if (!walk->path)
		return -ENOMEM;
	if (walk->cct->n_metrics == 1)
		visit_all(walk, 1);
	else
		visit_all(walk, walk->cct->n_metrics);
	return 0;
}

static void fill_places(const struct line_walk *walk)
{
	const uint32_t n = walk->cct->n_metrics;
	struct fold *fold = walk->fold;

	for (uint32_t i = 1; i < fold->n_nodes; i++) {
		const uint64_t *costs = place_at(walk, i, n)->costs;

		for (uint32_t k = 0; k < n; k++) {
			fold->self[(size_t)i * n + k] = costs[SELF * n + k];
			fold->self_samples[(size_t)i * n + k] = costs[SELF_SAMPLES * n + k];
			fold->total[(size_t)i * n + k] = costs[TOTAL * n + k];
			fold->samples[(size_t)i * n + k] = costs[SAMPLES * n + k];
		}
	}
}

/* The root has what the scope shows, and what its conditions leave out. */
static void fill_root(const struct line_walk *walk, const struct fold *whole)
{
	const uint32_t n = walk->cct->n_metrics;
	const uint64_t *sums = walk->sums + (size_t)walk->base->steps.n_steps * 2 * n;
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
			walk->scope->is_inside ? walk->longest[0] : fold_longest(whole, 0);
}

static int add_up(struct line_walk *walk, const struct refold_base *base,
		  struct symbolizer *symbolizer, const struct view_options *options)
{
	int err = sum_selected(walk);

	if (!err)
		err = find_longest(walk);
	if (!err)
		err = find_places(walk, base->profile, symbolizer, options);
	if (!err)
		err = describe_places(walk);
	if (!err)
		err = walk_tree(walk);
	if (err)
		return err;
	fill_places(walk);
	fill_root(walk, base->fold);
	return 0;
}

static int fold_nodes(const struct scope_nodes *nodes, const struct refold_base *base,
		      struct symbolizer *symbolizer, const struct view_options *options,
		      struct fold **fold_ret)
{
	struct line_walk walk = { .cct = base->profile->cct, .base = base, .scope = nodes };
	int err = add_up(&walk, base, symbolizer, options);

	free(walk.own_sums);
	free(walk.longest);
	free(walk.by_frame);
	free(walk.places);
	free(walk.path);
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
