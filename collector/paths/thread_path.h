/*
 * The path that was last entered into a thread's frame_tree, with its nodes, outermost first. The
 * next one shares most of them, and need not look these up again.
 *
 * A node's ->last_path is brought up to date when the path leaves the node: of nodes on the path it
 * is the root's ->last_path.
 */
#ifndef COLLECTOR_PATHS_THREAD_PATH_H
#define COLLECTOR_PATHS_THREAD_PATH_H

#include "collector/paths/frame_tree.h"

/* All zero: of no thread. */
struct thread_path {
	const void *thread; /* names it */
	uint32_t root;      /* of its tree */
	struct placed_frame *frames;
	uint32_t *nodes;
	size_t n, n_frames_allocated, n_nodes_allocated;
};

void thread_path_deinit(struct thread_path *path);
/* How many of the outermost frames are the outermost of @frames, which are leaf first. */
size_t thread_path_common(const struct thread_path *path, const struct placed_frame *frames,
			  size_t n_frames);
/* A new path of the thread begins: it has the first @n nodes in common with this one. */
void thread_path_begin(struct thread_path *path, struct frame_tree *tree, size_t n);
/* The path goes on to @node. 1: the thread has called it since the path before, which did not go
 * through it; 0: it went, too; -ENOMEM. */
int thread_path_enter(struct thread_path *path, const struct frame_tree *tree, uint32_t node);
/* Brings all nodes up to date: the path is of no thread then. */
void thread_path_leave(struct thread_path *path, struct frame_tree *tree);

/* The node that the path has reached. */
static inline uint32_t thread_path_node(const struct thread_path *path)
{
	return path->n ? path->nodes[path->n - 1] : path->root;
}

#endif
