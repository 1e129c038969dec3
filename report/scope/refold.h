/*
 * Makes the fold of a part of a profile's samples from the fold of all of them: what a fold looks
 * up for each node, names and nodes by their keys, is there already. So it takes some passes over
 * arrays, and hashing only where nodes become one. Nodes and costs are those of fold_profile() for
 * the tree of the selection, but for the place of an inlined call: with several in the whole
 * profile, it stays unknown. ->outer is noted where the base has it, if the kernel is shown as
 * there.
 */
#ifndef REPORT_SCOPE_REFOLD_H
#define REPORT_SCOPE_REFOLD_H

#include "report/scope/refold_base.h"

/*
 * Entities have the numbers that they have in the base, whose names are borrowed. Samples that are
 * not selected are at the root, as in select_paths(). The caller frees *@fold_ret with
 * fold_destroy(). 0; -ENOENT: no sample is selected; or -ENOMEM.
 */
int refold(const struct refold_base *base, const struct refold_conditions *conditions,
	   enum view_kernel kernel, struct fold **fold_ret);

#endif
