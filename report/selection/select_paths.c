#include "report/selection/select_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cct/base/array.h"
#include "report/selection/matched_functions.h"

struct selecting {
	const struct cct *from;
	struct cct *into;
	struct symbolizer *symbolizer;
	const struct path_selection *selection;
	struct matched_functions functions;
	/* By nodes of @from. */
	uint32_t *passed;  /* [node * n_conditions + condition]: patterns met so far */
	bool *is_hidden;   /* the node has no function that is shown */
	bool *is_selected; /* it has samples, and they are selected */
	bool *is_kept;     /* it is selected, or a node below it */
	uint32_t *places;  /* the node of @into; with --caller-depth, of code and marks
			      that of the process or thread */
	uint32_t *samples; /* the node of @into that its samples have become; the root if they are
			      not selected. NULL: the profile has no rows */
	uint32_t *path;    /* nodes, innermost first */
	size_t n_path, n_path_allocated;
	struct selected_paths selected; /* what is returned; empty if the run fails */
};

static bool has_samples(const struct cct *cct, uint32_t node)
{
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++) {
		if (cct_cost(cct, node, metric)->samples)
			return true;
	}
	return false;
}

static bool is_above_code(const struct cct *cct, uint32_t node)
{
	return frame_is_above_code(cct_frame(cct, node));
}

static int look_at_nodes(struct selecting *selecting)
{
	const struct cct *from = selecting->from;
	size_t n_conditions = selecting->selection->n_conditions;

	for (uint32_t i = 0; i < from->n_nodes; i++) {
		uint32_t *passed = selecting->passed + i * n_conditions;
		int err = 0;

		if (i != CCT_ROOT)
			memcpy(passed, selecting->passed + from->nodes[i].parent * n_conditions,
			       n_conditions * sizeof(*passed));
		if (!is_above_code(from, i))
			err = matched_functions_pass(&selecting->functions, selecting->symbolizer,
						     cct_frame(from, i), passed,
						     &selecting->is_hidden[i]);
		if (err)
			return err;
		selecting->is_selected[i] =
			has_samples(from, i) && path_selection_is_met(selecting->selection, passed);
	}
	for (uint32_t i = from->n_nodes; i-- > 1;) {
		selecting->is_kept[i] |= selecting->is_selected[i];
		selecting->is_kept[from->nodes[i].parent] |= selecting->is_kept[i];
	}
	return 0;
}

/* The node for @node of the old tree below @parent of the new one. CCT_NONE: out of memory. */
static uint32_t copy_node(struct selecting *selecting, uint32_t node, uint32_t parent)
{
	const struct cct *from = selecting->from;
	uint32_t copy = cct_child(selecting->into, parent, cct_frame(from, node));

	if (copy != CCT_NONE)
		selecting->into->nodes[copy].frame_marks |= from->nodes[node].frame_marks;
	return copy;
}

static bool is_counted(const struct selecting *selecting, uint32_t node)
{
	unsigned kind = cct_frame(selecting->from, node)->kind;

	return (kind == FRAME_USER || kind == FRAME_KERNEL) &&
	       !(selecting->selection->uncounted_kinds & 1u << kind);
}

/* Finds the nodes at the end of a path that --caller-depth leaves. */
static int find_innermost(struct selecting *selecting, uint32_t node)
{
	const struct cct *from = selecting->from;
	uint64_t n_counted = 0;

	selecting->n_path = 0;
	for (; !is_above_code(from, node) && n_counted <= selecting->selection->caller_depth;
	     node = from->nodes[node].parent) {
		if (selecting->is_hidden[node])
			continue;
		if (array_reserve(selecting->path, selecting->n_path, selecting->n_path_allocated,
				  1))
			return -ENOMEM;
		selecting->path[selecting->n_path++] = node;
		n_counted += is_counted(selecting, node);
	}
	return 0;
}

