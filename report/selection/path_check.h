/*
 * A selection applied to paths one by one, where there is no profile with all of them: samples in
 * the order of a recording.
 */
#ifndef REPORT_SELECTION_PATH_CHECK_H
#define REPORT_SELECTION_PATH_CHECK_H

#include "report/names/symbolize.h"
#include "report/selection/matched_functions.h"
#include "report/selection/path_selection.h"

struct path_check {
	const struct path_selection *selection; /* borrowed */
	struct symbolizer *symbolizer;          /* borrowed; it names inlined functions, too */
	struct matched_functions functions;
	uint32_t *passed; /* by condition: patterns met so far */
};

/* 0 or -ENOMEM; path_check_deinit() is called in any case. */
int path_check_init(struct path_check *check, const struct path_selection *selection,
		    struct symbolizer *symbolizer);
void path_check_deinit(struct path_check *check);
/* Whether a path is selected. @frames: root first. 0 or -ENOMEM. */
int path_check_select(struct path_check *check, const struct frame *frames, size_t n_frames,
		      bool *is_selected_ret);
/* Whether all functions at a frame of a path that was seen are hidden. 0 or -ENOMEM. */
int path_check_hides(struct path_check *check, const struct frame *frame, bool *is_hidden_ret);

#endif
