/* The feature sections of a recording, which describe the machine and how it was recorded. */
#ifndef COLLECTOR_RECORD_START_HOST_FEATURES_H
#define COLLECTOR_RECORD_START_HOST_FEATURES_H

#include "collector/record/start/vdso_images.h"
#include "perf/events/event.h"
#include "perf/writer/data_writer.h"

#define HOST_FEATURES_MAX 16

struct host_features {
	struct data_writer_feature list[HOST_FEATURES_MAX]; /* bytes owned */
	size_t n;
};

/* @argv: the arguments of the subcommand, NULL-terminated. @clock_id: the clock of the events; -1:
 * the kernel's own clock. 0 or -ENOMEM; host_features_deinit() is needed in both cases. */
int host_features_init(struct host_features *features, char **argv, const struct vdso_images *vdsos,
		       int clock_id);
/* Adds the formats of tracepoints, if any of the events is one. 0 or -errno. */
int host_features_add_tracepoints(struct host_features *features, const struct event *events,
				  size_t n_events);
void host_features_deinit(struct host_features *features);

#endif
