#include "cct/merge/fold_once.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

/* Fills @is_once, by node: no more than one sample has been there or below. 0 or -ENOMEM. */
static int find_once(const struct cct *cct, bool *is_once)
{
	struct path_tree paths;
	int err = path_tree_init(&paths, cct);

	for (uint32_t node = 0; !err && node < cct->n_nodes; node++)
		is_once[node] = !frame_is_above_code(cct_frame(cct, node)) &&
				paths.counts[paths.paths[node]] <= 1;
	path_tree_deinit(&paths);
	return err;
}

/* Frames that follow each other become one marker. */
static uint32_t enter_marker(struct cct *into, uint32_t above)
{
	const struct frame marker = frame_marker(MARKER_SEEN_ONCE);

	return frame_equal(cct_frame(into, above), &marker) ? above
							    : cct_child(into, above, &marker);
}

/* Markers stay: whether the sample was in the kernel, why callers are missing. */
static int fold_node(const struct cct *from, uint32_t node, bool is_once,
		     const struct frame_numbers *numbers, struct changed_tree *folded)
{
	struct cct *into = folded->cct;
	const uint32_t above = folded->nodes[from->nodes[node].parent];
	const bool stays = !is_once || cct_frame(from, node)->kind == FRAME_MARKER;
	const uint32_t to = stays ? frame_numbers_child(numbers, above, from->nodes[node].frame)
				  : enter_marker(into, above);

	if (to == CCT_NONE || cct_add_costs(into, to, from, node))
		return -ENOMEM;
	folded->nodes[node] = to;
	if (stays) {
		into->nodes[to].frame_marks |= from->nodes[node].frame_marks;
		cct_add_activations(into, to, from, node);
	}
	if (cct_path_is_folded(into, to))
		folded->n_samples += path_tree_samples_at(from, node);
	return 0;
}

static int fold_nodes(const struct cct *from, const bool *is_once, struct changed_tree *folded)
{
	struct frame_numbers numbers;
	int err = frame_numbers_init(&numbers, folded->cct, from->frames.frames,
				     from->frames.n_frames);

	if (err)
		return err;
	err = cct_add_costs(folded->cct, CCT_ROOT, from, CCT_ROOT);
	for (uint32_t node = CCT_ROOT + 1; !err && node < from->n_nodes; node++)
		err = fold_node(from, node, is_once[node], &numbers, folded);
	frame_numbers_deinit(&numbers);
	return err;
}

int fold_once(const struct cct *cct, struct changed_tree *folded)
{
	_cleanup_free_ bool *is_once = calloc(cct->n_nodes, sizeof(*is_once));
	int err = changed_tree_init(folded, cct);

	if (!is_once)
		return -ENOMEM;
	if (!err)
		err = find_once(cct, is_once);
	return err ? err : fold_nodes(cct, is_once, folded);
}
