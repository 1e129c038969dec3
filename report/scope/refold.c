#include "report/scope/refold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/fold/kernel_part.h"
#include "report/fold/node_index.h"
#include "report/fold/outer_nodes.h"
#include "report/scope/refold_tree.h"

/* Children come from several nodes of the base. */
#define MIXED UINT32_MAX

/* A node that is made. */
struct made_node {
	uint32_t source; /* this node of the base has its children; or MIXED */
	/* So far; 0 ends a list, which is not kept where the source is MIXED. */
	uint32_t first_child, next_sibling;
};

/* By nodes of the base. */
struct refolding {
	const struct refold_base *base;
	const struct fold *from;
	struct fold *into;
	bool *is_selected;      /* it has samples, and they are selected */
	bool *is_kept;          /* it is selected, or a node below it */
	bool *is_hidden;        /* by entity: the kernel's part leaves it out */
	uint32_t *places;       /* its node, or that of what is above it */
	struct made_node *made; /* by node that is made; NULL: no node is left out between others */
	struct node_index index;
	bool is_whole; /* all samples are selected */
};

/* A node's parent comes before it. */
static void keep_selected(struct refolding *refolding)
{
	const struct fold *from = refolding->from;
	bool *is_kept = refolding->is_kept;

	for (uint32_t i = from->n_nodes - 1; i > 0; i--) {
		is_kept[i] |= refolding->is_selected[i];
		is_kept[from->nodes[i].parent] |= is_kept[i];
	}
}

/* 0, -ENOENT or -ENOMEM. */
static int select_nodes(struct refolding *refolding, const struct refold_conditions *conditions)
{
	const uint32_t n_nodes = refolding->from->n_nodes;

	if (!conditions->met) {
		memset(refolding->is_selected, true, n_nodes * sizeof(*refolding->is_selected));
		memset(refolding->is_kept, true, n_nodes * sizeof(*refolding->is_kept));
		return 0;
	}
	int err = refold_select(refolding->base, conditions, refolding->is_selected);
	if (!err)
		keep_selected(refolding);
	return err;
}

static void hide_entities(struct refolding *refolding, enum view_kernel kernel)
{
	const struct fold *from = refolding->from;

	for (uint32_t i = 0; i < from->n_entities; i++)
		refolding->is_hidden[i] = kernel_part_hides(kernel, from->entities[i].frame_kind,
							    from->entities[i].is_kernel_mark);
}

/* At most so many nodes are made, besides the root. */
static uint32_t count_shown(const struct refolding *refolding, enum view_kernel kernel)
{
	const struct fold *from = refolding->from;
	uint32_t n = 0;

	if (kernel == KERNEL_MERGED) { /* it hides nothing */
		for (uint32_t i = 1; i < from->n_nodes; i++)
			n += refolding->is_kept[i];
		return n;
	}
	for (uint32_t i = 1; i < from->n_nodes; i++)
		n += refolding->is_kept[i] && !refolding->is_hidden[from->nodes[i].entity];
	return n;
}

/* Where nothing is hidden. Otherwise a flat view looks for it, which takes less than all that would
 * have to be looked for here. */
static void note_outer(const struct refolding *refolding, uint32_t i)
{
	const struct fold *from = refolding->from;
	struct fold *into = refolding->into;

	for (int k = 0; k < N_FOLD_GROUPINGS; k++) {
		if (into->outer[k])
			into->outer[k][refolding->places[i]] = refolding->places[from->outer[k][i]];
	}
}

/* What the node of @i has that does not change with its place. */
static void begin_node(const struct refolding *refolding, uint32_t i)
{
	struct fold_detail *detail = &refolding->into->details[refolding->places[i]];

	*detail = refolding->from->details[i];
	detail->frame_marks = 0;
	note_outer(refolding, i);
}

static void list_child(struct refolding *refolding, uint32_t parent, uint32_t node, uint32_t i)
{
	struct made_node *made = refolding->made;

	made[node] = (struct made_node){ .source = i, .next_sibling = made[parent].first_child };
	made[parent].first_child = node;
}

/* From now on, children are looked for. */
static int mix(struct refolding *refolding, uint32_t node)
{
	struct made_node *made = refolding->made;
	int err = 0;

	if (made[node].source == MIXED)
		return 0;
	made[node].source = MIXED;
	for (uint32_t child = made[node].first_child; child && !err;
	     child = made[child].next_sibling)
		err = fold_index_node(refolding->into, &refolding->index, child);
	return err;
}

static int place_mixed(struct refolding *refolding, uint32_t i, uint32_t parent)
{
	const struct fold_node *node = &refolding->from->nodes[i];
	const struct fold *into = refolding->into;
	const uint32_t n_before = into->n_nodes;
	int err = mix(refolding, parent);

	if (!err)
		err = fold_find_node(refolding->into, &refolding->index, parent, node->entity,
				     &refolding->places[i]);
	if (err)
		return err;
	const uint32_t place = refolding->places[i];
	if (into->n_nodes == n_before) {
		fold_join_calls(&into->details[place], &refolding->from->details[i]);
		return 0;
	}
	refolding->made[place] = (struct made_node){ .source = i };
	begin_node(refolding, i);
	return 0;
}

static int place_node(struct refolding *refolding, uint32_t i)
{
	const struct fold_node *node = &refolding->from->nodes[i];
	const uint32_t above = node->parent, parent = refolding->places[above];
	struct fold *into = refolding->into;

	if (refolding->is_hidden[node->entity]) {
		refolding->places[i] = parent;
		return 0;
	}
	if (refolding->made && refolding->made[parent].source != above)
		return place_mixed(refolding, i, parent);
	if (refolding->made)
		list_child(refolding, parent, into->n_nodes, i);
	refolding->places[i] = into->n_nodes;
	into->nodes[into->n_nodes++] = (struct fold_node){ parent, node->entity };
	begin_node(refolding, i);
	return 0;
}

