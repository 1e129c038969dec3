/*
 * The processes or threads of a profile, as the paths of an export are grouped, and the nodes of
 * the profile's tree that are below each. Those with equal texts are one group.
 */
#ifndef REPORT_STACKS_PATH_GROUPS_H
#define REPORT_STACKS_PATH_GROUPS_H

#include "cct/model/profile.h"
#include "cct/text/string_ids.h"
#include "report/fold/view_options.h"

#define PATH_GROUP_NONE UINT32_MAX

struct path_group {
	uint32_t process; /* index, of the first there is; PATH_GROUP_NONE: none */
	uint32_t thread;  /* likewise; where the tree has threads */
	uint32_t first;   /* in ->nodes */
};

struct path_groups {
	struct string_ids names; /* of the groups: "comm", "comm-pid", "comm-pid/tid" */
	struct path_group *groups;
	uint32_t n_groups;
	uint32_t *group_of; /* by node with samples; PATH_GROUP_NONE: the root, with what is not
			       selected */
	/* Nodes with samples, by group, then by number; as an end, ->groups has one more. */
	uint32_t *nodes;
};

/* 0 or -ENOMEM; it may be deinitialized in any case. */
int path_groups_init(struct path_groups *groups, const struct profile *profile,
		     enum view_grouping grouping);
void path_groups_deinit(struct path_groups *groups);
/* What all paths of a group cost. */
struct cct_cost path_groups_cost(const struct path_groups *groups, const struct profile *profile,
				 uint32_t group, uint32_t metric);

#endif
