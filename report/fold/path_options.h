/* What the formats of dendro export are told about the paths that they write. */
#ifndef REPORT_FOLD_PATH_OPTIONS_H
#define REPORT_FOLD_PATH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "report/fold/view_options.h"

struct branch_paths; /* report/branches/branch_paths.h */

struct path_options {
	enum view_grouping grouping; /* what the paths of a text format begin with */
	const char *selection;       /* the options that select paths; NULL: all are written */
	uint32_t metric;             /* of formats that have one: its index */
	const char *module;          /* of formats that have one: name or path; NULL: the largest */
	bool has_no_callchains;      /* perf.data: samples alone */
	/* The branches of the recording, for formats for compilers; NULL: it has none, or they
	 * were not chosen. */
	const struct branch_paths *branches;
	/* What the user has to know of what was written, or why nothing was: a sentence on the
	 * heap, or NULL. */
	char **finding_ret;
};

#endif
