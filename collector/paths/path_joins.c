#include "collector/paths/path_joins.h"

#include <errno.h>
#include <stdlib.h>

#include "cct/base/array.h"
#include "cct/base/hash.h"
#include "collector/paths/thread_path.h"

/* Of deeper paths nothing is learned. */
#define FRAMES_MAX (1u << 16)
/* More callers of one frame are not compared. */
#define LIKES_MAX 64
/* Threads whose last paths are known at once, as a power of two. */
#define PATH_BITS 7

struct path_joins {
	struct frame_tree tree;
	struct thread_path paths[1u << PATH_BITS]; /* direct-mapped */
	struct placed_frame *outer;                /* the last result */
	size_t n_outer, n_outer_allocated;
	uint32_t *nodes; /* the same, in the tree */
	size_t n_nodes_allocated;
};

/* A path that continues, from ->path->n_frames on, with the callers in ->outer. */
struct long_path {
	const struct walked_path *path;
	const struct placed_frame *outer;
};

struct path_joins *path_joins_create(void)
{
	return calloc(1, sizeof(struct path_joins));
}

void path_joins_destroy(struct path_joins *joins)
{
	if (!joins)
		return;
	frame_tree_deinit(&joins->tree);
	for (size_t i = 0; i < 1u << PATH_BITS; i++)
		thread_path_deinit(&joins->paths[i]);
	free(joins->outer);
	free(joins->nodes);
	free(joins);
}

static const struct placed_frame *frame_at(const struct long_path *of, size_t i)
{
	const struct walked_path *path = of->path;

	return i < path->n_frames ? &path->frames[i] : &of->outer[i - path->n_frames];
}

/* Callers are further up on the same stack. A handler on another one, and what it interrupts, are
 * not. */
static bool is_on_one_stack(const struct walked_path *path)
{
	for (size_t i = 1; i < path->n_frames; i++) {
		if (path->frames[i].sp < path->frames[i - 1].sp)
			return false;
	}
	return path->n_frames - 1 < FRAMES_MAX;
}

/* Makes room for the nodes of one more path. */
static void bound_memory(struct path_joins *joins)
{
	if (joins->tree.n_nodes <= FRAME_NODES_MAX - FRAMES_MAX)
		return;
	frame_tree_deinit(&joins->tree);
	for (size_t i = 0; i < 1u << PATH_BITS; i++)
		thread_path_deinit(&joins->paths[i]);
}

/* The last path of the thread with this root. */
static struct thread_path *find_path(struct path_joins *joins, const void *thread, uint32_t root)
{
	struct thread_path *path = &joins->paths[hash_to_bits((uintptr_t)thread, PATH_BITS)];

	if (path->thread != thread) {
		thread_path_leave(path, &joins->tree);
		path->thread = thread;
	}
	path->root = root;
	return path;
}

/*
 * Adds the frames from index @i - 1 down to 1, below the last node of @to. The sampled instruction,
 * 0, is anywhere in its function. A call that lasts for many samples counts once.
 */
static int add_frames(struct frame_tree *tree, struct thread_path *to,
		      const struct walked_path *path, size_t i)
{
	while (i-- > 1) {
		const uint32_t node = thread_path_node(to);
		const uint32_t child = frame_tree_add_child(tree, node, &path->frames[i]);
		const int is_new =
			child == FRAME_NONE ? -ENOMEM : thread_path_enter(to, tree, child);

		if (is_new < 0)
			return is_new;
		if (!is_new)
			continue;
		tree->nodes[child].n_seen++;
		tree->nodes[node].n_far += i >= JOIN_FRAMES_MIN;
		tree->nodes[to->root].n_seen += i == JOIN_FRAMES_MIN;
	}
	return 0;
}

int path_joins_learn(struct path_joins *joins, const struct walked_path *path)
{
	if (frame_tree_root(&joins->tree, path->thread) == FRAME_NONE || !is_on_one_stack(path))
		return 0;
	bound_memory(joins);
	const uint32_t root = frame_tree_add_root(&joins->tree, path->thread);
	if (root == FRAME_NONE)
		return -ENOMEM;
	struct thread_path *to = find_path(joins, path->thread, root);
	/* The sampled instruction is not part of it. */
	const size_t n_common = thread_path_common(to, path->frames + 1, path->n_frames - 1);
	thread_path_begin(to, &joins->tree, n_common);
	return add_frames(&joins->tree, to, path, path->n_frames - n_common);
}

/* How far a path agrees with the tree. */
struct agreement {
	size_t n_frames; /* in a row, of the frames that are the path's own */
	uint32_t n_far;  /* of the last frame's node */
	uint32_t n_seen; /* of the JOIN_FRAMES_MINth frame's node; 0: there are fewer */
};

/* @node is the path's frame @i. */
static struct agreement compare(const struct frame_tree *tree, uint32_t node,
				const struct long_path *of, size_t i)
{
	const size_t n_own = of->path->n_frames;
	struct agreement found = { .n_frames = i < n_own };

	while (found.n_frames < JOIN_FRAMES_MIN && i > 1) {
		const uint32_t child = frame_tree_child(tree, node, frame_at(of, --i));

		if (child == FRAME_NONE)
			break;
		node = child;
		found.n_frames += i < n_own;
	}
	found.n_far = tree->nodes[node].n_far;
	if (found.n_frames == JOIN_FRAMES_MIN)
		found.n_seen = tree->nodes[node].n_seen;
	return found;
}

/* Many paths of these callers were seen to go on for long, none of them as this one does. Paths
 * that end soon do not tell: each of them has its own last frames. */
