/*
 * A calling context tree prepared for views: call sites are folded to functions, processes are
 * grouped, and kernel or user parts are left out on request. Every view is built from such a tree,
 * which fold_profile() makes from a profile.
 */
#ifndef REPORT_FOLD_FOLD_H
#define REPORT_FOLD_FOLD_H

#include <string.h>

#include "cct/model/profile.h"
#include "report/fold/node_index.h"

#define FOLD_NONE UINT32_MAX

struct source_paths;

/*
 * Errors of shares need more of a node than its costs. In folds with errors, which
 * view_options.errors asks for, each metric has these columns after those of the costs, so that
 * views add them up, or subtract them, like costs. A sum of squared weights may not fit one column.
 */
enum fold_error_column { FOLD_SAMPLES, FOLD_SQUARES_LOW, FOLD_SQUARES_HIGH, N_FOLD_ERROR_COLUMNS };

#define FOLD_SQUARES_LOW_BITS 40 /* 2^24 nodes fit a column */

/* Where the columns of a metric begin. @n_metrics: of the profile. */
static inline uint32_t fold_error_columns(uint32_t n_metrics, uint32_t metric)
{
	return n_metrics + metric * N_FOLD_ERROR_COLUMNS;
}

/*
 * What a node represents: a function, a function's part of a source line, a group of processes or a
 * marker. Many nodes may share one entity.
 */
struct fold_entity {
	const char *name;
	const char *base_name; /* the original function's name if this is a clone; else NULL */
	const char *symbol;    /* of a function, as in the file; NULL: none */
	const char *module;
	int32_t id;
	uint32_t n_merged;
	uint32_t module_id;
	uint64_t lowest_offset; /* of a function, in its module: of its frames in the profile */
	const struct profile_process *process; /* of a thread or epoch; NULL: not known */
	uint8_t root_match; /* VIEW_PATHS: how well a function matches options.root; 0: it does not
			     */
	enum frame_kind frame_kind;
	bool is_inlined;
	bool is_kernel_mark; /* MARKER_KERNEL */
	uint32_t line;       /* VIEW_LINES only; 0: a function without lines */
	const char *file;
	/* VIEW_LINES: the entity of the first function found in the same line; 0: it is this one */
	uint32_t line_group;
};

static inline void fold_entity_add_merged(struct fold_entity *entity, uint32_t n)
{
	if (__builtin_add_overflow(entity->n_merged, n, &entity->n_merged))
		entity->n_merged = UINT32_MAX;
}

/* How entities share the rows of a flat view (report/fold/outer_nodes.h). */
enum fold_grouping { FOLD_BY_ENTITY, FOLD_BY_MODULE, N_FOLD_GROUPINGS };

struct fold_node {       /* begins as struct node_key */
	uint32_t parent; /* smaller than the node's own index; the root is node 0 and its own parent
			  */
	uint32_t entity;
};

/* What else is known of a node: apart from it, because walks over many nodes do without. */
struct fold_detail {
	/* Of an inlined function: its call in the parent. Line 0: not known, or several calls. */
	const char *call_file;
	uint32_t call_line;
	uint32_t frame_marks; /* of a compiled function, as in struct cct_node */
};

struct fold {
	struct fold_entity *entities; /* [0] belongs to the root */
	uint32_t n_entities, n_entities_allocated;
	struct fold_node *nodes;
	struct fold_detail *details; /* by node */
	uint32_t n_nodes, n_nodes_allocated;
	struct path_marks marks; /* of samples whose paths end in a node */
	uint32_t n_metrics;      /* those of the profile, and the columns of their errors */
	/* [node * n_metrics + metric] */
	uint64_t *self, *total;
	uint64_t *self_samples, *samples; /* exclusive and inclusive */
	/* [node], the longest wait, exclusive and inclusive; NULL: the profile has no waits */
	uint64_t *self_longest, *longest;
	/* [node], as in the tree: of the calls to the function; NULL: the profile has none */
	uint64_t *activations;
	struct source_paths *paths; /* VIEW_LINES: owns the entities' file names */
	/* [grouping][node], as outer_nodes_find() says; NULL: not noted */
	uint32_t *outer[N_FOLD_GROUPINGS];
};

/* Creates an empty fold with room for a root and as many nodes as @cct has. NULL: out of memory. */
struct fold *fold_create(const struct cct *cct, bool errors);
/* An empty fold with room for so many nodes, and the same costs of them. Whoever adds nodes sets
 * their own costs and samples. NULL: out of memory. */
struct fold *fold_create_like(const struct fold *fold, uint32_t n_nodes);
void fold_destroy(struct fold *fold);
/* Gives a fold without entities those of another, whose names are borrowed. 0 or -ENOMEM. */
int fold_copy_entities(struct fold *into, const struct fold *from);
/* Adds a copy of @entity. Returns its index, or FOLD_NONE: out of memory. */
uint32_t fold_add_entity(struct fold *fold, const struct fold_entity *entity);
/* Appends a node without cost. 0 or -ENOMEM. */
int fold_add_node(struct fold *fold, uint32_t parent, uint32_t entity, uint32_t *node_ret);
/* The node of @entity below @parent, whose children are added by this function alone; appended if
 * there is none. 0 or -ENOMEM. */
int fold_find_node(struct fold *fold, struct node_index *index, uint32_t parent, uint32_t entity,
		   uint32_t *node_ret);
/* So that a node that was appended by fold_add_node() is found, once all with its parent were given
 * to this. 0 or -ENOMEM. */
int fold_index_node(const struct fold *fold, struct node_index *index, uint32_t node);
/*
 * Computes inclusive costs and samples from the exclusive ones. The root's exclusive costs are
 * those of samples that are not selected (report/selection/select_paths.h). They become part of its
 * inclusive costs alone, so that no view has a row for them. 0 or -ENOMEM.
 */
int fold_sum_up(struct fold *fold);

/* The longest wait of a node, with those below it or alone. 0: the profile has no waits. */
static inline uint64_t fold_longest(const struct fold *fold, uint32_t node)
{
	return fold->longest ? fold->longest[node] : 0;
}

static inline uint64_t fold_self_longest(const struct fold *fold, uint32_t node)
{
	return fold->self_longest ? fold->self_longest[node] : 0;
}

/* How often the function was called there, at least. 0: not known. */
static inline uint64_t fold_activations(const struct fold *fold, uint32_t node)
{
	return fold->activations ? fold->activations[node] : 0;
}

/* What is known of a function's calls where two nodes become one. */
static inline void fold_join_calls(struct fold_detail *known, const struct fold_detail *other)
{
	if (known->call_line != other->call_line ||
	    (known->call_line && strcmp(known->call_file, other->call_file) != 0))
		known->call_line = 0;
}

static inline void fold_raise_self_longest(struct fold *fold, uint32_t node, uint64_t longest)
{
	if (fold->self_longest && longest > fold->self_longest[node])
		fold->self_longest[node] = longest;
}

static inline bool entity_is_code(const struct fold_entity *entity)
{
	return entity->frame_kind == FRAME_USER || entity->frame_kind == FRAME_KERNEL ||
	       entity->frame_kind == FRAME_MARKER || entity->frame_kind == FRAME_LOCK ||
	       entity->frame_kind == FRAME_WAKER || entity->frame_kind == FRAME_VALUE;
}

/* The nodes below each node of a fold, in lists, by node; 0 ends a list. */
struct node_children {
	uint32_t *first, *next;
};

/* 0 or -ENOMEM, and then to be freed as well. */
int node_children_init(struct node_children *children, const struct fold *fold);
void node_children_deinit(struct node_children *children);

#endif