/*
 * The cost of a kept node to its place, where it is the first one or one more. Without a branch, as
 * which nodes are selected is as good as random. What is at the root, fill_root() knows.
 */
static inline __attribute__((always_inline)) void
add_self(const struct refolding *refolding, uint32_t i, bool is_first, uint32_t n_metrics)
{
	const struct fold *from = refolding->from, *into = refolding->into;
	const size_t at = (size_t)i * n_metrics;
	const size_t into_at = (size_t)refolding->places[i] * n_metrics;
	const uint64_t here = refolding->is_selected[i] ? UINT64_MAX : 0;
	const uint64_t before = is_first ? 0 : UINT64_MAX;

	for (size_t k = 0; k < n_metrics; k++) {
		into->self[into_at + k] =
			(into->self[into_at + k] & before) + (from->self[at + k] & here);
		into->self_samples[into_at + k] = (into->self_samples[into_at + k] & before) +
						  (from->self_samples[at + k] & here);
	}
}

static int add_rest(struct refolding *refolding, uint32_t i)
{
	const uint32_t to = refolding->is_selected[i] ? refolding->places[i] : 0;
	const struct fold *from = refolding->from;
	struct fold *into = refolding->into;

	if (from->self_longest)
		fold_raise_self_longest(into, to, from->self_longest[i]);
	return from->marks.by_node.n_used
		       ? path_marks_add_all(&into->marks, to, path_marks_of(&from->marks, i))
		       : 0;
}

static inline __attribute__((always_inline)) int place_all(struct refolding *refolding,
							   uint32_t n_metrics)
{
	const struct fold *from = refolding->from;
	const bool has_more = from->self_longest || from->marks.by_node.n_used;
	int err = 0;

	for (uint32_t i = 1; i < from->n_nodes && !err; i++) {
		const uint32_t n_before = refolding->into->n_nodes;

		if (refolding->is_kept[i])
			err = place_node(refolding, i);
		if (!err && refolding->is_kept[i])
			add_self(refolding, i, refolding->into->n_nodes > n_before, n_metrics);
		if (!err && has_more)
			err = add_rest(refolding, i);
	}
	return err;
}

static int build(struct refolding *refolding, enum view_kernel kernel)
{
	const struct fold *from = refolding->from;
	const uint32_t n_nodes = count_shown(refolding, kernel) + 1;

	refolding->into = fold_create_like(from, n_nodes);
	if (kernel != KERNEL_MERGED)
		refolding->made = malloc(n_nodes * sizeof(*refolding->made));
	if (!refolding->into || (kernel != KERNEL_MERGED && !refolding->made) ||
	    fold_copy_entities(refolding->into, from) ||
	    (kernel == KERNEL_MERGED && fold_copy_outer_begin(refolding->into, from)))
		return -ENOMEM;
	if (refolding->made)
		refolding->made[0] = (struct made_node){ 0 };
	if (from->self_longest)
		refolding->into->self_longest[0] = from->self_longest[0];
	/* Most profiles have one metric: there, loops over metrics cost as much as what is in
	 * them. */
	int err = from->n_metrics == 1 ? place_all(refolding, 1)
				       : place_all(refolding, from->n_metrics);
	if (err)
		return err;
	const struct refolded refolded = { refolding->is_whole, refolding->is_selected,
					   refolding->is_hidden, refolding->places,
					   refolding->into };
	return refold_note_tree(refolding->base, &refolded);
}

/* The cost of samples that are not selected is at the root. */
static void fill_root(const struct refolding *refolding)
{
	const struct fold *from = refolding->from;
	const size_t n_bytes = from->n_metrics * sizeof(*from->total);

	memcpy(refolding->into->total, from->total, n_bytes);
	memcpy(refolding->into->samples, from->samples, n_bytes);
}

static int run(struct refolding *refolding, const struct refold_conditions *conditions,
	       enum view_kernel kernel)
{
	const struct fold *from = refolding->from;

	refolding->is_selected = calloc(from->n_nodes, sizeof(*refolding->is_selected));
	refolding->is_kept = calloc(from->n_nodes, sizeof(*refolding->is_kept));
	refolding->is_hidden = calloc(from->n_entities, sizeof(*refolding->is_hidden));
	refolding->places = calloc(from->n_nodes, sizeof(*refolding->places));
	if (!refolding->is_selected || !refolding->is_kept || !refolding->is_hidden ||
	    !refolding->places)
		return -ENOMEM;
	int err = select_nodes(refolding, conditions);
	if (err)
		return err;
	hide_entities(refolding, kernel);
	err = build(refolding, kernel);
	if (!err)
		err = fold_sum_up(refolding->into);
	if (!err)
		fill_root(refolding);
	return err;
}

int refold(const struct refold_base *base, const struct refold_conditions *conditions,
	   enum view_kernel kernel, struct fold **fold_ret)
{
	struct refolding refolding = {
		.base = base,
		.from = base->fold,
		.is_whole = !conditions->met,
	};
	int err = run(&refolding, conditions, kernel);

	free(refolding.is_selected);
	free(refolding.is_kept);
	free(refolding.is_hidden);
	free(refolding.places);
	free(refolding.made);
	node_index_deinit(&refolding.index);
	if (err)
		fold_destroy(refolding.into);
	else
		*fold_ret = refolding.into;
	return err;
}
