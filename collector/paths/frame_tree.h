/*
 * Frames that threads were seen to have, where they were on the stack: a tree for each thread, from
 * its outermost frame inwards. The same frame at the same place below different callers is as many
 * nodes, its likes.
 *
 * Belongs to one thread at a time. Memory is bounded: a full tree is to be emptied by its user.
 */
#ifndef COLLECTOR_PATHS_FRAME_TREE_H
#define COLLECTOR_PATHS_FRAME_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "cct/base/hash_table.h"
#include "cct/model/frame.h"

#define FRAME_NONE      0u
#define FRAME_NODES_MAX (1u << 19) /* 40 MiB with the hash tables */

/* A frame at its place: code that was called at a certain depth of the stack. */
struct placed_frame {
	uint64_t sp;   /* when it was sampled, or when its callee returns to it */
	uint64_t addr; /* lookup address in the process */
	struct frame frame;
};

struct frame_node {
	struct placed_frame at;
	uint32_t root;
	uint32_t parent;
	uint32_t next_like; /* FRAME_NONE: the last */
	uint32_t n_seen;    /* calls of it that were seen; of a root: complete paths that differ */
	/* The number of the last path through it, but see thread_path.h; of a root: of all; 0: none
	 */
	uint32_t last_path;
	uint32_t n_far; /* calls that go on far beyond it: the user's to count */
	bool has_likes; /* others that are placed, before it in the list or after it */
};

struct frame_tree {
	struct frame_node *nodes; /* [0] is not used */
	uint32_t n_nodes, n_nodes_allocated;
	struct hash_table by_parent; /* indexes of nodes, by (parent, frame) */
	struct hash_table by_place;  /* of the newest of its likes, by (root, frame) */
	uint32_t n_placed;           /* the first nodes, which are in ->by_place; or 0 */
};

/* Whether both are the same code at the same place. */
static inline bool frame_is_at(const struct placed_frame *a, const struct placed_frame *b)
{
	return a->sp == b->sp && a->addr == b->addr && frame_equal(&a->frame, &b->frame);
}

/* All zero is an empty tree; so is a tree after this. */
void frame_tree_deinit(struct frame_tree *tree);

/* The root of @thread's tree. FRAME_NONE: it has none. */
uint32_t frame_tree_root(const struct frame_tree *tree, const void *thread);
/* The same, made if new. FRAME_NONE: out of memory. */
uint32_t frame_tree_add_root(struct frame_tree *tree, const void *thread);
/* A child of @parent. FRAME_NONE: it has no such child. */
uint32_t frame_tree_child(const struct frame_tree *tree, uint32_t parent,
			  const struct placed_frame *at);
/* The same, made if new. FRAME_NONE: out of memory. */
uint32_t frame_tree_add_child(struct frame_tree *tree, uint32_t parent,
			      const struct placed_frame *at);
/* Tells all nodes of their likes, which is put off until somebody asks for these. 0 or -ENOMEM. */
int frame_tree_place(struct frame_tree *tree);
/* The newest placed node of @root's tree with that frame; ->next_like has the others. FRAME_NONE:
 * none. */
uint32_t frame_tree_likes(const struct frame_tree *tree, uint32_t root,
			  const struct placed_frame *at);

#endif
