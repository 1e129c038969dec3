#include "report/scope/refold_base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/cleanup.h"
#include "report/fold/outer_nodes.h"

static bool has_samples(const uint64_t *samples, uint32_t n_metrics)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < n_metrics; i++)
		any |= samples[i];
	return any;
}

/* What a path meets, by node, in as few bytes as there are conditions for. */
static inline uint64_t met_at(const void *met, uint32_t node, bool is_narrow)
{
	return is_narrow ? ((const uint8_t *)met)[node] : ((const uint64_t *)met)[node];
}

static inline void set_met(void *met, uint32_t node, bool is_narrow, uint64_t value)
{
	if (is_narrow)
		((uint8_t *)met)[node] = (uint8_t)value;
	else
		((uint64_t *)met)[node] = value;
}

static bool is_met(const struct refold_conditions *conditions, uint64_t met)
{
	return (met & (conditions->wanted | conditions->unwanted)) == conditions->wanted;
}

static inline __attribute__((always_inline)) bool
select_all(const struct fold *from, const struct refold_conditions *conditions, void *met,
	   bool is_narrow, uint32_t n_metrics, bool *is_selected)
{
	bool is_any = false;

	set_met(met, 0, is_narrow, 0);
	for (uint32_t i = 1; i < from->n_nodes; i++) {
		const struct fold_node *node = &from->nodes[i];
		const uint64_t on_path =
			met_at(met, node->parent, is_narrow) | conditions->met[node->entity];

		set_met(met, i, is_narrow, on_path);
		is_selected[i] = (unsigned)is_met(conditions, on_path) &
				 (unsigned)has_samples(from->self_samples + (size_t)i * n_metrics,
						       n_metrics);
		is_any |= is_selected[i];
	}
	return is_any;
}

int refold_select(const struct refold_base *base, const struct refold_conditions *conditions,
		  bool *is_selected)
{
	const struct fold *from = base->fold;
	const bool is_narrow = (conditions->wanted | conditions->unwanted) <= UINT8_MAX;
	_cleanup_free_ void *met =
		malloc(from->n_nodes * (is_narrow ? sizeof(uint8_t) : sizeof(uint64_t)));
	bool is_any;

	if (!met)
		return -ENOMEM;
	if (is_narrow && from->n_metrics == 1)
		is_any = select_all(from, conditions, met, true, 1, is_selected);
	else if (is_narrow)
		is_any = select_all(from, conditions, met, true, from->n_metrics, is_selected);
	else
		is_any = select_all(from, conditions, met, false, from->n_metrics, is_selected);
	return is_any ? 0 : -ENOENT;
}

static bool find_groups(const struct fold *fold)
{
	for (uint32_t i = 0; i < fold->n_entities; i++) {
		if (fold->entities[i].frame_kind == FRAME_PROCESS && fold->entities[i].n_merged > 1)
			return true;
	}
	return false;
}

static bool find_frame_marks(const struct fold *fold)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < fold->n_nodes; i++)
		any |= fold->details[i].frame_marks;
	return any;
}

int refold_base_init(struct refold_base *base, const struct profile *profile,
		     struct symbolizer *symbolizer, const struct view_options *options)
{
	struct view_options merged = *options;

	*base = (struct refold_base){ .profile = profile };
	merged.kernel = KERNEL_MERGED;
	int err = fold_profile_mapped(profile, symbolizer, &merged, &base->fold, &base->nodes);
	if (err)
		return err;
	free(base->fold->activations);
	base->fold->activations = NULL;
	base->has_groups = find_groups(base->fold);
	base->has_frame_marks = find_frame_marks(base->fold);
	return 0;
}

int refold_base_name(struct refold_base *base)
{
	const struct fold *fold = base->fold;

	if (base->names)
		return 0;
	base->names = calloc(fold->n_entities, sizeof(*base->names));
	if (!base->names)
		return -ENOMEM;
	for (uint32_t i = 0; i < fold->n_entities; i++) {
		const struct fold_entity *entity = &fold->entities[i];

		if (entity_is_code(entity) &&
		    function_names_init(&base->names[i], entity->name, entity->symbol))
			return -ENOMEM;
	}
	return 0;
}

/* While a step is open, its end is the step above it. */
static uint32_t close_steps(struct refold_steps *steps, uint32_t open, uint32_t depth)
{
	while (steps->n_steps && steps->steps[open].depth >= depth) {
		const uint32_t above = steps->steps[open].end;

		steps->steps[open].end = steps->n_steps;
		if (!open)
			break;
		open = above;
	}
	return open;
}

