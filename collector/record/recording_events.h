/* Finds the CPUs and threads to be recorded, and opens the events on them. */
#ifndef COLLECTOR_RECORD_RECORDING_EVENTS_H
#define COLLECTOR_RECORD_RECORDING_EVENTS_H

#include <sys/types.h>

#include "collector/record/observing/recording_notes.h"
#include "collector/record/recorder_options.h"
#include "collector/record/recording_cgroup.h"
#include "perf/counters/evlist.h"

struct recording_events {
	struct int_list cpus;
	struct int_list absent_cpus; /* offline; they are recorded once they are online */
	struct recording_cgroup cgroup;
	/* The chosen processes, or those of chosen threads or in the cgroup; and the threads of
	 * chosen processes. Otherwise empty. */
	struct int_list pids, tids;
	/* The counters count on CPUs, and the sideband has all processes. */
	bool is_system_wide;
	struct evlist *evlist; /* NULL: not open */
};

/* Fills in all but the evlist of @events, which is zeroed before. 0, or -errno, which the notes
 * explain. */
int recording_events_find(struct recording_events *events, const struct recorder_options *options,
			  struct recording_notes *notes);
/* @command_pid: used where only a command is recorded. The same errors. */
int recording_events_open(struct recording_events *events, const struct recorder_options *options,
			  pid_t command_pid, struct recording_notes *notes);
/* @options: the same as for opening. */
void recording_events_deinit(struct recording_events *events,
			     const struct recorder_options *options);

#endif
