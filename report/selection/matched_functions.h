/* Which functions of a profile the patterns of a selection match: each is compared once. */
#ifndef REPORT_SELECTION_MATCHED_FUNCTIONS_H
#define REPORT_SELECTION_MATCHED_FUNCTIONS_H

#include "report/names/symbolize.h"
#include "report/selection/path_selection.h"

struct matched_function {
	const char *name; /* the symbolizer's; NULL: not seen */
	bool is_hidden;   /* by --hide */
};

/* By the symbolizer's numbers of functions. */
struct matched_functions {
	const struct path_selection *selection;
	struct matched_function *functions;
	uint32_t n_functions, n_functions_allocated;
	bool *matches; /* [function * n_patterns + pattern] */
	size_t n_matches_allocated;
};

/* @selection is borrowed. */
void matched_functions_init(struct matched_functions *matched,
			    const struct path_selection *selection);
void matched_functions_deinit(struct matched_functions *matched);
/* Compares a function with all patterns, unless that is done. 0 or -ENOMEM. */
int matched_functions_see(struct matched_functions *matched, const struct frame_name *name);
/* By pattern, of a function that was seen. */
static inline const bool *matched_functions_get(const struct matched_functions *matched,
						uint32_t function)
{
	return matched->matches + (size_t)function * matched->selection->n_patterns;
}
/*
 * Goes on along a path, from its root, to the functions at @frame. @passed: by condition, the
 * patterns that the path has met so far. *@is_hidden_ret: all functions there are hidden. 0 or
 * -ENOMEM.
 */
int matched_functions_pass(struct matched_functions *matched, struct symbolizer *symbolizer,
			   const struct frame *frame, uint32_t *passed, bool *is_hidden_ret);
/* Whether a function that was seen matches. */
bool matched_functions_has(const struct matched_functions *matched, size_t pattern);
/* "; did you mean f?" of the functions that were seen, or "". Heap, NULL without memory. */
char *matched_functions_question(const struct matched_functions *matched, size_t pattern);

#endif
