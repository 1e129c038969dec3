/* What a recording says about its machine and its making: feature sections for the writer. */
#ifndef COLLECTOR_RECORD_START_HOST_FEATURES_H
#define COLLECTOR_RECORD_START_HOST_FEATURES_H

#include "perf/events/event.h"
#include "perf/writer/data_writer.h"

#define HOST_FEATURES_MAX 16

struct host_features {
	struct data_writer_feature list[HOST_FEATURES_MAX]; /* bytes owned */
	size_t n;
};

/* @argv: of the subcommand, NULL-terminated. @clock_id: of the events; -1: the kernel's own clock.
 * 0 or -ENOMEM; destroy it either way. */
int host_features_init(struct host_features *features, char **argv, int clock_id);
/* What tracepoints look like, if any of the events is one. 0 or -errno. */
int host_features_add_tracepoints(struct host_features *features, const struct event *events,
				  size_t n_events);
void host_features_deinit(struct host_features *features);

#endif
