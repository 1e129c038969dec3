/* libpfm4's event names: those of this machine's processor, "EVENT:UMASK" or "pmu::EVENT:UMASK". */
#ifndef PERF_PFM_NAMES_H
#define PERF_PFM_NAMES_H

#include "perf/event.h"
#include "perf/near_names.h"

/*
 * Fills type, config*, exclude_* and precise_ip. On failure *@error_ret is a sentence (heap), or
 * NULL if libpfm4 has nothing to say about the name.
 */
enum event_error pfm_names_encode(const char *name, struct perf_event_attr *attr, char **error_ret);
void pfm_names_offer_all(struct near_names *near);

#endif
