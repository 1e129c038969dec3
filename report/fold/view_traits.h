/* What distinguishes the views: the subject of their rows, their shape and their default order. */
#ifndef REPORT_FOLD_VIEW_TRAITS_H
#define REPORT_FOLD_VIEW_TRAITS_H

#include "report/fold/view_options.h"

enum row_subject { ROWS_FUNCTIONS, ROWS_LINES, ROWS_MODULES, ROWS_PROCESSES };

struct view_traits {
	enum row_subject subject;
	bool is_flat;         /* the rows are a list; else a tree */
	bool merges_inlined;  /* --merge-copies: a function's inlined copies are merged, too */
	bool is_calling_tree; /* a node is a calling context; --fold-recursion bounds them */
	bool has_activations; /* it can show how often functions were called */
	bool has_self;        /* text has a column of own costs */
	bool has_overlaps;    /* of trees: a sample may be in several siblings */
	bool has_child;       /* text has a column of the costs of what the code called */
	enum view_sort sort;  /* unless --sort is given */
	const char *heading;  /* of the names, in text */
};

const struct view_traits *view_traits(enum view_kind kind);

#endif