static bool leads_elsewhere(const struct agreement *agreement)
{
	return agreement->n_frames < JOIN_FRAMES_MIN && agreement->n_far >= JOIN_SEEN_MIN;
}

/* The callers of both nodes are likes, too. */
static bool have_like_callers(const struct frame_tree *tree, uint32_t a, uint32_t b)
{
	const uint32_t a_caller = tree->nodes[a].parent, b_caller = tree->nodes[b].parent;

	return frame_is_at(&tree->nodes[a_caller].at, &tree->nodes[b_caller].at);
}

/*
 * Whether @node alone may be the path's frame @i, of all nodes with this frame. Where callers are
 * likes, too, the answer is theirs.
 */
static bool is_alone(const struct frame_tree *tree, uint32_t node, const struct long_path *of,
		     size_t i)
{
	uint32_t like = frame_tree_likes(tree, tree->nodes[node].root, frame_at(of, i));

	for (unsigned n = 0; like != FRAME_NONE; n++, like = tree->nodes[like].next_like) {
		if (n == LIKES_MAX)
			return false;
		if (like == node || have_like_callers(tree, like, node))
			continue;
		const struct agreement found = compare(tree, like, of, i);
		if (!leads_elsewhere(&found))
			return false;
	}
	return true;
}

/* A node that the path's last frame may be: the newest that proves it. FRAME_NONE: none. */
static uint32_t find_node(const struct frame_tree *tree, uint32_t root,
			  const struct walked_path *path)
{
	const struct long_path of = { .path = path };
	const size_t last = path->n_frames - 1;
	uint32_t like = frame_tree_likes(tree, root, &path->frames[last]);

	for (unsigned n = 0; n < LIKES_MAX && like != FRAME_NONE; n++) {
		const struct agreement found = compare(tree, like, &of, last);

		if (found.n_seen >= JOIN_SEEN_MIN)
			return like;
		like = tree->nodes[like].next_like;
	}
	return FRAME_NONE;
}

/* Fills ->outer with the callers of @node. */
static int collect_outer(struct path_joins *joins, uint32_t node)
{
	const struct frame_node *nodes = joins->tree.nodes;

	joins->n_outer = 0;
	for (uint32_t at = nodes[node].parent; nodes[at].parent != FRAME_NONE;
	     at = nodes[at].parent) {
		if (array_reserve(joins->outer, joins->n_outer, joins->n_outer_allocated, 1) ||
		    array_reserve(joins->nodes, joins->n_outer, joins->n_nodes_allocated, 1))
			return -ENOMEM;
		joins->nodes[joins->n_outer] = at;
		joins->outer[joins->n_outer++] = nodes[at].at;
	}
	return 0;
}

/* Whether @last, the path's last frame, and each caller in ->outer is the only one that the path
 * may have there: others may have been seen with the same frames, but not as deep as this path. */
static bool are_callers_alone(const struct path_joins *joins, const struct walked_path *path,
			      uint32_t last)
{
	const struct long_path of = { .path = path, .outer = joins->outer };
	const struct frame_tree *tree = &joins->tree;

	if (tree->nodes[last].has_likes && !is_alone(tree, last, &of, path->n_frames - 1))
		return false;
	for (size_t i = 0; i < joins->n_outer; i++) {
		const uint32_t node = joins->nodes[i];

		if (tree->nodes[node].has_likes && !is_alone(tree, node, &of, path->n_frames + i))
			return false;
	}
	return true;
}

/* Adds @path, whose last frame is @node, with the callers in ->nodes. */
static int add_joined(struct path_joins *joins, struct thread_path *to,
		      const struct walked_path *path, uint32_t node)
{
	struct frame_tree *tree = &joins->tree;
	size_t n = 0, n_outer = joins->n_outer;

	while (n < n_outer && n < to->n && to->nodes[n] == joins->nodes[n_outer - 1 - n])
		n++;
	const bool was_there = n == n_outer && n < to->n && to->nodes[n] == node;
	thread_path_begin(to, tree, n + was_there);
	for (; n < n_outer; n++) {
		int err = thread_path_enter(to, tree, joins->nodes[n_outer - 1 - n]);
		if (err < 0)
			return err;
	}
	const int is_new = was_there ? 0 : thread_path_enter(to, tree, node);
	if (is_new < 0)
		return is_new;
	tree->nodes[node].n_seen += (uint32_t)is_new;
	return add_frames(tree, to, path, path->n_frames - 1);
}

int path_joins_find(struct path_joins *joins, const struct walked_path *path,
		    const struct placed_frame **outer_ret, size_t *n_outer_ret)
{
	struct frame_tree *tree = &joins->tree;

	*n_outer_ret = 0;
	if (path->n_frames <= JOIN_FRAMES_MIN || !is_on_one_stack(path))
		return 0;
	bound_memory(joins);
	const uint32_t root = frame_tree_add_root(tree, path->thread);
	if (root == FRAME_NONE)
		return -ENOMEM;
	if (tree->nodes[root].n_seen < JOIN_LEARNED_MIN)
		return 0;
	if (frame_tree_place(tree))
		return -ENOMEM;
	const uint32_t node = find_node(tree, root, path);
	if (node == FRAME_NONE)
		return 0;
	if (collect_outer(joins, node))
		return -ENOMEM;
	if (!joins->n_outer || !are_callers_alone(joins, path, node))
		return 0;
	*outer_ret = joins->outer;
	*n_outer_ret = joins->n_outer;
	return add_joined(joins, find_path(joins, path->thread, root), path, node);
}
