/* libpfm4's event names: those of this machine's processor, "EVENT:UMASK" or "pmu::EVENT:UMASK". */
#ifndef PERF_PFM_NAMES_H
#define PERF_PFM_NAMES_H

#include "perf/event_kind.h"

extern const struct event_kind pfm_event_kind;

#endif
