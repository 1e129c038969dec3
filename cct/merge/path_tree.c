#include "cct/merge/path_tree.h"

#include <errno.h>
#include <stdlib.h>

uint64_t path_tree_samples_at(const struct cct *cct, uint32_t node)
{
	uint64_t n = 0;

	for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
		n += cct_cost(cct, node, metric)->samples;
	return n;
}

static int enter_paths(const struct cct *from, struct path_tree *paths)
{
	struct frame_numbers numbers;
	int err = frame_numbers_init(&numbers, paths->tree, from->frames.frames,
				     from->frames.n_frames);

	if (err)
		return err;
	for (uint32_t node = CCT_ROOT + 1; node < from->n_nodes && !err; node++) {
		const uint32_t above = paths->paths[from->nodes[node].parent];

		paths->paths[node] =
			frame_is_above_code(cct_frame(from, node))
				? above
				: frame_numbers_child(&numbers, above, from->nodes[node].frame);
		err = paths->paths[node] == CCT_NONE ? -ENOMEM : 0;
	}
	frame_numbers_deinit(&numbers);
	return err;
}

/* Nodes above code have no separate node here, so their frames are not noted. */
static int count_samples(const struct cct *from, struct path_tree *paths)
{
	const struct cct *tree = paths->tree;

	paths->counts = calloc(tree->n_nodes, sizeof(*paths->counts));
	paths->frames = calloc(tree->n_nodes, sizeof(*paths->frames));
	if (!paths->counts || !paths->frames)
		return -ENOMEM;
	for (uint32_t node = 0; node < from->n_nodes; node++) {
		paths->counts[paths->paths[node]] += path_tree_samples_at(from, node);
		if (!frame_is_above_code(cct_frame(from, node)))
			paths->frames[paths->paths[node]] = from->nodes[node].frame;
	}
	for (uint32_t node = tree->n_nodes; node-- > CCT_ROOT + 1;)
		paths->counts[tree->nodes[node].parent] += paths->counts[node];
	return 0;
}

int path_tree_init(struct path_tree *paths, const struct cct *from)
{
	*paths = (struct path_tree){
		.tree = cct_create(0),
		.paths = calloc(from->n_nodes, sizeof(*paths->paths)),
	};
	int err = paths->tree && paths->paths ? enter_paths(from, paths) : -ENOMEM;

	return err ? err : count_samples(from, paths);
}

void path_tree_deinit(struct path_tree *paths)
{
	cct_destroy(paths->tree);
	free(paths->paths);
	free(paths->counts);
	free(paths->frames);
}

int changed_tree_init(struct changed_tree *changed, const struct cct *from)
{
	*changed = (struct changed_tree){
		.cct = cct_create_like(from),
		.nodes = calloc(from->n_nodes, sizeof(*changed->nodes)),
	};
	return changed->cct && changed->nodes ? 0 : -ENOMEM;
}

void changed_tree_deinit(struct changed_tree *changed)
{
	cct_destroy(changed->cct);
	free(changed->nodes);
	*changed = (struct changed_tree){ 0 };
}

int changed_tree_fill(struct changed_tree *changed, const struct cct *from,
		      const struct frame *frames, changed_tree_place *place, const void *arg)
{
	struct frame_numbers numbers;
	int err = frame_numbers_init(&numbers, changed->cct, frames, from->frames.n_frames);

	if (err)
		return err;
	err = cct_add_costs(changed->cct, CCT_ROOT, from, CCT_ROOT);
	for (uint32_t node = CCT_ROOT + 1; !err && node < from->n_nodes; node++)
		err = place(arg, node, &numbers, changed);
	frame_numbers_deinit(&numbers);
	return err;
}

int changed_tree_move(struct changed_tree *changed, const struct cct *from, uint32_t node,
		      const struct frame_numbers *numbers, uint32_t frame)
{
	const uint32_t above = changed->nodes[from->nodes[node].parent];
	const uint32_t to = frame_numbers_child(numbers, above, frame);

	if (to == CCT_NONE || cct_add_costs(changed->cct, to, from, node))
		return -ENOMEM;
	changed->nodes[node] = to;
	changed->cct->nodes[to].frame_marks |= from->nodes[node].frame_marks;
	cct_add_activations(changed->cct, to, from, node);
	return 0;
}
