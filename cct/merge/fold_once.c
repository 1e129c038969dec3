#include "cct/merge/fold_once.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

static uint64_t samples_at(const struct cct *cct, uint32_t node)
{
	uint64_t n = 0;

	for (uint32_t metric = 0; metric < cct->n_metrics; metric++)
		n += cct_cost(cct, node, metric)->samples;
	return n;
}

/* The paths of all processes and threads in one tree. Fills @paths: the node there of each. 0 or
 * -ENOMEM. */
static int enter_paths(const struct cct *from, struct cct *tree, uint32_t *paths)
{
	struct frame_numbers numbers;
	int err = frame_numbers_init(&numbers, tree, from->frames.frames, from->frames.n_frames);

	if (err)
		return err;
	for (uint32_t node = CCT_ROOT + 1; node < from->n_nodes && !err; node++) {
		const uint32_t above = paths[from->nodes[node].parent];

		paths[node] =
			frame_is_above_code(cct_frame(from, node))
				? above
				: frame_numbers_child(&numbers, above, from->nodes[node].frame);
		err = paths[node] == CCT_NONE ? -ENOMEM : 0;
	}
	frame_numbers_deinit(&numbers);
	return err;
}

/* How many samples are at each node of @tree and below it; to free(). NULL: no memory. */
static uint64_t *count_samples(const struct cct *from, const struct cct *tree,
			       const uint32_t *paths)
{
	uint64_t *counts = calloc(tree->n_nodes, sizeof(*counts));

	for (uint32_t node = 0; counts && node < from->n_nodes; node++)
		counts[paths[node]] += samples_at(from, node);
	for (uint32_t node = tree->n_nodes; counts && node-- > CCT_ROOT + 1;)
		counts[tree->nodes[node].parent] += counts[node];
	return counts;
}

/* Fills @is_once, by node: no more than one sample has been there or below. 0 or -ENOMEM. */
static int find_once(const struct cct *cct, bool *is_once)
{
	_cleanup_free_ uint32_t *paths = calloc(cct->n_nodes, sizeof(*paths));
	struct cct *tree = cct_create(0);
	int err = tree && paths ? enter_paths(cct, tree, paths) : -ENOMEM;
	_cleanup_free_ uint64_t *counts = err ? NULL : count_samples(cct, tree, paths);

	for (uint32_t node = 0; counts && node < cct->n_nodes; node++)
		is_once[node] =
			!frame_is_above_code(cct_frame(cct, node)) && counts[paths[node]] <= 1;
	cct_destroy(tree);
	return counts ? 0 : -ENOMEM;
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
		     const struct frame_numbers *numbers, struct folded_tree *folded)
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
		folded->n_samples += samples_at(from, node);
	return 0;
}

static int fold_nodes(const struct cct *from, const bool *is_once, struct folded_tree *folded)
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

/*
 * The names of all frames of a tree. Without a build ID, names tell the variants of a module
 * (cct/merge/merge_names.h), so they stay.
 */
static void mark_codes(const struct profile *profile, const struct frame_ids *ids, bool is_unused,
		       bool *marks)
{
	const struct stored_names *names = profile->names;

	for (uint32_t i = 0; i < ids->n_frames; i++) {
		const struct frame *frame = &ids->frames[i];
		const struct module *module = module_table_get(&profile->modules, frame->module);
		const struct stored_code *code =
			module && module->key.build_id.size
				? stored_names_find(names, frame->module, frame->offset)
				: NULL;

		if (code)
			marks[code - names->codes] = is_unused;
	}
}

int fold_once(const struct profile *profile, struct folded_tree *folded)
{
	const struct cct *cct = profile->cct;
	_cleanup_free_ bool *is_once = calloc(cct->n_nodes, sizeof(*is_once));

	*folded = (struct folded_tree){
		.cct = cct_create_like(cct),
		.nodes = calloc(cct->n_nodes, sizeof(*folded->nodes)),
		.is_unused_code =
			calloc(profile->names->n_codes + 1ul, sizeof(*folded->is_unused_code)),
	};
	if (!is_once || !folded->cct || !folded->nodes || !folded->is_unused_code)
		return -ENOMEM;
	int err = find_once(cct, is_once);
	if (!err)
		err = fold_nodes(cct, is_once, folded);
	if (err)
		return err;
	mark_codes(profile, &cct->frames, true, folded->is_unused_code);
	mark_codes(profile, &folded->cct->frames, false, folded->is_unused_code);
	return 0;
}

void folded_tree_deinit(struct folded_tree *folded)
{
	cct_destroy(folded->cct);
	free(folded->nodes);
	free(folded->is_unused_code);
}
