/*
 * Which samples of a profile are shown, by the functions on their paths, and how much of a path is
 * shown. All conditions hold together.
 *
 *	--focus RE         only samples whose path has a function that matches
 *	--ignore RE        no samples whose path has a function that matches
 *	--through A,B,...  only samples whose path has A, and nearer to its end B, and so on
 *	--hide RE          functions that match are left out of paths; their callers get their cost
 *	--caller-depth N   of a path, the function that was sampled and its N innermost callers
 *
 * Conditions look at whole paths, with inlined functions and the marks in brackets, before anything
 * is hidden or cut.
 */
#ifndef REPORT_SELECTION_PATH_SELECTION_H
#define REPORT_SELECTION_PATH_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/selection/function_pattern.h"

enum condition_kind { PATH_FOCUS, PATH_IGNORE, PATH_THROUGH, PATH_HIDE };

/* Met by a path that has functions for all of its patterns, one after the other. */
struct path_condition {
	enum condition_kind kind;
	char *text; /* owned; as the user wrote it */
	size_t first_pattern, n_patterns;
};

/* All zero selects everything. */
struct path_selection {
	struct path_condition *conditions;
	size_t n_conditions;
	struct function_pattern *patterns;
	size_t n_patterns;
	bool has_caller_depth;
	uint32_t caller_depth;
	/* Bits 1 << enum frame_kind: frames that --caller-depth does not count, because the view
	 * leaves them out. */
	uint32_t uncounted_kinds;
};

void path_selection_deinit(struct path_selection *selection);
/*
 * Adds a condition with a regular expression, or of PATH_THROUGH with globs, separated by commas
 * outside of brackets. 0, -ENOMEM, or -EINVAL with the reason in *@error_ret, heap.
 */
int path_selection_add(struct path_selection *selection, enum condition_kind kind, const char *text,
		       char **error_ret);
static inline bool path_selection_is_empty(const struct path_selection *selection)
{
	return !selection->n_conditions && !selection->has_caller_depth;
}
/* Whether a path is selected that has met @passed patterns, by condition. */
bool path_selection_is_met(const struct path_selection *selection, const uint32_t *passed);
/* Whether it leaves out samples. */
bool path_selection_excludes(const struct path_selection *selection);
/* "focus", ... as in the options */
const char *condition_kind_name(enum condition_kind kind);
/* "--focus 'RE' --caller-depth 3". Heap, NULL without memory. */
char *path_selection_text(const struct path_selection *selection);

#endif
