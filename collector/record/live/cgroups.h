/*
 * Cgroups by their paths, the systemd units that they belong to, and their processes. A machine may
 * have several hierarchies of cgroups: one of version 2, and some of version 1 with different
 * controllers.
 */
#ifndef COLLECTOR_RECORD_LIVE_CGROUPS_H
#define COLLECTOR_RECORD_LIVE_CGROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "cct/base/int_list.h"
#include "cct/text/near_names.h"

/* Where hierarchies are mounted: first version 1 with perf_event, then version 2, then others. In
 * the first of them that exists the kernel counts events by cgroup. */
struct cgroup_hierarchies {
	char **paths; /* heap, as is each */
	size_t n;
};

/* Reads a list of mounts ("/proc/self/mounts", but in tests). 0 or -errno. */
int cgroup_hierarchies_read(const char *mounts, struct cgroup_hierarchies *hierarchies_ret);
void cgroup_hierarchies_deinit(struct cgroup_hierarchies *hierarchies);

/*
 * The folder of a cgroup, by its path in the file system or in a hierarchy. *@path_ret is heap. 0,
 * -ENOENT or -ENOMEM.
 */
int cgroup_find(const struct cgroup_hierarchies *hierarchies, const char *name, char **path_ret);
/*
 * The folder of a unit: the cgroup with its name; without a suffix, with ".service". All units are
 * offered to @near, which borrows @name. *@path_ret is heap. 0, -ENOENT or -ENOMEM; -ENOTUNIQ: one
 * hierarchy has several of that name, and *@path_ret names two.
 */
int cgroup_find_unit(const struct cgroup_hierarchies *hierarchies, const char *name,
		     struct near_names *near, char **path_ret);
/* Calls @visit with each cgroup of the hierarchy in which the kernel counts events: the number that
 * samples contain, and the path from the hierarchy's root on, "/" for itself. What it returns, but
 * for 0, ends the walk and is returned. Otherwise 0 or -ENOMEM. */
typedef int cgroup_visit(void *visitor, uint64_t id, const char *path);
int cgroup_visit_all(const struct cgroup_hierarchies *hierarchies, cgroup_visit *visit,
		     void *visitor);
/* Adds the processes in a cgroup and in the cgroups below it. 0 or -ENOMEM. */
int cgroup_add_processes(const char *path, struct int_list *pids);

#endif
