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

static bool is_met(const struct refold_conditions *conditions, uint64_t met)
{
	return (met & (conditions->wanted | conditions->unwanted)) == conditions->wanted;
}

int refold_select(const struct refold_base *base, const struct refold_conditions *conditions,
		  bool *is_selected)
{
	const struct fold *from = base->fold;
	_cleanup_free_ uint64_t *met = malloc(from->n_nodes * sizeof(*met));
	bool is_any = false;

	if (!met)
		return -ENOMEM;
	met[0] = 0;
	for (uint32_t i = 1; i < from->n_nodes; i++) {
		const struct fold_node *node = &from->nodes[i];

		met[i] = met[node->parent] | conditions->met[node->entity];
		is_selected[i] =
			(unsigned)is_met(conditions, met[i]) &
			(unsigned)has_samples(from->self_samples + (size_t)i * from->n_metrics,
					      from->n_metrics);
		is_any |= is_selected[i];
	}
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

static void add_step(struct refold_base *base, uint32_t node, uint32_t depth)
{
	const struct cct *cct = base->profile->cct;
	const uint32_t step = base->n_steps++;

	base->steps[step] =
		(struct refold_step){ node, cct->nodes[node].frame, base->nodes[node], depth };
	memcpy(&base->step_costs[(size_t)step * cct->n_metrics], cct_cost(cct, node, 0),
	       cct->n_metrics * sizeof(*base->step_costs));
}

static void add_steps(struct refold_base *base)
{
	const struct cct_node *nodes = base->profile->cct->nodes;
	uint32_t node = CCT_ROOT, depth = 0;

	for (;;) {
		add_step(base, node, depth);
		uint32_t next = nodes[node].first_child;
		for (depth++; next == CCT_NONE && node != CCT_ROOT; depth--) {
			next = nodes[node].next_sibling;
			node = nodes[node].parent;
		}
		if (next == CCT_NONE)
			return;
		node = next;
	}
}

int refold_base_find_steps(struct refold_base *base)
{
	const struct cct *cct = base->profile->cct;

	if (base->n_steps)
		return 0;
	base->steps = malloc(cct->n_nodes * sizeof(*base->steps));
	base->step_costs =
		malloc((size_t)cct->n_nodes * cct->n_metrics * sizeof(*base->step_costs) + 1);
	if (!base->steps || !base->step_costs)
		return -ENOMEM;
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
	free(base->nodes);
	free(base->steps);
	free(base->step_costs);
	*base = (struct refold_base){ 0 };
}
