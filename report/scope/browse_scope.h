/*
 * What part of a profile is looked at, and how: whose samples, conditions on paths, the kernel's
 * part of them, one row with what is below it alone, and the function of the page of paths.
 */
#ifndef REPORT_SCOPE_BROWSE_SCOPE_H
#define REPORT_SCOPE_BROWSE_SCOPE_H

#include "cct/paths/profile_part.h"
#include "report/fold/fold_part.h"
#include "report/scope/browse_condition.h"
#include "report/views/view_rows.h"

/* All zero: the whole profile. */
struct browse_scope {
	struct task_choice tasks;            /* names borrowed */
	struct browse_condition *conditions; /* owned; all hold */
	size_t n_conditions;
	enum view_kernel kernel;
	struct fold_step *zoom; /* owned; the path to the row */
	size_t n_zoom;          /* 0: none */
	const char *root;       /* of paths; borrowed; NULL: not chosen */
	enum path_direction direction;
};

/* 0 or -ENOMEM. */
int browse_scope_copy(const struct browse_scope *scope, struct browse_scope *copy_ret);
void browse_scope_deinit(struct browse_scope *scope);
/* Adds a copy. 0; -E2BIG: there are too many; or -ENOMEM. */
int browse_scope_add_condition(struct browse_scope *scope,
			       const struct browse_condition *condition);
/* Zooms into a row of the tree of @fold, which was made of this scope. 0 or -ENOMEM. */
int browse_scope_zoom(struct browse_scope *scope, const struct fold *fold,
		      const struct view_row *row);
/* "focus ^f$, ignore g, kernel none, below h", or "". Heap; NULL: out of memory. */
char *browse_scope_describe(const struct browse_scope *scope);

/* Which conditions the entities of the base meet, in ->met, to free(). 0 or -ENOMEM. */
int browse_scope_meet(const struct browse_scope *scope, struct refold_base *base,
		      struct refold_conditions *conditions);
/* Whether the fold is that of the base, which was made of the samples of ->tasks. */
bool browse_scope_is_whole(const struct browse_scope *scope);
/* Folds what is selected, without the zoom. 0; -ENOENT: no path is selected; or -ENOMEM. */
int browse_scope_fold(const struct browse_scope *scope, struct refold_base *base,
		      struct fold **fold_ret);
/*
 * The part of such a fold that the zoom shows; NULL: there is no zoom. It borrows the names of
 * @whole. 0; -ENOENT: the row is not there; or -ENOMEM.
 */
int browse_scope_part(const struct browse_scope *scope, const struct fold *whole,
		      struct fold **part_ret);
/* Whether both have the same samples. */
bool browse_scope_selects_alike(const struct browse_scope *a, const struct browse_scope *b);
/* Whether the same fold is made of both, of the same profile's base, but for the zoom. */
bool browse_scope_folds_alike(const struct browse_scope *a, const struct browse_scope *b);

#endif
