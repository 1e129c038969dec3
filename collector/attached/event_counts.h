/*
 * The total count of each event, written at the end of a recording (attachment kind 7,
 * docs/FORMAT.md): one line of text per event, in the order of the file's events.
 */
#ifndef COLLECTOR_ATTACHED_EVENT_COUNTS_H
#define COLLECTOR_ATTACHED_EVENT_COUNTS_H

#include <stdint.h>

#include "cct/model/profile.h"
#include "perf/counters/evlist.h"
#include "perf/file/data_file.h"
#include "perf/writer/data_writer.h"

/* Writes the counts. Events whose counters cannot be read are left out. 0 or -errno of the writer.
 */
int event_counts_write(struct evlist *evlist, struct data_writer *writer);
/*
 * Reads the counts into the profile's metrics. @metrics: by event of the file, UINT32_MAX for no
 * metric. Missing or impossible counts are ignored. 0 or -ENOMEM.
 */
int event_counts_take(const struct data_file *file, const uint32_t *metrics, size_t n_metrics,
		      struct profile *profile);

#endif