/* Finds or makes the node of a selected sample's path. CCT_NONE: out of memory. */
static uint32_t place_sample(struct selecting *selecting, uint32_t node)
{
	uint32_t place = selecting->places[node];

	if (!selecting->selection->has_caller_depth)
		return place;
	if (find_innermost(selecting, node))
		return CCT_NONE;
	while (selecting->n_path && place != CCT_NONE)
		place = copy_node(selecting, selecting->path[--selecting->n_path], place);
	return place;
}

static uint32_t place_node(struct selecting *selecting, uint32_t node)
{
	const struct cct *from = selecting->from;
	uint32_t parent = selecting->places[from->nodes[node].parent];

	if (!is_above_code(from, node) &&
	    (selecting->is_hidden[node] || selecting->selection->has_caller_depth))
		return parent;
	return copy_node(selecting, node, parent);
}

static void count_selected(struct selecting *selecting, uint32_t node)
{
	for (uint32_t i = 0; i < selecting->from->n_metrics; i++) {
		selecting->selected.costs[i].samples += cct_cost(selecting->from, node, i)->samples;
		selecting->selected.costs[i].weight += cct_cost(selecting->from, node, i)->weight;
	}
}

static int build_tree(struct selecting *selecting)
{
	if (cct_add_costs(selecting->into, CCT_ROOT, selecting->from, CCT_ROOT))
		return -ENOMEM;
	for (uint32_t i = 1; i < selecting->from->n_nodes; i++) {
		uint32_t place = CCT_ROOT;

		if (selecting->is_kept[i])
			selecting->places[i] = place_node(selecting, i);
		if (selecting->places[i] == CCT_NONE)
			return -ENOMEM;
		if (selecting->is_kept[i] && !selecting->is_hidden[i])
			cct_add_activations(selecting->into, selecting->places[i], selecting->from,
					    i);
		if (selecting->is_selected[i]) {
			place = place_sample(selecting, i);
			count_selected(selecting, i);
		}
		if (place == CCT_NONE || cct_add_costs(selecting->into, place, selecting->from, i))
			return -ENOMEM;
		if (selecting->samples)
			selecting->samples[i] = place;
	}
	return 0;
}

static int note_unmatched(struct selecting *selecting, const struct path_condition *condition)
{
	struct selected_paths *selected = &selecting->selected;

	for (size_t i = 0; i < condition->n_patterns; i++) {
		size_t at = condition->first_pattern + i;

		if (matched_functions_has(&selecting->functions, at))
			continue;
		if (array_reserve_one(selected->unmatched, selected->n_unmatched))
			return -ENOMEM;
		struct unmatched_pattern unmatched = {
			.kind = condition->kind,
			.text = selecting->selection->patterns[at].text,
			.question = matched_functions_question(&selecting->functions, at),
		};
		if (!unmatched.question)
			return -ENOMEM;
		selected->unmatched[selected->n_unmatched++] = unmatched;
	}
	return 0;
}

static void hide_functions(struct selecting *selecting)
{
	for (uint32_t i = 0; i < selecting->functions.n_functions; i++) {
		if (!selecting->functions.functions[i].is_hidden)
			continue;
		symbolizer_hide(selecting->symbolizer, i);
		selecting->selected.n_hidden++;
	}
}

static void move_rows(struct sample_rows *rows, const uint32_t *nodes)
{
	for (uint32_t i = 0; i < rows->n_rows; i++)
		rows->rows[i].node = nodes[rows->rows[i].node];
}

