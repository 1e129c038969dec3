/* Options of a view: what it shows, and how its rows are sorted. */
#ifndef REPORT_FOLD_VIEW_OPTIONS_H
#define REPORT_FOLD_VIEW_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum view_kind {
	VIEW_TREE,
	VIEW_CALLERS,
	VIEW_CALLGRAPH,
	VIEW_FUNCTIONS,
	VIEW_LINES,
	VIEW_MODULES,
	VIEW_PROCESSES,
	VIEW_PATHS,
	VIEW_SYSCALLS,
	VIEW_THREADS,
	VIEW_CPUS,
	VIEW_CGROUPS,
	VIEW_PHASES,
	VIEW_EPOCHS,
	VIEW_STATS,
	VIEW_HOT
};
enum view_grouping { GROUP_COMM, GROUP_PROCESS, GROUP_THREAD };
enum view_kernel { KERNEL_MERGED, KERNEL_ONLY, KERNEL_NONE };
enum path_direction { PATHS_DOWN, PATHS_UP };
enum view_sort { SORT_TOTAL, SORT_SELF, SORT_NAME, SORT_START /* of phases and epochs */ };

struct view_options {
	enum view_kind kind;
	enum view_grouping grouping; /* VIEW_TREE: the rows below the root; VIEW_THREADS: by thread;
					each_task: which tasks share a row */
	/* Of flat views: rows are separate for each group of tasks, or for each CPU. */
	bool each_task, each_cpu;
	bool merge_copies;       /* report/fold/merge_copies.h */
	bool activations;        /* show how often functions were called, at least */
	bool fold_recursion;     /* report/fold/fold_recursion.h; without effect in other views
				  */
	enum view_kernel kernel; /* KERNEL_ONLY: user frames are left out; KERNEL_NONE: kernel cost
				    goes to the user frame that entered the kernel */
	enum view_sort sort;
	uint32_t sort_metric;
	/* VIEW_HOT: sort_metric is compared with this one; what has this much of it is hot. */
	uint32_t per_metric;
	double threshold_percent;
	bool errors;                   /* rows have what report/fold/share_error.h needs */
	const char *root;              /* VIEW_PATHS: a function's name or a glob; borrowed */
	enum path_direction direction; /* VIEW_PATHS */
	/*
	 * Of trees: rows below this share of every metric get no children, because
	 * most nodes of a large profile are below such rows, and of callers the number of all rows
	 * may be as large as the sum of the depths of all nodes; 0: all rows get children.
	 */
	double min_percent;
	/*
	 * VIEW_TREE: rows below the root are made by each walk over them, and freed behind it
	 * (report/views/view_tree.h); min_percent is without effect.
	 */
	bool rows_by_walk;
};

#endif
