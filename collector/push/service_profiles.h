/*
 * A profile divided into one profile for each service, as servers of profiles want them. The
 * service of a sample is, where the recording knows its cgroup, the container or the unit of
 * systemd that this leads to (cct/text/cgroup_name.h), if that is a service; else the name of the
 * process. Scopes and slices are no services: in a login session each program is one. Threads of
 * the kernel, of which there are many for each CPU, and idle CPUs are one service, "kernel"; where
 * there are no rows, only idle CPUs are known.
 *
 * The profiles have no processes and no rows: what the processes of a service have in common is
 * there once.
 */
#ifndef COLLECTOR_PUSH_SERVICE_PROFILES_H
#define COLLECTOR_PUSH_SERVICE_PROFILES_H

#include "cct/model/profile.h"
#include "cct/paths/sample_list.h"
#include "cct/text/cgroup_name.h"
#include "cct/text/string_ids.h"

/* All but the tree and the metrics is borrowed from the whole profile. */
struct service_profiles {
	struct string_ids names;
	struct profile **profiles; /* by number of the name */
	uint32_t n_allocated;
};

/*
 * Their costs add up to those of @profile. @only: the service of all samples; NULL: as above. 0 or
 * -ENOMEM; it may be deinitialized in any case.
 */
int service_profiles_init(struct service_profiles *services, const struct profile *profile,
			  const char *only);
void service_profiles_deinit(struct service_profiles *services);
/* Half of the paths of such a profile, and the other half. Each is to be destroyed. 0, -ENOENT: it
 * has one path alone; or -ENOMEM. */
int service_profile_halve(const struct profile *profile, struct profile *halves_ret[2]);
/* How many paths have samples of a metric. */
uint32_t service_profile_count(const struct profile *profile, uint32_t metric);
/* The service of the @i-th sample of a list, borrowed or in @name. */
const char *service_of_sample(const struct profile *profile, const struct sample_list *list,
			      size_t i, char name[static CGROUP_NAME_MAX]);
/* NULL is fine. */
void service_profile_destroy(struct profile *profile);

#endif
