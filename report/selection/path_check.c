#include "report/selection/path_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int path_check_init(struct path_check *check, const struct path_selection *selection,
		    struct symbolizer *symbolizer)
{
	*check = (struct path_check){ .selection = selection, .symbolizer = symbolizer };
	matched_functions_init(&check->functions, selection);
	check->passed = calloc(selection->n_conditions + 1, sizeof(*check->passed));
	return check->passed ? 0 : -ENOMEM;
}

void path_check_deinit(struct path_check *check)
{
	matched_functions_deinit(&check->functions);
	free(check->passed);
}

int path_check_select(struct path_check *check, const struct frame *frames, size_t n_frames,
		      bool *is_selected_ret)
{
	bool is_hidden;

	memset(check->passed, 0, check->selection->n_conditions * sizeof(*check->passed));
	for (size_t i = 0; i < n_frames; i++) {
		int err = matched_functions_pass(&check->functions, check->symbolizer, &frames[i],
						 check->passed, &is_hidden);
		if (err)
			return err;
	}
	*is_selected_ret = path_selection_is_met(check->selection, check->passed);
	return 0;
}

int path_check_hides(struct path_check *check, const struct frame *frame, bool *is_hidden_ret)
{
	return matched_functions_pass(&check->functions, check->symbolizer, frame, check->passed,
				      is_hidden_ret);
}
