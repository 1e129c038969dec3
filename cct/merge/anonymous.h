/*
 * Takes out of a profile what says whose it is: commands and their arguments, paths, names of
 * hosts, cgroups (services and users), phases, and texts that were in variables. Costs, functions,
 * libraries of the system, kernel, processor, numbers of processes and build IDs stay.
 */
#ifndef CCT_MERGE_ANONYMOUS_H
#define CCT_MERGE_ANONYMOUS_H

#include "cct/model/profile.h"

/*
 * Equal names become equal ones: "command-1", "module-2". @profile has its names (->names), because
 * no file is found by the new paths. 0, or -ENOMEM with the profile half done.
 */
int anonymous_make(struct profile *profile);

#endif
