/*
 * The calling context tree as views want it: call sites folded to functions, processes grouped,
 * kernel and user parts in or out. Every view is made from this tree, which fold_profile() makes.
 */
#ifndef REPORT_VIEWS_FOLD_H
#define REPORT_VIEWS_FOLD_H

#include "cct/model/profile.h"

#define FOLD_NONE UINT32_MAX

struct source_paths;

/* What a node stands for: a function, a source line, a group of processes, a marker; shared by many
 * nodes. */
struct fold_entity {
	const char *name;
	const char *base_name; /* of the function that a clone is of; NULL: it is none */
	const char *module;
	int32_t id;
	uint32_t n_merged;
	uint32_t module_id;
	enum frame_kind frame_kind;
	bool is_inlined;
	uint32_t line; /* VIEW_LINES: 0: a function without lines */
	const char *file;
};

struct fold_node {
	uint32_t parent; /* below the node's own index; the root is 0 and its own parent */
	uint32_t entity;
	/* An inlined function's: the call in its parent. Line 0: not known, or several calls. */
	const char *call_file;
	uint32_t call_line;
	uint64_t marked[N_PATH_MARKS]; /* samples whose path ends here */
};

struct fold {
	struct fold_entity *entities; /* [0]: the root's */
	uint32_t n_entities, n_entities_allocated;
	struct fold_node *nodes;
	uint32_t n_nodes, n_nodes_allocated;
	uint32_t n_metrics;
	/* [node * n_metrics + metric] */
	uint64_t *self, *total;
	uint64_t *self_samples, *samples; /* of the node itself; inclusive */
	struct source_paths *paths;       /* VIEW_LINES: holds the entities' files */
};

/* Room for a root and as many nodes as @cct has; to be filled. NULL: no memory. */
struct fold *fold_create(const struct cct *cct);
void fold_destroy(struct fold *fold);
/* Copies @entity. The new one's index, or FOLD_NONE: no memory. */
uint32_t fold_add_entity(struct fold *fold, const struct fold_entity *entity);
/* A node without cost, behind all others. 0 or -ENOMEM. */
int fold_add_node(struct fold *fold, uint32_t parent, uint32_t entity, uint32_t *node_ret);
/* Makes total and samples of the nodes' own. 0 or -ENOMEM. */
int fold_sum_up(struct fold *fold);

static inline bool entity_is_code(const struct fold_entity *entity)
{
	return entity->frame_kind == FRAME_USER || entity->frame_kind == FRAME_KERNEL ||
	       entity->frame_kind == FRAME_MARKER;
}

#endif
