/*
 * Views: a profile -> rows or a tree of rows, ready to print. A view folds CCT nodes to functions:
 * two call sites in one function, or one function at two offsets, are one row under the same
 * parent. Inclusive numbers never count a sample twice, however a function recurs.
 */
#ifndef REPORT_VIEWS_VIEW_H
#define REPORT_VIEWS_VIEW_H

#include "cct/model/profile.h"
#include "report/names/symbolize.h"

enum view_kind {
	VIEW_TREE,
	VIEW_CALLERS,
	VIEW_FUNCTIONS,
	VIEW_LINES,
	VIEW_MODULES,
	VIEW_PROCESSES
};
enum view_grouping { GROUP_COMM, GROUP_PROCESS, GROUP_THREAD };
enum view_kernel { KERNEL_MERGED, KERNEL_ONLY, KERNEL_NONE };
enum view_sort { SORT_TOTAL, SORT_SELF, SORT_NAME };

struct source_paths;

struct view_options {
	enum view_kind kind;
	enum view_grouping grouping; /* VIEW_TREE: what stands below the root */
	bool merge_copies;           /* report/views/merge_copies.h */
	enum view_kernel kernel;     /* ONLY: user frames folded away; NONE: kernel cost goes to
					the user frame that entered */
	enum view_sort sort;
	uint32_t sort_metric;
	/* VIEW_CALLERS: rows below this share of every metric get no children (their number is
	   bounded by the sum of all depths, not by the tree); 0: all do. */
	double min_percent;
};

/* One row. The children of a row are a list, sorted as asked; flat views use the root's. */
struct view_row {
	const char *name;   /* borrowed from the symbolizer or the profile */
	const char *module; /* "" where there is none */
	const char *kind;   /* "root", "process", "thread", "user", "inline", "kernel", "marker" */
	int32_t id;         /* pid or tid of process and thread rows that stand for one; else -1 */
	uint32_t n_merged;  /* processes or threads folded into the row; functions with its line */
	uint64_t *self;     /* per metric, weights */
	uint64_t *total;
	uint64_t *samples;             /* per metric, inclusive */
	uint64_t marked[N_PATH_MARKS]; /* VIEW_TREE: samples whose path ends here */
	/* VIEW_TREE, inlined functions: the call in the parent; NULL and 0: not known, or several.
	 */
	const char *call_file;
	uint32_t call_line;
	uint32_t line;    /* VIEW_LINES: the row's; 0: it is of a function without lines */
	const char *file; /* its whole path; NULL if there is no line */
	struct view_row *children, *next;
	struct view_row *parent;
};

struct view {
	struct view_options options;
	const struct profile *profile;
	struct view_row *root;
	struct view_arena *arena;
	struct source_paths *paths; /* VIEW_LINES: the rows' files */
};

int view_create(const struct profile *profile, struct symbolizer *symbolizer,
		const struct view_options *options, struct view **view_ret);
void view_destroy(struct view *view);

#endif
