/*
 * What each event counted in all, noted at the end of a recording (attachment kind 7,
 * docs/FORMAT.md): a line of text for each, in the order of the file's events.
 */
#ifndef COLLECTOR_ATTACHED_EVENT_COUNTS_H
#define COLLECTOR_ATTACHED_EVENT_COUNTS_H

#include <stdint.h>

#include "cct/model/profile.h"
#include "perf/counters/evlist.h"
#include "perf/file/data_file.h"
#include "perf/writer/data_writer.h"

/* Events whose counters can't be read are left out. 0 or -errno of the writer. */
int event_counts_write(const struct evlist *evlist, struct data_writer *writer);
/*
 * Into the profile's metrics; @metrics: by event of the file, UINT32_MAX where there is none.
 * Nothing, where the file does not say, or says what can't be. 0 or -ENOMEM.
 */
int event_counts_take(const struct data_file *file, const uint32_t *metrics, size_t n_metrics,
		      struct profile *profile);

#endif
