/* The rows of a view: the arena that holds them, and the order of siblings. */
#ifndef REPORT_VIEWS_VIEW_ROWS_H
#define REPORT_VIEWS_VIEW_ROWS_H

#include "cct/base/arena.h"
#include "cct/model/profile.h"
#include "report/fold/fold.h"
#include "report/fold/view_traits.h"

struct fold_entity;
struct hot_view;
struct tree_statistics;
struct source_paths;

enum row_kind {
	ROW_ROOT,
	ROW_PROCESS,
	ROW_THREAD,
	ROW_CPU,
	ROW_CGROUP,
	ROW_PHASE,
	ROW_EPOCH,
	ROW_USER,
	ROW_INLINE,
	ROW_KERNEL,
	ROW_MARKER,
};

/* VIEW_HOT: report/views/view_hot.h */
enum heat { HEAT_COLD, HEAT_SPARSE, HEAT_DENSE, N_HEATS };

/* VIEW_CALLGRAPH: what a row below a function's is. */
enum row_arc { ARC_NONE, ARC_FROM_CALLER, ARC_TO_CALLEE };

/* Whose samples a row has, if rows are separate for each task or CPU. */
struct row_whose {
	const char *process, *thread; /* NULL: of all */
	int32_t pid, tid;             /* -1: of several, or not known */
	int32_t cpu;                  /* -1: of all, or not known */
};

/*
 * One row. The children of a row are a list, sorted by the view's options. The rows of flat views
 * are the root's children.
 */
struct view_row {
	/* What walks over many rows need is side by side. */
	struct view_row *children, *next, *parent;
	uint64_t sort_cost; /* of view_sort_children(): what decides first; more comes first */
	/* Of views that grow (report/browse/growing_view.h): its children are there, and shown. */
	bool is_grown, is_unfolded;
	/* In trees: the same number in all rows of one function, process, ... */
	uint32_t entity;
	/* What its children are made of: VIEW_TREE, a node of the fold; VIEW_CALLERS, the first of
	 * some entries and their number. */
	uint32_t source, n_sources;
	uint64_t *self; /* per metric, weights */
	uint64_t *total;
	uint64_t *samples; /* per metric, inclusive */

	const char *name;       /* borrowed from the symbolizer or the profile */
	const char *module;     /* "": in no module */
	uint32_t module_id;     /* of code; 0: in no module */
	uint64_t lowest_offset; /* of a function: tells functions of one name apart */
	enum row_kind kind;
	int32_t id; /* pid, tid or number if the row is one process, thread, CPU, or phase or epoch
		       (from 1 on); else -1 */
	uint32_t n_merged; /* number of processes or threads in the row, or of functions with its
			      source line */
	const struct profile_process *process; /* VIEW_THREADS; NULL: not known. VIEW_EPOCHS */
	const struct row_whose *whose;         /* options.each_task, each_cpu; else NULL */
	uint64_t start_ns,
		duration_ns; /* of a phase or epoch, since the recording's start; else 0 */
	uint32_t run;        /* of a phase or epoch, from 1 on; 0: there is one run alone */
	const char *files;   /* VIEW_EPOCHS: that were loaded (cct/text/file_names.h); else NULL */
	uint32_t n_files;    /* VIEW_EPOCHS: their number */
	uint32_t rank;       /* VIEW_EPOCHS: of its process, in the order of costs */
	uint64_t *self_samples;        /* per metric, exclusive; NULL: the view is not flat */
	uint64_t longest;              /* of the waits in the row, inclusive; 0: none */
	uint64_t activations;          /* calls to the function, at least */
	uint64_t marked[N_PATH_MARKS]; /* VIEW_TREE: samples whose path ends here */
	uint32_t frame_marks;          /* VIEW_TREE: how frames of this row were found, as in
					  struct cct_node */
	/*
	 * VIEW_TREE, inlined functions: the call in the parent. NULL and 0: not known, or several
	 * calls.
	 */
	const char *call_file;
	uint32_t call_line;
	uint32_t line;     /* VIEW_LINES; 0: the row is a function without lines */
	const char *file;  /* whole path; NULL if there is no line */
	bool is_recursion; /* VIEW_PATHS: its function is above it, where the path goes on */
	bool is_value;     /* of a variable, below its function */
	/*
	 * VIEW_CALLGRAPH. Below a function's row are those of its callers, then of its callees: the
	 * costs of arcs, with the other function's name.
	 */
	enum row_arc arc;
	enum heat heat;  /* VIEW_HOT */
	bool differs;    /* of an arc: the other function has other numbers, because of recursion */
	uint32_t number; /* of a function's row: its place, from 1 on */
	const struct view_row *function; /* the row of the function whose name it has; NULL: an arc
					    without caller */
	struct view_row *callees;        /* of a function's row: the first; NULL: none */
};

