/*
 * A condition on the paths that dendro browse shows: what a function on them must match, or must
 * not.
 */
#ifndef REPORT_SCOPE_BROWSE_CONDITION_H
#define REPORT_SCOPE_BROWSE_CONDITION_H

#include "report/scope/refold.h"
#include "report/selection/path_selection.h"

enum condition_subject {
	BY_REGEX,  /* a function that matches ->text */
	BY_NAME,   /* the function of this name */
	BY_MODULE, /* any code of the module */
};

struct browse_condition {
	enum condition_kind kind; /* PATH_FOCUS or PATH_IGNORE */
	enum condition_subject subject;
	char *text; /* owned; a regular expression, or the function's or module's name */
	/* BY_MODULE. Of code in no module, the number is 0. */
	uint32_t module_id;
	enum frame_kind frame_kind;
};

/* @condition has no text yet. 0; -EINVAL: not a regular expression; or -ENOMEM. */
int browse_condition_init(struct browse_condition *condition, const char *text);
/* 0 or -ENOMEM. */
int browse_condition_copy(const struct browse_condition *condition,
			  struct browse_condition *copy_ret);
void browse_condition_deinit(struct browse_condition *condition);
bool browse_condition_equal(const struct browse_condition *a, const struct browse_condition *b);
/* "focus ^f$", "ignore module libc.so.6". Heap; NULL: out of memory. */
char *browse_condition_describe(const struct browse_condition *condition);
/*
 * Adds @bit to the entities of the base that meet the condition, as --focus and --ignore of dendro
 * report would. 0, -EINVAL: not a regular expression; or -ENOMEM.
 */
int browse_condition_meet(const struct browse_condition *condition, struct refold_base *base,
			  uint64_t bit, uint64_t *met);

#endif
