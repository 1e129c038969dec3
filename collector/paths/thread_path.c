#include "collector/paths/thread_path.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"

void thread_path_deinit(struct thread_path *path)
{
	free(path->frames);
	free(path->nodes);
	*path = (struct thread_path){ .thread = NULL };
}

size_t thread_path_common(const struct thread_path *path, const struct placed_frame *frames,
			  size_t n_frames)
{
	const size_t n_most = n_frames < path->n ? n_frames : path->n;
	size_t n = 0;

	while (n < n_most && frame_is_at(&path->frames[n], &frames[n_frames - 1 - n]))
		n++;
	return n;
}

static void leave_nodes(struct thread_path *path, struct frame_tree *tree, size_t n_left)
{
	while (path->n > n_left)
		tree->nodes[path->nodes[--path->n]].last_path = tree->nodes[path->root].last_path;
}

void thread_path_begin(struct thread_path *path, struct frame_tree *tree, size_t n)
{
	leave_nodes(path, tree, n);
	tree->nodes[path->root].last_path++;
}

int thread_path_enter(struct thread_path *path, const struct frame_tree *tree, uint32_t node)
{
	const uint32_t number = tree->nodes[path->root].last_path;
	const uint32_t last = tree->nodes[node].last_path;

	if (array_reserve(path->frames, path->n, path->n_frames_allocated, 1) ||
	    array_reserve(path->nodes, path->n, path->n_nodes_allocated, 1))
		return -ENOMEM;
	path->frames[path->n] = tree->nodes[node].at;
	path->nodes[path->n++] = node;
	return !last || last + 1 < number;
}

void thread_path_leave(struct thread_path *path, struct frame_tree *tree)
{
	if (path->thread)
		leave_nodes(path, tree, 0);
	path->thread = NULL;
}
