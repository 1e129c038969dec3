/* Groups the samples of a finished profile by something else than their processes. */
#ifndef CCT_PATHS_PROFILE_GROUP_H
#define CCT_PATHS_PROFILE_GROUP_H

#include "cct/model/profile.h"

/* What is below the root of a tree. */
enum sample_grouping {
	GROUPED_BY_TASK, /* processes, as in every profile that is built */
	/* The paths of all processes are below: */
	GROUPED_BY_CPU,    /* FRAME_CPU */
	GROUPED_BY_CGROUP, /* FRAME_CGROUP */
	GROUPED_BY_PHASE,  /* FRAME_PHASE */
	GROUPED_BY_EPOCH,  /* FRAME_EPOCH */
	/* Processes, and threads where there are any, are below: */
	GROUPED_BY_CPU_AND_TASK, /* FRAME_CPU */
};

/*
 * Makes the tree one of groups: root, group, frames, with processes and threads only in
 * GROUPED_BY_CPU_AND_TASK. The profile
 * must have ->rows, whose nodes are those of the new tree then. Costs, totals and quality stay what
 * they are, but for the rounding of scaled weights. 0, or -ENOMEM: only destroying it is possible.
 */
int profile_group(struct profile *profile, enum sample_grouping grouping);

#endif
