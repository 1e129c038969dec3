/*
 * Makes a fold from a profile. The costs add up to the profile's whatever the options leave out,
 * because the cost of a node that is left out goes to its parent.
 */
#ifndef REPORT_FOLD_FOLD_PROFILE_H
#define REPORT_FOLD_FOLD_PROFILE_H

#include "report/fold/fold.h"
#include "report/fold/view_options.h"
#include "report/names/symbolize.h"

/* The caller frees *@fold_ret with fold_destroy(). 0 or -errno. */
int fold_profile(const struct profile *profile, struct symbolizer *symbolizer,
		 const struct view_options *options, struct fold **fold_ret);
/*
 * Likewise. *@nodes_ret, to free(): by node of the profile's tree, the node that has its cost. The
 * options must not join nodes (merge_copies, fold_recursion).
 */
int fold_profile_mapped(const struct profile *profile, struct symbolizer *symbolizer,
			const struct view_options *options, struct fold **fold_ret,
			uint32_t **nodes_ret);

#endif
