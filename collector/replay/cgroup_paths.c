#include "collector/replay/cgroup_paths.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

void cgroup_paths_deinit(struct cgroup_paths *cgroups)
{
	pair_map_deinit(&cgroups->by_id);
}

int cgroup_paths_add(struct cgroup_paths *cgroups, uint64_t id, const char *path)
{
	uint32_t number;
	bool is_new;

	if (pair_map_find(&cgroups->by_id, id, 0) != PAIR_MAP_NONE)
		return 0;
	int err = string_ids_add(cgroups->paths, path, &number, &is_new);
	return err ? err : pair_map_add(&cgroups->by_id, id, 0, number);
}

int cgroup_paths_find(struct cgroup_paths *cgroups, uint64_t id, uint32_t *number_ret,
		      const char **path_ret)
{
	uint32_t number = id ? pair_map_find(&cgroups->by_id, id, 0) : 0;
	char text[40];

	if (number == PAIR_MAP_NONE) {
		snprintf(text, sizeof(text), "[cgroup %" PRIu64 "]", id);
		int err = cgroup_paths_add(cgroups, id, text);
		if (err)
			return err;
		number = pair_map_find(&cgroups->by_id, id, 0);
	}
	*number_ret = id ? number + 1 : 0;
	*path_ret = id ? cgroups->paths->strings[number] : NULL;
	return 0;
}
