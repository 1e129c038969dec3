/*
 * The calling context tree: one node per distinct call path, costs per metric in each node
 * (Ammons, Ball, Larus 1997, section 4, with unbounded recursion as in Froyd et al. 2005).
 *
 * Nodes are numbered in order of creation; a parent's number is below its children's, so a loop
 * from the last node to the first sees children before parents. Node 0 is the root. Memory is
 * bounded by distinct contexts. Not thread-safe: one tree per thread, cct_merge() at the end.
 */
#ifndef CCT_MODEL_CCT_H
#define CCT_MODEL_CCT_H

#include <stddef.h>
#include <stdint.h>

#include "cct/base/hash_table.h"
#include "cct/marks/path_marks.h"
#include "cct/model/frame_ids.h"

#define CCT_ROOT 0u
#define CCT_NONE UINT32_MAX

struct cct_node {
	uint32_t frame : 29; /* its number in cct->frames */
	/* How the frame itself was found in some of the paths: bits 1 << enum path_mark. */
	uint32_t frame_marks : N_PATH_MARKS;
	uint32_t parent;       /* CCT_NONE for the root */
	uint32_t first_child;  /* CCT_NONE: a leaf; newest first */
	uint32_t next_sibling; /* CCT_NONE: the last */
};
static_assert(sizeof(struct cct_node) == 16, "nodes are stored by the million");
static_assert(FRAME_IDS_MAX <= 1u << 29, "a node has room for each number");

/* Exclusive cost: of the samples whose path ends at the node. */
struct cct_cost {
	uint64_t samples;
	uint64_t weight;
};

struct cct {
	struct cct_node *nodes;
	struct cct_cost *costs; /* [node * n_metrics + metric] */
	struct frame_ids frames;
	struct path_marks marks; /* of samples whose path ends at a node */
	struct hash_table
		by_frame; /* nodes that are not next to their parent, by (parent, frame) */
	uint32_t n_nodes, n_nodes_allocated;
	size_t n_costs_allocated;
	uint32_t n_metrics;
	uint64_t *longest; /* [node]: the largest weight of a sample; NULL: not kept */
	size_t n_longest_allocated;
	uint32_t longest_metric; /* whose; CCT_NONE: not kept */
	/* [node]: how many calls to the node's frame were made, at least; NULL: not kept. A call
	 * counts where it was when it was first seen. */
	uint64_t *activations;
	size_t n_activations_allocated;
	/* [node * n_metrics + metric]: the sum of the squares of its samples' weights as they were
	 * received; profile_scale() does not multiply them. NULL: not kept */
	unsigned __int128 *squares;
	size_t n_squares_allocated;
};

struct cct *cct_create(uint32_t n_metrics);
/* An empty tree of the same metrics, which keeps the same. NULL: out of memory. */
struct cct *cct_create_like(const struct cct *cct);
void cct_destroy(struct cct *cct);
/* Keeps the largest weight of a sample of the metric in each node, too: of those that are added
 * from now on. 0 or -ENOMEM. */
int cct_keep_longest(struct cct *cct, uint32_t metric);
/* Keeps activations, too: 0 of the nodes that there are. 0 or -ENOMEM. */
int cct_keep_activations(struct cct *cct);
void cct_drop_activations(struct cct *cct);
/* The innermost @n frames of the path that ends at @node are of calls that were made. The mark
 * between user and kernel goes with the kernel's outermost frame, other marks do not count. */
void cct_count_calls(struct cct *cct, uint32_t node, size_t n);
/* Keeps the sums of squared weights in each node, too: of samples that are added from now on. 0 or
 * -ENOMEM. */
int cct_keep_squares(struct cct *cct);
void cct_drop_squares(struct cct *cct);
/* Adds metrics without cost, up to @n_metrics of them. 0, or -ENOMEM: nothing changed. */
int cct_widen(struct cct *cct, uint32_t n_metrics);

