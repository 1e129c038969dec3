/*
 * Collects the build IDs of all program files that are mapped while recording, and lists them at
 * the end where perf's tools look for them (HEADER_BUILD_ID: perf buildid-list, buildid-cache,
 * archive). dendro itself reads them in the records of the mappings.
 */
#ifndef COLLECTOR_RECORD_OBSERVERS_BUILD_IDS_H
#define COLLECTOR_RECORD_OBSERVERS_BUILD_IDS_H

#include "collector/record/observing/recording_observer.h"

/* Files beyond that number are not listed. */
#define BUILD_IDS_MAX 32768

extern const struct recording_observer build_ids_observer;

#endif
