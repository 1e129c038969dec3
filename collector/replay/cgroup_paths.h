/*
 * The paths of cgroups by the numbers that samples contain. A number belongs to one cgroup until
 * the machine is started again.
 */
#ifndef COLLECTOR_REPLAY_CGROUP_PATHS_H
#define COLLECTOR_REPLAY_CGROUP_PATHS_H

#include <stdint.h>

#include "cct/base/pair_map.h"
#include "cct/text/string_ids.h"

/* All zero but ->paths is empty. */
struct cgroup_paths {
	struct string_ids *paths; /* the profile's; borrowed */
	struct pair_map by_id;
};

void cgroup_paths_deinit(struct cgroup_paths *cgroups);
/* A record says which path a cgroup has. The first one counts. 0 or -ENOMEM. */
int cgroup_paths_add(struct cgroup_paths *cgroups, uint64_t id, const char *path);
/*
 * The cgroup of a sample: its number among the paths plus 1, and its path, which is valid as long
 * as the profile. A cgroup that no record described is "[cgroup ID]". @id 0: 0 and NULL. 0 or
 * -ENOMEM.
 */
int cgroup_paths_find(struct cgroup_paths *cgroups, uint64_t id, uint32_t *number_ret,
		      const char **path_ret);

#endif
