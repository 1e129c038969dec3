/* libpfm4's event names for this machine's processor: "EVENT:UMASK" or "pmu::EVENT:UMASK". */
#ifndef PERF_KINDS_PFM_PFM_NAMES_H
#define PERF_KINDS_PFM_PFM_NAMES_H

#include "perf/events/event_catalog.h"
#include "perf/events/event_kind.h"

extern const struct event_kind pfm_event_kind;

/* Adds the events of this processor's cores, with their unit masks on request. 0 or -ENOMEM. */
int pfm_names_list(struct event_catalog *catalog, bool with_parts);

#endif
