/* Finds the cgroup of --cgroup or --unit, and how it can be recorded. */
#ifndef COLLECTOR_RECORD_RECORDING_CGROUP_H
#define COLLECTOR_RECORD_RECORDING_CGROUP_H

#include <stdbool.h>

#include "collector/record/observing/recording_notes.h"
#include "collector/record/recorder_options.h"

/* All zeros: none. */
struct recording_cgroup {
	char *path;
	int fd; /* of its folder, if there is a path */
	/* The kernel counts events in it, on all CPUs, whoever enters it. Otherwise its processes
	 * are recorded, and what they start. */
	bool is_counted;
};

/* @cpu: one that is recorded. 0, or -errno, which the notes explain. */
int recording_cgroup_find(const struct recorder_options *options, int cpu,
			  struct recording_notes *notes, struct recording_cgroup *cgroup_ret);
void recording_cgroup_deinit(struct recording_cgroup *cgroup);

#endif
