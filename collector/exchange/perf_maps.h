/*
 * Records that describe processes and code to perf, before the samples of an exported recording.
 * Names of tasks and of functions are escaped as for a terminal; paths are those of the files.
 */
#ifndef COLLECTOR_EXCHANGE_PERF_MAPS_H
#define COLLECTOR_EXCHANGE_PERF_MAPS_H

#include "collector/exchange/frame_addresses.h"
#include "perf/writer/record_build.h"

/*
 * Writes the kernel's mappings, the named functions, and for each process its name and the files
 * whose code its paths have. 0 or -errno.
 */
int perf_maps_write(struct record_builder *builder, const struct profile *profile,
		    const struct frame_addresses *addresses);
/* The task has this name from the builder's time on. 0 or -errno. */
int perf_maps_write_comm(struct record_builder *builder, int32_t pid, int32_t tid,
			 const char *name);
/* The build IDs of the modules that have code in the profile. 0 or -errno. */
int perf_maps_write_build_ids(struct data_writer *writer, const struct profile *profile,
			      const struct frame_addresses *addresses);

#endif
