/* Snapshots of a profile that grows, read back as whoever stores and reads it would. */
#ifndef COLLECTOR_WATCH_SNAPSHOT_H
#define COLLECTOR_WATCH_SNAPSHOT_H

#include "collector/watch/growing_profile.h"

/* All zero: none. */
struct snapshot {
	FILE *file; /* as it was stored, in memory */
	struct profile *profile;
	struct symbolizer *symbolizer;
};

/*
 * Takes one, and prepares it for a view of options->view. The caller deinits it. 0; -EAGAIN: there
 * is no sample so far; or -errno.
 */
int snapshot_take(struct growing_profile *growing, const struct report_options *options,
		  struct snapshot *snapshot_ret);
void snapshot_deinit(struct snapshot *snapshot);

#define SNAPSHOT_NAME_MAX 32

/* Stores the profile in the first of the files top.cct, top-2.cct, ... that does not exist. 0 or
 * -errno. */
int snapshot_save(struct snapshot *snapshot, char name_ret[SNAPSHOT_NAME_MAX]);

#endif
