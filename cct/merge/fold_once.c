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

struct folding {
	const struct cct *from;
	const bool *is_once; /* by node */
};

/* Markers stay: whether the sample was in the kernel, why callers are missing. */
static int fold_node(const void *arg, uint32_t node, const struct frame_numbers *numbers,
		     struct changed_tree *folded)
{
	const struct folding *folding = arg;
	const struct cct *from = folding->from;
	int err = 0;

	if (!folding->is_once[node] || cct_frame(from, node)->kind == FRAME_MARKER) {
		err = changed_tree_move(folded, from, node, numbers, from->nodes[node].frame);
	} else {
		const uint32_t above = folded->nodes[from->nodes[node].parent];
		const uint32_t to = enter_marker(folded->cct, above);

		folded->nodes[node] = to;
		err = to == CCT_NONE ? -ENOMEM : cct_add_costs(folded->cct, to, from, node);
	}
	if (!err && cct_path_is_folded(folded->cct, folded->nodes[node]))
		folded->n_samples += path_tree_samples_at(from, node);
	return err;
}

int fold_once(const struct cct *cct, struct changed_tree *folded)
{
	_cleanup_free_ bool *is_once = calloc(cct->n_nodes, sizeof(*is_once));
	const struct folding folding = { cct, is_once };
	int err = changed_tree_init(folded, cct);

	if (!is_once)
		return -ENOMEM;
	if (!err)
		err = find_once(cct, is_once);
	return err ? err : changed_tree_fill(folded, cct, cct->frames.frames, fold_node, &folding);
}
