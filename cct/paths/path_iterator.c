#include "cct/paths/path_iterator.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/cleanup.h"

/* Parents have lower numbers than their children. 0: out of memory. */
static size_t find_max_depth(const struct cct *cct)
{
	_cleanup_free_ uint32_t *depths = calloc(cct->n_nodes, sizeof(*depths));
	size_t max = 1;

	if (!depths)
		return 0;
	for (uint32_t i = 1; i < cct->n_nodes; i++) {
		depths[i] = depths[cct->nodes[i].parent] + 1;
		max = depths[i] > max ? depths[i] : max;
	}
	return max;
}

int path_iterator_init(struct path_iterator *iterator, const struct profile *profile)
{
	size_t max_frames = find_max_depth(profile->cct);

	*iterator = (struct path_iterator){
		.profile = profile,
		.node = CCT_ROOT + 1,
		.max_frames = max_frames,
	};
	iterator->frames = max_frames ? calloc(max_frames, sizeof(*iterator->frames)) : NULL;
	return iterator->frames ? 0 : -ENOMEM;
}

void path_iterator_deinit(struct path_iterator *iterator)
{
	free(iterator->frames);
	iterator->frames = NULL;
}

static bool has_samples(const struct cct *cct, uint32_t node)
{
	for (uint32_t metric = 0; metric < cct->n_metrics; metric++) {
		if (cct_cost(cct, node, metric)->samples)
			return true;
	}
	return false;
}

static void add_frame(struct path_iterator *iterator, const struct frame *frame,
		      struct profile_path *path)
{
	const struct profile *profile = iterator->profile;

	if (frame->kind == FRAME_PROCESS)
		path->process = frame->offset < profile->n_processes
					? &profile->processes[frame->offset]
					: NULL;
	else if (frame->kind == FRAME_THREAD)
		path->thread = frame->offset < profile->n_threads ? &profile->threads[frame->offset]
								  : NULL;
	else
		iterator->frames[iterator->max_frames - ++path->n_frames] = *frame;
}

/* From the end of the path up, so its frames are at the end of the array. */
static void fill_path(struct path_iterator *iterator, uint32_t node, struct profile_path *path)
{
	const struct cct *cct = iterator->profile->cct;

	*path = (struct profile_path){ .marked = path_marks_of(&cct->marks, node),
				       .costs = cct_cost(cct, node, 0) };
	for (; node != CCT_ROOT; node = cct->nodes[node].parent)
		add_frame(iterator, cct_frame(cct, node), path);
	path->frames = iterator->frames + iterator->max_frames - path->n_frames;
	path->is_complete = !path->n_frames || path->frames[0].kind != FRAME_MARKER ||
			    !marker_is_reason((enum marker)path->frames[0].offset);
}

bool path_iterator_next(struct path_iterator *iterator, struct profile_path *path_ret)
{
	const struct cct *cct = iterator->profile->cct;

	while (iterator->node < cct->n_nodes) {
		uint32_t node = iterator->node++;

		if (!has_samples(cct, node))
			continue;
		fill_path(iterator, node, path_ret);
		return true;
	}
	return false;
}