static void add_costs(struct refold_steps *steps, const struct cct *cct, uint32_t node)
{
	const size_t n = cct->n_metrics;
	const struct cct_cost *costs = cct_cost(cct, node, 0);
	const uint64_t *before = steps->sums + steps->n_steps * 2 * n;
	uint64_t *after = steps->sums + (steps->n_steps + (size_t)1) * 2 * n;

	for (size_t i = 0; i < n; i++) {
		after[i] = before[i] + costs[i].weight;
		after[n + i] = before[n + i] + costs[i].samples;
	}
}

/* Returns its step. @open: the last step. */
static uint32_t add_step(struct refold_base *base, uint32_t node, uint32_t depth, uint32_t open)
{
	const struct cct *cct = base->profile->cct;
	struct refold_steps *steps = &base->steps;

	open = close_steps(steps, open, depth);
	steps->steps[steps->n_steps] = (struct refold_step){
		.frame = cct->nodes[node].frame,
		.base_node = base->nodes[node],
		.depth = depth,
		.end = open,
	};
	if (steps->nodes)
		steps->nodes[steps->n_steps] = node;
	add_costs(steps, cct, node);
	steps->n_levels = depth >= steps->n_levels ? depth + 1 : steps->n_levels;
	return steps->n_steps++;
}

static void add_steps(struct refold_base *base)
{
	const struct cct_node *nodes = base->profile->cct->nodes;
	uint32_t node = CCT_ROOT, depth = 0, open = 0;

	for (;;) {
		open = add_step(base, node, depth, open);
		uint32_t next = nodes[node].first_child;
		for (depth++; next == CCT_NONE && node != CCT_ROOT; depth--) {
			next = nodes[node].next_sibling;
			node = nodes[node].parent;
		}
		if (next == CCT_NONE)
			break;
		node = next;
	}
	close_steps(&base->steps, open, 0);
}

static int list_frames(struct refold_steps *steps, const struct cct *cct)
{
	_cleanup_free_ bool *is_listed = calloc((size_t)cct->frames.n_frames + 1, 1);

	steps->frames = malloc(((size_t)cct->frames.n_frames + 1) * sizeof(*steps->frames));
	if (!is_listed || !steps->frames)
		return -ENOMEM;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		const uint32_t frame = cct->nodes[i].frame;

		if (!is_listed[frame])
			steps->frames[steps->n_frames++] = frame;
		is_listed[frame] = true;
	}
	return 0;
}

static void steps_deinit(struct refold_steps *steps)
{
	free(steps->steps);
	free(steps->sums);
	free(steps->nodes);
	free(steps->frames);
	*steps = (struct refold_steps){ 0 };
}

/* With the sums before the first step. 0 or -ENOMEM. */
static int steps_init(struct refold_steps *steps, const struct cct *cct)
{
	const size_t n_sums = (size_t)2 * cct->n_metrics;
	const bool has_nodes = cct->longest || cct->activations;

	steps->steps = malloc(cct->n_nodes * sizeof(*steps->steps));
	steps->sums = malloc(((cct->n_nodes + (size_t)1) * n_sums + 1) * sizeof(*steps->sums));
	if (has_nodes)
		steps->nodes = malloc(cct->n_nodes * sizeof(*steps->nodes));
	if (!steps->steps || !steps->sums || (has_nodes && !steps->nodes))
		return -ENOMEM;
	memset(steps->sums, 0, n_sums * sizeof(*steps->sums));
	return list_frames(steps, cct);
}

int refold_base_find_steps(struct refold_base *base)
{
	if (base->steps.n_steps)
		return 0;
	if (steps_init(&base->steps, base->profile->cct)) {
		steps_deinit(&base->steps);
		return -ENOMEM;
	}
	add_steps(base);
	return 0;
}

int refold_base_prepare(struct refold_base *base)
{
	int err = refold_base_name(base);

	return err ? err : fold_note_outer(base->fold);
}

static void free_names(struct refold_base *base)
{
	for (uint32_t i = 0; base->names && i < base->fold->n_entities; i++)
		function_names_deinit(&base->names[i]);
	free(base->names);
}

void refold_base_deinit(struct refold_base *base)
{
	free_names(base);
	fold_destroy(base->fold);
	fold_destroy(base->lines);
	free(base->nodes);
	steps_deinit(&base->steps);
	*base = (struct refold_base){ 0 };
}
