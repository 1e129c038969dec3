/* Which samples dendro script lists by the functions on their paths, and which lines of these. */
#ifndef COLLECTOR_SCRIPT_SCRIPT_SELECTION_H
#define COLLECTOR_SCRIPT_SCRIPT_SELECTION_H

#include "collector/paths/sample.h"
#include "report/selection/path_check.h"

/* All zero lists everything. */
struct script_selection {
	const struct path_selection *selection; /* borrowed; NULL: everything */
	struct symbolizer *symbolizer;          /* owned; with inlined functions */
	struct path_check check;
	uint64_t n_selected;
};

/* @profile: of the recording, with its metrics. Nothing is done for an empty selection. 0 or
 * -ENOMEM; script_selection_deinit() is called in any case. */
int script_selection_start(struct script_selection *selection, const struct path_selection *of,
			   const struct profile *profile, enum symbol_names names);
void script_selection_deinit(struct script_selection *selection);
/* 0 or -ENOMEM. */
int script_selection_takes(struct script_selection *selection, const struct sample *sample,
			   bool *is_taken_ret);
/* Of a frame of the sample that was taken last. 0 or -ENOMEM. */
int script_selection_hides(struct script_selection *selection, const struct frame *frame,
			   bool *is_hidden_ret);
/* How many frames of a path are listed. */
static inline size_t script_selection_max_frames(const struct script_selection *selection)
{
	return selection->selection && selection->selection->has_caller_depth
		       ? (size_t)selection->selection->caller_depth + 1
		       : SIZE_MAX;
}
/* Says what pattern no function matched, and whether nothing passed. */
void script_selection_conclude(const struct script_selection *selection);

#endif
