/* What the formats of dendro export are told about the paths that they write. */
#ifndef REPORT_FOLD_PATH_OPTIONS_H
#define REPORT_FOLD_PATH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cct/base/work_done.h"
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
	struct work_done
		*work; /* counts the paths or samples that are written; NULL: nobody looks */
};

/* How many there will be, how many are written so far, and how many more. */
static inline void path_options_expect(const struct path_options *options, uint64_t all)
{
	if (options->work)
		work_done_expect(options->work, all);
}

static inline void path_options_reached(const struct path_options *options, uint64_t done)
{
	if (options->work)
		work_done_set(options->work, done);
}

static inline void path_options_written(const struct path_options *options, uint64_t more)
{
	if (options->work)
		work_done_add(options->work, more);
}

#endif