/* What walks make the rows of a view of, and the rows they do not need any longer. */
struct tree_source {
	struct fold *fold; /* owned */
	struct node_children children;
	struct arena arena;
	struct view_row *unused; /* a list */
};

struct view {
	struct view_options options;
	const struct profile *profile;
	uint32_t n_columns; /* of the rows' costs: those of the fold that it is made of */
	struct view_row *root;
	/* VIEW_TREE: a list of one row for each entity with nodes that have no row in the tree,
	 * with the self costs of all of them. */
	struct view_row *left_out;
	/*
	 * VIEW_CALLGRAPH: below it a row for each cycle of calls that occurred, with the cost of
	 * the samples that have it on their paths; below that its functions, each calls the next
	 * and the last one the first.
	 */
	struct view_row *cycles;
	struct hot_view *hot;          /* VIEW_HOT: what it has beside rows of functions */
	struct tree_statistics *trees; /* VIEW_STATS, which has no rows; by enum tree_kind */
	uint32_t n_entities;           /* of trees: all rows' entities are smaller */
	struct arena arena;            /* of the rows */
	struct source_paths *paths;    /* VIEW_LINES: owns the rows' file names */
	struct tree_source *source; /* options.rows_by_walk: what walks make rows of; else NULL */
};

enum row_kind view_entity_kind(const struct fold_entity *entity);
/* "root", "process", "thread", "user", "inline", "kernel", "marker", ... */
const char *view_row_kind_name(enum row_kind kind);

/* What rows have as their run. */
uint32_t view_run_number(const struct profile *profile, uint32_t run);

/* A view without rows. NULL: out of memory. */
struct view *view_alloc(const struct profile *profile, const struct view_options *options);
void view_destroy(struct view *view);
/* Adds a row for @entity with zero costs as the first child of @parent. NULL: out of memory. */
struct view_row *view_add_row(struct view *view, struct view_row *parent,
			      const struct fold_entity *entity);
/* Likewise in memory of the caller: view_row_size() bytes, all zero. */
void view_row_init(const struct view *view, struct view_row *row, struct view_row *parent,
		   const struct fold_entity *entity);
size_t view_row_size(const struct view *view);
/* Whether the row is a phase, not what is outside of phases. */
static inline bool view_row_is_phase(const struct view_row *row)
{
	return row->kind == ROW_PHASE && row->id > 0;
}
/* Whether the row is of an interval of time. */
static inline bool view_row_has_times(const struct view_row *row)
{
	return row->kind == ROW_EPOCH || view_row_is_phase(row);
}
/* Adds the costs of all metrics of a fold's node; @from selects inclusive or exclusive ones. */
static inline void view_add_cost(uint64_t *to, const uint64_t *from, uint32_t n_metrics)
{
	for (uint32_t i = 0; i < n_metrics; i++)
		to[i] += from[i];
}
static inline void view_raise_longest(struct view_row *row, uint64_t longest)
{
	if (longest > row->longest)
		row->longest = longest;
}
/* Whether the row is of something that can be called. */
static inline bool view_row_is_code(const struct view_row *row)
{
	return row->kind == ROW_USER || row->kind == ROW_INLINE || row->kind == ROW_KERNEL ||
	       row->kind == ROW_MARKER;
}
/* Whether rows are separate for each task or CPU. */
static inline bool view_is_split(const struct view *view)
{
	return view->options.each_task || view->options.each_cpu;
}
static inline bool view_is_flat(const struct view *view)
{
	return view_traits(view->options.kind)->is_flat;
}
/* The order of rows of equal costs: by line, name, run, id, module, kind and whose they are. */
int view_compare_names(const struct view_row *a, const struct view_row *b);
/* Orders @n things, of which the first has the cost @costs[0], by cost: the lowest comes first, and
 * of equal ones the one that did. 0 or -ENOMEM. */
int view_order_by_cost(uint32_t *things, const uint64_t *costs, uint32_t n);
/* Sorts the children of @row by the view's options. */
void view_sort_children(const struct view *view, struct view_row *row);

#endif