/* The child of @parent with @frame, made if new. CCT_NONE: out of memory. */
uint32_t cct_child(struct cct *cct, uint32_t parent, const struct frame *frame);
/* The frames of a list in a tree, found once each: for many nodes of few frames. Borrows both. */
struct frame_numbers {
	struct cct *cct;
	const struct frame *frames;
	uint32_t *numbers; /* in the tree, and 1; 0: not known yet */
};

/* 0 or -ENOMEM. */
int frame_numbers_init(struct frame_numbers *numbers, struct cct *cct, const struct frame *frames,
		       uint32_t n_frames);
void frame_numbers_deinit(struct frame_numbers *numbers);
/* cct_child() of frame @i of the list. */
uint32_t frame_numbers_child(const struct frame_numbers *numbers, uint32_t parent, uint32_t i);
/* Makes room for @n_more nodes, so that adding them moves no others. 0 or -ENOMEM. */
int cct_reserve(struct cct *cct, uint32_t n_more);
/* Adds a child whose frame has that number in ->frames, for a tree that is read: nothing finds it
 * by its frame until the next insertion by cct_child(). If the parent has such a child, there are
 * two nodes of one path; views and cct_merge() add them up. CCT_NONE: out of memory. */
uint32_t cct_add_child(struct cct *cct, uint32_t parent, uint32_t frame);
/* Descends from @parent along @frames, root first, and notes their origins. The last node, or
 * CCT_NONE. */
uint32_t cct_insert_path(struct cct *cct, uint32_t parent, const struct frame *frames,
			 size_t n_frames);
/* The frame of a node; valid until the next insertion. */
static inline const struct frame *cct_frame(const struct cct *cct, uint32_t node)
{
	return &cct->frames.frames[cct->nodes[node].frame];
}
static inline struct cct_cost *cct_cost(const struct cct *cct, uint32_t node, uint32_t metric)
{
	return &cct->costs[(size_t)node * cct->n_metrics + metric];
}
static inline void cct_add_cost(struct cct *cct, uint32_t node, uint32_t metric, uint64_t weight)
{
	struct cct_cost *cost = cct_cost(cct, node, metric);

	cost->samples++;
	cost->weight += weight;
	if (metric == cct->longest_metric && weight > cct->longest[node])
		cct->longest[node] = weight;
	if (cct->squares)
		cct->squares[(size_t)node * cct->n_metrics + metric] +=
			(unsigned __int128)weight * weight;
}
/* Whether MARKER_SEEN_ONCE is in the place of the innermost frames of a node's path. */
bool cct_path_is_folded(const struct cct *cct, uint32_t node);
/* Frees what finds nodes by their frames, 4 to 8 bytes a node, when a tree is complete. The next
 * insertion makes it again. */
void cct_drop_index(struct cct *cct);
/* Adds what @from has of samples at @node to the node @to of @into. 0 or -ENOMEM. */
int cct_add_costs(struct cct *into, uint32_t to, const struct cct *from, uint32_t node);
/* Likewise its activations, where both trees keep them. */
static inline void cct_add_activations(struct cct *into, uint32_t to, const struct cct *from,
				       uint32_t node)
{
	if (into->activations && from->activations)
		into->activations[to] += from->activations[node];
}
/* Adds @from's nodes and costs to @into. 0 or -ENOMEM, @into then half merged. */
int cct_merge(struct cct *into, const struct cct *from);
/* Likewise, but nodes whose frame is of this kind are left out: what they have, and what is below
 * them, belongs to their parents. */
int cct_merge_without(struct cct *into, const struct cct *from, enum frame_kind kind);
/* cct_merge() that fills @map, of @from->n_nodes elements: which node of @into each has become. */
int cct_merge_mapped(struct cct *into, const struct cct *from, uint32_t *map);
/* Likewise, but nodes with no sample in or below them are left out: they become CCT_NONE. */
int cct_merge_used(struct cct *into, const struct cct *from, uint32_t *map);
/* Sums the exclusive costs of all nodes, to check that no cost was lost. */
struct cct_cost cct_sum(const struct cct *cct, uint32_t metric);

#endif
