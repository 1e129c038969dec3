/*
 * The counts that a profile for a compiler is written from: by the branches of a recording, where
 * it has them, else by its samples.
 */
#ifndef REPORT_FEEDBACK_COMPILER_COUNTS_H
#define REPORT_FEEDBACK_COMPILER_COUNTS_H

#include "cct/model/profile.h"
#include "report/feedback/code_lines.h"
#include "report/fold/path_options.h"
#include "report/names/symbolize.h"

struct compiler {
	struct code_naming naming;
	const char *how_to_build; /* a sentence for those whose program has no lines */
	bool by_context;          /* each calling context has counts: of samples alone */
};

/* Fills @counts, an empty tree, and finishes it; path_options::finding_ret says what is not in it.
 * 0, -ENOMEM, or -ENODATA: there is nothing. */
int compiler_counts_fill(const struct compiler *compiler, const struct profile *profile,
			 struct symbolizer *symbolizer, const struct path_options *options,
			 struct line_counts *counts);

#endif