static int allocate(struct selecting *selecting, bool moves_rows)
{
	const struct cct *from = selecting->from;
	size_t n = from->n_nodes;

	selecting->passed =
		calloc(n * selecting->selection->n_conditions + 1, sizeof(*selecting->passed));
	selecting->is_hidden = calloc(n, sizeof(*selecting->is_hidden));
	selecting->is_selected = calloc(n, sizeof(*selecting->is_selected));
	selecting->is_kept = calloc(n, sizeof(*selecting->is_kept));
	selecting->places = calloc(n, sizeof(*selecting->places));
	selecting->samples = moves_rows ? calloc(n, sizeof(*selecting->samples)) : NULL;
	selecting->selected.costs =
		calloc(from->n_metrics + 1u, sizeof(*selecting->selected.costs));
	selecting->into = cct_create(from->n_metrics);
	if (!selecting->passed || !selecting->is_hidden || !selecting->is_selected ||
	    !selecting->is_kept || !selecting->places || !selecting->selected.costs ||
	    !selecting->into || (moves_rows && !selecting->samples))
		return -ENOMEM;
	if (from->squares && cct_keep_squares(selecting->into))
		return -ENOMEM;
	if (from->longest && cct_keep_longest(selecting->into, from->longest_metric))
		return -ENOMEM;
	/* Where paths are cut, several nodes become one in many ways. */
	if (!from->activations || selecting->selection->has_caller_depth)
		return 0;
	return cct_keep_activations(selecting->into);
}

static int run(struct selecting *selecting, bool moves_rows)
{
	const struct path_selection *selection = selecting->selection;
	int err = allocate(selecting, moves_rows);

	if (err)
		return err;
	err = look_at_nodes(selecting);
	if (err)
		return err;
	err = build_tree(selecting);
	for (size_t i = 0; i < selection->n_conditions && !err; i++)
		err = note_unmatched(selecting, &selection->conditions[i]);
	return err;
}

/* Makes the tree of the selection, and notes in @selecting what becomes of each node. */
static int select_tree(struct selecting *selecting, bool moves_rows,
		       struct selected_paths *selected_ret)
{
	selecting->selected.selection = selecting->selection;
	matched_functions_init(&selecting->functions, selecting->selection);
	int err = run(selecting, moves_rows);
	if (err) {
		cct_destroy(selecting->into);
		selected_paths_deinit(&selecting->selected);
	} else {
		hide_functions(selecting);
		cct_drop_index(selecting->into);
		*selected_ret = selecting->selected;
	}
	matched_functions_deinit(&selecting->functions);
	return err;
}

static void selecting_deinit(struct selecting *selecting)
{
	free(selecting->passed);
	free(selecting->is_hidden);
	free(selecting->is_selected);
	free(selecting->is_kept);
	free(selecting->places);
	free(selecting->samples);
	free(selecting->path);
}

int select_paths(struct profile *profile, struct symbolizer *symbolizer,
		 const struct path_selection *selection, struct selected_paths *selected_ret)
{
	struct selecting selecting = {
		.from = profile->cct,
		.symbolizer = symbolizer,
		.selection = selection,
	};
	int err = select_tree(&selecting, profile->rows, selected_ret);

	if (!err) {
		if (profile->rows)
			move_rows(profile->rows, selecting.samples);
		cct_destroy(profile->cct);
		profile->cct = selecting.into;
	}
	selecting_deinit(&selecting);
	return err;
}

int select_paths_aside(const struct profile *profile, struct symbolizer *symbolizer,
		       const struct path_selection *selection, struct cct **tree_ret,
		       struct selected_paths *selected_ret)
{
	struct selecting selecting = {
		.from = profile->cct,
		.symbolizer = symbolizer,
		.selection = selection,
	};
	int err = select_tree(&selecting, false, selected_ret);

	if (!err)
		*tree_ret = selecting.into;
	selecting_deinit(&selecting);
	return err;
}

void selected_paths_deinit(struct selected_paths *selected)
{
	for (size_t i = 0; i < selected->n_unmatched; i++)
		free(selected->unmatched[i].question);
	free(selected->unmatched);
	free(selected->costs);
	*selected = (struct selected_paths){ 0 };
}

bool selected_paths_are_none(const struct selected_paths *selected, uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++) {
		if (selected->costs[i].samples)
			return false;
	}
	return true;
}
